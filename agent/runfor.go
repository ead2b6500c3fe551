package agent

import (
	"context"
	"encoding/json"
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
