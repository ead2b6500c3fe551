// Where an element can be touched: line boxes, points, hit tests through
// shadow roots and frames of this process.

// boxesOf returns the boxes a pointer could aim at, in reading order.
const boxesOf = (el) => {
  const t = tagOf(el);
  if (t === 'area') return areaBoxes(el);
  if (t === 'option' || t === 'optgroup') {
    const s = closestSel(el, 'select');
    return s ? boxesOf(s) : [];
  }
  let out = Array.from(rectsOf(el)).filter((r) => r.width > 0 && r.height > 0);
  if (out.length || t === 'select') return out; // an option has the box of its list
  // display: contents, or a box of no size around floated or positioned
  // children: what is drawn is the children.
  for (const c of el.childNodes) {
    if (c.nodeType === 3 && c.data.trim()) {
      const r = docOf(el).createRange();
      r.selectNodeContents(c);
      out.push(...Array.from(r.getClientRects()).filter((q) => q.width > 0 && q.height > 0));
    } else if (isElement(c)) {
      out.push(...boxesOf(c));
    }
    if (out.length > 20) break;
  }
  return out;
};

const areaBoxes = (area) => {
  const map = closestSel(area, 'map');
  const img = map && map.name && rootOf(map).querySelector('img[usemap="#' + CSS.escape(map.name) + '"]');
  if (!img) return [];
  const r = rectOf(img);
  const kx = img.naturalWidth && !attr(img, 'width') ? r.width / img.naturalWidth : r.width / (Number(attr(img, 'width')) || img.naturalWidth || r.width);
  const ky = kx;
  const n = (attr(area, 'coords') || '').split(/[\s,]+/).map(Number);
  const shape = (attr(area, 'shape') || 'rect').toLowerCase();
  if (shape === 'default') return [r];
  if (shape.startsWith('circ')) return [new DOMRect(r.left + (n[0] - n[2]) * kx, r.top + (n[1] - n[2]) * ky, 2 * n[2] * kx, 2 * n[2] * ky)];
  const xs = n.filter((_, i) => i % 2 === 0);
  const ys = n.filter((_, i) => i % 2 === 1);
  if (!xs.length || !ys.length) return [];
  const x0 = Math.min(...xs);
  const y0 = Math.min(...ys);
  return [new DOMRect(r.left + x0 * kx, r.top + y0 * ky, (Math.max(...xs) - x0) * kx, (Math.max(...ys) - y0) * ky)];
};

// pointsOf lists the points worth trying, best first: the middle of every
// line box, then spots spread over the biggest one.
const pointsOf = (el) => {
  const boxes = boxesOf(el);
  const pts = [];
  const w = viewOf(el);
  const clip = (r) => {
    const x0 = Math.max(r.left, 0);
    const y0 = Math.max(r.top, 0);
    const x1 = Math.min(r.right, w.innerWidth);
    const y1 = Math.min(r.bottom, w.innerHeight);
    return x1 - x0 >= 1 && y1 - y0 >= 1 ? [x0, y0, x1, y1] : x1 > x0 && y1 > y0 ? [x0, y0, x1, y1] : null;
  };
  const mid = (c) => pts.push([(c[0] + c[2]) / 2, (c[1] + c[3]) / 2]);
  let best = null;
  let area = 0;
  for (const r of boxes.slice(0, 12)) {
    const c = clip(r);
    if (!c) continue;
    mid(c);
    const a = (c[2] - c[0]) * (c[3] - c[1]);
    if (a > area) { area = a; best = c; }
  }
  if (best) {
    const [x0, y0, x1, y1] = best;
    for (const fy of [0.25, 0.75, 0.5, 0.08, 0.92]) for (const fx of [0.5, 0.25, 0.75, 0.08, 0.92]) pts.push([x0 + (x1 - x0) * fx, y0 + (y1 - y0) * fy]);
  }
  // A drawn line or an outline is not where the middle of its box is.
  if (typeof el.getPointAtLength === 'function' && typeof el.getScreenCTM === 'function') {
    try {
      const m = el.getScreenCTM();
      const len = el.getTotalLength();
      for (const f of [0.5, 0.25, 0.75, 0.1, 0.9]) {
        const p = el.getPointAtLength(len * f).matrixTransform(m);
        if (p.x >= 0 && p.y >= 0 && p.x < w.innerWidth && p.y < w.innerHeight) pts.push([p.x, p.y]);
      }
    } catch { /* not rendered */ }
  }
  return pts;
};

// toParent maps a point of a frame's document into the document around it.
const toParent = (fe, x, y) => {
  const r = rectOf(fe);
  const kx = fe.offsetWidth ? r.width / fe.offsetWidth : 1;
  const ky = fe.offsetHeight ? r.height / fe.offsetHeight : 1;
  const st = styleOf(fe);
  return [r.left + (fe.clientLeft + parseFloat(st.paddingLeft || 0) + x) * kx, r.top + (fe.clientTop + parseFloat(st.paddingTop || 0) + y) * ky];
};

