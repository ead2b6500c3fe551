package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// Problem is one thing wrong with a value.
type Problem struct {
	Path string // "index", "items[0].name"; empty for the value itself
	Text string // what is wrong, in a few words
}

// String is path and text.
func (p Problem) String() string {
	if p.Path == "" {
		return p.Text
	}
	return p.Path + ": " + p.Text
}

// Unknown reports whether the problem is a field that the schema does not have.
func (p Problem) Unknown() bool { return p.Text == unknownField }

// Coerce returns the value in the form that the schema asks for, where a model
// clearly meant it: "7" and 7.0 for an integer, "true" for a boolean, null for
// an optional property that was not given, JSON text for an object with free
// keys. Maps and lists of v are changed in place. Integers that the Go type
// cannot hold are reported.
func (n *Node) Coerce(v any) (any, []Problem) {
	c := coercer{root: n}
	v = c.value(n, v, "")
	return v, c.problems
}

type coercer struct {
	root     *Node
	problems []Problem
	depth    int
}

func (c *coercer) value(n *Node, v any, path string) any {
	byRef := n.Ref != ""
	if n = c.target(n); n == nil {
		return v
	}
	if len(n.AnyOf) > 0 {
		if a := c.choose(n.AnyOf, v); a != nil {
			return c.value(a, v, path)
		}
		return v
	}
	if s, ok := v.(string); ok && (n.Open != nil || byRef) {
		v = textValue(n, s)
	}
	switch n.Type {
	case "integer":
		return c.integer(n, v, path)
	case "number":
		if s, ok := v.(string); ok {
			if num, ok := numberText(s); ok {
				return num
			}
		}
	case "boolean":
		if s, ok := v.(string); ok {
			switch {
			case strings.EqualFold(s, "true"):
				return true
			case strings.EqualFold(s, "false"):
				return false
			}
		}
	case "object":
		if m, ok := v.(map[string]any); ok {
			c.object(n, m, path)
		}
	case "array":
		if list, ok := v.([]any); ok && n.Items != nil {
			for i := range list {
				list[i] = c.value(n.Items, list[i], path+"["+strconv.Itoa(i)+"]")
			}
		}
	}
	return v
}

// choose returns the alternative that an object or a list was written for: the
// first that knows all its keys. Plain values are left to the validator.
func (c *coercer) choose(alternatives []*Node, v any) *Node {
	for _, a := range alternatives {
		t := c.target(a)
		if t == nil {
			continue
		}
		switch v := v.(type) {
		case []any:
			if t.Type == "array" {
				return a
			}
		case map[string]any:
			known := t.Type == "object"
			for key := range v {
				_, named := t.Prop(key)
				known = known && (named || t.Open != nil)
			}
			if known {
				return a
			}
		}
	}
	return nil
}

// textValue reads the text that stands for an object or a list where a dialect
// could not say its schema.
func textValue(n *Node, s string) any {
	parsed, err := ParseValue([]byte(s))
	if err != nil {
		return s
	}
	switch parsed.(type) {
	case map[string]any:
		if n.Type == "object" {
			return parsed
		}
	case []any:
		if n.Type == "array" {
			return parsed
		}
	}
	return s
}

// target follows a reference to a definition of the root.
func (c *coercer) target(n *Node) *Node {
	if n == nil || n.Ref == "" {
		return n
	}
	for _, d := range c.root.Defs {
		if d.Name == n.Ref {
			return d.Node
		}
	}
	return nil
}

func (c *coercer) object(n *Node, m map[string]any, path string) {
	if c.depth++; c.depth > maxDepth {
		c.depth--
		return
	}
	for _, p := range n.Props {
		v, ok := m[p.Name]
		switch {
		case !ok:
		case v == nil:
			if p.Optional && !c.takesNull(p.Node, 0) {
				delete(m, p.Name)
			}
		default:
			m[p.Name] = c.value(p.Node, v, child(path, p.Name))
		}
	}
	if len(n.Props) == 0 && n.Open == nil {
		delete(m, Placeholder)
	}
	if n.Open != nil {
		for key, v := range m {
			if _, named := n.Prop(key); !named {
				m[key] = c.value(n.Open, v, child(path, key))
			}
		}
	}
	c.depth--
}

