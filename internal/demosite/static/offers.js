// The banner goes away without a new page, and the voucher is given once.
document.querySelector('#cookies form')?.addEventListener('submit', async (event) => {
  event.preventDefault();
  await fetch('/offers/consent', { method: 'POST', body: new URLSearchParams({ choice: event.submitter.value }) });
  document.getElementById('cookies').remove();
});
document.getElementById('claim').addEventListener('click', (event) => {
  event.target.disabled = true;
  document.getElementById('claim-state').textContent = 'Your voucher is WREN-10. Show it in the shop.';
});
