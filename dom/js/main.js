// What the caller may use in this world.
let lastKey = '';
let lastGeneration = -1;
let lastTime = 0;
let lastScroll = '';
let lastScrollers = [];

// A long answer is fetched in parts: what Chrome makes of a string on its way
// out is made several times, and memory for a long one is fresh each time.
// Parts of this size cost a quarter of the whole at once.
const PART = 65536;
let answer = '';

// cutAt is where part i begins, which is not within a pair of UTF-16.
const cutAt = (i) => {
  const n = i * PART;
  return n < answer.length && (answer.charCodeAt(n) & 0xfc00) === 0xdc00 ? n - 1 : n;
};
const part = (i) => answer.slice(cutAt(i), cutAt(i + 1));

const inParts = (s) => {
  if (s.length <= PART) return s;
  answer = s;
  return '+' + Math.ceil(s.length / PART) + '|' + part(0);
};

// scrolledTo is how far things are scrolled: a page hears of it a frame later.
const scrolledTo = (refs) => refs.map((r) => {
  const el = r.deref();
  return el ? scrollLeft(el) + ',' + scrollTop(el) : '';
}).join(' ');

const api = {
  token,
  // walk writes the page out; "=" when nothing changed since the same walk,
  // "!" when there is no such branch, "+n|" before the first of n parts.
  walk(o) {
    const key = JSON.stringify([o.full, o.md, o.facts, o.margin, o.text, o.max]);
    const age = now() - lastTime;
    if (o.since && o.branch === '' && o.since === token + generation && key === lastKey && lastGeneration === generation && age < o.age && lastScroll === scrolledTo(lastScrollers)) return '=' + token + generation;
    const s = walk(o);
    if (!o.md && o.branch === '') {
      lastKey = key;
      lastGeneration = generation;
      lastTime = now();
      lastScrollers = scrollers.map((el) => new WeakRef(el));
      lastScroll = scrolledTo(lastScrollers);
    }
    scrollers = [];
    return inParts(s);
  },
  // part gives the part i of the last walk; after the last there is none.
  part(i) {
    const s = part(i);
    if ((i + 1) * PART >= answer.length) answer = '';
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
