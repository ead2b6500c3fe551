package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// answersThenDone gives the answers in order, then finishes.
func answersThenDone(answers ...string) func(int, *llm.Request) string {
	return func(n int, _ *llm.Request) string {
		if n < len(answers) {
			return answers[n]
		}
		return finished("ok", true)
	}
}

func TestApproverSeesAndDecides(t *testing.T) {
	var seen []Proposal
	m := model(answersThenDone(say(`{"look":{}}`, `{"work":{}}`), say(`{"work":{}}`), say(`{"work":{}}`)))
	cfg := quick(t, m)
	worked := 0
	_ = cfg.Tools.Replace(registry.Spec{Name: "work", Description: "Work."}, func(context.Context) error { worked++; return nil })
	cfg.Approve = func(_ context.Context, p Proposal) error {
		seen = append(seen, p)
		switch len(seen) {
		case 1:
			return Deny("not before noon")
		case 2:
			return DenyWithAdvice("too dear", "Take the cheap one")
		}
		return nil
	}
	h, err := Run(t.Context(), "task", cfg)
	if err != nil {
		t.Fatal(err)
	}
	if len(seen) != 3 || worked != 1 {
		t.Fatalf("asked %d times, worked %d times; read-only actions and done need no approval", len(seen), worked)
	}
	if p := seen[0]; p.Action != "work" || p.Step != 1 || p.URL != "about:blank" || p.Reason != "g" {
		t.Errorf("proposal %+v", p)
	}
	told := allText(m.Last())
	for _, want := range []string{"denied: not before noon", "denied: too dear. Take the cheap one"} {
		if !strings.Contains(told, want) {
			t.Errorf("the model is not told %q", want)
		}
	}
	if h.Steps[1].Status != StepFailed {
		t.Errorf("a step whose only action was denied is %s", h.Steps[1].Status)
	}
}

func TestApproverEndsTheRun(t *testing.T) {
	boom := errors.New("alarm")
	for _, want := range []error{boom, ErrStopped} {
		m := model(answersThenDone(say(`{"work":{}}`)))
		cfg := quick(t, m)
		cfg.Approve = func(context.Context, Proposal) error { return want }
		h, err := Run(t.Context(), "task", cfg)
		if !errors.Is(err, want) || len(h.Steps) != 1 || h.Steps[0].Status != StepInterrupted || len(h.Actions()) != 0 {
			t.Errorf("%v: error %v, %+v", want, err, h.Steps)
		}
	}
	m := model(answersThenDone(say(`{"work":{}}`)))
	cfg := quick(t, m)
	cfg.Approve = func(context.Context, Proposal) error { panic("the dialog crashed") }
	h, err := Run(t.Context(), "task", cfg)
	if err != nil || !strings.Contains(h.Steps[0].Actions[0].Result.Error, "denied") {
		t.Errorf("an approver that panics has not said yes: %v, %+v", err, h.Steps[0])
	}
}

func TestApprovalTakesItsTime(t *testing.T) {
	m := model(answersThenDone(say(`{"work":{}}`)))
	cfg := quick(t, m)
	cfg.Limits.Step = 100 * time.Millisecond
	cfg.Approve = func(context.Context, Proposal) error { time.Sleep(300 * time.Millisecond); return nil }
	h, err := Run(t.Context(), "task", cfg)
	if err != nil || h.Steps[0].Status != StepOK || h.Steps[0].Timing.Held < 200 {
		t.Errorf("error %v, step %+v", err, h.Steps[0])
	}
}

