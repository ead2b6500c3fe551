(() => {
  const on = (id, f) => document.getElementById(id).addEventListener('click', f);
  const report = (what, w) => say(what + ': ' + (w ? 'opened' : 'blocked'));
  on('open', () => report('open', window.open('/new-tab/page?from=open')));
  on('popup', () => report('popup', window.open('/new-tab/page?from=popup', 'popup', 'width=480,height=400')));
  on('open-later', () => setTimeout(() => report('open-later', window.open('/new-tab/page?from=later')), 500));
  addEventListener('message', (event) => {
    if (event.origin === location.origin && event.data?.type === 'hello') say('message: ' + event.data.text);
  });
})();
