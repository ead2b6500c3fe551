// The tree as it is rendered, and words for elements.
//
// The page cannot reach this world's prototypes, but a form answers any
// property with one of its fields, so what is read from a node that may be a
// form goes through the prototype's own accessor.
const ops = {};
const un = (f) => Function.prototype.call.bind(f);
const getter = (proto, name) => un(Object.getOwnPropertyDescriptor(proto, name).get);
const parentOf = getter(Node.prototype, 'parentNode');
const rootOf = un(Node.prototype.getRootNode);
const docOf = getter(Node.prototype, 'ownerDocument');
const isLinked = getter(Node.prototype, 'isConnected');
const slotOf = getter(Element.prototype, 'assignedSlot');
const attr = un(Element.prototype.getAttribute);
const matchesSel = un(Element.prototype.matches);
const closestSel = un(Element.prototype.closest);
const rectOf = un(Element.prototype.getBoundingClientRect);
const rectsOf = un(Element.prototype.getClientRects);
const queryAll = un(Element.prototype.querySelectorAll);
const tagOf = localName; // the walker's, see dom.TagSource
const textOf = getter(Node.prototype, 'textContent');
const openRootOf = getter(Element.prototype, 'shadowRoot');

const isElement = (n) => !!n && n.nodeType === 1;
const viewOf = (el) => docOf(el).defaultView;
const styleOf = (el) => viewOf(el).getComputedStyle(el);

// up climbs the rendered tree: slots and shadow hosts, no frames.
const up = (n) => {
  if (n.nodeType === 1) {
    const s = slotOf(n);
    if (s) return s;
  }
  const p = parentOf(n);
  return p && p.nodeType === 11 ? p.host || null : p;
};

// holds reports whether inner is el or rendered inside it.
const holds = (el, inner) => {
  for (let n = inner; n; n = up(n)) if (n === el) return true;
  // A closed shadow root does not tell from outside which slot a child is in.
  const root = rootOf(el);
  if (root.nodeType === 11 && root.mode === 'closed') {
    for (const s of queryAll(el, 'slot')) {
      for (const a of s.assignedNodes({ flatten: true })) if (a.contains(inner)) return true;
    }
  }
  return false;
};

// around returns the nearest element, el included, that matches the selector.
const around = (el, selector) => {
  for (let n = el; n; n = up(n)) if (isElement(n) && matchesSel(n, selector)) return n;
  return null;
};

// deepActive is the element with the focus, through shadow roots and frames.
const deepActive = (doc) => {
  let a = doc.activeElement;
  for (;;) {
    if (!a) return null;
    const root = openRootOf(a);
    if (root && root.activeElement) { a = root.activeElement; continue; }
    if (tagOf(a) === 'iframe' || tagOf(a) === 'frame') {
      let inner = null;
      try { inner = a.contentDocument; } catch { /* another process */ }
      if (inner && inner.activeElement && (inner.activeElement !== inner.body || inner.body.isContentEditable || inner.designMode === 'on')) { a = inner.activeElement; continue; }
    }
    return a;
  }
};

// isActive reports whether el has the focus, also inside closed shadow roots
// and frames.
const isActive = (el) => {
  for (let n = el; n;) {
    const root = rootOf(n);
    if (root.activeElement !== n) return false;
    n = root.nodeType === 11 ? root.host : frameOf(root.defaultView);
  }
  return true;
};

const topDoc = (el) => {
  let w = viewOf(el);
  for (;;) {
    const fe = frameOf(w);
    if (!fe) return w.document;
    w = viewOf(fe);
  }
};

const frameOf = (w) => {
  try { return w.frameElement; } catch { return null; }
};

const squash = (s) => s.replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]/g, '').replace(/[\s\u00a0]+/g, ' ').trim();
const cut = (s, n) => (s.length > n ? Array.from(s).slice(0, n).join('') + '…' : s);

const isSecret = (el) => tagOf(el) === 'input' && (el.type === 'password' || /one-time-code|cc-|password/.test(attr(el, 'autocomplete') || ''));

// labelled returns the control of a label, el itself otherwise.
const controlOf = (el) => {
  const l = around(el, 'label');
  if (!l) return null;
  if (l.control) return l.control;
  return null;
};

// nameOf is a short accessible name, good enough to recognise the element. With
// raw its text is taken as it was written, which stays the same when the
// element is scrolled into rendering.
const nameOf = (el, raw = false) => {
  const ids = attr(el, 'aria-labelledby');
  if (ids) {
    const root = rootOf(el);
    const t = ids.split(/\s+/).map((id) => root.getElementById && root.getElementById(id)).filter(Boolean).map(textOf).join(' ');
    if (squash(t)) return squash(t);
  }
  for (const a of ['aria-label', 'alt', 'title', 'placeholder']) {
    const v = attr(el, a);
    if (v && squash(v)) {
      if (a === 'title' || a === 'placeholder') {
        const t = labelText(el) || ownText(el, raw);
        if (t) return t;
      }
      return squash(v);
    }
  }
  return labelText(el) || ownText(el, raw) || attr(el, 'name') || '';
};
const labelText = (el) => (el.labels && el.labels.length ? squash(Array.from(el.labels, textOf).join(' ')) : '');
const ownText = (el, raw) => {
  const t = tagOf(el);
  if (t === 'input' && /^(submit|button|reset)$/.test(el.type)) return el.value;
  if (t === 'input' || t === 'textarea' || t === 'select' || t === 'html' || t === 'body') return '';
  if (!raw && typeof el.innerText === 'string' && !skipped(el)) return squash(cut(el.innerText, 200));
  return cut(squash(cut(textOf(el), 2000)), 200);
};

// skipped reports whether an element is left out of rendering until it comes
// near the view (content-visibility: auto); its innerText is empty until then.
const skipped = (el) => el.checkVisibility() && !el.checkVisibility({ contentVisibilityAuto: true });

// tagged says what an element is without its name: <button#id>.
const tagged = (el) => {
  let s = '<' + tagOf(el);
  const id = attr(el, 'id');
  if (id) s += '#' + cut(id, 30);
  else {
    const c = squash(attr(el, 'class') || '').split(' ')[0];
    if (c) s += '.' + cut(c, 30);
  }
  const role = attr(el, 'role');
  if (role) s += ' role=' + cut(role, 20);
  if (tagOf(el) === 'input') s += ' type=' + el.type;
  return s + '>';
};

const quoted = (name) => (name ? ' "' + name.replace(/"/g, "'") + '"' : '');

// describe says an element in a few words: <button#id> "Text".
const describe = (el) => (isElement(el) ? tagged(el) + quoted(cut(nameOf(el), 40)) : 'the page');
