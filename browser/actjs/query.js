// Looking for texts and elements.

const showsText = (doc, want) => {
  for (const run of runs(doc)) if (normal(run.text).includes(want)) return true;
  return docAll(doc, 'input,textarea').some((f) => f.type !== 'password' && f.type !== 'hidden' && normal(f.value).includes(want) && seen(f));
};

// everywhere yields a document and all that lies in it: open shadow roots and
// the frames of this process.
const everywhere = function* (root) {
  yield root;
  for (const n of root.querySelectorAll('*')) {
    const r = openRootOf(n);
    if (r) yield* everywhere(r);
    const t = tagOf(n);
    if (t === 'iframe' || t === 'frame') {
      let d = null;
      try { d = n.contentDocument; } catch { /* another process */ }
      if (d && d.documentElement) yield* everywhere(d);
    }
  }
};

ops.present = async (doc, o) => {
  if (o.selector) {
    try { doc.querySelector(o.selector); } catch { return fault('bad-selector', doc.documentElement, null); }
  }
  const test = () => {
    let sel = !o.selector;
    if (o.selector) {
      for (const root of everywhere(doc)) for (const e of root.querySelectorAll(o.selector)) if (seen(e) && boxesOf(e).length) sel = true;
    }
    return { text: !o.text || showsText(doc, normal(o.text)), gone: !o.gone || !showsText(doc, normal(o.gone)), selector: sel };
  };
  const ok = (r) => (r.text || !o.needText) && r.gone && (r.selector || !o.needSelector);
  let r = test();
  if (ok(r) || !o.wait) return r;
  await new Promise((resolve) => {
    const mo = new MutationObserver(() => { r = test(); if (ok(r)) end(); });
    const tick = setInterval(() => { r = test(); if (ok(r)) end(); }, 100);
    const t = setTimeout(() => { r = test(); end(); }, o.wait);
    const end = () => { mo.disconnect(); clearTimeout(t); clearInterval(tick); resolve(); };
    mo.observe(doc, { subtree: true, childList: true, characterData: true, attributes: true });
  });
  return r;
};

// identity is what an element is to whoever planned to use it: as it is shown,
// and as it was written. Numbers may count up in a button, but a row of a list
// is what its text says.
ops.identity = (el) => {
  if (!isLinked(el)) return fault('stale', el);
  const row = around(el, 'li,tr,[role=row],[role=listitem],[role=option],[role=gridcell],[role=treeitem]');
  const say = (raw) => {
    const name = cut(nameOf(el, raw), 80);
    return tagged(el) + quoted(row ? name : name.replace(/\d+/g, '#'));
  };
  return { shown: say(false), written: say(true), skipped: skipped(el) };
};

// inherited is the address that counts for a document made by its page
// (about:blank, srcdoc): that of the document around it.
const inherited = (doc) => {
  let d = doc;
  while (/^about:/.test(d.URL)) {
    const fe = frameOf(d.defaultView);
    if (!fe) break;
    d = docOf(fe);
  }
  return d.URL;
};

ops.document = (el) => ({ url: inherited(docOf(fieldOf(el) || el)) });

ops.focusDocument = (doc) => {
  const f = deepActive(doc);
  if (!f) return { url: doc.URL, remote: false };
  const frame = tagOf(f) === 'iframe' || tagOf(f) === 'frame';
  let inner = null;
  if (frame) { try { inner = f.contentDocument; } catch { /* another process */ } }
  return { url: inherited(inner || docOf(f)), remote: frame && !inner };
};

ops.hasFocus = (doc) => ({ has: doc.hasFocus() && !!doc.activeElement });

// pathOf says where an element is: tags with id or class, up to the body.
const pathOf = (e) => {
  const parts = [];
  for (let n = e; n && isElement(n) && tagOf(n) !== 'body' && parts.length < 6; n = up(n)) {
    let t = tagOf(n);
    const id = attr(n, 'id');
    if (id) t += '#' + cut(id, 30);
    else {
      const c = (attr(n, 'class') || '').trim().split(/\s+/).filter(Boolean).slice(0, 2);
      if (c.length) t += '.' + c.map((x) => cut(x, 20)).join('.');
    }
    parts.unshift(t);
    if (id) break;
  }
  return parts.join(' > ') || 'body';
};

