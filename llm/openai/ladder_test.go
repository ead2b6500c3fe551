package openai_test

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/llmtest"
	"github.com/seed-4bdb41d0/webhand/llm/openai"
)

func TestRefusedMethodCostsOneRequestAndIsRemembered(t *testing.T) {
	s := llmtest.NewServer(t, llmtest.ServerConfig{
		Answer: func(*llmtest.Request) llmtest.Answer { return llmtest.Text(good) },
		Refuse: []string{llm.RungSchema},
	})
	c := newClient(s, nil)
	for n, want := range []int{2, 3, 4} { // one more than the calls
		resp, err := c.Complete(t.Context(), ask())
		if err != nil || resp.Rung != llm.RungTool || resp.Text != good {
			t.Fatalf("call %d: %+v, %v", n, resp, err)
		}
		if got := len(s.Requests()); got != want {
			t.Errorf("call %d: %d requests, want %d", n, got, want)
		}
	}
}

func TestLadderGoesDownToWords(t *testing.T) {
	all := []string{llm.RungSchema, llm.RungTool, llm.RungAutoTool, llm.RungObject}
	for i, want := range []string{llm.RungTool, llm.RungAutoTool, llm.RungObject, llm.RungPrompt} {
		s := llmtest.NewServer(t, llmtest.ServerConfig{
			Answer: func(*llmtest.Request) llmtest.Answer {
				return llmtest.Text("Here you are:\n```json\n" + good + "\n```")
			},
			Refuse: all[:i+1],
		})
		resp, err := newClient(s, nil).Complete(t.Context(), ask())
		if err != nil || resp.Rung != want || resp.Text != good {
			t.Fatalf("refusing %v: %+v, %v", all[:i+1], resp, err)
		}
		if got := len(s.Requests()); got != i+2 {
			t.Errorf("refusing %v: %d requests, want %d", all[:i+1], got, i+2)
		}
		last := s.Requests()[i+1]
		if words := want == llm.RungObject || want == llm.RungPrompt; words != strings.Contains(last.Text(), "Actions: click(index)") {
			t.Errorf("%s: the words of the actions in the prompt: %v", want, !words)
		}
		if len(resp.Notes) == 0 {
			t.Errorf("%s: nothing says what was refused", want)
		}
	}
}

func TestRefusalsInTheWordsOfProviders(t *testing.T) {
	for _, tt := range []struct{ name, rung, message, want string }{
		{"DeepSeek", llm.RungSchema, "This response_format type is unavailable now", llm.RungTool},
		{"Groq", llm.RungSchema, "This model does not support response format `json_schema`. See supported models", llm.RungTool},
		{"unavailable", llm.RungSchema, "json_schema is unavailable", llm.RungTool},
		{"llama.cpp", llm.RungSchema, "failed to parse grammar", llm.RungTool},
		{"OpenRouter", llm.RungSchema, "No endpoints found that can handle the requested parameters.", llm.RungTool},
		{"says nothing", llm.RungSchema, "Bad Request", llm.RungTool},
		{"OpenRouter, opaque", llm.RungSchema, "Provider returned error", llm.RungTool},
		{"Ollama", llm.RungTool, "registry.ollama.ai/library/gemma3 does not support tools", llm.RungObject},
		{"Anthropic", llm.RungTool, "Thinking may not be enabled when tool_choice forces tool use.", llm.RungAutoTool},
		{"DashScope", llm.RungTool, "The tool_choice parameter does not support being set to required or object in thinking mode", llm.RungAutoTool},
		{"vLLM", llm.RungAutoTool, `"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set`, llm.RungObject},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := llmtest.NewServer(t, llmtest.ServerConfig{
				Answer: func(*llmtest.Request) llmtest.Answer { return llmtest.Text(good) },
				Check: func(r *llmtest.Request) string {
					if r.Rung == tt.rung {
						return tt.message
					}
					return ""
				},
			})
			c := newClient(s, func(c *openai.Config) { c.Profile.Start = tt.rung })
			resp, err := c.Complete(t.Context(), ask())
			if err != nil || resp.Rung != tt.want || len(s.Requests()) != 2 {
				t.Errorf("rung %+v after %d requests, %v; want %s after 2", resp, len(s.Requests()), err, tt.want)
			}
		})
	}
}

