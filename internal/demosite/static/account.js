document.getElementById('delete-account').addEventListener('submit', (event) => {
  if (!confirm('Delete your account for good?')) event.preventDefault();
});
