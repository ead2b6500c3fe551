// Patience: what stands in the way may go by itself. A veil lifts, a button is
// enabled when the field before it is left, a list is filled by the server.

const PASSING = /^(covered|disabled|hidden|off-screen|inert|pointer-events|read-only|not-found)$/;
const PATIENCE = 400; // ms on a page that rests
const WHILE_ASTIR = 1500; // ms on one where something is going on

// patient tries until there is no fault, or none that could pass. attempt is
// told the reason of the last fault.
const patient = async (el, attempt, o = {}) => {
  let r = attempt('');
  if (!r.fault || !PASSING.test(r.fault.reason)) return r;
  if (o.click) letGo(el);
  let stirred = false;
  const mo = new MutationObserver(() => { stirred = true; });
  mo.observe(docOf(el), { subtree: true, childList: true, characterData: true, attributes: true });
  const start = performance.now();
  const limit = () => (stirred || isAstir(el) ? WHILE_ASTIR : r.fault.reason === 'not-found' ? 2 * PATIENCE : PATIENCE);
  try {
    while (r.fault && PASSING.test(r.fault.reason) && performance.now() - start < limit()) {
      await new Promise((f) => setTimeout(f, 20));
      r = attempt(r.fault.reason);
    }
  } finally {
    mo.disconnect();
  }
  return r;
};

// letGo takes the focus out of a field, as a press elsewhere would: pages check
// what was typed, and close what they suggested, when a field is left.
const letGo = (el) => {
  const f = deepActive(topDoc(el));
  if (isElement(f) && matchesSel(f, FIELD) && !holds(el, f)) f.blur();
};

// isAstir reports whether the page is loading, or shows that it is at work.
const isAstir = (el) => {
  const doc = docOf(el);
  return doc.readyState !== 'complete' || !!doc.querySelector('[aria-busy=true]')
    || doc.getAnimations().some((a) => a.playState === 'running');
};
