// File inputs: the one an element stands for.

ops.self = (el) => el;

// filesNear finds the file input that a button or label works: itself, its
// control, one inside it, or the only one in the nearest box around it.
const fileInput = (el) => {
  const is = (x) => tagOf(x) === 'input' && x.type === 'file';
  if (is(el)) return el;
  const l = around(el, 'label');
  if (l && l.control && is(l.control)) return l.control;
  const inside = (root) => {
    const out = Array.from(root.querySelectorAll('input[type=file]'));
    for (const x of root.querySelectorAll('*')) {
      const r = openRootOf(x);
      if (r) out.push(...inside(r));
    }
    return out.filter((x) => !x.disabled);
  };
  const r = openRootOf(el);
  const own = [...inside(el), ...(r ? inside(r) : [])];
  if (own.length) return own[0];
  let n = 0;
  for (let p = up(el); p && isElement(p) && n < 4; p = up(p), n++) {
    const all = inside(p);
    if (all.length === 1) return all[0];
    if (all.length > 1) return null;
    if (tagOf(p) === 'form' || tagOf(p) === 'body') break;
  }
  return null;
};

ops.fileField = (el, o) => {
  const s = stateFault(el);
  // An input that a page makes only to ask for a file is in no document.
  if (s && !o.loose) return s;
  const f = fileInput(el);
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
