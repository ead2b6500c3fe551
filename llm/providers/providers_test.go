package providers

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-4bdb41d0/webhand/llm"
)

func TestChoiceFromTheEnvironment(t *testing.T) {
	for _, tt := range []struct {
		name string
		env  map[string]string
		want string // "provider model base", or part of the error
	}{
		{"OpenAI", map[string]string{"OPENAI_API_KEY": "k"}, "openai gpt-4.1-mini "},
		{"OpenAI and a model", map[string]string{"OPENAI_API_KEY": "k", "OPENAI_MODEL": "gpt-5"}, "openai gpt-5 "},
		{"a server of one's own", map[string]string{"OPENAI_BASE_URL": "http://localhost:8080/v1", "OPENAI_MODEL": "m"}, "openai m http://localhost:8080/v1"},
		{"Anthropic", map[string]string{"ANTHROPIC_API_KEY": "k"}, "anthropic claude-sonnet-4-5 "},
		{"Gemini by either name", map[string]string{"GOOGLE_API_KEY": "k"}, "gemini gemini-2.5-flash "},
		{"OpenAI before Anthropic", map[string]string{"ANTHROPIC_API_KEY": "k", "OPENAI_API_KEY": "k"}, "openai gpt-4.1-mini "},
		{"but a name decides", map[string]string{"ANTHROPIC_API_KEY": "k", "OPENAI_API_KEY": "k", "LLM_MODEL": "anthropic:claude-opus-4-5"}, "anthropic claude-opus-4-5 "},
		{"Ollama by name, colon and all", map[string]string{"LLM_MODEL": "ollama:qwen3:8b"}, "ollama qwen3:8b "},
		{"Azure", map[string]string{"AZURE_OPENAI_ENDPOINT": "https://x.openai.azure.com", "AZURE_OPENAI_API_KEY": "k", "AZURE_OPENAI_DEPLOYMENT": "d"}, "azure d https://x.openai.azure.com"},
		{"Azure without a deployment", map[string]string{"AZURE_OPENAI_ENDPOINT": "https://x.openai.azure.com"}, "AZURE_OPENAI_DEPLOYMENT"},
		{"Groq", map[string]string{"GROQ_API_KEY": "k", "LLM_MODEL": "llama-3.3-70b"}, "groq llama-3.3-70b https://api.groq.com/openai/v1"},
		{"Groq without a model", map[string]string{"GROQ_API_KEY": "k"}, "LLM_MODEL"},
		{"spaces are nothing", map[string]string{"OPENAI_API_KEY": "  "}, "no model is configured"},
		{"nothing", nil, "OPENAI_API_KEY"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			choice, cfg, err := choose(func(k string) string { return tt.env[k] })
			if err != nil {
				if !strings.Contains(err.Error(), tt.want) {
					t.Errorf("got %v", err)
				}
				return
			}
			if got := fmt.Sprintf("%s %s %s", choice.Provider, choice.Model, choice.BaseURL); got != tt.want || choice.Why == "" {
				t.Errorf("got %q because %q", got, choice.Why)
			}
			c, err := New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			if d := llm.Describe(c); d.Model != choice.Model {
				t.Errorf("the client is for %+v", d)
			}
		})
	}
}

func TestEveryNameGivesAClient(t *testing.T) {
	for _, name := range Names() {
		c, err := New(Config{Provider: name, Model: "m", APIKey: "k", BaseURL: map[bool]string{true: "https://x.openai.azure.com"}[name == "azure"]})
		if err != nil || llm.Describe(c).Provider == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := New(Config{Provider: "nobody"}); err == nil || !strings.Contains(err.Error(), "anthropic") {
		t.Errorf("got %v", err)
	}
}
