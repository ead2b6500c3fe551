// Where things are, what clips them and what covers them.

const FULL_VIS = { opacityProperty: true, visibilityProperty: true };

// pointIn is elementFromPoint, with a look at the clock: where very much text
// is laid out each takes Chrome a quarter of a second.
const SLOW = 50; // milliseconds
let slow = 0; // spent on slow ones
const pointIn = (doc, x, y) => {
  const begun = now();
  const e = fromPoint(doc, x, y);
  const took = now() - begun;
  if (took > SLOW) slow += took;
  return e;
};

// deepest is elementFromPoint through every known shadow root.
const deepest = (doc, x, y) => {
  let e = pointIn(doc, x, y);
  for (let i = 0; e && i < 64; i++) {
    const r = shadowOf(e);
    if (!r) break;
    const d = rootFromPoint(r, x, y);
    if (!d || d === e) break;
    e = d;
  }
  return e;
};

// Chrome's hit test takes the square of the boxes in the line it hits: 80 ms
// at 2,500 of them, minutes at 100,000. Rows with very many are found before
// anything is asked.
const CROWD = 500;
let crowds = new Map(); // document -> [top, bottom] of such rows
let untested = 0; // points that were not asked about
const findCrowds = (doc) => {
  if (docByTag(doc, '*').length <= CROWD) return;
  let rows = null;
  for (const tag of ['span', 'a', 'b', 'i', 'em', 'code', 'button', 'input', 'img']) {
    const all = docByTag(doc, tag);
    const n = all.length;
    for (let i = 0; i + CROWD < n; i += CROWD) {
      const a = rectOf(all[i]);
      const b = rectOf(all[i + CROWD]);
      if (a.height === 0 || a.top !== b.top || a.left === b.left) continue;
      rows = rows || [];
      const last = rows[rows.length - 1];
      // The line of a box is somewhat higher than the box.
      if (!last || last[2] !== a.top) rows.push([a.top - a.height, a.bottom + a.height, a.top]);
    }
  }
  if (rows) crowds.set(doc, rows);
};
const dear = (doc, y) => {
  if (now() > deadline) return true;
  if (slow > 10 * SLOW) {
    untested++;
    return true;
  }
  if (crowds.size === 0) return false;
  const rows = crowds.get(doc);
  if (rows === undefined || !rows.some((r) => y >= r[0] && y <= r[1])) return false;
  untested++;
  return true;
};

// hitNear is elementFromPoint as seen from the tree el is in: enough to tell
// whether el or something in it takes the press, however deep its tree lies.
// Where asking would take for ever, el is taken to be what is there.
const hitNear = (el, doc, x, y) => {
  if (dear(doc, y)) return el;
  const root = getRootNode(el);
  return nodeType(root) === FRAGMENT ? rootFromPoint(root, x, y) : pointIn(doc, x, y);
};

// within tells whether n is el or lies in it, as rendered.
const within = (n, el) => {
  for (let i = 0; n && i < 20000; i++) {
    if (n === el) return true;
    n = flatParent(n);
  }
  return false;
};

const controlOf = (el) => (localName(el) === 'label' ? el.control : null);

// sameTarget: a press on hit counts as a press on el.
const sameTarget = (hit, el) => {
  if (within(hit, el)) return true;
  for (let n = hit, i = 0; n && nodeType(n) === ELEMENT && i < 12; n = flatParent(n), i++) {
    if (localName(n) === 'label') return n.control === el;
  }
  const c = controlOf(el);
  return !!c && hit === c;
};

// frameShown tells whether the frame fr shows at its own point (x, y): no
// ancestor document covers it there. Answers are kept by cells of 8 pixels.
const frameShown = (fr, x, y) => {
  for (; fr.parent; fr = fr.parent) {
    const px = (x * fr.k + fr.ox - fr.parent.ox) / fr.parent.k;
    const py = (y * fr.k + fr.oy - fr.parent.oy) / fr.parent.k;
    const key = (px >> 3) * 8192 + (py >> 3);
    let cover = fr.cells.get(key);
    if (cover === undefined) {
      const e = hitNear(fr.el, fr.parent.doc, px, py);
      cover = e === fr.el ? null : e;
      fr.cells.set(key, cover);
    }
    if (cover) return cover;
    x = px;
    y = py;
  }
  return null;
};

// coverOf returns null when el takes a press at one of the points of the
// visible part v of its box (document coordinates of its frame), else what is
// in the way.
const coverOf = (el, fr, v) => {
  let blocker = null;
  const tryAt = (x, y) => {
    const hit = hitNear(el, fr.doc, x, y);
    if (!hit) return false;
    if (!sameTarget(hit, el)) {
      blocker = blocker || hit;
      return false;
    }
    const over = frameShown(fr, x, y);
    if (over) {
      blocker = blocker || over;
      return false;
    }
    return true;
  };
  const w = v.x1 - v.x0;
  const h = v.y1 - v.y0;
  const middle = () => tryAt(v.x0 + w / 2, v.y0 + h / 2);
  // The middle of a link that wraps is often between its lines.
  const wraps = h > 30 && rectsOf(el).length > 1;
  if (!wraps && middle()) return null;
  const rects = rectsOf(el);
  for (let i = 0; i < rects.length && i < 6 && rects.length > 1; i++) {
    const r = rects[i];
    const x0 = Math.max(r.left, v.x0);
    const x1 = Math.min(r.right, v.x1);
    const y0 = Math.max(r.top, v.y0);
    const y1 = Math.min(r.bottom, v.y1);
    if (x1 - x0 >= 1 && y1 - y0 >= 1 && tryAt((x0 + x1) / 2, (y0 + y1) / 2)) return null;
  }
  if (wraps && middle()) return null;
  for (const [a, b] of [[0.25, 0.25], [0.75, 0.25], [0.25, 0.75], [0.75, 0.75], [0.5, 0.1], [0.5, 0.9], [0.1, 0.5], [0.9, 0.5]]) {
    if (tryAt(v.x0 + w * a, v.y0 + h * b)) return null;
  }
  return blocker || fr.doc;
};

