package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/seed-4bdb41d0/webhand/registry"
	"github.com/seed-4bdb41d0/webhand/tools"
)

// Run makes an agent for one task, runs it and closes it. See [Agent.Run] for
// history and error; when the agent could not be made, the history is empty.
func Run(ctx context.Context, task string, cfg Config) (*History, error) {
	a, err := New(task, cfg)
	if err != nil {
		return &History{}, err
	}
	h, err := a.Run(ctx)
	if cerr := a.Close(); err == nil {
		err = cerr
	}
	return h, err
}

// RunFor is [Run] for an answer of type T: the model finishes with a value of
// T's JSON Schema, in which it can still say that it did not succeed. A run
// that ends without such a value returns a [*NoAnswerError] besides the
// history. T is a struct with json tags as for action params.
func RunFor[T any](ctx context.Context, task string, cfg Config) (T, *History, error) {
	var out T
	reg, err := structuredTools[T](cfg)
	if err != nil {
		return out, &History{}, err
	}
	cfg.Tools = reg
	h, err := Run(ctx, task, cfg)
	if err != nil {
		return out, h, err
	}
	o := h.Outcome()
	if len(o.Data) == 0 {
		return out, h, &NoAnswerError{Final: o.Final}
	}
	if err := json.Unmarshal(o.Data, &out); err != nil {
		return out, h, &NoAnswerError{Final: o.Final, Err: err}
	}
	return out, h, nil
}

// structuredDone are the parameters of a done that answers with a T. The model
// can still say that it failed, with or without data.
type structuredDone[T any] struct {
	Data    *T     `json:"data,omitempty" jsonschema_description:"the answer: only what was seen on the pages; null only when success is false"`
	Success bool   `json:"success" jsonschema:"default=true" jsonschema_description:"false when any part of the task was not done"`
	Text    string `json:"text,omitempty" jsonschema_description:"what is missing or uncertain; empty when nothing is"`
}

// structuredTools is the registry of cfg with a done that takes a T. The
// caller's registry stays as it is.
func structuredTools[T any](cfg Config) (*registry.Registry, error) {
	r := cfg.Tools.Clone()
	if cfg.Tools == nil {
		r = tools.New()
	}
	err := r.Replace(registry.Spec{
		Name: "done", ReadOnly: true,
		Description: "Finish: the task is done, or cannot be done. Give the result to the user.",
	}, func(_ context.Context, p structuredDone[T]) (*registry.Result, error) {
		if p.Data == nil && p.Success {
			return nil, errors.New("data is missing; give the answer in it, or set success to false")
		}
		res := &registry.Result{Text: p.Text, Done: true, Success: p.Success}
		if p.Data == nil {
			return res, nil
		}
		raw, err := json.Marshal(p.Data)
		if err != nil {
			return nil, fmt.Errorf("encode data: %w", err)
		}
		res.Metadata = map[string]any{"data": json.RawMessage(raw)}
		if res.Text == "" {
			res.Text = string(raw)
		}
		return res, nil
	})
	if err != nil {
		return nil, fmt.Errorf("agent: %w", err)
	}
	return r, nil
}
