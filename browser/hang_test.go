package browser

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"
)

func TestHangingScriptIsStopped(t *testing.T) {
	b, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	other := newTestSession(t)
	s, err := b.NewSession(testContext(t), Config{HangTimeout: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	url := serveMux(t, html(`<title>loop</title>`))
	ctx := testContext(t)
	if _, err := s.Navigate(ctx, url); err != nil {
		t.Fatal(err)
	}
	loop := func(js string) {
		t.Helper()
		mustEval[any](t, s, js)
		short, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		// The page hangs a moment later; some call runs out of time.
		for {
			if _, err := Evaluate[int](short, s, `1`); err != nil {
				return
			}
		}
	}
	// Once: stopping the script gives the page back (faults F126).
	loop(`void setTimeout(() => { for (;;) {} }, 10)`)
	waitEvent(t, s, is(func(e Hung) bool { return e.Replaced == "" && e.URL == url+"/" }))
	if got := mustEval[string](t, s, `document.title`); got != "loop" {
		t.Fatalf("title = %q", got)
	}
	// Again and again: the tab is replaced, other tabs go on.
	loop(`void setInterval(() => { for (;;) {} }, 0)`)
	waitEvent(t, s, is(func(e Hung) bool { return e.Replaced != "" }))
	if got := mustEval[int](t, other, `40 + 2`); got != 42 {
		t.Fatal("another session's tab is affected")
	}
	if _, err := s.Navigate(ctx, url); err != nil {
		t.Fatalf("the new tab: %v", err)
	}
	waitUntil(t, func() bool { return len(s.Tabs()) == 1 })
}

// One renderer dies: what waits for it fails at once, the next call has the
// page again, other tabs do not notice.
func TestKilledRenderer(t *testing.T) {
	url := serveMux(t, html(`<title>page</title>`))
	ctx := testContext(t)
	s, err := New(ctx, Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Navigate(ctx, url); err != nil {
		t.Fatal(err)
	}
	waiting := make(chan error, 1)
	go func() {
		_, err := Evaluate[any](ctx, s, `new Promise(() => {})`)
		waiting <- err
	}()
	waitUntil(t, func() bool { s.b.conn.mu.Lock(); defer s.b.conn.mu.Unlock(); return len(s.b.conn.pending) > 0 })
	killRenderers(t, s)
	if err := <-waiting; !errors.Is(err, ErrCrashed) {
		t.Fatalf("the call on its way: %v", err)
	}
	waitEvent(t, s, is(func(e Crashed) bool { return e.URL == url+"/" }))
	if got := mustEval[string](t, s, `document.title`); got != "page" {
		t.Fatalf("the page is not there again: %q", got)
	}
	if !s.Alive() {
		t.Fatal("the session ended")
	}

	// And the whole browser: the same typed error from every call.
	s.b.proc.cmd.Process.Kill()
	for name, call := range map[string]func() error{
		"state":      func() error { _, err := s.State(ctx, StateOptions{}); return err },
		"screenshot": func() error { _, err := s.Screenshot(ctx, ScreenshotOptions{}); return err },
		"evaluate":   func() error { _, err := Evaluate[int](ctx, s, "1"); return err },
		"raw":        func() error { return s.Call(ctx, "Page.enable", nil, nil) },
		"browser":    func() error { return s.CallBrowser(ctx, "Browser.getVersion", nil, nil) },
		"new tab":    func() error { _, err := s.NewTab(ctx, ""); return err },
		"back":       func() error { _, err := s.Back(ctx); return err },
		"stable":     func() error { _, err := s.WaitStable(ctx); return err },
		"storage":    func() error { _, err := s.StorageState(ctx); return err },
	} {
		if err := call(); !errors.Is(err, ErrDisconnected) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func killRenderers(t testing.TB, s *Session) {
	t.Helper()
	var info struct {
		ProcessInfo []struct {
			Type string
			ID   int
		}
	}
	if err := s.CallBrowser(testContext(t), "SystemInfo.getProcessInfo", nil, &info); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, p := range info.ProcessInfo {
		if p.Type == "renderer" {
			if proc, err := os.FindProcess(p.ID); err == nil && proc.Kill() == nil {
				n++
			}
		}
	}
	if n == 0 {
		t.Fatalf("no renderer among %v", info)
	}
}
