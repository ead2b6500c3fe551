// The one entry: an operation by name, on an element (or the document).
Object.defineProperty(globalThis, '__webhandAct', {
  value: (name, el, o) => {
    if (el === null || el === undefined) return { fault: { reason: 'stale', what: '' } };
    return ops[name](el, o || {});
  },
});
