package dom

import (
	"strings"
)

// structure writes the line of a container or picture that is no target.
func (r *renderer) structure(i int32, e *Element) {
	switch e.Tag {
	case "h1", "h2", "h3", "h4", "h5", "h6":
		r.wordsOrOpen(i, e, e.Tag)
		return
	case "li", "dt", "dd":
		r.item(i, e)
		return
	case "tr":
		r.row(i, e)
		return
	case "table":
		r.open1(i, "table")
		return
	case "label":
		r.label(i, e)
		return
	case "caption", "legend":
		if i == r.said {
			r.skip = e.end
		}
		return
	case "form", "nav", "main", "aside", "search", "fieldset", "dialog", "details", "header", "footer", "article", "section":
		if r.worthOpening(i, e) {
			r.open1(i, e.Tag)
		}
		return
	case "img":
		r.picture(i, e, e.Name, "img")
		return
	case "svg":
		if e.Name != "" || r.rich && e.end > i+1 {
			r.picture(i, e, e.Name, "svg")
		}
		return
	case "progress", "meter":
		r.plain(i, e)
		return
	case "pre", "blockquote":
		switch {
		case !r.leafText(i, e):
		case e.Tag == "pre" && r.broken(i, e):
			r.open1(i, e.Tag)
		default:
			r.wordsOrOpen(i, e, e.Tag)
		}
		return
	}
	if svgShape(e.Tag) {
		if r.rich {
			r.plain(i, e)
		}
		return
	}
	if e.State.Has(OpenShadow) || e.State.Has(ClosedShadow) {
		if r.worthShadow(i, e) {
			r.open1(i, e.Tag)
		}
		return
	}
	switch e.Role {
	case "dialog", "alertdialog", "alert", "status", "navigation", "main", "region", "search", "form", "group", "radiogroup",
		"tablist", "tabpanel", "toolbar", "menu", "menubar", "listbox", "tree", "grid", "table", "complementary", "banner", "log", "feed":
		switch {
		case (e.Role == "alert" || e.Role == "status") && e.Name == "" && r.leafText(i, e):
			if e.Role == "alert" {
				r.line(i, e, e.Tag)
			}
		case e.end > i+1 && r.worthOpening(i, e):
			r.open1(i, e.Tag)
		}
		return
	case "heading":
		r.wordsOrOpen(i, e, e.Tag)
		return
	case "progressbar", "meter":
		r.gauge(i, e)
		return
	case "row":
		r.row(i, e)
		return
	}
	if e.end == i+1 && r.rich && (e.Background != "" || stateWord(e) != "") {
		r.plain(i, e)
		return
	}
	if w := stateWord(e); w != "" && e.end > i+1 && (w == "error" || w == "invalid" || w == "selected" || w == "active") && e.Index == 0 && r.small(i, e) {
		if r.leafText(i, e) {
			r.line(i, e, e.Tag)
			return
		}
		r.open1(i, e.Tag)
	}
}

// line writes `<tag states>text` for an element that holds nothing but text.
func (r *renderer) line(i int32, e *Element, tag string) {
	r.head(i, e, tag)
	r.buf = append(r.buf, '>')
	r.texts(i+1, e.end)
	r.finish(false)
	r.skip = e.end
	r.last = -1
}

// texts writes the texts from i to end as one.
func (r *renderer) texts(i, end int32) {
	for j, first := i, true; j < end; j++ {
		if c := &r.p.Elements[j]; c.IsText() {
			if !first && !c.glue {
				r.buf = append(r.buf, ' ')
			}
			r.buf = appendText(r.buf, c.Text)
			first = false
		}
	}
}

// gauge writes what a scripted progress bar or meter shows.
func (r *renderer) gauge(i int32, e *Element) {
	if !r.leafText(i, e) && e.end > i+1 {
		return
	}
	r.head(i, e, e.Tag)
	for _, name := range []string{"aria-valuetext", "aria-valuenow"} {
		if v, ok := e.Attr(name); ok && v != "" {
			r.buf = append(r.buf, " value="...)
			r.buf = appendValue(r.buf, clean(v))
			break
		}
	}
	r.buf = append(r.buf, '>')
	r.buf = appendText(r.buf, e.Name)
	if e.Name != "" && e.end > i+1 {
		r.buf = append(r.buf, ' ')
	}
	r.texts(i+1, e.end)
	r.finish(false)
	r.skip = e.end
	r.last = -1
}

