package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/seed-4bdb41d0/webhand/llm"
)

// Validator checks values against one schema. It is safe for concurrent use.
type Validator struct{ s *jsonschema.Schema }

// Validator compiles the schema. Regular expressions are RE2 (package regexp).
func (n *Node) Validator() (*Validator, error) {
	text, err := n.Render(llm.Canonical)
	if err != nil {
		return nil, err
	}
	return compile(text, true)
}

// RawValidator compiles a foreign schema as it is, in the draft that its
// $schema names. Regular expressions that RE2 cannot hold are not enforced.
func RawValidator(text json.RawMessage) (*Validator, error) { return compile(text, false) }

func compile(text []byte, own bool) (*Validator, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	// A urn, since the default name would be this process's working directory.
	const name = "urn:webhand:params"
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	if own {
		c.AssertFormat()
	} else {
		c.UseRegexpEngine(lenientRegexp)
	}
	if err := c.AddResource(name, doc); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	s, err := c.Compile(name)
	if err != nil {
		if bad, ok := errors.AsType[*jsonschema.InvalidRegexError](err); ok {
			return nil, fmt.Errorf("pattern %s: %w", Quote(bad.Regex), bad.Err)
		}
		if bad, ok := errors.AsType[*jsonschema.SchemaValidationError](err); ok {
			if inner, ok := errors.AsType[*jsonschema.ValidationError](bad.Err); ok {
				return nil, fmt.Errorf("not a valid JSON Schema: %s", joinProblems(problemsOf(inner)))
			}
		}
		return nil, fmt.Errorf("schema: %w", err)
	}
	return &Validator{s}, nil
}

// noLoader keeps a schema from reading files or the network.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("%s is outside the schema: only local references are supported", url)
}

// anyText matches everything.
type anyText string

func (anyText) MatchString(string) bool { return true }
func (a anyText) String() string        { return string(a) }

// lenientRegexp compiles foreign patterns; those written for other engines
// (look-around, back-references) are left to whoever made the schema.
func lenientRegexp(s string) (jsonschema.Regexp, error) {
	re, err := regexp.Compile(s)
	if err != nil {
		return anyText(s), nil //nolint:nilerr // not ours to enforce
	}
	return re, nil
}

// Check returns everything that is wrong with a value of [ParseValue].
func (v *Validator) Check(value any) []Problem {
	err := v.s.Validate(value)
	if err == nil {
		return nil
	}
	if ve, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		return problemsOf(ve)
	}
	return []Problem{{Text: err.Error()}}
}

// problemsOf flattens a tree of failures into the ones that say something.
func problemsOf(e *jsonschema.ValidationError) []Problem {
	switch k := e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		return choiceProblems(e)
	case *kind.Contains:
		return []Problem{{location(e), "has no item of the kind that it must contain"}}
	case *kind.Required:
		out := make([]Problem, 0, len(k.Missing))
		for _, name := range k.Missing {
			out = append(out, Problem{child(location(e), name), "is required"})
		}
		return out
	case *kind.AdditionalProperties:
		out := make([]Problem, 0, len(k.Properties))
		for _, name := range slices.Sorted(slices.Values(k.Properties)) {
			out = append(out, Problem{child(location(e), clip(name)), unknownField})
		}
		return out
	}
	if len(e.Causes) == 0 {
		return []Problem{{location(e), explain(e.ErrorKind)}}
	}
	var out []Problem
	for _, c := range e.Causes {
		out = append(out, problemsOf(c)...)
	}
	slices.SortStableFunc(out, func(a, b Problem) int { return strings.Compare(a.Path, b.Path) })
	return out
}

const unknownField = "unknown field"

// choiceProblems reports a failed choice by the alternative that came nearest.
func choiceProblems(e *jsonschema.ValidationError) []Problem {
	if k, ok := e.ErrorKind.(*kind.OneOf); ok && len(k.Subschemas) > 0 {
		return []Problem{{location(e), "fits more than one alternative"}}
	}
	var want []string
	var best []Problem
	for _, c := range e.Causes {
		leaf := c
		for len(leaf.Causes) == 1 {
			leaf = leaf.Causes[0]
		}
		if t, ok := leaf.ErrorKind.(*kind.Type); ok && len(leaf.InstanceLocation) == len(e.InstanceLocation) {
			want = append(want, t.Want...)
			continue
		}
		if ps := problemsOf(c); best == nil || len(ps) < len(best) {
			best = ps
		}
	}
	if best != nil {
		return best
	}
	slices.Sort(want)
	return []Problem{{location(e), "must be " + strings.Join(slices.Compact(want), " or ")}}
}

