package schema

import (
	"slices"
	"strings"
)

// limitWords names limits for a reader; %s is the value.
var limitWords = map[string]string{
	"minimum": "minimum %s", "maximum": "maximum %s", "exclusiveMinimum": "more than %s", "exclusiveMaximum": "less than %s",
	"multipleOf": "multiple of %s", "minLength": "at least %s characters", "maxLength": "at most %s characters",
	"pattern": "pattern %s", "format": "format %s", "contentEncoding": "encoded as %s",
	"minItems": "at least %s items", "maxItems": "at most %s items", "uniqueItems": "no item twice",
	"minProperties": "at least %s keys", "maxProperties": "at most %s keys",
}

// words says a limit in words.
func words(k Keyword) string {
	value := unquote(string(k.Value))
	if value == "1" && k.Name == "minLength" {
		return "not empty"
	}
	return strings.ReplaceAll(limitWords[k.Name], "%s", value)
}

// Text describes the properties of an object schema in words, one a line, for
// models that see no schema. Nested objects are indented below their property.
func (n *Node) Text(indent string) string {
	var b strings.Builder
	n.text(&b, indent, 0)
	return b.String()
}

func (n *Node) text(b *strings.Builder, indent string, depth int) {
	if depth > 6 {
		return
	}
	for _, p := range n.Props {
		b.WriteString(indent)
		b.WriteString(p.Name)
		b.WriteString(": ")
		b.WriteString(p.Node.phrase())
		switch {
		case p.Node.Default != nil:
			b.WriteString(", default " + string(p.Node.Default))
		case p.Optional:
			b.WriteString(", optional")
		}
		if p.Node.Description != "" {
			b.WriteString(". " + oneLine(p.Node.Description))
		}
		b.WriteByte('\n')
		inner := p.Node
		if inner.Type == "array" && inner.Items != nil {
			inner = inner.Items
		}
		if inner.Type == "object" {
			inner.text(b, indent+"  ", depth+1)
		}
	}
}

// phrase describes the value of a node in a few words.
func (n *Node) phrase() string {
	out := ""
	switch {
	case len(n.Enum) > 0:
		out = "one of " + joinRaw(n.Enum)
	case n.Ref != "":
		out = "nested " + n.Ref
	case len(n.AnyOf) > 0:
		var parts []string
		for _, a := range n.AnyOf {
			parts = append(parts, a.phrase())
		}
		out = strings.Join(slices.Compact(parts), " or ")
	case n.Type == "":
		out = "any value"
	case n.Type == "array" && n.Items != nil:
		out = "list of " + n.Items.phrase()
	case n.Type == "object" && len(n.Props) == 0 && n.Open != nil:
		out = "object with keys of your choice, each " + n.Open.phrase()
	default:
		out = n.Type
	}
	for _, k := range n.Limits {
		out += ", " + words(k)
	}
	return out
}

// oneLine keeps a description from breaking the layout.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
