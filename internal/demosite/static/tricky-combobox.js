// A combobox that filters while typing and counts only what was picked, and a
// select made of divs.
(() => {
  const at = (id) => document.getElementById(id);
  const fabrics = ['Alpaca', 'Canvas', 'Cashmere', 'Corduroy', 'Cotton', 'Denim', 'Felt', 'Flannel', 'Jersey', 'Lambswool', 'Linen', 'Tweed'];
  const input = at('combo-input');
  const list = at('combo-list');
  let current = -1;

  function close() {
    list.hidden = true;
    current = -1;
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
  }
  function pick(text) {
    input.value = text;
    input.dataset.picked = text;
    close();
    say('combo = ' + text);
  }
  function mark(i) {
    const options = [...list.children];
    current = (i + options.length) % options.length;
    options.forEach((o, n) => o.setAttribute('aria-selected', String(n === current)));
    input.setAttribute('aria-activedescendant', options[current].id);
  }
  function open() {
    const text = input.value.trim().toLowerCase();
    const found = fabrics.filter((f) => f.toLowerCase().includes(text));
    list.replaceChildren(...found.map((f) => {
      const o = document.createElement('li');
      o.id = 'combo-' + f.toLowerCase();
      o.setAttribute('role', 'option');
      o.setAttribute('aria-selected', 'false');
      o.textContent = f;
      o.addEventListener('mousedown', (event) => { event.preventDefault(); pick(f); });
      return o;
    }));
    list.hidden = found.length === 0;
    current = -1;
    input.setAttribute('aria-expanded', String(found.length > 0));
  }
  let timer = 0;
  input.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(open, 150); });
  input.addEventListener('focus', open);
  input.addEventListener('keydown', (event) => {
    if (list.hidden) return;
    if (event.key === 'ArrowDown') mark(current + 1);
    else if (event.key === 'ArrowUp') mark(current - 1);
    else if (event.key === 'Enter' && current >= 0) pick(list.children[current].textContent);
    else if (event.key === 'Escape') close();
    else return;
    event.preventDefault();
  });
  // What was only typed does not count.
  input.addEventListener('blur', () => { input.value = input.dataset.picked || ''; close(); });

  const picker = at('picker');
  const options = at('picker-list');
  function toggle(open) {
    options.hidden = !open;
    picker.setAttribute('aria-expanded', String(open));
  }
  picker.addEventListener('click', () => toggle(options.hidden));
  picker.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' || event.key === ' ' || event.key === 'ArrowDown') { event.preventDefault(); toggle(true); }
    if (event.key === 'Escape') toggle(false);
  });
  for (const o of options.children) {
    o.addEventListener('click', () => {
      for (const other of options.children) other.setAttribute('aria-selected', String(other === o));
      at('picker-value').textContent = o.textContent;
      toggle(false);
      say('picker = ' + o.textContent);
    });
  }
})();
