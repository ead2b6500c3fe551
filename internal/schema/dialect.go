package schema

import (
	"fmt"
	"slices"

	"github.com/seed-4bdb41d0/webhand/llm"
)

// dialect says what a provider's flavour of JSON Schema holds. It is data: the
// renderer knows no provider.
type dialect struct {
	// allRequired lists every property in required; optional ones get null.
	allRequired bool
	// closed writes additionalProperties.
	closed bool
	// nullType allows null among the types ("type":["string","null"]); without
	// it null is an alternative of anyOf.
	nullType bool
	// keep lists the limits that may be written, as "type.keyword".
	keep []string
	// formats lists the formats that may be written; nil means all.
	formats []string
	// fullPattern allows only patterns of the form ^...$.
	fullPattern bool
	// minItemsOne allows only 0 and 1 for minItems.
	minItemsOne bool
	// defaults writes the default keyword.
	defaults bool
	// enums lists the types whose enum may be written; nil means all.
	enums []string
	// oneOf keeps oneOf; otherwise it becomes anyOf.
	oneOf bool
	// placeholder names a property for objects that have none; empty means
	// that an object without properties is fine.
	placeholder string
	// maps, refs, anything and rest say what else can be written: objects with
	// free keys, recursive references, values of any type, other keywords. What
	// cannot be written becomes text or stays out.
	maps, refs, anything, rest bool
	// loose says that maps and anything can be written and not be enforced.
	loose bool
	// nullPointers writes null for optional Go pointers, where leaving the
	// property out says the same.
	nullPointers bool
	// most are the ceilings for strict use; a zero field is no ceiling.
	most ceiling
}

// ceiling bounds what a provider enforces strictly in one request.
type ceiling struct {
	properties, depth, enumValues, nameChars, optional, unions int
}

// Placeholder is the property that stands in an object without properties
// where a provider refuses an empty one. Decoding drops it.
const Placeholder = "_unused"

var everyLimit = []string{
	"number.minimum", "number.maximum", "number.exclusiveMinimum", "number.exclusiveMaximum", "number.multipleOf",
	"string.minLength", "string.maxLength", "string.pattern", "string.format", "string.contentEncoding",
	"array.minItems", "array.maxItems", "array.uniqueItems", "object.minProperties", "object.maxProperties",
}

