package dom

import "strings"

// within names what an element stands in: rows, lists' items, forms, dialogs
// and other groups that say what they are, from the innermost on. Parts that
// every page has, such as main and navigation, say too little to count.
func (p *Page) within(e *Element) []string {
	var out []string
	for i := e.Parent; i >= 0 && i < len(p.Elements) && len(out) < 6; i = p.Elements[i].Parent {
		c := &p.Elements[i]
		kind := groupKind(c)
		if kind == "" {
			continue
		}
		label := c.Name
		if rowKind(kind) || label == "" {
			label = p.firstWords(i, e)
		}
		if label != "" {
			out = append(out, kind+" "+cutRunes(label, 80))
		}
	}
	return out
}

// groupKind is the kind of a container that tells what is in it apart; "" for
// all others.
func groupKind(e *Element) string {
	switch e.Role {
	case "dialog", "alertdialog", "form", "search", "region", "group", "radiogroup", "row", "listitem", "article", "tabpanel", "treeitem", "table", "grid":
		return e.Role
	}
	switch e.Tag {
	case "form", "dialog", "article", "fieldset", "section", "details", "table":
		return e.Tag
	case "tr":
		return "row"
	case "li":
		return "listitem"
	}
	return ""
}

func rowKind(kind string) bool {
	return kind == "row" || kind == "listitem" || kind == "article" || kind == "treeitem"
}

// firstWords is what a container says of itself: its first heading, else the
// first words in it that are not the element's own.
func (p *Page) firstWords(i int, own *Element) string {
	end := min(int(p.Elements[i].end), len(p.Elements))
	first := ""
	for k := i + 1; k < end; k++ {
		x := &p.Elements[k]
		if x == own {
			k = int(x.end) - 1
			continue
		}
		if x.Role == "heading" || len(x.Tag) == 2 && x.Tag[0] == 'h' && x.Tag[1] >= '1' && x.Tag[1] <= '6' {
			if s := x.Name; s != "" {
				return s
			}
		}
		if first == "" {
			first = strings.TrimSpace(x.Text)
			if first == "" && x.Index == 0 {
				first = x.Name
			}
		}
	}
	return first
}

// sameGroup reports whether two elements stand in the same group. Rows have to
// be the same row; of other groups one that both are in is enough.
func sameGroup(a, b []string) bool {
	if len(a) == 0 && len(b) == 0 {
		return true
	}
	if row(a) != row(b) {
		return false
	}
	for _, x := range a {
		for _, y := range b {
			if x == y {
				return true
			}
		}
	}
	return false
}

// row is the innermost row a description names, "" for none.
func row(within []string) string {
	for _, w := range within {
		if kind, _, _ := strings.Cut(w, " "); rowKind(kind) {
			return w
		}
	}
	return ""
}
