package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/llmtest"
)

func TestGroupRunsAgentsApart(t *testing.T) {
	startChrome(t)
	g := NewGroup(t.Context(), GroupConfig{Browser: chrome, Concurrency: 2})
	// Each agent puts one thing into its cart; none sees another's.
	for i := range 3 {
		m := model(func(n int, req *llm.Request) string {
			switch n {
			case 0:
				return say(click(index(req, "to cart")))
			case 1:
				return say(goTo(site.URL + "/cart"))
			}
			if !strings.Contains(lastText(req), "Cart 1") && !strings.Contains(lastText(req), "1 item") {
				t.Errorf("agent %d sees another cart:\n%s", i, lastText(req))
			}
			return finished(fmt.Sprint("agent ", i), true)
		})
		g.Go(fmt.Sprint("task ", i), Config{LLM: m, Vision: Vision{See: SeeNever}, Start: Start{URL: site.URL + "/shop"}})
	}
	results, err := g.Wait()
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range results {
		if r.Err != nil || r.Task != fmt.Sprint("task ", i) || r.History.Final() != fmt.Sprint("agent ", i) {
			t.Errorf("%d: %v, %q", i, r.Err, r.History.Final())
		}
	}
	if u := g.Usage(); u.Calls != 9 {
		t.Errorf("usage %+v", u)
	}
	select {
	case <-chrome.Done():
		t.Fatal("the group closed a browser that was given to it")
	default:
	}
}

func TestGroupStopsOnTheFirstFatalError(t *testing.T) {
	startChrome(t)
	g := NewGroup(t.Context(), GroupConfig{Browser: chrome, Concurrency: 2})
	slow := func() *llmtest.Script {
		return &llmtest.Script{Func: func(int, *llm.Request) llmtest.Answer {
			return llmtest.Answer{Text: say(`{"work":{}}`), Delay: time.Hour}
		}}
	}
	cfg := func(m llm.Client) Config {
		return Config{LLM: m, Tools: simpleTools(), Vision: Vision{See: SeeNever}}
	}
	g.Go("slow", cfg(slow()))
	g.Go("bad key", cfg(&llmtest.Script{Answers: []llmtest.Answer{llmtest.Fail(&llm.Error{Kind: llm.ErrAuth})}, Loop: true}))
	waiting := slow()
	g.Go("waiting", cfg(waiting))
	results, err := g.Wait()
	if !errors.Is(err, llm.ErrAuth) || !strings.Contains(err.Error(), "bad key") {
		t.Errorf("error %v", err)
	}
	for _, r := range results {
		if r.Err == nil {
			t.Errorf("%s: no error", r.Task)
		}
	}
	if waiting.Calls() != 0 && results[2].Err == nil {
		t.Error("an agent began after the group had failed")
	}
}

func TestGroupKeepsGoingAfterAFailedTask(t *testing.T) {
	startChrome(t)
	g := NewGroup(t.Context(), GroupConfig{Browser: chrome, Concurrency: 1})
	loop := model(func(int, *llm.Request) string { return say(`{"work":{}}`) })
	g.Go("endless", Config{LLM: loop, Tools: simpleTools(), Vision: Vision{See: SeeNever}, Limits: Limits{Steps: 2}})
	g.Go("fine", Config{LLM: model(answersThenDone()), Tools: simpleTools(), Vision: Vision{See: SeeNever}})
	results, err := g.Wait()
	if err != nil || !errors.Is(results[0].Err, ErrMaxSteps) || results[1].Err != nil {
		t.Errorf("group %v, results %v, %v", err, results[0].Err, results[1].Err)
	}
}

func TestGroupBudgetIsShared(t *testing.T) {
	startChrome(t)
	g := NewGroup(t.Context(), GroupConfig{Browser: chrome, Concurrency: 2, Budget: llm.Limits{Calls: 6}})
	var scripts []*llmtest.Script
	for range 3 {
		m := model(func(int, *llm.Request) string { return say(`{"work":{}}`) })
		scripts = append(scripts, m)
		g.Go("work for ever", Config{LLM: m, Tools: simpleTools(), Vision: Vision{See: SeeNever}})
	}
	_, err := g.Wait()
	calls := 0
	for _, m := range scripts {
		calls += m.Calls()
	}
	if !errors.Is(err, ErrBudget) || calls != 6 {
		t.Errorf("error %v after %d calls", err, calls)
	}
}

func TestGroupWithoutChrome(t *testing.T) {
	g := NewGroup(context.Background(), GroupConfig{BrowserConfig: browser.Config{ExecPath: "/no/such/chrome"}})
	m := model(answersThenDone())
	g.Go("a", Config{LLM: m})
	g.Go("b", Config{LLM: m})
	results, err := g.Wait()
	if err == nil || results[0].Err == nil || results[1].Err == nil || m.Calls() != 0 {
		t.Errorf("error %v, %v, %v", err, results[0].Err, results[1].Err)
	}
}