func TestRefusedSettingIsLeftOutFromThenOn(t *testing.T) {
	for _, tt := range []struct {
		name, message string
		change        func(*llm.Request)
		gone          string
	}{
		{"temperature", "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.", func(r *llm.Request) { r.Temperature = ptr(0.2) }, `"temperature"`},
		{"max_tokens", "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", func(r *llm.Request) { r.MaxTokens = ptr(50) }, `"max_tokens"`},
		{"reasoning_effort", "Unrecognized request argument supplied: reasoning_effort", func(r *llm.Request) { r.ReasoningEffort = "low" }, `"reasoning_effort"`},
		{"seed", "extra fields not permitted: seed", func(r *llm.Request) { r.Seed = ptr(1) }, `"seed"`},
		{"image", "messages[1]: unknown variant `image_url`, expected `text`", func(r *llm.Request) {
			r.Messages[1].Parts = append(r.Messages[1].Parts, llm.Part{Image: &llm.Image{Data: png}})
		}, `image_url`},
		{"system role", "System role not supported", func(*llm.Request) {}, `"system"`},
		{"roles", "Conversation roles must alternate user/assistant/user/assistant/...", func(r *llm.Request) { r.Messages = append(r.Messages, llm.User("And then?")) }, `}},{"role":"user"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			gone := func(body []byte) bool {
				if tt.name == "roles" {
					return strings.Count(string(body), `"role":"user"`) == 1
				}
				return !strings.Contains(string(body), tt.gone)
			}
			s := llmtest.NewServer(t, llmtest.ServerConfig{
				Answer: func(*llmtest.Request) llmtest.Answer { return llmtest.Text(good) },
				Check: func(r *llmtest.Request) string {
					if !gone(r.Body) {
						return tt.message
					}
					return ""
				},
			})
			c := newClient(s, func(c *openai.Config) { c.Model = "some-model" })
			for n, want := range []int{2, 3} {
				req := ask()
				tt.change(req)
				resp, err := c.Complete(t.Context(), req)
				if err != nil {
					t.Fatal(err)
				}
				if got := len(s.Requests()); got != want {
					t.Errorf("call %d: %d requests, want %d", n, got, want)
				}
				if resp.Rung != llm.RungSchema {
					t.Errorf("the refusal of a setting cost the method: %s", resp.Rung)
				}
				if len(resp.Notes) == 0 {
					t.Error("nothing says what was left out")
				}
			}
		})
	}
}

// png is the smallest picture that is told as one.
var png = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")

func TestValueOutOfRangeIsTheCallersMistake(t *testing.T) {
	s := llmtest.NewServer(t, llmtest.ServerConfig{
		Check: func(*llmtest.Request) string {
			return "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 3 instead."
		},
	})
	req := ask()
	req.Temperature = ptr(1.9)
	if _, err := newClient(s, nil).Complete(t.Context(), req); !errors.Is(err, llm.ErrBadRequest) || len(s.Requests()) != 1 {
		t.Errorf("%v after %d requests", err, len(s.Requests()))
	}
}

func TestOtherFailuresDoNotMoveTheLadder(t *testing.T) {
	for _, a := range []llmtest.Answer{
		llmtest.RateLimited(0), llmtest.Status(500, "x", "The server had an error"), llmtest.Status(401, "x", "no"),
		llmtest.Status(404, "model_not_found", "The model `x` does not support response_format; no such model"),
		llmtest.Text("prose"),
	} {
		s := llmtest.NewServer(t, llmtest.ServerConfig{Answers: []llmtest.Answer{a, llmtest.Text(good)}})
		c := newClient(s, nil)
		if _, err := c.Complete(t.Context(), ask()); err == nil {
			t.Fatalf("%+v: no error", a)
		}
		resp, err := c.Complete(t.Context(), ask())
		if err != nil || resp.Rung != llm.RungSchema {
			t.Errorf("after %+v: %+v, %v", a, resp, err)
		}
	}
}

func TestServerThatIgnoresTheMethodIsNotAskedForItForever(t *testing.T) {
	s := llmtest.NewServer(t, llmtest.ServerConfig{Answer: func(r *llmtest.Request) llmtest.Answer {
		if r.Rung == llm.RungSchema {
			return llmtest.Text("Sure! I will click the button.")
		}
		return llmtest.Text(good)
	}})
	c := newClient(s, nil)
	for range 2 {
		if _, err := c.Complete(t.Context(), ask()); !errors.Is(err, llm.ErrMalformed) {
			t.Fatalf("got %v", err)
		}
	}
	resp, err := c.Complete(t.Context(), ask())
	if err != nil || resp.Rung != llm.RungTool || len(s.Requests()) != 3 {
		t.Errorf("%+v, %v after %d requests", resp, err, len(s.Requests()))
	}
}

func TestManyFirstCallsAtOnceMoveOneRung(t *testing.T) {
	s := llmtest.NewServer(t, llmtest.ServerConfig{
		Answer: func(*llmtest.Request) llmtest.Answer { return llmtest.Text(good) },
		Refuse: []string{llm.RungSchema},
	})
	c := newClient(s, nil)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if resp, err := c.Complete(t.Context(), ask()); err != nil || resp.Rung != llm.RungTool {
				t.Errorf("%+v, %v", resp, err)
			}
		})
	}
	wg.Wait()
}

func TestInvalidStrictSchemaIsRefusedByTheServerAndSaid(t *testing.T) {
	// A server that is not told to fail the test: its rules are the subject.
	s, err := llmtest.Serve(llmtest.ServerConfig{Answer: func(*llmtest.Request) llmtest.Answer { return llmtest.Text(good) }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	req := ask()
	req.Format.Schema = func(llm.Dialect) (json.RawMessage, error) {
		return json.RawMessage(`{"type":"object","properties":{"memory":{"type":"string"},"action":{"type":"array","items":{"type":"object","properties":{},"additionalProperties":false}}},"required":["action"],"additionalProperties":false}`), nil
	}
	resp, err := newClient(s, nil).Complete(t.Context(), req)
	if err != nil || len(s.Refused()) != 1 || !strings.Contains(s.Refused()[0], "Missing 'memory'") || !strings.Contains(strings.Join(resp.Notes, " "), "Missing 'memory'") {
		t.Errorf("%+v, %v, refused %q", resp, err, s.Refused())
	}
}

func TestSchemaThatSaysNothingIsNotSent(t *testing.T) {
	for _, schema := range []string{
		`{"$schema":"https://json-schema.org/draft/2020-12/schema"}`, `{"type":"object","properties":{}}`, `{"type":"object"}`, `true`, `{`,
		`{"type":"object","properties":{"action":{"type":"array","items":{"anyOf":[]}}}}`,
	} {
		s := llmtest.NewServer(t, llmtest.ServerConfig{})
		req := ask()
		req.Format.Schema = func(llm.Dialect) (json.RawMessage, error) { return json.RawMessage(schema), nil }
		_, err := newClient(s, nil).Complete(t.Context(), req)
		if !errors.Is(err, llm.ErrBadRequest) || len(s.Requests()) != 0 {
			t.Errorf("%s: %v after %d requests", schema, err, len(s.Requests()))
		}
	}
}

func TestSchemaThatCannotBeStrictIsNotCalledStrict(t *testing.T) {
	s := llmtest.NewServer(t, llmtest.ServerConfig{Answers: []llmtest.Answer{llmtest.Text(good)}})
	req := ask()
	req.Format.Strict = func(llm.Dialect) bool { return false }
	if _, err := newClient(s, nil).Complete(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(s.Requests()[0].Body), `"strict"`) {
		t.Errorf("body %s", s.Requests()[0].Body)
	}
}
