package tools

import (
	"errors"
	"fmt"
	"strings"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// acted is the result of an action on the page: what was done, and what came
// of it. An error that comes with an effect keeps the effect.
func acted(text string, eff *browser.Effect, err error) (*registry.Result, error) {
	res := &registry.Result{Effects: eff.Lines()}
	if err != nil {
		if eff == nil {
			return nil, err
		}
		return res, err
	}
	res.Text = text
	res.Metadata = map[string]any{"effect": eff}
	return res, nil
}

// element names an element for the result of an action: [3] <button> "Go".
func element(index int, what string) string {
	if what == "" {
		return fmt.Sprintf("[%d]", index)
	}
	if index == 0 {
		return what
	}
	return fmt.Sprintf("[%d] %s", index, what)
}

// failedTo is an error whose text is what the model reads: what was tried, and
// why it did not work.
func failedTo(do string, err error) error {
	var nav *browser.NavigationError
	if errors.As(err, &nav) {
		return &toldError{navigationText(do, nav), err}
	}
	text := err.Error()
	for _, p := range []string{"browser: ", "dom: ", "tools: "} {
		text = strings.TrimPrefix(text, p)
	}
	return &toldError{do + ": " + text, err}
}

// toldError keeps the cause and has words for the model.
type toldError struct {
	text string
	err  error
}

func (e *toldError) Error() string { return e.text }
func (e *toldError) Unwrap() error { return e.err }
