package registry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/seed-4bdb41d0/webhand/internal/schema"
)

// Decode reads one action as a model writes it, {"name": {params}}, or the bare
// name where the action needs no params, and checks it against that action's
// schema. Nothing that is unknown, doubled or out of range gets through; what a
// model clearly meant does ("7" and 7.0 for 7, "true" for true, null for a
// parameter that was not given).
//
// Errors are meant for the model, have at most 300 characters, and match
// [ErrMalformed], [ErrUnknownAction] or [ErrNotAvailable], or are a
// [*ParamError] that names every field at fault.
func (m *Model) Decode(data json.RawMessage) (*Call, error) {
	v, err := schema.ParseValue(data)
	if err != nil {
		return nil, malformed("%v", err)
	}
	return m.decode(v)
}

// DecodeList reads the list of actions of an answer. It returns the calls
// before the first that is wrong, and the error of that one with its position.
// A single action without the list around it does too. An empty list is
// [ErrMalformed]; more than the registry's MaxActions is [ErrTooManyActions],
// with the first MaxActions returned.
func (m *Model) DecodeList(data json.RawMessage) ([]*Call, error) {
	var list []json.RawMessage
	if !bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("[")) {
		list = []json.RawMessage{data}
	} else {
		if err := json.Unmarshal(data, &list); err != nil {
			_, err = schema.ParseValue(data) // for its words
			return nil, malformed("%v", err)
		}
	}
	if len(list) == 0 {
		return nil, malformed("the list of actions is empty; give at least one")
	}
	var calls []*Call
	for i, e := range list {
		if m.max > 0 && i == m.max {
			return calls, fmt.Errorf("%w: %d given, at most %d are allowed; the rest was not run", ErrTooManyActions, len(list), m.max)
		}
		c, err := m.Decode(e)
		if err != nil {
			if len(list) > 1 {
				err = &listError{i + 1, len(list), err}
			}
			return calls, err
		}
		calls = append(calls, c)
	}
	return calls, nil
}

// listError says which action of a list is wrong.
type listError struct {
	position, of int
	err          error
}

func (e *listError) Error() string {
	return shorten(fmt.Sprintf("action %d of %d: %v", e.position, e.of, e.err), maxMessage)
}

func (e *listError) Unwrap() error { return e.err }

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrMalformed, shorten(fmt.Sprintf(format, args...), maxMessage-40))
}

const wantedForm = `write {"action_name": {parameters}}`

func (m *Model) decode(v any) (*Call, error) {
	var name string
	var args any
	switch v := v.(type) {
	case string:
		name = v
		if a, ok := m.index[name]; ok && !a.node.NeedsNothing() {
			return nil, malformed("%q needs parameters; %s", name, wantedForm)
		}
	case map[string]any:
		if len(v) != 1 {
			keys := slices.Sorted(maps.Keys(v))
			if len(keys) == 0 {
				return nil, malformed("an empty object; %s", wantedForm)
			}
			return nil, malformed("%d keys (%s); an action has exactly one, its name", len(keys), shorten(strings.Join(keys, ", "), 120))
		}
		for name, args = range v { //nolint:revive // the single key
		}
	default:
		return nil, malformed("got %s; %s", schema.TypeName(v), wantedForm)
	}
	a, ok := m.index[name]
	if !ok {
		if _, exists := m.st.names[name]; exists {
			return nil, fmt.Errorf("%w: %q%s", ErrNotAvailable, name, listed("available", m.Names(), 200))
		}
		return nil, unknownAction(name, m.Names())
	}
	return a.decodeValue(m.reg, args)
}

// decode reads the JSON of an action's params.
func (a *Action) decode(r *Registry, args json.RawMessage) (*Call, error) {
	v, err := schema.ParseValue(args)
	if err != nil {
		return nil, &ParamError{a.spec.Name, []FieldError{{Problem: err.Error()}}}
	}
	return a.decodeValue(r, v)
}

