// The items of a container that listens on their behalf: the cells of a board,
// the keys of a pad, the days of a calendar.

const NO_ITEM = set('p h1 h2 h3 h4 h5 h6 br hr dt dd pre blockquote tr tbody thead tfoot table ul ol dl caption colgroup col form fieldset legend label script style template');
const PRESSES = 1 | 2 | 4 | 8 | 16; // the listener bits of a press

// How deep below the container its items may lie: in rows, say.
const ITEM_DEPTH = 3;

// delegates reports that el listens for presses, is no control itself, and is
// not as large as the page: there it is an application, not a board.
const delegates = (bits, why, el, r, fr) =>
  (bits & PRESSES) !== 0 && (why & (NATIVE | BYROLE | EDITABLE | LABEL | DRAG)) === 0 &&
  (r || rectOf(el)).height * (r || rectOf(el)).width < fr.vw * fr.vh * 0.6;

const firstWord = (el) => {
  const c = getAttribute(el, 'class');
  return c === null ? '' : c.trim().split(/\s+/, 1)[0];
};

// isItem reports that el is one of several alike and holds little itself.
const isItem = (el, tag) => {
  if (NO_ITEM.has(tag)) return false;
  let kids = 0;
  for (let k = firstElement(el); k; k = nextElement(k)) if (++kids > 2) return false;
  const cell = tag === 'td' || tag === 'th' || tag === 'li';
  const word = cell ? '' : firstWord(el);
  // Without a class in common, two alike are as likely a title and its text.
  let need = cell || word !== '' ? 1 : 2;
  for (const step of [prevElement, nextElement]) {
    for (let s = step(el), i = 0; s && i < 2; s = step(s), i++) {
      if (localName(s) === tag && (cell || firstWord(s) === word) && --need === 0) return true;
    }
  }
  return false;
};
