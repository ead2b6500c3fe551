// The total follows the shipping, the note counts down, and an email address
// is checked when the field is left. The server checks everything again.
(() => {
  const form = document.getElementById('checkout');
  const sums = document.querySelector('.sums');
  const money = (cents) => '€' + (cents / 100).toFixed(2);

  function total() {
    const way = form.querySelector('input[name=shipping]:checked');
    const cost = way ? Number(way.dataset.cents) : 0;
    document.getElementById('shipping-cost').textContent = way ? (cost ? money(cost) : 'Free') : 'not chosen';
    document.getElementById('total').textContent = money(Number(sums.dataset.subtotal) + cost);
  }
  form.addEventListener('change', total);
  total();

  const note = document.getElementById('note');
  note.addEventListener('input', () => {
    const left = 300 - [...note.value].length;
    document.getElementById('note-left').textContent = left < 0 ? ', ' + -left + ' too many' : ', ' + left + ' left';
  });

  function say(field, text) {
    document.getElementById(field.id + '-error').textContent = text;
    if (text) field.setAttribute('aria-invalid', 'true');
    else field.removeAttribute('aria-invalid');
  }
  const email = document.getElementById('email');
  email.addEventListener('blur', () => {
    if (!email.value) return;
    say(email, /^\S+@\S+\.\S+$/.test(email.value) ? '' : 'That is not an email address. It should look like name@example.org.');
  });
  form.addEventListener('input', (event) => {
    if (event.target.getAttribute('aria-invalid') && event.target !== email) say(event.target, '');
  });
  document.getElementById('errors')?.focus();
})();
