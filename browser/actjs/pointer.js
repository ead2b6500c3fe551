// Pointer actions: what to do before the real mouse events, and after them.

const kindOf = (el) => {
  const t = tagOf(el);
  if (t === 'input') return el.type;
  if (t === 'option' || t === 'select' || t === 'label') return t;
  return attr(el, 'role') || t;
};

// toggled is the control whose state a click on el must change.
const toggled = (el) => {
  const t = tagOf(el);
  if (t === 'input' && (el.type === 'checkbox' || el.type === 'radio')) return el;
  const l = around(el, 'label');
  if (l && l.control && l.control !== el && matchesSel(l.control, 'input[type=checkbox],input[type=radio]')) {
    // A link or button inside the label works for itself.
    const b = around(el, 'a[href],button');
    if (!b || !holds(l, b)) return l.control;
  }
  const r = around(el, '[role=checkbox],[role=switch],[role=radio],[role=menuitemcheckbox],[role=menuitemradio]');
  return r && attr(r, 'aria-checked') !== null ? r : null;
};
const checkedOf = (el) => (tagOf(el) === 'input' ? el.checked : attr(el, 'aria-checked') === 'true');

// resting is where the last click left the pointer, and what it pressed there.
let resting = null;
let stirred = null; // settled when the page has seen the pointer move there

// appeared reports that something else lies under the resting pointer now: a
// list that opened there, say. Pages take the pointer's first move over such a
// thing for a choice, so that move must not be the one to the target.
const appeared = (el) => !!resting && !!resting.el && resting.doc === topDoc(el) && deepAt(resting.doc, resting.x, resting.y) !== resting.el;

ops.point = async (el, o) => {
  if (o.click && o.first && isLinked(el) && appeared(el)) {
    // Until the page has seen it, the browser may merge it with the next one.
    stirred = new Promise((resolve) => {
      resting.doc.addEventListener('mousemove', resolve, { capture: true, once: true });
      setTimeout(resolve, 100);
    });
    return { stir: true, x: resting.x, y: resting.y };
  }
  await stirred;
  stirred = null;
  const kind = kindOf(el);
  if (o.click && kind === 'file') return fault('file', el);
  if (o.click && kind === 'select' && !el.multiple && el.size <= 1) return fault('select', el);
  if (o.click && kind === 'option') {
    const s = closestSel(el, 'select');
    if (s && (!s.multiple && s.size <= 1 || s.multiple)) return { option: true, what: describe(el) };
  }
  const r = await patient(el, (last) => reach(el, last === 'covered'), o);
  if (r.fault) return r;
  const tog = o.click ? toggled(el) : null;
  const a = arm(r.el, { guard: o.guard, settle: o.settle, life: o.life });
  a.toggle = tog;
  a.before = tog ? checkedOf(tog) : null;
  resting = { x: r.x, y: r.y, doc: topDoc(el), el: null };
  return {
    x: r.x, y: r.y, what: describe(el), kind, draggable: o.drag ? dragsOf(el) : false, scrolled: r.scrolled,
    via: r.el === el ? '' : describe(r.el), url: topDoc(el).URL,
    toggle: tog ? (tagOf(tog) === 'input' ? tog.type : attr(tog, 'role')) : '', before: a.before,
    remote: viewOf(el).top !== topDoc(el).defaultView,
  };
};

ops.pointed = async (el, o) => {
  const a = current;
  if (!a) return { lost: true };
  const tog = a.toggle;
  const right = tog ? () => (/radio/.test(tog.type || attr(tog, 'role') || '') ? checkedOf(tog) : checkedOf(tog) !== a.before) : null;
  const t = await settle(o.wait, right);
  if (tog) {
    t.after = checkedOf(tog);
    t.right = right();
  }
  if (resting) resting.el = a.pressed;
  disarm();
  return t;
};

