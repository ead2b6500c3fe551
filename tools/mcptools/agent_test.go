package mcptools

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/agent"
	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/llm/llmtest"
	"github.com/seed-4bdb41d0/webhand/tools"
)

var chrome = sync.OnceValues(func() (*browser.Browser, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	launched = true
	return browser.Launch(ctx, browser.Config{StartTimeout: 2 * time.Minute, CallTimeout: time.Minute})
})

var launched bool

func closeChrome() {
	if !launched {
		return
	}
	if b, err := chrome(); err == nil {
		_ = b.Close()
	}
}

// An agent reads a page and calls a tool of a server in one run.
func TestAgentUsesARemoteToolAndTheBrowser(t *testing.T) {
	b, err := chrome()
	if err != nil {
		t.Fatal(err)
	}
	s, err := b.NewSession(t.Context(), browser.Config{CallTimeout: time.Minute, NavigateTimeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "<!doctype html><title>Price</title><p>The lamp costs 40.</p>")
	}))
	defer srv.Close()
	c := open(t, command(t))
	ts := tools.New()
	if _, err := c.AddTo(ts); err != nil && !strings.Contains(err.Error(), "bad_schema") {
		t.Fatal(err)
	}
	model := llmtest.NewScript(
		`{"memory":"open the page","action":[{"navigate":{"url":"`+srv.URL+`"}}]}`,
		`{"memory":"it costs 40","action":[{"remote_echo":{"kind":"a","tree":{"name":"lamp 40"}}}]}`,
		`{"memory":"told","action":[{"done":{"text":"The lamp costs 40.","success":true}}]}`,
	)
	h, err := agent.Run(t.Context(), "What does the lamp cost? Tell the server.", agent.Config{
		LLM: model, Tools: ts, Browser: s, Prompt: agent.Prompt{Style: agent.StyleFlash}, Vision: agent.Vision{See: agent.SeeNever},
		Limits: agent.Limits{Step: 2 * time.Minute, LLM: time.Minute},
	})
	if err != nil {
		t.Fatalf("%v\n%v", err, h.Errors())
	}
	if !h.Succeeded() || h.Final() != "The lamp costs 40." {
		t.Errorf("final %q, errors %q", h.Final(), h.Errors())
	}
	got := h.Actions("remote_echo")
	if len(got) != 1 || !strings.Contains(got[0].Result.Text, "lamp 40") {
		t.Errorf("the remote tool: %+v", got)
	}
	var prompts strings.Builder
	for _, r := range model.Requests() {
		for _, m := range r.Messages {
			for _, p := range m.Parts {
				prompts.WriteString(p.Text)
			}
		}
	}
	if !strings.Contains(prompts.String(), "The lamp costs 40") {
		t.Error("the model did not see the page")
	}
}
