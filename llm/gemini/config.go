// Package gemini is the [llm.Client] for Google's Gemini API, on the official
// SDK.
package gemini

import (
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/seed-4bdb41d0/webhand/llm"
)

// Config says which model to call. Only Model is required.
type Config struct {
	// Model is the model's name, such as "gemini-2.5-flash".
	Model string
	// APIKey authorises the calls. Empty means GEMINI_API_KEY or
	// GOOGLE_API_KEY, which are read only when BaseURL is empty too.
	APIKey string
	// BaseURL is where the API starts, without the version. Empty means Google.
	BaseURL string
	// Dialect is the flavour of JSON Schema to send. Empty means [llm.Gemini].
	Dialect llm.Dialect
	// Start is the first method tried for structured answers. Empty means
	// [llm.RungSchema].
	Start string
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

	// Header is added to every request.
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
	return fmt.Sprintf("gemini.Config{Model: %q, APIKey: %s}", c.Model, key)
}

// GoString is String: %#v must not print the key either.
func (c Config) GoString() string { return c.String() }

// LogValue implements [slog.LogValuer].
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }
