// Lists that pages build themselves: listboxes, comboboxes, menus, trees.

const OPTION = '[role=option],[role=menuitem],[role=menuitemradio],[role=menuitemcheckbox],[role=treeitem]';
const LISTBOX = '[role=listbox],[role=menu],[role=tree],[role=menubar]';
const LOOSE = 'li,[class*=option i],[class*=item i],[data-value]';

// stash holds the options last looked at, for later operations on them.
let stash = [];
let known = new WeakSet();

const shown = (e) => seen(e) && boxesOf(e).length > 0;
const inTree = (el, sel) => {
  const out = [];
  for (const root of everywhere(docOf(el))) out.push(...root.querySelectorAll(sel));
  return out;
};

const byIds = (el) => {
  const root = rootOf(el);
  const ids = ((attr(el, 'aria-controls') || '') + ' ' + (attr(el, 'aria-owns') || '')).trim();
  return ids ? ids.split(/\s+/).map((id) => root.getElementById && root.getElementById(id)).filter(Boolean) : [];
};

// comboOf is the element that opens the list and shows the choice.
const comboOf = (el) => {
  const sel = '[role=combobox],[aria-haspopup=listbox],[aria-haspopup=menu],[aria-haspopup=true]';
  return around(el, sel) || queryAll(el, sel)[0] || el;
};

// skinned is the native list that el only decorates.
const skinned = (el) => {
  const inside = Array.from(queryAll(el, 'select'));
  if (inside.length === 1) return inside[0];
  if (matchesSel(el, LISTBOX + ',' + OPTION)) return null;
  const p = el.parentElement;
  if (!p || tagOf(p) === 'body' || tagOf(p) === 'form') {
    const prev = el.previousElementSibling;
    return prev && tagOf(prev) === 'select' && !prev.checkVisibility({ opacityProperty: true, visibilityProperty: true }) ? prev : null;
  }
  const near = Array.from(queryAll(p, 'select')).filter((s) => !seen(s) || rectOf(s).width <= 1 || rectOf(s).height <= 1);
  return near.length === 1 && queryAll(p, 'select').length === 1 ? near[0] : null;
};

const boxOf = (el) => {
  const own = around(el, LISTBOX);
  if (own && (own === el || matchesSel(el, OPTION))) return own;
  for (const b of byIds(comboOf(el))) {
    const l = matchesSel(b, LISTBOX) ? b : queryAll(b, LISTBOX)[0] || b;
    if (shown(l)) return l;
  }
  for (const l of queryAll(el, LISTBOX)) if (shown(l)) return l;
  return null;
};

const optionsIn = (box) => {
  let all = Array.from(queryAll(box, OPTION)).filter(shown);
  if (!all.length) all = Array.from(queryAll(box, 'li,[data-value],[class*=item i],[class*=option i]')).filter(shown);
  if (!all.length) all = Array.from(box.children).filter(shown);
  return all;
};

const isChosen = (o) => attr(o, 'aria-selected') === 'true' || attr(o, 'aria-checked') === 'true'
  || attr(o, 'aria-selected') === null && attr(o, 'aria-checked') === null && /(^|[\s_-])(selected|is-selected|active)($|\s)/.test(attr(o, 'class') || '');

const optionText = (o) => squash(attr(o, 'aria-label') || o.innerText || textOf(o));

const told = (el, list, box) => {
  stash = list;
  const combo = comboOf(el);
  return {
    what: describe(el), native: false, open: list.length > 0,
    multiple: !!box && attr(box, 'aria-multiselectable') === 'true',
    field: matchesSel(combo, 'input,textarea') || !!queryAll(el, 'input:not([type=hidden])').length,
    expanded: attr(combo, 'aria-expanded') || '', menu: !!box && /^menu/.test(attr(box, 'role') || ''),
    options: list.map((o) => ({ text: optionText(o), value: attr(o, 'data-value') || '', selected: isChosen(o), disabled: !!around(o, '[aria-disabled=true],:disabled') })),
  };
};

