(async () => {
  const late = document.getElementById('late');
  const answer = await fetch('/slow/content?ms=' + late.dataset.delay);
  late.innerHTML = await answer.text();
  late.setAttribute('aria-busy', 'false');
})();
document.getElementById('freeze').addEventListener('click', () => {
  const end = performance.now() + 2000;
  while (performance.now() < end);
  document.getElementById('freeze-state').textContent = 'Done';
});
