// Package schema turns Go types and foreign JSON Schemas into one small tree,
// and renders that tree in the dialects that model providers accept.
//
// It is the only importer of invopop/jsonschema, which reflects the types, and
// of santhosh-tekuri/jsonschema, which validates values. What the first gets
// wrong (cut descriptions, colliding type names, unchecked defaults, recursion)
// is caught before or mended after; no type of either leaves the package.
package schema

import (
	"encoding/json"
	"reflect"
	"slices"
)

// Node is one schema. A Node is never changed after it was built.
type Node struct {
	// Type is a JSON type name; empty means any value, or a composition.
	Type string
	// Nullable also admits null.
	Nullable    bool
	Description string
	// Props are the properties of an object, in order.
	Props []Prop
	// Open describes the values under keys that Props does not name; nil means
	// that there are no such keys.
	Open *Node
	// Items describes the elements of an array.
	Items *Node
	// AnyOf lists alternatives; OneOf says that the source asked for exactly one.
	AnyOf []*Node
	OneOf bool
	// Enum lists the only values allowed.
	Enum []json.RawMessage
	// Default is the value that stands in for an absent or null one.
	Default json.RawMessage
	// Limits are scalar keywords such as minimum or pattern, in a fixed order.
	Limits []Keyword
	// Rest are keywords of foreign schemas that have no place in the tree
	// (allOf, not, if, patternProperties, ...). Only the canonical dialect
	// writes them.
	Rest []Keyword
	// Ref names a definition in the root's Defs; it is set for recursion only.
	Ref  string
	Defs []Prop

	// kind is the Go kind that will hold an integer; it bounds the value.
	kind reflect.Kind
}

// Prop is a named property of an object or a named definition.
type Prop struct {
	Name string
	Node *Node
	// Optional properties may be absent. Unless their node is nullable, null
	// means absent too.
	Optional bool
	// Pointer marks a Go pointer: null and absent are the same nil.
	Pointer bool
}

// Keyword is a JSON Schema keyword with its value.
type Keyword struct {
	Name  string
	Value json.RawMessage
}

// limitOrder is the order in which limits are written, whatever their source.
var limitOrder = []string{
	"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
	"minLength", "maxLength", "pattern", "format", "contentEncoding",
	"minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties",
}

// limitType says which JSON type a limit is about.
func limitType(name string) string {
	switch name {
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		return "number"
	case "minItems", "maxItems", "uniqueItems":
		return "array"
	case "minProperties", "maxProperties":
		return "object"
	default:
		return "string"
	}
}

// Prop returns the property called name.
func (n *Node) Prop(name string) (Prop, bool) {
	for _, p := range n.Props {
		if p.Name == name {
			return p, true
		}
	}
	return Prop{}, false
}

// Limit returns the value of a limit keyword, nil when there is none.
func (n *Node) Limit(name string) json.RawMessage {
	for _, k := range n.Limits {
		if k.Name == name {
			return k.Value
		}
	}
	return nil
}

// setLimit adds or replaces a limit and keeps the fixed order.
func (n *Node) setLimit(name string, value json.RawMessage) {
	for i := range n.Limits {
		if n.Limits[i].Name == name {
			n.Limits[i].Value = value
			return
		}
	}
	n.Limits = append(n.Limits, Keyword{name, value})
	slices.SortStableFunc(n.Limits, func(a, b Keyword) int {
		return slices.Index(limitOrder, a.Name) - slices.Index(limitOrder, b.Name)
	})
}

// holds reports whether any node of the tree below n, n included, satisfies f.
func (n *Node) holds(f func(*Node) bool) bool {
	found := false
	n.walk(func(m *Node) { found = found || f(m) })
	return found
}

// walk visits n and everything below it, definitions included.
func (n *Node) walk(f func(*Node)) {
	if n == nil {
		return
	}
	f(n)
	for _, p := range n.Props {
		p.Node.walk(f)
	}
	n.Open.walk(f)
	n.Items.walk(f)
	for _, a := range n.AnyOf {
		a.walk(f)
	}
	for _, d := range n.Defs {
		d.Node.walk(f)
	}
}

// HoldsString reports whether a string can occur at the node or below it.
func (n *Node) HoldsString() bool {
	return n.holds(func(m *Node) bool { return m.Type == "string" || (m.Type == "" && len(m.AnyOf) == 0) })
}

// NeedsNothing reports whether an empty object satisfies the node.
func (n *Node) NeedsNothing() bool {
	return !slices.ContainsFunc(n.Props, func(p Prop) bool { return !p.Optional })
}

// raw marshals a value that cannot fail to marshal.
func raw(v any) json.RawMessage {
	b, err := marshal(v)
	if err != nil {
		return json.RawMessage("null")
	}
	return b
}
