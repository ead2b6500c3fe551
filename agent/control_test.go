package agent

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/llmtest"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// countdown is a context that is cancelled at the nth time anybody asks it
// whether it is.
type countdown struct {
	context.Context
	left   atomic.Int64
	cancel context.CancelFunc
}

func newCountdown(parent context.Context, n int64) *countdown {
	c := &countdown{}
	c.Context, c.cancel = context.WithCancel(parent)
	c.left.Store(n)
	return c
}

func (c *countdown) tick() {
	if c.left.Add(-1) == 0 {
		c.cancel()
	}
}

func (c *countdown) Err() error {
	c.tick()
	return c.Context.Err()
}

func (c *countdown) Done() <-chan struct{} {
	c.tick()
	return c.Context.Done()
}

// TestCanceledAtEveryPoint runs the same task again and again, cancelled a
// little later each time, until runs get through: first at every look that the
// agent itself takes at its context, then at times spread over the whole run,
// which also fall inside the browser's work. Whatever the point: the run ends
// with the cause, no step is lost, doubled or made up, and the file says what
// the history says.
func TestCanceledAtEveryPoint(t *testing.T) {
	s := blankSession(t)
	points := 0
	for n := int64(1); ; n++ {
		ctx := newCountdown(t.Context(), n)
		through := canceledOnce(t, ctx)
		ctx.cancel()
		if points++; through {
			break
		}
	}
	for d := time.Duration(0); points < 500; d += 400 * time.Microsecond {
		ctx, cancel := context.WithTimeout(t.Context(), d)
		through := canceledOnce(t, ctx)
		cancel()
		if points++; through {
			break
		}
	}
	t.Logf("%d points", points)
	if points < 20 {
		t.Errorf("only %d points were tried; the test does not test what it says", points)
	}
	if !s.Alive() {
		t.Error("a cancelled run took the caller's session with it")
	}
}

// canceledOnce runs a task under ctx, checks what it leaves behind, and reports
// whether it got through.
func canceledOnce(t *testing.T, ctx context.Context) bool {
	t.Helper()
	var done atomic.Int64 // actions that really ran
	m := model(func(n int, _ *llm.Request) string {
		if n < 2 {
			return say(`{"work":{}}`, `{"work":{}}`)
		}
		return finished("ok", true)
	})
	cfg := quick(t, m)
	if err := cfg.Tools.Replace(registry.Spec{Name: "work", Description: "Do something."}, func(context.Context) (string, error) {
		done.Add(1)
		return "worked", nil
	}); err != nil {
		t.Fatal(err)
	}
	cfg.HistoryFile = filepath.Join(t.TempDir(), "history.jsonl")
	h, err := Run(ctx, "task", cfg)
	switch {
	case err == nil && !h.Done():
		t.Fatalf("no error and no answer: %+v", h.Outcome())
	case err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded):
		t.Fatalf("error %v", err)
	case err != nil && h.Outcome().End != EndCanceled:
		t.Fatalf("outcome %+v", h.Outcome())
	}
	ran := int64(0)
	for i, st := range h.Steps {
		if st.Number != i+1 {
			t.Fatalf("step %d has number %d", i+1, st.Number)
		}
		for _, x := range st.Actions {
			if x.Name == "work" {
				ran++
			}
		}
	}
	if ran != done.Load() {
		t.Fatalf("%d actions ran and %d are in the history", done.Load(), ran)
	}
	data, rerr := os.ReadFile(cfg.HistoryFile)
	if rerr != nil {
		if len(h.Steps) > 0 {
			t.Fatal(rerr)
		}
		return false
	}
	saved, lerr := LoadHistory(bytes.NewReader(data))
	if lerr != nil || len(saved.Steps) != len(h.Steps) || saved.Outcome().End != h.Outcome().End {
		t.Fatalf("the file has %d steps and the history %d: %v", len(saved.Steps), len(h.Steps), lerr)
	}
	return err == nil
}