// small reports that an element holds only a few entries.
func (r *renderer) small(i int32, e *Element) bool { return e.end-i <= 4 }

// plain writes a line of its own for an element without children.
func (r *renderer) plain(i int32, e *Element) {
	r.head(i, e, e.Tag)
	r.buf = append(r.buf, '>')
	r.buf = appendText(r.buf, e.Name)
	r.finish(false)
	r.last = -1
}

// head writes `<tag states attributes look box` and leaves the tag open.
func (r *renderer) head(i int32, e *Element, tag string) {
	r.begin(i, false)
	r.buf = append(r.buf, '<')
	r.buf = append(r.buf, tag...)
	r.states(e)
	if e.Role != "" && e.Role != nativeRoles[e.Tag] && e.Role != "presentation" {
		if v, ok := e.Attr("role"); ok && v != "" {
			r.buf = append(r.buf, " role="...)
			r.buf = appendValue(r.buf, clean(v))
		}
	}
	if v, ok := e.Attr("aria-current"); ok && v != "false" {
		r.buf = append(r.buf, " current"...)
	}
	switch {
	case e.State.Has(OpenShadow):
		r.buf = append(r.buf, " shadow"...)
	case e.State.Has(ClosedShadow):
		r.buf = append(r.buf, " shadow=closed"...)
	}
	r.values(e)
	r.look(e, "")
	r.box(e)
}

// open1 writes a container's line; what is in it is indented below.
func (r *renderer) open1(i int32, tag string) {
	e := &r.p.Elements[i]
	r.head(i, e, tag)
	r.buf = append(r.buf, '>')
	if name := e.Name; name != "" && !e.content && len(name) < 120 && !r.saidBelow(i, e) {
		r.buf = appendText(r.buf, name)
	} else if tag == "iframe" {
		if f := r.frameOf(i); f != nil && f.Title != "" {
			r.buf = appendText(r.buf, f.Title)
		}
	}
	r.finish(false)
	r.container(i)
}

// saidBelow reports that the container's name is the text of a caption,
// legend, summary or target in it, which gets a line of its own.
func (r *renderer) saidBelow(i int32, e *Element) bool {
	if e.Role == "heading" || len(e.Tag) == 2 && e.Tag[0] == 'h' && e.Tag[1] >= '1' && e.Tag[1] <= '6' {
		return r.namedByContent(i, e)
	}
	for j := i + 1; j < e.end && j < i+4; j++ {
		c := &r.p.Elements[j]
		if c.Index != 0 && c.Name == e.Name {
			return true
		}
		switch c.Tag {
		case "legend", "caption":
			// It moves up to the container's line when that says it all.
			if c.Parent != int(i) || !r.leafText(j, c) || c.Text != e.Name {
				return true
			}
			r.said = j
			return false
		case "figcaption", "summary":
			return true
		}
	}
	return false
}

// namedByContent reports that the lines below a heading say its name once more,
// piece by piece.
func (r *renderer) namedByContent(i int32, e *Element) bool {
	rest := strings.Join(strings.Fields(e.Name), "")
	for j := i + 1; j < e.end; {
		c := &r.p.Elements[j]
		said := c.Text
		if c.Index != 0 {
			said = c.Name
		}
		var ok bool
		if rest, ok = strings.CutPrefix(rest, strings.Join(strings.Fields(said), "")); !ok {
			return false
		}
		if c.Index != 0 {
			j = c.end
		} else {
			j++
		}
	}
	return rest == ""
}

func (r *renderer) frameOf(i int32) *Frame {
	for k := range r.p.Frames {
		if r.p.Frames[k].Element == int(i) {
			return &r.p.Frames[k]
		}
	}
	return nil
}

