// Safe accessors, element references and the change counter.
//
// The page cannot reach this world's prototypes, but a form answers any
// property with one of its fields and a document with one of its images, so
// whatever is read from a node that may be one of those goes through the
// prototype's own accessor.
const un = (f) => Function.prototype.call.bind(f);
const getter = (proto, name) => un(Object.getOwnPropertyDescriptor(proto, name).get);
const NP = Node.prototype;
const EP = Element.prototype;
const DP = Document.prototype;
const SP = ShadowRoot.prototype;
const nodeType = getter(NP, 'nodeType');
const firstChild = getter(NP, 'firstChild');
const nextSibling = getter(NP, 'nextSibling');
const prevSibling = getter(NP, 'previousSibling');
const parentNode = getter(NP, 'parentNode');
const textContent = getter(NP, 'textContent');
const isConnected = getter(NP, 'isConnected');
const ownerDocument = getter(NP, 'ownerDocument');
const getRootNode = un(NP.getRootNode);
const data = getter(CharacterData.prototype, 'data');
const firstElement = getter(EP, 'firstElementChild');
const nextElement = getter(EP, 'nextElementSibling');
const prevElement = getter(EP, 'previousElementSibling');
const childCount = getter(EP, 'childElementCount');
const getAttribute = un(EP.getAttribute);
const hasAttributes = un(EP.hasAttributes);
const hasAttribute = un(EP.hasAttribute);
const attributeNames = un(EP.getAttributeNames);
const matches = un(EP.matches);
const closest = un(EP.closest);
const rectOf = un(EP.getBoundingClientRect);
const rectsOf = un(EP.getClientRects);
const checkVisibility = un(EP.checkVisibility);
const openRoot = getter(EP, 'shadowRoot');
const assignedSlot = getter(EP, 'assignedSlot');
const queryAll = un(EP.querySelectorAll);
const scrollTop = getter(EP, 'scrollTop');
const scrollLeft = getter(EP, 'scrollLeft');
const scrollWidth = getter(EP, 'scrollWidth');
const scrollHeight = getter(EP, 'scrollHeight');
const clientWidth = getter(EP, 'clientWidth');
const clientHeight = getter(EP, 'clientHeight');
const clientTop = getter(EP, 'clientTop');
const clientLeft = getter(EP, 'clientLeft');
const host = getter(SP, 'host');
const assignedNodes = un(HTMLSlotElement.prototype.assignedNodes);
const offsetParent = getter(HTMLElement.prototype, 'offsetParent');
const childList = getter(EP, 'children');
const tabIndex = getter(HTMLElement.prototype, 'tabIndex');
const docElement = getter(DP, 'documentElement');
const docBody = getter(DP, 'body');
const docTitle = getter(DP, 'title');
const docURL = getter(DP, 'URL');
const docBase = getter(NP, 'baseURI');
const docActive = getter(DP, 'activeElement');
const docView = getter(DP, 'defaultView');
const docScroller = getter(DP, 'scrollingElement');
const docReady = getter(DP, 'readyState');
const docType = getter(DP, 'contentType');
const docQueryAll = un(DP.querySelectorAll);
const rootQueryAll = un(DocumentFragment.prototype.querySelectorAll);
const docByTag = un(DP.getElementsByTagName);
const fromPoint = un(DP.elementFromPoint);
const rootActive = getter(SP, 'activeElement');
const rootFromPoint = un(SP.elementFromPoint);
const byId = { doc: un(DP.getElementById), root: un(DocumentFragment.prototype.getElementById) };
const styleOf = getComputedStyle.bind(window);
const now = performance.now.bind(performance);

const ELEMENT = 1;
const TEXT = 3;
const DOCUMENT = 9;
const FRAGMENT = 11;

// token names this document for as long as this world lives.
const token = Array.from(crypto.getRandomValues(new Uint32Array(2)), (n) => n.toString(36)).join('');

// Element references: a number is given out once and never again.
const refOf = new WeakMap();
const byRef = [null];
const refNumber = (el) => {
  let n = refOf.get(el);
  if (n === undefined) {
    n = byRef.length;
    refOf.set(el, n);
    byRef.push(new WeakRef(el));
  }
  return n;
};

// live returns the element of a reference if it is still in a shown document.
const live = (ref) => {
  const w = byRef[ref];
  const el = w && w.deref();
  return el && isConnected(el) && docView(ownerDocument(el)) ? el : null;
};

const closedRoots = new WeakMap(); // host -> closed shadow root handed in from outside
const checkedHosts = new WeakSet(); // hosts already asked about
let listenerCount = 0;
const listenersOf = new WeakMap(); // element -> listener bits handed in from outside
const frameIdOf = new WeakMap(); // frame element -> id of the cross-process frame in it
const secrets = new WeakSet(); // fields that were a password once

let closedCount = 0;
const shadowOf = (el) => openRoot(el) || (closedCount !== 0 && closedRoots.get(el)) || null;

// flatParent climbs the tree as it is rendered: slots, shadow hosts, no frames.
const flatParent = (n) => {
  if (nodeType(n) === ELEMENT) {
    const s = assignedSlot(n);
    if (s) return s;
  }
  const p = parentNode(n);
  if (p && nodeType(p) === FRAGMENT) return host(p);
  return p;
};

// The change counter. What only CSS does (hover, animations) escapes it;
// callers bound the age of what they keep.
let generation = 1;
const bump = () => { generation++; };
let mutations = 0;
const observer = new MutationObserver(() => { generation++; mutations++; });
const observed = new WeakSet();
const EVENTS = ['scroll', 'resize', 'input', 'change', 'focusin', 'focusout', 'toggle', 'load', 'error',
  'transitionend', 'animationend', 'readystatechange', 'fullscreenchange', 'slotchange', 'close',
  // What CSS shows on hovering or pressing changes nothing in the tree.
  'mouseover', 'mouseout', 'mousedown', 'mouseup', 'keydown', 'keyup', 'wheel'];
const observe = (root) => {
  if (observed.has(root)) return;
  observed.add(root);
  observer.observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
  const at = nodeType(root) === DOCUMENT ? docView(root) || root : root;
  for (const e of EVENTS) EventTarget.prototype.addEventListener.call(at, e, bump, { capture: true, passive: true });
};

// squash collapses white space as rendering does and drops what cannot be seen.
const ODD = /[\u0000-\u001f\u007f-\u00a0\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]|  |^ | $/;
const squash = (s) => {
  if (!ODD.test(s)) return s;
  return s.replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\u0000-\u0008\u000e-\u001f\u007f-\u009f]/g, '')
    .replace(/[\s\u00a0]+/g, ' ').trim();
};
