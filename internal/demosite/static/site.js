// What every page has: suggestions while searching, and adding to the cart
// without leaving the page.
document.documentElement.classList.add('js');

function toast(text, link) {
  const box = document.createElement('p');
  box.className = 'toast';
  box.append(text);
  if (link) {
    const a = document.createElement('a');
    a.href = link.href;
    a.textContent = link.text;
    box.append(' ', a);
  }
  document.getElementById('toasts').append(box);
  setTimeout(() => box.remove(), 6000);
}

document.addEventListener('submit', async (event) => {
  const form = event.target;
  if (!form.matches('form.add')) return;
  event.preventDefault();
  const button = form.querySelector('button');
  button.disabled = true;
  try {
    const answer = await fetch(form.action, {
      method: 'POST',
      headers: { Accept: 'application/json' },
      body: new URLSearchParams(new FormData(form)),
    });
    const data = await answer.json();
    if (data.error) {
      toast(data.error);
    } else {
      document.getElementById('cart-count').textContent = data.items;
      toast(data.message, { href: '/cart', text: 'View cart' });
    }
  } catch {
    toast('That did not work. Please try again.');
  } finally {
    button.disabled = false;
  }
});

(() => {
  const input = document.getElementById('search');
  const list = document.getElementById('suggestions');
  let current = -1;
  let running = null;

  function close() {
    list.hidden = true;
    current = -1;
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
  }

  function mark(i) {
    const options = list.children;
    if (!options.length) return;
    current = (i + options.length) % options.length;
    for (const [n, o] of [...options].entries()) o.setAttribute('aria-selected', String(n === current));
    input.setAttribute('aria-activedescendant', options[current].id);
  }

  async function suggest() {
    running?.abort();
    const text = input.value.trim();
    if (text.length < 2) return close();
    running = new AbortController();
    try {
      const answer = await fetch('/api/suggest?q=' + encodeURIComponent(text), { signal: running.signal });
      const found = await answer.json();
      if (document.activeElement !== input || !found.length) return close();
      list.replaceChildren(...found.map((p, i) => {
        const item = document.createElement('li');
        item.id = 'suggestion-' + i;
        item.setAttribute('role', 'option');
        item.setAttribute('aria-selected', 'false');
        item.dataset.url = p.url;
        const img = document.createElement('img');
        img.src = p.image;
        img.alt = '';
        const name = document.createElement('span');
        name.textContent = p.name;
        const price = document.createElement('span');
        price.className = 'muted';
        price.textContent = p.price;
        item.append(img, name, price);
        return item;
      }));
      list.hidden = false;
      current = -1;
      input.setAttribute('aria-expanded', 'true');
    } catch (e) {
      if (e.name !== 'AbortError') close();
    }
  }

  let timer = 0;
  input.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(suggest, 120);
  });
  input.addEventListener('keydown', (event) => {
    if (list.hidden) return;
    if (event.key === 'ArrowDown') mark(current + 1);
    else if (event.key === 'ArrowUp') mark(current - 1);
    else if (event.key === 'Escape') close();
    else if (event.key === 'Enter' && current >= 0) location.href = list.children[current].dataset.url;
    else return;
    event.preventDefault();
  });
  input.addEventListener('blur', () => setTimeout(close, 150));
  list.addEventListener('mousedown', (event) => event.preventDefault());
  list.addEventListener('click', (event) => {
    const item = event.target.closest('li');
    if (item) location.href = item.dataset.url;
  });
})();