// boxOf answers where the middle of an element is, covered or not.
ops.middle = (el) => {
  if (!isLinked(el)) return fault('stale', el);
  const h = hiddenFault(el);
  if (h) return h;
  const v = viewOf(el);
  let b = boxesOf(el)[0];
  if (b.right < 1 || b.bottom < 1 || b.left > v.innerWidth - 1 || b.top > v.innerHeight - 1) {
    el.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
    b = boxesOf(el)[0];
  }
  const [x, y] = toRoot(el, b.left + b.width / 2, b.top + b.height / 2);
  const [x0, y0] = toRoot(el, b.left, b.top);
  return { x, y, left: x0, top: y0, width: b.width, height: b.height, what: describe(el), draggable: dragsOf(el) };
};

const dragsOf = (el) => {
  for (let n = el; n; n = up(n)) {
    if (!isElement(n)) continue;
    if (n.draggable === true) return true;
    if (matchesSel(n, 'input,textarea,select,button')) return false;
  }
  return false;
};

// under says what a point of the page would hit.
ops.under = (el, o) => {
  const e = deepAt(el.nodeType === 9 ? el : docOf(el), o.x, o.y);
  if (!e) return { none: true, width: windowOf(el).innerWidth, height: windowOf(el).innerHeight };
  if (o.arm) {
    const a = arm(e, {});
    a.pressed = e;
  }
  return { what: describe(e), kind: kindOf(e), draggable: dragsOf(e), ref: globalThis.__webhand ? globalThis.__webhand.ref(e) : 0, url: docOf(e).URL };
};

const windowOf = (n) => (n.nodeType === 9 ? n : docOf(n)).defaultView;

// wake ends a wait for effects: something happened outside the document.
ops.wake = () => {
  if (current && current.wake) current.wake(true);
};

// frameAim brings a point of a frame of another process into view, and says
// whether the frame would receive a press there.
ops.frameAim = (fe, o) => {
  const s = stateFault(fe) || hiddenFault(fe);
  if (s) return s;
  let [x, y] = toParent(fe, o.x, o.y);
  const w = viewOf(fe);
  const test = () => {
    [x, y] = toParent(fe, o.x, o.y);
    if (x < 0 || y < 0 || x >= w.innerWidth || y >= w.innerHeight) return { off: true };
    return probe(fe, x, y);
  };
  let p = test();
  for (const where of [0.5, 0.2, 0.8]) {
    if (p.hit) break;
    scrollPoint(fe, x, y, where);
    p = test();
  }
  if (p.hit) return { x: p.x, y: p.y, what: describe(fe), kind: 'iframe' };
  return p.off ? fault('off-screen', fe) : fault('covered', fe, p.by);
};

// scrollPoint scrolls what is around el so that a point of el's document comes
// to the given part of the view.
const scrollPoint = (el, x, y, where) => {
  for (let n = up(el); n; n = up(n)) {
    if (!isElement(n) || n === docOf(n).scrollingElement) continue;
    const st = styleOf(n);
    if (!/(auto|scroll|hidden)/.test(st.overflow + st.overflowX + st.overflowY) || n.scrollHeight <= n.clientHeight && n.scrollWidth <= n.clientWidth) continue;
    const r = rectOf(n);
    const top = n.scrollTop;
    const left = n.scrollLeft;
    if (y < r.top || y > r.bottom) n.scrollTop += y - (r.top + r.height * where);
    if (x < r.left || x > r.right) n.scrollLeft += x - (r.left + r.width * where);
    y -= n.scrollTop - top;
    x -= n.scrollLeft - left;
  }
  const w = viewOf(el);
  w.scrollBy({ left: x < 0 || x >= w.innerWidth ? x - w.innerWidth / 2 : 0, top: y - w.innerHeight * where, behavior: 'instant' });
};

ops.platform = () => ({ mac: /mac/i.test(navigator.platform) });

// keys starts watching what keys do to whatever has the focus.
ops.keys = (doc) => {
  const f = deepActive(doc) || doc.body || doc.documentElement;
  arm(f, {});
  current.pressed = f;
  return { what: f === doc.body || f === doc.documentElement ? '' : describe(f), mac: /mac/i.test(navigator.platform) };
};

// leaving says whether what was pressed so far leads to another page.
ops.leaving = () => ({ leaving: !current || leaves(current) });
