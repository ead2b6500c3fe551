// Package openai is the [llm.Client] for OpenAI and for everything that speaks
// its chat completions API: Azure, OpenRouter, DeepSeek, Groq, Mistral, xAI,
// Ollama, vLLM, llama.cpp, LM Studio and many more. What is particular to an
// endpoint or a model is data (see [Endpoints]) and can be overridden.
package openai

import (
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/internal/wire"
)

// Config says which model to call, and where. Only Model is required; the zero
// value of everything else is a sensible default.
type Config struct {
	// Model is the model's name as the endpoint knows it.
	Model string
	// APIKey authorises the calls. Empty means the endpoint's own environment
	// variable, such as OPENAI_API_KEY for api.openai.com or GROQ_API_KEY for
	// api.groq.com. The key of one provider is never sent to another, and none
	// is looked up for an endpoint that [Endpoints] does not list.
	APIKey string
	// BaseURL is where the API starts, such as "http://localhost:11434/v1".
	// Empty means OpenAI.
	BaseURL string
	// Dialect is the flavour of JSON Schema to send. Empty means the
	// endpoint's own.
	Dialect llm.Dialect
	// Azure is for deployments on Azure OpenAI; its zero value means that this
	// is not one, unless BaseURL's host says so.
	Azure Azure
	// Profile overrides what the tables know of the endpoint and the model.
	Profile Profile

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
	// Extra holds further top-level fields of the request body, such as
	// {"provider": {"order": ["groq"]}} for OpenRouter. They win over the
	// fields of the same name.
	Extra map[string]any
	// HTTPClient supplies the transport, for proxies and test doubles; its
	// Timeout and CheckRedirect are not used. Nil means net/http's default.
	HTTPClient *http.Client
}

// Azure describes a deployment on Azure OpenAI, see
// https://learn.microsoft.com/azure/ai-services/openai/reference.
type Azure struct {
	// Deployment is the deployment's name; empty means the model's name.
	Deployment string
	// APIVersion is the dated version; empty means "2024-12-01-preview".
	APIVersion string
	// Token is a Microsoft Entra ID token, used instead of the key.
	Token string
}

// Profile is what an endpoint and a model accept. Every zero value means "as
// the tables say, or as the endpoint's refusals teach".
type Profile struct {
	// Start is the first method tried for structured answers, one of
	// [llm.RungSchema] to [llm.RungPrompt].
	Start string
	// TokenParam is the field that caps the answer: "max_tokens" or
	// "max_completion_tokens".
	TokenParam string
	// Vision says whether the model takes images. With No they are left out
	// and the model is told so.
	Vision llm.Tri
	// Sampling says whether temperature, top_p and their kind may be set.
	Sampling llm.Tri
	// Effort says whether reasoning_effort may be set.
	Effort llm.Tri
	// SchemaBlind says that the endpoint enforces a schema without showing it
	// to the model, so that the shape must be described in words as well.
	SchemaBlind llm.Tri
	// CacheMarkers says whether messages may carry cache_control.
	CacheMarkers llm.Tri
	// ContextWindow is the model's window in tokens.
	ContextWindow int
}

// over returns p with q's gaps filled from it: p wins.
func (p Profile) over(q Profile) Profile {
	if p.Start == "" {
		p.Start = q.Start
	}
	if p.TokenParam == "" {
		p.TokenParam = q.TokenParam
	}
	if p.ContextWindow == 0 {
		p.ContextWindow = q.ContextWindow
	}
	for _, f := range []struct {
		to   *llm.Tri
		from llm.Tri
	}{
		{&p.Vision, q.Vision},
		{&p.Sampling, q.Sampling},
		{&p.Effort, q.Effort},
		{&p.SchemaBlind, q.SchemaBlind},
		{&p.CacheMarkers, q.CacheMarkers},
	} {
		if *f.to == llm.Unknown {
			*f.to = f.from
		}
	}
	return p
}

// String describes the configuration without its keys.
func (c Config) String() string {
	return fmt.Sprintf("openai.Config{Model: %q, BaseURL: %q, APIKey: %s}", c.Model, wire.Redact(c.BaseURL), masked(c.APIKey))
}

// GoString is String: %#v must not print the key either.
func (c Config) GoString() string { return c.String() }

// LogValue implements [slog.LogValuer].
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }

func masked(key string) string {
	if key == "" {
		return `""`
	}
	return "[key]"
}
