package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	api "github.com/sashabaranov/go-openai"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/llmtest"
	"github.com/seed-4bdb41d0/webhand/memory/embed"
	"github.com/seed-4bdb41d0/webhand/memory/longterm"
	"github.com/seed-4bdb41d0/webhand/memory/serve"
	"github.com/seed-4bdb41d0/webhand/memory/sqlite"
)

var (
	ctx  = context.Background()
	anna = longterm.Scope{UserID: "anna"}
)

// endpoint is a chat completions API that keeps what it was asked.
type endpoint struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []map[string]any
	auth   string
	answer func(w http.ResponseWriter, stream bool)
}

func newEndpoint(t *testing.T) *endpoint {
	e := &endpoint{}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/models" {
			fmt.Fprint(w, `{"data":[{"id":"m"}]}`)
			return
		}
		var body map[string]any
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.URL.Path != "/v1/chat/completions" {
			http.Error(w, "no", http.StatusNotFound)
			return
		}
		e.mu.Lock()
		e.bodies = append(e.bodies, body)
		e.auth = r.Header.Get("Authorization")
		answer := e.answer
		e.mu.Unlock()
		stream, _ := body["stream"].(bool)
		if answer != nil {
			answer(w, stream)
			return
		}
		if !stream {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"id":"1","choices":[{"index":0,"message":{"role":"assistant","content":"You drink jasmine."},"finish_reason":"stop"}]}`)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, word := range []string{"You ", "drink ", "jasmine."} {
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", word)
			w.(http.Flusher).Flush()
		}
		fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(e.Close)
	return e
}

func (e *endpoint) last() map[string]any {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.bodies) == 0 {
		return nil
	}
	return e.bodies[len(e.bodies)-1]
}

// messages writes the messages that arrived as "role: content".
func (e *endpoint) messages() []string {
	var out []string
	for _, m := range e.last()["messages"].([]any) {
		m := m.(map[string]any)
		b, _ := json.Marshal(m["content"])
		out = append(out, fmt.Sprintf("%s: %s", m["role"], b))
	}
	return out
}

func newChat(t *testing.T, cfg Config, lc longterm.Config) *Chat {
	t.Helper()
	mem, err := sqlite.Open(ctx, ":memory:", lc)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := mem.Close(); err != nil {
			t.Error(err)
		}
	})
	cfg.Memory = mem
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *Chat) seed(t *testing.T, s longterm.Scope, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if _, err := c.cfg.Memory.Add(ctx, longterm.Text(text), longterm.AddOptions{Scope: s, NoInfer: true}); err != nil {
			t.Fatal(err)
		}
	}
}

func (c *Chat) texts(t *testing.T, s longterm.Scope) []string {
	t.Helper()
	if err := c.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	l, err := c.cfg.Memory.List(ctx, longterm.ListOptions{Scope: s})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, it := range l.Results {
		out = append(out, it.Memory)
	}
	slices.Sort(out)
	return out
}

// openProxy starts the proxy and returns the official-shaped client for it.
func openProxy(t *testing.T, c *Chat, up Upstream) (*api.Client, string) {
	t.Helper()
	h, err := c.Handler(up)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	cfg := api.DefaultConfig("callers-key")
	cfg.BaseURL = srv.URL + "/v1"
	return api.NewClientWithConfig(cfg), srv.URL
}

func ask(text string) []api.ChatCompletionMessage {
	return []api.ChatCompletionMessage{{Role: "user", Content: text}}
}

func TestProxyPutsMemoriesBeforeTheQuestion(t *testing.T) {
	e := newEndpoint(t)
	c := newChat(t, Config{Verbatim: true}, longterm.Config{})
	c.seed(t, anna, "Drinks jasmine tea", "Has a dog called Rex")
	c.seed(t, longterm.Scope{UserID: "bob"}, "Drinks black tea")
	client, _ := openProxy(t, c, Upstream{BaseURL: e.URL + "/v1/", APIKey: "upstream-key"})
	res, err := client.CreateChatCompletion(ctx, api.ChatCompletionRequest{Model: "m", User: "anna", Messages: ask("Which tea do I drink?"), Seed: new(int)})
	if err != nil || res.Choices[0].Message.Content != "You drink jasmine." {
		t.Fatalf("got %+v, %v", res, err)
	}
	got := e.messages()
	if len(got) != 2 || !strings.HasPrefix(got[0], `system: "You answer with the help of memories`) ||
		got[1] != `user: "- Relevant Memories/Facts: Drinks jasmine tea\n\n- User Question: Which tea do I drink?"` {
		t.Errorf("the endpoint read %q", got)
	}
	if e.auth != "Bearer upstream-key" || e.last()["seed"] != 0.0 || e.last()["model"] != "m" {
		t.Errorf("the endpoint got %v with %q", e.last(), e.auth)
	}
	if got := c.texts(t, anna); !slices.Contains(got, "Which tea do I drink?") || len(got) != 3 {
		t.Errorf("remembered %q: want the question as it was asked, without the memories", got)
	}
	if models, err := client.ListModels(ctx); err != nil || len(models.Models) != 1 {
		t.Errorf("models %+v, %v", models, err)
	}
}

