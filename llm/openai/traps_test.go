package openai_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/llmtest"
	"github.com/seed-4bdb41d0/webhand/llm/openai"
)

// The tests of this file are named after what go-openai does by itself.

// raw serves one fixed answer to the real client.
func raw(t *testing.T, h http.HandlerFunc) *openai.Client {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return openai.New(openai.Config{Model: "m", APIKey: "sk-test-key-0123456789", BaseURL: s.URL + "/v1", Timeout: 20 * time.Second})
}

func body(status int, contentType, s string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		fmt.Fprint(w, s)
	}
}

func TestZeroTemperatureAndTopPAreSent(t *testing.T) {
	s := llmtest.NewServer(t, llmtest.ServerConfig{Answers: []llmtest.Answer{llmtest.Text(good)}})
	req := ask()
	req.Temperature, req.TopP, req.Seed = ptr(0.0), ptr(0.0), ptr(0)
	if _, err := newClient(s, nil).Complete(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	var sent map[string]any
	if err := json.Unmarshal(s.Requests()[0].Body, &sent); err != nil {
		t.Fatal(err)
	}
	for _, k := range []string{"temperature", "top_p", "seed"} {
		if v, ok := sent[k]; !ok || v != 0.0 {
			t.Errorf("%s is %v, sent %v", k, v, ok)
		}
	}
}

func TestSettingsNotGivenAreNotSent(t *testing.T) {
	s := llmtest.NewServer(t, llmtest.ServerConfig{Answers: []llmtest.Answer{llmtest.Text(good)}})
	if _, err := newClient(s, nil).Complete(t.Context(), ask()); err != nil {
		t.Fatal(err)
	}
	var sent map[string]any
	if err := json.Unmarshal(s.Requests()[0].Body, &sent); err != nil {
		t.Fatal(err)
	}
	for k := range sent {
		switch k {
		case "model", "messages", "response_format":
		default:
			t.Errorf("%s is sent", k)
		}
	}
}

func TestErrorBodiesInAllShapes(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		want       string
	}{
		{"object", `{"error":{"message":"too big","type":"x","code":"c"}}`, "too big"},
		{"string", `{"error":"too big"}`, "too big"},
		{"number as code", `{"error":{"message":"too big","code":400}}`, "too big"},
		{"list of messages", `{"error":{"message":["too","big"]}}`, "too; big"},
		{"message beside", `{"object":"error","message":"too big","type":"BadRequestError","code":400}`, "too big"},
		{"FastAPI", `{"detail":[{"loc":["body","messages"],"msg":"too big"}]}`, "body; messages: too big"},
		{"list around it", `[{"error":{"code":400,"message":"too big","status":"INVALID_ARGUMENT"}}]`, "too big"},
		{"upstream's words", `{"error":{"message":"Provider returned error","metadata":{"raw":"{\"error\":{\"message\":\"too big\"}}"}}}`, "Provider returned error: too big"},
		{"web page", `<html><body><h1>Too</h1> big</body></html>`, "Too big"},
		{"array", `[]`, "[]"},
		{"empty", ``, "400 Bad Request"},
		{"plain", `too big`, "too big"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			req := ask()
			req.Format = nil
			_, err := raw(t, body(400, "application/json", tt.body)).Complete(t.Context(), req)
			var e *llm.Error
			if !errors.As(err, &e) || e.Status != 400 || e.Kind != llm.ErrBadRequest || !strings.Contains(e.Message, tt.want) {
				t.Errorf("got %#v, want %q", e, tt.want)
			}
		})
	}
}

