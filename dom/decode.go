package dom

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// ErrUnchanged is returned by [Decode] when the walk says that nothing changed
// since the generation it was given.
var ErrUnchanged = errors.New("dom: page unchanged since the last capture")

// ErrNoBranch is returned by [Decode] when the walk of a branch says that it
// cannot be told apart, or is not there.
var ErrNoBranch = errors.New("dom: no such branch of the page, or not the only one")

// errWire says that a capture is not in the walker's format.
var errWire = errors.New("dom: capture is not in the walker's format")

// Flags of a record, as the walker writes them.
const (
	fTarget uint32 = 1 << iota
	fDisabled
	fFocused
	fChecked
	fMixed
	fSelected
	fScrolls
	fBreak
	fCovered
	fInView
	fQuiet
	fUnseen
	fOpenRoot
	fClosedRoot
	fReadOnly
	fRequired
	fInvalid
	fExpanded
	fEditable
	fForeign
	fSecret
	fGlue // a text that nothing parts from the text before it
)

// Reasons for being a target, as the walker writes them.
const (
	whyNative = 1 << iota
	whyRole
	whyFocusable
	whyHandler
	whyPointer
	whyListener
	whyDrag
	whyEditable
	whyLabel
	whyScroll
)

// record is one element or text of a capture.
type record struct {
	parent     int32 // position in the capture, -1 at the top
	flags      uint32
	why        uint16
	frame      int32
	x, y, w, h int32
	ref        int32
	tag        string // "" for a text
	text       string // of a text
	attr0      int32  // attributes are attrs[attr0:attr1]
	attr1      int32
	above      int32 // children left out for being far above and below
	below      int32
}

// frameRecord is one document of a capture.
type frameRecord struct {
	node       int32 // position of the frame element, -1 for the top document
	x, y       int32 // origin in the capture's viewport
	scale      int32 // thousandths
	vw, vh     int32
	sx, sy     int32
	sw, sh     int32
	url, title string
	origin     string // of the addresses that begin with a slash
}

// hiddenFile is a file field nobody can press and no button was found for.
type hiddenFile struct {
	ref, frame   int32
	name, accept string
}

// Capture is one decoded walk: a document and the frames that live in its
// process.
type Capture struct {
	// Token names the document for as long as it lives.
	Token string
	// Generation is what to give as [WalkOptions.Since].
	Generation string
	// Mutations counts the changes of the tree so far, so that what depends on
	// the tree alone need not be asked again.
	Mutations int
	// Nodes is the number of elements in the top document, Visited how many
	// of them the walk looked at.
	Nodes, Visited int
	// Ready and ContentType are document.readyState and contentType.
	Ready, ContentType string
	// Partial is "" for a complete walk, else the cap it ran into: "time" or
	// "size".
	Partial string
	// Suspects counts elements that may hold a closed shadow root, Foreign the
	// frames of other processes whose id the walker has not been told.
	Suspects, Foreign int
	// Untested counts the points at which it was not asked what lies on top,
	// since there are too many boxes for Chrome to say it in time.
	Untested int
	// Unsaid counts the characters of very long texts that a walk of the whole
	// page left out.
	Unsaid int
	// WalkMicros is the time the walk took inside the page.
	WalkMicros int

	vw, vh, sx, sy, sw, sh, dpr int32
	records                     []record
	attrs                       []Attr
	frames                      []frameRecord
	files                       []hiddenFile
	facts                       map[int]*Facts
}

// Facts are those of the target with the number in this document, nil when the
// walk was not asked for any, or did not meet it.
func (c *Capture) Facts(ref int) *Facts { return c.facts[ref] }

// Decode reads what the walker answered: data is the JSON value the protocol
// delivers, a quoted string, or that string's bare text, and more are the
// parts that follow (see [Parts]). It never panics, and replaces what is not
// valid Unicode.
func Decode(data []byte, more ...[]byte) (*Capture, error) {
	size := len(data)
	for _, p := range more {
		size += len(p)
	}
	text := appendUnquoted(make([]byte, 0, size), data)
	for _, p := range more {
		text = appendUnquoted(text, p)
	}
	if len(text) > 0 && text[0] == '=' {
		return nil, ErrUnchanged
	}
	if string(text) == "!" {
		return nil, ErrNoBranch
	}
	s := string(text)
	if len(more) > 0 {
		_, s, _ = strings.Cut(s, "|")
	}
	if !utf8.ValidString(s) {
		s = validUTF8(s)
	}
	return decode(s)
}

