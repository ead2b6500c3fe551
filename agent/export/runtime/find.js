// Finds the element that was recorded, by the best of what is known of it, and
// says where to click it.
(want) => {
  const squash = (s) => (s || "").replace(/\s+/g, "").toLowerCase();
  const segment = (el) => {
    const same = [...(el.parentNode ? el.parentNode.children || [] : [])].filter((x) => x.localName === el.localName);
    return same.length > 1 ? el.localName + "[" + (same.indexOf(el) + 1) + "]" : el.localName;
  };
  const pathOf = (el) => {
    const p = el.parentNode;
    if (p && p.nodeType === 1) return pathOf(p) + "/" + segment(el);
    if (p && p.nodeType === 11 && p.host) return pathOf(p.host) + "//" + segment(el);
    return segment(el);
  };
  const labelled = (el) => {
    const by = el.getAttribute("aria-labelledby");
    const root = el.getRootNode();
    if (by) return by.split(/\s+/).map((id) => root.getElementById(id)).filter(Boolean).map((x) => x.textContent).join(" ");
    if (el.getAttribute("aria-label")) return el.getAttribute("aria-label");
    if (el.labels && el.labels.length) return [...el.labels].map((x) => x.textContent).join(" ");
    if (el.localName === "input" && /^(submit|button|reset)$/.test(el.type)) return el.value;
    if (el.getAttribute("alt")) return el.getAttribute("alt");
    if (!/^(input|select|textarea)$/.test(el.localName)) {
      const text = el.textContent;
      if (squash(text)) return text;
    }
    return el.getAttribute("title") || el.getAttribute("placeholder") || "";
  };
  const role = (el) => el.getAttribute("role") || ({ a: "link", button: "button", select: "combobox", textarea: "textbox" })[el.localName] ||
    (el.localName === "input" ? ({ checkbox: "checkbox", radio: "radio", submit: "button", button: "button", text: "textbox", email: "textbox" })[el.type] || "" : "");
  const shown = (el) => {
    const r = el.getBoundingClientRect();
    if (el.type === "file") return true;
    return r.width > 0 && r.height > 0 && el.checkVisibility({ visibilityProperty: true });
  };
  const STRONG = ["data-testid", "data-test", "data-cy", "data-qa", "id", "name"];
  const WEAK = ["aria-label", "placeholder", "title", "href"];
  const stripped = (u) => u.replace(/[?#].*$/, "");
  const place = (u) => { try { return new URL(u).pathname; } catch { return stripped(u); } };

  // The document: the page, or the frame the element was in.
  const docs = [];
  const frames = want.frame ? want.frame.split(" > ").map((f) => f.replace(/#\d+$/, "")) : [];
  let foreign = 0;
  const visit = (doc, depth, dx, dy) => {
    if (depth === frames.length) { docs.push([doc, dx, dy]); return; }
    for (const f of doc.querySelectorAll("iframe,frame")) {
      let inner = null;
      try { inner = f.contentDocument; } catch { /* another site */ }
      if (!inner) { foreign++; continue; }
      if (place(stripped(inner.URL)) !== place(frames[depth])) continue;
      const r = f.getBoundingClientRect();
      visit(inner, depth + 1, dx + r.left + f.clientLeft, dy + r.top + f.clientTop);
    }
  };
  visit(document, 0, 0, 0);
  if (!docs.length) return { error: foreign ? "its frame is of another site" : "its frame is not there" };

  const everything = (root, out) => {
    for (const el of root.querySelectorAll("*")) {
      out.push(el);
      if (el.shadowRoot) everything(el.shadowRoot, out);
    }
    return out;
  };
  let best = [];
  let top = 1; // the place alone is not enough
  for (const [doc, dx, dy] of docs) {
    for (const el of everything(doc, [])) {
      if (want.tag && el.localName !== want.tag && !(want.role && role(el) === want.role)) continue;
      if (!want.tag && want.role && role(el) !== want.role) continue;
      const u = want.unique || {};
      const has = (a) => u[a] && el.getAttribute(a) === u[a];
      const differs = (a) => u[a] && el.getAttribute(a) && el.getAttribute(a) !== u[a];
      if (u.value && el.getAttribute("value") !== u.value) continue;
      if (["data-testid", "data-test", "data-cy", "data-qa", "name"].some(differs)) continue;
      const named = want.name && squash(labelled(el)) === squash(want.name);
      const strong = STRONG.some(has);
      if (want.name && !named && !strong && !WEAK.some(has)) continue;
      const score = (strong ? 4 : 0) + (named ? 3 : 0) + (WEAK.some(has) ? 2 : 0) + (want.path && pathOf(el) === want.path ? 1 : 0);
      if (score < top || score === 0 || !shown(el)) continue;
      if (score > top) { best = []; top = score; }
      if (score > 1) best.push([el, dx, dy]);
    }
  }
  // Twins are told apart by their order while all stand where they stood.
  const tags = (path) => path.replace(/\[\d+\]/g, "");
  if (best.length > 1 && want.twins === best.length && best.every(([el]) => !want.path || tags(pathOf(el)) === tags(want.path))) {
    best = [best[want.twin - 1]];
  }
  if (!best.length) return { error: "it is not on the page" };
  if (best.length > 1) return { error: best.length + " elements answer to it alike; refusing to guess" };

  const [el, dx, dy] = best[0];
  window.__found = el;
  if (el.matches(":disabled")) return { error: "it is disabled" };
  const target = shown(el) || !el.labels || !el.labels.length ? el : el.labels[0];
  target.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
  const r = target.getClientRects()[0] || target.getBoundingClientRect();
  const x = r.left + r.width / 2;
  const y = r.top + r.height / 2;
  let hit = target.getRootNode().elementFromPoint(x, y);
  const around = (n) => { for (let p = hit; p; p = p.parentNode || p.host) if (p === n) return true; return false; };
  const label = el.labels && [...el.labels].some(around);
  if (el.type !== "file" && hit && !around(target) && !label && !hit.contains(target)) {
    return { error: "it is covered by <" + hit.localName + (hit.id ? "#" + hit.id : "") + ">" };
  }
  return { x: x + dx, y: y + dy, tag: el.localName, type: el.type || "" };
}
