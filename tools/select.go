package tools

import (
	"fmt"
	"strings"

	"github.com/seed-4bdb41d0/webhand/browser"
)

// optionWords lists the choices of a list in one line.
func optionWords(l *browser.OptionList) string {
	out := make([]string, 0, len(l.Options))
	for _, o := range l.Options {
		s := fmt.Sprintf("%q", o.Text)
		if o.Selected {
			s += " (selected)"
		}
		if o.Disabled {
			s += " (disabled)"
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}
