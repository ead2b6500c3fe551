(() => {
  const at = (id) => document.getElementById(id);

  for (const el of document.querySelectorAll('[data-change]')) {
    el.addEventListener('change', () => {
      let value = el.value;
      if (el.type === 'checkbox') value = el.checked ? 'on' : 'off';
      if (el.multiple) value = [...el.selectedOptions].map((o) => o.value).join('+');
      say(el.id + ' = ' + value);
    });
  }
  at('some').indeterminate = true;

  at('phone').addEventListener('input', (event) => {
    const digits = event.target.value.replace(/\D/g, '').slice(0, 9);
    event.target.value = digits.replace(/(\d{3})(?=\d)/g, '$1 ');
  });
  at('stubborn').addEventListener('input', (event) => {
    event.target.value = event.target.value.replace(/\d/g, '');
  });

  // What a framework with controlled inputs does: it remembers what it was told
  // by input events and puts that back, whatever a script wrote meanwhile.
  const controlled = at('controlled');
  let known = '';
  controlled.addEventListener('input', () => { known = controlled.value; });
  controlled.addEventListener('blur', () => { controlled.value = known; });

  at('reveal').addEventListener('click', (event) => {
    const show = at('secret').type === 'password';
    at('secret').type = show ? 'text' : 'password';
    event.target.textContent = show ? 'Hide' : 'Show';
    event.target.setAttribute('aria-pressed', String(show));
  });

  const digits = [...at('digits').children];
  const tellDigits = () => {
    const code = digits.map((d) => d.value).join('');
    if (code.length === digits.length) say('digits = ' + code);
  };
  digits.forEach((d, i) => {
    d.addEventListener('input', () => {
      d.value = d.value.replace(/\D/g, '').slice(0, 1);
      if (d.value) digits[i + 1]?.focus();
      tellDigits();
    });
    d.addEventListener('keydown', (event) => {
      if (event.key === 'Backspace' && !d.value) digits[i - 1]?.focus();
    });
    d.addEventListener('paste', (event) => {
      event.preventDefault();
      const text = event.clipboardData.getData('text').replace(/\D/g, '');
      [...text].forEach((c, n) => { if (digits[i + n]) digits[i + n].value = c; });
      tellDigits();
    });
  });

  for (const id of ['plain-editable', 'rich-editable']) {
    at(id).addEventListener('blur', (event) => say(id + ' = ' + event.target.innerText.replace(/\s+/g, ' ').trim()));
  }

  at('switch').addEventListener('click', (event) => {
    const b = event.currentTarget;
    const on = b.getAttribute('aria-checked') !== 'true';
    b.setAttribute('aria-checked', String(on));
    say('switch = ' + (on ? 'on' : 'off'));
  });

  const chips = at('chips');
  const chipInput = at('chip-input');
  chipInput.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !chipInput.value.trim()) return;
    event.preventDefault();
    const chip = document.createElement('span');
    chip.className = 'chip';
    chip.append(chipInput.value.trim());
    const remove = document.createElement('button');
    remove.type = 'button';
    remove.setAttribute('aria-label', 'Remove ' + chipInput.value.trim());
    remove.textContent = '×';
    remove.addEventListener('click', () => { chip.remove(); tell(); });
    chip.append(remove);
    chips.insertBefore(chip, chipInput);
    chipInput.value = '';
    tell();
  });
  function tell() {
    say('chips = ' + [...chips.querySelectorAll('.chip')].map((c) => c.firstChild.data).join('+'));
  }
})();
