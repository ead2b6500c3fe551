// Package providers picks a model's client by name or from the environment.
// It imports every provider; a program that knows its provider imports that
// one and leaves the others' SDKs out.
package providers

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/anthropic"
	"github.com/seed-4bdb41d0/webhand/llm/gemini"
	"github.com/seed-4bdb41d0/webhand/llm/openai"
)

// Config names a model. The zero value of each field leaves the choice to
// [New] and the environment.
type Config struct {
	// Provider is "openai", "anthropic", "gemini", "azure", or the name of an
	// endpoint in [openai.Endpoints] such as "openrouter" or "ollama".
	Provider string
	// Model is the model's name. A provider in front, as in
	// "anthropic:claude-sonnet-4-5", counts when Provider is empty.
	Model string
	// APIKey authorises the calls; empty means the provider's own variable.
	APIKey string
	// BaseURL is where the API starts; empty means the provider's own.
	BaseURL string
}

// Choice says what was chosen and why.
type Choice struct {
	Provider string
	Model    string
	BaseURL  string // empty for the provider's own
	Why      string // one line for people
}

// String is one line for people.
func (c Choice) String() string {
	return fmt.Sprintf("%s %s (%s)", c.Provider, c.Model, c.Why)
}

// The models that are used when nobody names one: good enough to operate a
// page, at a moderate price.
const (
	defaultOpenAI    = "gpt-4.1-mini"
	defaultAnthropic = "claude-sonnet-4-5"
	defaultGemini    = "gemini-2.5-flash"
)

// native are the providers that do not speak OpenAI's API here.
var native = []string{"anthropic", "gemini"}

// New returns the client that c names. What is missing for it is reported by
// the error, or, where only the endpoint can know, by the first call.
func New(c Config) (llm.Client, error) {
	if c.Provider == "" {
		c.Provider, c.Model = split(c.Model)
	}
	c.Provider = strings.ToLower(c.Provider)
	switch c.Provider {
	case "", "openai":
		return openai.New(openai.Config{Model: cmp.Or(c.Model, defaultOpenAI), APIKey: c.APIKey, BaseURL: c.BaseURL}), nil
	case "anthropic", "claude":
		return anthropic.New(anthropic.Config{Model: cmp.Or(c.Model, defaultAnthropic), APIKey: c.APIKey, BaseURL: c.BaseURL}), nil
	case "gemini", "google":
		return gemini.New(gemini.Config{Model: cmp.Or(c.Model, defaultGemini), APIKey: c.APIKey, BaseURL: c.BaseURL}), nil
	case "azure":
		if c.BaseURL == "" {
			return nil, fmt.Errorf("providers: azure needs a BaseURL, such as https://NAME.openai.azure.com")
		}
		return openai.New(openai.Config{Model: c.Model, APIKey: c.APIKey, BaseURL: c.BaseURL, Azure: openai.Azure{Deployment: c.Model}}), nil
	}
	for _, e := range openai.Endpoints() {
		if e.Name == c.Provider && e.BaseURL != "" {
			if c.Model == "" {
				return nil, fmt.Errorf("providers: name a model of %s", c.Provider)
			}
			return openai.New(openai.Config{Model: c.Model, APIKey: c.APIKey, BaseURL: cmp.Or(c.BaseURL, e.BaseURL)}), nil
		}
	}
	return nil, fmt.Errorf("providers: %q is not known; use one of %s, or openai with a BaseURL", c.Provider, strings.Join(Names(), ", "))
}

