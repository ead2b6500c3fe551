// A text that is long, or whose lines mean something, is written in pieces. Of
// one that is longer than what shows (a log, a licence, a file shown as it is)
// those near what shows are written, each where it stands.

const BROKEN = /\S[^\S\n]*\n\s*\S/;

// keepsLines tells whether the line ends in a text of el are line ends on the
// page.
const keepsLines = (el) => styleOf(el).whiteSpaceCollapse !== 'collapse';

// asWritten tells whether line ends in and between all texts of el are line
// ends on the page. Style is asked of code only.
const asWritten = (el, tag) => tag === 'pre' || tag === 'code' && keepsLines(el);

// indentOf is the white space that the first line of s with words begins with.
const indentOf = (s) => /(?:^|\n)([^\S\n]*)(?:\S|$)/.exec(s)[1];

// keepsSpaces tells whether the white space that a line of el begins with shows.
const keepsSpaces = (el) => /^(preserve|break-spaces)$/.test(styleOf(el).whiteSpaceCollapse);

// spaces is white space at the beginning of a line as the state tells it.
const spaces = (space) => space.replace(/\r/g, '').replace(/\t/g, '    ').replace(/./g, ' ').slice(0, 64);

// offsetAt finds where a text has come down to y, to a line, between [offset, y]
// low and high. A question takes Chrome up to a quarter of a second in texts of
// millions of characters; until says when to leave it at what is known.
const offsetAt = (n, y, low, high, until) => {
  let [lo, loY] = low;
  let [hi, hiY] = high;
  for (let i = 0; i < 40 && hi - lo > 32 && now() < until; i++) {
    const part = i < 6 && hiY > loY ? (y - loY) / (hiY - loY) : 0.5;
    const m = lo + Math.max(1, Math.min(hi - lo - 1, Math.floor((hi - lo) * part)));
    range.setStart(n, m);
    range.setEnd(n, Math.min(hi, m + 16));
    const r = range.getBoundingClientRect();
    if (r.height === 0) break;
    if (Math.abs(r.top - y) <= r.height) return m;
    if (r.top < y) {
      lo = m;
      loY = r.top;
    } else {
      hi = m;
      hiY = r.top;
    }
  }
  return hiY > loY ? lo + Math.floor((hi - lo) * (y - loY) / (hiY - loY)) : lo;
};

// between is the height at offset o, as far as the known points tell.
const between = (points, o) => {
  let i = 1;
  while (i < points.length - 1 && points[i][0] < o) i++;
  const [a, ya] = points[i - 1];
  const [b, yb] = points[i];
  return b > a ? ya + (yb - ya) * (o - a) / (b - a) : ya;
};

// pieceEnd is where a piece that may not go beyond to ends: at a line end, else
// between words.
const pieceEnd = (s, from, to, lines) => {
  if (lines) {
    const end = s.indexOf('\n', from);
    if (end >= 0 && end < to) return end + 1;
  }
  if (to >= s.length) return s.length;
  for (let i = to; i > to - 200 && i > from; i--) if (white(s.charCodeAt(i - 1))) return i;
  return to;
};

// pieceStart is where the line that from is in begins, or its word where the
// line is long.
const pieceStart = (s, from) => {
  const line = s.lastIndexOf('\n', from - 1) + 1;
  if (from - line < 200) return line;
  for (let i = from; i > from - 100; i--) if (white(s.charCodeAt(i - 1))) return i;
  return from;
};

// longBox is the box of a long text, from its two ends: asking for all of it
// takes seconds where it has millions of lines.
const longBox = (n, s, el) => {
  const all = rectOf(el);
  if (firstChild(el) === n && nextSibling(n) === null && scrollHeight(el) <= clientHeight(el) + 4 && clientHeight(el) > 0) return all;
  const edge = (from, to) => {
    range.setStart(n, from);
    range.setEnd(n, to);
    return range.getBoundingClientRect();
  };
  const start = s.search(/\S/);
  const end = s.trimEnd().length;
  const a = edge(start, Math.min(end, start + 16));
  const b = edge(Math.max(start, end - 16), end);
  if (a.height > 0 && b.bottom > a.top) return { left: all.left, right: all.right, top: a.top, bottom: b.bottom, width: all.width, height: b.bottom - a.top };
  return edge(0, s.length);
};

// pieces writes the text s of n, whose box is r and whose first line is
// indented by lead.
const pieces = (n, s, c, r, flags, lines, lead) => {
  const points = [[0, r.top], [s.length, r.bottom]];
  const until = now() + 60;
  const known = (y) => {
    if (y <= r.top || y >= r.bottom || s.length <= maxText) return;
    const i = points.findIndex((p) => p[1] >= y);
    points.splice(i, 0, [offsetAt(n, y, points[i - 1], points[i], until), y]);
  };
  const { clip } = c;
  const y0 = Math.max(c.near.y0, c.hard.y0);
  const y1 = Math.min(c.near.y1, c.hard.y1);
  let from = 0;
  let to = s.length;
  if (r.bottom <= y0 || r.top >= y1) {
    to = Math.min(to, maxText);
  } else {
    for (const y of [y0, clip.y0, clip.y1, y1]) known(y);
    const at = (y) => points.find((p) => p[1] >= y)[0];
    if (y0 > r.top) from = at(y0);
    if (y1 < r.bottom) to = at(y1);
    const most = maxText * (near ? 16 : 128);
    if (to - from > most) {
      // What shows, and as much before it as after.
      const begin = Math.max(from, clip.y0 < r.bottom ? at(clip.y0) - (most >> 1) : 0);
      unsaid += near ? 0 : to - from - most;
      to = Math.min(to, begin + most);
      from = Math.max(from, to - most);
    }
  }
  if (from > 0) from = pieceStart(s, from);
  if (to < s.length) to = pieceEnd(s, to, to + 200, true);
  const rest = (flags | F_BREAK) & ~(F_GLUE | F_INVIEW);
  let f = from === 0 ? flags & ~F_INVIEW : rest;
  const spaced = lines && c.t < 0 && keepsSpaces(c.el);
  for (let i = from; i < to;) {
    const end = pieceEnd(s, i, Math.min(to, i + maxText), lines);
    const piece = s.slice(i, end);
    const t = squash(piece);
    const top = between(points, i);
    const bottom = Math.max(between(points, end), top + 1);
    let mark = '';
    if (i === from && from > 0) mark = '…';
    else if (i === 0) mark = lead;
    else if (spaced && s[i - 1] === '\n') mark = spaces(indentOf(piece));
    const more = end >= to && to < s.length ? '…' : '';
    i = end;
    if (t === '') continue;
    const seen = bottom > clip.y0 + 1 && top < clip.y1 - 1 ? flags & F_INVIEW : 0;
    out.push(head('t', c.p, count, f | seen) + place({ left: r.left, top, width: r.width, height: bottom - top }, c.fr) + '|' + esc(well(mark + t + more)));
    count++;
    f = rest;
    rowTop = top;
    rowBottom = bottom;
  }
};