func TestProxyStreams(t *testing.T) {
	e := newEndpoint(t)
	c := newChat(t, Config{Verbatim: true, StoreAnswers: true}, longterm.Config{})
	client, _ := openProxy(t, c, Upstream{BaseURL: e.URL + "/v1"})
	// The endpoint waits with its end until the client has read the beginning:
	// a proxy that collects the answer first would never finish.
	read := make(chan struct{})
	e.answer = func(w http.ResponseWriter, _ bool) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"You drink \"}}]}\n\n")
		w.(http.Flusher).Flush()
		<-read
		fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"jasmine.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}
	s, err := client.CreateChatCompletionStream(ctx, api.ChatCompletionRequest{Model: "m", User: "anna", Stream: true, Messages: ask("Which tea?")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var got strings.Builder
	for first := true; ; first = false {
		chunk, err := s.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got.WriteString(chunk.Choices[0].Delta.Content)
		if first {
			close(read)
		}
	}
	if got.String() != "You drink jasmine." {
		t.Errorf("streamed %q", got.String())
	}
	if e.auth != "Bearer callers-key" {
		t.Errorf("without a key of its own the proxy passed on %q", e.auth)
	}
	waitFor(t, func() bool { return len(c.texts(t, anna)) == 2 })
	if got := c.texts(t, anna); !slices.Equal(got, []string{"Which tea?", "You drink jasmine."}) {
		t.Errorf("remembered %q", got)
	}
}

// waitFor waits until ok, which the end of a response does not wait for.
func waitFor(t *testing.T, ok func() bool) {
	t.Helper()
	for !ok() {
		if t.Context().Err() != nil {
			t.Fatal("it never came true")
		}
	}
}

func TestProxyRequests(t *testing.T) {
	e := newEndpoint(t)
	c := newChat(t, Config{NoAdd: true}, longterm.Config{})
	c.seed(t, anna, "Drinks jasmine tea")
	_, url := openProxy(t, c, Upstream{BaseURL: e.URL + "/v1"})
	const known = `"- Relevant Memories/Facts: Drinks jasmine tea\n\n- User Question: which tea"`
	const image = `{"image_url":{"url":"data:image/png;base64,AA=="},"type":"image_url"}`
	for _, tt := range []struct {
		name, body string
		head       map[string]string
		status     int
		want       []string // messages, the system prompt of ours as S
	}{
		{"ids in the body", `{"user_id":"anna","run_id":null,"messages":[{"role":"user","content":"which tea"}]}`, nil, 200, []string{"S", "user: " + known}},
		{"ids in headers", `{"messages":[{"role":"user","content":"which tea"}]}`, map[string]string{HeaderUser: "anna"}, 200, []string{"S", "user: " + known}},
		{"a system prompt of the caller's stays alone", `{"user_id":"anna","messages":[{"role":"system","content":"mine"},{"role":"user","content":"which tea"}]}`, nil, 200,
			[]string{`system: "mine"`, "user: " + known}},
		{"an image stays", `{"user_id":"anna","messages":[{"role":"user","content":[{"type":"text","text":"which tea"},` + image + `]}]}`, nil, 200,
			[]string{"S", `user: [{"text":"- Relevant Memories/Facts: Drinks jasmine tea\n\n- User Question: ","type":"text"},{"text":"which tea","type":"text"},` + image + `]`}},
		{"a turn of a tool passes unchanged", `{"user_id":"anna","messages":[{"role":"user","content":"which tea"},{"role":"assistant","content":null,"tool_calls":[{"id":"1"}]},{"role":"tool","tool_call_id":"1","content":"42"}]}`, nil, 200,
			[]string{`user: "which tea"`, `assistant: null`, `tool: "42"`}},
		{"nothing known", `{"user_id":"anna","messages":[{"role":"user","content":"xyzzy"}]}`, nil, 200, []string{"S", `user: "xyzzy"`}},
		{"another user", `{"user_id":"bob","messages":[{"role":"user","content":"which tea"}]}`, nil, 200, []string{"S", `user: "which tea"`}},
		{"no scope", `{"messages":[{"role":"user","content":"which tea"}]}`, nil, 400, nil},
		{"an id that is none", `{"user_id":"a b","messages":[]}`, nil, 400, nil},
		{"no JSON", `hello`, nil, 400, nil},
		{"no messages at all", `{"user_id":"anna"}`, nil, 200, nil},
		{"messages of no kind", `{"user_id":"anna","messages":7}`, nil, 400, nil},
		{"F033 a Host of a stranger", `{}`, map[string]string{"Host": "evil.test"}, 403, nil},
		{"an Origin of a stranger", `{}`, map[string]string{"Origin": "https://evil.test"}, 403, nil},
		{"a body of 11 MB", strings.Repeat("x", 11<<20), nil, 413, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			req, _ := http.NewRequest("POST", url+"/v1/chat/completions", strings.NewReader(tt.body))
			for k, v := range tt.head {
				req.Header.Set(k, v)
				if k == "Host" {
					req.Host = v
				}
			}
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				if tt.status == 413 { // hung up while the client was still sending
					return
				}
				t.Fatal(err)
			}
			defer res.Body.Close()
			b, _ := io.ReadAll(res.Body)
			if res.StatusCode != tt.status {
				t.Fatalf("status %d, want %d: %s", res.StatusCode, tt.status, b)
			}
			if tt.status == 400 && !strings.Contains(string(b), `"type":"invalid_request_error"`) {
				t.Errorf("the error is not in the shape of the API: %s", b)
			}
			if tt.want == nil {
				return
			}
			got := e.messages()
			if strings.HasPrefix(got[0], `system: "You answer`) {
				got[0] = "S"
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("the endpoint read %q\nwant %q", got, tt.want)
			}
			if _, ok := e.last()["user_id"]; ok {
				t.Error("user_id was passed on")
			}
		})
	}
}

func TestProxyKeys(t *testing.T) {
	e := newEndpoint(t)
	c := newChat(t, Config{NoAdd: true}, longterm.Config{})
	_, url := openProxy(t, c, Upstream{BaseURL: e.URL + "/v1", Rules: serve.Rules{Keys: []serve.Key{{Secret: "secret-of-anna", UserID: "anna"}}}})
	post := func(key, user string) int {
		req, _ := http.NewRequest("POST", url+"/v1/chat/completions", strings.NewReader(`{"user_id":"`+user+`","messages":[{"role":"user","content":"x"}]}`))
		req.Header.Set("Authorization", "Bearer "+key)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return res.StatusCode
	}
	for _, tt := range []struct {
		key, user string
		want      int
	}{{"wrong", "anna", 401}, {"secret-of-anna", "bob", 403}, {"secret-of-anna", "anna", 200}, {"secret-of-anna", "", 200}} {
		if got := post(tt.key, tt.user); got != tt.want {
			t.Errorf("key %q for %q: %d, want %d", tt.key, tt.user, got, tt.want)
		}
	}
	if e.auth != "" {
		t.Errorf("the proxy's key was passed on to the endpoint: %q", e.auth)
	}
}

func TestProxyUpstreamFailures(t *testing.T) {
	e := newEndpoint(t)
	var mu sync.Mutex
	var heard []error
	c := newChat(t, Config{Verbatim: true, StoreAnswers: true, OnError: func(err error) { mu.Lock(); heard = append(heard, err); mu.Unlock() }}, longterm.Config{})
	client, _ := openProxy(t, c, Upstream{BaseURL: e.URL + "/v1"})
	e.answer = func(w http.ResponseWriter, _ bool) {
		w.Header().Set("Retry-After", "7")
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(429)
		fmt.Fprint(w, `{"error":{"message":"slow down","type":"rate"}}`)
	}
	_, err := client.CreateChatCompletion(ctx, api.ChatCompletionRequest{Model: "m", User: "anna", Messages: ask("x")})
	var ae *api.APIError
	if !errors.As(err, &ae) || ae.HTTPStatusCode != 429 || ae.Message != "slow down" {
		t.Errorf("a rate limit arrives as %v", err)
	}
	e.answer = func(w http.ResponseWriter, _ bool) {
		w.Header().Set("Content-Length", "1000")
		fmt.Fprint(w, `{"choices":[`)
	}
	if _, err = client.CreateChatCompletion(ctx, api.ChatCompletionRequest{Model: "m", User: "anna", Messages: ask("x")}); err == nil {
		t.Error("an answer that broke off arrives as whole")
	}
	if got := c.texts(t, anna); len(got) != 0 {
		t.Errorf("of calls that failed %q was remembered", got)
	}
	e.Close()
	if _, err = client.CreateChatCompletion(ctx, api.ChatCompletionRequest{Model: "m", User: "anna", Messages: ask("x")}); !errors.As(err, &ae) || ae.HTTPStatusCode != 502 {
		t.Errorf("an endpoint that is down arrives as %v", err)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(heard) != 2 {
		t.Errorf("OnError heard %v", heard)
	}
}

// down is an embedder that fails.
type down struct{ embed.Lexical }

func (down) Embed(context.Context, []string, embed.Purpose) ([][]float32, error) {
	return nil, errors.New("down")
}

func TestSearchFailure(t *testing.T) {
	e := newEndpoint(t)
	for _, strict := range []bool{false, true} {
		var mu sync.Mutex
		heard := 0
		c := newChat(t, Config{NoAdd: true, Strict: strict, OnError: func(error) { mu.Lock(); heard++; mu.Unlock() }}, longterm.Config{Embedder: down{}})
		client, _ := openProxy(t, c, Upstream{BaseURL: e.URL + "/v1"})
		_, err := client.CreateChatCompletion(ctx, api.ChatCompletionRequest{Model: "m", User: "anna", Messages: ask("x")})
		if (err != nil) != strict {
			t.Errorf("strict %v: %v", strict, err)
		}
		if heard != 1 {
			t.Errorf("strict %v: OnError heard %d errors", strict, heard)
		}
	}
}

func TestClient(t *testing.T) {
	for _, mode := range []Mode{RewriteLastUser, SystemBlock} {
		extractor := llmtest.NewScript(`{"facts":["Was told about jasmine"]}`, `{"memory":[{"text":"Was told about jasmine","event":"ADD"}]}`)
		c := newChat(t, Config{Mode: mode, StoreAnswers: true}, longterm.Config{LLM: extractor})
		c.seed(t, anna, "Drinks jasmine tea")
		next := llmtest.NewScript("Jasmine.")
		client, err := c.Client(next, anna)
		if err != nil {
			t.Fatal(err)
		}
		req := &llm.Request{Messages: []llm.Message{llm.User("hello"), llm.Assistant("hi"), llm.User("Which tea?")}}
		req.Messages[2].Parts = append(req.Messages[2].Parts, llm.Part{Image: &llm.Image{MIME: "image/png", Data: []byte{1}}})
		res, err := client.Complete(ctx, req)
		if err != nil || res.Text != "Jasmine." {
			t.Fatalf("got %+v, %v", res, err)
		}
		if len(req.Messages) != 3 || req.Messages[2].Text() != "Which tea?" || len(req.Messages[2].Parts) != 2 {
			t.Errorf("the caller's request was changed: %+v", req.Messages)
		}
		sent := next.Last().Messages
		all := ""
		for _, m := range sent {
			all += m.Text() + "\n"
		}
		last := sent[len(sent)-1]
		if strings.Count(all, "Drinks jasmine tea") != 1 || len(last.Parts) != 2 || last.Parts[1].Image == nil {
			t.Errorf("mode %v sent %q", mode, all)
		}
		if strings.Contains(last.Text(), "jasmine") == (mode == SystemBlock) {
			t.Errorf("mode %v: the question is %q", mode, last.Text())
		}
		if got := c.texts(t, anna); !slices.Equal(got, []string{"Drinks jasmine tea", "Was told about jasmine"}) {
			t.Errorf("remembered %q", got)
		}
		if talk := extractor.Requests()[0].Messages[1].Text(); !strings.Contains(talk, "assistant: Jasmine.") || strings.Contains(talk, "Memories/Facts") {
			t.Errorf("the extractor read %q", talk)
		}
	}
	c := newChat(t, Config{}, longterm.Config{})
	if _, err := c.Client(llmtest.NewScript(), longterm.Scope{}); !errors.Is(err, longterm.ErrNoScope) {
		t.Errorf("no scope: %v", err)
	}
}

func TestHandlerRefusesNonsense(t *testing.T) {
	c := newChat(t, Config{}, longterm.Config{})
	for _, up := range []Upstream{{}, {BaseURL: "localhost:1"}, {BaseURL: "http://x", Rules: serve.Rules{Keys: []serve.Key{{Secret: "short"}}}}} {
		if _, err := c.Handler(up); err == nil {
			t.Errorf("%+v: no error", up)
		}
	}
	if _, err := New(Config{}); err == nil {
		t.Error("no memory: no error")
	}
}
