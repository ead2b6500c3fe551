(() => {
  const at = (id) => document.getElementById(id);
  const on = (id, name, f) => at(id).addEventListener(name, f);

  // Canvas: there is nothing in the page to click but the picture
  const canvas = at('canvas');
  const c = canvas.getContext('2d');
  c.fillStyle = '#f4f7f5';
  c.fillRect(0, 0, 300, 180);
  c.fillStyle = '#c2503f';
  c.beginPath();
  c.arc(60, 60, 30, 0, 2 * Math.PI);
  c.fill();
  c.fillStyle = '#3d6fa8';
  c.fillRect(190, 90, 60, 60);
  canvas.addEventListener('click', (event) => {
    const box = canvas.getBoundingClientRect();
    const x = Math.round(event.clientX - box.left);
    const y = Math.round(event.clientY - box.top);
    let what = 'field';
    if (Math.hypot(x - 60, y - 60) <= 30) what = 'circle';
    if (x >= 190 && x <= 250 && y >= 90 && y <= 150) what = 'square';
    say(`canvas: ${what} at ${x}, ${y}`);
  });

  on('double', 'dblclick', () => say('double click'));
  on('middle', 'auxclick', (event) => { if (event.button === 1) say('middle click'); });
  on('with-shift', 'click', (event) => say(event.shiftKey ? 'click with shift' : 'click without shift'));
  const menu = at('context-menu');
  on('context', 'contextmenu', (event) => {
    event.preventDefault();
    menu.hidden = false;
    say('right click');
  });
  on('context-rename', 'click', () => {
    menu.hidden = true;
    say('context menu: rename');
  });
  let held = 0;
  on('hold', 'pointerdown', () => { held = setTimeout(() => say('held'), 500); });
  for (const name of ['pointerup', 'pointerleave']) on('hold', name, () => clearTimeout(held));

  on('tip', 'pointerenter', () => { at('tip-text').hidden = false; say('hovered'); });
  on('tip', 'pointerleave', () => { at('tip-text').hidden = true; });

  // Slider
  const slider = at('slider');
  let value = 30;
  function set(v, done) {
    value = Math.max(0, Math.min(100, Math.round(v)));
    slider.setAttribute('aria-valuenow', value);
    at('thumb').style.left = value + '%';
    at('volume').textContent = value;
    if (done) say('slider = ' + value);
  }
  const byPointer = (event) => {
    const box = slider.getBoundingClientRect();
    return (100 * (event.clientX - box.left)) / box.width;
  };
  slider.addEventListener('pointerdown', (event) => {
    slider.setPointerCapture(event.pointerId);
    set(byPointer(event));
  });
  slider.addEventListener('pointermove', (event) => {
    if (slider.hasPointerCapture(event.pointerId)) set(byPointer(event));
  });
  slider.addEventListener('pointerup', (event) => set(byPointer(event), true));
  slider.addEventListener('keydown', (event) => {
    const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
    if (by) {
      event.preventDefault();
      set(value + by, true);
    }
  });
  set(30);

  // Keys
  at('keys').addEventListener('keydown', (event) => {
    if (event.key === 'Tab') return;
    event.preventDefault();
    event.stopPropagation();
    const mods = [event.ctrlKey && 'Ctrl', event.altKey && 'Alt', event.metaKey && 'Meta', event.shiftKey && 'Shift'].filter(Boolean);
    if (!['Control', 'Alt', 'Meta', 'Shift'].includes(event.key)) say('key: ' + [...mods, event.key].join('+'));
  });
  const command = at('command');
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey && event.key === 'k') {
      event.preventDefault();
      command.hidden = false;
      at('command-input').focus();
      say('shortcut: command line');
    } else if (event.key === 'Escape' && !command.hidden) {
      command.hidden = true;
      say('shortcut: closed');
    } else if (event.key === '?' && !event.target.matches('input')) {
      say('shortcut: help');
    }
  });
  on('command-input', 'keydown', (event) => {
    if (event.key === 'Enter') say('command: ' + event.target.value);
  });

  // Map: wheel zooms, dragging moves
  const map = at('wheel');
  const state = { zoom: 1, x: 0, y: 0 };
  const show = () => { at('zoom').textContent = `Zoom ${state.zoom}, at ${state.x}, ${state.y}`; };
  map.addEventListener('wheel', (event) => {
    event.preventDefault();
    state.zoom = Math.max(1, state.zoom + (event.deltaY < 0 ? 1 : -1));
    show();
    say('zoom = ' + state.zoom);
  }, { passive: false });
  map.addEventListener('pointerdown', (event) => map.setPointerCapture(event.pointerId));
  map.addEventListener('pointermove', (event) => {
    if (!map.hasPointerCapture(event.pointerId)) return;
    state.x += Math.round(event.movementX);
    state.y += Math.round(event.movementY);
    show();
  });
  map.addEventListener('pointerup', () => say(`map at ${state.x}, ${state.y}`));
})();
