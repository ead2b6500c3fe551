// Lists that are dragged, and lists that are longer than what is in the page.
(() => {
  const at = (id) => document.getElementById(id);

  // HTML drag and drop
  const list = at('sortable');
  let dragged = null;
  list.addEventListener('dragstart', (event) => {
    dragged = event.target;
    event.dataTransfer.setData('text/plain', dragged.id);
    event.dataTransfer.effectAllowed = 'move';
    dragged.classList.add('dragged');
  });
  list.addEventListener('dragover', (event) => {
    event.preventDefault();
    const over = event.target.closest('li');
    if (!over || over === dragged) return;
    const box = over.getBoundingClientRect();
    list.insertBefore(dragged, event.clientY < box.top + box.height / 2 ? over : over.nextSibling);
  });
  list.addEventListener('drop', (event) => event.preventDefault());
  list.addEventListener('dragend', () => {
    dragged.classList.remove('dragged');
    say('sorted: ' + [...list.children].map((li) => li.textContent).join(', '));
  });

  // Dragging by pointer events
  const piece = at('piece');
  const basket = at('basket');
  let from = null;
  piece.addEventListener('pointerdown', (event) => {
    from = { x: event.clientX, y: event.clientY };
    piece.setPointerCapture(event.pointerId);
  });
  piece.addEventListener('pointermove', (event) => {
    if (from) piece.style.transform = `translate(${event.clientX - from.x}px, ${event.clientY - from.y}px)`;
  });
  piece.addEventListener('pointerup', (event) => {
    if (!from) return;
    from = null;
    const b = basket.getBoundingClientRect();
    const inside = event.clientX >= b.left && event.clientX <= b.right && event.clientY >= b.top && event.clientY <= b.bottom;
    if (inside) basket.textContent = 'Basket with a mug';
    else piece.style.transform = '';
    say('dropped: ' + (inside ? 'in the basket' : 'beside the basket'));
  });

  // A list of which only the part in view exists
  const names = ['Anna', 'Bo', 'Clara', 'David', 'Elif', 'Finn', 'Grace', 'Hugo', 'Iris', 'Jan'];
  const total = 2000;
  const height = 40;
  const view = at('virtual');
  const rows = at('virtual-list');
  rows.style.height = total * height + 'px';
  function draw() {
    const first = Math.max(0, Math.floor(view.scrollTop / height) - 2);
    const out = [];
    for (let i = first; i < Math.min(total, first + 11); i++) {
      const li = document.createElement('li');
      li.style.top = i * height + 'px';
      li.setAttribute('aria-setsize', total);
      li.setAttribute('aria-posinset', i + 1);
      const b = document.createElement('button');
      b.type = 'button';
      b.className = 'plain';
      b.textContent = 'Customer ' + (i + 1) + ', ' + names[(i * 7) % names.length];
      b.addEventListener('click', () => say('customer: ' + (i + 1)));
      li.append(b);
      out.push(li);
    }
    rows.replaceChildren(...out);
  }
  view.addEventListener('scroll', draw);
  draw();

  // A feed that grows when its end comes near, up to 60 entries
  const feed = at('feed');
  function grow() {
    const have = feed.children.length;
    for (let i = have + 1; i <= Math.min(60, have + 10); i++) {
      const a = document.createElement('article');
      a.setAttribute('aria-posinset', i);
      a.setAttribute('aria-setsize', 60);
      const text = document.createElement('p');
      text.textContent = 'News ' + i + ': the kiln was fired ' + i + ' times this year.';
      const b = document.createElement('button');
      b.type = 'button';
      b.className = 'plain';
      b.textContent = 'Like';
      b.setAttribute('aria-label', 'Like news ' + i);
      b.addEventListener('click', () => say('liked: ' + i));
      a.append(text, b);
      feed.append(a);
    }
  }
  let waiting = 0;
  feed.addEventListener('scroll', () => {
    if (waiting || feed.scrollTop + feed.clientHeight < feed.scrollHeight - 80) return;
    waiting = setTimeout(() => { waiting = 0; grow(); }, 300);
  });
  grow();
})();
