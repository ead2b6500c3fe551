// What a person can use, and the words that go with it.

const set = (s) => new Set(s.split(' '));
const SKIP = set('script style head meta link title template noscript base param source track datalist map area frameset-x wbr');
const SVG_SKIP = set('defs clipPath mask pattern symbol linearGradient radialGradient metadata title desc style script marker filter animate animateTransform animateMotion set stop');
const SHAPES = set('rect circle ellipse line polyline polygon path text image use');
const INLINE = set('a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q ruby rt rp s samp slot small span strike strong sub sup time tt u var wbr');
const STRUCK = set('s del strike'); // crossed out: never one word with what follows
const CONTAINERS = set('h1 h2 h3 h4 h5 h6 ul ol menu li dl dt dd table tr td th caption form fieldset legend dialog nav main header footer aside article figure figcaption details blockquote pre label img svg canvas video audio object embed iframe frame progress meter output search');
const ROLES = set('button link checkbox radio switch tab menuitem menuitemcheckbox menuitemradio option treeitem textbox searchbox combobox slider spinbutton scrollbar');
const QUIET_ROLES = set('dialog alertdialog region main tabpanel document article navigation group alert list listbox-x table row rowgroup grid treegrid tree tablist toolbar application feed form complementary banner contentinfo presentation none note status log figure img heading listitem menu menubar radiogroup');
const STATEFUL = /(^|[\s_-])(active|selected|current|checked|disabled|error|invalid|open|opened|expanded|collapsed|on|highlight|highlighted|completed|done|focus|focused|pressed)($|[\s_-])/i;

// Why something is a target.
const NATIVES = set('button select textarea summary canvas embed object input');
const NATIVE = 1;
const BYROLE = 2;
const FOCUSABLE = 4;
const HANDLER = 8;
const POINTER = 16;
const LISTENER = 32;
const DRAG = 64;
const EDITABLE = 128;
const LABEL = 256;

const roleToken = (el) => {
  const r = getAttribute(el, 'role');
  return r ? r.trim().split(/\s+/)[0].toLowerCase() : '';
};

// stateful tells whether a class list says something about a state; lists
// repeat, so answers are kept.
const statefulSeen = new Map();
const stateful = (cls) => {
  let v = statefulSeen.get(cls);
  if (v === undefined) {
    if (statefulSeen.size > 5000) statefulSeen.clear();
    statefulSeen.set(cls, v = STATEFUL.test(cls));
  }
  return v;
};

const FIELDS = set('button input select textarea option optgroup fieldset');

// wordless: not a single visible character in el.
const wordless = (el) => {
  const c = firstChild(el);
  if (c === null) return true;
  if (nodeType(c) === TEXT && /\S/.test(data(c))) return false;
  return !/\S/.test(textContent(el));
};

// evidence of use that attributes give, with what their names told; 0 when
// there is none.
const evidence = (el, tag, told) => {
  let e = 0;
  switch (tag) {
    case 'a': case 'area':
      if (hasAttribute(el, 'href')) e |= NATIVE;
      break;
    case 'button': case 'select': case 'textarea': case 'canvas': case 'embed':
      e |= NATIVE;
      break;
    case 'input':
      if (el.type !== 'hidden') e |= NATIVE;
      break;
    case 'object':
      e |= NATIVE;
      break;
    case 'video': case 'audio':
      if (hasAttribute(el, 'controls')) e |= NATIVE;
      break;
    case 'summary': {
      const p = parentNode(el);
      if (p && nodeType(p) === ELEMENT && localName(p) === 'details' && !prevElement(el)) e |= NATIVE;
      break;
    }
  }
  const role = told & A_ROLE ? roleToken(el) : '';
  if (ROLES.has(role)) e |= BYROLE;
  if (told & A_HANDLER) e |= HANDLER;
  if ((told & A_USE) === 0) return e;
  if (hasAttribute(el, 'draggable') && getAttribute(el, 'draggable').toLowerCase() === 'true') e |= DRAG;
  if (hasAttribute(el, 'contenteditable')) {
    const v = getAttribute(el, 'contenteditable').toLowerCase();
    if (v !== 'false' && el.isContentEditable) e |= EDITABLE;
  }
  if (hasAttribute(el, 'tabindex')) {
    const t = parseInt(getAttribute(el, 'tabindex'), 10);
    if (t >= 0 && !QUIET_ROLES.has(role) && !(role === '' && (CONTAINERS.has(tag) && tag !== 'li' && tag !== 'td' && tag !== 'label' && tag !== 'img' && tag !== 'svg'))) e |= FOCUSABLE;
  }
  return e;
};

const byID = (el, id) => {
  const root = getRootNode(el);
  return nodeType(root) === DOCUMENT ? byId.doc(root, id) : nodeType(root) === FRAGMENT ? byId.root(root, id) : null;
};

// fieldWords is what a field inside a label says: "after [3] days".
const fieldWords = (el, tag) => {
  if (tag === 'select') {
    const o = el.selectedOptions;
    return o.length ? o[0].label || o[0].text : '';
  }
  if (tag === 'input' && /^(checkbox|radio|file|image|color|hidden|button|submit|reset)$/.test(el.type) || isSecret(el)) return '';
  return el.value.slice(0, 100);
};

