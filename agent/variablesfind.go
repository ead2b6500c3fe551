package agent

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-4bdb41d0/webhand/tools"
)

// Parameterize returns a copy of the history in which the samples of the
// variables are replaced by {{name}}: whole values, and words within longer
// ones when the sample is long enough not to be there by chance. Element names
// count too, so that a choice by name follows the variable. A sample that occurs
// nowhere is an error, unless the placeholder is there already.
func (h *History) Parameterize(vars ...Variable) (*History, error) {
	return h.parameterize(true, vars...)
}

// parameterize takes variables that occur nowhere, unless it is strict: a run
// may declare what it then did not need.
func (h *History) parameterize(strict bool, vars ...Variable) (*History, error) {
	if err := checkVariables(vars); err != nil {
		return nil, err
	}
	c, err := h.copy()
	if err != nil {
		return nil, err
	}
	// Longer samples first, so that none is replaced inside another.
	order := slices.Clone(vars)
	slices.SortStableFunc(order, func(a, b Variable) int { return len(b.Sample) - len(a.Sample) })
	for _, v := range order {
		n := 0
		if v.Sample != "" {
			n = c.replaceSample(v)
		}
		if strict && n == 0 && !c.mentions(v.placeholder()) {
			return nil, fmt.Errorf("%w %q: the recording holds neither %q nor %s", ErrVariable, v.Name, oneLine(v.Sample, 60), v.placeholder())
		}
		c.Variables = slices.DeleteFunc(c.Variables, func(x Variable) bool { return x.Name == v.Name })
	}
	c.Variables = append(c.Variables, vars...)
	return c, nil
}

// copy is a deep copy.
func (h *History) copy() (*History, error) {
	b, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("agent: copy history: %w", err)
	}
	c := &History{Dir: h.Dir}
	if err := json.Unmarshal(b, c); err != nil {
		return nil, fmt.Errorf("agent: copy history: %w", err)
	}
	return c, nil
}

func (h *History) mentions(text string) bool {
	return slices.ContainsFunc(h.Actions(), func(x Action) bool { return strings.Contains(string(x.Args), text) })
}

// replaceSample puts the placeholder in place of the sample and counts where.
func (h *History) replaceSample(v Variable) int {
	n := 0
	swap := func(s string) any {
		t := swapSample(s, v.Sample, v.placeholder())
		if t != s {
			n++
		}
		return t
	}
	for _, s := range h.Steps {
		for i := range s.Actions {
			x := &s.Actions[i]
			if x.Name == "done" {
				continue
			}
			x.Args = numbersToo(x.Args, v, &n)
			if raw, err := mapStrings(orEmpty(x.Args), swap); err == nil {
				x.Args = raw
			}
			x.Element = elementSample(x.Element, swap)
			for p, raw := range x.Elements {
				x.Elements[p] = elementSample(raw, swap)
			}
		}
	}
	for i := range h.Tasks {
		h.Tasks[i].Task = swapSample(h.Tasks[i].Task, v.Sample, v.placeholder())
	}
	return n
}

func orEmpty(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("{}")
	}
	return raw
}

// numbersToo turns a number that equals a number variable's sample into its
// placeholder. Indices are no values.
func numbersToo(raw json.RawMessage, v Variable, n *int) json.RawMessage {
	var m map[string]json.RawMessage
	if v.Type != TypeNumber && v.Type != TypeInteger || json.Unmarshal(raw, &m) != nil {
		return raw
	}
	changed := false
	for k, x := range m {
		if !slices.Contains(indexParams, k) && string(x) == v.Sample {
			m[k] = json.RawMessage(strconv.Quote(v.placeholder()))
			*n++
			changed = true
		}
	}
	if !changed {
		return raw
	}
	b, err := encodePlain(m)
	if err != nil {
		return raw
	}
	return b
}

// elementSample replaces the sample in what an element says, not in where it
// stands.
func elementSample(raw json.RawMessage, swap func(string) any) json.RawMessage {
	var e map[string]json.RawMessage
	if len(raw) == 0 || json.Unmarshal(raw, &e) != nil {
		return raw
	}
	for _, k := range []string{"name", "unique", "within"} {
		if x := e[k]; len(x) > 0 {
			if y, err := mapStrings(x, swap); err == nil {
				e[k] = y
			}
		}
	}
	b, err := encodePlain(e)
	if err != nil {
		return raw
	}
	return b
}

// minInside is the length from which a sample is looked for inside longer
// texts.
const minInside = 4

