for (const b of document.querySelectorAll('.star-button')) {
  b.addEventListener('click', () => {
    for (const o of document.querySelectorAll('.star-button')) o.classList.toggle('on', o.dataset.stars <= b.dataset.stars);
    parent.postMessage({ type: 'rating', stars: Number(b.dataset.stars) }, location.origin);
  });
}
