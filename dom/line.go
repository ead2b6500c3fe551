package dom

import (
	"strconv"
	"strings"
)

// element writes the line of one element, if it deserves one.
func (r *renderer) element(i int32) {
	e := &r.p.Elements[i]
	if e.IsText() {
		if !r.o.InteractiveOnly {
			r.text(i, e)
		}
		return
	}
	switch {
	case e.Index != 0:
		r.target(i, e)
	case e.Tag == "iframe" || e.Tag == "frame":
		if e.end > i+1 || e.State.Has(CrossProcess) {
			r.open1(i, "iframe")
		}
	case r.o.InteractiveOnly:
	default:
		r.structure(i, e)
	}
}

// gap announces children that were left out for being far away: those above
// where their container begins, those below where it ends.
func (r *renderer) gap(i int32, word string, n int) {
	if r.o.InteractiveOnly || !worthTelling(&r.p.Elements[i], n) {
		return
	}
	r.begin(i, true)
	r.buf = append(r.buf, "<more "...)
	r.buf = append(r.buf, word...)
	r.buf = append(r.buf, '=')
	r.buf = strconv.AppendInt(r.buf, int64(n), 10)
	r.buf = append(r.buf, '>')
	r.finish(false)
}

// worthTelling reports whether n children of e that were left out deserve a
// line: the entries of a list do, the rest of a card at the edge does not.
func worthTelling(e *Element, n int) bool {
	return n >= 3 && (e.Scroll != nil || listing(e)) || n >= 10
}

func listing(e *Element) bool {
	switch e.Tag {
	case "ul", "ol", "menu", "table", "select", "dl":
		return true
	}
	switch e.Role {
	case "list", "listbox", "grid", "treegrid", "table", "rowgroup", "feed", "tree", "menu", "log":
		return true
	}
	return false
}

// text writes a run of text, on the line of the run before it when they are
// one sentence.
func (r *renderer) text(i int32, e *Element) {
	if r.last >= 0 && int(r.last) == len(r.lines)-1 && r.joins(r.lines[r.last].elem, i) {
		l := &r.lines[r.last]
		if !e.glue || apart(r.p.Elements[i-1].Bounds, e.Bounds) {
			r.buf = append(r.buf, ' ')
		}
		r.buf = appendText(r.buf, e.Text)
		l.end = int32(len(r.buf))
		l.tokens = lineTokens(r.buf[l.start:l.end], l.depth)
		return
	}
	if r.namesNext(i, e) {
		return
	}
	r.begin(i, false)
	r.buf = appendText(r.buf, e.Text)
	r.box(e)
	r.finish(false)
	r.last = int32(len(r.lines) - 1)
}

// joins reports whether the text at i continues the line begun by the text at
// first.
func (r *renderer) joins(first, i int32) bool {
	if r.boxes || i == 0 {
		return false
	}
	e, prev := &r.p.Elements[i], &r.p.Elements[i-1]
	if e.brk || !prev.IsText() || first < 0 {
		return false
	}
	if e.Parent != r.p.Elements[first].Parent {
		return false
	}
	// Boxes of a line that are far apart are columns.
	gap := e.Bounds.X - (prev.Bounds.X + prev.Bounds.W)
	sameRow := e.Bounds.Y < prev.Bounds.Y+prev.Bounds.H && prev.Bounds.Y < e.Bounds.Y+e.Bounds.H
	return !sameRow || gap < 40
}

// target writes `*[12]<tag attributes>text`.
func (r *renderer) target(i int32, e *Element) {
	inner := r.hasInner(i, e)
	r.begin(i, false)
	if e.New {
		r.buf = append(r.buf, '*')
	}
	r.buf = append(r.buf, '[')
	r.buf = strconv.AppendInt(r.buf, int64(e.Index), 10)
	r.buf = append(r.buf, "]<"...)
	r.buf = append(r.buf, e.Tag...)
	if e.Hint == "hidden" {
		r.buf = append(r.buf, " hidden"...)
	}
	r.states(e)
	shown := words(e, inner)
	r.attributes(e, shown, inner)
	r.values(e)
	r.look(e, shown)
	if r.boxes || shown == "" && r.p.placed(i) {
		r.rect(e.Bounds)
	}
	r.buf = append(r.buf, '>')
	r.buf = appendText(r.buf, shown)
	r.finish(true)
	if inner {
		r.container(i)
	} else {
		r.skip = e.end
		r.last = -1
	}
}

// words chooses what stands behind a target's tag: its own text, its name
// where that says more, both when the text is a mere sign.
func words(e *Element, inner bool) string {
	switch {
	case inner:
		// What is in it has lines of its own.
		if e.content || strings.HasPrefix(e.Text, e.Name) || e.Text != "" && strings.HasPrefix(e.Name, e.Text) {
			return ""
		}
		return cutRunes(e.Name, 120)
	case e.Text == "" || e.Name == "":
		return e.Name + e.Text
	case e.Name == e.Text:
		return e.Text
	case covers(e.Name, e.Text):
		return e.Name
	case e.content:
		return e.Text
	case len(e.Text) <= 3:
		return e.Name + " " + e.Text
	}
	return e.Text
}

