package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/llmtest"
	"github.com/seed-4bdb41d0/webhand/llm/openai"
)

// schema is a small action model: an envelope, a list of single-key objects.
const schema = `{"type":"object","properties":{
	"memory":{"type":"string"},
	"action":{"type":"array","minItems":1,"items":{"anyOf":[
		{"type":"object","properties":{"click":{"$ref":"#/$defs/click"}},"required":["click"],"additionalProperties":false},
		{"type":"object","properties":{"done":{"$ref":"#/$defs/done"}},"required":["done"],"additionalProperties":false}]}}},
	"required":["memory","action"],"additionalProperties":false,
	"$defs":{
		"click":{"type":"object","properties":{"index":{"type":"integer"}},"required":["index"],"additionalProperties":false},
		"done":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}}}`

const good = `{"memory":"m","action":[{"click":{"index":7}}]}`

func format() *llm.Format {
	return &llm.Format{
		Name:   "agent_output",
		Schema: func(llm.Dialect) (json.RawMessage, error) { return json.RawMessage(schema), nil },
		Text:   "Actions: click(index), done(text).",
	}
}

func ask() *llm.Request {
	return &llm.Request{Messages: []llm.Message{llm.System("You drive a browser."), llm.User("Click the button.")}, Format: format()}
}

// ptr is for settings, where zero differs from not set.
func ptr[T any](v T) *T { return &v }

func newClient(s *llmtest.Server, change func(*openai.Config)) *openai.Client {
	cfg := openai.Config{Model: "gpt-4.1-mini", APIKey: "sk-test-key-0123456789", BaseURL: s.OpenAI()}
	if change != nil {
		change(&cfg)
	}
	return openai.New(cfg)
}

func TestAnswerThroughTheRealClient(t *testing.T) {
	s := llmtest.NewServer(t, llmtest.ServerConfig{Answers: []llmtest.Answer{
		{Text: good, Usage: &llm.Usage{Input: 100, Cached: 40, Output: 20, Reasoning: 5}},
	}})
	resp, err := newClient(s, nil).Complete(context.Background(), ask())
	if err != nil {
		t.Fatal(err)
	}
	if resp.Text != good || resp.Rung != llm.RungSchema || resp.Finish != llm.FinishStop || resp.Provider != "openai" || len(resp.Notes) != 0 {
		t.Errorf("got %+v", resp)
	}
	if want := (llm.Usage{Input: 100, Cached: 40, Output: 20, Reasoning: 5}); resp.Usage != want {
		t.Errorf("usage %+v, want %+v", resp.Usage, want)
	}
	if len(resp.Raw) == 0 {
		t.Error("no raw response for the conversation log")
	}
}

func TestWrongKeyIsAnAuthErrorWithoutTheKey(t *testing.T) {
	s := llmtest.NewServer(t, llmtest.ServerConfig{Key: "sk-right-0123456789"})
	_, err := newClient(s, nil).Complete(context.Background(), ask())
	var e *llm.Error
	if !errors.Is(err, llm.ErrAuth) || !errors.As(err, &e) || e.Status != 401 {
		t.Fatalf("got %v", err)
	}
	assertNoKey(t, err)
}
