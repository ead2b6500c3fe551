// An account of what can be used in the viewport, written apart from the
// walker and without regard for cost: everything is asked of every element.
(() => {
  const out = [];
  const NATIVE = 'a[href], button, input, select, textarea, summary, video[controls], audio[controls], [contenteditable=true], [onclick], canvas';
  const ROLES = ['button', 'link', 'checkbox', 'radio', 'tab', 'menuitem', 'option', 'switch', 'slider', 'combobox', 'textbox', 'spinbutton', 'treeitem'];
  const parent = (e) => e.assignedSlot || e.parentElement || (e.getRootNode() instanceof e.ownerDocument.defaultView.ShadowRoot ? e.getRootNode().host : null);
  const chain = (e) => { const l = []; for (let p = e; p; p = parent(p)) l.push(p); return l; };
  const hits = (doc, e, x, y) => {
    let h = doc.elementFromPoint(x, y);
    while (h && h.shadowRoot) { const d = h.shadowRoot.elementFromPoint(x, y); if (!d || d === h) break; h = d; }
    return !!h && (chain(h).includes(e) || (h.closest('label') && h.closest('label').control === e));
  };
  const look = (root, win, ox, oy) => {
    for (const e of root.querySelectorAll('*')) {
      if (e.shadowRoot) look(e.shadowRoot, win, ox, oy);
      if (e.localName === 'iframe') {
        const b = e.getBoundingClientRect();
        let d = null;
        try { d = e.contentDocument; } catch { /* another site */ }
        if (d) look(d, d.defaultView, ox + b.left + e.clientLeft, oy + b.top + e.clientTop);
        continue;
      }
      const s = win.getComputedStyle(e);
      const up = parent(e);
      const pointer = s.cursor === 'pointer' && (!up || win.getComputedStyle(up).cursor !== 'pointer') && !up?.closest('a[href], button');
      if (!e.matches(NATIVE) && !ROLES.includes(e.getAttribute('role')) && !(e.hasAttribute('tabindex') && e.tabIndex >= 0) && !pointer) continue;
      if (e.matches('input[type=hidden]') || e.disabled) continue;
      const b = e.getBoundingClientRect();
      let seen = false;
      for (const fx of [0.5, 0.2, 0.8]) {
        for (const fy of [0.5, 0.2, 0.8]) {
          const x = b.left + b.width * fx, y = b.top + b.height * fy;
          if (x + ox < 0 || y + oy < 0 || x + ox >= innerWidth || y + oy >= innerHeight) continue;
          if (x < 0 || y < 0 || x >= win.innerWidth || y >= win.innerHeight) continue;
          if (b.width > 0 && b.height > 0 && hits(e.ownerDocument, e, x, y)) seen = true;
        }
      }
      if (seen) out.push([e.localName, Math.round(b.left + ox), Math.round(b.top + oy), Math.round(b.width), Math.round(b.height)]);
    }
  };
  look(document, window, 0, 0);
  return out.map((r) => r.join(' '));
})()
