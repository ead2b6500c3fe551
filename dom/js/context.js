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
    this.items = c.items > 0 ? c.items - 1 : 0; // levels on which items of a listening container may be
    this.aside = c.aside; // hidden from sight, for those who listen
    this.box = null; // of the element itself, when it was written out
    this.far = c.far; // far below what shows
    this.outer = -1; // record around it, for Markdown
    this.text = null; // its first child
  }
}

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
  fr.vast = docByTag(doc, '*').length > VAST;
  fr.pressed = new Map(); // by patch, what kind of target takes a press there
  const sx = sc ? scrollLeft(sc) : 0;
  const sy = sc ? scrollTop(sc) : 0;
  const sw = sc ? Math.max(scrollWidth(sc), fr.vw) : fr.vw;
  const sh = sc ? Math.max(scrollHeight(sc), fr.vh) : fr.vh;
  fr.scroll = [sx, sy, sw, sh];
  if (sc) scrollers.push(sc);
  fr.hard = { x0: -sx, y0: -sy, x1: sw - sx, y1: sh - sy };
  const body = docBody(doc);
  const so = root ? styleOf(root) : null;
  const bo = body ? styleOf(body) : null;
  const locked = (d) => (so && (so[d] === 'hidden' || so[d] === 'clip')) || (so && so[d] === 'visible' && bo && (bo[d] === 'hidden' || bo[d] === 'clip'));
  if (locked('overflowX')) { fr.hard.x0 = 0; fr.hard.x1 = fr.vw; }
  if (locked('overflowY')) { fr.hard.y0 = 0; fr.hard.y1 = fr.vh; }
  fr.near = near ? { x0: -margin, y0: -margin, x1: fr.vw + margin, y1: fr.vh + margin } : EVERYWHERE;
  if (near && parent) fr.near = cut(fr.near, { x0: (-margin - ox) / k, y0: (-margin - oy) / k, x1: (viewW + margin - ox) / k, y1: (viewH + margin - oy) / k });
  if (!md) findCrowds(doc);
  fr.index = frames.length;
  const base = docBase(doc);
  fr.origin = /^https?:\/\/[^/?#@]+(?=\/)/.exec(base)?.[0] || '';
  frames.push(fr);
  focused = focusOf(doc) || focused;
  return fr;
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

// What shows now must not be lost to the shortcut that skips boxes far
// away: a fixed element may lie inside such a box.
const findMust = (fr) => {
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
    for (let j = 0; j < n; j++) {
      const y = (j + 0.5) * fr.vh / n;
      if (!dear(fr.doc, y)) mark(deepest(fr.doc, (i + 0.5) * fr.vw / n, y));
    }
  }
  for (const e of fixedElements(fr.doc)) mark(e);
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
  d.aside = false;
  d.far = false;
  d.outer = -1;
  d.text = null;
  return d;
};

const writeFrame = (fr) => {
  out.push('f|' + fr.node + '|' + R(fr.ox) + '|' + R(fr.oy) + '|' + Math.round(fr.k * 1000) + '|' + fr.vw + '|' + fr.vh + '|' + fr.scroll.map(R).join('|') + '|' +
    esc(well(docURL(fr.doc))) + '|' + esc(well(docTitle(fr.doc))) + '|' + esc(fr.origin));
};
