package llm

import (
	"encoding/json"
	"strings"
)

// shape is what the reader of answers knows of a schema: the fields of the
// root, and for the one list of single-key objects (the actions) those keys.
type shape struct {
	name   string
	order  []string             // fields of the root
	fields map[string]fieldKind //
	list   string               // the only field that is a list; "" when there is not exactly one
	items  map[string]bool      // keys that an element of that list may have
	first  string               // the first of them, for the example
}

type fieldKind string // "array", "object", "string", ... or "" when it may be several

// node is the part of a JSON Schema that a shape is made from.
type node struct {
	Type       json.RawMessage `json:"type"`
	Properties json.RawMessage `json:"properties"`
	Items      *node           `json:"items"`
	AnyOf      []*node         `json:"anyOf"`
	OneOf      []*node         `json:"oneOf"`
	Ref        string          `json:"$ref"`
}

type root struct {
	node
	Defs map[string]*node `json:"$defs"`
}

// shapeOf reads the canonical schema of f. It returns nil when there is none or
// its root is not an object with fields.
func shapeOf(f *Format) *shape {
	if f == nil || f.Schema == nil {
		return nil
	}
	raw, err := f.Schema(Canonical)
	if err != nil {
		return nil
	}
	var r root
	if json.Unmarshal(raw, &r) != nil {
		return nil
	}
	top := r.resolve(&r.node)
	order, props := members(top.Properties)
	if len(order) == 0 {
		return nil
	}
	s := &shape{name: f.Name, order: order, fields: map[string]fieldKind{}, items: map[string]bool{}}
	lists := 0
	for _, k := range order {
		var n node
		if json.Unmarshal(props[k], &n) != nil {
			continue
		}
		p := r.resolve(&n)
		s.fields[k] = p.kind()
		if keys := r.keysOf(p.Items); s.fields[k] == "array" && len(keys) > 0 {
			lists++
			s.list, s.first = k, keys[0]
			for _, key := range keys {
				s.items[key] = true
			}
		}
	}
	if lists != 1 {
		s.list, s.first, s.items = "", "", nil
	}
	return s
}

func (r *root) resolve(n *node) *node {
	for range 8 { // a chain longer than that is a cycle
		if n == nil {
			return &node{}
		}
		name, ok := strings.CutPrefix(n.Ref, "#/$defs/")
		if !ok {
			return n
		}
		n = r.Defs[name]
	}
	return &node{}
}

func (n *node) kind() fieldKind {
	var s string
	if json.Unmarshal(n.Type, &s) != nil {
		return ""
	}
	return fieldKind(s)
}

// keysOf returns the keys that an element may have, over all alternatives.
func (r *root) keysOf(n *node) []string {
	if n == nil {
		return nil
	}
	n = r.resolve(n)
	keys, _ := members(n.Properties)
	for _, alt := range append(n.AnyOf, n.OneOf...) {
		k, _ := members(r.resolve(alt).Properties)
		keys = append(keys, k...)
	}
	return keys
}

// members returns the keys of a JSON object in their order, and its values.
func members(raw json.RawMessage) ([]string, map[string]json.RawMessage) {
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil || m == nil {
		return nil, nil
	}
	order := make([]string, 0, len(m))
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	if _, err := dec.Token(); err != nil {
		return nil, nil
	}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return nil, nil
		}
		k, _ := t.(string)
		order = append(order, k)
		var skip json.RawMessage
		if dec.Decode(&skip) != nil {
			return nil, nil
		}
	}
	return order, m
}

// score counts what v has of the shape: the root's fields count most, then a
// list or a single object of known elements.
func (s *shape) score(v json.RawMessage) int {
	if v[0] == '[' {
		var list []json.RawMessage
		if json.Unmarshal(v, &list) != nil || len(list) == 0 {
			return 0
		}
		n := 0
		for _, x := range list {
			if isContainer(x) && x[0] == '{' && s.score(x) > 0 {
				n = 1
			}
		}
		return n
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(v, &m) != nil {
		return 0
	}
	score := 0
	for k := range m {
		switch {
		case s.fields[k] != "" || s.has(k):
			score += 10
		case s.items[k]:
			score++
		}
	}
	if score == 0 {
		if _, args, ok := s.spelt(m); ok && args != nil {
			score = 1
		}
	}
	return score
}

func (s *shape) has(k string) bool {
	_, ok := s.fields[k]
	return ok
}

// example is the shape in short, for the model.
func (s *shape) example() string {
	var b strings.Builder
	b.WriteByte('{')
	for i, k := range s.order {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + k + `":`)
		switch {
		case k == s.list:
			b.WriteString(`[{"` + s.first + `":{...}}]`)
		case s.fields[k] == "array":
			b.WriteString("[...]")
		case s.fields[k] == "object":
			b.WriteString("{...}")
		default:
			b.WriteString("...")
		}
	}
	b.WriteByte('}')
	return b.String()
}