func decode(s string) (*Capture, error) {
	c := &Capture{}
	d := decoder{s: s}
	if d.field() != "W2" {
		return nil, errWire
	}
	c.Token = d.field()
	c.Generation = c.Token + d.field()
	c.Mutations = int(d.num())
	for _, p := range []*int32{&c.vw, &c.vh, &c.dpr, &c.sx, &c.sy, &c.sw, &c.sh} {
		*p = d.num()
	}
	c.Nodes, c.Visited = int(d.num()), int(d.num())
	c.Ready, c.ContentType, c.Partial = d.field(), d.field(), d.field()
	c.Suspects, c.Foreign, c.Untested, c.WalkMicros, c.Unsaid = int(d.num()), int(d.num()), int(d.num()), int(d.num()), int(d.num())
	d.endLine()
	lines, attrs := d.sizes()
	c.records = make([]record, 0, lines)
	c.attrs = make([]Attr, 0, attrs)
	// Records of a frame follow its f line until the frame's subtree ends;
	// a record's frame is that of its parent, or the one its parent opened.
	r := recordReader{c: c, opened: map[int32]int32{}}
	for d.more() {
		switch kind := d.field(); kind {
		case "e", "t":
			if err := r.read(&d, kind == "t"); err != nil {
				return nil, err
			}
		case "f":
			f := frameRecord{node: d.num()}
			for _, p := range []*int32{&f.x, &f.y, &f.scale, &f.vw, &f.vh, &f.sx, &f.sy, &f.sw, &f.sh} {
				*p = d.num()
			}
			f.url, f.title, f.origin = d.field(), d.field(), d.field()
			if f.node >= int32(len(c.records)) || f.node < -1 {
				return nil, fmt.Errorf("%w: frame of element %d", errWire, f.node)
			}
			if f.node >= 0 {
				r.opened[f.node] = int32(len(c.frames))
			}
			c.frames = append(c.frames, f)
		case "x":
			n := d.num()
			if n < 0 || n >= int32(len(c.records)) {
				return nil, fmt.Errorf("%w: addition to element %d", errWire, n)
			}
			c.addAttrs(&d, n)
		case "g":
			n := d.num()
			above, below := d.num(), d.num()
			if n >= 0 && n < int32(len(c.records)) {
				c.records[n].above, c.records[n].below = above, below
			}
		case "h":
			c.files = append(c.files, hiddenFile{ref: d.num(), frame: d.num(), name: d.field(), accept: d.field()})
		case "i":
			f := &Facts{Ref: int(d.num()), Tag: d.field(), Path: d.field(), Attrs: map[string]string{}}
			for !d.lineEnd() {
				k := d.field()
				f.Attrs[k] = d.field()
			}
			if c.facts == nil {
				c.facts = make(map[int]*Facts)
			}
			c.facts[f.Ref] = f
		default:
			return nil, fmt.Errorf("%w: record at byte %d", errWire, d.i)
		}
		d.endLine()
	}
	if len(c.frames) == 0 {
		return nil, fmt.Errorf("%w: no document", errWire)
	}
	return c, nil
}

// addAttrs moves the attributes of record n to the end and adds the line's.
func (c *Capture) addAttrs(d *decoder, n int32) {
	r := &c.records[n]
	if r.tag == "" {
		return
	}
	start := int32(len(c.attrs))
	c.attrs = append(c.attrs, c.attrs[r.attr0:r.attr1]...)
	for !d.lineEnd() {
		c.attrs = append(c.attrs, Attr{Name: d.field(), Value: d.field()})
	}
	r.attr0, r.attr1 = start, int32(len(c.attrs))
}

// decoder reads fields divided by | in lines divided by \n.
type decoder struct {
	s string
	i int // next byte; past the delimiter of the last field
	// eol is set when the last field ended its line.
	eol bool
}

func (d *decoder) more() bool    { return d.i < len(d.s) }
func (d *decoder) lineEnd() bool { return d.eol }

func (d *decoder) endLine() {
	for !d.eol {
		d.field()
	}
	d.eol = false
}

