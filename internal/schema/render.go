package schema

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/seed-4bdb41d0/webhand/llm"
)

// Render writes the schema in a dialect. What the dialect has no keyword for
// goes into the description, and stays enforced when the answer is decoded.
func (n *Node) Render(d llm.Dialect) (json.RawMessage, error) {
	w, err := NewWriter(d)
	if err != nil {
		return nil, err
	}
	b := w.Node(nil, n, "")
	return w.close(b), nil
}

// Writer writes schemas of one dialect. The zero value is not usable.
type Writer struct {
	d    dialect
	defs []Prop // definitions met on the way, under their full names
	// DefPrefix is put before the names of recursive definitions, so that two
	// schemas of one request do not share one by accident.
	DefPrefix string
}

// NewWriter returns a writer for a dialect.
func NewWriter(d llm.Dialect) (*Writer, error) {
	di, err := lookup(d)
	if err != nil {
		return nil, err
	}
	return &Writer{d: di}, nil
}

// Node appends the schema n. A description, when given, replaces the node's.
func (w *Writer) Node(b []byte, n *Node, description string) []byte {
	for _, def := range n.Defs {
		if w.d.refs && !slices.ContainsFunc(w.defs, func(p Prop) bool { return p.Name == w.DefPrefix+def.Name }) {
			w.defs = append(w.defs, Prop{Name: w.DefPrefix + def.Name, Node: def.Node})
		}
	}
	return w.node(b, n, description, false)
}

// Definitions appends "$defs", if any were met, as a further member of an
// object that has members already.
func (w *Writer) Definitions(b []byte) []byte {
	if len(w.defs) == 0 {
		return b
	}
	b = append(b, `,"$defs":{`...)
	for i := 0; i < len(w.defs); i++ {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, w.defs[i].Name)
		b = append(b, ':')
		b = w.node(b, w.defs[i].Node, "", false)
	}
	return append(b, '}')
}

// close adds the definitions to a finished object.
func (w *Writer) close(b []byte) []byte {
	if len(w.defs) == 0 {
		return b
	}
	return append(w.Definitions(b[:len(b)-1]), '}')
}

// members writes the members of one JSON object with commas between them.
type members struct {
	b     []byte
	start int
}

func (m *members) key(name string) {
	if len(m.b) > m.start {
		m.b = append(m.b, ',')
	}
	m.b = appendString(m.b, name)
	m.b = append(m.b, ':')
}

func (m *members) text(name, value string) {
	m.key(name)
	m.b = appendString(m.b, value)
}

func (m *members) raw(name string, value json.RawMessage) {
	m.key(name)
	m.b = append(m.b, value...)
}

// node appends n; null says that the place also takes null.
func (w *Writer) node(b []byte, n *Node, description string, null bool) []byte {
	null = null || n.Nullable
	if description == "" {
		description = n.Description
	}
	b = append(b, '{')
	m := &members{b: b, start: len(b)}
	switch {
	case n.Ref != "":
		w.ref(m, n, description, null)
	case len(n.AnyOf) > 0:
		w.alternatives(m, n, description, null)
	case null && !(w.d.nullType && n.Type != "" && len(n.Enum) == 0 && plainType(n.Type)):
		if n.Type == "" && len(n.Enum) == 0 { // any value includes null
			w.body(m, n, description, false)
			break
		}
		if description != "" {
			m.text("description", description)
		}
		m.key("anyOf")
		m.b = append(m.b, '[')
		clean := *n
		clean.Description, clean.Nullable = "", false
		m.b = w.node(m.b, &clean, "", false)
		m.b = append(m.b, `,{"type":"null"}]`...)
	default:
		w.body(m, n, description, null)
	}
	return append(m.b, '}')
}

// plainType reports whether "type":[t,"null"] is understood everywhere.
func plainType(t string) bool {
	return t == "string" || t == "integer" || t == "number" || t == "boolean"
}

