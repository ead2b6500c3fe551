// The picture follows the chosen colour.
document.querySelector('.swatches').addEventListener('change', (event) => {
  const image = document.getElementById('product-image');
  image.src = event.target.dataset.image;
  image.alt = document.querySelector('h1').textContent + ' in ' + event.target.value;
});
