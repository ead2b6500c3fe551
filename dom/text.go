package dom

import (
	"strconv"
	"strings"
)

// DefaultBudget is the number of tokens a text may take when
// [TextOptions.Budget] is zero.
const DefaultBudget = 5000

// DefaultAttributes are the attributes shown when [TextOptions.Attributes] is
// nil. Live states and values are shown besides.
var DefaultAttributes = []string{
	"type", "role", "placeholder", "title", "aria-label", "alt", "aria-expanded", "aria-pressed", "aria-selected",
	"aria-checked", "aria-current", "aria-haspopup", "aria-sort", "aria-valuenow", "aria-valuemin", "aria-valuemax",
	"aria-level", "data-state", "pattern", "min", "max", "step", "minlength", "maxlength", "accept", "multiple", "inputmode",
	"data-date-format", "data-mask", "data-inputmask", "contenteditable", "draggable", "download",
}

// Boxes says whether lines carry `@x,y,w,h`, the box in viewport pixels.
type Boxes int

// The settings of [TextOptions.Boxes].
const (
	BoxesAuto Boxes = iota // when the page draws (SVG, canvas), drags or slides
	BoxesOff
	BoxesOn
)

// TextOptions say how a page is told to a model. The zero value is the lean
// form under [DefaultBudget].
type TextOptions struct {
	// Budget caps the tokens of the whole text ([Tokens]). Zero is
	// DefaultBudget, negative is no limit.
	Budget int
	// Attributes are the attributes to show. Nil is DefaultAttributes, an
	// empty list none.
	Attributes []string
	Boxes      Boxes
	// InteractiveOnly leaves out everything without an index but frames.
	InteractiveOnly bool
	// Within shows only the element with the index and what is in it.
	Within int
	// Landmark shows only the parts with the role or tag: "main",
	// "navigation", "dialog", "form", or with that accessible name.
	Landmark string
	// Frame shows only one document, by its position in [Page.Frames]. Zero
	// shows all.
	Frame int
	// Nonce, when set, fences the text in <page-NONCE> lines. Page text can
	// write neither.
	Nonce string
}

// Line is one line of a text.
type Line struct {
	Text string
	// Index is the target the line is about, 0 when it is about none.
	Index int
	// Element is the position in [Page.Elements], -1 for a line about the
	// page.
	Element int
}

// Text is a page as told to a model.
type Text struct {
	String string
	// Tokens is the estimate for String.
	Tokens int
	// LeftOut counts the lines the budget had no room for, and LeftOutTargets
	// the targets among them.
	LeftOut, LeftOutTargets int

	cuts  []cut
	lines []line
	buf   []byte // all lines, also those left out
	page  *Page
}

// line is one line of the whole, unbudgeted text.
type line struct {
	elem       int32 // element it is about
	start, end int32 // in buf, without indentation
	depth      int16
	tokens     int32
	parent     int32 // line it is indented below, -1
	kept       bool
	target     bool
	note       bool // written by the renderer, not about one element
}

// Text renders the page.
func (p *Page) Text(o TextOptions) *Text {
	r := newRenderer(p, o)
	r.run()
	t := &Text{lines: r.lines, buf: r.buf, page: p}
	t.fit(o)
	return t
}

type renderer struct {
	p      *Page
	o      TextOptions
	attrs  []string
	buf    []byte
	lines  []line
	boxes  bool
	drawn  bool // boxes for what is drawn, dragged or slid only
	rich   bool // few shapes, or little else on the page: shapes and swatches are shown
	sparse bool // hardly any words on the page
	exact  bool // few swatches: their exact colours are told

	open []openLine // printed containers around the current element
	skip int32      // elements before this position are in a line already
	last int32      // the last text line, which further text may join; -1
	said int32      // a caption or legend whose words stand on its container's line
}

type openLine struct {
	line int32
	end  int32 // position after its last descendant
}

func newRenderer(p *Page, o TextOptions) *renderer {
	r := &renderer{p: p, o: o, attrs: o.Attributes, last: -1, said: -1}
	if r.attrs == nil {
		r.attrs = DefaultAttributes
	}
	r.survey()
	r.lines = make([]line, 0, len(p.Elements)/2+8)
	r.buf = make([]byte, 0, len(p.Elements)*16+256)
	return r
}

// survey looks whether the page says more by drawing than by words.
func (r *renderer) survey() {
	shapes, boxes, words, draws, swatches, targets := 0, 0, 0, 0, 0, 0
	for i := range r.p.Elements {
		e := &r.p.Elements[i]
		if swatch(e) {
			swatches++
		}
		if e.Index != 0 {
			targets++
		}
		switch {
		case e.IsText():
			words++
		case e.Index != 0 && r.placeMatters(e):
			draws++
		case svgShape(e.Tag) || e.Fill != "":
			shapes++
		case e.Background != "" && e.Index == 0:
			boxes++
		}
	}
	r.exact = swatches <= 6
	look := shapes + boxes
	r.rich = look > 0 && (look <= 30 || words < 40)
	r.sparse = words < 30
	r.boxes = r.o.Boxes == BoxesOn
	if r.o.Boxes == BoxesAuto {
		r.boxes = words < 60 && (draws > 0 && targets-draws <= 30 || shapes > 2) || r.sparse && look > 2
		r.drawn = !r.boxes && draws > 0
	}
}

// placeMatters reports that a target is drawn on, dragged or slid, so that a
// point is needed to use it. A native slider takes keys and values.
func (r *renderer) placeMatters(e *Element) bool {
	return e.Tag == "canvas" || e.Tag == "svg" && drawnArea(r.p, e) || e.why&whyDrag != 0 || e.Role == "slider" && e.Tag != "input" || svgShape(e.Tag)
}

