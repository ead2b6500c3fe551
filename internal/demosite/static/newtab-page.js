document.getElementById('hello').addEventListener('click', () => {
  window.opener?.postMessage({ type: 'hello', text: 'hello from ' + document.getElementById('from').textContent }, location.origin);
});
document.getElementById('close').addEventListener('click', () => window.close());
