package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Arg says something about the plain parameters of a handler that has no params
// struct: [Args], [Doc], [Default] and [Rule] make one.
type Arg struct {
	names []string // Args
	name  string   // of the others
	kind  string
	text  string
	value any
}

// Args names the plain parameters of a handler, in order. Go's reflection knows
// their types only.
//
//	r.MustAdd(registry.Spec{Name: "wait", Description: "Wait some seconds."},
//		func(ctx context.Context, seconds int) error { ... },
//		registry.Args("seconds"), registry.Default("seconds", 3))
//
// The plain parameters come right after the context, dependencies follow.
func Args(names ...string) Arg { return Arg{kind: "Args", names: names} }

// Doc describes a plain parameter to the model.
func Doc(name, text string) Arg { return Arg{kind: "Doc", name: name, text: text} }

// Default makes a plain parameter optional. The value must have its type.
func Default(name string, value any) Arg { return Arg{kind: "Default", name: name, value: value} }

// Rule limits a plain parameter with the keywords of a jsonschema tag, such as
// "minimum=0,maximum=30".
func Rule(name, keywords string) Arg { return Arg{kind: "Rule", name: name, text: keywords} }

// plainArgs is what the Arg values of one registration say together.
type plainArgs struct {
	names    []string
	docs     map[string]string
	rules    map[string]string
	defaults map[string]any
}

// collectArgs puts the Arg values together. It returns nil when there is none.
func collectArgs(args []Arg) (*plainArgs, error) {
	if len(args) == 0 {
		return nil, nil
	}
	p := &plainArgs{docs: map[string]string{}, rules: map[string]string{}, defaults: map[string]any{}}
	for _, a := range args {
		if a.kind == "Args" {
			p.names = append(p.names, a.names...)
		}
	}
	if len(p.names) == 0 {
		return nil, errors.New("registry.Args is missing: Doc, Default and Rule speak of the parameters it names")
	}
	for i, n := range p.names {
		if slices.Contains(p.names[:i], n) {
			return nil, fmt.Errorf("registry.Args names %q twice", n)
		}
	}
	for _, a := range args {
		if a.kind == "Args" {
			continue
		}
		if !slices.Contains(p.names, a.name) {
			return nil, fmt.Errorf("registry.%s(%q): registry.Args does not name it (it names %s)", a.kind, a.name, strings.Join(p.names, ", "))
		}
		switch a.kind {
		case "Doc":
			p.docs[a.name] = a.text
		case "Rule":
			p.rules[a.name] = a.text
		case "Default":
			p.defaults[a.name] = a.value
		}
	}
	return p, nil
}

// structOf builds the params struct that the plain parameters stand for.
func (p *plainArgs) structOf(types []reflect.Type) reflect.Type {
	fields := make([]reflect.StructField, len(types))
	for i, t := range types {
		name := p.names[i]
		option := ""
		if _, ok := p.defaults[name]; ok {
			option = ",omitempty"
		}
		tag := fmt.Sprintf("json:%q", name+option)
		if d := p.docs[name]; d != "" {
			tag += fmt.Sprintf(" jsonschema_description:%q", d)
		}
		if r := p.rules[name]; r != "" {
			tag += fmt.Sprintf(" jsonschema:%q", r)
		}
		fields[i] = reflect.StructField{Name: fmt.Sprintf("Arg%d", i), Type: t, Tag: reflect.StructTag(tag)}
	}
	return reflect.StructOf(fields)
}

// defaultsJSON returns the defaults as JSON, each checked against its type.
func (p *plainArgs) defaultsJSON(types []reflect.Type) (map[string]json.RawMessage, error) {
	out := make(map[string]json.RawMessage, len(p.defaults))
	for i, name := range p.names {
		v, ok := p.defaults[name]
		if !ok {
			continue
		}
		if types[i].Kind() == reflect.Pointer {
			return nil, fmt.Errorf("registry.Default(%q): a pointer is optional already; use a plain type", name)
		}
		if v == nil || !reflect.TypeOf(v).ConvertibleTo(types[i]) || reflect.TypeOf(v).Kind() != types[i].Kind() {
			return nil, fmt.Errorf("registry.Default(%q): %T is not %s", name, v, types[i])
		}
		b, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("registry.Default(%q): %w", name, err)
		}
		out[name] = b
	}
	return out, nil
}
