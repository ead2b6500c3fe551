// What the caller may use in this world.
let lastKey = '';
let lastGeneration = -1;
let lastTime = 0;

// Listener kinds that make an element a target.
const LISTENS = { click: 1, mousedown: 2, mouseup: 4, pointerdown: 8, pointerup: 16, dblclick: 32, contextmenu: 64, touchstart: 128, touchend: 256, dragstart: 512 };

const api = {
  token,
  // walk writes the page out; "=" when nothing changed since the same walk.
  walk(o) {
    const key = JSON.stringify([o.full, o.md, o.margin, o.text, o.max]);
    const age = now() - lastTime;
    if (o.since && o.since === token + generation && key === lastKey && lastGeneration === generation && age < o.age) return '=' + token + generation;
    const s = walk(o);
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
  listens(el, bits) {
    if (el && (listenersOf.get(el) || 0) !== bits) {
      listenersOf.set(el, bits);
      generation++;
      return true;
    }
    return false;
  },
  within, deepest, flatParent, shadowOf, sameTarget,
};
Object.defineProperty(globalThis, '__webhand', { value: api });
return token;
