// Package llm is the small vocabulary that agents and model providers share:
// messages, a request, a response, typed failures, and the one-method [Client]
// interface that every provider implements.
//
// The package imports no provider. Providers are leaves below it
// (llm/openai and its neighbours); middleware such as retry, fallback and
// budget is a Client around a Client.
package llm

import (
	"context"
	"encoding/json"
)

// Client sends one request to a language model and returns its answer.
//
// Complete must be safe for concurrent use, must return promptly when ctx
// ends, and must return an error that matches one of the sentinel errors of
// this package (see [Error]), or ctx's own, whenever the answer cannot be used.
// It must not change the request.
type Client interface {
	Complete(ctx context.Context, req *Request) (*Response, error)
}

// ClientFunc adapts a func to [Client].
type ClientFunc func(context.Context, *Request) (*Response, error)

// Complete calls f.
func (f ClientFunc) Complete(ctx context.Context, req *Request) (*Response, error) {
	return f(ctx, req)
}

// Role says who speaks in a [Message].
type Role string

// The roles of a conversation.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// Message is one turn of a conversation. Parts keep their order on the wire.
type Message struct {
	Role  Role   `json:"role"`
	Parts []Part `json:"parts"`
	// CacheEnd hints that everything up to and including this message is
	// stable and worth caching. Providers without prompt-cache markers ignore it.
	CacheEnd bool `json:"cache_end,omitempty"`
}

// Part is a piece of a message: text or an image, never both.
type Part struct {
	Text  string `json:"text,omitempty"`
	Image *Image `json:"image,omitempty"`
}

// Image is a picture handed to a model that can see.
type Image struct {
	MIME   string `json:"mime"`             // "image/png" or "image/jpeg"
	Data   []byte `json:"data"`             // the encoded picture
	Detail Detail `json:"detail,omitempty"` // zero value: the provider decides
}

// Detail is the resolution at which a model looks at an image.
type Detail string

// The detail levels. The zero value leaves the choice to the provider.
const (
	DetailAuto Detail = "auto"
	DetailLow  Detail = "low"
	DetailHigh Detail = "high"
)

// System returns a system message of one text.
func System(text string) Message { return textMessage(RoleSystem, text) }

// User returns a user message of one text.
func User(text string) Message { return textMessage(RoleUser, text) }

// Assistant returns an assistant message of one text.
func Assistant(text string) Message { return textMessage(RoleAssistant, text) }

func textMessage(r Role, text string) Message {
	return Message{Role: r, Parts: []Part{{Text: text}}}
}

// Text returns the text parts of the message joined by newlines.
func (m Message) Text() string {
	var out []byte
	for _, p := range m.Parts {
		if p.Image != nil {
			continue
		}
		if len(out) > 0 {
			out = append(out, '\n')
		}
		out = append(out, p.Text...)
	}
	return string(out)
}

// Dialect names a flavour of JSON Schema that a provider accepts for
// structured output. What a dialect keeps, drops and rewrites is data in
// internal/schema.
type Dialect string

// The dialects webhand renders.
const (
	Canonical    Dialect = "canonical"
	OpenAIStrict Dialect = "openai-strict"
	Anthropic    Dialect = "anthropic"
	Gemini       Dialect = "gemini"
	LlamaCpp     Dialect = "llama.cpp"
)

// Format asks for an answer that is one JSON value of a given shape.
type Format struct {
	// Name is a short identifier of the shape, such as "agent_output".
	Name string
	// Schema renders the shape in the dialect that the provider picks.
	Schema func(Dialect) (json.RawMessage, error)
	// Strict reports whether the schema can be enforced strictly in the
	// dialect; nil means it always can.
	Strict func(Dialect) bool
	// Text describes the shape in words, for models that see no schema.
	Text string
}

// Request is one call of a model. Pointers distinguish "not set" from zero.
type Request struct {
	Messages []Message
	// Format asks for structured output; nil asks for plain text.
	Format *Format

	Temperature *float64
	TopP        *float64
	MaxTokens   *int // cap of the answer, in tokens
	Seed        *int
	Stop        []string
	// ReasoningEffort is passed to models that think: "minimal", "low",
	// "medium", "high". Empty leaves the provider's default.
	ReasoningEffort string
	// Session groups requests of one conversation for providers that route
	// or cache by it.
	Session string
	// OnDelta, when set, receives the answer's text as it arrives from
	// providers that stream. The full text is in the Response all the same. A
	// call that is tried again starts over.
	OnDelta func(text string)
}

// FinishReason says why the model stopped.
type FinishReason string

// The finish reasons, normalised over providers.
const (
	FinishStop    FinishReason = "stop"
	FinishLength  FinishReason = "length"
	FinishTool    FinishReason = "tool"
	FinishFilter  FinishReason = "filter"
	FinishUnknown FinishReason = "unknown"
)

// Response is a model's answer.
type Response struct {
	// Text is the answer. With a Format it is the JSON text, taken out of a
	// tool call or an enclosing fence where the provider put it there.
	Text string
	// Thinking is reasoning text that the provider reported apart.
	Thinking string
	Finish   FinishReason
	Usage    Usage
	// Model is the model that answered, as the provider names it.
	Model string
	// Provider is a short name of the provider, such as "openai".
	Provider string
	// Rung is the structured-output method that was used, one of
	// [RungSchema] to [RungPrompt]; empty for plain text.
	Rung string
	// Raw is the provider's response body, for logs. May be nil.
	Raw json.RawMessage
	// Notes says in words what the request had to leave out or change for this
	// endpoint, such as a temperature that the model does not take.
	Notes []string
	// Failed is what earlier attempts of the same call are billed for; it is
	// not part of Usage.
	Failed []Charge
}

// Usage counts the tokens of one or more calls. Input includes Cached and
// CacheWrite; Output includes Reasoning.
type Usage struct {
	Input      int `json:"input"`
	Cached     int `json:"cached,omitempty"`
	CacheWrite int `json:"cache_write,omitempty"`
	Output     int `json:"output"`
	Reasoning  int `json:"reasoning,omitempty"`
}

// Add returns the sum of two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input:      u.Input + v.Input,
		Cached:     u.Cached + v.Cached,
		CacheWrite: u.CacheWrite + v.CacheWrite,
		Output:     u.Output + v.Output,
		Reasoning:  u.Reasoning + v.Reasoning,
	}
}

// Total is the number of input and output tokens together.
func (u Usage) Total() int { return u.Input + u.Output }
