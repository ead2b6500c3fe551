package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/llmtest"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// quick is a config for tests of the loop alone: no pictures, no waits.
func quick(t testing.TB, m llm.Client) Config {
	return Config{
		LLM: m, Browser: blankSession(t), Tools: simpleTools(),
		Vision: Vision{See: SeeNever},
		Limits: Limits{RetryDelay: time.Millisecond},
	}
}

func TestStepLimitIsExact(t *testing.T) {
	m := model(func(int, *llm.Request) string { return say(`{"work":{}}`) })
	cfg := quick(t, m)
	cfg.Limits.Steps = 3
	h, err := Run(t.Context(), "work for ever", cfg)
	if !errors.Is(err, ErrMaxSteps) {
		t.Errorf("error %v, want ErrMaxSteps", err)
	}
	// Two steps, then the last one whose answer may be repaired once.
	if len(h.Steps) != 3 || m.Calls() != 4 {
		t.Errorf("%d steps, %d calls; want 3 and 4 (one of them a repair)", len(h.Steps), m.Calls())
	}
	if h.Done() || h.Succeeded() || h.Outcome().End != EndMaxSteps {
		t.Errorf("outcome %+v", h.Outcome())
	}
	for _, want := range []string{"not finished", "step limit", "last note: m", "worked"} {
		if !strings.Contains(h.Final(), want) {
			t.Errorf("the account lacks %q: %s", want, h.Final())
		}
	}
}

func TestLastStepForcesAnAnswer(t *testing.T) {
	m := model(func(n int, req *llm.Request) string {
		if n < 2 {
			return say(`{"work":{}}`)
		}
		raw, err := req.Format.Schema(llm.Canonical)
		if err != nil || strings.Contains(string(raw), `"work"`) || !strings.Contains(string(raw), `"done"`) {
			t.Errorf("the last step's schema offers more than done: %s, %v", raw, err)
		}
		if !strings.Contains(lastText(req), "last step") {
			t.Error("the model is not told that it is the last step")
		}
		if n == 2 {
			return say(`{"work":{}}`) // ignores it once
		}
		if !strings.Contains(lastText(req), "could not be used") {
			t.Error("the model is not told what was wrong")
		}
		return finished("half of it", false)
	})
	cfg := quick(t, m)
	cfg.Limits.Steps = 3
	h, err := Run(t.Context(), "work", cfg)
	if err != nil {
		t.Fatal(err)
	}
	if h.Final() != "half of it" || h.Succeeded() || !h.Done() || len(h.Steps) != 3 {
		t.Errorf("final %q, %d steps", h.Final(), len(h.Steps))
	}
}

func TestBudgetWarning(t *testing.T) {
	for _, tt := range []struct {
		used, limit int
		want        string
	}{
		{1, 100, ""}, {74, 100, ""}, {75, 100, "75%"}, {99, 100, "99%"}, {100, 100, ""},
		{3, 4, "75%"}, {4, 4, ""}, {1, 1, ""}, {1, 0, ""}, {2, 3, ""}, {7, 9, "77%"},
	} {
		got := budgetNote(tt.used, tt.limit)
		if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("%d of %d: %q, want %q in it", tt.used, tt.limit, got, tt.want)
		}
	}
}

