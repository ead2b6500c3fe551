// Markdown wants structure and words, not boxes.
const MD = set('h1 h2 h3 h4 h5 h6 p ul ol menu li dl dt dd table tr td th caption blockquote pre code a img b strong em i s del hr nav header footer aside main article section form iframe frame div figure figcaption details summary label button select textarea input kbd samp sup sub video audio dialog');
const mdElement = (el, tag, c, seen, style) => {
  const root = shadowOf(el);
  if (!root) watchHost(el, tag, firstChild(el) === null, c);
  let pos = c.p;
  if (flow === 0 && INLINE.has(tag)) {
    // Style makes blocks of links and spans.
    style = style || styleOf(el);
    flowOf(style.display);
    if (flow === 1) space(c.p);
    soft = false;
    if (flow === 2) {
      pos = count++;
      out.push(head('e', c.p, pos, F_BREAK) + '|||||||div');
    }
  }
  const outer = pos;
  if (MD.has(tag)) {
    extra = '';
    if (tag === 'a') extra += field('.href', addressOf(el, c.fr));
    if (tag === 'img') {
      if (!seen || rectOf(el).width <= 2) return null;
      extra += field('.src', el.currentSrc || el.src) + field('alt', getAttribute(el, 'alt'));
    }
    if (tag === 'ol') extra += field('start', getAttribute(el, 'start'));
    if (tag === 'td' || tag === 'th') extra += field('colspan', getAttribute(el, 'colspan'));
    if (hasAttribute(el, 'role')) extra += field('role', getAttribute(el, 'role'));
    if (tag === 'code' || tag === 'pre') extra += field('class', getAttribute(el, 'class'));
    if (tag === 'input' || tag === 'select' || tag === 'textarea') fieldState(el, tag);
    if (!INLINE.has(tag) || tag === 'label') {
      const r = rectOf(el);
      if ((r.width <= 1 || r.height <= 1) && r.width > 0 && styleOf(el).position === 'absolute') return null;
    }
    pos = count++;
    out.push(head('e', outer, pos, F_BREAK) + '|||||||' + tag + extra);
  }
  if (tag === 'iframe' || tag === 'frame') return frame(el, c, pos, rectOf(el), { x0: -1e6, y0: -1e6, x1: 1e6, y1: 1e6 });
  if (tag === 'svg' || tag === 'canvas' || tag === 'select' || tag === 'textarea' || tag === 'video' || tag === 'audio' || tag === 'img') return null;
  const ws = tag === 'pre' || c.pre;
  const d = new Context(c);
  d.p = pos;
  d.el = el;
  d.seen = seen;
  d.pre = ws;
  d.host = root ? null : el;
  d.outer = outer;
  return d;
};

// space writes white space below a record.
const space = (p) => {
  out.push(head('t', p, count, F_BREAK) + '||||| ');
  count++;
};