// A run that is cancelled when an action has been approved and not begun yet
// must not list it among those of which nobody knows whether they took effect.
func TestCanceledBeforeAnActionBegins(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cfg := quick(t, model(func(int, *llm.Request) string { return say(`{"work":{}}`, `{"work":{}}`) }))
	if err := cfg.Tools.Replace(registry.Spec{Name: "work", Description: "Do something."}, func(context.Context) error {
		t.Error("the action ran")
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	cfg.Approve = func(context.Context, Proposal) error { cancel(); return nil }
	h, err := Run(ctx, "task", cfg)
	if !errors.Is(err, context.Canceled) || len(h.Steps) != 1 {
		t.Fatalf("error %v, %d steps", err, len(h.Steps))
	}
	if s := h.Steps[0]; s.Status != StepInterrupted || len(s.Actions) != 0 || s.NotRun != 2 || s.NotRunWhy != "the step was interrupted" {
		t.Errorf("%+v", s)
	}
}

// TestCanceledInside cancels from within everything that takes time.
func TestCanceledInside(t *testing.T) {
	cause := errors.New("enough")
	for _, tt := range []struct {
		name string
		set  func(cfg *Config, m *llmtest.Script, cancel func())
		ran  int // actions in the history
	}{
		{"step start", func(cfg *Config, _ *llmtest.Script, cancel func()) {
			cfg.Hooks.StepStart = func(context.Context, int) error { cancel(); return nil }
		}, 0},
		{"the model", func(_ *Config, m *llmtest.Script, cancel func()) {
			m.Func = func(int, *llm.Request) llmtest.Answer {
				cancel()
				return llmtest.Answer{Text: say(`{"work":{}}`), Delay: time.Hour}
			}
		}, 0},
		{"the planner", func(cfg *Config, _ *llmtest.Script, cancel func()) {
			cfg.Planner.LLM = llm.ClientFunc(func(ctx context.Context, _ *llm.Request) (*llm.Response, error) {
				cancel()
				<-ctx.Done()
				return nil, context.Cause(ctx)
			})
		}, 0},
		{"a rate limit", func(cfg *Config, m *llmtest.Script, cancel func()) {
			cfg.Limits.RetryDelay = time.Hour
			m.Func = func(int, *llm.Request) llmtest.Answer {
				cancel()
				return llmtest.Fail(&llm.Error{Kind: llm.ErrRateLimit})
			}
		}, 0},
		{"decided", func(cfg *Config, _ *llmtest.Script, cancel func()) {
			cfg.Hooks.Decided = func(context.Context, int, Page, *Answer) error { cancel(); return nil }
		}, 0},
		{"the approver", func(cfg *Config, _ *llmtest.Script, cancel func()) {
			cfg.Approve = func(ctx context.Context, _ Proposal) error { cancel(); <-ctx.Done(); return ctx.Err() }
		}, 0},
		{"an action", func(cfg *Config, _ *llmtest.Script, cancel func()) {
			cfg.Tools = simpleTools()
			_ = cfg.Tools.Replace(registry.Spec{Name: "work", Description: "Wait."}, func(ctx context.Context) error { cancel(); <-ctx.Done(); return ctx.Err() })
		}, 1},
		{"step end", func(cfg *Config, _ *llmtest.Script, cancel func()) {
			cfg.Hooks.StepEnd = func(context.Context, *Step) error { cancel(); return nil }
		}, 1},
		{"a pause", func(cfg *Config, _ *llmtest.Script, cancel func()) {
			cfg.Hooks.ShouldStop = func(context.Context) bool { cancel(); return false }
		}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := model(func(int, *llm.Request) string { return say(`{"work":{}}`) })
			cfg := quick(t, m)
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			tt.set(&cfg, m, func() { cancel(cause) })
			h, err := Run(ctx, "task", cfg)
			if !errors.Is(err, cause) {
				t.Errorf("error %v, want the cause", err)
			}
			if n := len(h.Actions()); n != tt.ran {
				t.Errorf("%d actions in the history, want %d", n, tt.ran)
			}
			if h.Outcome().End != EndCanceled {
				t.Errorf("outcome %+v", h.Outcome())
			}
		})
	}
}

func TestStop(t *testing.T) {
	t.Run("while the model thinks", func(t *testing.T) {
		var a *Agent
		m := &llmtest.Script{Func: func(int, *llm.Request) llmtest.Answer {
			a.Stop()
			return llmtest.Answer{Text: say(`{"work":{}}`), Delay: time.Hour}
		}}
		a, _ = New("task", quick(t, m))
		h, err := a.Run(t.Context())
		if !errors.Is(err, ErrStopped) || len(h.Steps) != 1 || h.Steps[0].Status != StepInterrupted || len(h.Actions()) != 0 {
			t.Errorf("error %v, steps %+v", err, h.Steps)
		}
	})
	t.Run("the running action is finished and kept", func(t *testing.T) {
		var a *Agent
		m := model(func(int, *llm.Request) string { return say(`{"work":{}}`, `{"look":{}}`) })
		cfg := quick(t, m)
		_ = cfg.Tools.Replace(registry.Spec{Name: "work", Description: "Work."}, func(context.Context) (string, error) { a.Stop(); return "done it", nil })
		a, _ = New("task", cfg)
		h, err := a.Run(t.Context())
		s := h.Steps[0]
		if !errors.Is(err, ErrStopped) || len(s.Actions) != 1 || s.Actions[0].Result.Text != "done it" || s.NotRun != 1 || s.Status != StepInterrupted {
			t.Errorf("error %v, step %+v", err, s)
		}
		if h.Outcome().End != EndStopped {
			t.Errorf("outcome %+v", h.Outcome())
		}
	})
	t.Run("and run again", func(t *testing.T) {
		var a *Agent
		m := &llmtest.Script{}
		m.Func = func(n int, req *llm.Request) llmtest.Answer {
			if n == 1 {
				a.Stop()
				return llmtest.Answer{Text: say(`{"work":{}}`), Delay: time.Hour}
			}
			if n == 2 {
				if !strings.Contains(allText(req), "Step 1") || !strings.Contains(allText(req), "Step 2") {
					t.Error("the second run does not know the first")
				}
				return llmtest.Text(finished("in the end", true))
			}
			return llmtest.Text(say(`{"work":{}}`))
		}
		a, _ = New("task", quick(t, m))
		if _, err := a.Run(t.Context()); !errors.Is(err, ErrStopped) {
			t.Fatalf("error %v", err)
		}
		h, err := a.Run(t.Context())
		if err != nil || h.Final() != "in the end" || len(h.Steps) != 3 || h.Steps[2].Number != 3 {
			t.Errorf("error %v, %d steps", err, len(h.Steps))
		}
		if _, err := a.Run(t.Context()); !errors.Is(err, ErrFinished) {
			t.Errorf("a third run: %v", err)
		}
	})
	t.Run("by a hook", func(t *testing.T) {
		m := model(func(int, *llm.Request) string { return say(`{"work":{}}`) })
		cfg := quick(t, m)
		n := 0
		cfg.Hooks.ShouldStop = func(context.Context) bool { n++; return n > 2 }
		if _, err := Run(t.Context(), "task", cfg); !errors.Is(err, ErrStopped) {
			t.Errorf("error %v", err)
		}
		cfg = quick(t, m)
		why := errors.New("the shop closes at six")
		cfg.Hooks.Check = func(context.Context) error { return why }
		h, err := Run(t.Context(), "task", cfg)
		if !errors.Is(err, why) || len(h.Steps) != 0 {
			t.Errorf("error %v, %d steps", err, len(h.Steps))
		}
	})
	t.Run("by breaking off", func(t *testing.T) {
		m := model(func(int, *llm.Request) string { return say(`{"work":{}}`) })
		a, _ := New("task", quick(t, m))
		var got []int
		for s, err := range a.Steps(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, s.Number)
			if s.Number == 2 {
				break
			}
		}
		if !slices.Equal(got, []int{1, 2}) || m.Calls() != 2 || a.History().Outcome().End != EndStopped {
			t.Errorf("steps %v, %d calls, %+v", got, m.Calls(), a.History().Outcome())
		}
	})
	t.Run("Steps yields the error last", func(t *testing.T) {
		m := &llmtest.Script{Answers: []llmtest.Answer{llmtest.Text(say(`{"work":{}}`)), llmtest.Fail(&llm.Error{Kind: llm.ErrAuth})}}
		a, _ := New("task", quick(t, m))
		var steps int
		var last error
		for s, err := range a.Steps(t.Context()) {
			if s != nil {
				steps++
			}
			last = err
		}
		if steps != 2 || !errors.Is(last, llm.ErrAuth) {
			t.Errorf("%d steps, error %v", steps, last)
		}
	})
}

