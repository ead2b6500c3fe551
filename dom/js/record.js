// The form a walk is written in, line by line.
//
// A record is a line of fields divided by |. The first field is its kind:
//   e element   e|up|flags|why|x|y|w|h|ref|tag|key|value|key|value...
//   t text      t|up|flags|x|y|w|h|text
//   g gap       g|parent|above|below     elements left out for being far away
//   f frame     f|node|x|y|scale|vw|vh|sx|sy|sw|sh|url|title|origin
//   x addition  x|node|key|value...
//   i identity  i|ref|tag|path|attribute|value...
// Keys that start with a dot are not attributes. In texts ^ | and line feed
// are written ^^ ^b ^n.
//
// Carrying a page to the caller costs about as much as walking it, so what
// elements and texts have in common with their neighbours is not said again.
// Nothing stands for 0 in their numbers, and up is how many records back the
// parent lies, nothing at the top. Flags are told where they are not those of
// what starts a line. A box is told as its difference from the box before, the
// ref of a target as its difference from one more than the ref before. The key
// .t holds the only text of its element, where their boxes are one. .href and
// .src say nothing where they are the attribute of the name, behind the origin
// if that begins with a slash; .bg says = for that of the element before.

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

// keyOf is an attribute's name as it is written, '' for what is left out.
const keys = new Map();
const keyOf = (name) => {
  let k = keys.get(name);
  if (k === undefined) keys.set(name, k = DROP_ATTR.test(name) ? '' : '|' + esc(well(name)) + '|');
  return k;
};

// What one walk keeps; there is never more than one at a time.
let out = [];
let written = []; // many lines each
let count = 0; // records that get a position
let visited = 0;
let brk = true; // the next record starts a line
let sep = true; // something parts the next text from the one before
let indent = ''; // white space that the next line begins with
let soft = false; // and a new line, if it is on another row
let rowTop = 0; // of the text written last
let rowBottom = 0;
let flow = 0; // what the element looked at does to the text around it: nothing, a space, perhaps a line, a line
let partial = '';
let near = true;
let md = false;
let margin = 0;
let deadline = 0;
let maxText = 0; // of a text's pieces and of a value
let unsaid = 0; // characters of long texts that a whole walk left out
let maxCount = 0;
let frames = [];
let suspects = [];
let foreign = [];
let scrollers = [];
let shown = new Map(); // element -> position, for later additions
let must = new Set(); // elements whose boxes are not skipped
let mustKids = new Map();
let gaps = new Map(); // parent position -> [above, below]
let lastX = 0; // the box before
let lastY = 0;
let lastW = 0;
let lastH = 0;
let lastRef = 0;
let lastBack = '';
let tail = -1; // position of the element whose line is the last one, if it may be added to
let focused = null;
let range = null;
let plain = 0;
let viewW = 0;
let viewH = 0;
const R = Math.round;

const newLine = () => {
  brk = sep = true;
  indent = '';
};

const begin = (o) => {
  branch = null;
  forgetLabels();
  out = [];
  written = [];
  count = visited = plain = 0;
  newLine();
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
  scrollers = [];
  shown = new Map();
  must = new Set();
  mustKids = new Map();
  gaps = new Map();
  crowds = new Map();
  untested = unsaid = slow = 0;
  lastX = lastY = lastW = lastH = lastRef = 0;
  lastBack = '';
  tail = -1;
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
  tail = -1;
};

const gap = (p, above) => {
  let g = gaps.get(p);
  if (!g) gaps.set(p, g = [0, 0]);
  g[above ? 0 : 1]++;
};

// num is a number as a field. Most are small, and each string made anew is one
// more to clear away.
const numbers = new Array(4001);
const num = (n) => {
  if (n === 0) return '|';
  if (n < -1000 || n > 3000) return '|' + n;
  const s = numbers[n + 1000];
  return s === undefined ? (numbers[n + 1000] = '|' + n) : s;
};

// head begins the record at pos, below that at p.
const head = (kind, p, pos, flags) => kind + num(p < 0 ? 0 : pos - p) + num(flags ^ F_BREAK);

const place = (r, fr) => {
  const k = fr.k;
  const x = R(r.left * k + fr.ox);
  const y = R(r.top * k + fr.oy);
  const w = R(r.width * k);
  const h = R(r.height * k);
  const s = num(x - lastX) + num(y - lastY) + num(w - lastW) + num(h - lastH);
  lastX = x;
  lastY = y;
  lastW = w;
  lastH = h;
  return s;
};

const refField = (el) => {
  const n = refNumber(el);
  const d = n - lastRef - 1;
  lastRef = n;
  return num(d);
};

const backField = (bg) => {
  if (bg === lastBack) return '|.bg|=';
  lastBack = bg;
  return field('.bg', bg);
};

// What the names of an element's attributes tell at a glance.
const A_INERT = 1;
const A_USE = 2; // evidence of use
const A_HANDLER = 4;
const A_ROLE = 8; // role or aria-live
const A_LABEL = 16;
const A_CLASS = 32;
const A_QUIET = 64; // aria-hidden
const A_LABELLEDBY = 128;
const A_STATE = 256; // aria-disabled
const nameBits = new Map();
for (const [bits, names] of [
  [A_INERT, 'inert'], [A_ROLE | A_USE, 'role'], [A_ROLE, 'aria-live'], [A_LABEL, 'aria-label'], [A_CLASS, 'class'], [A_QUIET, 'aria-hidden'],
  [A_LABELLEDBY, 'aria-labelledby'], [A_STATE, 'aria-disabled'], [A_USE, 'href controls tabindex contenteditable draggable'],
  [A_USE | A_HANDLER, 'onclick onmousedown onmouseup onpointerdown onpointerup ondblclick oncontextmenu ontouchstart ondragstart'],
]) for (const n of names.split(' ')) nameBits.set(n, bits);
const NO_NAMES = [];
const bitsOf = (names) => {
  let bits = 0;
  for (let i = 0; i < names.length; i++) bits |= nameBits.get(names[i]) | 0;
  return bits;
};

// attributes writes those of el that are kept; names are all it has.
const attributes = (el, names, all) => {
  let s = '';
  for (let i = 0; i < names.length; i++) {
    const name = names[i];
    const key = keyOf(name);
    if (key === '') continue;
    if (!all && (name === 'class' ? !stateful(getAttribute(el, name)) : name === 'id')) continue;
    let v = getAttribute(el, name);
    if (v.length > 500) v = v.slice(0, v.startsWith('data:') ? 30 : 500) + '…';
    if (name === 'value' && (localName(el) === 'input' || localName(el) === 'textarea')) {
      if (isSecret(el)) continue;
    }
    s += key + esc(well(v));
  }
  return s;
};

const field = (k, v) => (v === '' || v === null || v === undefined ? '' : '|' + k + '|' + esc(well(String(v))));