// covers reports that name says all that text says: its words in their order.
func covers(name, text string) bool {
	for w := range strings.FieldsSeq(text) {
		i := wordAt(name, w)
		if i < 0 {
			return false
		}
		name = name[i+len(w):]
	}
	return true
}

// wordAt finds a whole word, whatever its case; -1 when s has it not.
func wordAt(s, word string) int {
	for from := 0; from+len(word) <= len(s); {
		i := from
		for i < len(s) && s[i] == ' ' {
			i++
		}
		end := i
		for end < len(s) && s[end] != ' ' {
			end++
		}
		if bare := strings.TrimRight(s[i:end], ",.;:"); strings.EqualFold(s[i:end], word) || strings.EqualFold(bare, word) {
			return i
		}
		if end == i {
			return -1
		}
		from = end
	}
	return -1
}

// hasInner reports whether an element holds more than its own words: further
// targets, or structure that needs lines of its own.
func (r *renderer) hasInner(i int32, e *Element) bool {
	blocks := 0
	for j := i + 1; j < e.end; j++ {
		c := &r.p.Elements[j]
		if c.Index != 0 {
			return true
		}
		if r.rich && svgShape(c.Tag) {
			return true
		}
		switch c.Tag {
		case "li", "tr", "iframe", "h1", "h2", "h3":
			blocks++
		}
	}
	return blocks > 1 || e.State.Has(Scrollable) && e.Tag != "textarea" && e.end > i+2
}

func (r *renderer) states(e *Element) {
	s := e.State
	word := func(st State, w string) {
		if s.Has(st) {
			r.buf = append(r.buf, ' ')
			r.buf = append(r.buf, w...)
		}
	}
	word(Disabled, "disabled")
	word(Focused, "focused")
	word(Checked, "checked")
	word(Mixed, "mixed")
	word(Selected, "selected")
	word(ReadOnly, "readonly")
	word(Required, "required")
	word(Invalid, "invalid")
	word(Open, "open")
	if e.Control != "" {
		r.buf = append(r.buf, " for="...)
		r.buf = appendText(r.buf, e.Control)
	}
	if w := stateWord(e); w != "" {
		r.buf = append(r.buf, ' ')
		r.buf = append(r.buf, w...)
	}
}

// stateWord is the state that only a class tells.
func stateWord(e *Element) string {
	class, ok := e.Attr("class")
	if !ok {
		return ""
	}
	for t := range strings.FieldsFuncSeq(class, func(c rune) bool { return c == ' ' || c == '\t' || c == '\n' || c == '-' || c == '_' }) {
		if w, ok := stateClasses[strings.ToLower(t)]; ok && !e.State.Has(wordState[w]) && !e.has(wordAttr[w]) {
			return w
		}
	}
	return ""
}

var stateClasses = map[string]string{
	"active": "active", "selected": "selected", "current": "current", "checked": "checked", "disabled": "disabled",
	"error": "error", "invalid": "invalid", "expanded": "expanded", "collapsed": "collapsed",
	"highlight": "highlighted", "highlighted": "highlighted", "completed": "completed", "done": "done", "pressed": "pressed",
}

// wordState maps a word to the live state that says the same; a word without
// one maps to a state no element has.
var wordState = map[string]State{
	"active": 1 << 31, "selected": Selected, "current": 1 << 31, "checked": Checked, "disabled": Disabled, "error": Invalid,
	"invalid": Invalid, "expanded": Open, "collapsed": 1 << 31, "highlighted": 1 << 31, "completed": 1 << 31, "done": 1 << 31, "pressed": 1 << 31,
}

// wordAttr maps a word to the attribute that, where it is set, tells as much.
var wordAttr = map[string]string{
	"expanded": "aria-expanded", "collapsed": "aria-expanded", "pressed": "aria-pressed", "checked": "aria-checked",
}

// has reports an attribute with a value.
func (e *Element) has(name string) bool {
	v, ok := e.Attr(name)
	return ok && v != ""
}

func (r *renderer) attributes(e *Element, shown string, inner bool) {
	explicit := r.o.Attributes != nil
	for _, name := range r.attrs {
		v, ok := e.Attr(name)
		if !ok {
			continue
		}
		if !explicit && !r.worth(e, name, v, shown) {
			continue
		}
		r.buf = append(r.buf, ' ')
		r.buf = appendText(r.buf, name)
		if v = clean(v); v != "" {
			r.buf = append(r.buf, '=')
			r.buf = appendValue(r.buf, cutRunes(v, 100))
		}
	}
	if h := formatHint(e); h != "" && !(explicit && len(r.attrs) == 0) {
		r.buf = append(r.buf, " format="...)
		r.buf = append(r.buf, h...)
	}
	if !explicit && shown == "" && !inner && e.Name == "" {
		for _, name := range []string{"name", "id", "data-testid"} {
			if v, ok := e.Attr(name); ok && v != "" {
				r.buf = append(r.buf, ' ')
				r.buf = append(r.buf, name...)
				r.buf = append(r.buf, '=')
				r.buf = appendValue(r.buf, cutRunes(clean(v), 40))
				break
			}
		}
	}
}

