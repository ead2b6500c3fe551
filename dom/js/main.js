// What the caller may use in this world.
let lastKey = '';
let lastGeneration = -1;
let lastTime = 0;

const api = {
  token,
  // walk writes the page out; "=" when nothing changed since the same walk.
  walk(o) {
    const key = JSON.stringify([o.full, o.md, o.margin, o.text, o.max]);
    const age = now() - lastTime;
    if (o.since && o.since === token + generation && key === lastKey && lastGeneration === generation && age < o.age) return '=' + token + generation;
    const s = walk(o);
    if (o.md) return s;
    lastKey = key;
    lastGeneration = generation;
    lastTime = now();
    return s;
  },
  generation: () => token + generation,
  el: (ref) => live(ref),
  refs: (refs) => refs.map(live),
  ref: (el) => refNumber(el),
  suspects: () => pending.suspects,
  foreign: () => pending.foreign,
  adopt(el, root) {
    if (el && root && !openRoot(el)) {
      if (!closedRoots.has(el)) closedCount++;
      closedRoots.set(el, root);
      observe(root);
      generation++;
    }
  },
  nameFrame(el, id) {
    if (el && frameIdOf.get(el) !== id) {
      frameIdOf.set(el, id);
      generation++;
    }
  },
  // listens takes elements and, beside them, the kinds they listen for.
  listens(bits, ...els) {
    els.forEach((el, i) => {
      if (el && nodeType(el) === ELEMENT && (listenersOf.get(el) || 0) !== bits[i]) {
        listenersOf.set(el, bits[i]);
        listenerCount++;
        generation++;
      }
    });
  },
  identify,
  within, deepest, flatParent, shadowOf, sameTarget,
};
Object.defineProperty(globalThis, '__webhand', { value: api });
return token;
