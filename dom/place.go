package dom

import "strings"

// placed reports that the wordless target at i needs its place to be told:
// another just like it stands beside it, it is an area where the point makes
// the difference, or a handle to pull.
func (p *Page) placed(i int32) bool {
	e := &p.Elements[i]
	if drawnArea(p, e) || handle(e) {
		return true
	}
	before := i - 1
	for before >= 0 && p.Elements[before].Index == 0 && p.Elements[before].Bounds.W == 0 {
		before--
	}
	after := e.end
	for after < int32(len(p.Elements)) && p.Elements[after].Index == 0 && p.Elements[after].Bounds.W == 0 {
		after++
	}
	return before >= 0 && twins(e, &p.Elements[before]) || after < int32(len(p.Elements)) && twins(e, &p.Elements[after])
}

// twins look the same to whoever cannot see where they are.
func twins(a, b *Element) bool {
	if b.Index == 0 || a.Tag != b.Tag || a.Role != b.Role || b.Text != "" || a.Name != b.Name || a.Icon != b.Icon || a.Hint != b.Hint {
		return false
	}
	for _, name := range []string{"class", "id"} {
		v, _ := a.Attr(name)
		if w, _ := b.Attr(name); v != w {
			return false
		}
	}
	return true
}

// drawnArea reports that e is a drawing, or a box with nothing in it too large
// for a button: where it is pressed matters.
func drawnArea(p *Page, e *Element) bool {
	const side = 64
	if e.Bounds.W < side || e.Bounds.H < side {
		return false
	}
	switch e.Tag {
	case "svg", "canvas":
		return true
	case "input", "select", "textarea", "button", "a", "img", "iframe", "video", "audio", "object", "embed":
		return false
	}
	return e.end == p.position[e.Index]+1 && e.Scroll == nil && !e.State.Has(Editable)
}

// handle reports that an element is there to be pulled, as far as its class
// says so.
func handle(e *Element) bool {
	class, ok := e.Attr("class")
	if !ok {
		return false
	}
	for t := range strings.FieldsFuncSeq(class, func(c rune) bool { return c == ' ' || c == '-' || c == '_' }) {
		switch strings.ToLower(t) {
		case "slider", "handle", "draggable", "resizable", "resizer", "splitter", "knob", "thumb":
			return true
		}
	}
	return false
}

// apart reports that b follows a on the same row with a gap a reader takes for
// a space.
func apart(a, b Rect) bool {
	gap := b.X - (a.X + a.W)
	return gap >= 2 && gap*8 > min(a.H, b.H) && b.Y < a.Y+a.H && a.Y < b.Y+b.H
}
