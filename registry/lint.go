package registry

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-4bdb41d0/webhand/internal/schema"
)

// Advice is something about a registry that is legal and probably not meant.
type Advice struct {
	Action string // empty when it is about the registry as a whole
	Field  string // empty when it is about the action as a whole
	Text   string
}

// String is one line.
func (a Advice) String() string {
	switch {
	case a.Action == "":
		return a.Text
	case a.Field == "":
		return a.Action + ": " + a.Text
	default:
		return a.Action + "." + a.Field + ": " + a.Text
	}
}

// manyActions is the number of actions on one page from which on models are
// known to choose worse.
const manyActions = 40

// longDescription is the length in characters from which on a description
// costs more than it explains.
const longDescription = 1000

// genericNames say nothing about what an action does.
var genericNames = []string{
	"action", "call", "do", "do_it", "do_action", "execute", "function", "handle", "handler", "helper", "invoke",
	"main", "my_action", "my_function", "perform", "process", "run", "task", "test", "tool", "use",
}

// Lint returns advice for whoever registers actions: fields without a
// description, names that say nothing, descriptions that a model cannot tell
// apart, too many actions for one page, excluded names that match nothing. It
// is meant for a test or the start of a program.
func (r *Registry) Lint() []Advice {
	s := r.load()
	var out []Advice
	actions := slices.Collect(r.All())
	for i, a := range actions {
		out = append(out, a.lint()...)
		for _, b := range actions[:i] {
			if nearlyEqual(a.spec.Description, b.spec.Description) {
				out = append(out, Advice{Action: a.spec.Name,
					Text: fmt.Sprintf("its description is nearly that of %q; say what sets them apart", b.spec.Name)})
			}
		}
	}
	if n := mostOnOnePage(actions); n > manyActions {
		out = append(out, Advice{Text: fmt.Sprintf("%d actions can be available on one page; models choose worse from more than %d: limit some to their pages with Domains or When", n, manyActions)})
	}
	for _, name := range slices.Sorted(maps.Keys(s.exclude)) {
		if _, ok := s.names[name]; !ok {
			out = append(out, Advice{Text: fmt.Sprintf("Exclude(%q) matches no action%s", name, orSuggest(name, s))})
		}
	}
	return out
}

func orSuggest(name string, s *state) string {
	if known := schema.Suggest(name, slices.Sorted(maps.Keys(s.names))); known != "" {
		return fmt.Sprintf("; did you mean %q?", known)
	}
	return ""
}

func (a *Action) lint() []Advice {
	var out []Advice
	say := func(field, format string, args ...any) {
		out = append(out, Advice{a.spec.Name, field, fmt.Sprintf(format, args...)})
	}
	if slices.Contains(genericNames, a.spec.Name) {
		say("", "the name says nothing about what it does")
	}
	if n := utf8.RuneCountInString(a.spec.Description); n > longDescription {
		say("", "the description has %d characters and is sent with every step", n)
	}
	lintFields(a.node, "", say)
	return out
}

// lintFields lists fields without a description, however deep.
func lintFields(n *schema.Node, path string, say func(field, format string, args ...any)) {
	for _, p := range n.Props {
		at := p.Name
		if path != "" {
			at = path + "." + p.Name
		}
		if p.Node.Description == "" {
			say(at, "no description; add jsonschema_description (or registry.Doc)")
		}
		if p.Name != strings.ToLower(p.Name) && strings.IndexFunc(p.Name, unicode.IsUpper) == 0 {
			say(at, "models write lower-case names; add a json tag")
		}
		inner := p.Node
		if inner.Items != nil {
			inner = inner.Items
		}
		lintFields(inner, at, say)
	}
}

// mostOnOnePage is an estimate of the most actions that one page can have: the
// unrestricted ones and the largest group that shares a pattern.
func mostOnOnePage(actions []*Action) int {
	base, most := 0, 0
	groups := map[string]int{}
	for _, a := range actions {
		if !a.Restricted() {
			base++
			continue
		}
		for _, d := range a.spec.Domains {
			groups[d]++
			most = max(most, groups[d])
		}
	}
	return base + most
}

// nearlyEqual reports whether two descriptions share nearly all their words.
func nearlyEqual(a, b string) bool {
	wa, wb := wordSet(a), wordSet(b)
	if len(wa) < 3 || len(wb) < 3 {
		return len(wa) > 0 && maps.Equal(wa, wb)
	}
	shared := 0
	for w := range wa {
		if wb[w] {
			shared++
		}
	}
	return shared*100 >= 85*(len(wa)+len(wb)-shared)
}

func wordSet(s string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		out[w] = true
	}
	return out
}