// prop appends the schema of a property. Where it may be left out, null is only
// written when it means something else.
func (w *Writer) prop(b []byte, p Prop) []byte {
	if p.Optional && p.Pointer && !w.d.allRequired && !w.d.nullPointers {
		n := *p.Node
		n.Nullable = false
		return w.node(b, &n, "", false)
	}
	return w.node(b, p.Node, "", p.Optional && w.d.allRequired)
}

func (w *Writer) ref(m *members, n *Node, description string, null bool) {
	if !w.d.refs {
		if description != "" {
			description += " "
		}
		w.body(m, &Node{Type: "string"}, description+"(JSON text of a nested value)", false)
		return
	}
	target := raw("#/$defs/" + w.DefPrefix + n.Ref)
	if !null {
		m.raw("$ref", target)
		return
	}
	m.key("anyOf")
	m.b = append(m.b, `[{"$ref":`...)
	m.b = append(m.b, target...)
	m.b = append(m.b, `},{"type":"null"}]`...)
}

func (w *Writer) alternatives(m *members, n *Node, description string, null bool) {
	description = w.notes(n, n.Type, description)
	if description != "" {
		m.text("description", description)
	}
	key := "anyOf"
	if n.OneOf && w.d.oneOf {
		key = "oneOf"
	}
	m.key(key)
	m.b = append(m.b, '[')
	for i, a := range n.AnyOf {
		if i > 0 {
			m.b = append(m.b, ',')
		}
		m.b = w.node(m.b, a, "", false)
	}
	if null {
		m.b = append(m.b, `,{"type":"null"}`...)
	}
	m.b = append(m.b, ']')
	if w.d.rest {
		if len(n.Enum) > 0 {
			w.enum(m, n, n.Type, false)
		}
		if n.Type != "" {
			m.text("type", n.Type)
		}
		if n.Type == "object" && len(n.Props) > 0 {
			w.properties(m, n)
		}
		for _, k := range append(slices.Clone(n.Limits), n.Rest...) {
			m.raw(k.Name, k.Value)
		}
	}
	if n.Default != nil && w.d.defaults {
		m.raw("default", n.Default)
	}
}

// body writes a node that is neither a reference nor a choice.
func (w *Writer) body(m *members, n *Node, description string, null bool) {
	typ := n.Type
	free := n.Open != nil && !w.d.maps
	if typ == "" && len(n.Enum) > 0 {
		typ = enumType(n.Enum)
	}
	description = w.notes(n, typ, description)
	asText := true
	switch { // what the dialect cannot say, the model writes as text
	case free && len(n.Props) == 0:
		typ, description = "string", join(description, "(a JSON object as text)")
	case typ == "" && !w.d.anything:
		typ, description = "string", join(description, "(any JSON value as text)")
	default:
		asText = false
	}
	switch {
	case typ != "" && null:
		m.key("type")
		m.b = append(m.b, '[')
		m.b = appendString(m.b, typ)
		m.b = append(m.b, `,"null"]`...)
	case typ != "":
		m.text("type", typ)
	}
	if description != "" {
		m.text("description", description)
	}
	if len(n.Enum) > 0 && !asText {
		w.enum(m, n, typ, null)
	}
	for _, k := range n.Limits {
		if !asText && w.d.keeps(typ, k) {
			m.raw(k.Name, k.Value)
		}
	}
	switch typ {
	case "object":
		w.properties(m, n)
	case "array":
		w.items(m, n)
	}
	if w.d.rest {
		for _, k := range n.Rest {
			m.raw(k.Name, k.Value)
		}
	}
	if n.Default != nil && w.d.defaults {
		m.raw("default", n.Default)
	}
}

func (w *Writer) items(m *members, n *Node) {
	switch {
	case n.Items != nil:
		m.key("items")
		m.b = w.node(m.b, n.Items, "", false)
	case !w.d.anything:
		m.raw("items", json.RawMessage(`{"type":"string"}`))
	}
}