func TestFailingActionsEndTheRun(t *testing.T) {
	m := model(func(n int, req *llm.Request) string {
		if strings.Contains(lastText(req), "so this is the last one") {
			return finished("could not press it", false)
		}
		return say(`{"fail":{}}`)
	})
	cfg := quick(t, m)
	cfg.Limits.Failures = 3
	h, err := Run(t.Context(), "press the button", cfg)
	if err != nil {
		t.Fatal(err)
	}
	if len(h.Steps) != 4 || m.Calls() != 4 {
		t.Errorf("%d steps, %d calls; want 3 failures and the final answer", len(h.Steps), m.Calls())
	}
	if h.Final() != "could not press it" {
		t.Errorf("final %q", h.Final())
	}
	if errs := h.Errors(); len(errs) != 3 || !strings.Contains(errs[0], "covered by a banner") {
		t.Errorf("errors %q", errs)
	}
	// Why a step failed reaches the model.
	if !strings.Contains(allText(m.Requests()[1]), "FAILED: the button is covered by a banner") {
		t.Error("the model does not see why the action failed")
	}

	m = model(func(int, *llm.Request) string { return say(`{"fail":{}}`) })
	cfg = quick(t, m)
	cfg.Limits.Failures, cfg.Limits.NoFinalAnswer = 3, true
	h, err = Run(t.Context(), "press the button", cfg)
	var fe *FailureError
	if !errors.As(err, &fe) || fe.Steps != 3 || !strings.Contains(err.Error(), "covered by a banner") {
		t.Errorf("error %v", err)
	}
	if m.Calls() != 3 || h.Outcome().End != EndFailures {
		t.Errorf("%d calls, outcome %+v", m.Calls(), h.Outcome())
	}
}

func TestGarbageEndsTheRun(t *testing.T) {
	m := model(func(int, *llm.Request) string { return "I am sorry, what was the question?" })
	cfg := quick(t, m)
	h, err := Run(t.Context(), "anything", cfg)
	var fe *FailureError
	if !errors.As(err, &fe) || !errors.Is(err, llm.ErrMalformed) {
		t.Errorf("error %v", err)
	}
	if len(h.Steps) != 6 || m.Calls() != 7 {
		t.Errorf("%d steps, %d calls; want five failures and a final step with one repair", len(h.Steps), m.Calls())
	}
	for _, s := range h.Steps {
		if s.Status != StepFailed || s.Error == "" || s.Err == nil {
			t.Errorf("step %d: %s %q", s.Number, s.Status, s.Error)
		}
	}
	if !strings.Contains(allText(m.Requests()[1]), "FAILED: Your answer was not usable") {
		t.Errorf("the model is not told:\n%s", m.Requests()[1].Messages[2].Text())
	}
}

func TestFailuresOfTheProvider(t *testing.T) {
	fail := func(kind error, permanent bool) llmtest.Answer {
		return llmtest.Fail(&llm.Error{Kind: kind, Provider: "x", Permanent: permanent, Message: "no"})
	}
	t.Run("a bad key ends the run at once", func(t *testing.T) {
		m := &llmtest.Script{Answers: []llmtest.Answer{fail(llm.ErrAuth, false)}, Loop: true}
		h, err := Run(t.Context(), "task", quick(t, m))
		if !errors.Is(err, llm.ErrAuth) || m.Calls() != 1 || len(h.Steps) != 1 || h.Outcome().End != EndError {
			t.Errorf("error %v after %d calls, %d steps, %+v", err, m.Calls(), len(h.Steps), h.Outcome())
		}
	})
	t.Run("so does a host that does not exist", func(t *testing.T) {
		m := &llmtest.Script{Answers: []llmtest.Answer{fail(llm.ErrServer, true)}, Loop: true}
		_, err := Run(t.Context(), "task", quick(t, m))
		if !errors.Is(err, llm.ErrServer) || m.Calls() != 1 {
			t.Errorf("error %v after %d calls", err, m.Calls())
		}
	})
	t.Run("a rate limit is waited for and is no failure", func(t *testing.T) {
		m := &llmtest.Script{Answers: []llmtest.Answer{
			fail(llm.ErrRateLimit, false), fail(llm.ErrRateLimit, false), fail(llm.ErrRateLimit, false), llmtest.Text(finished("ok", true)),
		}}
		cfg := quick(t, m)
		cfg.Limits.Failures = 1
		h, err := Run(t.Context(), "task", cfg)
		if err != nil || len(h.Steps) != 1 || m.Calls() != 4 {
			t.Errorf("error %v, %d steps, %d calls", err, len(h.Steps), m.Calls())
		}
	})
	t.Run("an outage passes", func(t *testing.T) {
		m := &llmtest.Script{Answers: []llmtest.Answer{fail(llm.ErrServer, false), fail(llm.ErrTimeout, false), llmtest.Text(finished("ok", true))}}
		h, err := Run(t.Context(), "task", quick(t, m))
		if err != nil || len(h.Steps) != 3 || !h.Succeeded() {
			t.Errorf("error %v, %d steps", err, len(h.Steps))
		}
	})
	t.Run("a fallback takes over", func(t *testing.T) {
		m := &llmtest.Script{Answers: []llmtest.Answer{fail(llm.ErrQuota, false)}, Loop: true}
		other := llmtest.NewScript(say(`{"work":{}}`), finished("by the other", true))
		cfg := quick(t, m)
		cfg.Fallbacks = []llm.Client{other}
		h, err := Run(t.Context(), "task", cfg)
		if err != nil || h.Final() != "by the other" || other.Calls() != 2 {
			t.Errorf("error %v, final %q", err, h.Final())
		}
	})
	t.Run("a model that never answers", func(t *testing.T) {
		m := &llmtest.Script{Answers: []llmtest.Answer{{Text: "x", Delay: time.Hour}}, Loop: true}
		cfg := quick(t, m)
		cfg.Limits.LLM, cfg.Limits.Failures, cfg.Limits.NoFinalAnswer = 20*time.Millisecond, 2, true
		_, err := Run(t.Context(), "task", cfg)
		if !errors.Is(err, llm.ErrTimeout) {
			t.Errorf("error %v", err)
		}
	})
}