// swapSample replaces whole values, and words inside longer texts.
func swapSample(s, sample, with string) string {
	if s == sample {
		return with
	}
	if utf8.RuneCountInString(sample) < minInside || !strings.Contains(s, sample) {
		return s
	}
	var b strings.Builder
	rest, before := s, rune(' ')
	for {
		i := strings.Index(rest, sample)
		if i < 0 {
			b.WriteString(rest)
			return b.String()
		}
		if i > 0 {
			before, _ = utf8.DecodeLastRuneInString(rest[:i])
		}
		after, _ := utf8.DecodeRuneInString(rest[i+len(sample):])
		b.WriteString(rest[:i])
		if wordy(before) || i+len(sample) < len(rest) && wordy(after) {
			b.WriteString(sample)
		} else {
			b.WriteString(with)
		}
		rest = rest[i+len(sample):]
		before, _ = utf8.DecodeLastRuneInString(sample)
	}
}

func wordy(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// FindVariables proposes what in a recording may differ from run to run: what
// was typed, chosen or searched for. It looks at the kind of the field first and
// at the form of the value second, and it guesses: show the list to whoever
// knows, and pass what they keep to [History.Parameterize]. Secrets are none.
func FindVariables(h *History) []Variable {
	var out []Variable
	for _, x := range h.Actions() {
		x.Name, x.Args = tools.Canonical(x.Name, x.Args)
		if !slices.Contains([]string{"input", "select_dropdown", "search", "find_text"}, x.Name) {
			continue
		}
		if x.Result != nil && x.Result.Error != "" {
			continue
		}
		var args struct {
			Text  string `json:"text"`
			Query string `json:"query"`
		}
		value := ""
		if json.Unmarshal(x.Args, &args) == nil {
			value = strings.TrimRight(or(args.Text, args.Query), "\n")
		}
		if value == "" || strings.Contains(value, "<secret>") || placeholders.MatchString(value) ||
			slices.ContainsFunc(out, func(v Variable) bool { return v.Sample == value }) {
			continue
		}
		var e Element
		_ = json.Unmarshal(x.Element, &e) // an action without an element has none
		v := guess(e, value)
		v.Name = freeName(out, v.Name)
		out = append(out, v)
	}
	return out
}

// kinds are what the words of a field say about its values. Words are whole
// ones: "hotel" is no telephone.
var kinds = []struct {
	name  string
	typ   VariableType
	words []string
}{
	{"email", TypeEmail, []string{"email", "mail"}},
	{"phone", TypeText, []string{"phone", "tel", "telephone", "mobile"}},
	{"first_name", TypeText, []string{"firstname", "given"}},
	{"last_name", TypeText, []string{"lastname", "surname", "family"}},
	{"date", TypeDate, []string{"date", "day", "birthday", "delivery"}},
	{"quantity", TypeInteger, []string{"quantity", "qty", "amount", "count"}},
	{"address", TypeText, []string{"address", "street"}},
	{"zip", TypeText, []string{"zip", "postcode", "postal"}},
	{"city", TypeText, []string{"city", "town"}},
	{"state", TypeText, []string{"state", "province", "region"}},
	{"country", TypeText, []string{"country"}},
	{"company", TypeText, []string{"company", "organization", "organisation"}},
	{"note", TypeText, []string{"note", "comment", "message", "remark"}},
	{"query", TypeText, []string{"q", "query", "search"}},
	{"name", TypeText, []string{"name", "fullname"}},
}

var (
	splitWords = regexp.MustCompile(`[^\p{L}\p{N}]+`)
	camel      = regexp.MustCompile(`(\p{Ll})(\p{Lu})`)
)

func guess(e Element, value string) Variable {
	text := strings.Join([]string{e.Unique["name"], e.Unique["id"], e.Name, e.Unique["placeholder"]}, " ")
	words := splitWords.Split(strings.ToLower(camel.ReplaceAllString(text, "$1 $2")), -1)
	for i := range len(words) - 1 {
		words = append(words, words[i]+words[i+1]) // lastName, post code
	}
	for _, k := range kinds {
		if !slices.ContainsFunc(k.words, func(w string) bool { return slices.Contains(words, w) }) {
			continue
		}
		v := Variable{Name: k.name, Type: k.typ, Sample: value, Description: e.Name}
		if v.check(value) != nil {
			v.Type = TypeText
		}
		return v
	}
	v := Variable{Name: "text", Type: TypeText, Sample: value, Description: e.Name}
	for _, t := range []struct {
		name string
		typ  VariableType
	}{{"date", TypeDate}, {"number", TypeInteger}, {"number", TypeNumber}, {"email", TypeEmail}} {
		try := Variable{Type: t.typ}
		if try.check(value) == nil {
			v.Name, v.Type = t.name, t.typ
			return v
		}
	}
	if n := strings.Trim(strings.Join(splitWords.Split(strings.ToLower(e.Unique["name"]), -1), "_"), "_"); variableName.MatchString(n) {
		v.Name = n
	}
	return v
}

func freeName(taken []Variable, name string) string {
	for n := 1; ; n++ {
		try := name
		if n > 1 {
			try = name + "_" + strconv.Itoa(n)
		}
		if !slices.ContainsFunc(taken, func(v Variable) bool { return v.Name == try }) {
			return try
		}
	}
}
