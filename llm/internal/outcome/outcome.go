// Package outcome decides what an answer of a provider amounts to: a response,
// or one of the typed failures. The rules are the same for every provider.
package outcome

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/seed-4bdb41d0/webhand/llm"
)

// Answer is what a provider sent, taken out of its own types.
type Answer struct {
	Provider string
	Model    string
	Text     string
	Thinking string
	Refusal  string
	Calls    []Call // of tools
	Finish   llm.FinishReason
	Fault    error  // a failure that the finish reason names, or nil
	Why      string // the provider's words for Fault or for a filter
	Usage    llm.Usage
	Raw      json.RawMessage
}

// Call is one call of a tool. Args is JSON text, possibly encoded twice.
type Call struct{ Name, Args string }

// Response turns a into a response to req.
func (a *Answer) Response(req *llm.Request) (*llm.Response, error) {
	switch {
	case a.Fault != nil:
		return nil, a.Fail(a.Fault, or(a.Why, "the endpoint broke off the answer"))
	case a.Finish == llm.FinishLength:
		// Before anything is read: what is missing cannot be known.
		return nil, a.Fail(llm.ErrTruncated, "the answer was cut at its token cap; raise MaxTokens or ask for less")
	case a.Refusal != "":
		return nil, a.Fail(llm.ErrRefusal, a.Refusal)
	case a.Finish == llm.FinishFilter:
		return nil, a.Fail(llm.ErrRefusal, or(a.Why, "the provider's content filter stopped the answer"))
	}
	text := a.Text
	if req.Format != nil {
		raw, err := a.read(req)
		if err != nil {
			return nil, err
		}
		text = string(raw)
	} else if strings.TrimSpace(text) == "" {
		return nil, a.empty()
	}
	return &llm.Response{
		Text: text, Thinking: a.Thinking, Finish: a.Finish, Usage: a.Usage,
		Model: a.Model, Provider: a.Provider, Raw: a.Raw,
	}, nil
}

// read takes the JSON out of the tool call or the text.
func (a *Answer) read(req *llm.Request) (json.RawMessage, error) {
	text, call := a.Text, a.call(req.Format.Name)
	if call != nil {
		text = call.Args
		if call.Name != req.Format.Name && call.Name != "" && json.Valid([]byte(call.Args)) {
			// The model called an action as if it were a tool.
			name, _ := json.Marshal(call.Name) //nolint:errchkjson // a string always marshals
			if raw, err := llm.ReadJSON(`{"name":`+string(name)+`,"arguments":`+call.Args+`}`, req.Format); err == nil {
				return raw, nil
			}
		}
	}
	if strings.TrimSpace(text) == "" {
		return nil, a.empty()
	}
	raw, err := llm.ReadJSON(text, req.Format)
	if err != nil && call != nil && strings.TrimSpace(a.Text) != "" {
		if raw, again := llm.ReadJSON(a.Text, req.Format); again == nil {
			return raw, nil
		}
	}
	if err == nil {
		return raw, nil
	}
	var e *llm.Error
	if !errors.As(err, &e) {
		return nil, err
	}
	failed := a.Fail(e.Kind, e.Message)
	failed.Answer, failed.Want = e.Answer, e.Want
	if limit := req.MaxTokens; limit != nil && a.Usage.Output >= *limit {
		failed.Kind = llm.ErrTruncated // the endpoint did not say so, the count does
	}
	return nil, failed
}

// call returns the call of the named tool, or the first call.
func (a *Answer) call(name string) *Call {
	for i := range a.Calls {
		if a.Calls[i].Name == name {
			return &a.Calls[i]
		}
	}
	if len(a.Calls) > 0 {
		return &a.Calls[0]
	}
	return nil
}

func (a *Answer) empty() *llm.Error {
	if a.Thinking != "" {
		return a.Fail(llm.ErrEmpty, "the model thought but did not answer")
	}
	return a.Fail(llm.ErrEmpty, "the answer has no text")
}

// Fail returns an error about the answer, which is billed all the same.
func (a *Answer) Fail(kind error, message string) *llm.Error {
	e := &llm.Error{Kind: kind, Provider: a.Provider, Model: a.Model, Message: message, Answer: a.Text}
	if a.Usage != (llm.Usage{}) {
		e.Charges = []llm.Charge{{Provider: a.Provider, Model: a.Model, Usage: a.Usage}}
	}
	return e
}

func or(s, fallback string) string {
	if s == "" {
		return fallback
	}
	return s
}
