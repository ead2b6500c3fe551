// Package llmtest is for trying agents and providers without a live model:
// [Script] is a client that answers from a list, [Server] a real HTTP server
// that speaks the providers' APIs and checks each request as they would,
// [Recorder] turns a live run into a file that the server replays, and
// [TestClient] is the conformance suite for a provider of one's own.
package llmtest

import (
	"encoding/json"
	"time"

	"github.com/seed-4bdb41d0/webhand/llm"
)

// Answer is what a scripted model answers to one request. Its zero value is an
// empty answer.
type Answer struct {
	// Text is the answer. A server puts it where the request asked for it:
	// into the message or into the call of a tool.
	Text string `json:"text,omitempty"`
	// Thinking is reasoning text, reported apart.
	Thinking string `json:"thinking,omitempty"`
	// Refusal is a refusal in the provider's own field for it.
	Refusal string `json:"refusal,omitempty"`
	// Finish is why the model stopped; empty means that it was done.
	Finish llm.FinishReason `json:"finish,omitempty"`
	// Usage is what the answer is billed; nil means an estimate.
	Usage *llm.Usage `json:"usage,omitempty"`
	// Delay is how long the model takes.
	Delay time.Duration `json:"delay,omitempty"`
	// Fault is what goes wrong instead. Only a [Server] can act out all of it.
	Fault *Fault `json:"fault,omitempty"`
	// Body replaces the whole response body of a [Server], for odd shapes.
	Body json.RawMessage `json:"body,omitempty"`
	// Err is what a [Script] returns instead of an answer.
	Err error `json:"-"`
}

// Text returns an answer of the given text.
func Text(s string) Answer { return Answer{Text: s} }

// JSON returns an answer whose text is v as JSON. It panics when v cannot be
// encoded.
func JSON(v any) Answer {
	b, err := json.Marshal(v)
	if err != nil {
		panic("llmtest: " + err.Error())
	}
	return Answer{Text: string(b)}
}

// Fail returns an answer that is the given error.
func Fail(err error) Answer { return Answer{Err: err} }

// usage returns the answer's usage or an estimate of it.
func (a Answer) usage(req *llm.Request) llm.Usage {
	if a.Usage != nil {
		return *a.Usage
	}
	return llm.Usage{Input: llm.EstimateTokens(req), Output: llm.EstimateText(a.Text) + llm.EstimateText(a.Thinking)}
}