// field returns the next field of the line, "" when there is none left.
func (d *decoder) field() string {
	if d.eol {
		return ""
	}
	escaped := false
	for j := d.i; j < len(d.s); j++ {
		switch d.s[j] {
		case '|', '\n':
			f := d.s[d.i:j]
			d.eol = d.s[j] == '\n'
			d.i = j + 1
			if escaped {
				return unescapeField(f)
			}
			return f
		case '^':
			escaped = true
		}
	}
	f := d.s[d.i:]
	d.i = len(d.s)
	d.eol = true
	if escaped {
		return unescapeField(f)
	}
	return f
}

// num reads an integer field; what is not one is 0, what is too big is capped.
func (d *decoder) num() int32 {
	if d.eol {
		return 0
	}
	neg := false
	var v int64
	j := d.i
	for ; j < len(d.s); j++ {
		ch := d.s[j]
		if ch == '|' || ch == '\n' {
			break
		}
		if ch == '-' && j == d.i {
			neg = true
		} else if ch >= '0' && ch <= '9' && v < 1<<40 {
			v = v*10 + int64(ch-'0')
		}
	}
	d.eol = j >= len(d.s) || d.s[j] == '\n'
	d.i = min(j+1, len(d.s))
	v = min(v, 1<<31-1)
	if neg {
		v = -v
	}
	return int32(v)
}

// sizes counts what is still to come, so that it is allocated once.
func (d *decoder) sizes() (lines, attrs int) {
	bars, line := 0, 0
	for j := d.i; j < len(d.s); j++ {
		switch d.s[j] {
		case '|':
			line++
		case '\n':
			lines++
			bars += max(0, line-9)
			line = 0
		}
	}
	lone := strings.Count(d.s[d.i:], "|"+keyLone+"|")
	return lines + 1 + lone, max(0, bars/2-lone) + line + 1
}

func unescapeField(f string) string {
	b := make([]byte, 0, len(f))
	for i := 0; i < len(f); i++ {
		if f[i] == '^' && i+1 < len(f) {
			i++
			switch f[i] {
			case 'b':
				b = append(b, '|')
			case 'n':
				b = append(b, '\n')
			default:
				b = append(b, f[i])
			}
			continue
		}
		b = append(b, f[i])
	}
	return string(b)
}

// appendUnquoted undoes JSON string escapes; what is not quoted is taken as it
// is. A lone surrogate becomes U+FFFD.
func appendUnquoted(b, q []byte) []byte {
	if len(q) < 2 || q[0] != '"' {
		return append(b, q...)
	}
	q = q[1 : len(q)-1]
	for i := 0; i < len(q); i++ {
		if n := bytes.IndexByte(q[i:], '\\'); n != 0 {
			if n < 0 {
				n = len(q) - i
			}
			b = append(b, q[i:i+n]...)
			if i += n; i == len(q) {
				break
			}
		}
		if i+1 == len(q) {
			b = append(b, '\\')
			break
		}
		i++
		switch q[i] {
		case 'n':
			b = append(b, '\n')
		case 't':
			b = append(b, '\t')
		case 'r':
			b = append(b, '\r')
		case 'b':
			b = append(b, '\b')
		case 'f':
			b = append(b, '\f')
		case 'u':
			r, ok := hex4(q[i+1:])
			if !ok {
				b = utf8.AppendRune(b, utf8.RuneError)
				continue
			}
			i += 4
			if utf16.IsSurrogate(r) {
				r2, ok := rune(0), false
				if len(q) > i+2 && q[i+1] == '\\' && q[i+2] == 'u' {
					r2, ok = hex4(q[i+3:])
				}
				if dec := utf16.DecodeRune(r, r2); ok && dec != utf8.RuneError {
					i += 6
					r = dec
				} else {
					r = utf8.RuneError
				}
			}
			b = utf8.AppendRune(b, r)
		default:
			b = append(b, q[i])
		}
	}
	return b
}

func hex4(s []byte) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	var r rune
	for _, ch := range s[:4] {
		r <<= 4
		switch {
		case ch >= '0' && ch <= '9':
			r |= rune(ch - '0')
		case ch >= 'a' && ch <= 'f':
			r |= rune(ch-'a') + 10
		case ch >= 'A' && ch <= 'F':
			r |= rune(ch-'A') + 10
		default:
			return 0, false
		}
	}
	return r, true
}

// validUTF8 replaces what is not UTF-8; three-byte surrogates are one mark.
func validUTF8(s string) string {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 && s[i] == 0xED && i+2 < len(s) && s[i+1] >= 0xA0 {
			n = 3
		}
		b = utf8.AppendRune(b, r)
		i += n
	}
	return string(b)
}
