// Live values, states and the parts of names.

// fieldState adds live values, never attributes, and returns state flags.
let extra = '';
const fieldState = (el, tag) => {
  let f = 0;
  const claim = getAttribute(el, 'aria-invalid');
  if (claim !== null && claim !== '' && claim !== 'false') f |= F_INVALID;
  switch (tag) {
    case 'input': {
      const type = el.type;
      if (type === 'checkbox' || type === 'radio') {
        if (el.checked) f |= F_CHECKED;
        if (el.indeterminate) f |= F_MIXED;
      } else if (type === 'file') {
        extra += field('.value', Array.from(el.files || [], (x) => x.name).join(', '));
      } else if (isSecret(el)) {
        f |= F_SECRET;
        if (el.value) extra += field('.value', '••••');
      } else {
        extra += field('.value', el.value.slice(0, maxText));
      }
      if (el.readOnly) f |= F_READONLY;
      if (el.required) f |= F_REQUIRED;
      if (el.willValidate && !el.validity.valid && (el.value !== '' || matches(el, ':user-invalid'))) f |= F_INVALID;
      break;
    }
    case 'textarea':
      extra += field('.value', isSecret(el) ? '••••' : el.value.slice(0, maxText));
      if (el.readOnly) f |= F_READONLY;
      if (el.required) f |= F_REQUIRED;
      break;
    case 'select': {
      const chosen = [];
      const os = el.options;
      let n = 0;
      for (let i = 0; i < os.length && i < 5000; i++) if (os[i].selected && chosen.length < 20) chosen.push(squash(os[i].label || os[i].text));
      extra += field('.value', chosen.join(', ')) + field('.optn', os.length);
      for (let i = 0; i < os.length && n < 40; i++, n++) extra += '|.opt|' + esc(well(squash(os[i].label || os[i].text).slice(0, 80)));
      if (el.required) f |= F_REQUIRED;
      break;
    }
    case 'option':
      extra += field('.text', squash(el.label || el.text).slice(0, 200));
      if (el.selected) f |= F_SELECTED;
      break;
    case 'details':
      if (el.open) f |= F_EXPANDED;
      break;
    case 'summary': {
      // It opens its parent, whose state is the one that it shows.
      const d = parentNode(el);
      if (d && localName(d) === 'details' && !hasAttribute(el, 'aria-expanded')) extra += field('aria-expanded', d.open ? 'true' : 'false');
      break;
    }
    case 'progress': case 'meter':
      extra += field('.value', el.position === -1 ? '' : el.value + '/' + el.max);
      break;
  }
  return f;
};

const nameParts = (el, tag) => {
  if (hasAttribute(el, 'aria-labelledby')) extra += field('.by', labelledBy(el));
  switch (tag) {
    case 'input': case 'select': case 'textarea': case 'meter': case 'progress': case 'button': case 'output':
      extra += field('.label', labelText(el));
      break;
    case 'fieldset': case 'table': case 'figure': case 'details': {
      const first = firstElement(el);
      if (first && /^(legend|caption|figcaption|summary)$/.test(localName(first))) extra += field('.label', spoken(first, 120));
      break;
    }
  }
  if (hasAttribute(el, 'aria-describedby')) {
    const d = byID(el, getAttribute(el, 'aria-describedby').trim().split(/\s+/)[0] || '');
    if (d && d !== el) extra += field('.desc', spoken(d, 200));
  }
};

// addressOf is where a link leads, '' for nowhere.
const addressOf = (el, fr) => {
  const u = el.href;
  if (typeof u === 'string') return u;
  // A link in a drawing.
  try { return new URL(u.baseVal, docBase(fr.doc)).href; } catch { return ''; }
};

// Most addresses are plain paths, which need no parser.
// Each character can be read in one way only: with two, an address that is
// not plain takes the engine the power of its length.
const PLAIN = /^\/[\w.\/-]*(?:\?[\w=&-]*)?$/;
const isPlain = (h, fr) => fr.origin !== '' && h.length <= 500 && PLAIN.test(h) && !/\/\/|\.\.|\/\.|\.\//.test(h);

// linkField and sourceField say where a link leads and a picture is from, and
// nothing where the attribute says it all.
const linkField = (el, fr) => {
  const h = getAttribute(el, 'href');
  if (h !== null && isPlain(h, fr)) return '|.href|';
  const u = addressOf(el, fr);
  return u === h && h.length <= 500 && h[0] !== '/' ? '|.href|' : field('.href', u.slice(0, 1000));
};
const sourceField = (el, fr) => {
  const u = el.currentSrc;
  if (u.startsWith('data:')) return '';
  const h = getAttribute(el, 'src');
  const same = h !== null && u.length <= 300 && (h[0] === '/' ? isPlain(h, fr) && u === fr.origin + h : u === h);
  return same ? '|.src|' : field('.src', u.slice(0, 300));
};

const describe = (el) => {
  const id = getAttribute(el, 'id');
  const words = squash(getAttribute(el, 'aria-label') || textContent(el).slice(0, 200)).slice(0, 40);
  return '<' + localName(el) + (id ? ' id=' + id.slice(0, 30) : '') + '>' + words;
};
