package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// maxNodes bounds a foreign schema after its references were put in place, so
// that a few nested references cannot grow into a tree without end.
const maxNodes = 10_000

// Parse reads a JSON Schema into a tree. References within the document are
// put in place; those of recursive definitions stay, by name. References to
// other documents are errors: nothing is ever fetched.
func Parse(data []byte) (*Node, error) {
	if len(data) == 0 {
		data = []byte(`{"type":"object"}`)
	}
	doc, err := parseOrdered(data)
	if err != nil {
		return nil, err
	}
	p := &reader{root: doc}
	n, err := p.node(doc, "#")
	if err != nil {
		return nil, err
	}
	n.Defs = p.defs
	return n, nil
}

// reader turns an ordered JSON document into nodes.
type reader struct {
	root  any
	open  []string // references being put in place, outermost first
	defs  []Prop   // definitions of recursive references
	count int
}

// node reads the schema v, which is found at the JSON pointer at.
func (p *reader) node(v any, at string) (*Node, error) {
	if p.count++; p.count > maxNodes {
		return nil, fmt.Errorf("schema has more than %d nodes once its references are followed", maxNodes)
	}
	switch v := v.(type) {
	case bool:
		if v {
			return &Node{}, nil
		}
		return &Node{Rest: []Keyword{{"not", json.RawMessage("{}")}}}, nil
	case object:
		if ref, ok := v.get("$ref").(string); ok {
			return p.reference(v, ref, at)
		}
		return p.object(v, at)
	default:
		return nil, fmt.Errorf("%s: a schema is an object, not %s", at, TypeName(v))
	}
}

// reference puts the target of ref in place of a schema object.
func (p *reader) reference(v object, ref, at string) (*Node, error) {
	if ref == "#" || ref == at || slices.Contains(p.open, ref) {
		return p.recursive(v, ref, at)
	}
	target, err := p.resolve(ref)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", at, err)
	}
	p.open = append(p.open, ref)
	n, err := p.node(target, ref)
	p.open = p.open[:len(p.open)-1]
	if err != nil {
		return nil, err
	}
	if d, ok := v.get("description").(string); ok {
		n.Description = d
	}
	if d := v.get("default"); d != nil {
		n.Default = raw(d)
	}
	return n, nil
}

// recursive keeps a reference that leads back to itself as a named definition.
func (p *reader) recursive(v object, ref, at string) (*Node, error) {
	name := strings.TrimPrefix(ref, "#")
	name = strings.ReplaceAll(strings.Trim(name, "/"), "/", ".")
	if name == "" {
		name = "root"
	}
	n := &Node{Ref: name}
	if d, ok := v.get("description").(string); ok {
		n.Description = d
	}
	if slices.ContainsFunc(p.defs, func(d Prop) bool { return d.Name == name }) {
		return n, nil
	}
	target, err := p.resolve(ref)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", at, err)
	}
	i := len(p.defs)
	p.defs = append(p.defs, Prop{Name: name})
	p.open = append(p.open, ref)
	def, err := p.node(target, ref)
	p.open = p.open[:len(p.open)-1]
	if err != nil {
		return nil, err
	}
	p.defs[i].Node = def
	return n, nil
}

// resolve follows a JSON pointer (RFC 6901) within the document.
func (p *reader) resolve(ref string) (any, error) {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil, fmt.Errorf("$ref %s leads out of the schema: only local references are supported", Quote(ref))
	}
	if path, ok = strings.CutPrefix(path, "/"); !ok {
		if path == "" {
			return p.root, nil
		}
		return nil, fmt.Errorf("$ref %s: anchors are not supported, use a JSON pointer", Quote(ref))
	}
	v := p.root
	for part := range strings.SplitSeq(path, "/") {
		if un, err := url.PathUnescape(part); err == nil {
			part = un
		}
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		o, ok := v.(object)
		if !ok {
			return nil, fmt.Errorf("$ref %s leads nowhere", Quote(ref))
		}
		if v = o.get(part); v == nil {
			return nil, fmt.Errorf("$ref %s leads nowhere", Quote(ref))
		}
	}
	return v, nil
}

