package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// EvaluateParams are the parameters of evaluate.
type EvaluateParams struct {
	Code string `json:"code" jsonschema:"minLength=1" jsonschema_description:"an expression; for statements write (() => { ...; return x })(), a promise is awaited"`
}

func evaluateActions() []builtin {
	return []builtin{{
		registry.Spec{Name: "evaluate", EndsStep: true, Description: "Run JavaScript in the page and read its result. For what no other action does."},
		evaluate,
	}}
}

const (
	evaluateLimit  = 20_000 // characters of a result that are shown
	evaluateMemory = 10_000 // characters of a result that stay in the history
)

func evaluate(ctx context.Context, p EvaluateParams, s *browser.Session) (*registry.Result, error) {
	// undefined has no JSON, and is told from null by that.
	raw, err := browser.Evaluate[json.RawMessage](ctx, s, p.Code)
	var se *browser.ScriptError
	if errors.As(err, &se) {
		return nil, &toldError{"evaluate: " + se.Message, err}
	}
	if err != nil {
		return nil, failedTo("evaluate", err)
	}
	text := "undefined"
	if len(raw) > 0 {
		text = string(raw)
		var str string
		if json.Unmarshal(raw, &str) == nil {
			text = str
		}
	}
	res := &registry.Result{Text: text}
	if r := []rune(text); len(r) > evaluateLimit {
		res.Text = string(r[:evaluateLimit]) + fmt.Sprintf("\n... %d more characters were cut", len(r)-evaluateLimit)
	}
	if n := len([]rune(text)); n >= evaluateMemory {
		res.Once, res.Memory = true, fmt.Sprintf("Ran JavaScript; the result had %d characters", n)
	}
	return res, nil
}
