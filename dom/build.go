package dom

import (
	"fmt"
	"path"
	"strconv"
	"strings"
)

// Build makes the page of a capture of the top document and those of the
// cross-process frames in it, by the frame id the walker was told. Frames
// without a capture are listed in [Page.Missing]. The numbering, which must be
// the same one for every state of a session, gives the targets their indices;
// with nil they are counted from 1.
func Build(top *Capture, frames map[string]*Capture, n *Numbering) *Page {
	if n == nil {
		n = &Numbering{}
	}
	return build(top, frames, n, n.begin)
}

// BuildBranch makes a page of the capture of one branch ([WalkOptions.Branch]).
// It is no state of its own: the indices given out so far stay as valid and as
// new as they are.
func BuildBranch(c *Capture, n *Numbering) *Page { return build(c, nil, n, n.join) }

func build(top *Capture, frames map[string]*Capture, n *Numbering, enter func([]string) []*docNumbers) *Page {
	total := len(top.records)
	for _, c := range frames {
		total += len(c.records)
	}
	p := &Page{
		ViewW: int(top.vw), ViewH: int(top.vh), Scale: float64(top.dpr) / 1000,
		ContentType: top.ContentType, Ready: top.Ready, Nodes: top.Nodes,
		Elements: make([]Element, 0, total),
	}
	b := builder{page: p, foreign: frames, placed: map[*Capture]bool{top: true}}
	b.capture(top, placement{scale: 1, parent: -1, frameParent: -1, clip: Rect{W: int(top.vw), H: int(top.vh)}})
	if len(p.Frames) > 0 {
		p.URL, p.Title, p.Scroll = p.Frames[0].URL, p.Frames[0].Title, p.Frames[0].Scroll
	}
	b.closeSubtrees()
	b.judge()
	b.unname()
	b.number(n, enter)
	return p
}

// placement is where a capture lies in the top viewport.
type placement struct {
	x, y, scale float64
	parent      int // element that holds its top document
	frameParent int
	clip        Rect
	covered     [16]bool // cells of its frame that something covers
	box         Rect     // of the frame element
}

type builder struct {
	page    *Page
	foreign map[string]*Capture
	placed  map[*Capture]bool
	strs    []string // options, cut into elements
	scrolls []Scroll
}

// capture appends the records of c.
func (b *builder) capture(c *Capture, at placement) {
	p := b.page
	if c.Partial != "" {
		what := "the page is too long to walk whole"
		if c.Partial == "time" {
			what = "the walk of the page ran out of time"
		}
		p.Missing = append(p.Missing, what+"; what follows the last element shown is not listed")
	}
	if c.Untested > 0 {
		p.Missing = append(p.Missing, "whether something covers elements where very many boxes are laid out; one that is covered may be listed")
	}
	if c.Unsaid > 0 {
		p.Missing = append(p.Missing, fmt.Sprintf("%d characters of very long texts, at the … in them", c.Unsaid))
	}
	doc := int16(len(p.docs))
	p.docs = append(p.docs, c.Token)
	place := func(x, y, w, h int32) Rect {
		if at.scale == 1 && at.x == 0 && at.y == 0 {
			return Rect{int(x), int(y), int(w), int(h)}
		}
		return Rect{
			int(float64(x)*at.scale + at.x), int(float64(y)*at.scale + at.y),
			int(float64(w) * at.scale), int(float64(h) * at.scale),
		}
	}
	frame0 := len(p.Frames)
	pos := make([]int32, len(c.records)) // record -> element, or that of its parent when dropped
	for i := range c.frames {
		f := &c.frames[i]
		fr := Frame{
			Element: at.parent, Parent: at.frameParent, URL: f.url, Title: f.title,
			Scroll: Scroll{int(f.sx), int(f.sy), int(f.sw), int(f.sh), int(f.vw), int(f.vh)},
			Bounds: place(f.x, f.y, f.vw*f.scale/1000, f.vh*f.scale/1000),
		}
		if f.node >= 0 {
			fr.Parent = frame0 + int(c.records[f.node].frame)
		}
		p.Frames = append(p.Frames, fr)
	}
	names := nameRecords(c)
	for i := range c.records {
		r := &c.records[i]
		parent := int32(at.parent)
		if r.parent >= 0 {
			parent = pos[r.parent]
		}
		if r.flags&fUnseen != 0 {
			pos[i] = parent
			continue
		}
		at32 := int32(len(p.Elements))
		pos[i] = at32
		p.Elements = append(p.Elements, Element{
			Parent: int(parent), Frame: frame0 + int(r.frame), Tag: r.tag, doc: doc,
			Bounds: place(r.x, r.y, r.w, r.h), State: stateOf(r.flags), brk: r.flags&fBreak != 0,
			Above: int(r.above), Below: int(r.below), why: r.why, glue: r.flags&fGlue != 0,
		})
		e := &p.Elements[at32]
		if r.tag == "" {
			e.Tag, e.Role, e.Text = TextTag, "text", r.text
			b.seen(e, at)
			continue
		}
		foreign := b.attributes(e, c.attrs[r.attr0:r.attr1], at.scale)
		e.Role = roleOf(e.Tag, e.Attrs, e.State.Has(Editable))
		if e.Text == "" {
			e.Name, e.Text, e.content = names[i].name, names[i].text, names[i].content
		}
		if r.flags&fTarget != 0 {
			e.ref = r.ref
			e.Index = -1 // numbered later
		}
		b.seen(e, at)
		if foreign != nil {
			b.foreignFrame(e, int(at32), *foreign, frame0+int(r.frame), at)
		}
	}
	for i := range c.frames {
		if n := c.frames[i].node; n >= 0 {
			p.Frames[frame0+i].Element = int(pos[n])
		}
	}
	for i := range c.files {
		f := &c.files[i]
		attrs := []Attr{{"type", "file"}}
		if f.accept != "" {
			attrs = append(attrs, Attr{"accept", f.accept})
		}
		p.Elements = append(p.Elements, Element{
			Index: -1, Parent: at.parent, Frame: frame0 + int(f.frame), Tag: "input", Role: "button",
			Name: f.name, Hint: "hidden", Attrs: attrs, ref: f.ref, doc: doc, brk: true, why: whyNative,
		})
	}
}