// toRoot maps a point of el's document to the outermost document of this
// process, which is what mouse events are given in.
const toRoot = (el, x, y) => {
  for (let fe = frameOf(viewOf(el)); fe; fe = frameOf(viewOf(fe))) [x, y] = toParent(fe, x, y);
  return [x, y];
};

// hitAt returns what the pointer would touch at a point of el's own tree.
const hitAt = (el, x, y) => {
  const root = rootOf(el);
  let e = (root.elementFromPoint ? root : docOf(el)).elementFromPoint(x, y);
  for (;;) {
    const inner = e && openRootOf(e);
    if (!inner || e === el) return e;
    const d = inner.elementFromPoint(x, y);
    if (!d || d === e || rootOf(d) !== inner) return e;
    e = d;
  }
};

// deepAt returns what lies at a point of a document, in shadow roots and the
// frames of this process too.
const deepAt = (doc, x, y) => {
  let e = null;
  for (;;) {
    const d = doc.elementFromPoint(x, y);
    if (!d) break;
    e = d;
    for (let r = openRootOf(e); r; r = openRootOf(e)) {
      const i = r.elementFromPoint(x, y);
      if (!i || i === e || rootOf(i) !== r) break;
      e = i;
    }
    let inner = null;
    if (tagOf(e) === 'iframe' || tagOf(e) === 'frame') { try { inner = e.contentDocument; } catch { /* elsewhere */ } }
    if (!inner) break;
    const r = rectOf(e);
    const st = styleOf(e);
    x -= r.left + e.clientLeft + parseFloat(st.paddingLeft || 0);
    y -= r.top + e.clientTop + parseFloat(st.paddingTop || 0);
    doc = inner;
  }
  return e;
};

const ACTIVE = 'a[href],button,summary,label,[role=button],[role=link],[role=tab],[role=menuitem],[role=option],[role=checkbox],[role=radio],[role=switch]';

const NESTED = 'a[href],button,input,select,textarea,summary,[role=button],[role=link],[role=checkbox],[role=switch],[role=menuitem],[role=option],[onclick]';

// nested reports whether a press on e, inside el, would work something else in
// el: a link in a label, a button in a card.
const nested = (el, e) => {
  for (let n = e; n && n !== el; n = up(n)) {
    if (isElement(n) && matchesSel(n, NESTED) && !(tagOf(el) === 'label' && n === el.control)) return true;
  }
  return false;
};

// takes reports whether a press on e is a press on el.
const takes = (el, e) => {
  if (!e) return false;
  if (holds(el, e)) return true;
  const t = tagOf(el);
  if ((t === 'option' || t === 'optgroup') && holds(closestSel(el, 'select'), e)) return true;
  if (t === 'area') return true;
  // A label stands for its control, and the control for its label.
  const lab = around(e, 'label');
  if (lab && lab.control && (lab.control === el || holds(el, lab.control))) return true;
  if (t === 'label' && el.control && holds(el.control, e)) return true;
  // The button or link around el takes the press for it.
  const box = around(el, ACTIVE);
  return !!box && box !== el && holds(box, e) && !matchesSel(e, ACTIVE + ',input,select,textarea') || !!box && box === e;
};

// probe tests one point: {x, y} in root coordinates, or what is in the way.
const probe = (el, x, y) => {
  const e = hitAt(el, x, y);
  if (!takes(el, e)) return { by: e };
  let w = viewOf(el);
  for (let fe = frameOf(w); fe; fe = frameOf(viewOf(fe))) {
    [x, y] = toParent(fe, x, y);
    const pw = viewOf(fe);
    if (x < 0 || y < 0 || x >= pw.innerWidth || y >= pw.innerHeight) return { off: true };
    const h = hitAt(fe, x, y);
    if (h !== fe) return { by: h };
    w = pw;
  }
  return { x, y, hit: e };
};

// aim tries all points; the first that works wins.
const aim = (el) => {
  let first = null;
  let second = null;
  for (const [x, y] of pointsOf(el)) {
    const p = probe(el, x, y);
    if (p.hit && !nested(el, p.hit)) return { ok: p, at: [x, y] };
    if (p.hit && !second) second = { ok: p, at: [x, y] };
    if (!first) first = p.hit ? { by: p.hit } : p;
  }
  // A label that is all link would follow the link.
  if (second && tagOf(el) !== 'label') return second;
  return first ? { bad: first } : { none: true };
};

// bring scrolls until a point of el can be touched, past bars and overlays
// that stay when the page scrolls.
const bring = (el) => {
  let a = aim(el);
  if (a.ok) return a;
  const target = tagOf(el) === 'option' ? closestSel(el, 'select') : el;
  const bad = a.bad;
  for (const block of ['center', 'start', 'end', 'nearest']) {
    target.scrollIntoView({ block, inline: 'nearest', behavior: 'instant' });
    a = aim(el);
    if (a.ok) { a.scrolled = true; return a; }
  }
  target.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  a = aim(el);
  if (a.ok) { a.scrolled = true; return a; }
  return a.none && bad ? { bad } : a;
};
