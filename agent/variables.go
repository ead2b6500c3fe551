package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/mail"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ErrVariable is matched by errors about variables: one without a value, a
// value of the wrong type, a name that nothing declares. They come before a
// browser is started.
var ErrVariable = errors.New("agent: variable")

// VariableType is what values of a variable have to be.
type VariableType string

// The types of variables. The zero value takes any text.
const (
	TypeText    VariableType = "text"
	TypeEmail   VariableType = "email"
	TypeDate    VariableType = "date" // 2026-12-02
	TypeNumber  VariableType = "number"
	TypeInteger VariableType = "integer"
	TypeBool    VariableType = "bool"
	TypeURL     VariableType = "url"
	TypeList    VariableType = "list" // for workflows: what a repeat goes over
)

// Variable is a value that may differ from run to run.
type Variable struct {
	// Name is a letter followed by letters, digits and underscores. {{name}}
	// stands for the value.
	Name string       `json:"name"`
	Type VariableType `json:"type,omitempty"`
	// Sample is the value in the recording.
	Sample string `json:"sample,omitempty"`
	// Default is the value when none is given. Empty makes one required,
	// unless Optional is set.
	Default  string `json:"default,omitempty"`
	Optional bool   `json:"optional,omitempty"`
	// Description is for people, and for the model when a workflow is a tool.
	Description string `json:"description,omitempty"`
}

var variableName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,63}$`)

// placeholders matches {{name}} and, for the values of a workflow, {{name.field}}.
var placeholders = regexp.MustCompile(`\{\{([A-Za-z][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*)\}\}`)

func (v Variable) placeholder() string { return "{{" + v.Name + "}}" }

// check says what is wrong with a value; nil is fine.
func (v Variable) check(value string) error {
	var err error
	want := ""
	switch v.Type {
	case "", TypeText, TypeList:
		return nil
	case TypeEmail:
		var a *mail.Address
		if a, err = mail.ParseAddress(value); err == nil && a.Address != value {
			err = errors.New("more than an address")
		}
		want = "an email address"
	case TypeDate:
		_, err = time.Parse(time.DateOnly, value)
		want = "a date such as 2026-12-02"
	case TypeNumber:
		_, err = strconv.ParseFloat(value, 64)
		want = "a number"
	case TypeInteger:
		_, err = strconv.ParseInt(value, 10, 64)
		want = "a whole number"
	case TypeBool:
		_, err = strconv.ParseBool(value)
		want = "true or false"
	case TypeURL:
		if parseStart(value) == "" {
			err = errors.New("no address")
		}
		want = "an address such as https://example.com/"
	default:
		return fmt.Errorf("%w %q has the unknown type %q", ErrVariable, v.Name, v.Type)
	}
	if err != nil {
		return fmt.Errorf("%w %q must be %s, got %q", ErrVariable, v.Name, want, oneLine(value, 60))
	}
	return nil
}

// checkVariables reports names that cannot be used or are there twice, and
// samples and defaults that are not of their type.
func checkVariables(vars []Variable) error {
	var errs []error
	seen := map[string]bool{}
	for _, v := range vars {
		switch {
		case !variableName.MatchString(v.Name):
			errs = append(errs, fmt.Errorf("%w name %q: want a letter, then letters, digits and underscores", ErrVariable, v.Name))
		case seen[v.Name]:
			errs = append(errs, fmt.Errorf("%w %q is declared twice", ErrVariable, v.Name))
		}
		seen[v.Name] = true
		for _, s := range []string{v.Sample, v.Default} {
			if s != "" {
				if err := v.check(s); err != nil {
					errs = append(errs, err)
				}
			}
		}
	}
	return errors.Join(errs...)
}

// resolveVariables gives every declared variable a value, or says which have
// none, which are of the wrong type, and which nobody declared.
func resolveVariables(vars []Variable, given map[string]string) (map[string]any, error) {
	errs := []error{checkVariables(vars)}
	out := make(map[string]any, len(vars))
	for _, v := range vars {
		value, ok := given[v.Name]
		if !ok {
			value = v.Default
			if value == "" && !v.Optional {
				errs = append(errs, fmt.Errorf("%w %q has no value; set Config.Vars[%q]", ErrVariable, v.Name, v.Name))
				continue
			}
		}
		if value != "" || ok {
			if err := v.check(value); err != nil {
				errs = append(errs, err)
				continue
			}
		}
		out[v.Name] = value
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.ContainsFunc(vars, func(v Variable) bool { return v.Name == name }) {
			errs = append(errs, fmt.Errorf("%w %q is given and not declared; declare it with History.Parameterize", ErrVariable, name))
		}
	}
	return out, errors.Join(errs...)
}

// fill replaces the placeholders in a text. Names without a value stay as they
// are: the braces may be the page's own.
func fill(values map[string]any, s string) string {
	if !strings.Contains(s, "{{") {
		return s
	}
	return placeholders.ReplaceAllStringFunc(s, func(m string) string {
		v, ok := lookup(values, m[2:len(m)-2])
		if !ok {
			return m
		}
		return valueText(v)
	})
}

// lookup follows a dotted name.
func lookup(values map[string]any, path string) (any, bool) {
	name, rest, dotted := strings.Cut(path, ".")
	v, ok := values[name]
	for ok && dotted {
		name, rest, dotted = strings.Cut(rest, ".")
		switch x := v.(type) {
		case map[string]any:
			v, ok = x[name]
		case []any:
			i, err := strconv.Atoi(name)
			if ok = err == nil && i >= 0 && i < len(x); ok {
				v = x[i]
			}
		default:
			ok = false
		}
	}
	return v, ok
}

// valueText writes a value inside a text.
func valueText(v any) string {
	switch x := v.(type) {
	case nil:
		return ""
	case string:
		return x
	case float64:
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	b, err := encodePlain(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

// fillJSON replaces the placeholders in the strings of a JSON value. A string
// that is one placeholder and nothing else becomes the value itself, a number
// or a list as it is.
func fillJSON(values map[string]any, raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) == 0 || !bytes.Contains(raw, []byte("{{")) {
		return raw, nil
	}
	return mapStrings(raw, func(s string) any {
		if m := placeholders.FindStringSubmatch(s); m != nil && m[0] == s {
			if v, ok := lookup(values, m[1]); ok {
				return v
			}
			return s
		}
		return fill(values, s)
	})
}

// mapStrings rewrites every string value of a JSON text; names of fields stay.
func mapStrings(raw json.RawMessage, f func(string) any) (json.RawMessage, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("agent: read arguments: %w", err)
	}
	var walk func(any) any
	walk = func(v any) any {
		switch x := v.(type) {
		case string:
			return f(x)
		case []any:
			for i := range x {
				x[i] = walk(x[i])
			}
		case map[string]any:
			for k := range x {
				x[k] = walk(x[k])
			}
		}
		return v
	}
	return encodePlain(walk(v))
}

// forRun gives the variables of a run that a model decides their values: those
// of Vars, else samples, else defaults. The samples of the result are the values
// used.
func (c Config) forRun() (vars []Variable, values map[string]any, err error) {
	given := make(map[string]string, len(c.Variables))
	for _, v := range c.Variables {
		if s := or(v.Sample, v.Default); s != "" {
			given[v.Name] = s
		}
	}
	maps.Copy(given, c.Vars)
	if values, err = resolveVariables(c.Variables, given); err != nil {
		return nil, nil, err
	}
	vars = slices.Clone(c.Variables)
	for i := range vars {
		vars[i].Sample = valueText(values[vars[i].Name])
	}
	return vars, values, nil
}
