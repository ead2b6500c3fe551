// Watches one document from the isolated world for change. Called with "arm"
// it begins to watch; with "wait" it answers {changes, still} once nothing has
// changed for quietMs, or after capMs.
(op, quietMs, capMs) => {
  const key = 'webhandQuiet';
  let w = globalThis[key];
  if (op === 'arm' || !w) {
    if (w) w.stop();
    const counts = new WeakMap();
    const roots = [];
    w = globalThis[key] = { changes: 0, last: performance.now() };
    const observer = new MutationObserver((records) => {
      for (const r of records) {
        // A clock or a ticker changes the same node for ever; it must not
        // keep the page from being called quiet.
        const n = (counts.get(r.target) || 0) + 1;
        counts.set(r.target, n);
        if (n > 8) continue;
        w.changes++;
        w.last = performance.now();
      }
    });
    const options = {
      subtree: true, childList: true, characterData: true, attributes: true,
      attributeFilter: ['class', 'hidden', 'open', 'disabled', 'src', 'href', 'value', 'checked',
        'aria-expanded', 'aria-hidden', 'aria-busy', 'aria-selected', 'aria-checked', 'aria-disabled'],
    };
    // A script that moves or fades something sets its style every few
    // milliseconds. What does so for ever is found out once.
    const endless = globalThis[key + 'Endless'] || (globalThis[key + 'Endless'] = new WeakSet());
    const moving = new WeakMap();
    const mover = new MutationObserver((records) => {
      const now = performance.now();
      for (const r of records) {
        if (endless.has(r.target)) continue;
        const m = moving.get(r.target);
        if (!m || now - m.last > 300) moving.set(r.target, { first: now, last: now });
        else m.last = now;
        if (m && m.last - m.first > 1500) endless.add(r.target);
        else w.last = now;
      }
    });
    const watch = (doc) => {
      try {
        observer.observe(doc, options);
        mover.observe(doc, { subtree: true, attributes: true, attributeFilter: ['style'] });
        roots.push(doc);
      } catch {
        // A document that is being replaced cannot be watched.
      }
    };
    watch(document);
    for (const f of document.getElementsByTagName('iframe')) {
      if (f.contentDocument) watch(f.contentDocument);
    }
    w.stop = () => { observer.disconnect(); mover.disconnect(); };
    w.animating = () => roots.some((d) => d.getAnimations && d.getAnimations().some((a) => {
      if (a.playState !== 'running' || !a.effect) return false;
      const t = a.effect.getComputedTiming();
      return t.endTime !== Infinity && t.endTime < 1000 && t.localTime < t.endTime;
    }));
  }
  if (op === 'arm') return true;
  if (op === 'peek') return { changes: w.changes, still: true };
  // Without scripts nothing can change any more once everything is loaded.
  if (document.readyState === 'complete' && document.scripts.length === 0 && w.changes === 0 && !w.animating()) {
    w.stop();
    return { changes: 0, still: true };
  }
  const begun = performance.now();
  return new Promise((resolve) => {
    const look = () => {
      const now = performance.now();
      const still = now - w.last >= quietMs && !w.animating();
      if (!still && now - begun < capMs) {
        setTimeout(look, Math.max(10, Math.min(50, w.last + quietMs - now)));
        return;
      }
      w.stop();
      delete globalThis[key];
      resolve({ changes: w.changes, still });
    };
    look();
  });
}