// worth reports whether an attribute of the default list says something the
// line does not say yet.
func (r *renderer) worth(e *Element, name, v, shown string) bool {
	switch name {
	case "type":
		switch strings.ToLower(v) {
		case "text", "", "hidden":
			return false
		case "submit", "button":
			return e.Tag == "input"
		}
		return e.Tag == "input"
	case "role":
		return v != "" && v != "presentation" && v != "none" && v != e.Tag && !(v == "link" && e.Tag == "a") && !(v == "button" && e.Tag == "button")
	case "title", "aria-label", "alt", "placeholder":
		v = clean(v)
		return v != "" && v != shown && !strings.Contains(shown, v) && v != e.Value
	case "aria-selected", "aria-current":
		return v != "false" && v != ""
	case "aria-haspopup":
		return v != "false" && v != ""
	case "contenteditable":
		return v != "false"
	case "draggable":
		return v == "true"
	case "min", "max", "step":
		return e.Tag == "input"
	case "download", "multiple":
		return true
	}
	return v != ""
}

func formatHint(e *Element) string {
	if e.Tag != "input" {
		return ""
	}
	t, _ := e.Attr("type")
	switch strings.ToLower(t) {
	case "date":
		return "YYYY-MM-DD"
	case "time":
		return "HH:MM"
	case "datetime-local":
		return "YYYY-MM-DDTHH:MM"
	case "month":
		return "YYYY-MM"
	case "week":
		return "YYYY-Www"
	}
	return ""
}

// values writes what a field holds, what a list offers and how a box scrolls.
func (r *renderer) values(e *Element) {
	if e.Value != "" && !(e.Role == "button" && e.Tag == "input" && e.Value == e.Name) {
		r.buf = append(r.buf, " value="...)
		r.buf = appendValue(r.buf, e.Value)
	}
	if e.OptionCount > 0 && !e.State.Has(Scrollable) && len(e.Options) > 0 && e.Role == "combobox" {
		r.buf = append(r.buf, " options="...)
		r.buf = r.optionList(e)
	}
	if e.Scroll != nil {
		r.buf = append(r.buf, " scroll="...)
		r.buf = appendScroll(r.buf, *e.Scroll)
	}
}

func (r *renderer) optionList(e *Element) []byte {
	const most, chars = 12, 240
	var list []byte
	n := 0
	for _, o := range e.Options {
		if n == most || len(list)+len(o) > chars && n > 3 {
			break
		}
		if n > 0 {
			list = append(list, '|')
		}
		list = append(list, cutRunes(o, 40)...)
		n++
	}
	b := appendValue(r.buf, string(list))
	if more := e.OptionCount - n; more > 0 {
		b = append(b, " +"...)
		b = strconv.AppendInt(b, int64(more), 10)
	}
	return b
}

// look says what an element looks like when it has no words.
func (r *renderer) look(e *Element, shown string) {
	if e.Fill != "" {
		r.buf = append(r.buf, " fill="...)
		r.buf = append(r.buf, e.Fill...)
	} else if e.Stroke != "" {
		r.buf = append(r.buf, " stroke="...)
		r.buf = append(r.buf, e.Stroke...)
	} else if e.Background != "" && (shown == "" || r.sparse) && !plainControl(r.p, e) {
		r.buf = append(r.buf, " bg="...)
		r.buf = append(r.buf, e.Background...)
		if shown == "" && r.exact && swatch(e) {
			r.buf = append(r.buf, '/')
			r.buf = append(r.buf, e.Colour()...)
		}
	}
	r.corners(e)
	if shown == "" && e.Index != 0 {
		if h := iconHint(r.p, e); h != "" {
			r.buf = append(r.buf, " icon="...)
			r.buf = appendValue(r.buf, h)
		} else if h := classHint(r.p, e); h != "" {
			r.buf = append(r.buf, " class="...)
			r.buf = appendValue(r.buf, h)
		}
	}
}

func plainControl(p *Page, e *Element) bool {
	switch e.Tag {
	case "option":
		return true
	case "input", "select", "textarea", "button", "canvas":
		return e.Background == "white" || e.Background == "gray"
	}
	return e.Background == "white" && !(e.Index != 0 && e.end == p.position[e.Index]+1) // an empty white box is a swatch
}

// box writes the box when boxes are asked for.
func (r *renderer) box(e *Element) {
	if r.boxes || r.drawn && e.Index != 0 && r.placeMatters(e) {
		r.rect(e.Bounds)
	}
}

func (r *renderer) rect(b Rect) {
	r.buf = append(r.buf, " @"...)
	r.buf = strconv.AppendInt(r.buf, int64(b.X), 10)
	for _, v := range []int{b.Y, b.W, b.H} {
		r.buf = append(r.buf, ',')
		r.buf = strconv.AppendInt(r.buf, int64(v), 10)
	}
}