// takesNull reports whether null may be a value of its own at a node. depth
// bounds the references followed.
func (c *coercer) takesNull(n *Node, depth int) bool {
	if n = c.target(n); n == nil || depth > maxDepth {
		return true
	}
	switch {
	case n.Nullable || n.Type == "null":
		return true
	case len(n.Enum) > 0:
		return slices.ContainsFunc(n.Enum, func(e json.RawMessage) bool { return string(e) == "null" })
	case len(n.AnyOf) > 0:
		return slices.ContainsFunc(n.AnyOf, func(a *Node) bool { return c.takesNull(a, depth+1) })
	default:
		return n.Type == ""
	}
}

func child(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func (c *coercer) integer(n *Node, v any, path string) any {
	if s, ok := v.(string); ok {
		num, ok := numberText(s)
		if !ok {
			return v
		}
		v = num
	}
	num, ok := v.(json.Number)
	if !ok || n.kind == 0 || strings.ContainsAny(string(num), ".eE") {
		return v
	}
	low, high := bounds(n.kind)
	if i, err := strconv.ParseInt(string(num), 10, 64); err == nil {
		if i < low && n.Limit("minimum") == nil || i > 0 && uint64(i) > high && n.Limit("maximum") == nil {
			c.outOfRange(num, path, low, high)
		}
		return v
	}
	big, _ := new(big.Int).SetString(string(num), 10)
	if big == nil || !big.IsUint64() || big.Uint64() > high {
		c.outOfRange(num, path, low, high)
	}
	return v
}

func (c *coercer) outOfRange(num json.Number, path string, low int64, high uint64) {
	c.problems = append(c.problems, Problem{path, fmt.Sprintf("%s is out of range (%d to %d)", clip(string(num)), low, high)})
}

// numberText reads a number that a model put in quotes.
func numberText(s string) (json.Number, bool) {
	s = strings.TrimSpace(s)
	if s == "" || !json.Valid([]byte(s)) || strings.IndexByte("-0123456789", s[0]) < 0 {
		return "", false
	}
	num, err := number(s)
	return num, err == nil
}

// Strays reports properties that a foreign schema does not declare where it
// declares some and does not say that it is open: a misspelt parameter would
// otherwise be dropped without a word.
func (n *Node) Strays(v any) []Problem {
	m, ok := v.(map[string]any)
	if !ok || n.Open != nil || n.mayHoldMore() {
		return nil
	}
	var out []Problem
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if _, named := n.Prop(key); !named {
			out = append(out, Problem{clip(key), unknownField})
		}
	}
	return out
}

// FillDefaults puts the defaults of n, and of everything below it, into v
// where a property is absent. Maps of v are changed in place.
func (n *Node) FillDefaults(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, p := range n.Props {
			val, ok := v[p.Name]
			if !ok && p.Node.Default != nil {
				d, err := ParseValue(p.Node.Default)
				if err == nil {
					v[p.Name] = d
				}
				continue
			}
			if ok {
				p.Node.FillDefaults(val)
			}
		}
		if n.Open != nil {
			for key, val := range v {
				if _, named := n.Prop(key); !named {
					n.Open.FillDefaults(val)
				}
			}
		}
	case []any:
		if n.Items != nil {
			for _, e := range v {
				n.Items.FillDefaults(e)
			}
		}
	}
}

// HasDefaults reports whether FillDefaults could do anything.
func (n *Node) HasDefaults() bool {
	return n.holds(func(m *Node) bool { return m.Default != nil })
}

// Append appends v as compact JSON with the members of objects in the order of
// the schema and all others sorted after them: one value, one text.
func (n *Node) Append(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case json.Number:
		return append(b, v...)
	case string:
		return appendString(b, v)
	case []any:
		var items *Node
		if n != nil {
			items = n.Items
		}
		b = append(b, '[')
		for i, e := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = items.Append(b, e)
		}
		return append(b, ']')
	case map[string]any:
		return n.appendObject(b, v)
	default:
		return append(b, raw(v)...)
	}
}

func (n *Node) appendObject(b []byte, v map[string]any) []byte {
	b = append(b, '{')
	written := 0
	put := func(key string, sub *Node) {
		if written > 0 {
			b = append(b, ',')
		}
		written++
		b = appendString(b, key)
		b = append(b, ':')
		b = sub.Append(b, v[key])
	}
	if n != nil {
		for _, p := range n.Props {
			if _, ok := v[p.Name]; ok {
				put(p.Name, p.Node)
			}
		}
	}
	if written < len(v) {
		for _, key := range slices.Sorted(maps.Keys(v)) {
			var sub *Node
			if n != nil {
				if _, named := n.Prop(key); named {
					continue
				}
				sub = n.Open
			}
			put(key, sub)
		}
	}
	return append(b, '}')
}
