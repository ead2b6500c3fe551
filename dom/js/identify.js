// What tells an element from all others in a later page: where it stands, by
// its own document, and the attributes that do not change with its state.
const STATIC = set('class id name type placeholder aria-label title role data-testid data-test data-cy data-qa data-id for href rel target alt src action accept list value aria-labelledby aria-describedby aria-controls autocomplete inputmode');

const segmentOf = (el) => {
  const tag = localName(el);
  let before = 0;
  let more = false;
  for (let p = prevElement(el); p; p = prevElement(p)) if (localName(p) === tag) before++;
  for (let p = nextElement(el); p && !more; p = nextElement(p)) more = localName(p) === tag;
  return before || more ? tag + '[' + (before + 1) + ']' : tag;
};

// pathFinder gives paths from the root of an element's document; shadow roots
// are passed through, marked by //.
const pathFinder = () => {
  const paths = new Map();
  const pathOf = (el) => {
    const known = paths.get(el);
    if (known !== undefined) return known;
    const p = parentNode(el);
    let s = segmentOf(el);
    if (p && nodeType(p) === ELEMENT) s = pathOf(p) + '/' + s;
    else if (p && nodeType(p) === FRAGMENT && host(p)) s = pathOf(host(p)) + '//' + s;
    paths.set(el, s);
    return s;
  };
  return (el) => {
    let depth = 0;
    for (let p = el; p && depth < 3000; p = parentNode(p)) depth++;
    return depth < 3000 ? well(pathOf(el)) : '';
  };
};

// eachFact calls f with the attributes that say which element it is.
const eachFact = (el, f) => {
  for (const name of attributeNames(el)) {
    if (!STATIC.has(name)) continue;
    if (name === 'value' && !/^(radio|checkbox|submit|button|reset)$/.test(el.type || '') && localName(el) !== 'option') continue;
    const v = getAttribute(el, name);
    if (v.length <= 500 && !v.startsWith('data:')) f(well(name), well(v));
  }
};

// identify returns for each reference null, or its path and attributes.
const identify = (refs) => {
  const pathOf = pathFinder();
  return refs.map((ref) => {
    const el = live(ref);
    if (!el) return null;
    const attrs = {};
    eachFact(el, (k, v) => { attrs[k] = v; });
    return { ref, tag: localName(el), path: pathOf(el), attrs };
  });
};

// writeFacts writes the same into the walk.
function writeFacts(els) {
  const pathOf = pathFinder();
  for (const el of els) {
    let s = 'i|' + refNumber(el) + '|' + esc(localName(el)) + '|' + esc(pathOf(el));
    eachFact(el, (k, v) => { s += '|' + esc(k) + '|' + esc(v); });
    out.push(s);
  }
}
