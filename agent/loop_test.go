package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/llmtest"
	"github.com/seed-4bdb41d0/webhand/registry"
)

type clickParams struct {
	Index int `json:"index" jsonschema:"minimum=1"`
}

// say is an answer with actions.
func say(actions ...string) string {
	return `{"thinking":"t","evaluation_previous_goal":"e","memory":"m","next_goal":"g","action":[` + strings.Join(actions, ",") + `]}`
}

func finish1(text string, ok bool) string {
	return say(fmt.Sprintf(`{"done":{"text":%q,"success":%t}}`, text, ok))
}

// lastText is the newest user message of a request.
func lastText(req *llm.Request) string { return req.Messages[len(req.Messages)-1].Text() }

// index finds the index of the first element in the prompt's page whose line
// holds words.
func index(req *llm.Request, words string) int {
	re := regexp.MustCompile(`(?m)^\s*\*?\[(\d+)\]<[^\n]*` + regexp.QuoteMeta(words))
	m := re.FindStringSubmatch(lastText(req))
	if m == nil {
		return 0
	}
	var n int
	_, _ = fmt.Sscan(m[1], &n)
	return n
}

func simpleTools() *registry.Registry {
	r := registry.New()
	r.MustAdd(registry.Spec{Name: "navigate", Description: "Open an address.", EndsStep: true}, func(ctx context.Context, p struct {
		URL string `json:"url"`
	}, s *browser.Session) (string, error) {
		n, err := s.Navigate(ctx, p.URL)
		if err != nil {
			return "", err
		}
		return "Opened " + n.URL, nil
	})
	r.MustAdd(registry.Spec{Name: "click", Description: "Click an element."}, func(ctx context.Context, p clickParams, s *browser.Session) (string, error) {
		_, err := s.Click(ctx, p.Index, browser.ClickOptions{})
		return fmt.Sprintf("Clicked %d", p.Index), err
	})
	r.MustAdd(registry.Spec{Name: "done", Description: "Finish."}, func(_ context.Context, p struct {
		Text    string `json:"text"`
		Success bool   `json:"success" jsonschema:"default=true"`
	}) (*registry.Result, error) {
		return &registry.Result{Text: p.Text, Done: true, Success: p.Success}, nil
	})
	return r
}

func TestFirstTask(t *testing.T) {
	s := session(t)
	m := &llmtest.Script{Func: func(n int, req *llm.Request) llmtest.Answer {
		switch n {
		case 0:
			return llmtest.Text(say(fmt.Sprintf(`{"navigate":{"url":%q}}`, site.URL+"/shop")))
		case 1:
			return llmtest.Text(say(fmt.Sprintf(`{"click":{"index":%d}}`, index(req, "Help"))))
		}
		return llmtest.Text(finish1("It is the help page.", true))
	}}
	h, err := Run(t.Context(), "Open the shop and tell me what the help page is", Config{LLM: m, Browser: s, Tools: simpleTools()})
	if err != nil {
		t.Fatal(err)
	}
	if h.Final() != "It is the help page." || !h.Succeeded() {
		t.Errorf("final %q, succeeded %v", h.Final(), h.Succeeded())
	}
	for _, r := range m.Requests() {
		for _, msg := range r.Messages {
			fmt.Println("-----", msg.Role)
			fmt.Println(msg.Text())
		}
		fmt.Println(llm.EstimateTokens(r), "================")
	}
	b, _ := json.MarshalIndent(h, "", " ")
	fmt.Println(string(b))
}
