// One branch of the page: the way to an element that was identified before and
// what is below it. A replay that finds it in its old place need not look at
// the rest, if nothing else in the document can be taken for it.

let branch = null; // element -> its only child to go into, while one is walked

// atPath returns the element at a path as pathFinder gives them, null where
// there is none or the path leads through a shadow tree.
const atPath = (path) => {
  const steps = path.split('/');
  let el = docElement(document);
  for (let i = 0; el && i < steps.length; i++) {
    const [, tag, n] = /^([^[]+)(?:\[(\d+)\])?$/.exec(steps[i]) || [];
    if (!tag || shadowOf(el)) return null;
    let left = +n || 1;
    if (i > 0) el = firstElement(el);
    for (; el; el = nextElement(el)) if (localName(el) === tag && --left === 0) break;
  }
  return el && pathFinder()(el) === path ? el : null;
};

// samePlace reports that the same tags lead to both.
const samePlace = (a, b) => {
  for (; a !== b; a = parentNode(a), b = parentNode(b)) if (!a || !b || localName(a) !== localName(b)) return false;
  return true;
};

// hasTwin reports that an element other than el stands below the same tags and
// has all the attributes of el that identify it; its class and name may differ.
const hasTwin = (el) => {
  const mine = [];
  eachFact(el, (name) => { if (name !== 'class') mine.push([name, getAttribute(el, name)]); });
  const all = docByTag(document, localName(el));
  for (let i = 0, n = all.length; i < n; i++) {
    const x = all[i];
    if (x !== el && mine.every(([k, v]) => getAttribute(x, k) === v) && samePlace(el, x)) return true;
  }
  return false;
};

// follow makes the walk take the branch to the element at path. It reports
// whether that shows as much of the element as the walk of the whole page.
const follow = (path) => {
  const el = atPath(path);
  // A file field is told of by the button that stands for it.
  if (!el || fileFields(document).length > 0 || hasTwin(el)) return false;
  branch = new Map();
  for (let x = el, p = parentNode(x); p && nodeType(p) === ELEMENT; x = p, p = parentNode(p)) branch.set(p, x);
  return true;
};
