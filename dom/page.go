package dom

import "fmt"

// Rect is a box in CSS pixels of the top viewport.
type Rect struct{ X, Y, W, H int }

// Contains reports whether r holds the point.
func (r Rect) Contains(x, y int) bool {
	return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H
}

// Intersects reports whether r and q share at least a pixel.
func (r Rect) Intersects(q Rect) bool {
	return r.X < q.X+q.W && q.X < r.X+r.W && r.Y < q.Y+q.H && q.Y < r.Y+r.H
}

// Attr is one HTML attribute, as it stands in the document.
type Attr struct{ Name, Value string }

// Scroll is the scrolling state of a box or document, in its own CSS pixels.
type Scroll struct {
	Left, Top     int // how far it is scrolled
	Width, Height int // the whole content
	ViewW, ViewH  int // what shows of it
}

// Pages returns how many screenfuls lie above, below, left and right of what
// shows.
func (s Scroll) Pages() (above, below, left, right float64) {
	frac := func(n, d int) float64 {
		if d <= 0 || n <= 0 {
			return 0
		}
		return float64(n) / float64(d)
	}
	return frac(s.Top, s.ViewH), frac(s.Height-s.Top-s.ViewH, s.ViewH),
		frac(s.Left, s.ViewW), frac(s.Width-s.Left-s.ViewW, s.ViewW)
}

// TextTag is the Tag of an Element that is a run of text.
const TextTag = "#text"

// State is a set of live states of an element, read from properties and not
// from attributes.
type State uint32

// The states of an element.
const (
	Disabled State = 1 << iota
	Focused
	Checked
	Mixed // a checkbox that is neither checked nor not
	Selected
	ReadOnly
	Required
	Invalid
	Open       // an open details element
	Editable   // the root of editable content
	Scrollable // has more content than it shows and scrolls
	Covered    // something else takes the press; see Element.Cover
	InView     // at least partly inside the viewport and not clipped away
	AriaHidden // inside aria-hidden, which sight overrules
	OpenShadow
	ClosedShadow
	CrossProcess // a frame whose document lives in another process
	Secret       // a password or another field whose value is never shown
)

// Has reports whether all states of t are in s.
func (s State) Has(t State) bool { return s&t == t }

// Element is one thing on the page a person could point at.
type Element struct {
	// Index is what the model calls a target by; 0 for what cannot be used.
	Index int
	// Parent is the position in Page.Elements of the entry that contains it,
	// -1 at the top.
	Parent int
	// Frame is the position in Page.Frames of the document it is in.
	Frame int
	// Tag is the local name in lower case (SVG names as they are written), or
	// TextTag.
	Tag string
	// Role is the ARIA role, explicit or native; "" when there is none.
	Role string
	// Name is the accessible name: aria-labelledby, aria-label, label, alt,
	// content, title, placeholder.
	Name string
	// Text is the text the element shows itself: for a target everything in
	// it, for other elements what is not inside a further element. That of a
	// run of text begins with its indentation, where the page shows one.
	Text string
	// Attrs are the attributes worth keeping. They share memory; do not append.
	Attrs []Attr
	// Value is the live value of a field: the text, the chosen options, the
	// file names. Secret values are dots.
	Value string
	// Options are the first options of a closed list, OptionCount all of them.
	Options     []string
	OptionCount int
	State       State
	// Bounds is the box in CSS pixels of the top viewport, also inside frames.
	Bounds Rect
	// New marks a target that the previous state of the document did not have.
	New bool
	// Scroll is set for elements that scroll.
	Scroll *Scroll
	// Fill, Background name the plain colour of a shape and of a box ("red"),
	// Stroke that of a shape which is only an outline; "" for none.
	Fill, Stroke, Background string
	// Points are the corners of a line, polyline or polygon with a dozen of
	// them at most.
	Points []Point
	// Href is the absolute address of a link, Src of a picture.
	Href, Src string
	// Hint is a word for what has no words: a picture's file name, what CSS
	// draws in an element.
	Hint string
	// Icon is the name of the icon that is all a target shows.
	Icon string
	// Description is the text that aria-describedby points to.
	Description string
	// Cover describes what covers an element with the state Covered.
	Cover string
	// Control is the type of the hidden field that a label or button stands
	// for ("checkbox", "radio", "file"); "" when it stands for itself.
	Control string
	// Above and Below count children that were left out for being far from
	// the viewport.
	Above, Below int

	ref     int32  // number in the walker, 0 when it was given none
	control int32  // number of the field Control is about
	rgb     uint32 // exact colour of Fill, Stroke or Background: 1<<24 and RGB; 0 for none
	doc     int16  // position in Page.docs
	end     int32  // position after its last descendant
	why     uint16
	brk     bool // starts a line
	glue    bool // a text that nothing parts from the text before it
	content bool // Name is only what the content says
}

// IsText reports whether the entry is a run of text.
func (e *Element) IsText() bool { return e.Tag == TextTag }

// Attr returns the value of an attribute and whether it is there.
func (e *Element) Attr(name string) (string, bool) {
	for i := range e.Attrs {
		if e.Attrs[i].Name == name {
			return e.Attrs[i].Value, true
		}
	}
	return "", false
}

// Colour returns the exact colour that Fill, Stroke or Background name,
// "#rrggbb"; "" for none.
func (e *Element) Colour() string {
	if e.rgb == 0 || e.Fill == "" && e.Stroke == "" && e.Background == "" {
		return ""
	}
	return fmt.Sprintf("#%06x", e.rgb&0xffffff)
}

// Frame is one document of the page.
type Frame struct {
	// Element is the position in Page.Elements of the frame element, -1 for
	// the top document.
	Element int
	// Parent is the position in Page.Frames, -1 for the top document.
	Parent     int
	URL, Title string
	Scroll     Scroll
	// Bounds is the document's viewport in the top viewport.
	Bounds Rect
}

// Page is everything a person could point at on a page, in reading order.
type Page struct {
	URL, Title string
	// ViewW and ViewH are the size of the viewport in CSS pixels, Scale the
	// device pixels per CSS pixel.
	ViewW, ViewH int
	Scale        float64
	Scroll       Scroll
	Elements     []Element
	Frames       []Frame
	// ContentType is that of the top document; Ready its readyState.
	ContentType, Ready string
	// Nodes is the number of elements in the top document, whether shown or
	// not.
	Nodes int
	// Missing says in short sentences what the page has and the model of it
	// has not: a frame that did not answer, a walk cut short.
	Missing []string

	docs     []string // tokens
	position map[int]int32
}

// At returns the target with the index, nil when the page has none.
func (p *Page) At(index int) *Element {
	if i, ok := p.position[index]; ok {
		return &p.Elements[i]
	}
	return nil
}

// Targets counts the elements with an index.
func (p *Page) Targets() int { return len(p.position) }

// Ref returns the document token and the walker's number of an element, for
// finding it again in the browser; ok is false for what has none.
func (p *Page) Ref(e *Element) (ref Ref, ok bool) {
	if e.ref == 0 || int(e.doc) >= len(p.docs) {
		return Ref{}, false
	}
	return Ref{Doc: p.docs[e.doc], Num: int(e.ref), Control: int(e.control)}, true
}