// Names lists the providers that [New] knows.
func Names() []string {
	out := append([]string{"openai", "azure"}, native...)
	for _, e := range openai.Endpoints() {
		out = append(out, e.Name)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// split takes a provider off the front of a model's name.
func split(model string) (provider, rest string) {
	p, rest, ok := strings.Cut(model, ":")
	if ok && slices.Contains(Names(), strings.ToLower(p)) {
		return p, rest
	}
	return "", model
}

// FromEnv returns the client that the environment asks for, and says which and
// why. In this order:
//
//   - LLM_MODEL, "provider:model", with LLM_BASE_URL if there is one;
//   - OPENAI_API_KEY or OPENAI_BASE_URL, with OPENAI_MODEL;
//   - AZURE_OPENAI_ENDPOINT, with AZURE_OPENAI_DEPLOYMENT;
//   - ANTHROPIC_API_KEY, with ANTHROPIC_MODEL;
//   - GEMINI_API_KEY or GOOGLE_API_KEY, with GEMINI_MODEL;
//   - the key of another endpoint in [openai.Endpoints], with LLM_MODEL naming
//     the model.
//
// The error says what to set.
func FromEnv() (llm.Client, Choice, error) {
	choice, cfg, err := choose(os.Getenv)
	if err != nil {
		return nil, Choice{}, err
	}
	c, err := New(cfg)
	return c, choice, err
}

// choose is FromEnv over any environment.
func choose(env func(string) string) (Choice, Config, error) {
	get := func(k string) string { return strings.TrimSpace(env(k)) }
	pick := func(provider, model, base, key, why string) (Choice, Config, error) {
		return Choice{Provider: provider, Model: model, BaseURL: base, Why: why},
			Config{Provider: provider, Model: model, BaseURL: base, APIKey: key}, nil
	}
	model := get("LLM_MODEL")
	if p, rest := split(model); p != "" {
		return pick(strings.ToLower(p), rest, get("LLM_BASE_URL"), keyOf(p, get), "LLM_MODEL names it")
	}
	switch {
	case get("OPENAI_BASE_URL") != "":
		// Whoever sets both means the key for that endpoint. Local servers
		// want none, and ignore one.
		return pick("openai", cmp.Or(model, get("OPENAI_MODEL"), defaultOpenAI), get("OPENAI_BASE_URL"), get("OPENAI_API_KEY"), "OPENAI_BASE_URL is set")
	case get("OPENAI_API_KEY") != "":
		return pick("openai", cmp.Or(model, get("OPENAI_MODEL"), defaultOpenAI), "", get("OPENAI_API_KEY"), "OPENAI_API_KEY is set")
	case get("AZURE_OPENAI_ENDPOINT") != "":
		deployment := cmp.Or(get("AZURE_OPENAI_DEPLOYMENT"), model)
		if deployment == "" {
			return Choice{}, Config{}, fmt.Errorf("providers: AZURE_OPENAI_ENDPOINT is set; set AZURE_OPENAI_DEPLOYMENT too")
		}
		return pick("azure", deployment, get("AZURE_OPENAI_ENDPOINT"), keyOf("azure", get), "AZURE_OPENAI_ENDPOINT is set")
	case get("ANTHROPIC_API_KEY") != "":
		return pick("anthropic", cmp.Or(model, get("ANTHROPIC_MODEL"), defaultAnthropic), "", get("ANTHROPIC_API_KEY"), "ANTHROPIC_API_KEY is set")
	}
	for _, k := range []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"} {
		if get(k) != "" {
			return pick("gemini", cmp.Or(model, get("GEMINI_MODEL"), defaultGemini), "", get(k), k+" is set")
		}
	}
	for _, e := range openai.Endpoints() {
		for _, k := range e.KeyVars {
			if get(k) == "" || e.BaseURL == "" {
				continue
			}
			if model == "" {
				return Choice{}, Config{}, fmt.Errorf("providers: %s is set; name a model in LLM_MODEL, such as %s:MODEL", k, e.Name)
			}
			return pick(e.Name, model, e.BaseURL, get(k), k+" is set")
		}
	}
	return Choice{}, Config{}, fmt.Errorf("providers: no model is configured; set OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY, or OPENAI_BASE_URL for a server of your own")
}

// keyOf returns the key in a provider's own variables.
func keyOf(provider string, get func(string) string) string {
	vars := map[string][]string{"anthropic": {"ANTHROPIC_API_KEY"}, "gemini": {"GEMINI_API_KEY", "GOOGLE_API_KEY"}}[provider]
	for _, e := range openai.Endpoints() {
		if e.Name == provider {
			vars = append(vars, e.KeyVars...)
		}
	}
	for _, k := range vars {
		if s := get(k); s != "" {
			return s
		}
	}
	return ""
}
