// Fields: which one is meant, how it is filled, what it holds.

const DIRECT = /^(date|time|datetime-local|month|week|color|range)$/;
const TEXTUAL = /^(text|search|url|tel|email|password|number|)$/;

const fieldsIn = (el) => {
  const out = [];
  const walk = (root) => {
    for (const f of root.querySelectorAll('*')) {
      if (matchesSel(f, 'textarea,input:not([type=hidden])') || f.isContentEditable && !(f.parentElement && f.parentElement.isContentEditable)) out.push(f);
      const r = openRootOf(f);
      if (r) walk(r);
    }
  };
  const r = openRootOf(el);
  if (r) walk(r);
  walk(el);
  return out;
};

// fieldOf finds the field that el stands for: itself, a label's control, the
// one field inside a decorated box, the body of an editor's frame.
const fieldOf = (el) => {
  const t = tagOf(el);
  if (t === 'input' || t === 'textarea' || t === 'select') return el;
  if (el.isContentEditable) return el;
  if (t === 'iframe' || t === 'frame') {
    let d = null;
    try { d = el.contentDocument; } catch { /* another process */ }
    if (d && d.body && (d.body.isContentEditable || d.designMode === 'on')) return d.body;
    return null;
  }
  if (t === 'label' && el.control) return el.control;
  const inside = fieldsIn(el).filter((f) => seen(f) && boxesOf(f).length);
  return inside.length === 1 ? inside[0] : null;
};

const isRich = (f) => f.isContentEditable || (docOf(f).designMode === 'on' && f === docOf(f).body);

// What was editable when it was chosen may not be any more.
const isField = (f) => /^(input|textarea|select)$/.test(tagOf(f));

const holdsNow = (f) => {
  if (isRich(f)) return (f.innerText || '').replace(/\u00a0/g, ' ').replace(/\n$/, '');
  return isField(f) ? f.value : '';
};

const nativeSet = (f, v) => {
  const W = viewOf(f);
  const proto = tagOf(f) === 'textarea' ? W.HTMLTextAreaElement.prototype : tagOf(f) === 'select' ? W.HTMLSelectElement.prototype : W.HTMLInputElement.prototype;
  Object.getOwnPropertyDescriptor(proto, 'value').set.call(f, v);
};

const fireInput = (f, data) => f.dispatchEvent(new (viewOf(f).InputEvent)('input', { bubbles: true, composed: true, inputType: 'insertReplacementText', data }));

const completes = (f) => attr(f, 'role') === 'combobox' || f.hasAttribute('list')
  || !/^(none|)$/.test(attr(f, 'aria-autocomplete') || '')
  || !/^(false|)$/.test(attr(f, 'aria-haspopup') || '') && (f.hasAttribute('aria-controls') || f.hasAttribute('aria-owns'));

// looksAtKeys reports signs that a page looks at each key that is typed into a
// field: it completes, masks or counts.
const looksAtKeys = (f) => completes(f) || isRich(f) || tagOf(f) === 'input' && !/^(text|url|email|password)$/.test(f.type)
  || /^(off|new-password|one-time-code)$/.test(attr(f, 'autocomplete') || '') || /^(search|combobox)/.test(attr(f, 'role') || '') || f.maxLength > 0
  || ['inputmode', 'pattern', 'data-mask', 'data-inputmask', 'data-provide', 'onkeydown', 'onkeyup', 'onkeypress'].some((a) => f.hasAttribute(a))
  || /(^|[\s_-])(mask|typeahead|autocomplete|search|combobox|tokenfield|tags?input)/i.test(attr(f, 'class') || '');

// digitsOf is the row of one-character boxes that f is in, from f on.
const digitsOf = (f) => {
  if (tagOf(f) !== 'input' || f.maxLength !== 1) return null;
  for (let p = up(f), n = 0; p && isElement(p) && n < 4; p = up(p), n++) {
    const all = fieldsIn(p).filter((x) => tagOf(x) === 'input' && x.maxLength === 1 && seen(x) && !x.disabled);
    if (all.length > 1) return all.slice(all.indexOf(f));
  }
  return null;
};