// decodeValue checks params and brings them into their normal form. It may
// change v.
func (a *Action) decodeValue(r *Registry, v any) (*Call, error) {
	if v == nil {
		v = map[string]any{}
	}
	v, problems := a.node.Coerce(v)
	validator, err := a.validator()
	if err != nil {
		return nil, fmt.Errorf("registry: action %q: %w", a.spec.Name, err)
	}
	problems = append(problems, validator.Check(v)...)
	if a.foreign != nil {
		problems = append(problems, a.node.Strays(v)...)
	}
	if len(problems) > 0 {
		return nil, a.paramError(problems)
	}
	c := &Call{Name: a.spec.Name, Args: a.node.Append(make([]byte, 0, 128), v), action: a, reg: r}
	if a.h.params == nil {
		return c, nil
	}
	params, err := a.fill(v, c.Args)
	if err != nil {
		return nil, err
	}
	c.params.Store(&params)
	return c, nil
}

// fill decodes checked params into a new struct; text is v encoded.
func (a *Action) fill(v any, text []byte) (reflect.Value, error) {
	if a.h.defaults {
		a.node.FillDefaults(v)
		text = a.node.Append(make([]byte, 0, 2*len(text)), v)
	}
	p := reflect.New(a.h.params)
	if err := json.Unmarshal(text, p.Interface()); err != nil {
		return reflect.Value{}, a.paramError(a.unfit(v, err))
	}
	return p, nil
}

// unfit finds the fields whose own decoders refuse what the schema allows, such
// as an address that is none.
func (a *Action) unfit(v any, whole error) []schema.Problem {
	var out []schema.Problem
	m, _ := v.(map[string]any)
	for _, p := range a.node.Props {
		value, given := m[p.Name]
		if !given {
			continue
		}
		text := a.node.Append(nil, map[string]any{p.Name: value})
		if err := json.Unmarshal(text, reflect.New(a.h.params).Interface()); err != nil {
			out = append(out, schema.Problem{Path: p.Name, Text: "cannot be used: " + shorten(err.Error(), 100)})
		}
	}
	if out == nil {
		out = []schema.Problem{{Text: shorten(whole.Error(), 160)}}
	}
	return out
}

// paramError reports problems once for each field, the most telling first.
func (a *Action) paramError(problems []schema.Problem) error {
	e := &ParamError{Action: a.spec.Name}
	for _, p := range problems {
		if slices.ContainsFunc(e.Fields, func(f FieldError) bool { return f.Field == p.Path }) {
			continue
		}
		if p.Unknown() {
			p.Text += a.hint(p.Path)
		}
		e.Fields = append(e.Fields, FieldError{Field: p.Path, Problem: p.Text})
	}
	return e
}

// hint names the field that an unknown one was probably meant to be.
func (a *Action) hint(path string) string {
	if strings.ContainsAny(path, ".[") {
		return ""
	}
	names := make([]string, 0, len(a.node.Props))
	for _, p := range a.node.Props {
		names = append(names, p.Name)
	}
	if s := schema.Suggest(path, names); s != "" {
		return fmt.Sprintf(" (did you mean %s?)", s)
	}
	return ""
}

// Call is an action that a model chose, with arguments that were checked.
type Call struct {
	// Name of the action.
	Name string
	// Args are the arguments as one JSON object in normal form: fields in the
	// order of the schema, no defaults filled in. Secrets are placeholders. It
	// must not be changed.
	Args json.RawMessage

	action *Action
	reg    *Registry
	params atomic.Pointer[reflect.Value] // decoded Args for the first run
}

// Spec returns what the action was registered with.
func (c *Call) Spec() Spec {
	if c == nil || c.action == nil {
		return Spec{}
	}
	return c.action.Spec()
}

// MarshalJSON writes the call as a model would: {"name": {args}}.
func (c *Call) MarshalJSON() ([]byte, error) {
	name, err := json.Marshal(c.Name)
	if err != nil {
		return nil, err
	}
	args := c.Args
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	return slices.Concat([]byte("{"), name, []byte(":"), args, []byte("}")), nil
}
