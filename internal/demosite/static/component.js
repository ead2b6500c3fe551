// Elements whose insides are not in the page's own tree.
const style = `
  :host { display: inline-flex; font: inherit; }
  .row { display: inline-flex; align-items: center; gap: 4px; border: 1px solid #b9c4bf; border-radius: 9px; padding: 3px; }
  button { font: inherit; padding: 6px 14px; border: 0; border-radius: 7px; background: #e3f1ec; color: #14503f; font-weight: 600; cursor: pointer; }
  button:disabled { opacity: .4; }
  output { min-width: 2.5em; text-align: center; font-weight: 600; }
`;

customElements.define('wh-stepper', class extends HTMLElement {
  connectedCallback() {
    const root = this.attachShadow({ mode: 'closed' });
    const label = this.getAttribute('label');
    const max = Number(this.getAttribute('max') || 10);
    let value = Number(this.getAttribute('value') || 1);
    root.innerHTML = `<style>${style}</style><span class="row" role="group" aria-label="${label}">
      <button type="button" id="less" aria-label="One less">−</button><output>${value}</output><button type="button" id="more" aria-label="One more">+</button></span>`;
    const set = (v) => {
      value = v;
      root.querySelector('output').textContent = v;
      root.getElementById('less').disabled = v <= 1;
      root.getElementById('more').disabled = v >= max;
      this.dispatchEvent(new CustomEvent('step', { detail: v, bubbles: true, composed: true }));
    };
    root.getElementById('less').addEventListener('click', () => set(value - 1));
    root.getElementById('more').addEventListener('click', () => set(value + 1));
    root.getElementById('less').disabled = value <= 1;
  }
});

customElements.define('wh-card', class extends HTMLElement {
  connectedCallback() {
    const root = this.attachShadow({ mode: 'open' });
    root.innerHTML = `<style>${style} :host { display: block; border: 1px solid #dfe5e2; border-radius: 10px; padding: 16px; } .title { font-weight: 650; } p { margin: 8px 0; } .actions { display: flex; gap: 8px; }</style>
      <div class="title"><slot name="title"></slot></div><slot></slot><div class="actions"><slot name="actions"></slot><button type="button" id="more">Show more</button></div><p id="text" hidden>The class is on every first Saturday of the month.</p>`;
    root.getElementById('more').addEventListener('click', () => {
      root.getElementById('text').hidden = false;
      say('card: more');
    });
  }
});

customElements.define('wh-panel', class extends HTMLElement {
  connectedCallback() {
    const root = this.attachShadow({ mode: 'open' });
    root.innerHTML = `<style>${style} label { display: block; margin-bottom: 10px; } input { font: inherit; padding: 8px 12px; border: 1px solid #b9c4bf; border-radius: 8px; }</style>
      <div><label>Guest <input id="guest" autocomplete="off"></label><wh-stepper id="inner" label="Guests" value="2" max="6"></wh-stepper></div>`;
    root.getElementById('guest').addEventListener('change', (event) => say('guest = ' + event.target.value));
  }
});

// An input that takes part in a form from inside a closed root.
customElements.define('wh-field', class extends HTMLElement {
  static formAssociated = true;
  connectedCallback() {
    const internals = this.attachInternals();
    const root = this.attachShadow({ mode: 'closed', delegatesFocus: true });
    root.innerHTML = `<style>${style} label { display: grid; gap: 4px; } input { font: inherit; padding: 8px 12px; border: 1px solid #b9c4bf; border-radius: 8px; }</style>
      <label>${this.getAttribute('label')}<input autocomplete="off"></label>`;
    root.querySelector('input').addEventListener('input', (event) => internals.setFormValue(event.target.value));
  }
});

document.addEventListener('step', (event) => {
  if (event.target.id === 'stepper') document.getElementById('stepper-value').textContent = event.detail;
  say(event.target.id + ' = ' + event.detail);
});
document.getElementById('declared').shadowRoot.getElementById('declared-button').addEventListener('click', () => say('clicked: declared-button'));
document.getElementById('gift-form').addEventListener('submit', (event) => {
  event.preventDefault();
  say('form: from=' + new FormData(event.target).get('from'));
});
