package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/seed-4bdb41d0/webhand/registry"
)

var notName = regexp.MustCompile(`[^a-z0-9]+`)

// AddWorkflow registers a workflow as an action, and so as a tool that another
// agent may choose. Its parameters are the workflow's inputs, its result is what
// the workflow gives. It runs in cfg.Browser, or in a browser of its own.
func AddWorkflow(r *registry.Registry, w *Workflow, cfg Config) error {
	if err := w.check(); err != nil {
		return err
	}
	props := make(map[string]any)
	required := []string{}
	for _, v := range w.Inputs {
		props[v.Name] = v.schema()
		if v.Default == "" && !v.Optional {
			required = append(required, v.Name)
		}
	}
	params, err := encodePlain(map[string]any{"type": "object", "additionalProperties": false, "properties": props, "required": required})
	if err != nil {
		return fmt.Errorf("agent: workflow %q as an action: %w", w.Name, err)
	}
	limit := cfg.Limits.Run
	if limit <= 0 {
		limit = 15 * time.Minute
	}
	name := strings.Trim(notName.ReplaceAllString(strings.ToLower(w.Name), "_"), "_")
	spec := registry.Spec{Name: name, Description: or(w.Description, w.Name), Timeout: limit, EndsStep: true}
	return r.AddRaw(spec, params, func(ctx context.Context, args json.RawMessage) (*registry.Result, error) {
		var inputs map[string]any
		if err := json.Unmarshal(orEmpty(args), &inputs); err != nil {
			return nil, fmt.Errorf("inputs: %w", err)
		}
		h, err := RunWorkflow(ctx, w, inputs, cfg)
		if err != nil {
			return nil, err
		}
		return &registry.Result{Text: h.Final(), Metadata: map[string]any{"data": h.Outcome().Data}}, nil
	})
}

// schema is an input as a JSON Schema.
func (v Variable) schema() map[string]any {
	s := map[string]any{"type": "string"}
	switch v.Type {
	case TypeEmail:
		s["format"] = "email"
	case TypeDate:
		s["format"] = "date"
	case TypeURL:
		s["format"] = "uri"
	case TypeNumber:
		s["type"] = "number"
	case TypeInteger:
		s["type"] = "integer"
	case TypeBool:
		s["type"] = "boolean"
	case TypeList:
		s["type"], s["items"] = "array", map[string]any{"type": "string"}
	}
	if v.Description != "" {
		s["description"] = v.Description
	}
	if v.Default != "" {
		s["description"] = strings.TrimSpace(v.Description + " Default: " + v.Default)
	}
	return s
}
