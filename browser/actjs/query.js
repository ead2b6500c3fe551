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

// identity is what an element is to whoever planned to use it. Numbers may
// count up in a button, but a row of a list is what its text says.
ops.identity = (el) => {
  if (!isLinked(el)) return fault('stale', el);
  let name = cut(nameOf(el), 80);
  if (!around(el, 'li,tr,[role=row],[role=listitem],[role=option],[role=gridcell],[role=treeitem]')) name = name.replace(/\d+/g, '#');
  return { identity: describe(el).replace(/ ".*$/s, '') + (name ? ' "' + name.replace(/"/g, "'") + '"' : '') };
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