func TestRetryAfterIsReadFromEveryHeader(t *testing.T) {
	soon := time.Now().Add(30 * time.Second).UTC()
	for _, tt := range []struct {
		name    string
		header  map[string]string
		message string
		least   time.Duration
	}{
		{"seconds", map[string]string{"Retry-After": "7"}, "", 7 * time.Second},
		{"fraction", map[string]string{"Retry-After": "0.5"}, "", 500 * time.Millisecond},
		{"milliseconds", map[string]string{"Retry-After-Ms": "1500", "Retry-After": "9"}, "", 1500 * time.Millisecond},
		{"date", map[string]string{"Retry-After": soon.Format(http.TimeFormat)}, "", 20 * time.Second},
		{"reset of the spent limit", map[string]string{
			"X-Ratelimit-Remaining-Requests": "12", "X-Ratelimit-Reset-Requests": "1h0m0s",
			"X-Ratelimit-Remaining-Tokens": "0", "X-Ratelimit-Reset-Tokens": "6m0s",
		}, "", 6 * time.Minute},
		{"epoch", map[string]string{"X-Ratelimit-Remaining": "0", "X-Ratelimit-Reset": fmt.Sprint(soon.UnixMilli())}, "", 20 * time.Second},
		{"in words", nil, "Rate limit reached. Please try again in 1m2.5s. Visit", 62500 * time.Millisecond},
		{"in words, short", nil, "Please try again in 350ms.", 350 * time.Millisecond},
		{"nothing", nil, "Slow down", 0},
		{"nonsense", map[string]string{"Retry-After": "soon"}, "", 0},
		{"negative", map[string]string{"Retry-After": "-5"}, "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := raw(t, func(w http.ResponseWriter, _ *http.Request) {
				for k, v := range tt.header {
					w.Header().Set(k, v)
				}
				w.WriteHeader(429)
				fmt.Fprintf(w, `{"error":{"message":%q,"code":"rate_limit_exceeded"}}`, tt.message)
			})
			_, err := c.Complete(t.Context(), ask())
			var e *llm.Error
			if !errors.As(err, &e) || e.Kind != llm.ErrRateLimit {
				t.Fatalf("got %v", err)
			}
			if e.RetryAfter < tt.least || e.RetryAfter > tt.least+11*time.Second || tt.least == 0 && e.RetryAfter != 0 {
				t.Errorf("retry after %v, want %v", e.RetryAfter, tt.least)
			}
		})
	}
}

// completion is an answer in a shape of its own.
func completion(message, finish string) string {
	return fmt.Sprintf(`{"model":"m-1","choices":[{"message":%s,"finish_reason":%s}],"usage":{"prompt_tokens":10,"completion_tokens":5}}`, message, finish)
}

func TestAnswersInOddShapes(t *testing.T) {
	args, _ := json.Marshal(good)
	twice, _ := json.Marshal(string(args))
	for _, tt := range []struct{ name, body string }{
		{"content as parts", completion(`{"content":[{"type":"text","text":"{\"memory\":\"m\","},{"type":"text","text":"\"action\":[{\"click\":{\"index\":7}}]}"}]}`, `"stop"`)},
		{"content as thinking and text parts", completion(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"{no}"}]},{"type":"text","text":`+string(args)+`}]}`, `"stop"`)},
		{"content as an object", completion(`{"content":`+good+`}`, `"stop"`)},
		{"arguments as a string", completion(`{"content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"agent_output","arguments":`+string(args)+`}}]}`, `"tool_calls"`)},
		{"arguments as an object", completion(`{"content":"","tool_calls":[{"function":{"name":"agent_output","arguments":`+good+`}}]}`, `"tool_calls"`)},
		{"arguments encoded twice", completion(`{"tool_calls":[{"function":{"name":"agent_output","arguments":`+string(twice)+`}}]}`, `"tool_calls"`)},
		{"the old function_call", completion(`{"function_call":{"name":"agent_output","arguments":`+string(args)+`}}`, `"function_call"`)},
		{"no finish reason", completion(`{"content":`+string(args)+`}`, `null`)},
		{"numbers where strings belong", `{"id":7,"created":1.5,"model":"m-1","choices":[{"index":"0","message":{"role":null,"content":` + string(args) + `,"refusal":null},"finish_reason":"eos"}],"usage":{"prompt_tokens":10.0,"completion_tokens":5,"prompt_tokens_details":null}}`},
		{"reasoning beside", completion(`{"content":`+string(args)+`,"reasoning":"{hm}"}`, `"stop"`)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			resp, err := raw(t, body(200, "application/json", tt.body)).Complete(t.Context(), ask())
			if err != nil {
				t.Fatal(err)
			}
			if resp.Text != good || resp.Usage.Total() != 15 || resp.Model != "m-1" {
				t.Errorf("got %+v", resp)
			}
		})
	}
}

func TestActionCalledAsIfItWereATool(t *testing.T) {
	resp, err := raw(t, body(200, "application/json", completion(`{"tool_calls":[{"function":{"name":"click","arguments":"{\"index\":7}"}}]}`, `"tool_calls"`))).Complete(t.Context(), ask())
	if err != nil || resp.Text != `{"action":[{"click":{"index":7}}]}` {
		t.Errorf("got %+v, %v", resp, err)
	}
}

func TestNoChoicesIsNotAnAnswer(t *testing.T) {
	for _, b := range []string{`{"choices":[]}`, `{"choices":null}`, `{"id":"x"}`, `{}`} {
		_, err := raw(t, body(200, "application/json", b)).Complete(t.Context(), ask())
		if !errors.Is(err, llm.ErrEmpty) {
			t.Errorf("%s: got %v", b, err)
		}
	}
}