func TestOneRunAtATime(t *testing.T) {
	var a *Agent
	var inner, add error
	m := model(func(int, *llm.Request) string {
		_, inner = a.Run(context.Background())
		add = a.AddTask("more")
		return finished("ok", true)
	})
	a, _ = New("task", quick(t, m))
	if _, err := a.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(inner, ErrRunning) || !errors.Is(add, ErrRunning) {
		t.Errorf("a second run: %v; a task during a run: %v", inner, add)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Run(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

func TestCloseStopsARun(t *testing.T) {
	asked := make(chan struct{})
	m := &llmtest.Script{Func: func(int, *llm.Request) llmtest.Answer {
		close(asked)
		return llmtest.Answer{Text: say(`{"work":{}}`), Delay: time.Hour}
	}}
	a, _ := New("task", quick(t, m))
	ended := make(chan error, 1)
	go func() { _, err := a.Run(context.Background()); ended <- err }()
	<-asked
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, ErrStopped) {
		t.Errorf("error %v", err)
	}
}

func TestTell(t *testing.T) {
	var a *Agent
	m := model(func(n int, req *llm.Request) string {
		switch n {
		case 0:
			a.Tell("take the blue one")
			return say(`{"work":{}}`)
		case 1, 2:
			if !strings.Contains(allText(req), "Message from the user during the work:\ntake the blue one") {
				t.Errorf("call %d does not know the message", n)
			}
		}
		if n == 1 {
			return say(`{"work":{}}`)
		}
		return finished("ok", true)
	})
	a, _ = New("task", quick(t, m))
	if _, err := a.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestStepClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, c := startClock(t.Context(), time.Minute)
		release := c.hold()
		time.Sleep(time.Hour)
		if ctx.Err() != nil {
			t.Error("a held clock ran out")
		}
		inner := c.hold()
		release()
		time.Sleep(time.Hour)
		if ctx.Err() != nil {
			t.Error("a clock held twice ran out after one release")
		}
		inner()
		inner()
		time.Sleep(59 * time.Second)
		if ctx.Err() != nil {
			t.Error("the clock ran out early")
		}
		time.Sleep(2 * time.Second)
		var timeout *stepTimeout
		if !errors.As(context.Cause(ctx), &timeout) {
			t.Errorf("cause %v", context.Cause(ctx))
		}
		if held := c.end(); held != 2*time.Hour {
			t.Errorf("held for %s", held)
		}
	})
}

