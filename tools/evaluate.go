package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

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
	var out struct {
		Result struct {
			Type        string          `json:"type"`
			Description string          `json:"description"`
			Value       json.RawMessage `json:"value"`
		} `json:"result"`
		Exception *struct {
			Text      string `json:"text"`
			Exception struct {
				Description string          `json:"description"`
				Value       json.RawMessage `json:"value"`
			} `json:"exception"`
		} `json:"exceptionDetails"`
	}
	err := s.Call(ctx, "Runtime.evaluate", map[string]any{
		"expression": p.Code, "returnByValue": true, "awaitPromise": true, "userGesture": true,
	}, &out)
	if err != nil {
		return nil, failedTo("evaluate", err)
	}
	if e := out.Exception; e != nil {
		why := e.Exception.Description
		if why == "" {
			why = strings.TrimSpace(e.Text + " " + string(e.Exception.Value))
		}
		// The stack below the place itself is of no use to whoever wrote it.
		lines := strings.SplitN(why, "\n", 3)
		return nil, fmt.Errorf("evaluate: %s", strings.Join(strings.Fields(strings.Join(lines[:min(len(lines), 2)], " ")), " "))
	}
	text := out.Result.Type // "undefined", "function"
	if len(out.Result.Value) > 0 {
		text = string(out.Result.Value)
		var str string
		if json.Unmarshal(out.Result.Value, &str) == nil && text != "null" {
			text = str
		}
	} else if out.Result.Description != "" {
		text = out.Result.Description
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
