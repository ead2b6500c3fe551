// Lists: native ones, ARIA listboxes, comboboxes and menus.

const normal = (s) => squash(s || '').toLowerCase();

// listOf finds the list an element stands for: itself, the list around an
// option, or the one list inside it.
const listOf = (el) => {
  if (!isElement(el)) return null;
  const t = tagOf(el);
  if (t === 'select') return el;
  if (t === 'option' || t === 'optgroup') return closestSel(el, 'select');
  if (t === 'label' && el.control && tagOf(el.control) === 'select') return el.control;
  return skinned(el);
};

const nativeOptions = (sel) => Array.from(sel.options, (o, i) => ({
  i, text: squash(o.label || textOf(o)), value: o.value, selected: o.selected,
  disabled: o.disabled || !!closestSel(o, 'optgroup[disabled]'),
  group: closestSel(o, 'optgroup') ? closestSel(o, 'optgroup').label : '',
}));

const fire = (el, type) => el.dispatchEvent(new (viewOf(el).Event)(type, { bubbles: true, composed: true }));

// pick finds the option a word means: by value, then by exact text, then by
// text without regard to case and spaces. {hit} or {fault}.
const pick = (el, opts, want, exclude) => {
  const tiers = [
    (o) => o.value === want && want !== '',
    (o) => o.text === want,
    (o) => normal(o.text) === normal(want) && normal(want) !== '',
    (o) => normal(o.value) === normal(want) && normal(want) !== '',
  ];
  for (const t of tiers) {
    const all = opts.filter(t);
    if (!all.length) continue;
    const free = all.filter((o) => !o.disabled);
    if (!free.length) {
      const f = fault('disabled', el);
      f.fault.option = all[0].text;
      return f;
    }
    if (free.length > 1) {
      // The same word twice is no choice, unless both stand for the same value.
      const values = new Set(free.map((o) => o.value));
      if (values.size > 1 || free[0].value === undefined) return fault('ambiguous', el);
    }
    return { hit: free[0] };
  }
  return fault('not-found', el);
};

ops.options = (el) => {
  const sel = listOf(el);
  if (sel) {
    return { native: true, what: describe(sel), multiple: sel.multiple, disabled: matchesSel(sel, ':disabled'), options: nativeOptions(sel) };
  }
  return { native: false, what: describe(el) };
};

// wantedOf finds the options that are meant: {opts, wanted} or {fault}.
const wantedOf = (el, sel, o) => {
  const s = stateFault(sel);
  if (s) return s;
  const opts = nativeOptions(sel);
  let wanted = [];
  if (el !== sel && tagOf(el) === 'option') wanted = [opts[el.index]];
  else {
    for (const v of o.values) {
      const p = pick(sel, opts, v);
      if (p.fault) { p.options = opts; p.asked = v; return p; }
      wanted.push(p.hit);
    }
  }
  if (wanted.some((w) => w.disabled)) { const f = fault('disabled', sel); f.fault.option = wanted[0].text; f.options = opts; return f; }
  if (wanted.length > 1 && !sel.multiple) return Object.assign(fault('single', sel), { options: opts });
  return { opts, wanted };
};

// choose sets a native list. values are words for options; add keeps what is
// selected in a list of several.
ops.choose = async (el, o) => {
  const sel = listOf(el);
  if (!sel) return fault('not-list', el);
  const got = await patient(el, () => wantedOf(el, sel, o));
  if (got.fault) return got;
  const { opts, wanted } = got;
  const a = arm(sel, {});
  if (!seen(sel)) { /* a scripted list in front of it listens for the change */ } else {
    sel.scrollIntoView({ block: 'nearest', behavior: 'instant' });
    sel.focus({ preventScroll: true });
  }
  const set = new Set(wanted.map((w) => w.i));
  if (sel.multiple && o.add) for (const x of opts) if (x.selected) set.add(x.i);
  if (o.toggle && sel.multiple) for (const w of wanted) if (opts[w.i].selected) set.delete(w.i);
  const before = opts.filter((x) => x.selected).map((x) => x.i).join();
  const after = Array.from(set).sort((p, q) => p - q).join();
  if (before !== after) {
    if (sel.multiple) for (const op of sel.options) op.selected = set.has(op.index);
    else sel.selectedIndex = wanted[0].i;
    fire(sel, 'input');
    fire(sel, 'change');
  }
  return chosen(sel, a, set, before === after);
};

// chosen looks whether the selection stays, over the ticks a framework takes.
const chosen = async (sel, a, set, same) => {
  const ok = () => isLinked(sel) && Array.from(sel.selectedOptions, (x) => x.index).sort((p, q) => p - q).join() === Array.from(set).sort((p, q) => p - q).join();
  for (const ms of same ? [0] : [0, 5]) await new Promise((r) => setTimeout(r, ms));
  a.flush();
  const t = trace(a, { what: describe(sel), right: ok(), same, options: isLinked(sel) ? nativeOptions(sel) : [] });
  if (!isLinked(sel)) t.right = true;
  disarm();
  return t;
};

// keysTo says which keys choose an option by hand, when a page takes only
// what comes from the keyboard.
ops.keysTo = (el, o) => {
  const sel = listOf(el);
  if (!sel || sel.multiple) return fault('not-list', el);
  sel.focus();
  const open = nativeOptions(sel).filter((x) => !x.disabled).map((x) => x.i);
  let target = -1;
  if (el !== sel && tagOf(el) === 'option') target = el.index;
  else {
    const p = pick(sel, nativeOptions(sel), o.values[0]);
    if (p.hit) target = p.hit.i;
  }
  const from = open.indexOf(sel.selectedIndex);
  arm(sel, {});
  return { steps: open.indexOf(target) - from, target, focused: isActive(sel) };
};

ops.chosenByKeys = async (el, o) => {
  const sel = listOf(el);
  if (!current || !sel) return { lost: true };
  return chosen(sel, current, new Set([o.target]), false);
};