// location writes where in the value a failure is: "items[0].name".
func location(e *jsonschema.ValidationError) string {
	var b strings.Builder
	for _, part := range e.InstanceLocation {
		if _, err := strconv.Atoi(part); err == nil {
			b.WriteString("[" + part + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(clip(part))
	}
	return b.String()
}

// explain says a failure in words made for a model: what it must be, and what
// it was.
func explain(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		return "must be " + strings.Join(k.Want, " or ") + ", got " + k.Got
	case *kind.Enum:
		return "must be one of " + display(k.Want...) + ", got " + display(k.Got)
	case *kind.Const:
		return "must be " + display(k.Want)
	case *kind.Minimum:
		return "must be at least " + rat(k.Want) + ", got " + rat(k.Got)
	case *kind.Maximum:
		return "must be at most " + rat(k.Want) + ", got " + rat(k.Got)
	case *kind.ExclusiveMinimum:
		return "must be more than " + rat(k.Want) + ", got " + rat(k.Got)
	case *kind.ExclusiveMaximum:
		return "must be less than " + rat(k.Want) + ", got " + rat(k.Got)
	case *kind.MultipleOf:
		return "must be a multiple of " + rat(k.Want) + ", got " + rat(k.Got)
	case *kind.MinLength:
		return fmt.Sprintf("must have at least %d characters, got %d", k.Want, k.Got)
	case *kind.MaxLength:
		return fmt.Sprintf("must have at most %d characters, got %d", k.Want, k.Got)
	case *kind.MinItems:
		return fmt.Sprintf("must have at least %d items, got %d", k.Want, k.Got)
	case *kind.MaxItems:
		return fmt.Sprintf("must have at most %d items, got %d", k.Want, k.Got)
	case *kind.UniqueItems:
		return fmt.Sprintf("items %d and %d are equal", k.Duplicates[0], k.Duplicates[1])
	case *kind.Pattern:
		return "must match " + clip(k.Want) + ", got " + Quote(k.Got)
	case *kind.Format:
		return "must be a valid " + k.Want + ", got " + display(k.Got)
	case *kind.FalseSchema, *kind.Not:
		return "is not allowed"
	default: // rare; in the validator's own words
		return clip(k.LocalizedString(message.NewPrinter(language.English)))
	}
}

func rat(r *big.Rat) string {
	if r.IsInt() {
		return clip(r.Num().String())
	}
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// display shows values shortly.
func display(values ...any) string {
	parts := make([]string, 0, len(values))
	for _, v := range values {
		if s, ok := v.(string); ok {
			parts = append(parts, Quote(s))
			continue
		}
		parts = append(parts, clip(string(raw(v))))
	}
	return strings.Join(parts, ", ")
}

// clip shortens a text that came from outside.
func clip(s string) string {
	const most = 40
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}

func joinProblems(ps []Problem) string {
	parts := make([]string, 0, len(ps))
	for _, p := range ps {
		parts = append(parts, p.String())
	}
	return strings.Join(parts, "; ")
}

// Suggest returns the known name that name was probably meant to be, or "".
func Suggest(name string, known []string) string {
	best, bestAt := "", 3
	for _, k := range known {
		if strings.EqualFold(k, name) {
			return k
		}
		if d := distance(strings.ToLower(name), k, bestAt); d < bestAt && d*2 < len(k) {
			best, bestAt = k, d
		}
	}
	return best
}

// distance is the edit distance of two names, or at least most.
func distance(a, b string, most int) int {
	if len(a)-len(b) >= most || len(b)-len(a) >= most || len(a) > 64 {
		return most
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			last, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, last+cost)
		}
	}
	return row[len(b)]
}

// sample builds a value that holds every default of n, to check them.
func (n *Node) sample() any {
	switch {
	case n.Default != nil:
		v, err := ParseValue(n.Default)
		if err != nil {
			return string(n.Default)
		}
		return v
	case n.Type == "array" && n.Items != nil && n.Items.HasDefaults():
		return []any{n.Items.sample()}
	case n.Type == "object":
		m := map[string]any{}
		for _, p := range n.Props {
			if p.Node.HasDefaults() {
				m[p.Name] = p.Node.sample()
			}
		}
		return m
	default:
		return nil
	}
}

// CheckDefaults reports defaults that break their own schema.
func (n *Node) CheckDefaults(v *Validator) error {
	if !n.HasDefaults() {
		return nil
	}
	s := n.sample()
	s, problems := n.Coerce(s)
	for _, p := range v.Check(s) {
		if p.Text != "is required" && !strings.Contains(p.Text, "minItems") {
			problems = append(problems, p)
		}
	}
	if len(problems) > 0 {
		return fmt.Errorf("default: %s", joinProblems(problems))
	}
	return nil
}
