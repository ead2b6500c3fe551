package registry

import (
	"fmt"
	"strings"

	"github.com/seed-4bdb41d0/webhand/internal/schema"
)

// Prompt describes every available action in words, for models that are not
// shown the schema: one line for the action, one for each parameter.
func (m *Model) Prompt() string { return describeActions(m.actions) }

// PagePrompt describes the actions that are available because of the page, ""
// when there are none. It belongs beside the page's state, so that what comes
// before it stays the same from page to page.
func (m *Model) PagePrompt() string { return describeActions(m.actions[m.base:]) }

func describeActions(actions []*Action) string {
	var b strings.Builder
	for _, a := range actions {
		b.WriteString(a.spec.Name)
		b.WriteString(": ")
		b.WriteString(strings.Join(strings.Fields(a.spec.Description), " "))
		if len(a.node.Props) == 0 {
			b.WriteString(" (no parameters)")
		}
		b.WriteByte('\n')
		b.WriteString(a.node.Text("  "))
	}
	return b.String()
}

// answerText describes the whole answer.
func (m *Model) answerText(envelope *schema.Node) string {
	var b strings.Builder
	b.WriteString("Answer with one JSON object and nothing else. Its keys, in this order:\n")
	b.WriteString(envelope.Text("  "))
	most := ""
	if m.max > 0 {
		most = fmt.Sprintf(", at most %d of them", m.max)
	}
	fmt.Fprintf(&b, "  action: list of what to do next, in order%s. Each is an object with exactly one key, the action's name, whose value is an object with its parameters: {\"name\": {\"parameter\": value}}\n", most)
	b.WriteString("Actions:\n")
	b.WriteString(m.Prompt())
	return b.String()
}
