const pixels = (s) => { const n = parseFloat(s); return n > 0 ? n : 0; };

const white = (code) => code <= 32 || code === 160;

// ended notes what a text leaves to the one after it: a new line, and what that
// is indented by.
const ended = (s, lines) => {
  const end = lines ? /\n([^\S\n]*)$/.exec(s) : null;
  brk = end !== null;
  indent = end ? end[1] : '';
};

// text writes a text node; c is the context of its parent.
const text = (n, c) => {
  const s = data(n);
  if (md) {
    if (!c.seen) return;
    if (c.pre ? s !== '' : /\S/.test(s)) { out.push(head('t', c.p, count, F_BREAK) + '|||||' + esc(well(s))); count++; } else if (s !== '') space(c.p);
    return;
  }
  const long = s.length > maxText;
  const t = squash(long ? s.slice(0, maxText) : s);
  if (t === '' && !(long && /\S/.test(s))) {
    if (s !== '') sep = true;
    if (c.pre && s.includes('\n')) {
      brk = true;
      indent = indentOf(s);
    } else if (brk && !s.includes('\n')) {
      indent += s;
    }
    return;
  }
  if (c.pre && /^\s*\n/.test(s)) {
    brk = true;
    indent = '';
  }
  const before = indent;
  indent = '';
  let flags = (brk ? F_BREAK : 0) | (c.quiet ? F_QUIET : 0);
  if (!sep && !white(s.charCodeAt(0))) flags |= F_GLUE;
  sep = true;
  if (!c.seen) return;
  // A lone text far from view takes the box of its element.
  let r = c.box;
  let same = false;
  const lone = (c.far || r !== null && r.top >= 2 * c.fr.vh) && nextSibling(n) === null;
  if (long) {
    r = longBox(n, s, c.el);
  } else if (lone && r !== null && c.text === n) {
    same = true;
  } else if (lone && c.far && firstChild(c.el) === n) {
    r = rectOf(c.el);
  } else {
    range.selectNodeContents(n);
    r = range.getBoundingClientRect();
  }
  if (r.width <= 0 || r.height <= 0) return;
  const fr = c.fr;
  if (soft) {
    if (r.top >= rowBottom || r.bottom <= rowTop) flags |= F_BREAK;
    soft = false;
  }
  const x0 = Math.max(r.left, c.clip.x0);
  const y0 = Math.max(r.top, c.clip.y0);
  const x1 = Math.min(r.right, c.clip.x1);
  const y1 = Math.min(r.bottom, c.clip.y1);
  if (c.aside) {
    // A word or two for those who listen; what is long was hidden for other reasons.
    if (c.t < 0 && (long || t.length > 80)) return;
    if (c.t >= 0) flags |= F_UNSEEN;
  } else if (x1 - x0 < 2 || y1 - y0 < 2) {
    const h = c.hard;
    const out = r.right <= h.x0 || r.left >= h.x1 || r.bottom <= h.y0 || r.top >= h.y1;
    if (out || c.unseen) {
      if (c.t < 0) return;
      flags |= F_UNSEEN;
    }
  } else {
    flags |= F_INVIEW;
    if (c.unseen) {
      if (c.t < 0) return;
      flags |= F_UNSEEN;
    } else if (!c.sure) {
      // What covers text covers its neighbours: one test for a patch.
      const x = (x0 + x1) / 2;
      const y = (y0 + y1) / 2;
      const patch = patchOf(x, y, fr.vast);
      if (!fr.clear.has(patch)) {
        const hit = hitNear(c.el, fr.doc, x, y);
        if (hit !== c.el && (hidesText(hit, c.el) || (fr.parent && hidesFrame(fr, x, y)))) {
          const two = hitNear(c.el, fr.doc, x0 + 1, y0 + Math.min(6, (y1 - y0) / 2));
          if (two !== c.el && hidesText(two, c.el)) return;
        } else {
          fr.clear.add(patch);
        }
      }
    }
  }
  const lines = (long || s.includes('\n') && BROKEN.test(s)) && (c.pre || (long || flags & F_INVIEW) && keepsLines(c.el));
  let lead = '';
  if ((lines || c.pre || before !== '' || /^(?:\t|[^\S\n]{2})/.test(s)) && c.t < 0 && flags & F_BREAK) {
    lead = before + indentOf(s);
    if (lead !== '') lead = keepsSpaces(c.el) ? spaces(lead) : '';
  }
  if (long || lines) {
    pieces(n, s, c, r, flags, lines, lead);
    ended(s.slice(-200), lines);
    sep = white(s.charCodeAt(s.length - 1));
    return;
  }
  const words = esc(well(lead + t));
  if (same && flags === F_BREAK && tail === c.p && count === tail + 1) out[out.length - 1] += '|.t|' + words;
  else out.push(head('t', c.p, count, flags) + place(r, fr) + '|' + words);
  count++;
  ended(s, c.pre);
  rowTop = r.top;
  rowBottom = r.bottom;
  sep = white(s.charCodeAt(s.length - 1));
};

const hidesFrame = (fr, x, y) => {
  const over = frameShown(fr, x, y);
  return !!over && nodeType(over) === ELEMENT && hidesText(over, fr.el);
};

// tellingIcon names an icon that is no target and says something that no words
// beside it say, and is '' for others: the check mark of a table's cell, the stars of a rating,
// a picture in the middle of a sentence.
const tellingIcon = (el) => {
  const cls = getAttribute(el, 'class');
  if (cls === null || !ICON.test(cls)) return '';
  const worded = (n) => n !== null && nodeType(n) === TEXT && /\S/.test(data(n));
  if (worded(prevSibling(el)) && worded(nextSibling(el))) return iconOf(el);
  let p = parentNode(el);
  if (!p || nodeType(p) !== ELEMENT || /\S/.test(textContent(p))) return '';
  if (childCount(p) === 1) {
    for (let i = 0; i < 3 && INLINE.has(localName(p)) && parentNode(p) && nodeType(parentNode(p)) === ELEMENT; i++) p = parentNode(p);
    if (/\S/.test(textContent(p))) return '';
  }
  return iconOf(el);
};

// iconText writes an icon as a word of the text.
const iconText = (el, c, icon) => {
  const r = rectOf(el);
  const x0 = Math.max(r.left, c.clip.x0);
  const y0 = Math.max(r.top, c.clip.y0);
  const x1 = Math.min(r.right, c.clip.x1);
  const y1 = Math.min(r.bottom, c.clip.y1);
  if (c.unseen || x1 - x0 < 2 || y1 - y0 < 2) return;
  const fr = c.fr;
  const hit = hitNear(el, fr.doc, (x0 + x1) / 2, (y0 + y1) / 2);
  if (hit !== el && hidesText(hit, el)) return;
  out.push(head('t', c.p, count, F_INVIEW | (brk ? F_BREAK : 0) | (c.quiet ? F_QUIET : 0)) + place(r, fr) + '|' + esc('(' + well(icon) + ')'));
  count++;
  brk = false;
  sep = true;
  rowTop = r.top;
  rowBottom = r.bottom;
};