// spoken is the text of el as it counts for a name: what style makes a block
// is a word of its own, pictures by their alternative text, fields other than
// own, the one that is named, by their value. What is hidden counts only when
// all of el is.
const spoken = (el, limit, own) => {
  let out = '';
  const all = !checkVisibility(el);
  const visit = (n, depth) => {
    for (let c = firstChild(n); c && out.length < limit; c = nextSibling(c)) {
      const t = nodeType(c);
      if (t === TEXT) {
        out += data(c).slice(0, limit);
      } else if (t === ELEMENT && depth < 40) {
        const tag = localName(c);
        if (tag === 'br') out += ' ';
        if (SKIP.has(tag) || c === own || !all && getAttribute(c, 'aria-hidden') === 'true') continue;
        const style = styleOf(c);
        if (!all && (style.display === 'none' || style.visibility !== 'visible')) continue;
        if (hasAttribute(c, 'aria-label')) out += ' ' + getAttribute(c, 'aria-label') + ' ';
        else if (tag === 'img') out += ' ' + (getAttribute(c, 'alt') || '') + ' ';
        else if (tag === 'input' || tag === 'select' || tag === 'textarea') out += ' ' + fieldWords(c, tag) + ' ';
        else {
          const gap = style.display === 'inline' || style.display === 'contents' ? '' : ' ';
          out += gap;
          visit(c, depth + 1);
          out += gap;
        }
      }
    }
  };
  visit(el, 0);
  return squash(out).slice(0, limit);
};

// labelledBy follows aria-labelledby in the element's own tree.
const labelledBy = (el) => {
  const ids = getAttribute(el, 'aria-labelledby');
  if (!ids) return '';
  const parts = [];
  for (const id of ids.trim().split(/\s+/).slice(0, 8)) {
    const ref = byID(el, id);
    if (!ref) continue;
    const tag = localName(ref);
    const t = getAttribute(ref, 'aria-label') ||
      (tag === 'input' || tag === 'select' || tag === 'textarea' ? fieldWords(ref, tag) : tag === 'img' ? getAttribute(ref, 'alt') : spoken(ref, 200));
    if (t) parts.push(t);
  }
  return squash(parts.join(' '));
};

// labelsOf returns the labels of a field. The field's own list of them walks
// the whole document each time, so one look serves all fields of a walk.
let labelMaps = new Map();
const forgetLabels = () => { labelMaps = new Map(); };
const NO_LABELS = [];
const labelsOf = (el) => {
  const root = getRootNode(el);
  let m = labelMaps.get(root);
  if (!m) {
    labelMaps.set(root, m = new Map());
    const t = nodeType(root);
    const all = t === DOCUMENT ? docQueryAll(root, 'label') : t === FRAGMENT ? rootQueryAll(root, 'label') : NO_LABELS;
    for (let i = 0; i < all.length; i++) {
      const c = all[i].control;
      if (!c) continue;
      const ls = m.get(c);
      if (ls) ls.push(all[i]);
      else m.set(c, [all[i]]);
    }
  }
  return m.get(el) || NO_LABELS;
};

// labelText joins the texts of a field's labels.
const labelText = (el) => {
  const ls = labelsOf(el);
  const parts = [];
  for (let i = 0; i < ls.length && i < 4; i++) parts.push(spoken(ls[i], 200, el));
  return parts.length === 1 ? parts[0] : squash(parts.join(' '));
};

const isSecret = (el) => {
  if (el.type === 'password') secrets.add(el);
  if (secrets.has(el)) return true;
  const ac = (getAttribute(el, 'autocomplete') || '').toLowerCase();
  return /(^|\s)(one-time-code|cc-number|cc-csc|current-password|new-password)(\s|$)/.test(ac);
};

// usableControl: a checkbox, radio or file field a person can press itself.
const usableControl = (el) => {
  if (!checkVisibility(el, FULL_VIS)) return false;
  const r = rectOf(el);
  return r.width > 2 && r.height > 2;
};

// drawn is what CSS draws before or after an element that has no words.
const drawn = (el) => {
  let out = '';
  for (const p of ['::before', '::after']) {
    const c = styleOf(el, p).content;
    if (c && c[0] === '"') out += ' ' + c.slice(1, c.lastIndexOf('"')).replace(/[\ue000-\uf8ff]/g, '');
  }
  return squash(out);
};

// iconOf finds a word for a target without any: in the class of its icon or in
// what its drawing refers to.
const ICON = /(?:^|\s)(?:[a-z]{1,4}-icon|anticon|dashicons|fa|icon|icons|bi|glyphicon|ti|mdi|octicon|lucide|ri|la|feather|i|svg|sprite|ico)-{1,2}([a-z][a-z0-9-]*)/i;
const ICON_NOISE = /^(fw|lg|sm|xs|solid|regular|brands|light|wrapper|container|button|btn|icon|inner|box|only|space|blank|\d+x)$/i;
const iconOf = (el) => {
  const list = queryAll(el, '*');
  for (let i = -1; i < list.length && i < 8; i++) {
    const e = i < 0 ? el : list[i];
    const icon = getAttribute(e, 'data-icon') || getAttribute(e, 'data-lucide');
    if (icon) return icon.slice(0, 40);
    if (localName(e) === 'use') {
      const h = getAttribute(e, 'href') || getAttribute(e, 'xlink:href') || '';
      const k = h.indexOf('#');
      if (k >= 0) return h.slice(k + 1, k + 41);
    }
    const cls = getAttribute(e, 'class') || '';
    const re = new RegExp(ICON.source, 'gi');
    for (let m = re.exec(cls); m; m = re.exec(cls)) if (!ICON_NOISE.test(m[1])) return m[1].slice(0, 40);
  }
  return '';
};
