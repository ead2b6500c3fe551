package browser

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

func port(host string) string {
	_, p, _ := net.SplitHostPort(host)
	return p
}

// hang answers when the test is over.
func hang(t testing.TB) http.HandlerFunc {
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	return func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-ctx.Done():
		case <-r.Context().Done():
		}
	}
}

// A picture that never comes must not hold the page up (faults F124).
func TestPageIsUsableThoughASubResourceNeverComes(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/", html(`<img src=/never>hello`))
	mux.HandleFunc("/never", hang(t))
	s, url := open(t, mux)
	nav, err := s.Navigate(testContext(t), url+"/")
	if err != nil || nav.Loading || nav.Status != 200 {
		t.Fatalf("navigate = %+v, %v", nav, err)
	}
	if text := mustEval[string](t, s, `document.body.innerText`); text != "hello" {
		t.Fatalf("text = %q", text)
	}
}

// A document whose bytes never end, and one whose script never comes, are
// usable after the cap, and the reason is told.
func TestPageThatNeverFinishesIsUsable(t *testing.T) {
	mux := http.NewServeMux()
	never := hang(t)
	mux.HandleFunc("/stream", func(w http.ResponseWriter, r *http.Request) {
		html(`<p>first part</p>`+strings.Repeat(" ", 4096))(w, r)
		w.(http.Flusher).Flush()
		never(w, r)
	})
	mux.HandleFunc("/script", html(`<p>first part</p><script src=/never></script>`))
	mux.HandleFunc("/never", never)
	mux.HandleFunc("/", html("x"))
	s, url := open(t, mux)
	s.cfg.ReadyTimeout = 300 * time.Millisecond
	for _, path := range []string{"/stream", "/script"} {
		nav, err := s.Navigate(testContext(t), url+path)
		if err != nil || !nav.Loading || nav.Reason == "" {
			t.Fatalf("%s: navigate = %+v, %v", path, nav, err)
		}
		if text := mustEval[string](t, s, `document.body.innerText`); text != "first part" {
			t.Fatalf("%s: text = %q", path, text)
		}
	}
}

func TestLongPollingAndSocketsDoNotCount(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/", html(`<script>
		fetch('/poll'); new EventSource('/stream'); new WebSocket('ws://'+location.host+'/sock');
		navigator.sendBeacon('/poll'); document.write('<video src=/poll></video>')</script>hello`))
	mux.HandleFunc("/poll", hang(t))
	mux.HandleFunc("/sock", hang(t))
	mux.HandleFunc("/stream", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	s, url := open(t, mux)
	s.cfg.ReadyTimeout = time.Minute // the test's own limit is shorter
	nav, err := s.Navigate(testContext(t), url+"/")
	if err != nil || nav.Loading {
		t.Fatalf("navigate = %+v, %v", nav, err)
	}
}

// Content that a script fetches is there when the wait ends.
func TestWaitCoversWhatTheScriptsFetch(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/", html(`<div id=d></div><script>
		const go = async (n) => { d.textContent = await (await fetch('/data?' + n)).text() };
		go('load');</script>`))
	mux.HandleFunc("/data", func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(250 * time.Millisecond) // the slow server is the point
		fmt.Fprint(w, "data for "+r.URL.RawQuery)
	})
	s, _ := open(t, mux)
	if text := mustEval[string](t, s, `d.textContent`); text != "data for load" {
		t.Fatalf("after navigation: %q", text)
	}
	ctx := testContext(t)
	tb, err := s.active(ctx)
	if err != nil {
		t.Fatal(err)
	}
	a := tb.watchActivity(ctx)
	defer a.stop()
	mustEval[any](t, s, `void go('click')`)
	settled, err := a.wait(ctx)
	if err != nil || !settled.Began || settled.Navigated || settled.Loading {
		t.Fatalf("settled = %+v, %v", settled, err)
	}
	if text := mustEval[string](t, s, `d.textContent`); text != "data for click" {
		t.Fatalf("after action: %q", text)
	}
}

func TestWaitTellsWhatAnActionBegan(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/", html(`<div id=d></div><script>1</script>`))
	mux.HandleFunc("/next", html(`<title>next</title>`))
	mux.HandleFunc("/204", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) })
	s, url := open(t, mux)
	for _, tt := range []struct {
		name, js string
		want     Settled
	}{
		{"nothing", `1`, Settled{}},
		{"page changed", `void (d.textContent = 'changed')`, Settled{Began: true}},
		{"page changes for a while", `(() => { let n = 0; const i = setInterval(() => { d.append(document.createElement('p')); if (++n == 5) clearInterval(i) }, 50) })()`, Settled{Began: true}},
		{"another address of the same document", `void (location.hash = 'x')`, Settled{Began: true}},
		{"no content", `void (location.href = '/204')`, Settled{Began: true}},
		{"navigation", `void (location.href = '/next')`, Settled{Began: true, Navigated: true}},
	} {
		ctx := testContext(t)
		tb, err := s.active(ctx)
		if err != nil {
			t.Fatal(err)
		}
		a := tb.watchActivity(ctx)
		mustEval[any](t, s, tt.js)
		got, err := a.wait(ctx)
		a.stop()
		if err != nil || got != tt.want {
			t.Errorf("%s: settled = %+v, %v; want %+v", tt.name, got, err, tt.want)
		}
	}
	if u := s.Tabs()[0].URL; u != url+"/next" {
		t.Fatalf("url = %s", u)
	}
}

func TestClockDoesNotKeepThePageBusy(t *testing.T) {
	s, _ := open(t, html(`<div id=d></div><script>setInterval(() => { d.textContent = Date.now() }, 20)</script>`))
	s.cfg.ReadyTimeout = time.Minute
	if settled, err := s.WaitStable(testContext(t)); err != nil || settled.Loading {
		t.Fatalf("settled = %+v, %v", settled, err)
	}
}

// A page that sends the browser on before it has loaded must not cost the
// whole wait: the tab ends at the last document.
func TestNavigationFollowsAScriptedRedirect(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/", html(`x`))
	mux.HandleFunc("/hop", html(`<script>location.replace('/meta')</script>`))
	mux.HandleFunc("/meta", html(`<meta http-equiv=refresh content="0;url=/end">`))
	mux.HandleFunc("/end", html(`<title>end</title>`))
	s, url := open(t, mux)
	nav, err := s.Navigate(testContext(t), url+"/hop")
	if err != nil || nav.URL != url+"/end" || nav.Status != 200 {
		t.Fatalf("navigate = %+v, %v", nav, err)
	}
}

func TestAnswerWithoutContentIsNoFailure(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/", html(`x`))
	mux.HandleFunc("/204", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) })
	s, url := open(t, mux)
	nav, err := s.Navigate(testContext(t), url+"/204")
	if err != nil || nav.Status != 204 || nav.URL != url+"/" {
		t.Fatalf("navigate = %+v, %v", nav, err)
	}
}

func TestServerThatNeverAnswersIsBounded(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/", html(`<title>was here</title>`))
	mux.HandleFunc("/never", hang(t))
	s, url := open(t, mux)
	s.cfg.NavigateTimeout = 300 * time.Millisecond
	_, err := s.Navigate(testContext(t), url+"/never")
	if err == nil || !strings.Contains(err.Error(), "no document came within 300ms") {
		t.Fatalf("err = %v", err)
	}
	if title := mustEval[string](t, s, `document.title`); title != "was here" {
		t.Fatalf("title = %q", title)
	}
}