func TestBudgetEndsTheRun(t *testing.T) {
	for _, tt := range []struct {
		name   string
		budget llm.Limits
		run    time.Duration
	}{
		{"calls", llm.Limits{Calls: 2}, 0},
		{"tokens", llm.Limits{Tokens: 6000}, 0},
		{"time", llm.Limits{}, 300 * time.Millisecond},
	} {
		m := model(func(int, *llm.Request) string { return say(`{"work":{}}`) })
		cfg := quick(t, m)
		cfg.Limits.Budget, cfg.Limits.Run = tt.budget, tt.run
		cfg.Limits.Steps = 100_000 // the budget is what ends it, on a fast machine too
		h, err := Run(t.Context(), "work for ever", cfg)
		if !errors.Is(err, ErrBudget) || h.Outcome().End != EndBudget {
			t.Errorf("%s: error %v, outcome %+v", tt.name, err, h.Outcome())
		}
		if tt.name == "calls" && m.Calls() != 2 {
			t.Errorf("%d calls were made of 2", m.Calls())
		}
	}
}

func TestBatches(t *testing.T) {
	run := func(t *testing.T, actions ...string) *Step {
		t.Helper()
		m := model(func(n int, _ *llm.Request) string {
			if n == 0 {
				return say(actions...)
			}
			return finished("x", true)
		})
		h, err := Run(t.Context(), "task", quick(t, m))
		if err != nil {
			t.Fatal(err)
		}
		told := allText(m.Requests()[1])
		if s := h.Steps[0]; s.NotRun > 0 && !strings.Contains(told, "Not run: "+count(s.NotRun, "further action")) {
			t.Errorf("the model is not told that %d actions were not run:\n%s", s.NotRun, told)
		}
		return h.Steps[0]
	}
	w, f := `{"work":{}}`, `{"fail":{}}`
	for _, tt := range []struct {
		name    string
		actions []string
		ran     int
		notRun  int
		why     string
	}{
		{"all", []string{w, w, w}, 3, 0, ""},
		{"up to the one that fails", []string{w, f, w, w}, 2, 2, "failed"},
		{"up to the one that is not valid", []string{w, `{"click":{"index":"x"}}`, w}, 1, 2, "not valid"},
		{"up to the unknown one", []string{w, `{"fly":{}}`}, 1, 1, "fly"},
		{"up to the page change", []string{goTo("about:blank"), w}, 1, 1, "ends the step"},
		{"done is alone", []string{w, `{"done":{"text":"x"}}`}, 1, 1, "alone"},
		{"no more than allowed", slices.Repeat([]string{w}, 200), 10, 190, "at most 10"},
		{"a panic is a failure", []string{`{"crash":{}}`, w}, 1, 1, "failed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := run(t, tt.actions...)
			if len(s.Actions) != tt.ran || s.NotRun != tt.notRun || !strings.Contains(s.NotRunWhy, tt.why) {
				t.Errorf("%d run, %d not, because %q; want %d, %d, %q", len(s.Actions), s.NotRun, s.NotRunWhy, tt.ran, tt.notRun, tt.why)
			}
		})
	}
}