// seen corrects what a cross-process frame cannot know about itself: what its
// frame element's box cuts off or something in its parent covers.
func (b *builder) seen(e *Element, at placement) {
	if at.parent < 0 {
		return
	}
	if !e.Bounds.Intersects(at.clip) {
		e.State &^= InView
	}
	if at.box.W > 0 && at.box.H > 0 && e.State.Has(InView) {
		cx := (e.Bounds.X + e.Bounds.W/2 - at.box.X) * 4 / at.box.W
		cy := (e.Bounds.Y + e.Bounds.H/2 - at.box.Y) * 4 / at.box.H
		if cx >= 0 && cx < 4 && cy >= 0 && cy < 4 && at.covered[cy*4+cx] {
			e.State |= Covered
			e.State &^= InView
			e.Index = 0
		}
	}
}

func stateOf(f uint32) State {
	var s State
	for _, m := range stateBits {
		if f&m.flag != 0 {
			s |= m.state
		}
	}
	return s
}

var stateBits = []struct {
	flag  uint32
	state State
}{
	{fDisabled, Disabled}, {fFocused, Focused}, {fChecked, Checked}, {fMixed, Mixed}, {fSelected, Selected},
	{fScrolls, Scrollable}, {fCovered, Covered}, {fInView, InView}, {fQuiet, AriaHidden},
	{fOpenRoot, OpenShadow}, {fClosedRoot, ClosedShadow}, {fReadOnly, ReadOnly}, {fRequired, Required},
	{fInvalid, Invalid}, {fExpanded, Open}, {fEditable, Editable}, {fSecret, Secret},
}

// foreignRef is what the walker says about a frame of another process.
type foreignRef struct {
	id, at, covers string
}

// attributes sorts the walker's own keys from the element's attributes, which
// stand together.
func (b *builder) attributes(e *Element, attrs []Attr, scale float64) (foreign *foreignRef) {
	first, last := -1, -1
	opt0 := len(b.strs)
	for i := range attrs {
		k, v := attrs[i].Name, attrs[i].Value
		if k == "" || k[0] != '.' {
			if first < 0 {
				first = i
			}
			last = i
			continue
		}
		switch k {
		case ".value":
			e.Value = v
		case ".opt":
			b.strs = append(b.strs, v)
		case ".optn":
			e.OptionCount = atoi(v)
		case ".for":
			e.control = int32(atoi(v))
		case ".fortype":
			e.Control = v
		case ".scroll":
			e.Scroll = b.scroll(v)
		case ".cover":
			e.Cover = v
		case ".bg":
			e.Background, e.rgb = colourName(v), packRGB(v)
		case ".fill":
			e.Fill, e.rgb = colourName(v), packRGB(v)
		case ".stroke":
			if e.Fill == "" {
				e.Stroke, e.rgb = colourName(v), packRGB(v)
			}
		case ".points":
			e.Points = readPoints(v, e.Bounds, scale)
		case ".drawn", ".title":
			if e.Hint == "" {
				e.Hint = v
			}
		case ".icon":
			e.Icon = v
		case ".text":
			e.Name, e.Text = v, v
		case ".href":
			e.Href = v
		case ".src":
			e.Src = v
		case ".desc":
			e.Description = v
		case ".foreign":
			e.State |= CrossProcess
			foreign = &foreignRef{id: v}
		case ".at":
			if foreign != nil {
				foreign.at = v
			}
		case ".covers":
			if foreign != nil {
				foreign.covers = v
			}
		case ".ref":
			if e.ref == 0 {
				e.ref = int32(atoi(v))
			}
		}
	}
	if first >= 0 {
		e.Attrs = attrs[first : last+1 : last+1]
	}
	if len(b.strs) > opt0 {
		e.Options = b.strs[opt0:len(b.strs):len(b.strs)]
	}
	if e.Hint == "" && e.Tag == "img" {
		e.Hint = fileName(e.Src)
	}
	return foreign
}

