package llmtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Keywords that OpenAI's strict mode takes, from
// https://platform.openai.com/docs/guides/structured-outputs.
var strictKeywords = map[string]bool{
	"type": true, "properties": true, "required": true, "additionalProperties": true,
	"items": true, "anyOf": true, "enum": true, "const": true, "description": true, "title": true,
	"$ref": true, "$defs": true, "definitions": true,
	"pattern": true, "format": true,
	"multipleOf": true, "maximum": true, "exclusiveMaximum": true, "minimum": true, "exclusiveMinimum": true,
	"minItems": true, "maxItems": true,
}

var strictFormats = []string{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}

// Limits of strict mode.
const (
	strictProperties = 5000
	strictDepth      = 10
	strictEnum       = 1000
	strictNames      = 120_000
)

// CheckStrict checks a schema by the published rules of OpenAI's strict mode:
// the root is an object, every object is closed, every property required, no
// other keyword than the supported ones, and the documented sizes.
func CheckStrict(schema json.RawMessage) error {
	var root map[string]any
	if err := json.Unmarshal(schema, &root); err != nil {
		return errors.New("the schema is not a JSON object")
	}
	if root["type"] != "object" {
		return fmt.Errorf("schema must be a JSON Schema of 'type: \"object\"', got 'type: %v'", root["type"])
	}
	if _, ok := root["anyOf"]; ok {
		return errors.New("the root must not be an anyOf")
	}
	c := &strictCheck{root: root}
	if err := c.node("()", root, 1); err != nil {
		return err
	}
	switch {
	case c.properties > strictProperties:
		return fmt.Errorf("the schema has %d properties, the limit is %d", c.properties, strictProperties)
	case c.enum > strictEnum:
		return fmt.Errorf("the schema has %d enum values, the limit is %d", c.enum, strictEnum)
	case c.names > strictNames:
		return fmt.Errorf("the names and values of the schema have %d characters, the limit is %d", c.names, strictNames)
	}
	return nil
}

type strictCheck struct {
	root                    map[string]any
	properties, enum, names int
}

func (c *strictCheck) node(at string, n map[string]any, depth int) error {
	for _, k := range slices.Sorted(maps.Keys(n)) {
		if !strictKeywords[k] {
			return fmt.Errorf("in context=%s, '%s' is not permitted", at, k)
		}
	}
	if ref, ok := n["$ref"].(string); ok {
		if len(n) > 1 && n["description"] == nil {
			return fmt.Errorf("in context=%s, $ref cannot have keywords beside it", at)
		}
		return c.ref(at, ref)
	}
	if n["type"] == nil && n["anyOf"] == nil && n["enum"] == nil && n["const"] == nil {
		return fmt.Errorf("in context=%s, schema must have a 'type' key", at)
	}
	if f, ok := n["format"].(string); ok && !slices.Contains(strictFormats, f) {
		return fmt.Errorf("in context=%s, format '%s' is not supported", at, f)
	}
	if list, ok := n["enum"].([]any); ok {
		c.enum += len(list)
		for _, v := range list {
			if s, ok := v.(string); ok {
				c.names += len(s)
			}
		}
	}
	if hasType(n, "object") {
		if err := c.object(at, n, depth); err != nil {
			return err
		}
	}
	if hasType(n, "array") {
		items, ok := n["items"].(map[string]any)
		if !ok {
			return fmt.Errorf("in context=%s, array schema missing items", at)
		}
		if err := c.node(at+".items", items, depth); err != nil {
			return err
		}
	}
	if alts, ok := n["anyOf"].([]any); ok {
		if len(alts) == 0 {
			return fmt.Errorf("in context=%s, anyOf is empty", at)
		}
		for i, alt := range alts {
			m, ok := alt.(map[string]any)
			if !ok {
				return fmt.Errorf("in context=%s.anyOf.%d, %v is not of type 'object'", at, i, alt)
			}
			if err := c.node(fmt.Sprintf("%s.anyOf.%d", at, i), m, depth); err != nil {
				return err
			}
		}
	}
	return c.defs(at, n)
}

func (c *strictCheck) object(at string, n map[string]any, depth int) error {
	if depth > strictDepth {
		return fmt.Errorf("in context=%s, objects are nested deeper than %d", at, strictDepth)
	}
	if n["additionalProperties"] != false {
		return fmt.Errorf("in context=%s, 'additionalProperties' is required to be supplied and to be false", at)
	}
	props, ok := n["properties"].(map[string]any)
	if !ok {
		return fmt.Errorf("in context=%s, object schema missing properties", at)
	}
	required := map[string]bool{}
	list, _ := n["required"].([]any)
	for _, v := range list {
		s, _ := v.(string)
		if _, ok := props[s]; !ok {
			return fmt.Errorf("in context=%s, 'required' names '%v', which is not a property", at, v)
		}
		required[s] = true
	}
	c.properties += len(props)
	for _, k := range slices.Sorted(maps.Keys(props)) {
		c.names += len(k)
		if !required[k] {
			return fmt.Errorf("in context=%s, 'required' is required to be supplied and to be an array including every key in properties. Missing '%s'", at, k)
		}
		m, ok := props[k].(map[string]any)
		if !ok {
			return fmt.Errorf("in context=%s.properties.%s, %v is not of type 'object'", at, k, props[k])
		}
		if err := c.node(at+".properties."+k, m, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (c *strictCheck) defs(at string, n map[string]any) error {
	for _, key := range []string{"$defs", "definitions"} {
		defs, _ := n[key].(map[string]any)
		for _, k := range slices.Sorted(maps.Keys(defs)) {
			c.names += len(k)
			m, ok := defs[k].(map[string]any)
			if !ok {
				return fmt.Errorf("in context=%s.%s.%s, not a schema", at, key, k)
			}
			if err := c.node(at+"."+key+"."+k, m, 2); err != nil {
				return err
			}
		}
	}
	return nil
}

// ref checks that a reference points at something.
func (c *strictCheck) ref(at, ref string) error {
	if ref == "#" {
		return nil
	}
	path, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return fmt.Errorf("in context=%s, reference '%s' is not within the schema", at, ref)
	}
	var v any = c.root
	for _, k := range strings.Split(path, "/") {
		m, ok := v.(map[string]any)
		if !ok || m[k] == nil {
			return fmt.Errorf("in context=%s, reference '%s' points nowhere", at, ref)
		}
		v = m[k]
	}
	return nil
}

func hasType(n map[string]any, want string) bool {
	switch t := n["type"].(type) {
	case string:
		return t == want
	case []any:
		return slices.Contains(t, any(want))
	}
	return false
}