func TestRejectedAnswerIsShownToTheModel(t *testing.T) {
	m := model(func(n int, _ *llm.Request) string {
		if n == 0 {
			return say(`{"click":{"index":0}}`)
		}
		return finished("x", true)
	})
	h, err := Run(t.Context(), "task", quick(t, m))
	if err != nil {
		t.Fatal(err)
	}
	var pe *registry.ParamError
	if s := h.Steps[0]; s.Status != StepFailed || !errors.As(s.Err, &pe) || s.NotRun != 0 {
		t.Errorf("step %+v", s)
	}
	told := allText(m.Last())
	for _, want := range []string{`You wrote: {"click":{"index":0}}`, "index must be at least 1"} {
		if !strings.Contains(told, want) {
			t.Errorf("the model is not told %q", want)
		}
	}
}

func TestFailuresAreCountedByProgress(t *testing.T) {
	// A batch whose last action fails counts when the page did not move, and a
	// success in it does not reset the count.
	m := model(func(int, *llm.Request) string { return say(`{"look":{}}`, `{"fail":{}}`) })
	cfg := quick(t, m)
	cfg.Limits.Failures, cfg.Limits.NoFinalAnswer = 3, true
	_, err := Run(t.Context(), "task", cfg)
	var fe *FailureError
	if !errors.As(err, &fe) {
		t.Errorf("error %v", err)
	}
	if n := m.Calls(); n > 4 {
		t.Errorf("%d calls before the run gave up", n)
	}
}

func TestEmptyTaskAndNoModel(t *testing.T) {
	if _, err := New(" \n", Config{LLM: llmtest.NewScript()}); !errors.Is(err, ErrNoTask) {
		t.Errorf("empty task: %v", err)
	}
	if _, err := New("task", Config{}); !errors.Is(err, ErrNoLLM) {
		t.Errorf("no model: %v", err)
	}
	r := registry.New()
	if _, err := New("task", Config{LLM: llmtest.NewScript(), Tools: r}); !errors.Is(err, registry.ErrUnknownAction) {
		t.Errorf("no done: %v", err)
	}
	type cart struct{ items int }
	r = simpleTools()
	r.MustAdd(registry.Spec{Name: "pay", Description: "Pay."}, func(context.Context, *cart) error { return nil })
	if _, err := New("task", Config{LLM: llmtest.NewScript(), Tools: r}); !errors.Is(err, registry.ErrMissingDep) {
		t.Errorf("missing dependency: %v", err)
	}
	if _, err := New("task", Config{LLM: llmtest.NewScript(), Tools: r, Deps: registry.Provide(registry.Deps{}, &cart{items: 1})}); err != nil {
		t.Errorf("with the dependency: %v", err)
	}
	bad := Config{LLM: llmtest.NewScript(), Prompt: Prompt{Style: "loud"}, Vision: Vision{See: "maybe"}, Limits: Limits{HistoryItems: 2}}
	_, err := New("task", bad)
	for _, want := range []string{"loud", "maybe", "HistoryItems"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not name %s", err, want)
		}
	}
	if _, err := New("task", Config{LLM: llmtest.NewScript(), Rules: []Rule{{Verdict: "perhaps"}}}); err == nil {
		t.Error("a rule without a known verdict was taken")
	}
}

func TestCanceledBeforeItBegins(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := fmt.Errorf("the user went home")
	cancel(cause)
	m := llmtest.NewScript()
	h, err := Run(ctx, "task", quick(t, m))
	if !errors.Is(err, cause) || m.Calls() != 0 || len(h.Steps) != 0 {
		t.Errorf("error %v, %d calls, %d steps", err, m.Calls(), len(h.Steps))
	}
}
