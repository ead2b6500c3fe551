// A styled button stands for the file input, as on most sites, and files can
// be dropped.
(() => {
  const form = document.getElementById('upload');
  const input = document.getElementById('file');
  const drop = document.getElementById('drop');
  const state = document.getElementById('upload-state');

  document.getElementById('choose').addEventListener('click', () => input.click());
  input.addEventListener('change', () => {
    document.getElementById('chosen').textContent = [...input.files].map((f) => f.name).join(', ') || 'No file chosen.';
  });

  async function send(files) {
    const body = new FormData();
    for (const f of files) body.append('file', f);
    state.textContent = 'Uploading';
    try {
      const answer = await fetch(form.action, { method: 'POST', headers: { Accept: 'application/json' }, body });
      const got = await answer.json();
      if (got.error) {
        state.textContent = got.error;
        return;
      }
      for (const u of got) {
        const row = document.getElementById('uploaded').tBodies[0].insertRow();
        const name = document.createElement('th');
        name.scope = 'row';
        name.textContent = u.name;
        row.append(name);
        const size = row.insertCell();
        size.className = 'num';
        size.textContent = u.size;
        const code = document.createElement('code');
        code.textContent = u.sha256;
        row.insertCell().append(code);
      }
      document.getElementById('nothing').hidden = true;
      state.textContent = 'Received ' + got.map((u) => u.name).join(', ');
    } catch {
      state.textContent = 'The upload failed.';
    }
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    send(input.files);
  });
  for (const name of ['dragenter', 'dragover']) {
    drop.addEventListener(name, (event) => {
      event.preventDefault();
      drop.classList.add('over');
    });
  }
  drop.addEventListener('dragleave', () => drop.classList.remove('over'));
  drop.addEventListener('drop', (event) => {
    event.preventDefault();
    drop.classList.remove('over');
    send(event.dataTransfer.files);
  });

  // A download that no server sent.
  document.getElementById('download-made').addEventListener('click', () => {
    const a = document.createElement('a');
    a.href = URL.createObjectURL(new Blob(['mug\nblanket\nlamp\n'], { type: 'text/plain' }));
    a.download = 'packing-list.txt';
    a.click();
    URL.revokeObjectURL(a.href);
  });
})();
