package prompt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/seed-4bdb41d0/webhand/llm"
)

// Checked renders the schemas of formats and refuses those that say nothing: a
// model that is sent an empty union makes up its own answer, and nobody
// notices why. The zero value is ready; it is safe for concurrent use.
type Checked struct {
	mu   sync.Mutex
	last []byte // the schema found good last
}

// Schema returns f's schema in the dialect and whether it can be enforced
// strictly.
func (c *Checked) Schema(f *llm.Format, d llm.Dialect) (schema []byte, strict bool, err error) {
	if f.Schema == nil {
		return nil, false, fmt.Errorf("format %q has no schema", f.Name)
	}
	raw, err := f.Schema(d)
	if err != nil {
		return nil, false, fmt.Errorf("schema of format %q for %s: %w", f.Name, d, err)
	}
	strict = f.Strict == nil || f.Strict(d)
	c.mu.Lock()
	known := bytes.Equal(raw, c.last)
	c.mu.Unlock()
	if known {
		return raw, strict, nil
	}
	if err := says(raw); err != nil {
		return nil, false, fmt.Errorf("schema of format %q for %s %w", f.Name, d, err)
	}
	c.mu.Lock()
	c.last = bytes.Clone(raw)
	c.mu.Unlock()
	return raw, strict, nil
}

// says reports a schema that leaves everything open.
func says(raw json.RawMessage) error {
	var v map[string]any
	if err := json.Unmarshal(raw, &v); err != nil {
		return fmt.Errorf("is not a JSON object: %w", err)
	}
	if v["type"] != "object" {
		return fmt.Errorf("must have an object at its root, not type %v", v["type"])
	}
	if props, _ := v["properties"].(map[string]any); len(props) == 0 {
		return fmt.Errorf("has no properties")
	}
	return noEmptyUnion("", v)
}

func noEmptyUnion(at string, v any) error {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			if list, ok := x.([]any); ok && len(list) == 0 && (k == "anyOf" || k == "oneOf" || k == "enum") {
				return fmt.Errorf("has an empty %s at %s; nothing could ever match", k, at+"/"+k)
			}
			if err := noEmptyUnion(at+"/"+k, x); err != nil {
				return err
			}
		}
	case []any:
		for i, x := range v {
			if err := noEmptyUnion(fmt.Sprintf("%s/%d", at, i), x); err != nil {
				return err
			}
		}
	}
	return nil
}
