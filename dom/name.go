package dom

import "strings"

// maxName caps what an accessible name takes of an element's content.
const maxName = 300

type named struct {
	name, text string
	content    bool // the name is only what is inside
}

// nameRecords computes the accessible name and the own text of every element
// of a capture. Names follow the accessible-name rules: aria-labelledby,
// aria-label, the native label, alternative text, content, title, placeholder.
func nameRecords(c *Capture) []named {
	out := make([]named, len(c.records))
	ends := make([]int32, len(c.records))
	for i := range ends {
		ends[i] = int32(i + 1)
	}
	for i := len(ends) - 1; i >= 0; i-- {
		if p := c.records[i].parent; p >= 0 && ends[p] < ends[i] {
			ends[p] = ends[i]
		}
	}
	var scratch []byte
	for i := range c.records {
		r := &c.records[i]
		if r.tag == "" {
			continue
		}
		target := r.flags&fTarget != 0 || r.why != 0
		if target || wordy[r.tag] {
			out[i].text, scratch = contentOf(c, int32(i), ends[i], false, target, scratch)
		}
		out[i].name, out[i].content = nameOf(c, int32(i), ends[i], out[i].text, &scratch)
	}
	return out
}

// wordy elements show their own text even when they are no targets.
var wordy = map[string]bool{
	"h1": true, "h2": true, "h3": true, "h4": true, "h5": true, "h6": true, "li": true, "td": true, "th": true,
	"dt": true, "dd": true, "caption": true, "legend": true, "label": true, "summary": true, "figcaption": true,
	"button": true, "option": true, "output": true, "pre": true, "blockquote": true, "text": true,
}

// nameFromContent are roles and tags that are named by what is in them.
func namedByContent(tag, role string) bool {
	switch role {
	case "button", "link", "tab", "menuitem", "menuitemcheckbox", "menuitemradio", "option", "checkbox", "radio",
		"switch", "treeitem", "cell", "gridcell", "row", "columnheader", "rowheader", "heading", "tooltip":
		return true
	case "":
	default:
		return false
	}
	switch tag {
	case "button", "a", "summary", "option", "label", "td", "th", "legend", "caption",
		"h1", "h2", "h3", "h4", "h5", "h6", "li", "area":
		return true
	}
	return false
}

func nameOf(c *Capture, i, end int32, text string, scratch *[]byte) (name string, content bool) {
	r := &c.records[i]
	var by, label, aria, alt, title, placeholder, value, role, typ, drawn string
	for k := r.attr0; k < r.attr1; k++ {
		switch c.attrs[k].Name {
		case ".by":
			by = c.attrs[k].Value
		case ".label":
			label = c.attrs[k].Value
		case "aria-label":
			aria = clean(c.attrs[k].Value)
		case "alt":
			alt = clean(c.attrs[k].Value)
		case "title":
			title = clean(c.attrs[k].Value)
		case "placeholder", "aria-placeholder":
			placeholder = clean(c.attrs[k].Value)
		case ".value":
			value = c.attrs[k].Value
		case ".drawn", ".title":
			drawn = c.attrs[k].Value
		case "role":
			role = firstToken(c.attrs[k].Value)
		case "type":
			typ = strings.ToLower(c.attrs[k].Value)
		}
	}
	if by != "" {
		return by, false
	}
	if aria != "" {
		return aria, false
	}
	switch r.tag {
	case "input":
		switch typ {
		case "submit", "reset", "button":
			if label != "" {
				return label, false
			}
			if value == "" {
				value = map[string]string{"submit": "Submit", "reset": "Reset"}[typ]
			}
			if value != "" {
				return value, false
			}
		case "image":
			if alt != "" {
				return alt, false
			}
		}
		if label != "" {
			return label, false
		}
	case "select", "textarea", "fieldset", "table", "figure", "details", "meter", "progress", "output":
		if label != "" {
			return label, false
		}
	case "img", "area":
		if alt != "" {
			return alt, false
		}
	case "svg":
		if drawn != "" {
			return drawn, false
		}
	case "button":
		if label != "" {
			return label, false
		}
	}
	if r.why != 0 || namedByContent(r.tag, role) {
		if r.tag != "input" && r.tag != "select" && r.tag != "textarea" && r.why != whyScroll {
			var s string
			s, *scratch = contentOf(c, i, end, true, true, *scratch)
			if s != "" {
				return s, true
			}
		}
	}
	for _, s := range []string{title, placeholder, drawn} {
		if s != "" {
			return s, false
		}
	}
	return "", false
}

// contentOf joins the texts inside an element: with deep all of them, else
// those that are not inside a further element. For a name, what is not drawn
// but spoken counts and what is hidden from assistive technology does not,
// unless there is nothing else.
func contentOf(c *Capture, i, end int32, forName, deep bool, scratch []byte) (string, []byte) {
	one := ""
	n := 0
	scratch = scratch[:0]
	quiet := false
	add := func(s string, space bool) {
		s = strings.TrimLeft(s, " ") // the indentation of a line
		if s == "" || len(scratch) > maxName {
			return
		}
		n++
		if n == 1 {
			one = s
			return
		}
		if n == 2 {
			scratch = append(scratch, one...)
		}
		if space && len(scratch) > 0 {
			scratch = append(scratch, ' ')
		}
		scratch = append(scratch, s...)
	}
	for pass := 0; pass < 2; pass++ {
		said := true // the text before is part of what was added
		last := int32(-1)
		for j := i + 1; j < end && (n < 2 || len(scratch) <= maxName); j++ {
			r := &c.records[j]
			if forName && r.flags&fQuiet != 0 && !quiet && c.records[i].flags&fQuiet == 0 {
				said = said && r.tag != ""
				continue
			}
			if r.tag == "" {
				if !deep && r.parent != i || !forName && r.flags&fUnseen != 0 {
					said = false
					continue
				}
				glue := said && last >= 0 && r.flags&fGlue != 0
				if glue {
					q := &c.records[last]
					glue = !apart(Rect{int(q.x), int(q.y), int(q.w), int(q.h)}, Rect{int(r.x), int(r.y), int(r.w), int(r.h)})
				}
				add(r.text, !glue)
				said, last = true, j
				continue
			}
			if !forName {
				continue
			}
			for k := r.attr0; k < r.attr1; k++ {
				a := &c.attrs[k]
				label := a.Name == "aria-label" && a.Value != ""
				if !label && (a.Name != "alt" || r.tag != "img") && (a.Name != ".title" || r.tag != "svg") {
					continue
				}
				add(clean(a.Value), true)
				if label { // it stands for all that is inside
					for j+1 < end && c.records[j+1].parent >= j {
						j++
					}
					said = false
				}
				break
			}
		}
		if n > 0 || !forName || quiet {
			break
		}
		quiet = true
	}
	if n <= 1 {
		if len(one) > 4*maxName && forName {
			one = cutRunes(one, maxName)
		}
		return one, scratch
	}
	return strings.TrimSpace(string(scratch)), scratch
}