let found = []; // the runs of the last blockTexts

// spotsOf are the points between which a drag selects the characters from to
// to of a run's squashed text, in the coordinates of mouse events.
const spotsOf = (run, from, to) => {
  let first = -1;
  let last = -1;
  for (let i = 0, n = 0, blank = true; i < run.text.length && last < 0; i++) {
    const c = run.text[i];
    const white = /\s/.test(c);
    if (!white && squash(c) === '' || white && blank) continue;
    blank = white;
    if (n === from) first = i;
    if (n === to - 1) last = i;
    n++;
  }
  if (first < 0 || last < 0) return null;
  const box = (i, end) => {
    let p = run.nodes[0];
    for (const q of run.nodes) if (q.at <= i) p = q;
    if (!isLinked(p.node)) return null;
    const at = Math.min(i - p.at, p.node.data.length - 1);
    const r = docOf(p.node).createRange();
    r.setStart(p.node, at);
    r.setEnd(p.node, at + 1);
    const rs = Array.from(r.getClientRects()).filter((x) => x.height > 0);
    return rs.length ? toRoot(up(p.node), end ? rs[rs.length - 1].right : rs[0].left, (rs[0].top + rs[0].bottom) / 2) : null;
  };
  const a = box(first, false);
  const b = box(last, true);
  return a && b ? [Math.floor(a[0]), Math.round(a[1]), Math.ceil(b[0]), Math.round(b[1])] : null;
};

// blockTexts are the texts the document shows, block by block.
ops.blockTexts = (doc, o) => {
  let scopes = null;
  if (o.scope) {
    try { scopes = []; for (const root of everywhere(doc)) scopes.push(...root.querySelectorAll(o.scope)); } catch { return fault('bad-selector', doc.documentElement, null); }
  }
  found = [];
  const out = [];
  for (const run of runs(doc)) {
    if (scopes && !scopes.some((s) => holds(s, run.nodes[0].node))) continue;
    found.push(run);
    out.push(squash(run.text));
  }
  return { texts: out, scoped: scopes ? scopes.length : -1 };
};

ops.blockPaths = (doc, o) => {
  const block = (i) => (found[i] ? found[i].block || doc.body : null);
  return {
    paths: o.at.map((i) => (block(i) && isLinked(block(i)) ? pathOf(block(i)) : '')),
    refs: o.at.map((i) => (block(i) ? refFor(block(i)) : 0)),
    spots: o.at.map((i, k) => (found[i] ? spotsOf(found[i], o.spans[k][0], o.spans[k][1]) : null)),
  };
};

// elements lists what answers to a CSS selector, everywhere in the document.
ops.elements = (doc, o) => {
  const all = [];
  try { for (const root of everywhere(doc)) all.push(...root.querySelectorAll(o.selector)); } catch { return fault('bad-selector', doc.documentElement, null); }
  const url = (e, a, v) => {
    if (!/^(href|src|action|poster)$/.test(a) || !v) return v;
    try { return new URL(v, docOf(e).baseURI).href; } catch { return v; }
  };
  return {
    total: all.length,
    list: all.slice(0, o.max).map((e) => {
      const attrs = {};
      for (const a of o.attributes || []) {
        // What a password field holds is nobody's business.
        if (a === 'value' && isSecret(e)) continue;
        const v = attr(e, a);
        if (v !== null) attrs[a] = cut(url(e, a, v), 500);
      }
      return {
        tag: tagOf(e), text: o.text ? cut(squash(typeof e.innerText === 'string' ? e.innerText : textOf(e)), 120) : '',
        attrs, children: e.childElementCount, shown: seen(e) && boxesOf(e).length > 0, ref: refFor(e),
      };
    }),
  };
};
