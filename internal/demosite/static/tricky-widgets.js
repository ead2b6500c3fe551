(() => {
  const at = (id) => document.getElementById(id);

  // Tabs
  const tabs = [...document.querySelectorAll('[role=tab]')];
  function select(tab) {
    for (const t of tabs) {
      const on = t === tab;
      t.setAttribute('aria-selected', String(on));
      t.tabIndex = on ? 0 : -1;
      at(t.getAttribute('aria-controls')).hidden = !on;
    }
    tab.focus();
    say('tab: ' + tab.textContent);
  }
  tabs.forEach((t, i) => {
    t.addEventListener('click', () => select(t));
    t.addEventListener('keydown', (event) => {
      if (event.key === 'ArrowRight') select(tabs[(i + 1) % tabs.length]);
      if (event.key === 'ArrowLeft') select(tabs[(i + tabs.length - 1) % tabs.length]);
    });
  });

  // Accordion
  at('details-wash').addEventListener('toggle', (event) => say('details: ' + (event.target.open ? 'open' : 'closed')));
  at('acc-return').addEventListener('click', (event) => {
    const open = event.target.getAttribute('aria-expanded') !== 'true';
    event.target.setAttribute('aria-expanded', String(open));
    at('acc-return-text').hidden = !open;
    say('accordion: ' + (open ? 'open' : 'closed'));
  });

  // Menu, whose second level opens when the pointer is over it
  const menu = at('menu');
  const button = at('menu-button');
  function toggle(open) {
    menu.hidden = !open;
    button.setAttribute('aria-expanded', String(open));
  }
  button.addEventListener('click', () => toggle(menu.hidden));
  document.addEventListener('click', (event) => {
    if (!event.target.closest('.menu')) toggle(false);
  });
  const move = at('menu-move');
  move.parentElement.addEventListener('pointerenter', () => move.setAttribute('aria-expanded', 'true'));
  move.parentElement.addEventListener('pointerleave', () => move.setAttribute('aria-expanded', 'false'));
  for (const [id, text] of [['menu-copy', 'copy'], ['move-attic', 'move to attic'], ['move-cellar', 'move to cellar']]) {
    at(id).addEventListener('click', () => {
      toggle(false);
      say('menu: ' + text);
    });
  }

  // Tree
  at('tree').addEventListener('click', (event) => {
    const item = event.target.closest('[role=treeitem]');
    if (!item) return;
    for (const i of at('tree').querySelectorAll('[role=treeitem]')) i.setAttribute('aria-selected', String(i === item));
    if (item.hasAttribute('aria-expanded')) item.setAttribute('aria-expanded', String(item.getAttribute('aria-expanded') !== 'true'));
    const state = item.hasAttribute('aria-expanded') ? (item.getAttribute('aria-expanded') === 'true' ? ' open' : ' closed') : '';
    say('tree: ' + item.firstElementChild.textContent + state);
  });

  // Calendar
  const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
  let year = 2026;
  let month = 5;
  function draw() {
    at('month-name').textContent = months[month] + ' ' + year;
    const lead = (new Date(Date.UTC(year, month, 1)).getUTCDay() + 6) % 7;
    const count = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
    const rows = [];
    for (let day = 1 - lead; day <= count; day += 7) {
      const row = document.createElement('tr');
      for (let d = day; d < day + 7; d++) {
        const cell = document.createElement('td');
        if (d >= 1 && d <= count) {
          const b = document.createElement('button');
          b.type = 'button';
          b.textContent = d;
          b.setAttribute('aria-label', d + ' ' + months[month] + ' ' + year);
          b.addEventListener('click', () => {
            say('calendar: ' + [year, String(month + 1).padStart(2, '0'), String(d).padStart(2, '0')].join('-'));
          });
          cell.append(b);
        }
        row.append(cell);
      }
      rows.push(row);
    }
    at('days').replaceChildren(...rows);
  }
  function turn(by) {
    const t = year * 12 + month + by;
    year = Math.floor(t / 12);
    month = t % 12;
    draw();
  }
  at('month-before').addEventListener('click', () => turn(-1));
  at('month-after').addEventListener('click', () => turn(1));
  draw();
})();
