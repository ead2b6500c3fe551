// Package anthropic is the [llm.Client] for Anthropic's Messages API, on the
// official SDK.
package anthropic

import (
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/seed-4bdb41d0/webhand/llm"
)

// Config says which model to call. Only Model is required.
type Config struct {
	// Model is the model's name, such as "claude-sonnet-4-5".
	Model string
	// APIKey authorises the calls. Empty means ANTHROPIC_API_KEY, which is read
	// only when BaseURL is empty too.
	APIKey string
	// BaseURL is where the API starts, without "/v1". Empty means Anthropic.
	BaseURL string
	// Dialect is the flavour of JSON Schema to send. Empty means
	// [llm.Anthropic].
	Dialect llm.Dialect
	// Start is the first method tried for structured answers. Empty means a
	// forced tool call, or an offered one for models that think: Anthropic's
	// own enforcement of schemas ([llm.RungSchema]) has ceilings on their size.
	Start string
	// MaxTokens caps answers whose request does not; 0 means 8192. The API
	// wants a cap on every request.
	MaxTokens int
	// ThinkingBudget, when not 0, lets the model think before it answers, for
	// up to that many tokens (at least 1024), which count as output.
	ThinkingBudget int
	// Vision and ContextWindow override what the table of models says.
	Vision        llm.Tri
	ContextWindow int

	// Timeout bounds one attempt, from sending to the last byte. 0 means three
	// minutes, a negative value no bound but the caller's context.
	Timeout time.Duration
	// Stall bounds the silence between two pieces of an answer that has begun.
	// 0 means one minute, a negative value no bound.
	Stall time.Duration
	// Stream asks for the answer piece by piece, so that a model which stops
	// in the middle is noticed after Stall and not after Timeout. A request
	// with OnDelta is always streamed.
	Stream bool

	// Header is added to every request, such as an anthropic-beta.
	Header map[string]string
	// Extra holds further top-level fields of the request body.
	Extra map[string]any
	// HTTPClient supplies the transport. Nil means net/http's default.
	HTTPClient *http.Client
}

// String describes the configuration without its key.
func (c Config) String() string {
	key := `""`
	if c.APIKey != "" {
		key = "[key]"
	}
	return fmt.Sprintf("anthropic.Config{Model: %q, APIKey: %s}", c.Model, key)
}

// GoString is String: %#v must not print the key either.
func (c Config) GoString() string { return c.String() }

// LogValue implements [slog.LogValuer].
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }
