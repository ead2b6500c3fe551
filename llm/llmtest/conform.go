package llmtest

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/llm"
)

// conformSchema is the shape that the conformance suite asks for, valid in
// every dialect.
const conformSchema = `{"type":"object","properties":{` +
	`"memory":{"type":"string"},` +
	`"action":{"type":"array","items":{"anyOf":[` +
	`{"type":"object","properties":{"click":{"type":"object","properties":{"index":{"type":"integer"}},"required":["index"],"additionalProperties":false}},"required":["click"],"additionalProperties":false},` +
	`{"type":"object","properties":{"done":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}},"required":["done"],"additionalProperties":false}]}}},` +
	`"required":["memory","action"],"additionalProperties":false}`

// ConformFormat is the format of the conformance suite: an object with a
// memory and a list of actions, click or done. Its dialects are all the same.
func ConformFormat() *llm.Format {
	return &llm.Format{
		Name:   "agent_output",
		Schema: func(llm.Dialect) (json.RawMessage, error) { return json.RawMessage(conformSchema), nil },
		Text:   `The object has "memory", a text, and "action", a list of {"click":{"index":1}} or {"done":{"text":"..."}}.`,
	}
}

func conformRequest() *llm.Request {
	return &llm.Request{
		Messages: []llm.Message{
			llm.System("You operate a web page through actions."),
			llm.User(`The page has one button, [7] "Buy". Click it.`),
		},
		Format: ConformFormat(),
	}
}

// TestClient checks what every [llm.Client] promises against one that answers,
// live or scripted: a structured answer is JSON, plain text is text, the
// request is not changed, calls may be concurrent, and the end of the context
// is the end of the call. It makes about eight calls.
func TestClient(t *testing.T, c llm.Client) {
	t.Run("structured answer is a JSON object", func(t *testing.T) {
		resp, err := c.Complete(t.Context(), conformRequest())
		if err != nil {
			t.Fatal(err)
		}
		var v struct {
			Action []json.RawMessage `json:"action"`
		}
		if err := json.Unmarshal([]byte(resp.Text), &v); err != nil || len(v.Action) == 0 {
			t.Errorf("the text is not an object with actions: %v: %s", err, resp.Text)
		}
		if resp.Model == "" || resp.Provider == "" {
			t.Errorf("no model or provider in %+v", resp)
		}
		if resp.Usage.Input < resp.Usage.Cached+resp.Usage.CacheWrite || resp.Usage.Output < resp.Usage.Reasoning {
			t.Errorf("the parts of the usage are more than the whole: %+v", resp.Usage)
		}
	})
	t.Run("request is not changed", func(t *testing.T) {
		req, want := conformRequest(), conformRequest()
		if _, err := c.Complete(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(req.Messages, want.Messages) {
			t.Errorf("messages changed to %+v", req.Messages)
		}
	})
	t.Run("concurrent calls", func(t *testing.T) {
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if _, err := c.Complete(t.Context(), conformRequest()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	})
	t.Run("ended context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := c.Complete(ctx, conformRequest()); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context.Canceled", err)
		}
	})
	t.Run("request without messages", func(t *testing.T) {
		if _, err := c.Complete(t.Context(), &llm.Request{}); err == nil {
			t.Error("no error")
		}
	})
}

// Settings are what [TestProvider] needs of a client.
type Settings struct {
	Server  *Server
	Timeout time.Duration // of one attempt
	Stall   time.Duration // longest silence within an answer
	Stream  bool
}

// conformKey is the key that clients under test must use.
const conformKey = "sk-conformance-0123456789abcdef"

// Key is the API key that a client under test must send.
func (s Settings) Key() string { return conformKey }

// TestProvider runs a provider's client through everything that can go wrong
// between it and a model, on a [Server] that acts it out. newClient returns a
// client that talks to s.Server with s.Key. streams says whether it can.
func TestProvider(t *testing.T, streams bool, newClient func(s Settings) llm.Client) {
	modes := []bool{false}
	if streams {
		modes = append(modes, true)
	}
	for _, stream := range modes {
		name := "whole"
		if stream {
			name = "streamed"
		}
		p := provider{stream: stream, newClient: newClient}
		t.Run(name+"/answers", p.answers)
		t.Run(name+"/failures", p.failures)
		t.Run(name+"/deadlines", p.deadlines)
	}
	p := provider{newClient: newClient}
	t.Run("request", p.request)
	t.Run("contract", func(t *testing.T) {
		s := NewServer(t, ServerConfig{Answer: func(*Request) Answer { return Text(conformAnswer) }})
		TestClient(t, newClient(Settings{Server: s}))
	})
}

const conformAnswer = `{"memory":"m","action":[{"click":{"index":7}}]}`

type provider struct {
	stream    bool
	newClient func(Settings) llm.Client
}

// ask sends the suite's request to a server that gives one answer.
func (p provider) ask(t *testing.T, a Answer) (*Server, *llm.Response, error) {
	t.Helper()
	s := NewServer(t, ServerConfig{Answers: []Answer{a}, Key: conformKey})
	c := p.newClient(Settings{Server: s, Stream: p.stream})
	resp, err := c.Complete(t.Context(), conformRequest())
	return s, resp, err
}

// answers are the shapes in which models give the right thing.
func (p provider) answers(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"plain", conformAnswer, conformAnswer},
		{"fenced", "```json\n" + conformAnswer + "\n```", conformAnswer},
		{"a fence inside a string", "{\"memory\":\"m\",\"action\":[{\"done\":{\"text\":\"use ```go\\nx\\n``` now\"}}]}", "{\"memory\":\"m\",\"action\":[{\"done\":{\"text\":\"use ```go\\nx\\n``` now\"}}]}"},
		{"thinking with braces, then prose", "<think>{maybe} [1]</think>Sure: " + conformAnswer + " Done.", conformAnswer},
		{"trailing comma", `{"memory":"m","action":[{"click":{"index":7}},]}`, conformAnswer},
		{"raw newline in a string", "{\"memory\":\"a\nb\",\"action\":[{\"click\":{\"index\":7}}]}", `{"memory":"a\nb","action":[{"click":{"index":7}}]}`},
		{"typographic quotes", `{“memory”:“m”,“action”:[{“click”:{“index”:7}}]}`, conformAnswer},
		{"closing brackets missing", `{"memory":"m","action":[{"click":{"index":7}}]`, conformAnswer},
		{"encoded twice", `"{\"memory\":\"m\",\"action\":[{\"click\":{\"index\":7}}]}"`, conformAnswer},
		{"a list around it", "[" + conformAnswer + "]", conformAnswer},
		{"a list of actions", `[{"click":{"index":7}}]`, `{"action":[{"click":{"index":7}}]}`},
		{"one action", `{"click":{"index":7}}`, `{"action":[{"click":{"index":7}}]}`},
		{"spelt as a call", `{"name":"click","arguments":{"index":7}}`, `{"action":[{"click":{"index":7}}]}`},
		{"the list as a string", `{"memory":"m","action":"[{\"click\":{\"index\":7}}]"}`, conformAnswer},
		{"no action at all is the agent's to judge", `{"memory":"m","action":[{}]}`, `{"memory":"m","action":[{}]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, resp, err := p.ask(t, Text(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			if !sameJSON(resp.Text, tt.want) {
				t.Errorf("got  %s\nwant %s", resp.Text, tt.want)
			}
		})
	}
	t.Run("usage", func(t *testing.T) {
		want := llm.Usage{Input: 1000, Cached: 300, Output: 50}
		_, resp, err := p.ask(t, Answer{Text: conformAnswer, Usage: &want})
		if err != nil {
			t.Fatal(err)
		}
		if resp.Usage != want {
			t.Errorf("got %+v, want %+v", resp.Usage, want)
		}
	})
	if p.stream {
		t.Run("pieces arrive", p.pieces)
	}
}

func (p provider) pieces(t *testing.T) {
	s := NewServer(t, ServerConfig{Answers: []Answer{Text(conformAnswer)}})
	req := conformRequest()
	var got []string
	req.OnDelta = func(piece string) { got = append(got, piece) }
	if _, err := p.newClient(Settings{Server: s}).Complete(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	if len(got) < 2 || strings.Join(got, "") != conformAnswer {
		t.Errorf("pieces %q", got)
	}
}

func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}