// What covers one thing covers its neighbours, so texts share a hit test with
// those in the same patch. One takes Chrome 0.3 ms in a table of 10,000 rows: in
// documents of that size the patches are wider, and targets that repeat from row
// to row share one as well.
const VAST = 20000;
const patchOf = (x, y, wide) => (x >> (wide ? 8 : 7)) * 4096 + (y >> 6);

// coverIn is coverOf, unless the same kind of target takes a press close by in
// a vast document. A press on one that is covered all the same is refused.
const coverIn = (el, tag, fr, v) => {
  if (!fr.vast) return coverOf(el, fr, v);
  const p = parentNode(el);
  const kind = tag + '<' + (p && nodeType(p) === ELEMENT ? localName(p) : '');
  const patch = patchOf((v.x0 + v.x1) / 2, (v.y0 + v.y1) / 2, false);
  if (fr.pressed.get(patch) === kind) return null;
  const over = coverOf(el, fr, v);
  if (over === null) fr.pressed.set(patch, kind);
  return over;
};

// pinned: the coverer stays where it is when the page scrolls and leaves most
// of the viewport free, so scrolling brings what is under it into the open.
const pinned = (n, fr) => {
  for (let i = 0; n && nodeType(n) === ELEMENT && i < 64; n = flatParent(n), i++) {
    const p = styleOf(n).position;
    if (p === 'fixed' || p === 'sticky') {
      const r = rectOf(n);
      return r.width * r.height < 0.5 * fr.vw * fr.vh;
    }
  }
  return false;
};

const alpha = (c) => {
  if (c === 'transparent') return 0;
  const m = /[,/]\s*([\d.]+)(%?)\)$/.exec(c);
  if (!m || (c.startsWith('rgb(') && !c.includes('/'))) return 1;
  return m[2] ? m[1] / 100 : +m[1];
};

// paints tells whether n hides what lies below it.
const paints = (n) => {
  const s = styleOf(n);
  if (alpha(s.backgroundColor) > 0.85 || s.backgroundImage !== 'none') return +s.opacity > 0.85;
  const t = localName(n);
  return (t === 'img' || t === 'video' || t === 'canvas' || t === 'iframe') && +s.opacity > 0.85;
};

// hidesText: what was hit instead of the text's element is opaque there.
const hidesText = (hit, el) => {
  if (!hit || nodeType(hit) !== ELEMENT || within(hit, el) || within(el, hit)) return false;
  for (let n = hit, i = 0; n && nodeType(n) === ELEMENT && i < 64; n = flatParent(n), i++) {
    if (within(el, n)) return false;
    if (paints(n)) return true;
  }
  return false;
};

// speck: a shape that is drawn too small to be seen, as what a drawing keeps
// folded up is.
const speck = (el) => {
  const r = rectOf(el);
  return r.width <= 1 && r.height <= 1 && firstElement(el) === null;
};

// cornersOf is where a straight-edged shape turns, relative to its box r.
const cornersOf = (el, tag, r, k) => {
  let list;
  if (tag === 'line') {
    const at = (n) => el[n].baseVal.value;
    list = [[at('x1'), at('y1')], [at('x2'), at('y2')]];
  } else if (tag === 'polygon' || tag === 'polyline') {
    const n = el.points.numberOfItems;
    if (n > 12) return '';
    list = [];
    for (let i = 0; i < n; i++) {
      const p = el.points.getItem(i);
      list.push([p.x, p.y]);
    }
  } else return '';
  const m = el.getScreenCTM();
  if (!m) return '';
  return list.map(([x, y]) => R((m.a * x + m.c * y + m.e - r.left) * k) + ',' + R((m.b * x + m.d * y + m.f - r.top) * k)).join(' ');
};

const boxOf = (el, fr) => {
  let r = rectOf(el);
  if (r.width > 0 && r.height > 0) return r;
  // An inline link around a floated or block picture has no box of its own.
  for (let c = firstElement(el), i = 0; c && i < 4; c = nextElement(c), i++) {
    const q = rectOf(c);
    if (q.width > 0 && q.height > 0 && checkVisibility(c, FULL_VIS)) return q;
    if (firstElement(c)) {
      const d = rectOf(firstElement(c));
      if (d.width > 0 && d.height > 0 && checkVisibility(firstElement(c), FULL_VIS)) return d;
    }
  }
  return r;
};

const cut = (r, c) => ({
  x0: Math.max(r.x0, c.x0), y0: Math.max(r.y0, c.y0), x1: Math.min(r.x1, c.x1), y1: Math.min(r.y1, c.y1),
});
const none = (r) => r.x1 <= r.x0 || r.y1 <= r.y0;
const EVERYWHERE = { x0: -1e9, y0: -1e9, x1: 1e9, y1: 1e9 };
