package dom

import "strings"

// label leaves out the words of a label whose field says them.
func (r *renderer) label(i int32, e *Element) {
	if _, ok := e.Attr("for"); ok && r.idle(i, e) && (r.fieldNamed(i, e.Text) || e.Name != e.Text && r.fieldNamed(i, e.Name)) {
		r.skip = e.end
		return
	}
	// A label around its field: its own words are the field's name.
	for j := i + 1; j < e.end; j++ {
		if c := &r.p.Elements[j]; c.Index != 0 && c.Name != "" && e.Text != "" && strings.HasPrefix(c.Name, strings.TrimSuffix(e.Text, ":")) {
			r.targets(j, j+1, -1)
			r.targets(i+1, e.end, j) // a link in the label, say
			r.skip = max(r.skip, e.end)
			return
		}
	}
}

// idle reports that no target is in e.
func (r *renderer) idle(i int32, e *Element) bool {
	for j := i + 1; j < e.end; j++ {
		if r.p.Elements[j].Index != 0 {
			return false
		}
	}
	return true
}

// fieldNamed reports whether a field near element i carries the name.
func (r *renderer) fieldNamed(i int32, name string) bool {
	es := r.p.Elements
	for j := i + 1; j < int32(len(es)) && j < i+40; j++ {
		if es[j].Index != 0 && es[j].Name == name && es[j].Tag != "label" {
			return true
		}
	}
	for j := i - 1; j >= 0 && j > i-12; j-- {
		if es[j].Index != 0 && es[j].Name == name && es[j].Tag != "label" {
			return true
		}
	}
	return false
}

// namesNext reports that the text is the name of the field after it, whose
// line says it.
func (r *renderer) namesNext(i int32, e *Element) bool {
	es := r.p.Elements
	for j := i + 1; j < int32(len(es)) && j < i+4; j++ {
		c := &es[j]
		switch {
		case c.IsText():
			return false
		case c.Index != 0:
			return !c.content && c.Name == e.Text && c.Frame == e.Frame && fieldLike(c) && c.Text == ""
		}
	}
	return false
}

func fieldLike(e *Element) bool {
	if plainField(e) || e.State.Has(Editable) {
		return true
	}
	switch e.Role {
	case "textbox", "searchbox", "combobox", "listbox", "slider", "spinbutton", "switch", "checkbox":
		return true
	}
	return false
}
