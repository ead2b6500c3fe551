package browser

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// waitEvent takes events until one satisfies ok and returns all up to it.
func waitEvent(t testing.TB, s *Session, ok func(Event) bool) []Event {
	t.Helper()
	var all []Event
	deadline := time.Now().Add(time.Minute)
	for {
		batch := s.TakeEvents()
		for i, ev := range batch {
			all = append(all, ev)
			if ok(ev) {
				s.events.mu.Lock()
				s.events.pending = append(batch[i+1:], s.events.pending...)
				s.events.mu.Unlock()
				return all
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("the event did not come; got %v", all)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func is[E Event](ok func(E) bool) func(Event) bool {
	return func(ev Event) bool { e, is := ev.(E); return is && ok(e) }
}

// open starts a server for handler, and a session at its root.
func open(t testing.TB, handler http.Handler) (*Session, string) {
	t.Helper()
	srv := httptest.NewServer(handler)
	t.Cleanup(srv.Close)
	s := newTestSession(t)
	if _, err := s.Navigate(testContext(t), srv.URL+"/"); err != nil {
		t.Fatal(err)
	}
	s.TakeEvents()
	return s, srv.URL
}

func html(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html>"+body)
	}
}

func mustEval[T any](t testing.TB, s *Session, js string) T {
	t.Helper()
	v, err := Evaluate[T](testContext(t), s, js)
	if err != nil {
		t.Fatalf("%s: %v", js, err)
	}
	return v
}

func TestNavigationIsAnEventWithItsStatus(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/", html(`<title>start</title>`))
	mux.HandleFunc("/gone", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusGone)
		html("gone")(w, r)
	})
	s, url := open(t, mux)
	// By a script, when nobody watches the network.
	mustEval[any](t, s, `void (location.href = '/gone')`)
	waitEvent(t, s, is(func(e Navigated) bool { return e.URL == url+"/gone" && e.Status == 410 }))
	mustEval[any](t, s, `history.pushState(null, '', '/other')`)
	waitEvent(t, s, is(func(e Navigated) bool { return e.URL == url+"/other" && e.SameDocument }))
	mustEval[any](t, s, `void (location.href = 'http://127.0.0.1:1/')`)
	waitEvent(t, s, is(func(e Navigated) bool { return e.URL == "http://127.0.0.1:1/" && e.Error != "" }))
}

func TestTabsOpenAndCloseAsEvents(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/", html(`<a id=a target=_blank href=/in>open</a>`))
	mux.HandleFunc("/in", html(`<title>in</title>`))
	s, url := open(t, mux)
	opener := s.Tabs()[0].ID
	mustEval[any](t, s, `a.click()`)
	evs := waitEvent(t, s, is(func(e Navigated) bool { return e.URL == url+"/in" }))
	opened, ok := evs[0].(TabOpened)
	if !ok || !opened.Current || opened.Opener != opener {
		t.Fatalf("events = %v, want first that a tab was opened by %s and followed", evs, opener)
	}
	mustEval[any](t, s, `window.close()`)
	waitEvent(t, s, is(func(e TabClosed) bool { return e.Tab == opened.Tab && e.Current == opener }))
}

func TestPopupIsNotFollowedWhenAskedNotTo(t *testing.T) {
	b, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	s, err := b.NewSession(testContext(t), Config{NoFollow: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	first := s.Tabs()[0].ID
	mustEval[any](t, s, `void window.open('about:blank#pop')`)
	waitEvent(t, s, is(func(e TabOpened) bool { return e.Opener == first && !e.Current }))
	if tabs := s.Tabs(); len(tabs) != 2 || !tabs[0].Current {
		t.Fatalf("tabs = %+v", tabs)
	}
}

func TestEventsFeedsAnyNumberOfReaders(t *testing.T) {
	s, url := open(t, html("x"))
	ctx, cancel := context.WithCancel(testContext(t))
	defer cancel()
	one, two := s.Events(ctx), s.Events(ctx)
	if _, err := s.Navigate(ctx, url+"/second"); err != nil {
		t.Fatal(err)
	}
	for _, seq := range []func(func(Event) bool){one, two} {
		for ev := range seq {
			if n, ok := ev.(Navigated); ok && n.URL == url+"/second" && n.Status == 200 {
				break
			}
		}
	}
	closing := s.Events(ctx)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for range closing { // ends with the session
	}
	for range s.Events(ctx) {
	}
}

func TestEventQueueIsBounded(t *testing.T) {
	var l eventLog
	for i := range 10 * maxPendingEvents {
		l.add(TabClosed{Tab: fmt.Sprint(i)})
	}
	if n := len(l.pending); n != maxPendingEvents {
		t.Fatalf("%d events are kept", n)
	}
	if last := l.pending[len(l.pending)-1].(TabClosed); last.Tab != fmt.Sprint(10*maxPendingEvents-1) {
		t.Fatalf("the newest is %v", last)
	}
}