// near reports whether a coverer is only decoration of the field: small, and
// inside the box the field is in.
const near = (f, by) => {
  const p = up(f);
  if (!by || !p || !isElement(p) || tagOf(p) === 'body' || !holds(p, by) || by === p) return false;
  const a = rectOf(f);
  const b = rectOf(by);
  return b.width * b.height <= 4 * Math.max(1, a.width * a.height);
};

// openField finds the field and brings it into view: {f} or {fault}.
const openField = (el) => {
  const f = fieldOf(el);
  if (!f) return fault('not-field', el);
  const t = tagOf(f);
  if (t === 'select') return fault('select', f);
  if (t === 'input') {
    if (f.type === 'file') return fault('file', f);
    if (f.type === 'checkbox' || f.type === 'radio') return fault('click-it', f);
    if (!TEXTUAL.test(f.type) && !DIRECT.test(f.type)) return fault('not-field', f);
  }
  const s = stateFault(f);
  if (s) return s;
  if (f.readOnly || attr(f, 'aria-readonly') === 'true') return fault('read-only', f);
  const h = hiddenFault(f);
  if (h) return h;
  const a = aim(f);
  if (!a.ok) {
    const b = bring(f);
    if (!b.ok) {
      if (b.none || b.bad.off || !b.bad.by) return fault('off-screen', f);
      const p = b.bad.by;
      if (styleOf(f).pointerEvents !== 'none' && !near(f, p)) return fault('covered', f, p);
    }
  }
  return { f };
};

ops.field = async (el, o) => {
  const got = await patient(el, () => openField(el));
  if (got.fault) return got;
  const f = got.f;
  const t = tagOf(f);
  const r = aim(f);
  const rich = isRich(f);
  const direct = t === 'input' && DIRECT.test(f.type);
  const out = {
    what: describe(f), kind: rich ? 'rich' : direct ? 'direct' : 'text', type: f.type || t, secret: isSecret(f),
    lines: rich || t === 'textarea', max: f.maxLength > 0 ? f.maxLength : 0, completes: completes(f), number: f.type === 'number',
    digits: 0, empty: holdsNow(f) === '', end: false, focused: false, keys: looksAtKeys(f),
    x: r.ok ? r.ok.x : 0, y: r.ok ? r.ok.y : 0, remote: viewOf(f).top !== topDoc(f).defaultView,
  };
  const g = digitsOf(f);
  if (g && Array.from(o.text).length > 1) out.digits = g.length;
  const w = arm(f, {});
  fills(w, f);
  w.boxes = g;
  w.completes = out.completes;
  if (direct) return out;
  f.focus({ preventScroll: true });
  const now = deepActive(topDoc(f));
  out.focused = isActive(f) || holds(f, now) || holds(now, f) && now.isContentEditable;
  if (out.focused) out.end = caret(f, o.append);
  return out;
};

// caret selects everything, or puts the caret at the end; true when only the
// End key can do that.
const caret = (f, append) => {
  if (isRich(f)) {
    const sel = rootOf(f).getSelection ? rootOf(f).getSelection() : viewOf(f).getSelection();
    const range = docOf(f).createRange();
    range.selectNodeContents(f);
    if (append) range.collapse(false);
    sel.removeAllRanges();
    sel.addRange(range);
    return false;
  }
  if (!append) { f.select(); return false; }
  try {
    f.setSelectionRange(f.value.length, f.value.length);
    return false;
  } catch {
    return true;
  }
};

// caretAgain is for a field that took the focus only from a click.
ops.caret = (el, o) => {
  const f = current && current.field;
  if (!f) return { lost: true };
  // A click may have put a real field in place of what was clicked.
  const g = focusedField(f) || f;
  if (g !== f) fills(current, g);
  return { focused: isActive(g) || holds(g, deepActive(topDoc(f))), end: caret(g, o.append) };
};

