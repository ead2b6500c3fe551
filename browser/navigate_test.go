package browser

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A page that pushes the address it has already, as menus and dialogs of
// single-page applications do, leaves an entry to go back over all the same.
func TestBackWithinOneAddress(t *testing.T) {
	s, url := open(t, html(`<title>0</title><script>onpopstate = (e) => { document.title = e.state || 0 }</script>`))
	mustEval[any](t, s, `history.replaceState(0, ''), history.pushState(1, '', location.href), void (document.title = 1)`)
	ctx := testContext(t)
	nav, err := s.Back(ctx)
	if err != nil || nav.URL != url+"/" || mustEval[string](t, s, `document.title`) != "0" {
		t.Fatalf("back = %+v, %v", nav, err)
	}
	if nav, err = s.Forward(ctx); err != nil || mustEval[string](t, s, `document.title`) != "1" {
		t.Fatalf("forward = %+v, %v", nav, err)
	}
}

// What a reload comes to need not be a page.
func TestReloadThatBringsNoPage(t *testing.T) {
	var times atomic.Int32
	mux := http.NewServeMux()
	later := func(then http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if times.Add(1) == 1 {
				html(`<title>was here</title>`)(w, r)
				return
			}
			then(w, r)
		}
	}
	mux.HandleFunc("/204", later(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	mux.HandleFunc("/file", later(attachment("file.csv", "a,b")))
	mux.HandleFunc("/", html(`x`))
	s, url := open(t, mux)
	for path, want := range map[string]Navigation{
		"/204":  {URL: url + "/204", Status: 204, Reason: "the server answered without content; the page stayed"},
		"/file": {URL: url + "/file", Download: true},
	} {
		times.Store(0)
		ctx := testContext(t)
		if _, err := s.Navigate(ctx, url+path); err != nil {
			t.Fatal(err)
		}
		nav, err := s.Reload(ctx)
		if err != nil || *nav != want {
			t.Errorf("%s: reload = %+v, %v; want %+v", path, nav, err, want)
		}
		if title := mustEval[string](t, s, `document.title`); title != "was here" {
			t.Errorf("%s: title = %q", path, title)
		}
	}
}

// Chrome's own page about a failure is no success, however the tab came there.
func TestErrorPageIsAnError(t *testing.T) {
	dead := httptest.NewServer(html(`<title>alive</title>`))
	mux := http.NewServeMux()
	mux.HandleFunc("/", html(`x`))
	mux.HandleFunc("/hop", html(`<script>location.href = '`+dead.URL+`/next'</script>`))
	s, url := open(t, mux)
	ctx := testContext(t)
	if _, err := s.Navigate(ctx, dead.URL); err != nil {
		t.Fatal(err)
	}
	dead.Close()
	refused := func(name, at string, nav *Navigation, err error) {
		t.Helper()
		var nerr *NavigationError
		if !errors.As(err, &nerr) || nerr.URL != at || !strings.Contains(nerr.Text, "REFUSED") {
			t.Errorf("%s: %+v, %v", name, nav, err)
		}
	}
	nav, err := s.Reload(ctx)
	refused("reload", dead.URL+"/", nav, err)
	nav, err = s.Navigate(ctx, url+"/hop")
	refused("scripted redirect", dead.URL+"/next", nav, err)
	if nav, err = s.Navigate(ctx, url+"/hop"); err == nil {
		t.Errorf("again: %+v", nav)
	}
	nav, err = s.Navigate(WhenLoaded(ctx), url+"/hop")
	refused("when loaded", dead.URL+"/next", nav, err)
	// The tab is as good as before.
	if nav, err := s.Navigate(ctx, url+"/"); err != nil || nav.Status != 200 {
		t.Errorf("after it: %+v, %v", nav, err)
	}
}

// hungSession has a page whose script never ends.
func hungSession(t *testing.T, url string) *Session {
	t.Helper()
	s := downloadSession(t, Config{HangTimeout: 300 * time.Millisecond})
	if _, err := s.Navigate(testContext(t), url); err != nil {
		t.Fatal(err)
	}
	hangPage(t, s)
	return s
}

func hangPage(t *testing.T, s *Session) {
	t.Helper()
	mustEval[any](t, s, `void setInterval(() => { for (;;) {} }, 0)`)
	short, cancel := context.WithTimeout(testContext(t), 300*time.Millisecond)
	defer cancel()
	for {
		if _, err := Evaluate[int](short, s, `1`); err != nil {
			return
		}
	}
}

// The way out of a page that hangs is to open another; it must not hang too.
func TestNavigateAwayFromAHungPage(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/", html(`<title>busy</title>`))
	mux.HandleFunc("/next", html(`<title>next</title>`))
	url := serveMux(t, mux)
	s := hungSession(t, url)
	nav, err := s.Navigate(testContext(t), url+"/next")
	if err != nil || nav.URL != url+"/next" {
		t.Fatalf("navigate = %+v, %v", nav, err)
	}
	if title := mustEval[string](t, s, `document.title`); title != "next" {
		t.Fatalf("title = %q", title)
	}
	waitUntil(t, func() bool { return len(s.Tabs()) == 1 })
}

func TestCloseTabOfAHungPage(t *testing.T) {
	url := serveMux(t, html(`<title>busy</title>`))
	s := downloadSession(t, Config{HangTimeout: time.Second})
	ctx := testContext(t)
	if _, err := s.NewTab(ctx, url); err != nil {
		t.Fatal(err)
	}
	hung := s.Tabs()[1]
	mustEval[any](t, s, `onbeforeunload = () => {}, void setTimeout(() => { for (;;) {} }, 0)`)
	if err := s.CloseTab(ctx, hung.ID); err != nil {
		t.Fatal(err)
	}
	if tabs := s.Tabs(); len(tabs) != 1 || tabs[0].ID == hung.ID {
		t.Fatalf("tabs = %+v", tabs)
	}
	if mustEval[int](t, s, `6 * 7`) != 42 {
		t.Fatal("the other tab")
	}
}

// A page with unsaved text stays when whoever is asked says so, which is not
// having left it.
func TestPageThatIsAllowedToStay(t *testing.T) {
	url := serveMux(t, html(`<title>form</title><input id=i autofocus><script>onbeforeunload = (e) => e.preventDefault()</script>`))
	s := downloadSession(t, Config{OnDialog: func(Dialog) DialogAnswer { return DialogAnswer{} }})
	ctx := testContext(t)
	if _, err := s.Navigate(ctx, url); err != nil {
		t.Fatal(err)
	}
	for _, typ := range []string{"mousePressed", "mouseReleased"} {
		if err := s.Call(ctx, "Input.dispatchMouseEvent", map[string]any{"type": typ, "x": 20, "y": 20, "button": "left", "clickCount": 1}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Call(ctx, "Input.insertText", map[string]any{"text": "typed"}, nil); err != nil {
		t.Fatal(err)
	}
	if nav, err := s.Reload(ctx); err == nil || !strings.Contains(err.Error(), "answered no") {
		t.Errorf("reload: %+v, %v", nav, err)
	}
	// Chrome does not ask a second time in a row; it stays all the same.
	if nav, err := s.Navigate(ctx, url+"/next"); err == nil {
		t.Errorf("navigate: %+v, %v", nav, err)
	}
	if nav, err := s.Navigate(ctx, url+"/next"); err == nil || !strings.Contains(err.Error(), "answered no") {
		t.Errorf("navigate again: %+v, %v", nav, err)
	}
	if got := mustEval[string](t, s, `document.title + i.value`); got != "formtyped" {
		t.Errorf("the page is %q", got)
	}
}

func TestSwitchToACrashedTab(t *testing.T) {
	url := serveMux(t, html(`<title>page</title>`))
	s := newTestSession(t)
	ctx := testContext(t)
	first := s.Tabs()[0].ID
	if _, err := s.NewTab(ctx, url); err != nil {
		t.Fatal(err)
	}
	second := s.Tabs()[1].ID
	tb, err := s.active(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SwitchTab(ctx, first); err != nil {
		t.Fatal(err)
	}
	tb.sess.send("Page.crash", nil)
	waitEvent(t, s, is(func(e Crashed) bool { return e.Tab == second }))
	if err := s.SwitchTab(ctx, second); err != nil {
		t.Fatal(err)
	}
	if title := mustEval[string](t, s, `document.title`); title != "page" {
		t.Fatalf("title = %q", title)
	}
}

// Every call has an end, also for a caller who set none.
func TestCallsAreBoundedWithoutADeadline(t *testing.T) {
	s := downloadSession(t, Config{CallTimeout: 200 * time.Millisecond})
	_, err := Evaluate[int](context.Background(), s, `new Promise(() => {})`)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "no answer from Chrome within 200ms") {
		t.Errorf("evaluate: %v", err)
	}
	err = s.Call(context.Background(), "Runtime.evaluate", map[string]any{"expression": "new Promise(() => {})", "awaitPromise": true}, nil)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("raw: %v", err)
	}
}

func TestCompleteURL(t *testing.T) {
	for in, want := range map[string]string{
		"example.com": "https://example.com", " example.com/a b ": "https://example.com/a%20b", "localhost:3000/x": "http://localhost:3000/x",
		"127.0.0.1:8080": "http://127.0.0.1:8080", "[::1]:80/": "http://[::1]:80/", "example.com:8443/x": "https://example.com:8443/x",
		"about:blank": "about:blank", "data:text/html,x": "data:text/html,x", "file:///a": "file:///a", "HTTP://a.test": "HTTP://a.test",
		"//a.test/x": "", "": "", "what is this": "", "http://": "",
	} {
		got, err := completeURL(in)
		if (err == nil) != (want != "") || err == nil && got != want {
			t.Errorf("%q: %q, %v; want %q", in, got, err, want)
		}
	}
}

// Waiting for what a page is when it was there before its session.
func TestPageThatWasThereBeforeIsKnownToBeLoaded(t *testing.T) {
	s, url := open(t, html(`<title>page</title><script>1</script>`))
	ctx := testContext(t)
	first := newTestSession(t)
	if settled, err := first.WaitStable(ctx); err != nil || settled.Loading {
		t.Errorf("a new tab: %+v, %v", settled, err)
	}
	mustEval[any](t, s, fmt.Sprintf(`void window.open(%q)`, url))
	waitEvent(t, s, is(func(e TabOpened) bool { return e.Current }))
	if settled, err := s.WaitStable(ctx); err != nil || settled.Loading {
		t.Errorf("a popup: %+v, %v", settled, err)
	}
}
