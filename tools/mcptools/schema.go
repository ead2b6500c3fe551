package mcptools

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// inner is the one field of an action whose tool has a schema that the params
// of an action cannot be, such as a union at its root.
const inner = "arguments"

// paramsOf fits a tool's schema to what the params of an action may be: an
// object at the root. Nothing of it is lost.
func paramsOf(schema json.RawMessage) (params json.RawMessage, wrapped bool, err error) {
	if len(schema) == 0 || string(schema) == "null" || string(schema) == "true" {
		return nil, false, nil
	}
	var root map[string]json.RawMessage
	if err := json.Unmarshal(schema, &root); err != nil || root == nil {
		return nil, false, errors.New("its schema is not a JSON object")
	}
	plain := true
	for _, k := range []string{"anyOf", "oneOf", "allOf", "$ref", "not", "if", "enum", "const"} {
		if _, ok := root[k]; ok {
			plain = false
		}
	}
	if plain {
		switch kind := string(root["type"]); kind {
		case `"object"`:
			return schema, false, nil
		case "", `["object"]`, `["object","null"]`, `["null","object"]`:
			root["type"] = json.RawMessage(`"object"`)
			params, err = json.Marshal(root)
			return params, false, err
		default:
			return nil, false, fmt.Errorf("its schema is of type %s, and arguments are an object", kind)
		}
	}
	out := map[string]any{"type": "object", "required": []string{inner}, "additionalProperties": false}
	for _, k := range []string{"$defs", "definitions", "$schema"} { // references are from the root
		if v, ok := root[k]; ok {
			out[k] = v
			delete(root, k)
		}
	}
	out["properties"] = map[string]any{inner: root}
	params, err = json.Marshal(out)
	return params, true, err
}

// unwrap returns the arguments as the tool wants them.
func (t offered) unwrap(args json.RawMessage) (json.RawMessage, error) {
	if !t.wrapped {
		return args, nil
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal(args, &m); err != nil {
		return nil, err
	}
	return m[inner], nil
}

// maxName is the length of an action's name.
const maxName = 64

var notInName = regexp.MustCompile(`[^a-z0-9]+`)

// actionName is a legal action name for a tool: getWeather and get-weather of
// the server maps are maps_get_weather.
func (c *Client) actionName(tool string) string {
	name := snake(tool)
	if !c.cfg.NoPrefix {
		if p := snake(c.cfg.Name); p != "" {
			name = strings.TrimSuffix(p+"_"+name, "_")
		}
	}
	if name == "" || name[0] < 'a' || name[0] > 'z' {
		name = strings.TrimSuffix("tool_"+name, "_")
	}
	if len(name) > maxName { // a mark keeps long names apart
		h := fnv.New32a()
		_, _ = h.Write([]byte(tool))
		mark := fmt.Sprintf("_%08x", h.Sum32())
		name = name[:maxName-len(mark)] + mark
	}
	return name
}

func snake(s string) string {
	var b strings.Builder
	var before rune
	for _, r := range s {
		if unicode.IsUpper(r) && (unicode.IsLower(before) || unicode.IsDigit(before)) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
		before = r
	}
	return strings.Trim(notInName.ReplaceAllString(b.String(), "_"), "_")
}

// numbered is the n-th try of a name.
func numbered(name string, n int) string {
	if n == 1 {
		return name
	}
	end := "_" + strconv.Itoa(n)
	return name[:min(len(name), maxName-len(end))] + end
}

// cut shortens a text to n characters.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
