(() => {
  const on = (id, f) => document.getElementById(id).addEventListener('click', f);
  on('alert', () => { alert('Your parcel has left the shop.'); say('alert: closed'); });
  on('confirm', () => say('confirm: ' + (confirm('Empty the whole list?') ? 'yes' : 'no')));
  on('prompt', () => {
    const name = prompt('What is your name?', 'Robin');
    say(name === null ? 'prompt: cancelled' : 'prompt: ' + name);
  });
  on('twice', () => {
    const first = confirm('Are you sure?');
    const second = first && confirm('Really sure?');
    say('twice: ' + (second ? 'sure' : 'not sure'));
  });
  on('later', () => setTimeout(() => { alert('You have been quiet for a while.'); say('later: closed'); }, 500));

  const guard = document.getElementById('guard');
  addEventListener('beforeunload', (event) => {
    if (guard.checked) event.preventDefault();
  });

  const modal = document.getElementById('modal');
  on('open-modal', () => modal.showModal());
  modal.addEventListener('close', () => {
    say('modal: ' + (modal.returnValue === 'save' ? document.getElementById('list-name').value : 'cancelled'));
  });
})();
