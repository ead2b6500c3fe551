// Scrolling: what scrolls, how far it went, what is left.

const scrollsY = (n) => /(auto|scroll|overlay)/.test(styleOf(n).overflowY) && n.scrollHeight > n.clientHeight + 1;
const scrollsX = (n) => /(auto|scroll|overlay)/.test(styleOf(n).overflowX) && n.scrollWidth > n.clientWidth + 1;

const pageScroller = (doc) => doc.scrollingElement || doc.documentElement;

// pageScrolls: overflow hidden on the root keeps a person from scrolling it.
const pageScrolls = (doc, sideways) => {
  const s = pageScroller(doc);
  const fixed = (n) => n && /(hidden|clip)/.test(sideways ? styleOf(n).overflowX : styleOf(n).overflowY);
  if (fixed(doc.documentElement) || doc.body && styleOf(doc.documentElement).overflowY === 'visible' && fixed(doc.body)) return false;
  return sideways ? s.scrollWidth > s.clientWidth + 1 : s.scrollHeight > s.clientHeight + 1;
};

// scrollerOf finds the box that moves for el: el itself, the nearest around
// it, or the document it is in.
const scrollerOf = (el, sideways) => {
  const can = sideways ? scrollsX : scrollsY;
  if (tagOf(el) === 'iframe' || tagOf(el) === 'frame') {
    let d = null;
    try { d = el.contentDocument; } catch { /* another process */ }
    if (d) return main(d, sideways);
  }
  for (let n = el; n; n = up(n)) if (isElement(n) && n !== docOf(n).documentElement && n !== docOf(n).body && can(n)) return n;
  const doc = docOf(el);
  if (pageScrolls(doc, sideways)) return pageScroller(doc);
  const fe = frameOf(viewOf(el));
  return fe ? scrollerOf(fe, sideways) : main(doc, sideways);
};

// main is what scrolls a document: the page, or the biggest box that does.
const main = (doc, sideways) => {
  if (pageScrolls(doc, sideways)) return pageScroller(doc);
  const w = doc.defaultView;
  const can = sideways ? scrollsX : scrollsY;
  let e = doc.elementFromPoint(w.innerWidth / 2, w.innerHeight / 2);
  for (; e; e = up(e)) if (isElement(e) && e !== doc.body && e !== doc.documentElement && can(e)) return e;
  let best = null;
  let area = 0;
  for (const n of doc.querySelectorAll('*')) {
    if (n.clientHeight < 40 || n.scrollHeight <= n.clientHeight + 1 && n.scrollWidth <= n.clientWidth + 1 || !can(n) || !seen(n)) continue;
    const a = n.clientWidth * n.clientHeight;
    if (a > area) { area = a; best = n; }
  }
  return best || pageScroller(doc);
};

const isPage = (n) => n === pageScroller(docOf(n));

const whereabouts = (n) => {
  const page = isPage(n);
  const view = page ? viewOf(n).innerHeight : n.clientHeight;
  const wide = page ? viewOf(n).innerWidth : n.clientWidth;
  return {
    what: page ? 'the page' : describe(n), page,
    above: n.scrollTop, below: Math.max(0, n.scrollHeight - n.clientHeight - n.scrollTop),
    left: Math.abs(n.scrollLeft), right: Math.max(0, n.scrollWidth - n.clientWidth - Math.abs(n.scrollLeft)), view, wide,
  };
};

ops.scroll = (el, o) => {
  const doc = el.nodeType === 9;
  if (!doc) {
    if (!isLinked(el)) return fault('stale', el);
  }
  const sideways = o.sideways || o.dx !== 0 && o.dy === 0 && o.pages === 0;
  const n = doc ? main(el, sideways) : scrollerOf(el, sideways);
  const at = whereabouts(n);
  let dx = o.dx;
  let dy = o.dy;
  if (o.pages) {
    if (sideways) dx += o.pages * at.wide;
    else dy += o.pages * at.view;
  }
  const [x0, y0] = [n.scrollLeft, n.scrollTop];
  const stuck = isPage(n) && !pageScrolls(docOf(n), sideways) && n.scrollHeight > n.clientHeight + 1;
  if (!stuck) n.scrollBy({ left: dx, top: dy, behavior: 'instant' });
  const out = whereabouts(n);
  out.dx = n.scrollLeft - x0;
  out.dy = n.scrollTop - y0;
  out.wantX = dx;
  out.wantY = dy;
  out.frozen = stuck;
  if (!out.dx && !out.dy) {
    const r = isPage(n) ? { left: 0, top: 0, width: out.wide, height: out.view } : rectOf(n);
    const e = doc || isPage(n) ? n : el;
    const b = e !== n && boxesOf(e)[0] || r;
    const w = viewOf(n);
    const cx = Math.min(Math.max(b.left + b.width / 2, 1), w.innerWidth - 2);
    const cy = Math.min(Math.max(b.top + b.height / 2, 1), w.innerHeight - 2);
    [out.x, out.y] = toRoot(n, cx, cy);
    const a = arm(n, {});
    a.from = [x0, y0];
    a.scroller = n;
  }
  return out;
};

