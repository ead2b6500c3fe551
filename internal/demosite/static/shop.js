// Filters change the list in place. Without this script the form's button does
// the same with a new page.
(() => {
  const form = document.getElementById('filters');
  const results = document.getElementById('results');
  const shown = document.getElementById('max-shown');
  const max = document.getElementById('max');
  let running = null;

  function query() {
    const q = new URLSearchParams();
    for (const [k, v] of new FormData(form)) {
      if (v !== '' && !(k === 'max' && v === max.max)) q.append(k, v);
    }
    return q.toString();
  }

  async function update() {
    running?.abort();
    running = new AbortController();
    const q = query();
    results.setAttribute('aria-busy', 'true');
    try {
      const answer = await fetch('/shop/results?' + q, { signal: running.signal });
      if (!answer.ok) throw new Error(answer.statusText);
      const focused = document.activeElement?.id;
      results.innerHTML = await answer.text();
      if (focused) document.getElementById(focused)?.focus();
      history.pushState(null, '', q ? '/shop?' + q : '/shop');
      document.title = document.getElementById('results-title').textContent + ' | Wren & Hollow';
      results.removeAttribute('aria-busy');
    } catch (e) {
      if (e.name !== 'AbortError') location.href = '/shop?' + q;
    }
  }

  max.addEventListener('input', () => { shown.textContent = '€' + max.value; });
  // The sort box belongs to the form but sits in the results, so its events
  // do not pass through the form.
  document.addEventListener('change', (event) => {
    if (event.target.form === form) update();
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    update();
  });
  addEventListener('popstate', () => location.reload());
})();
