(() => {
  const form = document.getElementById('seats');
  const picked = document.getElementById('picked');
  const chosen = () => [...form.querySelectorAll('[aria-pressed=true]')].map((b) => b.dataset.seat);
  for (const b of form.querySelectorAll('.seat')) {
    b.addEventListener('click', () => {
      b.setAttribute('aria-pressed', String(b.getAttribute('aria-pressed') !== 'true'));
      picked.textContent = chosen().join(', ') || 'No seat chosen';
    });
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (!chosen().length) {
      picked.textContent = 'Choose a seat first';
      return;
    }
    picked.textContent = 'Reserved';
    parent.postMessage({ type: 'seats', seats: chosen(), guest: form.elements.guest.value }, form.dataset.parent || '*');
  });
})();