func TestUpstreamErrorInsideAChoice(t *testing.T) {
	_, err := raw(t, body(200, "application/json", `{"choices":[{"error":{"message":"upstream died","code":502},"message":{"content":"{"},"finish_reason":"error"}]}`)).Complete(t.Context(), ask())
	if !errors.Is(err, llm.ErrServer) || !strings.Contains(err.Error(), "upstream died") {
		t.Errorf("got %v", err)
	}
}

func TestModelNamesAreNotJudgedHere(t *testing.T) {
	// go-openai refuses max_tokens and a temperature for some names, and lets
	// others fail at the server.
	for _, model := range []string{"o3", "gpt-5-mini", "gpt-6-sol"} {
		s := llmtest.NewServer(t, llmtest.ServerConfig{Answers: []llmtest.Answer{llmtest.Text(good)}})
		req := ask()
		req.MaxTokens, req.Temperature = ptr(100), ptr(0.2)
		resp, err := newClient(s, func(c *openai.Config) { c.Model = model }).Complete(t.Context(), req)
		if err != nil {
			t.Errorf("%s: %v", model, err)
			continue
		}
		if !strings.Contains(strings.Join(resp.Notes, ";"), "temperature") {
			t.Errorf("%s: nothing says that the temperature was left out: %q", model, resp.Notes)
		}
	}
}

func TestKeepAliveLinesAreNoEnd(t *testing.T) {
	args, _ := json.Marshal(good)
	c := raw(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for range 1000 {
			fmt.Fprint(w, ": keep-alive\n\n")
		}
		fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":{\"content\":%s},\"finish_reason\":\"stop\"}]}\n\n", args)
		fmt.Fprint(w, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4}}\n\ndata: [DONE]") // no newline at the end
	})
	req := ask()
	req.OnDelta = func(string) {}
	resp, err := c.Complete(t.Context(), req)
	if err != nil || resp.Text != good || resp.Usage.Total() != 7 {
		t.Errorf("got %+v, %v", resp, err)
	}
}

func TestStreamThatEndsInTheMiddle(t *testing.T) {
	for _, tt := range []struct {
		name, events string
		kind         error
	}{
		{"no finish reason, no end mark", `data: {"choices":[{"delta":{"content":"{\"memory\":\"m\",\"action\":[{\"click\":{\"index\":7}}]}"}}]}`, llm.ErrServer},
		{"nothing at all", ``, llm.ErrServer},
		{"error object", `data: {"error":{"message":"Rate limit exceeded","code":429}}`, llm.ErrRateLimit},
		{"error text", `data: {"error":"out of memory"}`, llm.ErrServer},
		{"finish reason error", `data: {"choices":[{"delta":{"content":"x"},"finish_reason":"error"}]}`, llm.ErrServer},
		{"not JSON", `data: {"choices":[{"delta":`, llm.ErrServer},
		{"token cap", `data: {"choices":[{"delta":{"content":"{}"},"finish_reason":"length"}]}`, llm.ErrTruncated},
	} {
		t.Run(tt.name, func(t *testing.T) {
			req := ask()
			req.OnDelta = func(string) {}
			_, err := raw(t, body(200, "text/event-stream", tt.events+"\n\n")).Complete(t.Context(), req)
			if !errors.Is(err, tt.kind) {
				t.Errorf("got %v, want %v", err, tt.kind)
			}
		})
	}
}

func TestEndpointThatDoesNotStream(t *testing.T) {
	args, _ := json.Marshal(good)
	req := ask()
	var got string
	req.OnDelta = func(s string) { got += s }
	resp, err := raw(t, body(200, "application/json", completion(`{"content":`+string(args)+`}`, `"stop"`))).Complete(t.Context(), req)
	if err != nil || resp.Text != good || got != good {
		t.Errorf("got %+v, %v, pieces %q", resp, err, got)
	}
}

func TestRedirectIsNotFollowed(t *testing.T) {
	// net/http would repeat the POST as a GET without a body.
	c := raw(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://elsewhere.test/login?token=secret", http.StatusFound)
	})
	_, err := c.Complete(t.Context(), ask())
	if !errors.Is(err, llm.ErrBadRequest) || !strings.Contains(err.Error(), "elsewhere.test/login") || strings.Contains(err.Error(), "token=") {
		t.Errorf("got %v", err)
	}
}
