package agent

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// whenPaused is a log that calls f each time the run says that it is paused.
func whenPaused(f func()) *slog.Logger {
	return slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.MessageKey && a.Value.String() == "paused" {
			go f()
		}
		return a
	}}))
}

func TestPause(t *testing.T) {
	t.Run("during the model call, page unchanged: the answer counts", func(t *testing.T) {
		var a *Agent
		m := model(func(n int, _ *llm.Request) string {
			if n == 0 {
				a.Pause()
				return say(`{"work":{}}`)
			}
			return finished("ok", true)
		})
		cfg := quick(t, m)
		cfg.Logger = whenPaused(func() {
			time.Sleep(20 * time.Millisecond) // so that there is something to measure
			a.Resume()
		})
		a, _ = New("task", cfg)
		h, err := a.Run(t.Context())
		if err != nil || len(h.Steps) != 2 || m.Calls() != 2 || h.Steps[0].Timing.Held == 0 {
			t.Errorf("error %v, %d steps, %d calls", err, len(h.Steps), m.Calls())
		}
	})
	t.Run("during the model call, page changed by a person: asked again", func(t *testing.T) {
		s := session(t)
		var a *Agent
		var worked atomic.Int64
		m := model(func(n int, req *llm.Request) string {
			switch n {
			case 0:
				a.Pause()
				return say(`{"work":{}}`)
			case 1:
				if !strings.Contains(lastText(req), "/offers") || !strings.Contains(lastText(req), "page has changed") {
					t.Error("the model is not shown the new page")
				}
			}
			return finished("ok", true)
		})
		cfg := quick(t, m)
		cfg.Browser = s
		cfg.Logger = whenPaused(func() {
			if _, err := s.Navigate(context.Background(), site.URL+"/offers"); err != nil {
				t.Error(err)
			}
			a.Resume()
		})
		_ = cfg.Tools.Replace(registry.Spec{Name: "work", Description: "Work."}, func(context.Context) error { worked.Add(1); return nil })
		a, _ = New("task", cfg)
		h, err := a.Run(t.Context())
		if err != nil || worked.Load() != 0 || len(h.Steps) != 1 || m.Calls() != 2 {
			t.Errorf("error %v, worked %d times, %d steps, %d calls", err, worked.Load(), len(h.Steps), m.Calls())
		}
	})
	t.Run("between two actions", func(t *testing.T) {
		var a *Agent
		m := model(func(n int, req *llm.Request) string {
			if n == 0 {
				return say(`{"work":{}}`, `{"look":{}}`)
			}
			if !strings.Contains(allText(req), "Not run: 1 further action, because the run was paused") {
				t.Error("the model is not told what was not run")
			}
			return finished("ok", true)
		})
		cfg := quick(t, m)
		_ = cfg.Tools.Replace(registry.Spec{Name: "work", Description: "Work."}, func(context.Context) (string, error) {
			a.Pause()
			return "worked", nil
		})
		cfg.Logger = whenPaused(func() { a.Resume() })
		a, _ = New("task", cfg)
		h, err := a.Run(t.Context())
		if err != nil || len(h.Steps) != 2 || len(h.Steps[0].Actions) != 1 {
			t.Errorf("error %v, %+v", err, h.Steps[0])
		}
	})
	t.Run("a paused run can be stopped and cancelled", func(t *testing.T) {
		m := model(func(int, *llm.Request) string { return say(`{"work":{}}`) })
		a, _ := New("task", quick(t, m))
		a.Pause()
		time.AfterFunc(20*time.Millisecond, a.Stop)
		if _, err := a.Run(t.Context()); !errors.Is(err, ErrStopped) || m.Calls() != 0 {
			t.Errorf("error %v", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if _, err := a.Run(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		a.Resume()
		a.Resume()
		if a.Paused() {
			t.Error("still paused")
		}
	})
}
