package agent

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/internal/demosite"
)

// One Chrome and one demosite serve the whole package; each test gets a
// session of its own.
var (
	chromeOnce sync.Once
	chrome     *browser.Browser
	chromeErr  error
	site       *demosite.Server
)

func TestMain(m *testing.M) {
	code := m.Run()
	if chrome != nil {
		if err := chrome.Close(); err != nil {
			fmt.Fprintln(os.Stderr, "close Chrome:", err)
			code = max(code, 1)
		}
	}
	if site != nil {
		_ = site.Close()
	}
	os.Exit(code)
}

// session opens an isolated session in the shared Chrome.
func session(t testing.TB) *browser.Session {
	t.Helper()
	startChrome(t)
	s, err := chrome.NewSession(t.Context(), browser.Config{})
	if err != nil {
		t.Fatalf("new session: %v", err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// startChrome starts what the package's tests share.
func startChrome(t testing.TB) {
	t.Helper()
	chromeOnce.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		defer cancel()
		if site, chromeErr = demosite.Start(context.Background(), demosite.Config{}); chromeErr != nil {
			return
		}
		chrome, chromeErr = browser.Launch(ctx, browser.Config{NoSandbox: true, CallTimeout: 2 * time.Minute})
	})
	if chromeErr != nil {
		t.Fatalf("start: %v", chromeErr)
	}
}

var shared *browser.Session

// blankSession is one session on about:blank that tests of the loop share: they
// run one after the other and leave nothing behind.
func blankSession(t testing.TB) *browser.Session {
	t.Helper()
	if shared == nil || !shared.Alive() {
		startChrome(t)
		var err error
		if shared, err = chrome.NewSession(context.Background(), browser.Config{}); err != nil {
			t.Fatalf("new session: %v", err)
		}
	}
	if currentURL(shared) != "about:blank" {
		if _, err := shared.Navigate(t.Context(), "about:blank"); err != nil {
			t.Fatalf("clear the page: %v", err)
		}
	}
	return shared
}
