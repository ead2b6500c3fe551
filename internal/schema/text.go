package schema

import (
	"slices"
	"strings"
)

// limitWords names limits for a reader.
var limitWords = map[string]string{
	"minimum": "minimum", "maximum": "maximum", "exclusiveMinimum": "more than", "exclusiveMaximum": "less than",
	"multipleOf": "multiple of", "minLength": "at least this many characters:", "maxLength": "at most this many characters:",
	"pattern": "pattern", "format": "format", "contentEncoding": "encoding",
	"minItems": "minimum items", "maxItems": "maximum items", "uniqueItems": "no item twice",
	"minProperties": "minimum keys", "maxProperties": "maximum keys",
}

// words says a limit in words.
func words(k Keyword) string {
	name := limitWords[k.Name]
	switch k.Name {
	case "uniqueItems":
		return name
	case "pattern", "format", "contentEncoding":
		return name + " " + unquote(string(k.Value))
	default:
		return name + " " + string(k.Value)
	}
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
