// The one entry: an operation by name, on an element, the document, or an
// option looked at before.
Object.defineProperty(globalThis, '__webhandAct', {
  value: (name, el, o) => {
    if (typeof el === 'number') el = stash[el];
    if (el === null || el === undefined) return { fault: { reason: 'stale', what: '' } };
    return ops[name](el, o || {});
  },
});
