// File inputs: the one an element stands for.

ops.self = (el) => el;

const filesIn = (root) => {
  const out = Array.from(root.querySelectorAll('input[type=file]'));
  for (const x of root.querySelectorAll('*')) {
    const r = openRootOf(x);
    if (r) out.push(...filesIn(r));
  }
  return out.filter((x) => !x.disabled);
};

// ownFile is the file input that an element certainly stands for: itself, its
// label's control, or one inside it.
const ownFile = (el) => {
  const is = (x) => tagOf(x) === 'input' && x.type === 'file';
  if (is(el)) return el;
  const l = around(el, 'label');
  if (l && l.control && is(l.control)) return l.control;
  const r = openRootOf(el);
  return [...filesIn(el), ...(r ? filesIn(r) : [])][0] || null;
};

// nearFile is the only file input in the nearest box around an element that
// has any.
const nearFile = (el) => {
  let n = 0;
  for (let p = up(el); p && isElement(p) && n < 4; p = up(p), n++) {
    const all = filesIn(p);
    if (all.length === 1) return all[0];
    if (all.length > 1) return null;
    if (tagOf(p) === 'form' || tagOf(p) === 'body') break;
  }
  return null;
};

// doubtful: which of several hidden inputs a button is for can only be told by
// pressing it. One that sends a form is not pressed for that.
const doubtful = (el, f) => !seen(f) && filesIn(docOf(el)).length > 1 && !(el.form && /^(submit|image|reset)$/.test(el.type));

ops.fileField = (el, o) => {
  const s = stateFault(el);
  // An input that a page makes only to ask for a file is in no document.
  if (s && !o.loose) return s;
  let f = ownFile(el);
  if (!f) {
    f = nearFile(el);
    if (f && !o.near && doubtful(el, f)) return { none: true, near: true, what: describe(el) };
  }
  if (!f) return { none: true, what: describe(el) };
  if (f.disabled) return fault('disabled', f);
  stash = [f];
  if (isLinked(f)) arm(f, {});
  return { what: describe(f), multiple: f.multiple, folder: f.webkitdirectory, accept: f.accept };
};

ops.fileNames = (f) => ({ names: Array.from(f.files || [], (x) => x.name), linked: isLinked(f) });

// dragStart begins to watch; that the dragged element is somewhere else
// afterwards is a change as well.
ops.dragStart = (el, o) => {
  const e = el.nodeType === 9 ? deepAt(el, o.x, o.y) || el.documentElement : el;
  // A press on selected text would drag the text; elsewhere it drops the
  // selection anyway.
  const s = docOf(e).getSelection();
  if (s && !s.isCollapsed && !o.extend && !dragsOf(e)) s.removeAllRanges();
  arm(e, { selection: true });
  return {};
};
