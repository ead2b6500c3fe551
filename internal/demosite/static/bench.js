// say writes into the page's log, newest first. What carries data-log reports
// its clicks.
function say(text) {
  const line = document.createElement('li');
  line.textContent = text;
  document.getElementById('log').prepend(line);
  document.getElementById('log-empty').hidden = true;
}
for (const el of document.querySelectorAll('[data-log]')) {
  el.addEventListener('click', (event) => {
    if (el.matches('a[href="#"]')) event.preventDefault();
    say('clicked: ' + el.id);
  });
}
