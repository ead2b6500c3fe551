package llmtest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/llmtest"
	"github.com/seed-4bdb41d0/webhand/llm/openai"
)

const answer = `{"memory":"m","action":[{"click":{"index":7}}]}`

func ask(text string) *llm.Request {
	return &llm.Request{Messages: []llm.Message{llm.System("s"), llm.User(text)}, Format: llmtest.ConformFormat()}
}

func client(s *llmtest.Server) llm.Client {
	return openai.New(openai.Config{Model: "gpt-4.1-mini", APIKey: "sk-key-0123456789abcdef", BaseURL: s.OpenAI()})
}

func TestScriptReadsAnswersAsAProviderDoes(t *testing.T) {
	s := &llmtest.Script{Answers: []llmtest.Answer{
		llmtest.Text("```json\n" + answer + "\n```"), llmtest.Text("prose"), {Text: answer, Finish: llm.FinishLength}, {Refusal: "no"},
		llmtest.Status(429, "insufficient_quota", "x"), llmtest.RateLimited(time.Second), llmtest.Fail(errors.ErrUnsupported),
	}}
	resp, err := s.Complete(t.Context(), ask("a"))
	if err != nil || resp.Text != answer || resp.Usage.Total() == 0 {
		t.Errorf("%+v, %v", resp, err)
	}
	for _, want := range []error{llm.ErrMalformed, llm.ErrTruncated, llm.ErrRefusal, llm.ErrQuota, llm.ErrRateLimit, errors.ErrUnsupported, llm.ErrBadRequest} {
		if _, err := s.Complete(t.Context(), ask("a")); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
	if s.Calls() != 8 || s.Last().Messages[1].Text() != "a" {
		t.Errorf("%d calls", s.Calls())
	}
}

func TestScriptKeepsTheContract(t *testing.T) {
	llmtest.TestClient(t, &llmtest.Script{Func: func(int, *llm.Request) llmtest.Answer { return llmtest.Text(answer) }})
}

func TestRecordedRunReplays(t *testing.T) {
	key := "sk-live-0123456789abcdef"
	live := &llmtest.Script{Answers: []llmtest.Answer{
		{Text: answer, Usage: &llm.Usage{Input: 100, Cached: 20, Output: 9}},
		llmtest.RateLimited(7 * time.Second), llmtest.Text("prose, with " + key), {Text: answer, Finish: llm.FinishLength}, {Refusal: "no"},
	}}
	var file bytes.Buffer
	rec := llmtest.NewRecorder(live, &file, "hunter2")
	type result struct {
		resp *llm.Response
		err  error
	}
	run := func(c llm.Client) (out []result) {
		for range 5 {
			req := ask("my password is hunter2 and my key " + key)
			req.Messages[1].Parts = append(req.Messages[1].Parts, llm.Part{Image: &llm.Image{MIME: "image/png", Data: []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")}})
			resp, err := c.Complete(t.Context(), req)
			out = append(out, result{resp, err})
		}
		return out
	}
	want := run(rec)
	if rec.Err() != nil {
		t.Fatal(rec.Err())
	}
	if s := file.String(); strings.Contains(s, key) || strings.Contains(s, "hunter2") || strings.Contains(s, "iVBOR") {
		t.Errorf("the recording shows a secret or an image: %s", s)
	}
	list, err := llmtest.ReadRecording(&file)
	if err != nil || len(list) != 5 {
		t.Fatalf("%d exchanges, %v", len(list), err)
	}
	s := llmtest.NewServer(t, llmtest.ServerConfig{Recording: list})
	got := run(client(s))
	for i := range want {
		w, g := want[i], got[i]
		if (w.err == nil) != (g.err == nil) || w.err == nil && (w.resp.Text != g.resp.Text || w.resp.Usage != g.resp.Usage) {
			t.Errorf("call %d: %+v, %v; recorded %+v, %v", i, g.resp, g.err, w.resp, w.err)
		}
		var we, ge *llm.Error
		if errors.As(w.err, &we) && errors.As(g.err, &ge) && (we.Kind != ge.Kind || we.RetryAfter != ge.RetryAfter) {
			t.Errorf("call %d: %v, recorded %v", i, ge, we)
		}
	}
	if s.Unused() != 0 {
		t.Errorf("%d exchanges are left", s.Unused())
	}
}

func TestRecordingFindsWhatTheAnswerRefersTo(t *testing.T) {
	list, err := llmtest.ReadRecording(strings.NewReader(`[
		{"request":{"last_contains":["Checkout"],"lacks":["Thanks"],"capture":{"pay":"\\[(\\d+)\\]<button>Pay"}},"response":{"text":"{\"action\":[{\"click\":{\"index\":${pay}}}]}"}},
		{"request":{"contains":["shop"]},"response":{"text":"{\"action\":[]}"}}
	]`))
	if err != nil {
		t.Fatal(err)
	}
	s, err := llmtest.Serve(llmtest.ServerConfig{Recording: list})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, step := range []struct{ page, want string }{
		{"shop", `{"action":[]}`},
		{"Checkout [9]<button>Back [31]<button>Pay", `{"action":[{"click":{"index":31}}]}`},
	} {
		resp, err := client(s).Complete(t.Context(), ask(step.page))
		if err != nil || resp.Text != step.want {
			t.Errorf("%s: %+v, %v", step.page, resp, err)
		}
	}
	_, err = client(s).Complete(t.Context(), ask("shop"))
	if !errors.Is(err, llm.ErrBadRequest) || !strings.Contains(err.Error(), "2 of 2 exchanges used") || len(s.Refused()) != 1 {
		t.Errorf("got %v", err)
	}
}

func TestMistakesInARecordingAreNamed(t *testing.T) {
	for _, tt := range []struct{ file, want string }{
		{``, "no exchanges"},
		{`{"request":{"contain":["x"]},"response":{}}`, "contain"},
		{`{"request":`, "value 1"},
		{`[{"request":{"capture":{"a":"("}},"response":{}}]`, `capture "a"`},
		{`[{"request":{"capture":{"a":"no group"}},"response":{}}]`, "one group"},
	} {
		list, err := llmtest.ReadRecording(strings.NewReader(tt.file))
		if err == nil {
			var s *llmtest.Server
			if s, err = llmtest.Serve(llmtest.ServerConfig{Recording: list}); err == nil {
				s.Close()
			}
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.file, err, tt.want)
		}
	}
}

// post sends a body as it is.
func post(t *testing.T, s *llmtest.Server, path string, header map[string]string, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range header {
		req.Header.Set(k, v)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var b bytes.Buffer
	_, _ = b.ReadFrom(resp.Body)
	return resp.StatusCode, b.String()
}

func TestServerRefusesWhatTheProvidersDo(t *testing.T) {
	s, err := llmtest.Serve(llmtest.ServerConfig{Answer: func(*llmtest.Request) llmtest.Answer { return llmtest.Text("hi") }, Models: []string{"m", "o3"}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	strict := func(schema string) string {
		return `{"model":"m","messages":[{"role":"user","content":"x"}],"response_format":{"type":"json_schema","json_schema":{"name":"n","strict":true,"schema":` + schema + `}}}`
	}
	openAI := map[string]string{"Authorization": "Bearer k"}
	claude := map[string]string{"X-Api-Key": "k", "Anthropic-Version": "2023-06-01"}
	google := map[string]string{"X-Goog-Api-Key": "k"}
	for _, tt := range []struct {
		name, path string
		header     map[string]string
		body       string
		status     int
		want       string
	}{
		{"no key", "/v1/chat/completions", nil, `{}`, 401, "API key"},
		{"no JSON", "/v1/chat/completions", openAI, `{`, 400, "parse the JSON"},
		{"no model", "/v1/chat/completions", openAI, `{"messages":[]}`, 400, "model parameter"},
		{"no messages", "/v1/chat/completions", openAI, `{"model":"m"}`, 400, "messages"},
		{"no such model", "/v1/chat/completions", openAI, `{"model":"x","messages":[{"role":"user","content":"x"}]}`, 404, "does not exist"},
		{"role", "/v1/chat/completions", openAI, `{"model":"m","messages":[{"role":"robot","content":"x"}]}`, 400, "messages[0].role"},
		{"null content", "/v1/chat/completions", openAI, `{"model":"m","messages":[{"role":"user","content":[]}]}`, 400, "content"},
		{"image that is none", "/v1/chat/completions", openAI, `{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,aGk="}}]}]}`, 400, "Invalid image"},
		{"image of the system", "/v1/chat/completions", openAI, `{"model":"m","messages":[{"role":"system","content":[{"type":"image_url","image_url":{"url":"x"}}]}]}`, 400, "role 'system'"},
		{"temperature", "/v1/chat/completions", openAI, `{"model":"m","messages":[{"role":"user","content":"x"}],"temperature":3}`, 400, "temperature"},
		{"max_tokens of a model that thinks", "/v1/chat/completions", openAI, `{"model":"o3","messages":[{"role":"user","content":"x"}],"max_tokens":3}`, 400, "max_completion_tokens"},
		{"json_object without the word", "/v1/chat/completions", openAI, `{"model":"m","messages":[{"role":"user","content":"x"}],"response_format":{"type":"json_object"}}`, 400, "word 'json'"},
		{"choice without tools", "/v1/chat/completions", openAI, `{"model":"m","messages":[{"role":"user","content":"x"}],"tool_choice":"auto"}`, 400, "tools"},
		{"tool that is no object", "/v1/chat/completions", openAI, `{"model":"m","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"array"}}}]}`, 400, "object"},
		{"name with a space", "/v1/chat/completions", openAI, `{"model":"m","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"a b","parameters":{"type":"object"}}}]}`, 400, "pattern"},
		{"strict: array at the root", "/v1/chat/completions", openAI, strict(`{"type":"array","items":{"type":"string"}}`), 400, "object"},
		{"strict: union at the root", "/v1/chat/completions", openAI, strict(`{"type":"object","anyOf":[{"type":"object"}]}`), 400, "root"},
		{"strict: open object", "/v1/chat/completions", openAI, strict(`{"type":"object","properties":{"a":{"type":"object","properties":{}}},"required":["a"],"additionalProperties":false}`), 400, "additionalProperties"},
		{"strict: optional property", "/v1/chat/completions", openAI, strict(`{"type":"object","properties":{"a":{"type":"string"}},"required":[],"additionalProperties":false}`), 400, "Missing 'a'"},
		{"strict: keyword", "/v1/chat/completions", openAI, strict(`{"type":"object","properties":{"a":{"type":"string","minLength":1}},"required":["a"],"additionalProperties":false}`), 400, "minLength"},
		{"strict: default", "/v1/chat/completions", openAI, strict(`{"type":"object","properties":{"a":{"type":"string","default":"x"}},"required":["a"],"additionalProperties":false}`), 400, "default"},
		{"strict: no type", "/v1/chat/completions", openAI, strict(`{"type":"object","properties":{"a":{}},"required":["a"],"additionalProperties":false}`), 400, "type"},
		{"strict: dangling reference", "/v1/chat/completions", openAI, strict(`{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"required":["a"],"additionalProperties":false}`), 400, "points nowhere"},
		{"strict: reference with company", "/v1/chat/completions", openAI, strict(`{"type":"object","properties":{"a":{"$ref":"#/$defs/x","type":"object"}},"required":["a"],"additionalProperties":false,"$defs":{"x":{"type":"string"}}}`), 400, "$ref"},
		{"strict: array without items", "/v1/chat/completions", openAI, strict(`{"type":"object","properties":{"a":{"type":"array"}},"required":["a"],"additionalProperties":false}`), 400, "items"},
		{"strict: fault in a definition", "/v1/chat/completions", openAI, strict(`{"type":"object","properties":{},"required":[],"additionalProperties":false,"$defs":{"x":{"type":"object","properties":{},"additionalProperties":true}}}`), 400, "$defs.x"},
		{"strict: good", "/v1/chat/completions", openAI, strict(`{"type":"object","properties":{"a":{"anyOf":[{"$ref":"#/$defs/x"},{"type":"null"}]},"b":{"type":["integer","null"],"minimum":0}},"required":["a","b"],"additionalProperties":false,"$defs":{"x":{"type":"object","properties":{},"required":[],"additionalProperties":false}}}`), 200, ""},
		{"Azure without a version", "/openai/deployments/m/chat/completions", map[string]string{"Api-Key": "k"}, `{}`, 400, "api-version"},

		{"Claude: no version", "/v1/messages", map[string]string{"X-Api-Key": "k"}, `{}`, 400, "anthropic-version"},
		{"Claude: no cap", "/v1/messages", claude, `{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"x"}]}]}`, 400, "max_tokens"},
		{"Claude: first message", "/v1/messages", claude, `{"model":"m","max_tokens":9,"messages":[{"role":"assistant","content":[{"type":"text","text":"x"}]}]}`, 400, "first message"},
		{"Claude: empty text", "/v1/messages", claude, `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":" "}]}]}`, 400, "non-empty"},
		{"Claude: forced while it thinks", "/v1/messages", claude, `{"model":"m","max_tokens":2000,"thinking":{"type":"enabled","budget_tokens":1024},"tools":[{"name":"t","input_schema":{"type":"object"}}],"tool_choice":{"type":"tool","name":"t"},"messages":[{"role":"user","content":[{"type":"text","text":"x"}]}]}`, 400, "forces tool use"},
		{"Claude: five markers", "/v1/messages", claude, fmt.Sprintf(`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[%s]}]}`, strings.TrimSuffix(strings.Repeat(`{"type":"text","text":"x","cache_control":{"type":"ephemeral"}},`, 5), ",")), 400, "maximum of 4"},

		{"Gemini: nothing", "/v1beta/models/m:generateContent", google, `{}`, 400, "contents"},
		{"Gemini: role", "/v1beta/models/m:generateContent", google, `{"contents":[{"role":"system","parts":[{"text":"x"}]}]}`, 400, "valid role"},
		{"Gemini: empty object", "/v1beta/models/m:generateContent", google, `{"contents":[{"role":"user","parts":[{"text":"x"}]}],"generationConfig":{"responseMimeType":"application/json","responseJsonSchema":{"type":"object","properties":{"a":{"type":"object","properties":{}}}}}}`, 400, "non-empty for OBJECT"},
		{"Gemini: keyword", "/v1beta/models/m:generateContent", google, `{"contents":[{"role":"user","parts":[{"text":"x"}]}],"generationConfig":{"responseMimeType":"application/json","responseJsonSchema":{"type":"object","properties":{"a":{"const":1}}}}}`, 400, `const`},
		{"Gemini: schema without its type", "/v1beta/models/m:generateContent", google, `{"contents":[{"role":"user","parts":[{"text":"x"}]}],"generationConfig":{"responseJsonSchema":{"type":"object"}}}`, 400, "mime"},
		{"another path", "/v1/embeddings", openAI, `{}`, 404, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, body := post(t, s, tt.path, tt.header, tt.body)
			if status != tt.status || !strings.Contains(strings.ReplaceAll(body, `\"`, `"`), tt.want) {
				t.Errorf("status %d: %s", status, body)
			}
			if status == 400 && !json.Valid([]byte(body)) {
				t.Errorf("not JSON: %s", body)
			}
		})
	}
}

func TestRefusedRequestFailsTheTest(t *testing.T) {
	tb := &fakeTB{}
	s := llmtest.NewServer(tb, llmtest.ServerConfig{})
	post(t, s, "/v1/chat/completions", map[string]string{"Authorization": "Bearer k"}, `{"model":"m"}`)
	tb.cleanup()
	if len(tb.errors) != 1 || !strings.Contains(tb.errors[0], "messages") {
		t.Errorf("errors %q", tb.errors)
	}
}

type fakeTB struct {
	cleanup func()
	errors  []string
}

func (f *fakeTB) Helper()           {}
func (f *fakeTB) Cleanup(fn func()) { f.cleanup = fn }
func (f *fakeTB) Errorf(format string, a ...any) {
	f.errors = append(f.errors, fmt.Sprintf(format, a...))
}
func (f *fakeTB) Fatalf(format string, a ...any) { panic(fmt.Sprintf(format, a...)) }

func TestCloseEndsWhatHangs(t *testing.T) {
	s, err := llmtest.Serve(llmtest.ServerConfig{Answer: func(*llmtest.Request) llmtest.Answer {
		return llmtest.Answer{Fault: &llmtest.Fault{Hang: true}}
	}})
	if err != nil {
		t.Fatal(err)
	}
	failed := make(chan error, 1)
	go func() {
		_, err := client(s).Complete(t.Context(), ask("x"))
		failed <- err
	}()
	for len(s.Requests()) == 0 {
		time.Sleep(time.Millisecond)
	}
	s.Close()
	if err := <-failed; !errors.Is(err, llm.ErrServer) {
		t.Errorf("got %v", err)
	}
}