// ariaList reads the list when it is open, or, with fresh, what became
// visible since ariaMark.
ops.ariaList = async (el, o) => {
  const s = stateFault(el);
  if (s) return s;
  const look = () => {
    const box = boxOf(el);
    if (box) {
      const list = optionsIn(box);
      if (list.length) return told(el, list, box);
    }
    if (!o.fresh) return null;
    for (const sel of [OPTION, LOOSE]) {
      const list = inTree(el, sel).filter((x) => !known.has(x) && shown(x) && optionText(x));
      // The innermost ones are the choices.
      const leaves = list.filter((x) => !list.some((y) => y !== x && holds(x, y)));
      if (leaves.length) return told(el, leaves, around(leaves[0], LISTBOX));
    }
    return null;
  };
  let r = look();
  for (let ms = 0; !r && ms < (o.wait || 0); ms += 25) {
    await new Promise((f) => setTimeout(f, 25));
    if (!isLinked(el)) return fault('stale', el);
    r = look();
  }
  return r || { what: describe(el), open: false, options: [], field: matchesSel(comboOf(el), 'input,textarea'), native: false };
};

ops.ariaMark = (el) => {
  known = new WeakSet();
  for (const sel of [OPTION, LOOSE]) for (const x of inTree(el, sel)) if (shown(x)) known.add(x);
  return {};
};

// ariaPick finds a word among the options read last.
ops.ariaPick = (el, o) => {
  const list = stash.filter(isLinked);
  stash = list;
  const opts = list.map((x, i) => ({ i, text: optionText(x), value: attr(x, 'data-value') || undefined, disabled: !!around(x, '[aria-disabled=true],:disabled'), selected: isChosen(x) }));
  const tell = opts.map((x) => ({ text: x.text, value: x.value || '', selected: x.selected, disabled: x.disabled }));
  const p = pick(el, opts, o.value);
  if (p.fault) { p.options = tell; return p; }
  return { at: p.hit.i, selected: p.hit.selected, text: p.hit.text };
};

// ariaMore scrolls the open list on: long ones hold only what is in view.
ops.ariaMore = async (el) => {
  if (!stash.length) return { more: false };
  let n = stash[stash.length - 1];
  while (n && isElement(n) && !scrollsY(n)) n = up(n);
  if (!n || !isElement(n) || n === docOf(el).documentElement || n === docOf(el).body) return { more: false };
  const y = n.scrollTop;
  n.scrollTop += Math.max(20, n.clientHeight - 20);
  await new Promise((f) => setTimeout(f, 30));
  return { more: n.scrollTop !== y };
};

// ariaChosen says whether the choice shows: on the option, or on what opened
// the list.
ops.ariaChosen = async (el, o) => {
  const combo = isLinked(el) ? comboOf(el) : null;
  const want = normal(o.text);
  const test = () => {
    const x = stash[o.at];
    if (x && isLinked(x) && isChosen(x)) return true;
    if (!combo || !isLinked(combo)) return false;
    const field = matchesSel(combo, 'input,textarea') ? combo : queryAll(el, 'input:not([type=hidden])')[0];
    if (field && normal(field.value) === want) return true;
    const text = normal(textOf(combo)) + ' ' + normal(textOf(el)) + ' ' + normal(attr(combo, 'aria-label') || '');
    return text.includes(want) && !(x && isLinked(x) && holds(el, x) && shown(x));
  };
  let ok = test();
  for (let ms = 0; !ok && ms < o.wait; ms += 25) {
    await new Promise((f) => setTimeout(f, 25));
    ok = test();
  }
  const field = combo && isLinked(combo) && (matchesSel(combo, 'input,textarea') ? combo : queryAll(el, 'input:not([type=hidden])')[0]);
  return {
    ok, linked: isLinked(el), now: field ? field.value : combo && isLinked(combo) ? cut(squash(combo.innerText || textOf(combo)), 80) : '',
    open: !!(stash[o.at] && isLinked(stash[o.at]) && shown(stash[o.at])),
  };
};