const alike = (got, want) => {
  if (got === want) return 'same';
  const lines = (s) => s.replace(/\r\n?/g, '\n').replace(/\u00a0/g, ' ').replace(/\n+/g, '\n').replace(/[ \t]+$/gm, '');
  if (lines(got) === lines(want)) return 'same';
  if (got.trim() === want.trim()) return 'formatted';
  const bare = (s) => s.toLowerCase().replace(/[\s\u00a0().,/\\:+_$€£%-]/g, '');
  if (bare(want) !== '' && bare(got) === bare(want)) return 'formatted';
  const num = (s) => Number(s.replace(/[^0-9.eE+-]/g, ''));
  if (/^[\d.,\s+-]+$/.test(want) && /\d/.test(got) && num(got) === num(want.replace(/,/g, ''))) return 'formatted';
  return '';
};

const expected = (a, o) => (o.append ? a.old + o.text : o.text);

// fieldNow is the field being filled; when it is gone, the one with the focus,
// which a page that draws itself again puts in its place.
const fieldNow = (a) => (isLinked(a.field) ? a.field : focusedField(a.el) || a.field);

// focusedField is the field that has the focus on the page of el, if one has.
const focusedField = (el) => {
  const now = deepActive(topDoc(el));
  return now && (matchesSel(now, 'input,textarea') || now.isContentEditable) ? now : null;
};

// fills notes which field is being filled, and what it is like and holds before.
const fills = (a, f) => {
  a.field = f;
  a.likeness = likeness(f);
  a.old = holdsNow(f);
};

// likeness is what a field keeps when it is drawn again.
const likeness = (f) => [tagOf(f), f.type, attr(f, 'name'), attr(f, 'role'), isRich(f) ? attr(f, 'aria-label') || attr(f, 'id') : nameOf(f) || attr(f, 'id')].join('|');

// filled reads the field back, over the ticks a framework takes. With a wait it
// ends the watch as typed does, if the field holds what it should.
ops.filled = async (el, o) => {
  const a = current;
  if (!a || !a.field) return { lost: true };
  let f;
  const want = expected(a, o);
  let ok = '';
  for (const ms of [0, 0, 16, 50]) {
    if (ms) await new Promise((r) => setTimeout(r, ms));
    f = fieldNow(a);
    if (!isLinked(f)) break;
    ok = alike(holdsNow(f), want);
    if (ok) break;
    await null;
  }
  const out = answer(a, f, ok, want);
  if (ok && 'wait' in o) out.outcome = await ops.typed(el, o);
  return out;
};

const answer = (a, f, ok, want) => {
  const linked = isLinked(f);
  const got = linked ? holdsNow(f) : '';
  return {
    ok, linked, got: isSecret(f) ? '' : cut(got, 300), length: Array.from(got).length, secret: isSecret(f),
    cut: f.maxLength > 0 && got.length === f.maxLength && want.length > f.maxLength, max: f.maxLength,
    invalid: linked && f.validity && !f.validity.valid && got !== '' ? f.validationMessage : '',
  };
};

// put sets the value the way a framework's own setter cannot miss.
ops.put = async (el, o) => {
  const a = current;
  if (!a || !a.field) return { lost: true };
  const f = fieldNow(a);
  // The focus may have gone on to another field after the last key.
  if (f !== a.field && likeness(f) !== a.likeness) return answer(a, a.field, '', expected(a, o));
  if (isRich(f)) return answer(a, f, alike(holdsNow(f), expected(a, o)), expected(a, o));
  const want = expected(a, o);
  if (!isField(f)) return answer(a, f, '', want);
  nativeSet(f, want);
  fireInput(f, o.text);
  fire(f, 'change');
  for (const ms of [0, 16]) await new Promise((r) => setTimeout(r, ms));
  return answer(a, f, isLinked(f) ? alike(holdsNow(f), want) : '', want);
};

