package agent

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/llmtest"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// say is an answer with actions.
func say(actions ...string) string {
	return `{"thinking":"t","evaluation_previous_goal":"e","memory":"m","next_goal":"g","action":[` + strings.Join(actions, ",") + `]}`
}

// finished is an answer that calls done.
func finished(text string, success bool) string {
	return say(fmt.Sprintf(`{"done":{"text":%q,"success":%t}}`, text, success))
}

func goTo(url string) string { return fmt.Sprintf(`{"navigate":{"url":%q}}`, url) }

func click(index int) string { return fmt.Sprintf(`{"click":{"index":%d}}`, index) }

// model answers by a func of the call's number and the request.
func model(f func(n int, req *llm.Request) string) *llmtest.Script {
	return &llmtest.Script{Func: func(n int, req *llm.Request) llmtest.Answer { return llmtest.Text(f(n, req)) }}
}

// lastText is the newest message of a request: the moment and the page.
func lastText(req *llm.Request) string { return req.Messages[len(req.Messages)-1].Text() }

// allText is everything that a request says.
func allText(req *llm.Request) string {
	var b strings.Builder
	for _, m := range req.Messages {
		b.WriteString(m.Text())
		b.WriteByte('\n')
	}
	return b.String()
}

// index finds the index of the first element in the prompt's page whose line
// holds the words.
func index(req *llm.Request, words string) int {
	// "button>Send" is a button with whatever states and attributes.
	pattern := strings.ReplaceAll(regexp.QuoteMeta(words), ">", `[^>\n]*>`)
	re := regexp.MustCompile(`(?m)^\s*\*?\[(\d+)\]<[^\n]*` + pattern)
	m := re.FindStringSubmatch(lastText(req))
	if m == nil {
		return 0
	}
	var n int
	_, _ = fmt.Sscan(m[1], &n)
	return n
}

// simpleTools are a few actions that test what the loop does with any action.
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
	r.MustAdd(registry.Spec{Name: "click", Description: "Click an element."}, func(ctx context.Context, p struct {
		Index int `json:"index" jsonschema:"minimum=1"`
	}, s *browser.Session) (string, error) {
		_, err := s.Click(ctx, p.Index, browser.ClickOptions{})
		return fmt.Sprintf("Clicked %d", p.Index), err
	})
	r.MustAdd(registry.Spec{Name: "look", Description: "Look at something.", ReadOnly: true}, func(context.Context) (string, error) { return "seen", nil })
	r.MustAdd(registry.Spec{Name: "work", Description: "Do something."}, func(context.Context) (string, error) { return "worked", nil })
	r.MustAdd(registry.Spec{Name: "fail", Description: "Fail."}, func(context.Context) error { return errors.New("the button is covered by a banner") })
	r.MustAdd(registry.Spec{Name: "crash", Description: "Panic."}, func(context.Context) error { panic("oops") })
	r.MustAdd(registry.Spec{Name: "done", Description: "Finish."}, func(_ context.Context, p struct {
		Text    string `json:"text"`
		Success bool   `json:"success" jsonschema:"default=true"`
	}) (*registry.Result, error) {
		return &registry.Result{Text: p.Text, Done: true, Success: p.Success}, nil
	})
	return r
}

func TestATaskIsDoneOnARealPage(t *testing.T) {
	s := session(t)
	m := model(func(n int, req *llm.Request) string {
		switch n {
		case 0:
			return say(goTo(site.URL + "/shop"))
		case 1:
			return say(click(index(req, "Offers")))
		}
		if !strings.Contains(lastText(req), "/offers") {
			t.Errorf("the click did not lead to the offers:\n%s", lastText(req))
		}
		return finished("There are offers.", true)
	})
	h, err := Run(t.Context(), "Find out whether the shop has offers", Config{LLM: m, Browser: s})
	if err != nil {
		t.Fatal(err)
	}
	if h.Final() != "There are offers." || !h.Succeeded() || !h.Done() {
		t.Errorf("final %q, succeeded %v", h.Final(), h.Succeeded())
	}
	if got := strings.Join(h.ActionNames(), " "); got != "navigate click done" {
		t.Errorf("actions %s", got)
	}
	if len(h.Steps) != 3 || h.Usage.Calls != 3 || h.Usage.Tokens.Input == 0 || h.Model != "script" {
		t.Errorf("%d steps, usage %+v, model %q", len(h.Steps), h.Usage, h.Model)
	}
	for i, st := range h.Steps {
		if st.Number != i+1 || st.Status != StepOK || st.Usage.Total() == 0 || st.Page.Screenshot == "" || st.Timing.Total == 0 {
			t.Errorf("step %d: %+v", i+1, st)
		}
	}
	if st := h.Steps[1]; st.Actions[0].ElementText == "" || !strings.Contains(string(st.Actions[0].Element), "Offers") {
		t.Errorf("the clicked element is not recorded: %+v", st.Actions[0])
	}
	if !s.Alive() {
		t.Error("a session that was given was closed")
	}
	// The model sees its own past actions and what came of them.
	last := allText(m.Last())
	for _, want := range []string{"Step 1 at", `navigate {"url":"` + site.URL + `/shop"}: `, "Step 2 at", "Judged: e", "Memory: m", "Goal: g"} {
		if !strings.Contains(last, want) {
			t.Errorf("the last prompt lacks %q", want)
		}
	}
}