func TestRulesAndReadOnly(t *testing.T) {
	run := func(t *testing.T, set func(*Config)) (*History, string) {
		t.Helper()
		m := model(answersThenDone(say(`{"work":{}}`), say(`{"look":{}}`)))
		cfg := quick(t, m)
		set(&cfg)
		h, err := Run(t.Context(), "task", cfg)
		if err != nil {
			t.Fatal(err)
		}
		return h, allText(m.Last())
	}
	asked := 0
	approve := func(context.Context, Proposal) error { asked++; return nil }
	h, _ := run(t, func(c *Config) {
		c.Rules, c.Approve = []Rule{{Actions: []string{"work"}, Verdict: Allow}}, approve
	})
	if asked != 0 || h.Steps[0].Status != StepOK {
		t.Errorf("allowed by a rule: asked %d times, %s", asked, h.Steps[0].Status)
	}
	_, told := run(t, func(c *Config) {
		c.Rules = []Rule{{Actions: []string{"work"}, Verdict: Refuse, Reason: "no work on Sundays"}}
	})
	if !strings.Contains(told, "denied: no work on Sundays") {
		t.Error("the rule's reason is not told")
	}
	_, told = run(t, func(c *Config) { c.Rules = []Rule{{Actions: []string{"look"}, Verdict: Ask}} })
	if !strings.Contains(told, "needs a person's approval and nobody is there") {
		t.Error("asked for, and nobody to ask: it has to be refused")
	}
	h, _ = run(t, func(c *Config) { c.Rules = []Rule{{Pages: []string{"https://bank.test"}, Verdict: Refuse}} })
	if h.Steps[0].Status != StepOK {
		t.Error("a rule for another page was applied")
	}
	_, told = run(t, func(c *Config) {
		_ = c.Tools.Replace(registry.Spec{Name: "work", Description: "Work.", NeedsApproval: true}, func(context.Context) error { return nil })
	})
	if !strings.Contains(told, "needs a person's approval") {
		t.Error("NeedsApproval without an approver ran")
	}

	m := model(answersThenDone(say(`{"work":{}}`), say(`{"look":{}}`)))
	cfg := quick(t, m)
	cfg.ReadOnly = true
	h, err := Run(t.Context(), "task", cfg)
	if err != nil {
		t.Fatal(err)
	}
	if h.Steps[0].Status != StepFailed || h.Steps[1].Status != StepOK {
		t.Errorf("read-only: %s, %s", h.Steps[0].Status, h.Steps[1].Status)
	}
	raw, _ := m.Requests()[0].Format.Schema(llm.Canonical)
	if strings.Contains(string(raw), `"work"`) || !strings.Contains(string(raw), `"look"`) {
		t.Errorf("the schema of a read-only run: %s", raw)
	}
	if !strings.Contains(m.Requests()[0].Messages[0].Text(), "may only read") {
		t.Error("the model is not told that it may only read")
	}
}

func TestHooksNeverCostAStep(t *testing.T) {
	calls := map[string]int{}
	bad := func(name string) error {
		calls[name]++
		if calls[name]%2 == 0 {
			panic("hook " + name)
		}
		return fmt.Errorf("hook %s", name)
	}
	m := model(answersThenDone(say(`{"work":{}}`), say(`{"work":{}}`)))
	cfg := quick(t, m)
	cfg.Hooks = Hooks{
		StepStart:  func(context.Context, int) error { return bad("start") },
		Decided:    func(context.Context, int, Page, *Answer) error { return bad("decided") },
		StepEnd:    func(context.Context, *Step) error { return bad("end") },
		Done:       func(context.Context, *History) error { panic("done") },
		ShouldStop: func(context.Context) bool { panic("stop") },
		Check:      func(context.Context) error { panic("check") },
	}
	h, err := Run(t.Context(), "task", cfg)
	if err != nil || len(h.Steps) != 3 || !h.Succeeded() {
		t.Fatalf("error %v, %d steps", err, len(h.Steps))
	}
	for _, name := range []string{"start", "decided", "end"} {
		if calls[name] != 3 {
			t.Errorf("hook %s was called %d times in 3 steps", name, calls[name])
		}
	}
	for _, s := range h.Steps {
		if s.Status != StepOK {
			t.Errorf("step %d: %s %s", s.Number, s.Status, s.Error)
		}
	}
}

func TestHooksSeeWhatHappens(t *testing.T) {
	var order []string
	m := model(answersThenDone(say(`{"work":{}}`)))
	cfg := quick(t, m)
	cfg.Hooks = Hooks{
		StepStart: func(_ context.Context, n int) error { order = append(order, fmt.Sprint("start ", n)); return nil },
		Decided: func(_ context.Context, n int, p Page, a *Answer) error {
			order = append(order, fmt.Sprint("decided ", n, " ", p.URL, " ", len(a.Actions)))
			return nil
		},
		StepEnd: func(_ context.Context, s *Step) error {
			order = append(order, fmt.Sprint("end ", s.Number, " ", len(s.Actions)))
			return nil
		},
		Done: func(_ context.Context, h *History) error {
			order = append(order, fmt.Sprint("done ", h.Final(), " ", len(h.Steps)))
			return nil
		},
	}
	if _, err := Run(t.Context(), "task", cfg); err != nil {
		t.Fatal(err)
	}
	want := "start 1, decided 1 about:blank 1, end 1 1, start 2, decided 2 about:blank 1, end 2 1, done ok 2"
	if got := strings.Join(order, ", "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
