package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/llmtest"
	"github.com/seed-4bdb41d0/webhand/llm/openai"
)

func TestMistakesInTheConfigurationAreNamed(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "")
	t.Setenv("GROQ_API_KEY", "")
	for _, tt := range []struct {
		name string
		cfg  openai.Config
		kind error
		want string
	}{
		{"no model", openai.Config{APIKey: "k"}, llm.ErrBadRequest, "Config.Model"},
		{"no key", openai.Config{Model: "m"}, llm.ErrAuth, "OPENAI_API_KEY"},
		{"no key of another", openai.Config{Model: "m", BaseURL: "https://api.groq.com/openai/v1"}, llm.ErrAuth, "GROQ_API_KEY"},
		{"no scheme", openai.Config{Model: "m", APIKey: "k", BaseURL: "localhost:11434/v1"}, llm.ErrBadRequest, "scheme"},
		{"not a URL", openai.Config{Model: "m", APIKey: "k", BaseURL: "http://u:secret@[::1"}, llm.ErrBadRequest, "BaseURL"},
		{"field that is no JSON", openai.Config{Model: "m", APIKey: "k", Extra: map[string]any{"f": func() {}}}, llm.ErrBadRequest, `Extra["f"]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := openai.New(tt.cfg).Complete(t.Context(), ask())
			var e *llm.Error
			if !errors.As(err, &e) || e.Kind != tt.kind || !strings.Contains(err.Error(), tt.want) || e.Temporary() || strings.Contains(err.Error(), "secret") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestKeyOfOneProviderIsNotSentToAnother(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-test-key-of-openai")
	s := llmtest.NewServer(t, llmtest.ServerConfig{Answer: func(*llmtest.Request) llmtest.Answer { return llmtest.Text(good) }})
	_, err := openai.New(openai.Config{Model: "m", BaseURL: s.OpenAI()}).Complete(t.Context(), ask())
	if !errors.Is(err, llm.ErrAuth) { // the server wants some key and must have got none
		t.Errorf("got %v", err)
	}
	assertNoKey(t, err)
}

func TestUnreachableEndpointIsSaidAtOnce(t *testing.T) {
	for _, tt := range []struct{ url, want string }{
		{"http://127.0.0.1:1/v1", "nothing listens at 127.0.0.1:1"},
		{"http://no-such-host.invalid/v1", "no-such-host.invalid"},
	} {
		_, err := openai.New(openai.Config{Model: "m", APIKey: "sk-test-key-0123456789", BaseURL: tt.url}).Complete(t.Context(), ask())
		var e *llm.Error
		if !errors.As(err, &e) || e.Kind != llm.ErrServer || e.Code != "unreachable" || !strings.Contains(e.Message, tt.want) {
			t.Errorf("%s: got %v", tt.url, err)
		}
	}
}

func TestPlainHTTPServerBehindAnHTTPSURL(t *testing.T) {
	s := llmtest.NewServer(t, llmtest.ServerConfig{})
	_, err := openai.New(openai.Config{Model: "m", APIKey: "k", BaseURL: strings.Replace(s.OpenAI(), "http:", "https:", 1)}).Complete(t.Context(), ask())
	var e *llm.Error
	if !errors.As(err, &e) || !e.Permanent || !strings.Contains(e.Message, "http://") {
		t.Errorf("got %v", err)
	}
}

func TestWrongPathIsExplained(t *testing.T) {
	s := llmtest.NewServer(t, llmtest.ServerConfig{Answer: func(*llmtest.Request) llmtest.Answer { return llmtest.Text(good) }})
	_, err := newClient(s, func(c *openai.Config) { c.BaseURL = s.URL }).Complete(t.Context(), ask())
	if !errors.Is(err, llm.ErrBadRequest) || !strings.Contains(err.Error(), "/chat/completions") || !strings.Contains(err.Error(), "/v1") {
		t.Errorf("got %v", err)
	}
	for _, pasted := range []string{"/v1/", "/v1/chat/completions", "/v1/chat/completions/"} {
		if _, err := newClient(s, func(c *openai.Config) { c.BaseURL = s.URL + pasted }).Complete(t.Context(), ask()); err != nil {
			t.Errorf("%s is not forgiven: %v", pasted, err)
		}
	}
}

func TestKeyIsNeverPrinted(t *testing.T) {
	cfg := openai.Config{Model: "m", APIKey: "sk-test-key-0123456789", BaseURL: "http://user:sk-test-key-0123456789@127.0.0.1:1/v1"}
	c := openai.New(cfg)
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "cfg", cfg, "client", c)
	_, err := c.Complete(t.Context(), ask())
	assertNoKey(t, cfg, c, err, log.String())
}

func TestAzure(t *testing.T) {
	for _, tt := range []struct {
		name, base, path string
		azure            openai.Azure
		header           string
	}{
		{"deployment", "", "/openai/deployments/gpt-4.1-mini/chat/completions?api-version=2024-12-01-preview", openai.Azure{APIVersion: "2024-12-01-preview"}, "Api-Key"},
		{"named deployment", "", "/openai/deployments/mine/chat/completions?api-version=2025-01-01", openai.Azure{Deployment: "mine", APIVersion: "2025-01-01"}, "Api-Key"},
		{"pasted URL", "/openai/deployments/old/chat/completions", "/openai/deployments/mine/chat/completions?api-version=2024-12-01-preview", openai.Azure{Deployment: "mine"}, "Api-Key"},
		{"token", "", "/openai/deployments/mine/chat/completions?api-version=2024-12-01-preview", openai.Azure{Deployment: "mine", Token: "entra-token-0123456789"}, "Authorization"},
		{"new paths", "/openai/v1", "/openai/v1/chat/completions", openai.Azure{Deployment: "mine"}, "Api-Key"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := llmtest.NewServer(t, llmtest.ServerConfig{Answers: []llmtest.Answer{llmtest.Text(good)}})
			c := newClient(s, func(c *openai.Config) { c.BaseURL, c.Azure = s.Azure()+tt.base, tt.azure })
			resp, err := c.Complete(t.Context(), ask())
			if err != nil || resp.Provider != "azure" {
				t.Fatalf("%+v, %v", resp, err)
			}
			r := s.Requests()[0]
			if r.Path != tt.path || r.Header.Get(tt.header) == "" {
				t.Errorf("path %s, header %v", r.Path, r.Header)
			}
			if tt.header == "Api-Key" && r.Header.Get("Authorization") != "" {
				t.Error("the key is sent as a bearer token as well")
			}
		})
	}
}

func TestEndpointsHaveWhatTheyNeed(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range openai.Endpoints() {
		if e.Name == "" || e.Host == "" || e.Dialect == "" || e.Profile.TokenParam == "" || (!e.NoKey && len(e.KeyVars) == 0) {
			t.Errorf("incomplete: %+v", e)
		}
		if seen[e.Host] {
			t.Errorf("host %s twice", e.Host)
		}
		seen[e.Host] = true
	}
}

func TestWhatIsSentFollowsEndpointAndModel(t *testing.T) {
	var got *http.Request
	var sent []byte
	capture := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		got = r
		sent = readAll(t, r)
		return nil, context.Canceled
	})}
	for _, tt := range []struct {
		name    string
		cfg     openai.Config
		url     string
		has     []string
		hasNot  []string
		dialect llm.Dialect
	}{
		{"OpenAI", openai.Config{Model: "gpt-4.1"}, "https://api.openai.com/v1/chat/completions", []string{`"json_schema"`, `"max_completion_tokens":9`, `"temperature":0`, `"prompt_cache_key":"s"`}, []string{`"max_tokens"`}, llm.OpenAIStrict},
		{"OpenAI that thinks", openai.Config{Model: "gpt-5"}, "https://api.openai.com/v1/chat/completions", []string{`"reasoning_effort":"low"`}, []string{`"temperature"`}, llm.OpenAIStrict},
		{"old OpenAI", openai.Config{Model: "gpt-4-turbo-2024-04-09"}, "", []string{`"tool_choice":{"type":"function"`}, []string{`"json_schema"`, `reasoning_effort`}, llm.OpenAIStrict},
		{"DeepSeek", openai.Config{Model: "deepseek-chat", BaseURL: "https://api.deepseek.com"}, "https://api.deepseek.com/v1/chat/completions", []string{`"tool_choice":{"type":"function"`, `"max_tokens":9`, "takes no images"}, []string{`image_url`, `prompt_cache_key`}, llm.OpenAIStrict},
		{"DeepSeek that thinks", openai.Config{Model: "deepseek-reasoner", BaseURL: "https://api.deepseek.com/v1"}, "", []string{`"tool_choice":"auto"`}, []string{`"temperature"`}, llm.OpenAIStrict},
		{"Ollama", openai.Config{Model: "llama3.2-vision", BaseURL: "http://localhost:11434/v1"}, "http://localhost:11434/v1/chat/completions", []string{`"json_schema"`, "Actions: click(index)", `image_url`}, nil, llm.LlamaCpp},
		{"llama.cpp", openai.Config{Model: "gemma-2-9b-it", BaseURL: "http://127.0.0.1:8080/v1"}, "", []string{`"json_schema"`, "Actions: click(index)"}, nil, llm.LlamaCpp},
		{"OpenRouter to Anthropic", openai.Config{Model: "anthropic/claude-sonnet-4.5", BaseURL: "https://openrouter.ai/api/v1"}, "https://openrouter.ai/api/v1/chat/completions", []string{`"cache_control":{"type":"ephemeral"}`, `"max_tokens":9`}, []string{`"json_schema"`}, llm.Anthropic},
		{"OpenRouter to Google", openai.Config{Model: "google/gemini-2.5-flash", BaseURL: "https://openrouter.ai/api/v1"}, "", []string{`"json_schema"`}, []string{`"cache_control"`}, llm.Gemini},
		{"unknown", openai.Config{Model: "x", BaseURL: "https://llm.example.test/v1"}, "https://llm.example.test/v1/chat/completions", []string{`"json_schema"`, `"max_tokens":9`}, []string{`"cache_control"`}, llm.OpenAIStrict},
		{"overridden", openai.Config{Model: "gpt-5", Dialect: llm.LlamaCpp, Profile: openai.Profile{Start: llm.RungObject, TokenParam: "max_tokens", Sampling: llm.Yes, Vision: llm.No}}, "", []string{`"json_object"`, `"max_tokens":9`, `"temperature":0`, "takes no images"}, []string{`image_url`}, llm.LlamaCpp},
		{"extra fields", openai.Config{Model: "x", Extra: map[string]any{"temperature": 0.7, "provider": map[string]any{"order": []string{"a"}}}}, "", []string{`"temperature":0.7`, `"provider":{"order":["a"]}`}, []string{`"temperature":0,`}, llm.OpenAIStrict},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.cfg.APIKey, tt.cfg.HTTPClient = "sk-test-key-0123456789", capture
			req := ask()
			var asked llm.Dialect
			schema := req.Format.Schema
			req.Format.Schema = func(d llm.Dialect) (json.RawMessage, error) { asked = d; return schema(d) }
			req.Temperature, req.MaxTokens, req.ReasoningEffort, req.Session = ptr(0.0), ptr(9), "low", "s"
			req.Messages[0].CacheEnd = true
			req.Messages[1].Parts = append(req.Messages[1].Parts, llm.Part{Image: &llm.Image{Data: png}})
			if _, err := openai.New(tt.cfg).Complete(t.Context(), req); err == nil {
				t.Fatal("no error from a dead transport")
			}
			if tt.url != "" && got.URL.String() != tt.url {
				t.Errorf("URL %s", got.URL)
			}
			if asked != tt.dialect {
				t.Errorf("dialect %s, want %s", asked, tt.dialect)
			}
			for _, s := range tt.has {
				if !strings.Contains(string(sent), s) {
					t.Errorf("lacks %s: %s", s, sent)
				}
			}
			for _, s := range tt.hasNot {
				if strings.Contains(string(sent), s) {
					t.Errorf("has %s: %s", s, sent)
				}
			}
		})
	}
}

func TestTooLongAPromptIsNotSent(t *testing.T) {
	s := llmtest.NewServer(t, llmtest.ServerConfig{})
	req := ask()
	req.Messages = append(req.Messages, llm.User(strings.Repeat("word ", 20000)))
	c := newClient(s, func(c *openai.Config) { c.Profile.ContextWindow = 8192 })
	_, err := c.Complete(t.Context(), req)
	var e *llm.Error
	if !errors.Is(err, llm.ErrContextLength) || !errors.As(err, &e) || e.TokenLimit != 8192 || len(s.Requests()) != 0 {
		t.Errorf("%v after %d requests", err, len(s.Requests()))
	}
}

func TestCallersDeadlineIsNotTheAttempts(t *testing.T) {
	s := llmtest.NewServer(t, llmtest.ServerConfig{Answer: func(*llmtest.Request) llmtest.Answer {
		return llmtest.Answer{Fault: &llmtest.Fault{Hang: true}}
	}})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := newClient(s, nil).Complete(ctx, ask())
	if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, llm.ErrTimeout) {
		t.Errorf("got %v", err)
	}
}
