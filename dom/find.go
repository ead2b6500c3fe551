package dom

import "regexp"

// Found is a line that a search found.
type Found struct {
	Line
	// Number is the line's position in [Text.Lines].
	Number int
	// Before and After are the lines around it.
	Before, After []string
}

// Find returns the lines of the page that match, also those the budget left
// out, with so many lines of context around each.
func (t *Text) Find(re *regexp.Regexp, context int) []Found {
	var out []Found
	for i := range t.lines {
		l := &t.lines[i]
		if !re.Match(t.buf[l.start:l.end]) {
			continue
		}
		m := Found{Line: t.line(i), Number: i}
		for k := max(0, i-context); k < i; k++ {
			m.Before = append(m.Before, t.line(k).Text)
		}
		for k := i + 1; k < len(t.lines) && k <= i+context; k++ {
			m.After = append(m.After, t.line(k).Text)
		}
		out = append(out, m)
	}
	return out
}
