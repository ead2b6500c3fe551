// Can a person use this element now, and if not, why not.

const fault = (reason, el, by) => {
  const f = { reason, what: describe(el) };
  if (by) {
    f.by = describe(by);
    f.byRef = globalThis.__webhand && isElement(by) ? globalThis.__webhand.ref(by) : 0;
  }
  return { fault: f };
};

const NATIVE_SKIN = 'input[type=checkbox],input[type=radio],input[type=file],input[type=range],input[type=color],select';

// stateFault names what keeps an element from being used, wherever it lies.
const stateFault = (el) => {
  if (!isLinked(el) || !viewOf(el)) return fault('stale', el);
  const inert = around(el, '[inert]');
  if (inert) return fault('inert', el, inert === el ? null : inert);
  const off = matchesSel(el, ':disabled') ? el : around(el, 'button:disabled,select:disabled,optgroup:disabled');
  if (off) return fault('disabled', el, off === el ? around(el, 'fieldset:disabled') : off);
  if (tagOf(el) === 'label' && el.control && matchesSel(el.control, ':disabled')) return fault('disabled', el, el.control);
  const aria = around(el, '[aria-disabled=true]');
  if (aria) return fault('disabled', el, aria === el ? null : aria);
  return null;
};

const seen = (el) => el.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: false });

// hiddenFault says that an element is not rendered for anybody to see. A
// native control made invisible under its own decoration is not hidden.
const hiddenFault = (el) => {
  const t = tagOf(el);
  if (t === 'option' || t === 'optgroup') {
    const s = closestSel(el, 'select');
    return s ? hiddenFault(s) : fault('hidden', el);
  }
  if (t === 'area') return null;
  if (seen(el)) return boxesOf(el).length ? null : fault('hidden', el);
  const st = styleOf(el);
  if (st.display === 'contents') return boxesOf(el).length ? null : fault('hidden', el);
  if (matchesSel(el, NATIVE_SKIN) && st.opacity === '0' && boxesOf(el).length) {
    const p = up(el);
    if (!p || !isElement(p) || seen(p)) return null;
  }
  return fault('hidden', el);
};

// standIn is the visible label that works a hidden checkbox, radio or file input.
const standIn = (el) => {
  if (!el.labels || !matchesSel(el, 'input')) return null;
  for (const l of el.labels) if (seen(l) && boxesOf(l).length) return l;
  return null;
};

// reach brings el under the pointer: {el, x, y, hit, at} or {fault}. With still
// it looks without scrolling.
const reach = (el, still) => {
  const get = still ? aim : bring;
  const s = stateFault(el);
  if (s) return s;
  let target = el;
  let h = hiddenFault(el);
  if (h) {
    const l = standIn(el);
    if (!l) return h;
    target = l;
  }
  let a = get(target);
  if (!a.ok && target === el) {
    const l = standIn(el);
    if (l) {
      const b = get(l);
      if (b.ok) { target = l; a = b; }
    }
  }
  if (a.ok) return { el: target, x: a.ok.x, y: a.ok.y, hit: a.ok.hit, at: a.at, scrolled: !!a.scrolled };
  if (a.none || a.bad.off || !a.bad.by) return fault('off-screen', target);
  if (styleOf(target).pointerEvents === 'none') return fault('pointer-events', target);
  if (holds(a.bad.by, target) && a.bad.by !== target) {
    // The pointer goes through el to what it lies in.
    for (let n = target; n && n !== a.bad.by; n = up(n)) if (isElement(n) && styleOf(n).pointerEvents === 'none') return fault('pointer-events', target);
    return fault('covered', target, a.bad.by);
  }
  return fault('covered', target, a.bad.by);
};

const stateOf = (el) => {
  const t = tagOf(el);
  const s = { tag: t };
  if (t === 'input') {
    s.type = el.type;
    if (el.type === 'checkbox' || el.type === 'radio') s.checked = el.checked;
    else if (el.type !== 'file' && !isSecret(el)) s.value = el.value;
  } else if (t === 'textarea') s.value = el.value;
  else if (t === 'select') s.value = Array.from(el.selectedOptions, (o) => squash(o.label)).join(', ');
  const on = attr(el, 'aria-checked') || attr(el, 'aria-pressed');
  if (on === 'true' || on === 'false') s.checked = on === 'true';
  const open = attr(el, 'aria-expanded');
  if (open !== null) s.expanded = open;
  if (t === 'details') s.expanded = String(el.open);
  if (t === 'summary' && parentOf(el) && tagOf(parentOf(el)) === 'details') s.expanded = String(parentOf(el).open);
  return s;
};
