// The form a walk is written in, line by line.
//
// A record is a line of fields divided by |. The first field is its kind:
//   e element   e|parent|flags|why|x|y|w|h|ref|tag|key|value|key|value...
//   t text      t|parent|flags|x|y|w|h|text
//   g gap       g|parent|above|below     elements left out for being far away
//   f frame     f|node|x|y|scale|vw|vh|sx|sy|sw|sh|url|title
//   x addition  x|node|key|value...
//   i identity  i|ref|tag|path|attribute|value...
// Keys that start with a dot are not attributes. In texts ^ | and line feed
// are written ^^ ^b ^n.

const F_TARGET = 1;
const F_DISABLED = 2;
const F_FOCUSED = 4;
const F_CHECKED = 8;
const F_MIXED = 16;
const F_SELECTED = 32;
const F_SCROLLS = 64;
const F_BREAK = 128;
const F_COVERED = 256;
const F_INVIEW = 512;
const F_QUIET = 1024; // aria-hidden
const F_UNSEEN = 2048; // not drawn, counts for names only
const F_OPENROOT = 4096;
const F_CLOSEDROOT = 8192;
const F_READONLY = 16384;
const F_REQUIRED = 32768;
const F_INVALID = 65536;
const F_EXPANDED = 131072; // details open
const F_EDITABLE = 262144;
const F_FOREIGN = 524288; // frame whose document lives in another process
const F_SECRET = 1048576;
const F_GLUE = 2097152; // a text that nothing parts from the text before it

const esc = (s) => (/[\^|\n]/.test(s) ? s.replace(/\^/g, '^^').replace(/\|/g, '^b').replace(/\n/g, '^n') : s);
const well = (s) => (s.isWellFormed() ? s : s.toWellFormed());
const DROP_ATTR = /^(style|on.*|d|points|srcset|sizes|nonce|integrity|ping|jsaction|jscontroller|jsname|jsmodel|jslog|data-(?!test|cy$|qa$|id$|state$|value$|date-format$|label$|title$|icon$|mask|inputmask|datepicker).*)$/;

const keepsAttr = new Map();
const keepAttr = (name) => {
  let k = keepsAttr.get(name);
  if (k === undefined) keepsAttr.set(name, k = !DROP_ATTR.test(name));
  return k;
};

// What one walk keeps; there is never more than one at a time.
let out = [];
let written = []; // many lines each
let count = 0; // records that get a position
let visited = 0;
let brk = true; // the next record starts a line
let sep = true; // something parts the next text from the one before
let soft = false; // and a new line, if it is on another row
let rowTop = 0; // of the text written last
let rowBottom = 0;
let flow = 0; // what the element looked at does to the text around it: nothing, a space, perhaps a line, a line
let partial = '';
let near = true;
let md = false;
let margin = 0;
let deadline = 0;
let maxText = 0;
let maxCount = 0;
let frames = [];
let suspects = [];
let foreign = [];
let shown = new Map(); // element -> position, for later additions
let must = new Set(); // elements whose boxes are not skipped
let mustKids = new Map();
let gaps = new Map(); // parent position -> [above, below]
let focused = null;
let range = null;
let plain = 0;
let viewW = 0;
let viewH = 0;
const R = Math.round;

const begin = (o) => {
  forgetLabels();
  out = [];
  written = [];
  count = visited = plain = 0;
  brk = sep = true;
  soft = false;
  partial = '';
  near = !o.full;
  md = !!o.md;
  margin = o.margin;
  deadline = now() + o.limit;
  maxText = o.text;
  maxCount = o.max;
  frames = [];
  suspects = [];
  foreign = [];
  shown = new Map();
  must = new Set();
  mustKids = new Map();
  gaps = new Map();
  crowds = new Map();
  focused = null;
  range = document.createRange();
  viewW = window.innerWidth;
  viewH = window.innerHeight;
};

// settle makes one string of the lines so far. The pieces of a line that is
// kept as such outlive what the engine clears away cheaply.
const settle = () => {
  if (out.length === 0) return;
  written.push(out.join('\n'));
  out = [];
};

const gap = (p, above) => {
  let g = gaps.get(p);
  if (!g) gaps.set(p, g = [0, 0]);
  g[above ? 0 : 1]++;
};

const place = (r, fr) => '|' + R(r.left * fr.k + fr.ox) + '|' + R(r.top * fr.k + fr.oy) + '|' + R(r.width * fr.k) + '|' + R(r.height * fr.k);

const attributes = (el, all) => {
  let s = '';
  for (const name of attributeNames(el)) {
    if (!keepAttr(name)) continue;
    if (!all && (name === 'class' ? !stateful(getAttribute(el, name)) : name === 'id')) continue;
    let v = getAttribute(el, name);
    if (v.length > 500) v = v.slice(0, v.startsWith('data:') ? 30 : 500) + '…';
    if (name === 'value' && (localName(el) === 'input' || localName(el) === 'textarea')) {
      if (isSecret(el)) continue;
    }
    s += '|' + esc(well(name)) + '|' + esc(well(v));
  }
  return s;
};

const field = (k, v) => (v === '' || v === null || v === undefined ? '' : '|' + k + '|' + esc(well(String(v))));
