package schema

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// tag is a field's jsonschema tag, read by our own rules: commas inside a
// description or a pattern belong to it, and whatever would be dropped without
// a word is an error.
type tag struct {
	description string
	pattern     string
	required    bool
	hasDefault  bool
	keywords    []setting
}

// setting is one name=value of a tag.
type setting struct{ Name, Value string }

// keywordTypes says which JSON types a tag keyword is for.
var keywordTypes = map[string][]string{
	"minLength": {"string"}, "maxLength": {"string"}, "pattern": {"string"}, "format": {"string"},
	"minimum": {"integer", "number"}, "maximum": {"integer", "number"},
	"exclusiveMinimum": {"integer", "number"}, "exclusiveMaximum": {"integer", "number"},
	"multipleOf": {"integer", "number"},
	"minItems":   {"array"}, "maxItems": {"array"}, "uniqueItems": {"array"},
	"enum":    {"string", "integer", "number"},
	"default": {"string", "integer", "number", "boolean", "array", "object"},
	"example": {"string", "integer", "number"},
}

// continues are the keywords whose value may hold commas.
var continues = []string{"description", "title", "pattern", "example"}

// refused explains the tag keywords that cannot be supported.
var refused = map[string]string{
	"type":     "the Go type says it",
	"nullable": "use a pointer, or omitempty",
	"anchor":   "it has no use here",
	"-":        "encoding/json would still fill the field; hide it with json:\"-\"",
}

// readTag reads the jsonschema and jsonschema_description tags of a field.
func readTag(f reflect.StructField) (tag, error) {
	var t tag
	segments, err := splitTag(f.Tag.Get("jsonschema"))
	if err != nil {
		return t, err
	}
	for _, s := range segments {
		switch s.Name {
		case "required":
			t.required = true
		case "description":
			t.description = s.Value
		case "title":
		case "pattern":
			t.pattern = s.Value
			t.keywords = append(t.keywords, s)
		default:
			if why, bad := refused[s.Name]; bad {
				return t, fmt.Errorf("jsonschema tag: %q is not supported: %s", s.Name, why)
			}
			if strings.HasPrefix(s.Name, "oneof_") || strings.HasPrefix(s.Name, "anyof_") {
				return t, fmt.Errorf("jsonschema tag: %q is not supported: give the field a type with a ParamSchema method", s.Name)
			}
			t.hasDefault = t.hasDefault || s.Name == "default"
			t.keywords = append(t.keywords, s)
		}
	}
	if f.Tag.Get("jsonschema_extras") != "" {
		return t, errors.New("the jsonschema_extras tag is not supported: give the field a type with a ParamSchema method")
	}
	if d := f.Tag.Get("jsonschema_description"); d != "" {
		t.description = d
	}
	return t, nil
}

// splitTag splits a jsonschema tag into its keywords.
func splitTag(s string) ([]setting, error) {
	if s == "" {
		return nil, nil
	}
	var out []setting
	for i, seg := range splitCommas(s) {
		name, value, hasValue := strings.Cut(seg, "=")
		_, known := keywordTypes[name]
		_, no := refused[name]
		known = known || no || slices.Contains(continues, name) ||
			strings.HasPrefix(name, "oneof_") || strings.HasPrefix(name, "anyof_")
		switch {
		case name == "required" && !hasValue, known && (hasValue || no):
			out = append(out, setting{name, value})
		case i > 0 && slices.Contains(continues, out[len(out)-1].Name):
			out[len(out)-1].Value += "," + seg
		default:
			return nil, fmt.Errorf("jsonschema tag: unknown keyword %s (write a comma inside a value as \\\\, and repeat enum= for each value)", Quote(seg))
		}
	}
	return out, nil
}

// splitCommas splits at commas without a backslash before them.
func splitCommas(s string) []string {
	var out []string
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && s[i+1] == ',':
			b.WriteByte(',')
			i++
		case s[i] == ',':
			out = append(out, b.String())
			b.Reset()
		default:
			b.WriteByte(s[i])
		}
	}
	return append(out, b.String())
}

// check reports a keyword that the schema n of the field cannot carry.
func (t tag) check(n *Node) error {
	for _, k := range t.keywords {
		types := keywordTypes[k.Name]
		typ := n.Type
		if typ == "array" && !slices.Contains(types, "array") && n.Items != nil {
			typ = n.Items.Type // element keywords of a list of plain values
		}
		if !slices.Contains(types, typ) {
			return fmt.Errorf("jsonschema tag: %s means nothing for %s", k.Name, describeType(n))
		}
		if k.Name == "default" && (n.Type == "array" || n.Type == "object") {
			return errors.New("jsonschema tag: a default for a list or an object cannot be said in a tag; use Spec.Defaults")
		}
		if err := checkKeyword(k, typ); err != nil {
			return err
		}
	}
	return nil
}

// checkKeyword reports a value that does not fit its keyword.
func checkKeyword(k setting, typ string) error {
	var err error
	switch k.Name {
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		_, err = strconv.ParseFloat(k.Value, 64)
	case "minLength", "maxLength", "minItems", "maxItems":
		_, err = strconv.ParseUint(k.Value, 10, 31)
	case "uniqueItems":
		if k.Value != "true" {
			err = errors.New("must be true")
		}
	case "default", "enum", "example":
		switch typ {
		case "integer":
			_, err = strconv.ParseInt(k.Value, 10, 64)
		case "number":
			_, err = strconv.ParseFloat(k.Value, 64)
		case "boolean":
			if k.Value != "true" && k.Value != "false" {
				err = errors.New("must be true or false")
			}
		}
	}
	if err != nil {
		return fmt.Errorf("jsonschema tag: %s=%s does not fit %s", k.Name, k.Value, article(typ))
	}
	return nil
}

func describeType(n *Node) string {
	if n.Type == "" {
		return "a value of this type"
	}
	return article(n.Type)
}

func article(typ string) string {
	if strings.ContainsAny(typ[:1], "aeio") {
		return "an " + typ
	}
	return "a " + typ
}
