// The walk: one pass over the page as it is rendered, written out as lines.
//
// A record is a line of fields divided by |. The first field is its kind:
//   e element   e|parent|flags|why|x|y|w|h|ref|tag|key|value|key|value...
//   t text      t|parent|flags|x|y|w|h|text
//   g gap       g|parent|above|below     elements left out for being far away
//   f frame     f|node|x|y|scale|vw|vh|sx|sy|sw|sh|url|title
//   x addition  x|node|key|value...
// Keys that start with a dot are not attributes. In texts ^ | and line feed
// are written ^^ ^b ^n.

const F_TARGET = 1;
const F_DISABLED = 2;
const F_FOCUSED = 4;
const F_CHECKED = 8;
const F_MIXED = 16;
const F_SELECTED = 32;
const F_SCROLLS = 64;
const F_BREAK = 128;
const F_COVERED = 256;
const F_INVIEW = 512;
const F_QUIET = 1024; // aria-hidden
const F_UNSEEN = 2048; // not drawn, counts for names only
const F_OPENROOT = 4096;
const F_CLOSEDROOT = 8192;
const F_READONLY = 16384;
const F_REQUIRED = 32768;
const F_INVALID = 65536;
const F_EXPANDED = 131072; // details open
const F_EDITABLE = 262144;
const F_FOREIGN = 524288; // frame whose document lives in another process
const F_SECRET = 1048576;

const esc = (s) => (/[\^|\n]/.test(s) ? s.replace(/\^/g, '^^').replace(/\|/g, '^b').replace(/\n/g, '^n') : s);
const well = (s) => (s.isWellFormed() ? s : s.toWellFormed());
const DROP_ATTR = /^(style|on.*|d|points|srcset|sizes|nonce|integrity|ping|jsaction|jscontroller|jsname|jsmodel|jslog|data-(?!test|cy$|qa$|id$|state$|value$|date-format$|label$|title$|icon$|mask|inputmask|datepicker).*)$/;

// A context is what an element hands down to what is in it.
class Context {
  constructor(c) {
    if (!c) return;
    this.p = c.p; // position of the nearest record above
    this.el = c.el;
    this.fr = c.fr;
    this.clip = c.clip; // what shows now
    this.hard = c.hard; // what scrolling could show
    this.near = c.near;
    this.t = c.t; // position of the target it is in, -1 for none
    this.ptr = c.ptr; // the pointer cursor is inherited
    this.seen = c.seen;
    this.svg = c.svg;
    this.icon = c.icon;
    this.quiet = c.quiet;
    this.unseen = c.unseen;
    this.sure = c.sure; // known to take a press, so its text is not covered
    this.listbox = c.listbox;
    this.host = c.host;
    this.pre = c.pre;
    this.inert = c.inert;
    this.box = null; // of the element itself, when it was written out
    this.text = null; // its first child
  }
}

const keepsAttr = new Map();
const keepAttr = (name) => {
  let k = keepsAttr.get(name);
  if (k === undefined) keepsAttr.set(name, k = !DROP_ATTR.test(name));
  return k;
};

// fixedElements finds what does not scroll with the page; an element without
// offset parent that has a box is one.
let fixedSeen = [];
let fixedGeneration = -1;
const fixedElements = (doc) => {
  if (fixedGeneration === generation) return fixedSeen;
  fixedSeen = [];
  const all = docByTag(doc, '*');
  for (let i = 0, n = Math.min(all.length, 20000); i < n; i++) {
    const e = all[i];
    if (e.offsetParent === null && i > 2) {
      const t = localName(e);
      if (SKIP.has(t) || t === 'body' || t === 'html') continue;
      if (rectsOf(e).length && styleOf(e).position === 'fixed') fixedSeen.push(e);
    }
  }
  fixedGeneration = generation;
  return fixedSeen;
};

