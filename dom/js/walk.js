// run walks the flat tree below (and with) top without recursion: pages nest
// deeper than a call stack.
let stack = [];
let stackTop = -1;
const childrenOf = (el, c) => {
  const only = branch === null ? undefined : branch.get(el);
  if (only !== undefined) return { c, n: null, list: [only], i: 0, flow };
  const root = shadowOf(el);
  if (root) {
    observe(root);
    return { c, n: firstChild(root), list: null, i: 0, flow };
  }
  if (localName(el) === 'slot') {
    const list = assignedNodes(el);
    if (list.length) return { c, n: null, list, i: 0, flow };
  }
  if (localName(el) === 'details' && getAttribute(el, 'open') === null) {
    // Text that stands in a closed one by itself has boxes as if it showed.
    let x = firstChild(el);
    while (x && !(nodeType(x) === ELEMENT && localName(x) === 'summary')) x = nextSibling(x);
    return { c, n: null, list: x ? [x] : [], i: 0, flow };
  }
  if (near && !md && !c.svg && childCount(el) > 48) {
    const list = nearChildren(el, c);
    if (list) return { c, n: null, list, i: 0, flow };
  }
  return { c, n: firstChild(el), list: null, i: 0, flow };
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
      if (s.flow !== 0) {
        sep = true;
        if (s.flow === 3) brk = true;
        else if (s.flow === 2) soft = true;
        else if (md) space(s.c.outer);
      }
      continue;
    }
    const t = nodeType(n);
    if (out.length > 511) settle();
    if (t === TEXT) {
      text(n, s.c);
    } else if (t === ELEMENT) {
      const d = element(n, s.c);
      if (d) stack[++stackTop] = childrenOf(n, d);
    }
  }
  stack = saved;
  stackTop = savedTop;
};

// walk writes the page out: one pass over it as it is rendered.
function walk(o) {
  const started = now();
  begin(o);
  if (o.branch !== '' && !follow(o.branch)) return '!';
  const top = newFrame(document, null, null, 0, 0, 1, null);
  if (near && (top.scroll[3] > top.vh + margin || top.scroll[2] > top.vw + margin)) findMust(top);
  writeFrame(top);
  if (docElement(document)) run(docElement(document), contextOf(top, -1, null));

  // Hidden file fields are reached through their label, or the button nearest.
  if (!md && branch === null) hiddenFiles(frames, shown);
  if (o.facts) writeFacts(shown.keys());
  for (const [p, g] of gaps) out.push('g|' + p + '|' + g[0] + '|' + g[1]);

  const nodes = docByTag(document, '*').length;
  pending = { suspects, foreign: foreign.filter((e) => !frameIdOf.has(e)) };
  const first = ['W2', token, generation, mutations, top.vw, top.vh, Math.round(devicePixelRatio * 1000), ...top.scroll.map(R), nodes, visited,
    esc(well(docReady(document))), esc(well(docType(document))), partial, suspects.length, pending.foreign.length, untested, Math.round((now() - started) * 1000), unsaid].join('|');
  settle();
  return first + '\n' + written.join('\n');
}

let pending = { suspects: [], foreign: [] };

const position = un(NP.compareDocumentPosition);
const follows = (a, b) => (position(a, b) & 4) !== 0;

const NO_FIELDS = [];
const fileFields = (doc) => (docByTag(doc, 'input').length === 0 ? NO_FIELDS : docQueryAll(doc, 'input[type=file i]'));

function hiddenFiles(frames, shown) {
  for (const fr of frames) {
    for (const f of fileFields(fr.doc)) {
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
