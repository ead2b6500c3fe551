// Documents inside the page, and the parts of image maps.

const frame = (el, c, pos, r, v) => {
  let doc = null;
  try { doc = el.contentDocument; } catch { /* another process */ }
  const win = doc && docView(doc);
  if (!win || !docElement(doc)) {
    if (localName(el) !== 'object' && r.width >= 10 && r.height >= 10) {
      foreign.push(el);
      const s = styleOf(el);
      const kk = el.offsetWidth ? r.width / el.offsetWidth : 1;
      const x = r.left + (clientLeft(el) + pixels(s.paddingLeft)) * kk;
      const y = r.top + (clientTop(el) + pixels(s.paddingTop)) * kk;
      const fr = c.fr;
      const covers = [];
      for (let i = 0; i < 4; i++) {
        for (let j = 0; j < 4; j++) {
          const px = r.left + r.width * (i + 0.5) / 4;
          const py = r.top + r.height * (j + 0.5) / 4;
          if (px < v.x0 || px > v.x1 || py < v.y0 || py > v.y1) continue;
          const hit = hitNear(el, fr.doc, px, py);
          if ((hit && hit !== el) || frameShown(fr, px, py)) covers.push(j * 4 + i);
        }
      }
      out.push('x|' + pos + '|.foreign|' + (frameIdOf.get(el) || '') + '|.at|' + [x * fr.k + fr.ox, y * fr.k + fr.oy, kk * fr.k, v.x0 * fr.k + fr.ox, v.y0 * fr.k + fr.oy, v.x1 * fr.k + fr.ox, v.y1 * fr.k + fr.oy].map((n) => Math.round(n * 1000) / 1000).join(',') + field('.covers', covers.join(',')) + '|.ref|' + refNumber(el));
    }
    return null;
  }
  let depth = 0;
  for (let f = c.fr; f; f = f.parent) depth++;
  if (depth > 20 || frames.length > 300) return null;
  if (r.width < 2 || r.height < 2) return null;
  const s = styleOf(el);
  const k = el.offsetWidth ? r.width / el.offsetWidth : 1;
  const x = r.left + (clientLeft(el) + pixels(s.paddingLeft)) * k;
  const y = r.top + (clientTop(el) + pixels(s.paddingTop)) * k;
  const inner = clientWidth(el) - pixels(s.paddingLeft) - pixels(s.paddingRight);
  const kin = k * (inner > 0 && win.innerWidth > 0 ? inner / win.innerWidth : 1);
  const fr = c.fr;
  const clip = { x0: (v.x0 - x) / kin, y0: (v.y0 - y) / kin, x1: (v.x1 - x) / kin, y1: (v.y1 - y) / kin };
  const sub = newFrame(doc, fr, el, fr.ox + x * fr.k, fr.oy + y * fr.k, fr.k * kin, clip);
  // Hit tests climb with the scale of the frame inside its parent.
  sub.node = pos;
  writeFrame(sub);
  run(docElement(doc), contextOf(sub, pos, c));
  return null;
};

const imageMap = (img, c, pos, r) => {
  const name = getAttribute(img, 'usemap').replace(/^#/, '');
  if (!name) return;
  const scope = getRootNode(img);
  const maps = nodeType(scope) === DOCUMENT ? docQueryAll(scope, 'map') : [];
  for (const m of maps) {
    if (getAttribute(m, 'name') !== name && getAttribute(m, 'id') !== name) continue;
    for (const a of queryAll(m, 'area')) {
      const names = attributeNames(a);
      if (!hasAttribute(a, 'href') && (bitsOf(names) & A_HANDLER) === 0 && !listenersOf.get(a)) continue;
      const n = (getAttribute(a, 'coords') || '').split(/[\s,]+/).map(Number).filter((x) => x === x);
      const shape = (getAttribute(a, 'shape') || 'rect').toLowerCase();
      let b = { left: 0, top: 0, width: r.width, height: r.height };
      if (shape.startsWith('circ') && n.length >= 3) b = { left: n[0] - n[2], top: n[1] - n[2], width: 2 * n[2], height: 2 * n[2] };
      else if (n.length >= 4) {
        const xs = n.filter((_, i) => i % 2 === 0);
        const ys = n.filter((_, i) => i % 2 === 1);
        b = { left: Math.min(...xs), top: Math.min(...ys), width: Math.max(...xs) - Math.min(...xs), height: Math.max(...ys) - Math.min(...ys) };
      }
      b.left += r.left;
      b.top += r.top;
      out.push(head('e', pos, count, F_TARGET | F_BREAK | F_INVIEW) + num(NATIVE) + place(b, c.fr) + refField(a) + '|area' + linkField(a, c.fr) + attributes(a, names, true));
      count++;
    }
  }
};