// swatch reports that a colour is all an element shows.
func swatch(e *Element) bool {
	return e.Background != "" && e.Text == "" && e.Name == "" && e.Tag != "button" &&
		e.Background != "white" && e.Background != "black"
}

func svgShape(tag string) bool {
	switch tag {
	case "rect", "circle", "ellipse", "line", "polyline", "polygon", "path", "image", "use":
		return true
	}
	return false
}

// inScope reports whether element i belongs to what is asked for.
func (r *renderer) scope() (ranges [][2]int32) {
	p := r.p
	all := [2]int32{0, int32(len(p.Elements))}
	switch {
	case r.o.Within != 0:
		e := p.At(r.o.Within)
		if e == nil {
			return nil
		}
		i := p.position[r.o.Within]
		return [][2]int32{{i, e.end}}
	case r.o.Landmark != "":
		for i := 0; i < len(p.Elements); i++ {
			e := &p.Elements[i]
			if !e.IsText() && (strings.EqualFold(e.Role, r.o.Landmark) || e.Tag == r.o.Landmark || e.Name != "" && strings.EqualFold(e.Name, r.o.Landmark)) {
				ranges = append(ranges, [2]int32{int32(i), e.end})
				i = int(e.end) - 1
			}
		}
		return ranges
	case r.o.Frame > 0 && r.o.Frame < len(p.Frames):
		if i := p.Frames[r.o.Frame].Element; i >= 0 {
			return [][2]int32{{int32(i), p.Elements[i].end}}
		}
	}
	return [][2]int32{all}
}

func (r *renderer) run() {
	whole := r.o.Within == 0 && r.o.Landmark == "" && r.o.Frame == 0
	if whole {
		r.pageLine()
	}
	for _, s := range r.scope() {
		r.open = r.open[:0]
		r.skip = s[0]
		r.last = -1
		for i := s[0]; i < s[1]; i++ {
			for len(r.open) > 0 && i >= r.open[len(r.open)-1].end {
				r.closeTop()
			}
			if i >= r.skip {
				r.element(i)
			}
		}
		for len(r.open) > 0 {
			r.closeTop()
		}
	}
	if whole && len(r.lines) == 0 && len(r.p.Missing) == 0 {
		// An empty page must not be taken for a text that was lost.
		what := "the page shows nothing"
		if r.o.InteractiveOnly {
			what = "the page shows nothing that can be used"
		}
		r.note("<empty>", what)
	}
	for _, m := range r.p.Missing {
		r.note("<missing>", m)
	}
}

// note writes a line about the text itself.
func (r *renderer) note(tag, m string) {
	r.begin(-1, true)
	r.buf = append(r.buf, tag...)
	r.buf = appendText(r.buf, m)
	r.finish(false)
}

// closeTop ends a container.
func (r *renderer) closeTop() {
	top := r.open[len(r.open)-1]
	if i := r.lines[top.line].elem; i >= 0 {
		r.gap(i, "below", r.p.Elements[i].Below)
	}
	r.open = r.open[:len(r.open)-1]
	r.last = -1
}

func (r *renderer) pageLine() {
	above, below, left, right := r.p.Scroll.Pages()
	if above == 0 && below < 0.05 && left == 0 && right < 0.05 {
		return
	}
	r.begin(-1, true)
	r.buf = append(r.buf, "<page scroll="...)
	r.buf = appendScroll(r.buf, r.p.Scroll)
	r.buf = append(r.buf, '>')
	r.finish(false)
}

// appendScroll writes how many screenfuls are left in each direction.
func appendScroll(b []byte, s Scroll) []byte {
	above, below, left, right := s.Pages()
	b = append(b, '"')
	n := 0
	part := func(v float64, word string, always bool) {
		if v < 0.05 && !always {
			return
		}
		if n > 0 {
			b = append(b, ", "...)
		}
		n++
		b = strconv.AppendFloat(b, v, 'f', 1, 64)
		b = append(b, ' ')
		b = append(b, word...)
	}
	vertical := above >= 0.05 || below >= 0.05
	part(above, "pages above", above >= 0.05)
	part(below, "pages below", vertical)
	part(left, "left", left >= 0.05)
	part(right, "right", false)
	return append(b, '"')
}

// begin starts a line below the innermost open container.
func (r *renderer) begin(elem int32, note bool) {
	l := line{elem: elem, start: int32(len(r.buf)), parent: -1, note: note, kept: true}
	if n := len(r.open); n > 0 && !(note && elem < 0) {
		l.parent = r.open[n-1].line
		l.depth = r.lines[l.parent].depth + 1
	}
	r.lines = append(r.lines, l)
}

func (r *renderer) finish(target bool) {
	l := &r.lines[len(r.lines)-1]
	l.end = int32(len(r.buf))
	l.target = target
	l.tokens = lineTokens(r.buf[l.start:l.end], l.depth)
}

// container makes the last line one that further lines are indented below.
func (r *renderer) container(i int32) {
	r.open = append(r.open, openLine{line: int32(len(r.lines) - 1), end: r.p.Elements[i].end})
	r.last = -1
	r.gap(i, "above", r.p.Elements[i].Above)
}

// lineTokens counts a line with its line end and indentation.
func lineTokens(b []byte, depth int16) int32 {
	n := tenths(b) + 10
	if depth > 1 {
		n += 10
	}
	return int32((n + 9) / 10)
}