function walk(o) {
  const started = now();
  forgetLabels();
  const out = [];
  let count = 0; // records that get a position
  let visited = 0;
  let brk = true;
  let partial = '';
  const near = !o.full;
  const md = !!o.md;
  const margin = o.margin;
  const deadline = started + o.limit;
  const maxText = o.text;
  const frames = [];
  const suspects = [];
  const foreign = [];
  const shown = new Map(); // element -> position, for later additions
  let must = null;
  let focused = null;
  const range = document.createRange();
  const R = Math.round;

  const focusOf = (doc) => {
    let a = docActive(doc);
    for (let i = 0; a && i < 32; i++) {
      const r = shadowOf(a);
      const b = r && rootActive(r);
      if (!b) break;
      a = b;
    }
    return a && a !== docBody(doc) && a !== docElement(doc) ? a : null;
  };

  // newFrame prepares a document for the walk.
  const newFrame = (doc, parent, el, ox, oy, k, clip) => {
    observe(doc);
    const win = docView(doc);
    const root = docElement(doc);
    const sc = docScroller(doc) || root;
    const fr = { doc, win, parent, el, ox, oy, k, cells: new Map(), clear: new Set(), node: -1, vw: win.innerWidth, vh: win.innerHeight };
    const view = { x0: 0, y0: 0, x1: fr.vw, y1: fr.vh };
    fr.clip = clip ? cut(view, clip) : view;
    const sx = sc ? scrollLeft(sc) : 0;
    const sy = sc ? scrollTop(sc) : 0;
    const sw = sc ? Math.max(scrollWidth(sc), fr.vw) : fr.vw;
    const sh = sc ? Math.max(scrollHeight(sc), fr.vh) : fr.vh;
    fr.scroll = [sx, sy, sw, sh];
    fr.hard = { x0: -sx, y0: -sy, x1: sw - sx, y1: sh - sy };
    const body = docBody(doc);
    const so = root ? styleOf(root) : null;
    const bo = body ? styleOf(body) : null;
    const locked = (d) => (so && (so[d] === 'hidden' || so[d] === 'clip')) || (so && so[d] === 'visible' && bo && (bo[d] === 'hidden' || bo[d] === 'clip'));
    if (locked('overflowX')) { fr.hard.x0 = 0; fr.hard.x1 = fr.vw; }
    if (locked('overflowY')) { fr.hard.y0 = 0; fr.hard.y1 = fr.vh; }
    fr.near = near ? { x0: -margin, y0: -margin, x1: fr.vw + margin, y1: fr.vh + margin } : EVERYWHERE;
    if (near && parent) fr.near = cut(fr.near, { x0: (-margin - ox) / k, y0: (-margin - oy) / k, x1: (o.vw + margin - ox) / k, y1: (o.vh + margin - oy) / k });
    fr.index = frames.length;
    frames.push(fr);
    focused = focusOf(doc) || focused;
    return fr;
  };

  // What shows now must not be lost to the shortcut that skips boxes far
  // away: a fixed element may lie inside such a box.
  const findMust = (fr) => {
    must = new Set();
    const mark = (e) => {
      for (; e && nodeType(e) === ELEMENT && !must.has(e); e = flatParent(e)) {
        must.add(e);
        const p = flatParent(e);
        const kids = p && mustKids.get(p);
        if (kids) kids.push(e);
        else if (p) mustKids.set(p, [e]);
      }
    };
    const n = 5;
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) mark(deepest(fr.doc, (i + 0.5) * fr.vw / n, (j + 0.5) * fr.vh / n));
    }
    for (const e of fixedElements(fr.doc)) mark(e);
  };
  const mustKids = new Map();

  const gaps = new Map(); // parent position -> [above, below]
  const gap = (p, above) => {
    let g = gaps.get(p);
    if (!g) gaps.set(p, g = [0, 0]);
    g[above ? 0 : 1]++;
  };

  const place = (r, fr) => '|' + R(r.left * fr.k + fr.ox) + '|' + R(r.top * fr.k + fr.oy) + '|' + R(r.width * fr.k) + '|' + R(r.height * fr.k);

  const attributes = (el, all) => {
    let s = '';
    for (const name of attributeNames(el)) {
      if (!keepAttr(name)) continue;
      if (!all && (name === 'class' ? !stateful(getAttribute(el, name)) : name === 'id')) continue;
      let v = getAttribute(el, name);
      if (v.length > 500) v = v.slice(0, v.startsWith('data:') ? 30 : 500) + '…';
      if (name === 'value' && (localName(el) === 'input' || localName(el) === 'textarea')) {
        if (isSecret(el)) continue;
      }
      s += '|' + esc(well(name)) + '|' + esc(well(v));
    }
    return s;
  };

  const field = (k, v) => (v === '' || v === null || v === undefined ? '' : '|' + k + '|' + esc(well(String(v))));

  // fieldState adds live values, never attributes, and returns state flags.
  let extra = '';
  const fieldState = (el, tag) => {
    let f = 0;
    switch (tag) {
      case 'input': {
        const type = el.type;
        if (type === 'checkbox' || type === 'radio') {
          if (el.checked) f |= F_CHECKED;
          if (el.indeterminate) f |= F_MIXED;
        } else if (type === 'file') {
          extra += field('.value', Array.from(el.files || [], (x) => x.name).join(', '));
        } else if (isSecret(el)) {
          f |= F_SECRET;
          if (el.value) extra += field('.value', '••••');
        } else {
          extra += field('.value', el.value.slice(0, maxText));
        }
        if (el.readOnly) f |= F_READONLY;
        if (el.required) f |= F_REQUIRED;
        if (el.willValidate && !el.validity.valid && (el.value !== '' || matches(el, ':user-invalid'))) f |= F_INVALID;
        break;
      }
      case 'textarea':
        extra += field('.value', isSecret(el) ? '••••' : el.value.slice(0, maxText));
        if (el.readOnly) f |= F_READONLY;
        if (el.required) f |= F_REQUIRED;
        break;
      case 'select': {
        const chosen = [];
        const os = el.options;
        let n = 0;
        for (let i = 0; i < os.length && i < 5000; i++) if (os[i].selected && chosen.length < 20) chosen.push(squash(os[i].label || os[i].text));
        extra += field('.value', chosen.join(', ')) + field('.optn', os.length);
        for (let i = 0; i < os.length && n < 40; i++, n++) extra += '|.opt|' + esc(well(squash(os[i].label || os[i].text).slice(0, 80)));
        if (el.required) f |= F_REQUIRED;
        break;
      }
      case 'option':
        extra += field('.text', squash(el.label || el.text).slice(0, 200));
        if (el.selected) f |= F_SELECTED;
        break;
      case 'details':
        if (el.open) f |= F_EXPANDED;
        break;
      case 'progress': case 'meter':
        extra += field('.value', el.position === -1 ? '' : el.value + '/' + el.max);
        break;
    }
    return f;
  };

  const nameParts = (el, tag) => {
    if (hasAttribute(el, 'aria-labelledby')) extra += field('.by', labelledBy(el));
    switch (tag) {
      case 'input': case 'select': case 'textarea': case 'meter': case 'progress': case 'button': case 'output':
        extra += field('.label', labelText(el));
        break;
      case 'fieldset': case 'table': case 'figure': case 'details': {
        const first = firstElement(el);
        if (first && /^(legend|caption|figcaption|summary)$/.test(localName(first))) extra += field('.label', spoken(first, 120));
        break;
      }
    }
    if (hasAttribute(el, 'aria-describedby')) {
      const d = byID(el, getAttribute(el, 'aria-describedby').trim().split(/\s+/)[0] || '');
      if (d && d !== el) extra += field('.desc', spoken(d, 200));
    }
  };

  const pixels = (s) => { const n = parseFloat(s); return n > 0 ? n : 0; };

  // text writes a text node; c is the context of its parent.
  const text = (n, c) => {
    let s = data(n);
    if (s.length > 4 * maxText && !md) s = s.slice(0, 4 * maxText);
    if (md) {
      if (!c.seen) return;
      if (c.pre ? s !== '' : /\S/.test(s)) { out.push('t|' + c.p + '|0|0|0|0|0|' + esc(well(s))); count++; } else if (s !== '') { out.push('t|' + c.p + '|0|0|0|0|0| '); count++; }
      return;
    }
    const ws = (s.charCodeAt(0) <= 32 ? 1 : 0) | (s.charCodeAt(s.length - 1) <= 32 ? 2 : 0);
    const t = squash(s);
    if (t === '' || !c.seen) return;
    let flags = (brk ? F_BREAK : 0) | (c.quiet ? F_QUIET : 0);
    // A lone text far from view takes the box of its element.
    let r = c.box;
    if (r === null || r.top < 2 * c.fr.vh || nextSibling(n) !== null || c.text !== n) {
      range.selectNodeContents(n);
      r = range.getBoundingClientRect();
    }
    if (r.width <= 0 || r.height <= 0) return;
    const fr = c.fr;
    const x0 = Math.max(r.left, c.clip.x0);
    const y0 = Math.max(r.top, c.clip.y0);
    const x1 = Math.min(r.right, c.clip.x1);
    const y1 = Math.min(r.bottom, c.clip.y1);
    if (x1 - x0 < 2 || y1 - y0 < 2) {
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
        const patch = (x >> 7) * 4096 + (y >> 6);
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
    const k = fr.k;
    out.push('t|' + c.p + '|' + flags + '|' + R(r.left * k + fr.ox) + '|' + R(r.top * k + fr.oy) + '|' + R(r.width * k) + '|' + R(r.height * k) + '|' +
      esc(well(t.length > maxText ? t.slice(0, maxText) + '…' : t)) + (ws ? '|' + ws : ''));
    count++;
    brk = false;
  };

  const hidesFrame = (fr, x, y) => {
    const over = frameShown(fr, x, y);
    return !!over && nodeType(over) === ELEMENT && hidesText(over, fr.el);
  };

  // element decides about one element and returns the context for its
  // children, or null when nothing of it is to be seen.
  const element = (el, c) => {
    const tag = localName(el);
    if (SKIP.has(tag)) return null;
    if (tag === 'br') {
      brk = true;
      if (md) { out.push('e|' + c.p + '|0|0|0|0|0|0|0|br'); count++; }
      return null;
    }
    if (tag === 'slot') return c;
    if (c.svg && SVG_SKIP.has(tag)) return null;
    visited++;
    if ((visited & 255) === 0 && now() > deadline) partial = 'time';
    if (count >= o.max) partial = 'size';
    if (partial) return null;
    const fr = c.fr;
    let seen = true;
    let ghost = false;
    let style = null;
    if (!checkVisibility(el, FULL_VIS)) {
      style = styleOf(el);
      if (!checkVisibility(el)) {
        if (style.display !== 'contents') {
          if (style.display === '' && c.host) hostSuspect(c.host);
          return null;
        }
        if (style.visibility !== 'visible') seen = false;
      } else {
        if (style.visibility !== 'visible') seen = false;
        if (+style.opacity === 0) {
          ghost = tag === 'select' || (tag === 'input' && /^(checkbox|radio|file|range|date|color)$/.test(el.type));
          if (!ghost) return null;
        }
      }
    }
    const inline = INLINE.has(tag);
    if (!inline) brk = true;
    if (md) return mdElement(el, tag, c, seen, style);

    let r = null;
    if (near) {
      r = rectOf(el);
      const n = c.near;
      if ((r.top > n.y1 || r.bottom < n.y0 || r.left > n.x1 || r.right < n.x0) && !inline) {
        if (!must.has(el) && r.height > 0 && (scrollHeight(el) <= clientHeight(el) + 1 || r.top > n.y1 && !firstElement(el))) {
          const reach = c.hard;
          if (r.right > reach.x0 && r.left < reach.x1 && r.bottom > reach.y0 && r.top < reach.y1 && r.height > 0) gap(c.p, r.bottom < n.y0 || r.right < n.x0);
          return null;
        }
      }
    }
    const named = hasAttributes(el);
    if (named && hasAttribute(el, 'inert')) return inertText(el, c);

    const svg = c.svg || tag === 'svg';
    let why = named || NATIVES.has(tag) ? evidence(el, tag) : 0;
    const bits = listenerCount !== 0 ? listenersOf.get(el) || 0 : 0;
    if (bits) why |= LISTENER;
    const leaf = firstChild(el) === null;
    let ptr = c.ptr;
    let overflow = 'visible';
    if (!leaf || why === 0) {
      style = style || styleOf(el);
      if (!leaf && !inline) overflow = style.overflow;
      if (!ptr && style.cursor === 'pointer') {
        ptr = true;
        if (tag !== 'html' && tag !== 'body') why |= POINTER;
      }
    }
    let control = null;
    if (tag === 'label') {
      control = el.control;
      why &= ~(POINTER | FOCUSABLE);
      if (control) {
        if (usableControl(control)) why = bits && !within(control, el) && !control ? why : 0;
        else if (!checkVisibility(control) || true) why |= LABEL;
        if (!(why & LABEL)) control = null;
      } else if (style && style.cursor === 'pointer' && !c.ptr) why |= POINTER;
    }
    if (tag === 'option' && !c.listbox) why = 0;
    if (tag === 'option' && c.listbox) why |= NATIVE;
    if (c.inert) why = 0;
    if (tag === 'html' || tag === 'body') why &= ~(LISTENER | HANDLER | POINTER | FOCUSABLE);

    const scrolls = !c.inert && overflow !== 'visible' && overflow !== 'hidden' && overflow !== 'clip' && tag !== 'html' && tag !== 'body' &&
      (scrollHeight(el) > clientHeight(el) + 4 || scrollWidth(el) > clientWidth(el) + 4) && clientHeight(el) > 8 && /auto|scroll|overlay/.test(overflow);
    const area = tag === 'textarea' || (tag === 'select' && (el.size > 1 || el.multiple));
    const root = shadowOf(el);
    let emit = why !== 0 || scrolls || root !== null || CONTAINERS.has(tag) || (named && (hasAttribute(el, 'role') || hasAttribute(el, 'aria-live')));
    if (!emit && tag === 'section') emit = hasAttribute(el, 'aria-label') || hasAttribute(el, 'aria-labelledby');
    if (!emit && svg) emit = SHAPES.has(tag) && !c.icon;
    let swatch = '';
    if (!emit && leaf && !svg) {
      r = r || rectOf(el);
      if (r.width >= 4 && r.height >= 4) {
        const bg = style.backgroundColor;
        if (alpha(bg) > 0.1) swatch = bg;
        else if (style.backgroundImage !== 'none' || pixels(style.borderTopWidth) + pixels(style.borderLeftWidth) > 0) swatch = 'image';
        emit = swatch !== '';
      }
    }
    if (!emit && !svg && named) {
      const cls = getAttribute(el, 'class');
      if (cls !== null && stateful(cls)) emit = true;
    }

    const next = (pos, t) => {
      let clip = c.clip;
      let hard = c.hard;
      let nr = c.near;
      if (tag !== 'html' && tag !== 'body' && overflow !== 'visible' && !svg) {
        const b = r || rectOf(el);
        const box = { x0: b.left, y0: b.top, x1: b.right, y1: b.bottom };
        if (overflow.includes('visible')) { /* clip on one axis only */ box.x0 = -1e9; box.x1 = 1e9; box.y0 = -1e9; box.y1 = 1e9; }
        if (scrolls) {
          clip = cut(clip, box);
          hard = EVERYWHERE;
          if (near) {
            const m = Math.min(margin, b.height);
            nr = cut(nr, { x0: box.x0 - m, y0: box.y0 - m, x1: box.x1 + m, y1: box.y1 + m });
          }
        } else if (overflow !== 'clip' || true) {
          clip = cut(clip, box);
          hard = cut(hard, box);
        }
      }
      const d = new Context(c);
      d.p = pos;
      d.el = el;
      d.clip = clip;
      d.hard = hard;
      d.near = nr;
      d.t = t;
      d.ptr = ptr;
      d.seen = seen;
      d.svg = svg;
      d.icon = c.icon || (tag === 'svg' && (t >= 0 && pos !== t || (r || rectOf(el)).width <= 40));
      d.quiet = c.quiet || (named && getAttribute(el, 'aria-hidden') === 'true');
      d.sure = false;
      d.listbox = tag === 'select' || (c.listbox && tag === 'optgroup');
      d.host = root ? null : el;
      return d;
    };

    if (!root) watchHost(el, tag, leaf, c);

    if (!emit) {
      if (overflow === 'visible' && seen === c.seen && ptr === c.ptr && !(named && hasAttribute(el, 'aria-hidden'))) {
        if (leaf) return null;
        // Nothing changes below, but the text needs its own element.
        const d = new Context(c);
        d.el = el;
        d.host = el;
        d.sure = false;
        return d;
      }
      return next(c.p, c.t);
    }

    // What is written out needs a box.
    r = r && r.width > 0 && r.height > 0 ? r : boxOf(el, fr);
    let flags = brk ? F_BREAK : 0;
    let covered = null;
    let usable = seen;
    let unseen = c.unseen;
    let clip = c.clip;
    let hard = c.hard;
    let v = cut({ x0: r.left, y0: r.top, x1: r.right, y1: r.bottom }, clip);
    if (none(v) && c.clip !== fr.clip && r.width > 0) {
      // Out of its clip: unless it is positioned out of the clipping box.
      style = style || styleOf(el);
      const free = style.position === 'fixed' ? fr : style.position === 'absolute' ? freeOf(el, c) : null;
      if (free) {
        clip = free.clip;
        hard = free.hard;
        v = cut({ x0: r.left, y0: r.top, x1: r.right, y1: r.bottom }, clip);
        c = new Context(c);
        c.clip = clip;
        c.hard = hard;
      }
    }
    const tiny = r.width <= 1 || r.height <= 1;
    if (tiny) {
      usable = false;
      if (r.width > 0 && r.height > 0 && styleOf(el).position === 'absolute') unseen = true;
    } else if (none(v)) {
      if (none(cut({ x0: r.left, y0: r.top, x1: r.right, y1: r.bottom }, hard))) usable = false;
    } else {
      flags |= F_INVIEW;
    }
    const strong = why & ~FOCUSABLE;
    let target = usable && why !== 0;
    if (scrolls && usable) target = true;
    let sure = false;
    if (target && flags & F_INVIEW) {
      const over = coverOf(el, fr, v);
      if (over !== null) {
        if (nodeType(over) === ELEMENT && pinned(over, fr) && !within(el, over)) {
          flags &= ~F_INVIEW;
        } else if (scrolls && within(over, el)) {
          // fine
        } else {
          covered = over;
          target = false;
          flags |= F_COVERED;
        }
      } else {
        sure = true;
      }
    } else if (target && (why & (NATIVE | BYROLE)) === 0 && !scrolls) {
      if (styleOf(el).pointerEvents === 'none') target = false;
    }
    if (ghost && !target) return null;

    extra = '';
    let state = 0;
    if (why || tag === 'details' || tag === 'progress' || tag === 'meter' || tag === 'option') state = fieldState(el, tag);
    if (FIELDS.has(tag) || tag.includes('-')) {
      if (matches(el, ':disabled')) state |= F_DISABLED;
    }
    if (named && getAttribute(el, 'aria-disabled') === 'true' && (target || why)) state |= F_DISABLED;
    // A disabled control that takes no pointer still is shown as disabled.
    if (state & F_DISABLED && covered && styleOf(el).pointerEvents === 'none') { target = true; flags &= ~F_COVERED; covered = null; }
    if (control) {
      state |= fieldState(control, localName(control)) & (F_CHECKED | F_MIXED | F_REQUIRED);
      if (control.disabled) state |= F_DISABLED;
      extra += '|.for|' + refNumber(control) + field('.fortype', control.type || localName(control));
    }
    if (el === focused) state |= F_FOCUSED;
    if (why & EDITABLE) state |= F_EDITABLE;
    if (root) state |= closedRoots.has(el) ? F_CLOSEDROOT : F_OPENROOT;
    if (c.quiet) state |= F_QUIET;
    if (!seen || unseen) state |= F_UNSEEN;
    if (scrolls || (area && scrollHeight(el) > clientHeight(el) + 4)) {
      state |= F_SCROLLS;
      extra += '|.scroll|' + [scrollLeft(el), scrollTop(el), scrollWidth(el), scrollHeight(el), clientWidth(el), clientHeight(el)].map(R).join(',');
    }
    if (covered && nodeType(covered) === ELEMENT) extra += field('.cover', describe(covered));

    if (target || why || CONTAINERS.has(tag) || hasAttribute(el, 'role')) nameParts(el, tag);
    if (target || swatch || svg) {
      style = style || styleOf(el);
      if (svg && tag !== 'svg') {
        extra += field('.fill', style.fill !== 'none' ? style.fill : '') + field('.stroke', style.stroke !== 'none' ? style.stroke : '');
      } else if (swatch !== 'image') {
        const bg = swatch || style.backgroundColor;
        if (alpha(bg) > 0.1) extra += field('.bg', bg);
      }
      if (target && !hasAttribute(el, 'aria-label') && tag !== 'input' && tag !== 'select' && tag !== 'textarea' && wordless(el)) extra += field('.icon', iconOf(el));
      if (target && leaf && tag !== 'input' && tag !== 'select' && tag !== 'textarea' || target && wordless(el)) extra += field('.drawn', drawn(el));
    }
    if (tag === 'img') extra += field('.src', el.currentSrc.startsWith('data:') ? '' : el.currentSrc.slice(0, 300));
    if (tag === 'svg') {
      const t = firstElement(el);
      if (t && localName(t) === 'title') extra += field('.title', squash(textContent(t)).slice(0, 120));
    }
    if (tag === 'a' && target && el.href) extra += field('.href', String(el.href).slice(0, 1000));

    const pos = count++;
    out.push('e|' + c.p + '|' + (flags | state | (target ? F_TARGET : 0)) + '|' + (why | (scrolls ? 512 : 0)) + place(r, fr) + '|' +
      (target ? refNumber(el) : 0) + '|' + esc(tag) + extra + attributes(el, target || why !== 0 || leaf || svg));
    brk = true;
    if (target) shown.set(el, pos);

    if (tag === 'iframe' || tag === 'frame' || tag === 'object') return frame(el, c, pos, r, v);
    if (tag === 'select' && !area) return null;
    if (tag === 'img') { if (hasAttribute(el, 'usemap')) imageMap(el, c, pos, r); return null; }
    if (tag === 'textarea' || tag === 'input' || tag === 'canvas' || tag === 'video' || tag === 'audio' || tag === 'embed' || tag === 'option') return null;
    const t = target && strong ? pos : c.t;
    if (target && (why & (NATIVE | BYROLE | HANDLER | LISTENER | POINTER))) ptr = ptr || tag === 'a' || tag === 'button' || styleOf(el).cursor === 'pointer';
    const d = next(pos, t);
    if (!near) {
      d.box = r;
      d.text = firstChild(el);
    }
    d.unseen = unseen;
    d.sure = sure;
    return d;
  };

  const freeOf = (el, c) => {
    // The clip of the containing block: climb to the offset parent.
    const op = el.offsetParent;
    for (let i = stackTop; i >= 0; i--) {
      const k = stack[i].c;
      if (k.el === op || !op) return k;
    }
    return null;
  };

  const describe = (el) => {
    const id = getAttribute(el, 'id');
    const words = squash(getAttribute(el, 'aria-label') || textContent(el).slice(0, 200)).slice(0, 40);
    return '<' + localName(el) + (id ? ' id=' + id.slice(0, 30) : '') + '>' + words;
  };

  const inertText = (el, c) => {
    // Nothing in an inert part can be used; what it says is still read.
    const d = new Context(c);
    d.el = el;
    d.inert = true;
    d.host = el;
    d.sure = true;
    return d;
  };

  // Closed shadow roots cannot be seen from script. Hosts that may have one
  // are named to the caller, who asks the browser and hands the roots in.
  const hostSuspect = (el) => {
    if (checkedHosts.has(el) || closedRoots.has(el) || suspects.length >= 200) return;
    checkedHosts.add(el);
    suspects.push(el);
  };
  const HOSTS = set('article aside blockquote div footer header main nav p section span h1 h2 h3 h4 h5 h6');
  let plain = 0;
  const watchHost = (el, tag, leaf, c) => {
    if (tag.includes('-')) hostSuspect(el);
    else if (leaf && plain < 60 && HOSTS.has(tag) && !c.svg) {
      const r = rectOf(el);
      if (r.width >= 8 && r.height >= 8 && r.bottom > 0 && r.top < c.fr.vh) { plain++; hostSuspect(el); }
    }
  };

  const frame = (el, c, pos, r, v) => {
    let doc = null;
    try { doc = el.contentDocument; } catch { /* another process */ }
    const win = doc && docView(doc);
    if (!win || !docElement(doc)) {
      if (localName(el) !== 'object' && r.width >= 10 && r.height >= 10) {
        foreign.push(el);
        const s = styleOf(el);
        const kk = el.offsetWidth ? r.width / el.offsetWidth : 1;
        const x = r.left + (clientLeft(el) + pixels(s.paddingLeft)) * kk;
        const y = r.top + (clientTop(el) + pixels(s.paddingTop)) * kk;
        const fr = c.fr;
        const covers = [];
        for (let i = 0; i < 4; i++) {
          for (let j = 0; j < 4; j++) {
            const px = r.left + r.width * (i + 0.5) / 4;
            const py = r.top + r.height * (j + 0.5) / 4;
            if (px < v.x0 || px > v.x1 || py < v.y0 || py > v.y1) continue;
            const hit = hitNear(el, fr.doc, px, py);
            if ((hit && hit !== el) || frameShown(fr, px, py)) covers.push(j * 4 + i);
          }
        }
        out.push('x|' + pos + '|.foreign|' + (frameIdOf.get(el) || '') + '|.at|' + [x * fr.k + fr.ox, y * fr.k + fr.oy, kk * fr.k, v.x0 * fr.k + fr.ox, v.y0 * fr.k + fr.oy, v.x1 * fr.k + fr.ox, v.y1 * fr.k + fr.oy].map((n) => Math.round(n * 1000) / 1000).join(',') + field('.covers', covers.join(',')) + '|.ref|' + refNumber(el));
      }
      return null;
    }
    let depth = 0;
    for (let f = c.fr; f; f = f.parent) depth++;
    if (depth > 20 || frames.length > 300) return null;
    if (r.width < 2 || r.height < 2) return null;
    const s = styleOf(el);
    const k = el.offsetWidth ? r.width / el.offsetWidth : 1;
    const x = r.left + (clientLeft(el) + pixels(s.paddingLeft)) * k;
    const y = r.top + (clientTop(el) + pixels(s.paddingTop)) * k;
    const inner = clientWidth(el) - pixels(s.paddingLeft) - pixels(s.paddingRight);
    const kin = k * (inner > 0 && win.innerWidth > 0 ? inner / win.innerWidth : 1);
    const fr = c.fr;
    const clip = { x0: (v.x0 - x) / kin, y0: (v.y0 - y) / kin, x1: (v.x1 - x) / kin, y1: (v.y1 - y) / kin };
    const sub = newFrame(doc, fr, el, fr.ox + x * fr.k, fr.oy + y * fr.k, fr.k * kin, clip);
    // Hit tests climb with the scale of the frame inside its parent.
    sub.node = pos;
    writeFrame(sub);
    run(docElement(doc), contextOf(sub, pos, c));
    return null;
  };

  const contextOf = (fr, pos, c) => {
    const d = new Context(null);
    d.p = pos;
    d.el = docElement(fr.doc);
    d.fr = fr;
    d.clip = fr.clip;
    d.hard = fr.hard;
    d.near = fr.near;
    d.t = -1;
    d.ptr = false;
    d.seen = true;
    d.svg = false;
    d.icon = false;
    d.quiet = c ? c.quiet : false;
    d.unseen = false;
    d.sure = false;
    d.listbox = false;
    d.host = null;
    d.pre = false;
    d.inert = c ? c.inert : false;
    d.box = null;
    d.text = null;
    return d;
  };

  const writeFrame = (fr) => {
    out.push('f|' + fr.node + '|' + R(fr.ox) + '|' + R(fr.oy) + '|' + Math.round(fr.k * 1000) + '|' + fr.vw + '|' + fr.vh + '|' + fr.scroll.map(R).join('|') + '|' +
      esc(well(docURL(fr.doc))) + '|' + esc(well(docTitle(fr.doc))));
  };

  const imageMap = (img, c, pos, r) => {
    const name = getAttribute(img, 'usemap').replace(/^#/, '');
    if (!name) return;
    const scope = getRootNode(img);
    const maps = nodeType(scope) === DOCUMENT ? docQueryAll(scope, 'map') : [];
    for (const m of maps) {
      if (getAttribute(m, 'name') !== name && getAttribute(m, 'id') !== name) continue;
      for (const a of queryAll(m, 'area')) {
        if (!hasAttribute(a, 'href') && !matches(a, HANDLERS) && !listenersOf.get(a)) continue;
        const n = (getAttribute(a, 'coords') || '').split(/[\s,]+/).map(Number).filter((x) => x === x);
        const shape = (getAttribute(a, 'shape') || 'rect').toLowerCase();
        let b = { left: 0, top: 0, width: r.width, height: r.height };
        if (shape.startsWith('circ') && n.length >= 3) b = { left: n[0] - n[2], top: n[1] - n[2], width: 2 * n[2], height: 2 * n[2] };
        else if (n.length >= 4) {
          const xs = n.filter((_, i) => i % 2 === 0);
          const ys = n.filter((_, i) => i % 2 === 1);
          b = { left: Math.min(...xs), top: Math.min(...ys), width: Math.max(...xs) - Math.min(...xs), height: Math.max(...ys) - Math.min(...ys) };
        }
        b.left += r.left;
        b.top += r.top;
        extra = '';
        if (a.href) extra += field('.href', String(a.href).slice(0, 1000));
        out.push('e|' + pos + '|' + (F_TARGET | F_BREAK | F_INVIEW) + '|' + NATIVE + place(b, c.fr) + '|' + refNumber(a) + '|area' + extra + attributes(a, true));
        count++;
      }
    }
  };

  // Markdown wants structure and words, not boxes.
  const MD = set('h1 h2 h3 h4 h5 h6 p ul ol menu li dl dt dd table tr td th caption blockquote pre code a img b strong em i s del hr nav header footer aside main article section form iframe frame div figure figcaption details summary label button select textarea input kbd samp sup sub video audio dialog');
  const mdElement = (el, tag, c, seen, style) => {
    const root = shadowOf(el);
    if (!root) watchHost(el, tag, firstChild(el) === null, c);
    if (getAttribute(el, 'aria-hidden') === 'true' && tag !== 'a') { /* sight decides, not the attribute */ }
    let pos = c.p;
    if (MD.has(tag)) {
      extra = '';
      if (tag === 'a' && el.href) extra += field('.href', el.href);
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
      out.push('e|' + c.p + '|0|0|0|0|0|0|0|' + tag + extra);
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
    return d;
  };

  // run walks the flat tree below (and with) top without recursion: pages nest
  // deeper than a call stack.
  let stack = [];
  let stackTop = -1;
  const childrenOf = (el, c) => {
    const root = shadowOf(el);
    if (root) {
      observe(root);
      return { c, n: firstChild(root), list: null, i: 0 };
    }
    if (localName(el) === 'slot') {
      const list = assignedNodes(el);
      if (list.length) return { c, n: null, list, i: 0 };
    }
    if (near && !md && !c.svg && childCount(el) > 48) {
      const list = nearChildren(el, c);
      if (list) return { c, n: null, list, i: 0 };
    }
    return { c, n: firstChild(el), list: null, i: 0 };
  };

  // nearChildren finds, in a long run of children laid out one below the
  // other, those near what shows, without looking at every one.
  const nearChildren = (el, c) => {
    const kids = childList(el);
    const n = kids.length;
    const boxes = new Map();
    const box = (i) => {
      let b = boxes.get(i);
      if (!b) boxes.set(i, b = rectOf(kids[i]));
      return b;
    };
    // first child for which test holds, if tops only grow
    const search = (test) => {
      let lo = 0;
      let hi = n;
      while (lo < hi) {
        const m = (lo + hi) >> 1;
        if (box(m).height === 0) return -1;
        if (test(box(m))) hi = m;
        else lo = m + 1;
      }
      return lo;
    };
    const a = search((r) => r.bottom >= c.near.y0);
    if (a < 0) return null;
    const b = search((r) => r.top > c.near.y1);
    if (b < 0) return null;
    if (a === 0 && b === n) return null;
    const order = [...boxes.keys()].sort((x, y) => x - y);
    for (let i = 1; i < order.length; i++) if (boxes.get(order[i]).top < boxes.get(order[i - 1]).top - 1) return null;
    const list = [];
    for (let x = a < n ? kids[a] : null; x; x = nextSibling(x)) {
      if (b < n && x === kids[b]) break;
      list.push(x);
    }
    const extra = mustKids.get(el);
    if (extra) for (const x of extra) if (!list.includes(x)) list.push(x);
    for (let i = 0; i < a; i++) gap(c.p, true);
    for (let i = b; i < n; i++) gap(c.p, false);
    return list;
  };
  const run = (top, ctx) => {
    const saved = stack;
    const savedTop = stackTop;
    stack = [];
    stackTop = -1;
    const c0 = element(top, ctx);
    if (c0) {
      stack.push(childrenOf(top, c0));
      stackTop = 0;
    }
    while (stackTop >= 0 && !partial) {
      const s = stack[stackTop];
      let n;
      if (s.list) {
        n = s.i < s.list.length ? s.list[s.i++] : null;
      } else {
        n = s.n;
        if (n) s.n = nextSibling(n);
      }
      if (!n) {
        stack.length = stackTop--;
        if (s.block) brk = true;
        continue;
      }
      const t = nodeType(n);
      if (t === TEXT) {
        text(n, s.c);
      } else if (t === ELEMENT) {
        const d = element(n, s.c);
        if (d) {
          const k = childrenOf(n, d);
          k.block = !INLINE.has(localName(n));
          stack[++stackTop] = k;
        }
      }
    }
    stack = saved;
    stackTop = savedTop;
  };

  const top = newFrame(document, null, null, 0, 0, 1, null);
  o.vw = top.vw;
  o.vh = top.vh;
  if (near) {
    if (top.scroll[3] > top.vh + margin || top.scroll[2] > top.vw + margin) findMust(top);
    else must = new Set();
  }
  writeFrame(top);
  if (docElement(document)) run(docElement(document), contextOf(top, -1, null));

  // Hidden file fields are reached through their label, or the button nearest.
  if (!md) hiddenFiles(frames, shown, out);
  for (const [p, g] of gaps) out.push('g|' + p + '|' + g[0] + '|' + g[1]);

  const nodes = docByTag(document, '*').length;
  const head = ['W1', token, generation, mutations, top.vw, top.vh, Math.round(devicePixelRatio * 1000), ...top.scroll.map(R), nodes, visited,
    esc(well(docReady(document))), esc(well(docType(document))), partial, suspects.length, foreign.filter((e) => !frameIdOf.has(e)).length, Math.round((now() - started) * 1000)].join('|');
  pending = { suspects, foreign: foreign.filter((e) => !frameIdOf.has(e)) };
  return head + '\n' + out.join('\n');
}

let pending = { suspects: [], foreign: [] };

const position = un(NP.compareDocumentPosition);
const follows = (a, b) => (position(a, b) & 4) !== 0;

function hiddenFiles(frames, shown, out) {
  for (const fr of frames) {
    for (const f of docQueryAll(fr.doc, 'input[type=file i]')) {
      if (shown.has(f)) continue;
      const ls = labelsOf(f);
      let done = false;
      for (const l of ls) done = done || shown.has(l);
      if (done) continue;
      // The button whose handler names the field, or the nearest around it.
      const id = getAttribute(f, 'id');
      let best = -1;
      for (let p = parentNode(f), i = 0; p && nodeType(p) === ELEMENT && i < 6 && best < 0; p = parentNode(p), i++) {
        let before = -1;
        let after = -1;
        for (const b of queryAll(p, 'button,[role=button],a,label,[tabindex],input[type=button],div,span')) {
          if (!shown.has(b) || localName(b) === 'label' && labelsOf(controlOf(b) || b).length) continue;
          const h = getAttribute(b, 'onclick');
          if (id && h && h.includes(id)) best = shown.get(b);
          else if (follows(f, b)) after = after < 0 ? shown.get(b) : after;
          else before = shown.get(b);
        }
        if (best < 0) best = after >= 0 ? after : before;
      }
      if (best >= 0) out.push('x|' + best + '|.for|' + refNumber(f) + '|.fortype|file');
      else out.push('h|' + refNumber(f) + '|' + fr.index + '|' + esc(well(getAttribute(f, 'name') || getAttribute(f, 'id') || '')) + '|' + esc(well(getAttribute(f, 'accept') || '')));
    }
  }
}