// direct sets a date, time, colour or slider.
ops.direct = async (el, o) => {
  const a = current;
  if (!a || !a.field) return { lost: true };
  const f = a.field;
  let want = o.text.trim();
  if (f.type === 'datetime-local') want = want.replace(/^(\d{4}-\d\d-\d\d) (\d)/, '$1T$2');
  if (f.type === 'color') want = colour(f, want);
  const old = f.value;
  f.focus({ preventScroll: true });
  nativeSet(f, want);
  const got = f.value;
  const same = f.type === 'range' ? Number(got) === Number(want) && want !== '' : got === want
    || f.type === 'color' && got === want.toLowerCase() || /time/.test(f.type) && got.replace(/:00(\.0+)?$/, '') === want.replace(/:00(\.0+)?$/, '');
  const limits = [f.min && 'from ' + f.min, f.max && (f.min ? 'to ' : 'up to ') + f.max, f.step && f.step !== 'any' && 'in steps of ' + f.step].filter(Boolean).join(' ')
    || (f.type === 'range' ? 'from 0 to 100 in steps of 1' : '');
  if (!same || want !== '' && (f.validity.rangeUnderflow || f.validity.rangeOverflow || f.validity.stepMismatch)) {
    nativeSet(f, old);
    return { ok: '', refused: true, got: old, limits, type: f.type };
  }
  if (got !== old) {
    fire(f, 'input');
    fire(f, 'change');
  }
  for (const ms of [0, 5]) await new Promise((r) => setTimeout(r, ms));
  const now = isLinked(f) ? f.value : got;
  const out = { ok: now === got ? 'same' : '', got: now, linked: isLinked(f), limits, type: f.type };
  if (out.ok) out.outcome = await ops.typed(el, o);
  return out;
};

const colour = (f, s) => {
  const c = docOf(f).createElement('canvas').getContext('2d');
  if (!c) return s;
  c.fillStyle = '#000001';
  c.fillStyle = s;
  return c.fillStyle === '#000001' || !/^#/.test(c.fillStyle) ? s : c.fillStyle;
};

// digit moves on to the next box when the page does not do so itself, which
// some do a moment later. After the last one it waits until the row holds it.
ops.digit = async (el, o) => {
  const a = current;
  if (!a || !a.boxes) return { lost: true };
  const next = a.boxes[o.next];
  const value = () => a.boxes.map((b) => b.value).join('');
  const there = () => (o.want ? value().startsWith(o.want) : !next || isActive(next));
  for (let ms = 0; !there() && ms < 60; ms += 10) await new Promise((r) => setTimeout(r, 10));
  if (next && !o.want && !isActive(next)) { next.focus(); next.select(); }
  return { value: value() };
};

// typed ends the watch: what came of the typing, and what is suggested now.
ops.typed = async (el, o) => {
  const a = current;
  if (!a) return { lost: true };
  const f = a.field || a.el;
  let list = [];
  const look = () => { list = suggestions(f); return list.length > 0; };
  if (a.completes) { if (!look()) await settle(o.wait, look); } else look();
  const t = trace(a, { suggestions: list });
  disarm();
  return t;
};

const suggestions = (f) => {
  if (!isLinked(f)) return [];
  const out = [];
  const add = (s) => { s = squash(s); if (s && !out.includes(s) && out.length < 10) out.push(cut(s, 80)); };
  if (f.list) {
    const v = normal(f.value);
    for (const op of f.list.options) if (normal(op.value + ' ' + op.label).includes(v)) add(op.label || op.value);
    return out;
  }
  const root = rootOf(f);
  const ids = ((attr(f, 'aria-controls') || '') + ' ' + (attr(f, 'aria-owns') || '')).trim().split(/\s+/).filter(Boolean);
  let boxes = ids.map((id) => root.getElementById && root.getElementById(id)).filter((b) => b && seen(b));
  if (!boxes.length) boxes = Array.from(docOf(f).querySelectorAll('[role=listbox],.ui-autocomplete,.autocomplete-items,.autocomplete-suggestions,.tt-menu')).filter((b) => seen(b) && boxesOf(b).length);
  for (const b of boxes) {
    let items = Array.from(queryAll(b, '[role=option]'));
    if (!items.length) items = Array.from(queryAll(b, 'li'));
    if (!items.length) items = Array.from(b.children);
    for (const i of items) if (seen(i) && boxesOf(i).length) add(i.innerText || textOf(i));
  }
  return out;
};
