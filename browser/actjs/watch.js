// Watching an action: was it received where it was aimed, and what came of it.

let current = null;

const PRESS = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'auxclick', 'dblclick', 'contextmenu', 'touchstart', 'touchend'];
const HOVER = ['pointerover', 'pointermove', 'mousemove'];
const TRACES = ['input', 'change', 'toggle', 'close', 'invalid', 'reset', 'scroll'];
const FIELD = 'input:not([type=button],[type=submit],[type=reset],[type=image],[type=checkbox],[type=radio]),textarea,select,[contenteditable]';

const windowsOf = (el) => {
  const out = [viewOf(el)];
  for (let fe = frameOf(out[0]); fe; fe = frameOf(viewOf(fe))) out.push(viewOf(fe));
  return out;
};

// arm starts watching. With guard, a press that would land elsewhere is kept
// from the page and reported.
const arm = (el, o = {}) => {
  disarm();
  const a = { el, over: null, decided: false, blocked: null, by: null, pressed: null, click: null, submit: null, changes: 0, offs: [], wake: null };
  current = a;
  const on = (t, type, fn) => {
    t.addEventListener(type, fn, { capture: true });
    a.offs.push(() => t.removeEventListener(type, fn, { capture: true }));
  };
  const note = () => { a.changes++; if (a.wake) a.wake(); };
  const mo = new MutationObserver(note);
  const look = (root) => mo.observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
  for (const w of windowsOf(el)) look(w.document);
  for (let r = rootOf(el); r && r.nodeType === 11; r = rootOf(r.host)) look(r);
  const inside = openRootOf(el);
  if (inside) look(inside);
  a.offs.push(() => mo.disconnect());
  a.flush = () => { if (mo.takeRecords().length) a.changes++; };

  const home = viewOf(el);
  if (o.selection) on(docOf(el), 'selectionchange', () => { if (String(docOf(el).getSelection())) note(); });
  for (const w of windowsOf(el)) {
    for (const type of TRACES) on(w, type, note);
    // That a button has the focus after a click is not an effect of it.
    on(w, 'focusin', (ev) => {
      const f = ev.composedPath()[0];
      if (isElement(f) && !matchesSel(f, FIELD) && (holds(f, el) || holds(el, f))) return;
      note();
    });
    on(w, 'submit', (ev) => { a.submit = ev; note(); });
    if (o.guard) {
      for (const type of HOVER) {
        on(w, type, (ev) => { if (!a.over) a.over = w === home ? hitAt(el, ev.clientX, ev.clientY) : ev.target; });
      }
      for (const type of PRESS) {
        on(w, type, (ev) => {
          if (!a.decided) {
            a.decided = true;
            const e = w === home ? hitAt(el, ev.clientX, ev.clientY) : ev.target;
            if (w !== home || !isLinked(el) || !takes(el, e)) { a.blocked = isLinked(el) ? 'covered' : 'stale'; a.by = e; }
            else if (o.settle && a.over && a.over !== e) a.blocked = 'hover';
            else a.pressed = e;
          }
          if (a.blocked) {
            ev.preventDefault();
            ev.stopImmediatePropagation();
          } else if (type === 'click' || type === 'auxclick') a.click = ev;
        });
      }
    } else {
      on(w, 'click', (ev) => { a.click = ev; });
    }
  }
  // A caller that goes away must not leave a guard behind.
  const t = setTimeout(() => { if (current === a) disarm(); }, o.life || (o.guard ? 15000 : 60000));
  a.offs.push(() => clearTimeout(t));
  return a;
};

const disarm = () => {
  if (!current) return;
  for (const off of current.offs) off();
  current = null;
};

// leaves says whether the default action of what was clicked goes to another page.
const leaves = (a) => {
  if (a.submit && !a.submit.defaultPrevented) return true;
  if (!a.click || a.click.defaultPrevented) return false;
  const link = a.pressed && around(a.pressed, 'a[href],area[href]');
  if (link) {
    const h = attr(link, 'href') || '';
    return !/^\s*(#|javascript:)/i.test(h);
  }
  const b = a.pressed && around(a.pressed, 'button,input');
  return !!(b && b.form && /^(submit|image)$/.test(b.type) && a.submit && !a.submit.defaultPrevented);
};

const trace = (a, extra) => {
  a.flush();
  const doc = topDoc(a.el);
  const focus = deepActive(doc);
  return Object.assign({
    blocked: a.blocked, by: a.by ? describe(a.by) : '', byRef: a.by && globalThis.__webhand ? globalThis.__webhand.ref(a.by) : 0,
    changed: a.changes > 0, leaves: leaves(a), linked: isLinked(a.el),
    state: isLinked(a.el) ? stateOf(a.el) : null,
    focus: focus && focus !== doc.body && focus !== doc.documentElement ? describe(focus) : '',
    focusIsTarget: !!focus && focus === a.el, url: doc.URL,
  }, extra);
};

// settle returns the trace now when something happened, or after at most ms.
const settle = async (ms, done) => {
  const a = current;
  if (!a) return { lost: true };
  a.flush();
  if (!a.blocked && ms > 0 && !leaves(a) && !(done ? done() : a.changes > 0)) {
    await new Promise((resolve) => {
      const t = setTimeout(resolve, ms);
      a.wake = (now) => { if (now === true || !done || done()) { clearTimeout(t); resolve(); } };
    });
  }
  a.wake = null;
  return trace(a);
};