func TestStepTimeoutIsAFailedStep(t *testing.T) {
	m := model(func(n int, req *llm.Request) string {
		if n == 0 {
			return say(`{"work":{}}`)
		}
		if !strings.Contains(allText(req), "longer than") {
			t.Error("the model is not told that the step timed out")
		}
		return finished("ok", true)
	})
	cfg := quick(t, m)
	cfg.Limits.Step = 200 * time.Millisecond
	_ = cfg.Tools.Replace(registry.Spec{Name: "work", Description: "Hang."}, func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
	h, err := Run(t.Context(), "task", cfg)
	if err != nil || len(h.Steps) != 2 || h.Steps[0].Status != StepFailed || !strings.Contains(h.Steps[0].Error, "longer than") {
		t.Errorf("error %v, steps %+v", err, h.Steps[0])
	}
	if x := h.Steps[0].Actions; len(x) != 1 || !strings.Contains(x[0].Result.Error, "not known whether it took effect") {
		t.Errorf("the hanging action: %+v", x)
	}
}

func TestStepTimeoutWhileTheModelThinks(t *testing.T) {
	m := &llmtest.Script{Func: func(n int, req *llm.Request) llmtest.Answer {
		if n == 0 {
			return llmtest.Answer{Text: say(`{"work":{}}`), Delay: time.Hour}
		}
		if !strings.Contains(allText(req), "FAILED: the step took longer than") {
			t.Error("the model is not told that the step timed out")
		}
		return llmtest.Text(finished("ok", true))
	}}
	cfg := quick(t, m)
	cfg.Limits.Step = 200 * time.Millisecond
	h, err := Run(t.Context(), "task", cfg)
	if err != nil || len(h.Steps) != 2 || h.Steps[0].Status != StepFailed {
		t.Errorf("error %v, %+v", err, h.Steps[0])
	}
}

func TestARunAfterTooManyFailuresStartsAfresh(t *testing.T) {
	m := model(func(n int, _ *llm.Request) string {
		if n < 2 {
			return say(`{"fail":{}}`)
		}
		return finished("ok", true)
	})
	cfg := quick(t, m)
	cfg.Limits.Failures, cfg.Limits.NoFinalAnswer = 2, true
	a, _ := New("task", cfg)
	var fe *FailureError
	if _, err := a.Run(t.Context()); !errors.As(err, &fe) {
		t.Fatalf("error %v", err)
	}
	if h, err := a.Run(t.Context()); err != nil || h.Final() != "ok" {
		t.Errorf("error %v", err)
	}
}