ops.scrolledBy = async (el, o) => {
  const a = current;
  if (!a || !a.scroller) return { lost: true };
  const n = a.scroller;
  const t = await settle(o.wait);
  const out = Object.assign(whereabouts(n), { dx: n.scrollLeft - a.from[0], dy: n.scrollTop - a.from[1], changed: t.changed });
  disarm();
  return out;
};

ops.intoView = (el) => {
  if (!isLinked(el)) return fault('stale', el);
  const h = hiddenFault(el);
  if (h) return h;
  const n = scrollerOf(el, false);
  const [x0, y0] = [n.scrollLeft, n.scrollTop];
  el.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
  return Object.assign(whereabouts(n), { dx: n.scrollLeft - x0, dy: n.scrollTop - y0 });
};

// texts yields the shown text nodes of a document, its open shadow roots and
// its frames of this process, in order.
const texts = function* (root) {
  for (const n of root.childNodes) {
    if (n.nodeType === 3) yield n;
    else if (n.nodeType === 1) {
      const t = tagOf(n);
      if (t === 'script' || t === 'style' || t === 'noscript' || t === 'template') continue;
      const r = openRootOf(n);
      if (r) yield* texts(r);
      if (t === 'iframe' || t === 'frame') {
        let d = null;
        try { d = n.contentDocument; } catch { /* another process */ }
        if (d && d.documentElement) yield* texts(d);
      } else yield* texts(n);
    }
  }
};

// blockOf is the nearest block around a text: text is searched across inline
// elements, never across blocks.
const blockOf = (n) => {
  let e = up(n);
  while (e && isElement(e) && /^(inline|contents|ruby)/.test(styleOf(e).display)) e = up(e);
  return e;
};

// runs groups the shown texts by block, squashed, each with its nodes.
const runs = function* (doc) {
  let block = null;
  let nodes = [];
  let text = '';
  for (const n of texts(doc)) {
    if (!n.data.trim()) { if (nodes.length && /\s/.test(n.data)) text += ' '; continue; }
    const e = up(n);
    if (!e || !isElement(e) || !seen(e)) continue;
    const b = blockOf(n);
    if (b !== block) {
      if (nodes.length) yield { block, nodes, text };
      block = b;
      nodes = [];
      text = '';
    }
    nodes.push({ node: n, at: text.length });
    text += n.data;
  }
  if (nodes.length) yield { block, nodes, text };
};

ops.findText = (doc, o) => {
  const want = normal(o.text);
  if (!want) return { count: 0 };
  let count = 0;
  let hit = null;
  for (const run of runs(doc)) {
    const hay = normal(run.text);
    for (let i = hay.indexOf(want); i >= 0; i = hay.indexOf(want, i + want.length)) {
      count++;
      if (count === o.nth) hit = { run, i, hay };
    }
  }
  // What a field shows is text for whoever looks at it.
  const also = [];
  for (const f of docAll(doc, 'input,textarea,select')) {
    const v = f.type === 'password' || f.type === 'hidden' ? '' : tagOf(f) === 'select' ? Array.from(f.selectedOptions, (x) => x.label).join(' ') : f.value || attr(f, 'placeholder') || '';
    if (normal(v).includes(want) && seen(f)) also.push([f, v]);
  }
  if (!hit && o.nth - count <= also.length && o.nth > count) {
    const [f, v] = also[o.nth - count - 1];
    f.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
    return { count: count + also.length, text: cut(squash(v), 120), in: describe(f), ref: refFor(f) };
  }
  count += also.length;
  if (!hit) return { count };
  const { run, i, hay } = hit;
  // The node the hit begins in: positions of the squashed text are close
  // enough to the plain one to find it.
  const share = i / Math.max(1, hay.length) * run.text.length;
  let node = run.nodes[0].node;
  for (const p of run.nodes) if (p.at <= share + 1) node = p.node;
  const e = up(node);
  const range = docOf(node).createRange();
  const low = node.data.toLowerCase().indexOf(want.split(' ')[0]);
  range.setStart(node, Math.max(0, low));
  range.setEnd(node, node.data.length);
  e.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
  const r = range.getBoundingClientRect();
  const w = viewOf(e);
  if (r.height && (r.top < 0 || r.bottom > w.innerHeight)) scrollerOf(e, false).scrollBy({ top: r.top - w.innerHeight / 2, behavior: 'instant' });
  return { count, text: cut(hay.slice(Math.max(0, i - 40), i + want.length + 60), 160), in: describe(e), ref: refFor(e) };
};

const docAll = (doc, sel) => {
  const out = Array.from(doc.querySelectorAll(sel));
  return out;
};

const refFor = (e) => (globalThis.__webhand ? globalThis.__webhand.ref(e) : 0);