func (w *Writer) enum(m *members, n *Node, typ string, null bool) {
	if w.d.enums != nil && !slices.Contains(w.d.enums, typ) {
		return
	}
	m.key("enum")
	m.b = append(m.b, '[')
	for i, e := range n.Enum {
		if i > 0 {
			m.b = append(m.b, ',')
		}
		m.b = append(m.b, e...)
	}
	if null {
		m.b = append(m.b, `,null`...)
	}
	m.b = append(m.b, ']')
}

func (w *Writer) properties(m *members, n *Node) {
	props := n.Props
	if len(props) == 0 && w.d.placeholder != "" {
		props = []Prop{{Name: w.d.placeholder, Node: &Node{Type: "string", Description: "leave out"}, Optional: true}}
	}
	if len(props) > 0 || n.Open == nil {
		m.key("properties")
		m.b = append(m.b, '{')
		for i, p := range props {
			if i > 0 {
				m.b = append(m.b, ',')
			}
			m.b = appendString(m.b, p.Name)
			m.b = append(m.b, ':')
			m.b = w.prop(m.b, p)
		}
		m.b = append(m.b, '}')
	}
	first := true
	for _, p := range props {
		if p.Optional && !w.d.allRequired {
			continue
		}
		if first {
			m.key("required")
			m.b = append(m.b, '[')
			first = false
		} else {
			m.b = append(m.b, ',')
		}
		m.b = appendString(m.b, p.Name)
	}
	switch {
	case !first:
		m.b = append(m.b, ']')
	case w.d.allRequired:
		m.raw("required", json.RawMessage("[]"))
	}
	switch {
	case !w.d.closed || n.Open == nil && w.d.rest && n.mayHoldMore():
	case n.Open == nil || !w.d.maps:
		m.raw("additionalProperties", json.RawMessage("false"))
	default:
		m.key("additionalProperties")
		m.b = w.node(m.b, n.Open, "", false)
	}
}

// mayHoldMore reports whether other keywords describe further properties, which
// additionalProperties:false would forbid.
func (n *Node) mayHoldMore() bool {
	return slices.ContainsFunc(n.Rest, func(k Keyword) bool {
		switch k.Name {
		case "allOf", "patternProperties", "if", "then", "else", "dependentSchemas", "unevaluatedProperties", "$dynamicRef":
			return true
		}
		return false
	})
}

// notes appends to a description what the dialect cannot say in keywords.
func (w *Writer) notes(n *Node, typ, description string) string {
	var notes []string
	for _, k := range n.Limits {
		if !w.d.keeps(typ, k) {
			notes = append(notes, words(k))
		}
	}
	if len(n.Enum) > 0 && w.d.enums != nil && !slices.Contains(w.d.enums, typ) {
		notes = append(notes, "one of "+joinRaw(n.Enum))
	}
	if n.Default != nil && !w.d.defaults {
		notes = append(notes, "default "+string(n.Default))
	}
	if len(notes) == 0 {
		return description
	}
	return join(description, "("+strings.Join(notes, ", ")+")")
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + " " + b
}

func joinRaw(list []json.RawMessage) string {
	parts := make([]string, len(list))
	for i, e := range list {
		parts[i] = string(e)
	}
	return strings.Join(parts, ", ")
}

// enumType is the type of all values of an enum, "" when they differ.
func enumType(list []json.RawMessage) string {
	typ := ""
	for _, e := range list {
		var t string
		switch e[0] {
		case '"':
			t = "string"
		case 't', 'f':
			t = "boolean"
		case '{', '[', 'n':
			return ""
		default:
			t = "number"
		}
		if typ != "" && typ != t {
			return ""
		}
		typ = t
	}
	return typ
}

func unquote(s string) string {
	var out string
	if err := json.Unmarshal([]byte(s), &out); err != nil {
		return s
	}
	return out
}