func (b *builder) scroll(v string) *Scroll {
	var n [6]int
	parts := n[:0]
	for f := range strings.SplitSeq(v, ",") {
		if len(parts) < 6 {
			parts = append(parts, atoi(f))
		}
	}
	if len(b.scrolls) == cap(b.scrolls) {
		b.scrolls = make([]Scroll, 0, 16)
	}
	b.scrolls = append(b.scrolls, Scroll{n[0], n[1], n[2], n[3], n[4], n[5]})
	return &b.scrolls[len(b.scrolls)-1]
}

// foreignFrame puts the capture of a cross-process frame below its element.
func (b *builder) foreignFrame(e *Element, pos int, f foreignRef, frame int, at placement) {
	c := b.foreign[f.id]
	if c != nil && b.placed[c] {
		return // a frame is in one place only
	}
	if c == nil {
		b.page.Missing = append(b.page.Missing, fmt.Sprintf("the content of a frame at %d,%d (%s) could not be read", e.Bounds.X, e.Bounds.Y, frameSource(e)))
		return
	}
	var n [7]float64
	i := 0
	for s := range strings.SplitSeq(f.at, ",") {
		if i < len(n) {
			n[i], _ = strconv.ParseFloat(s, 64)
			i++
		}
	}
	if n[2] <= 0 {
		n[2] = 1
	}
	sub := placement{
		x: n[0]*at.scale + at.x, y: n[1]*at.scale + at.y, scale: n[2] * at.scale,
		parent: pos, frameParent: frame, box: e.Bounds,
		clip: Rect{int(n[3]*at.scale + at.x), int(n[4]*at.scale + at.y), int((n[5] - n[3]) * at.scale), int((n[6] - n[4]) * at.scale)},
	}
	for s := range strings.SplitSeq(f.covers, ",") {
		if s != "" {
			if k := atoi(s); k >= 0 && k < 16 {
				sub.covered[k] = true
			}
		}
	}
	b.placed[c] = true
	b.capture(c, sub)
}

func frameSource(e *Element) string {
	if v, ok := e.Attr("src"); ok {
		return v
	}
	return "no address"
}

// closeSubtrees sets the end of every element: the position after its last
// descendant. File fields appended at the end have none.
func (b *builder) closeSubtrees() {
	es := b.page.Elements
	for i := range es {
		es[i].end = int32(i + 1)
	}
	for i := len(es) - 1; i >= 0; i-- {
		if p := es[i].Parent; p >= 0 && p < i && es[p].end < es[i].end {
			es[p].end = es[i].end
		}
	}
}

// number gives the targets their indices. enter has the numbering know the
// documents.
func (b *builder) number(n *Numbering, enter func([]string) []*docNumbers) {
	n.mu.Lock()
	defer n.mu.Unlock()
	p := b.page
	docs := enter(p.docs)
	count := 0
	for i := range p.Elements {
		if p.Elements[i].Index < 0 {
			count++
		}
	}
	p.position = make(map[int]int32, count)
	for i := range p.Elements {
		e := &p.Elements[i]
		if e.Index >= 0 {
			continue
		}
		e.Index, e.New = n.number(docs[e.doc], e.ref, e.control)
		p.position[e.Index] = int32(i)
	}
}

func fileName(src string) string {
	if src == "" {
		return ""
	}
	src, _, _ = strings.Cut(src, "?")
	src, _, _ = strings.Cut(src, "#")
	name := path.Base(src)
	if len(name) > 40 || name == "/" || name == "." {
		return ""
	}
	return name
}

func atoi(s string) int {
	n, neg := 0, false
	for i := 0; i < len(s); i++ {
		switch {
		case i == 0 && s[i] == '-':
			neg = true
		case s[i] >= '0' && s[i] <= '9' && n < 1<<31:
			n = n*10 + int(s[i]-'0')
		default:
			i = len(s)
		}
	}
	if neg {
		return -n
	}
	return n
}