// worthOpening reports whether a container means something to the reader: it
// has a name, or it is one that matters as such and holds enough.
func (r *renderer) worthOpening(i int32, e *Element) bool {
	if e.end == i+1 {
		return false
	}
	if e.Role == "dialog" || e.Role == "alertdialog" || e.Role == "alert" || e.Tag == "dialog" {
		return true
	}
	if worthTelling(e, e.Above+e.Below) {
		return true
	}
	switch e.Tag {
	case "article", "section":
		return e.Name != "" && e.Tag == "section"
	case "details":
		return false
	}
	switch e.Role {
	case "status", "log", "group", "region":
		return e.Name != ""
	}
	n := 0
	for j := i + 1; j < e.end && n < 2; j++ {
		if r.p.Elements[j].Index != 0 {
			n++
		}
	}
	return n > 1
}

func (r *renderer) worthShadow(i int32, e *Element) bool {
	n := 0
	for j := i + 1; j < e.end && n < 3; j++ {
		if r.p.Elements[j].Index != 0 || r.p.Elements[j].IsText() {
			n++
		}
	}
	return n > 2 || e.State.Has(ClosedShadow) && n > 0 || e.Name != ""
}

// leafText reports that nothing but text is inside.
func (r *renderer) leafText(i int32, e *Element) bool {
	for j := i + 1; j < e.end; j++ {
		if !r.p.Elements[j].IsText() {
			return false
		}
	}
	return e.end > i+1
}

// broken reports that the texts inside are more than one line.
func (r *renderer) broken(i int32, e *Element) bool {
	for j := i + 2; j < e.end; j++ {
		if r.p.Elements[j].brk {
			return true
		}
	}
	return false
}

// wordsOrOpen writes `<h2>Title`, or opens a container when there is more
// than text inside.
func (r *renderer) wordsOrOpen(i int32, e *Element, tag string) {
	if r.leafText(i, e) {
		r.begin(i, false)
		r.buf = append(r.buf, '<')
		r.buf = append(r.buf, tag...)
		r.box(e)
		r.buf = append(r.buf, '>')
		r.buf = appendText(r.buf, e.Text)
		r.finish(false)
		r.skip = e.end
		r.last = -1
		return
	}
	if c := i + 1; c < e.end && r.p.Elements[c].Index != 0 && r.p.Elements[c].end == e.end || !strings.HasPrefix(tag, "h") {
		return // a heading that is one link: the link's line says it
	}
	r.open1(i, tag)
}

// picture writes an image or drawing; one without words only where the page
// has little else.
func (r *renderer) picture(i int32, e *Element, name, tag string) {
	if name == "" && !r.rich && e.end == i+1 && !speaks(e) {
		return
	}
	if name == "" && tag == "img" {
		name = e.Hint
		if name == "" && !speaks(e) {
			return
		}
	}
	r.head(i, e, tag)
	r.buf = append(r.buf, '>')
	r.buf = appendText(r.buf, cutRunes(name, 120))
	r.finish(false)
	if e.end > i+1 {
		r.container(i)
	}
	r.last = -1
}

// speaks reports that a picture without words is no decoration: nobody said
// so with an empty alternative text, and it is large enough to tell something.
func speaks(e *Element) bool {
	const side = 48
	_, said := e.Attr("alt")
	return e.Tag == "img" && !said && e.Bounds.W >= side && e.Bounds.H >= side && !e.State.Has(AriaHidden)
}

// iconHint finds a word for a target without any: its icon's name, a picture
// in it.
func iconHint(p *Page, e *Element) string {
	if e.Icon != "" {
		return e.Icon
	}
	if e.Hint != "" && e.Hint != "hidden" {
		return e.Hint
	}
	i := p.position[e.Index]
	for j := i + 1; j < e.end && j < i+4; j++ {
		if h := p.Elements[j].Hint; h != "" {
			return h
		}
	}
	return ""
}

// classHint is the class of a target that shows neither words nor an icon:
// often all that tells one square of a board from another.
func classHint(p *Page, e *Element) string {
	class, ok := e.Attr("class")
	if !ok || plainField(e) || e.Fill != "" {
		return ""
	}
	for j := p.position[e.Index] + 1; j < e.end; j++ {
		if c := &p.Elements[j]; c.IsText() || c.Name != "" || c.Index != 0 {
			return ""
		}
	}
	return cutRunes(clean(class), 40)
}

func plainField(e *Element) bool {
	switch e.Tag {
	case "input", "select", "textarea":
		return true
	}
	return false
}