// object reads the keywords of a schema object.
func (p *reader) object(o object, at string) (*Node, error) {
	n := &Node{}
	var types []string
	var required []string
	var openSet bool
	for _, m := range o {
		var err error
		switch m.key {
		case "$schema", "$id", "$anchor", "$comment", "$defs", "definitions", "title", "examples",
			"deprecated", "readOnly", "writeOnly", "$vocabulary", "example":
			// nothing that a model or a validator needs here
		case "type":
			types, err = stringsOf(m.value)
		case "description":
			n.Description, _ = m.value.(string)
		case "nullable": // OpenAPI
			n.Nullable, _ = m.value.(bool)
		case "default":
			n.Default = raw(m.value)
		case "const":
			n.Enum = []json.RawMessage{raw(m.value)}
		case "enum":
			list, ok := m.value.([]any)
			if !ok {
				err = errors.New("enum must be a list")
			}
			for _, v := range list {
				n.Enum = append(n.Enum, raw(v))
			}
		case "properties":
			n.Props, err = p.properties(m.value, at)
		case "required":
			required, err = stringsOf(m.value)
		case "additionalProperties":
			openSet = true
			if m.value != false {
				n.Open, err = p.node(m.value, at+"/additionalProperties")
			}
		case "items":
			if _, isList := m.value.([]any); isList { // a tuple, as drafts before 2020-12 wrote it
				n.Rest = append(n.Rest, Keyword{m.key, raw(m.value)})
			} else {
				n.Items, err = p.node(m.value, at+"/items")
			}
		case "anyOf", "oneOf":
			if len(n.AnyOf) > 0 {
				n.Rest = append(n.Rest, Keyword{m.key, raw(m.value)})
				break
			}
			n.OneOf = m.key == "oneOf"
			n.AnyOf, err = p.list(m.value, at+"/"+m.key)
		default:
			if slices.Contains(limitOrder, m.key) {
				n.setLimit(m.key, raw(m.value))
			} else if !strings.HasPrefix(m.key, "x-") {
				n.Rest = append(n.Rest, Keyword{m.key, raw(m.value)})
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%s/%s: %w", at, m.key, err)
		}
	}
	n.setTypes(types)
	n.setRequired(required)
	// An object schema that names no property and does not say that it is
	// closed is a free-form object; at the root it is an action without params.
	if n.Type == "object" && len(n.Props) == 0 && !openSet && len(n.Rest) == 0 && at != "#" {
		n.Open = &Node{}
	}
	n.takeNull()
	return n, nil
}

// setTypes spreads several types over alternatives and takes null out.
func (n *Node) setTypes(types []string) {
	if i := slices.Index(types, "null"); i >= 0 && len(types) > 1 {
		n.Nullable = true
		types = slices.Delete(slices.Clone(types), i, i+1)
	}
	switch {
	case len(types) == 1:
		n.Type = types[0]
	case len(types) > 1:
		for _, t := range types {
			a := &Node{Type: t}
			for _, l := range n.Limits {
				if fitsType(l.Name, t) {
					a.setLimit(l.Name, l.Value)
				}
			}
			if t == "array" {
				a.Items = n.Items
			}
			if t == "object" {
				a.Props, a.Open = n.Props, n.Open
				if a.Props == nil && a.Open == nil {
					a.Open = &Node{}
				}
			}
			n.AnyOf = append(n.AnyOf, a)
		}
		n.Limits, n.Items, n.Props, n.Open = nil, nil, nil, nil
	case len(n.Props) > 0:
		n.Type = "object"
	case n.Items != nil:
		n.Type = "array"
	}
}

// fitsType reports whether a limit means anything for a type.
func fitsType(limit, typ string) bool {
	if typ == "integer" {
		typ = "number"
	}
	return limitType(limit) == typ
}

// setRequired marks all other properties optional. A required property that
// is not declared becomes one of any value.
func (n *Node) setRequired(required []string) {
	for i := range n.Props {
		n.Props[i].Optional = !slices.Contains(required, n.Props[i].Name)
	}
	for _, name := range required {
		if _, ok := n.Prop(name); !ok && n.Type == "object" {
			n.Props = append(n.Props, Prop{Name: name, Node: &Node{}})
		}
	}
}

// takeNull turns an alternative "or null" into the Nullable mark.
func (n *Node) takeNull() {
	i := slices.IndexFunc(n.AnyOf, func(a *Node) bool { return a.Type == "null" })
	if i < 0 {
		return
	}
	rest := slices.Delete(slices.Clone(n.AnyOf), i, i+1)
	if len(rest) == 1 && n.Type == "" && len(n.Limits)+len(n.Rest)+len(n.Enum) == 0 {
		desc, def := n.Description, n.Default
		*n = *rest[0]
		if desc != "" {
			n.Description = desc
		}
		if def != nil {
			n.Default = def
		}
		n.Nullable = true
		return
	}
	n.AnyOf, n.Nullable = rest, true
}

func (p *reader) properties(v any, at string) ([]Prop, error) {
	o, ok := v.(object)
	if !ok {
		return nil, errors.New("must be an object")
	}
	out := make([]Prop, 0, len(o))
	for _, m := range o {
		n, err := p.node(m.value, at+"/properties/"+m.key)
		if err != nil {
			return nil, err
		}
		out = append(out, Prop{Name: m.key, Node: n})
	}
	return out, nil
}

func (p *reader) list(v any, at string) ([]*Node, error) {
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		return nil, errors.New("must be a list of schemas")
	}
	out := make([]*Node, 0, len(list))
	for i, e := range list {
		n, err := p.node(e, fmt.Sprintf("%s/%d", at, i))
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, nil
}

// stringsOf reads a string or a list of strings.
func stringsOf(v any) ([]string, error) {
	switch v := v.(type) {
	case string:
		return []string{v}, nil
	case []any:
		out := make([]string, 0, len(v))
		for _, e := range v {
			s, ok := e.(string)
			if !ok {
				return nil, errors.New("must be strings")
			}
			out = append(out, s)
		}
		return out, nil
	default:
		return nil, errors.New("must be strings")
	}
}

// TypeName names the JSON type of a parsed value.
func TypeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case string:
		return "a string"
	case json.Number:
		return "a number"
	case []any:
		return "an array"
	default:
		return "an object"
	}
}