// dialects: OpenAI's structured outputs guide; Anthropic's SDK (schemautil);
// the GenAI SDK's documentation of ResponseJsonSchema; llama.cpp's grammars
// README. Ceilings as those guides give them.
var dialects = map[llm.Dialect]dialect{
	llm.Canonical: {
		closed: true, nullType: true, keep: everyLimit, defaults: true, oneOf: true,
		maps: true, refs: true, anything: true, rest: true, nullPointers: true,
	},
	llm.OpenAIStrict: {
		allRequired: true, closed: true, nullType: true,
		keep: []string{
			"number.minimum", "number.maximum", "number.exclusiveMinimum", "number.exclusiveMaximum", "number.multipleOf",
			"string.pattern", "string.format", "array.minItems", "array.maxItems",
		},
		formats: []string{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"},
		maps:    true, refs: true, anything: true, loose: true,
		most: ceiling{properties: 5000, depth: 10, enumValues: 1000, nameChars: 120_000},
	},
	llm.Anthropic: {
		closed: true,
		keep:   []string{"string.format", "array.minItems"},
		formats: []string{
			"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid",
		},
		minItemsOne: true,
		maps:        true, refs: true, anything: true, loose: true,
		most: ceiling{optional: 24, unions: 16},
	},
	llm.Gemini: {
		keep:        []string{"number.minimum", "number.maximum", "string.format", "array.minItems", "array.maxItems"},
		formats:     []string{"date-time"},
		enums:       []string{"string"},
		placeholder: Placeholder,
	},
	llm.LlamaCpp: {
		closed: true, nullType: true,
		keep: []string{
			"integer.minimum", "integer.maximum", "integer.exclusiveMinimum", "integer.exclusiveMaximum",
			"string.minLength", "string.maxLength", "string.pattern", "string.format", "array.minItems", "array.maxItems",
		},
		formats:     []string{"date", "time", "date-time", "uuid"},
		fullPattern: true,
		maps:        true,
		anything:    true,
	},
}

func lookup(d llm.Dialect) (dialect, error) {
	if d == "" {
		d = llm.Canonical
	}
	out, ok := dialects[d]
	if !ok {
		return dialect{}, fmt.Errorf("unknown schema dialect %q (known: %s, %s, %s, %s, %s)", d,
			llm.Canonical, llm.OpenAIStrict, llm.Anthropic, llm.Gemini, llm.LlamaCpp)
	}
	return out, nil
}

// keeps reports whether the dialect writes a limit of a node of type typ.
func (d dialect) keeps(typ string, k Keyword) bool {
	ok := slices.Contains(d.keep, typ+"."+k.Name) ||
		typ == "integer" && slices.Contains(d.keep, "number."+k.Name) ||
		typ == "" && slices.Contains(d.keep, limitType(k.Name)+"."+k.Name)
	if !ok {
		return false
	}
	value := string(k.Value)
	switch k.Name {
	case "format":
		return d.formats == nil || slices.Contains(d.formats, unquote(value))
	case "pattern":
		p := unquote(value)
		return !d.fullPattern || len(p) > 1 && p[0] == '^' && p[len(p)-1] == '$'
	case "minItems":
		return !d.minItemsOne || value == "0" || value == "1"
	default:
		return true
	}
}

// Obstacles says why the dialect cannot hold the tree exactly, in short
// phrases; empty means that the provider can enforce it strictly. Ceilings are
// about a whole request: see [Strict].
func (n *Node) Obstacles(name llm.Dialect) []string {
	d, err := lookup(name)
	if err != nil {
		return []string{err.Error()}
	}
	var out []string
	add := func(s string) {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	n.walk(func(m *Node) {
		if m.Open != nil && (!d.maps || d.loose) {
			add("an object with free keys")
		}
		if m.Ref != "" && !d.refs {
			add("a recursive definition")
		}
		if m.Type == "" && len(m.AnyOf) == 0 && len(m.Enum) == 0 && m.Ref == "" && (!d.anything || d.loose) {
			add("a value of any type")
		}
		if !d.rest {
			for _, k := range m.Rest {
				add("the keyword " + k.Name)
			}
		}
		if m.Type == "array" && m.Items == nil && (!d.anything || d.loose) {
			add("a list of anything")
		}
	})
	return out
}

// Tally counts what providers limit.
type Tally struct{ properties, depth, enumValues, nameChars, optional, unions int }

// Add counts the tree n, which lies depth levels below the root of a request.
func (t *Tally) Add(n *Node, depth int) {
	if n == nil {
		return
	}
	t.depth = max(t.depth, depth)
	t.enumValues += len(n.Enum)
	for _, e := range n.Enum {
		t.nameChars += len(e)
	}
	if len(n.AnyOf) > 0 {
		t.unions++
	}
	for _, p := range n.Props {
		if p.Node.Nullable && !p.Pointer {
			t.unions++
		}
		t.properties++
		t.nameChars += len(p.Name)
		if p.Optional {
			t.optional++
		}
		t.Add(p.Node, depth+1)
	}
	t.Add(n.Items, depth+1)
	t.Add(n.Open, depth+1)
	for _, a := range n.AnyOf {
		t.Add(a, depth)
	}
	for _, def := range n.Defs {
		t.Add(def.Node, depth)
	}
}

// Union counts an anyOf over alternatives of one property each.
func (t *Tally) Union(names ...string) {
	t.unions++
	for _, n := range names {
		t.properties++
		t.nameChars += len(n)
	}
}

// Over says which ceiling of the dialect the counted request passes, or "".
func (t *Tally) Over(name llm.Dialect) string {
	d, err := lookup(name)
	if err != nil {
		return err.Error()
	}
	for _, c := range []struct {
		what       string
		have, most int
	}{
		{"properties", t.properties, d.most.properties},
		{"levels of nesting", t.depth, d.most.depth},
		{"enum values", t.enumValues, d.most.enumValues},
		{"characters in names", t.nameChars, d.most.nameChars},
		{"optional parameters", t.optional, d.most.optional},
		{"union-typed parameters", t.unions, d.most.unions},
	} {
		if c.most > 0 && c.have > c.most {
			return fmt.Sprintf("%d %s, the dialect's ceiling is %d", c.have, c.what, c.most)
		}
	}
	return ""
}
