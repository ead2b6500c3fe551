(() => {
  const at = (id) => document.getElementById(id);
  const on = (id, f) => at(id).addEventListener('click', f);

  on('aria-disabled', () => say('refused: aria-disabled'));
  on('prepare', () => setTimeout(() => { at('late').disabled = false; }, 1000));
  on('dismiss', () => at('cover').remove());
  on('settle', () => at('settling').classList.add('go'));
  on('listener', () => say('clicked: listener'));
  on('svg-icon', () => say('clicked: svg-icon'));

  // One listener for the whole document, as frameworks do it.
  document.addEventListener('click', (event) => {
    const el = event.target.closest('[data-act]');
    if (el) say('clicked: ' + el.dataset.act);
  });

  // A new node takes the button's place as soon as the pointer arrives.
  function fresh() {
    const b = document.createElement('button');
    b.type = 'button';
    b.className = 'button';
    b.id = 'rerendered';
    b.textContent = 'Replaced when touched';
    b.addEventListener('click', () => say('clicked: rerendered'));
    return b;
  }
  at('rerendered').addEventListener('pointerenter', () => at('rerendered').replaceWith(fresh()), { once: true });

  // A button that is another one after the first click.
  on('renamed', () => {
    const b = at('renamed');
    say('clicked: ' + b.textContent.toLowerCase());
    b.textContent = b.textContent === 'Buy' ? 'Cancel purchase' : 'Buy';
  });
})();
