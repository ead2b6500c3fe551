// The one entry: an operation by name, on an element, the document, or an
// option looked at before.
//
// What asks for the outcome of an action asks the watch, not the element: that
// may be gone by then, and the watch alone knows whether it was pressed before.
const AFTER = new Set(['pointed', 'typed', 'filled', 'put', 'digit', 'caret', 'scrolledBy', 'wake']);

Object.defineProperty(globalThis, '__webhandAct', {
  value: (name, el, o) => {
    if (typeof el === 'number') el = stash[el];
    if ((el === null || el === undefined) && !AFTER.has(name)) return { fault: { reason: 'stale', what: '' } };
    return ops[name](el, o || {});
  },
});
