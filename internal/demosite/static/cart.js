// Choosing another quantity updates the cart at once.
document.addEventListener('change', (event) => {
  if (event.target.matches('form.quantity select')) event.target.form.requestSubmit();
});
