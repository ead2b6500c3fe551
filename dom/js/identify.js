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

// identify returns for each reference null, or its path from the root of its
// document (shadow roots are passed through, marked by //) and its attributes.
const identify = (refs) => {
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
  return refs.map((ref) => {
    const el = live(ref);
    if (!el) return null;
    let depth = 0;
    for (let p = el; p && depth < 3000; p = parentNode(p)) depth++;
    const attrs = {};
    for (const name of attributeNames(el)) {
      if (!STATIC.has(name)) continue;
      if (name === 'value' && !/^(radio|checkbox|submit|button|reset)$/.test(el.type || '') && localName(el) !== 'option') continue;
      const v = getAttribute(el, name);
      if (v.length <= 500 && !v.startsWith('data:')) attrs[well(name)] = well(v);
    }
    return { ref, tag: localName(el), path: depth < 3000 ? well(pathOf(el)) : '', attrs };
  });
};
