// The frames tell the page what was chosen. A message counts only when it is
// from the origin its frame was loaded from.
addEventListener('message', (event) => {
  const seats = document.getElementById('widget-result');
  if (event.origin === seats.dataset.from && event.data?.type === 'seats') {
    seats.textContent = event.data.seats.length ? 'Reserved: ' + event.data.seats.join(', ') : 'No seats yet.';
  }
  if (event.origin === location.origin && event.data?.type === 'rating') {
    document.getElementById('rating-result').textContent = 'You gave ' + event.data.stars + ' of 5.';
  }
});
