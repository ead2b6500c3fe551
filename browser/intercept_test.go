package browser

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// site is one server under two names: what came to each is written down.
type site struct {
	mu   sync.Mutex
	hits map[string]int
	mux  *http.ServeMux
	good string // http://127.0.0.1:port
	bad  string // http://localhost:port
}

func newSite(t testing.TB) *site {
	st := &site{hits: make(map[string]int), mux: http.NewServeMux()}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := "good"
		if strings.HasPrefix(r.Host, "localhost") {
			name = "bad"
		}
		st.mu.Lock()
		st.hits[name+r.URL.Path]++
		st.mu.Unlock()
		st.mux.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	st.good = srv.URL
	st.bad = strings.Replace(srv.URL, "127.0.0.1", "localhost", 1)
	return st
}

func (st *site) count(name string) int {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.hits[name]
}

// reached lists the paths that were asked of the blocked name.
func (st *site) reached() []string {
	st.mu.Lock()
	defer st.mu.Unlock()
	var out []string
	for k := range st.hits {
		if strings.HasPrefix(k, "bad") {
			out = append(out, k)
		}
	}
	return out
}

func policySession(t testing.TB, p Policy) *Session {
	t.Helper()
	b, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	s, err := b.NewSession(testContext(t), Config{Policy: p})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// Every way off the allowed sites is stopped at the request; the tab stays on
// its last good page and the event names the rule (faults F027).
func TestPolicyHoldsOnEveryWayOut(t *testing.T) {
	st := newSite(t)
	st.mux.HandleFunc("/", html("<title>blocked</title>secret"))
	st.mux.HandleFunc("/start", func(w http.ResponseWriter, r *http.Request) {
		html(strings.ReplaceAll(`<title>start</title>
			<a id=link href="BAD/link">link</a> <a id=redirect href="/302">redirect</a> <a id=twice href="/302?two">redirect</a>
			<a id=blank target=_blank href="BAD/blank">tab</a> <a id=blankredirect target=_blank href="/302">tab</a>
			<form id=form method=post action="BAD/form"><input name=a value=b></form>
			<form id=formredirect method=post action="/307"><input name=a value=b></form>`, "BAD", st.bad))(w, r)
	})
	st.mux.HandleFunc("/302", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RawQuery == "two" {
			http.Redirect(w, r, "/302", http.StatusFound)
			return
		}
		http.Redirect(w, r, st.bad+"/redirected", http.StatusFound)
	})
	st.mux.HandleFunc("/307", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, st.bad+"/posted", http.StatusTemporaryRedirect)
	})
	st.mux.HandleFunc("/meta", func(w http.ResponseWriter, r *http.Request) {
		html(`<title>start</title><meta http-equiv=refresh content="0;url=`+st.bad+`/meta">`)(w, r)
	})
	s := policySession(t, Policy{Allow: []string{"127.0.0.1"}, Private: AccessAllow})
	ctx := testContext(t)
	for _, tt := range []struct{ name, page, js string }{
		{"link", "/start", "link.click()"},
		{"redirect", "/start", "redirect.click()"},
		{"two redirects", "/start", "twice.click()"},
		{"script", "/start", "void (location.href = 'BAD/script')"},
		{"replace", "/start", "location.replace('BAD/replace')"},
		{"form", "/start", "form.submit()"},
		{"form with 307", "/start", "formredirect.submit()"},
		{"meta refresh", "/meta", "1"},
		{"new tab", "/start", "blank.click()"},
		{"new tab by redirect", "/start", "blankredirect.click()"},
		{"window.open", "/start", "void window.open('BAD/open')"},
		{"window.open without opener", "/start", "void window.open('BAD/open', '_blank', 'noopener')"},
		{"script in a new tab", "/start", "void (window.open('about:blank').location = 'BAD/later')"},
		{"a download", "/start", "(() => { const a = document.createElement('a'); a.download = 'x'; a.href = '/302'; document.body.append(a); a.click() })()"},
		{"window.open from a frame", "/start", "void document.body.appendChild(document.createElement('iframe')).contentWindow.open('BAD/framed')"},
		{"a frame that takes its page along", "/start", "(() => { const f = document.createElement('iframe'); f.srcdoc = '<script>top.location = \"BAD/top\"</script' + '>'; document.body.append(f) })()"},
		{"blob in a new tab", "/start", "void window.open(URL.createObjectURL(new Blob(['x'], {type: 'text/html'})))"},
	} {
		s.TakeEvents()
		if _, err := s.Navigate(ctx, st.good+tt.page); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		mustEval[any](t, s, strings.ReplaceAll(tt.js, "BAD", st.bad))
		evs := waitEvent(t, s, is(func(e Blocked) bool { return e.What == "page" }))
		if msg := evs[len(evs)-1].String(); !strings.Contains(msg, "Allow") && !strings.Contains(msg, "blob") {
			t.Errorf("%s: the event names no rule: %s", tt.name, msg)
		}
		for deadline := time.Now().Add(20 * time.Second); len(s.Tabs()) > 1; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%s: the refused tab is still there: %+v", tt.name, s.Tabs())
			}
		}
		if title := mustEval[string](t, s, "document.title"); title != "start" {
			t.Errorf("%s: the tab is at %q", tt.name, title)
		}
	}
	if got := st.reached(); len(got) > 0 {
		t.Errorf("the blocked host was asked for %v", got)
	}

	// Asked for directly, and by way of a redirect, it is a typed error.
	for _, u := range []string{st.bad + "/direct", st.good + "/302"} {
		_, err := s.Navigate(ctx, u)
		var perr *PolicyError
		if !errors.Is(err, ErrBlocked) || !errors.As(err, &perr) || !strings.Contains(perr.Rule, "Allow") {
			t.Errorf("%s: err = %v", u, err)
		}
		if title := mustEval[string](t, s, "document.title"); title != "start" {
			t.Errorf("%s: the tab is at %q", u, title)
		}
	}
	if got := st.reached(); len(got) > 0 {
		t.Errorf("the blocked host was asked for %v", got)
	}
}

func TestPolicyHoldsInFrames(t *testing.T) {
	st := newSite(t)
	third := strings.Replace(st.bad, "localhost", "third.localhost", 1)
	st.mux.HandleFunc("/", html("blocked"))
	st.mux.HandleFunc("/start", func(w http.ResponseWriter, r *http.Request) {
		// An allowed cross-site frame that itself holds a blocked one, and
		// moves on to a blocked address.
		html(strings.ReplaceAll(`<title>start</title><iframe src="BAD/frame"></iframe><iframe src="`+third+`/nest"></iframe><iframe src="`+third+`/move"></iframe>
			<object data="BAD/object" type="text/html"></object><embed src="BAD/embed" type="text/html"><iframe name=f></iframe><iframe src="/meta"></iframe>
			<iframe srcdoc='<iframe src="BAD/in-srcdoc"></iframe>'></iframe><form id=post method=post target=f action="BAD/form"></form><script>post.submit()</script>`, "BAD", st.bad))(w, r)
	})
	st.mux.HandleFunc("/meta", html(`<meta http-equiv=refresh content="0;url=`+st.bad+`/meta">`))
	nested := html(`<iframe src="` + st.bad + `/nested"></iframe><script>onload = () => parent.postMessage('nest', '*')</script>`)
	st.mux.HandleFunc("/nest", nested)
	st.mux.HandleFunc("/move", html(`<script>location.href = "`+st.bad+`/moved"</script>`))
	s := policySession(t, Policy{Allow: []string{"127.0.0.1", "third.localhost"}, Private: AccessAllow})
	if _, err := s.Navigate(testContext(t), st.good+"/start"); err != nil {
		t.Fatal(err)
	}
	// The allowed frame's own frames are judged too.
	waitUntil(t, func() bool {
		return st.count("good/nest") == 1 && st.count("good/move") == 1 && st.count("good/meta") == 1
	})
	waitEvent(t, s, is(func(e Blocked) bool { return e.What == "frame" }))
	if _, err := s.WaitStable(testContext(t)); err != nil {
		t.Fatal(err)
	}
	if got := st.reached(); len(got) > 0 {
		t.Errorf("the blocked host was asked for %v", got)
	}
}

// What pages load besides documents has lists of its own (F028); with them,
// sockets, beacons and workers are held too (F029).
func TestPolicyForWhatPagesLoad(t *testing.T) {
	st := newSite(t)
	st.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "x") })
	st.mux.HandleFunc("/start", func(w http.ResponseWriter, r *http.Request) {
		html(strings.ReplaceAll(`<title>start</title><img src="BAD/img"><script src="BAD/script.js"></script>
		<link rel=stylesheet href="BAD/style.css"><link rel=prefetch href="BAD/prefetch"><link rel=preconnect href="BAD">
		<script>
		fetch('BAD/fetch', {mode: 'no-cors'}).catch(() => {});
		fetch('/hop', {mode: 'no-cors'}).catch(() => {});
		fetch('BAD/keepalive', {mode: 'no-cors', keepalive: true}).catch(() => {});
		navigator.sendBeacon('BAD/beacon', 'x');
		new EventSource('BAD/events');
		new WebSocket('BAD/socket'.replace('http', 'ws'));
		new Worker('/worker.js'); new SharedWorker('/worker.js'); navigator.serviceWorker.register('/worker.js');
		</script>`, "BAD", st.bad))(w, r)
	})
	st.mux.HandleFunc("/hop", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, st.bad+"/hopped", http.StatusFound) })
	st.mux.HandleFunc("/worker.js", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprint(w, strings.ReplaceAll(`
			fetch('BAD/from-worker', {mode: 'no-cors'}).catch(() => {});
			new WebSocket('BAD/worker-socket'.replace('http', 'ws'));
			try { importScripts('BAD/imported.js') } catch {}
			fetch('/worker-was-here')`, "BAD", st.bad))
	})
	all := func(t *testing.T, p Policy, wantReached bool) {
		st.mu.Lock()
		st.hits = make(map[string]int)
		st.mu.Unlock()
		s := policySession(t, p)
		if _, err := s.Navigate(testContext(t), st.good+"/start"); err != nil {
			t.Fatal(err)
		}
		waitUntil(t, func() bool { return st.count("good/worker-was-here") >= 2 && st.count("good/worker.js") >= 3 })
		waitUntil(t, func() bool { return st.count("good/hop") >= 1 })
		if wantReached {
			for _, path := range []string{"img", "script.js", "fetch", "beacon", "socket", "from-worker", "hopped"} {
				waitUntil(t, func() bool { return st.count("bad/"+path) > 0 })
			}
			return
		}
		waitEvent(t, s, is(func(e Blocked) bool { return e.What == "resource" && strings.Contains(e.Err.URL, "localhost") }))
		if _, err := s.WaitStable(testContext(t)); err != nil {
			t.Fatal(err)
		}
		if got := st.reached(); len(got) > 0 {
			t.Errorf("the blocked host was asked for %v", got)
		}
	}
	t.Run("documents only", func(t *testing.T) {
		all(t, Policy{Allow: []string{"127.0.0.1"}, Private: AccessAllow}, true)
	})
	t.Run("allowed resources", func(t *testing.T) {
		all(t, Policy{Allow: []string{"127.0.0.1"}, AllowResources: []string{"cdn.test"}, Private: AccessAllow}, false)
	})
	t.Run("blocked resources", func(t *testing.T) {
		all(t, Policy{BlockResources: []string{"localhost"}, Private: AccessAllow}, false)
	})
	t.Run("private addresses", func(t *testing.T) {
		all(t, Policy{Allow: []string{"127.0.0.1"}}, false)
	})
}

// A Chrome that was attached to has no guard. What pages and frames ask for is
// held all the same; what docs/policy.md says is not held still is not.
func TestPolicyOnAChromeElsewhere(t *testing.T) {
	st := newSite(t)
	st.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "x") })
	st.mux.HandleFunc("/start", func(w http.ResponseWriter, r *http.Request) {
		html(strings.ReplaceAll(`<title>start</title><img src="BAD/img"><script src="BAD/script.js"></script><iframe src="BAD/frame"></iframe>
		<script>fetch('BAD/fetch', {mode: 'no-cors'}).catch(() => {}); fetch('/hop', {mode: 'no-cors'}).catch(() => {});
		new WebSocket('BAD/socket'.replace('http', 'ws')); new Worker('/worker.js')</script>`, "BAD", st.bad))(w, r)
	})
	st.mux.HandleFunc("/hop", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, st.bad+"/hopped", http.StatusFound) })
	st.mux.HandleFunc("/worker.js", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprint(w, `fetch('`+st.bad+`/from-worker', {mode: 'no-cors'}).catch(() => {}).then(() => fetch('/worker-was-here'))`)
	})
	ctx := testContext(t)
	s, err := New(ctx, Config{RemoteURL: "http://" + debugAddress(t), Isolated: true, Policy: Policy{Allow: []string{"127.0.0.1"}, BlockResources: []string{"localhost"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.route.guard != nil {
		t.Fatal("it has a guard that its Chrome need not be able to reach")
	}
	if _, err := s.Navigate(ctx, st.good+"/start"); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, func() bool {
		return st.count("bad/socket") > 0 && st.count("good/hop") > 0 && st.count("good/worker-was-here") > 0
	})
	if _, err := s.WaitStable(ctx); err != nil {
		t.Fatal(err)
	}
	for _, path := range st.reached() {
		if path != "bad/socket" {
			t.Errorf("the blocked host was asked for %s", path)
		}
	}
	if _, err := s.Navigate(ctx, st.bad); !errors.Is(err, ErrBlocked) {
		t.Errorf("navigate: %v", err)
	}
}

// A worker's requests are held along with its page's; they must go on all the
// same, and be judged by their paths too.
func TestWorkersUnderRulesForResources(t *testing.T) {
	st := newSite(t)
	st.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "x") })
	st.mux.HandleFunc("/start", html(`<title>start</title><script>new Worker('/worker.js')</script>`))
	script := func(code string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, strings.ReplaceAll(code, "BAD", st.bad))
		}
	}
	st.mux.HandleFunc("/worker.js", script(`(async () => {
		for (const a of ['BAD/worker', '/spy/worker']) await fetch(a, {mode: 'no-cors'}).catch(() => {});
		await fetch('/outer'); new Worker('/inner.js') })()`))
	st.mux.HandleFunc("/inner.js", script(`(async () => {
		for (const a of ['BAD/inner', '/spy/inner']) await fetch(a, {mode: 'no-cors'}).catch(() => {});
		await fetch('/inner') })()`))
	p := Policy{Allow: []string{"127.0.0.1"}, BlockResources: []string{"localhost", "http://127.0.0.1/spy/*"}}
	remote, err := New(testContext(t), Config{RemoteURL: "http://" + debugAddress(t), Isolated: true, Policy: p})
	if err != nil {
		t.Fatal(err)
	}
	defer remote.Close()
	for name, s := range map[string]*Session{"launched": policySession(t, p), "remote": remote} {
		st.mu.Lock()
		st.hits = make(map[string]int)
		st.mu.Unlock()
		if _, err := s.Navigate(testContext(t), st.good+"/start"); err != nil {
			t.Fatal(err)
		}
		waitUntil(t, func() bool { return st.count("good/inner") > 0 })
		if got := st.reached(); len(got) > 0 || st.count("good/spy/worker")+st.count("good/spy/inner") > 0 {
			t.Errorf("%s: %v, %v", name, got, st.hits)
		}
	}
}

// A script can give its page an address, or answer for one by a service worker,
// without asking the network; it is judged once it is shown.
func TestPolicyHoldsForAddressesThatNeedNoRequest(t *testing.T) {
	st := newSite(t)
	st.mux.HandleFunc("/", html(`<title>allowed</title>`))
	st.mux.HandleFunc("/sw.js", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprint(w, `onfetch = (e) => { if (e.request.mode === 'navigate' && e.request.url.endsWith('/admin/sw')) e.respondWith(new Response('<title>forged</title>', {headers: {'Content-Type': 'text/html'}})) };
			onactivate = (e) => e.waitUntil(clients.claim()); skipWaiting()`)
	})
	s := policySession(t, Policy{Allow: []string{"http://127.0.0.1/shop/*"}, Private: AccessAllow})
	ctx := testContext(t)
	if _, err := s.Navigate(ctx, st.good+"/shop/a"); err != nil {
		t.Fatal(err)
	}
	mustEval[any](t, s, `history.pushState(null, '', '/admin')`)
	waitEvent(t, s, is(func(e Blocked) bool { return e.What == "page" && strings.HasSuffix(e.Err.URL, "/admin") }))
	waitUntil(t, func() bool { return mustEval[string](t, s, `location.pathname`) == "/shop/a" })

	// A tab that goes astray again at once would be left blank, so another.
	s = policySession(t, Policy{Allow: []string{"http://127.0.0.1/shop/*"}, Private: AccessAllow})
	if _, err := s.Navigate(ctx, st.good+"/shop/a"); err != nil {
		t.Fatal(err)
	}
	mustEval[any](t, s, `new Promise((ok) => { navigator.serviceWorker.oncontrollerchange = () => ok(); navigator.serviceWorker.register('/sw.js') })`)
	s.TakeEvents()
	mustEval[any](t, s, `void (location.href = '/admin/sw')`)
	waitEvent(t, s, is(func(e Blocked) bool { return e.What == "page" && strings.HasSuffix(e.Err.URL, "/admin/sw") }))
	waitUntil(t, func() bool { return mustEval[string](t, s, `document.title`) == "allowed" })
}

// Pages can have others fetched ahead of a click, which makes the click need no
// request; the address is judged all the same.
func TestPolicyHoldsForPagesFetchedAhead(t *testing.T) {
	st := newSite(t)
	st.mux.HandleFunc("/", html(`<title>blocked</title>`))
	st.mux.HandleFunc("/start", func(w http.ResponseWriter, r *http.Request) {
		html(strings.ReplaceAll(`<title>start</title><a id=a href="BAD/ahead">x</a><script type=speculationrules>{"prefetch": [{"urls": ["BAD/ahead"], "eagerness": "immediate"}],
			"prerender": [{"urls": ["/302"], "eagerness": "immediate"}]}</script>`, "BAD", st.bad))(w, r)
	})
	st.mux.HandleFunc("/302", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, st.bad+"/rendered", http.StatusFound)
	})
	for _, p := range []Policy{
		{Allow: []string{"127.0.0.1"}, Private: AccessAllow},
		{Allow: []string{"127.0.0.1"}, BlockResources: []string{"localhost"}, Private: AccessAllow},
	} {
		s := policySession(t, p)
		ctx := testContext(t)
		if _, err := s.Navigate(ctx, st.good+"/start"); err != nil {
			t.Fatal(err)
		}
		mustEval[any](t, s, `a.click()`)
		waitEvent(t, s, is(func(e Blocked) bool { return e.What == "page" }))
		waitUntil(t, func() bool { return mustEval[string](t, s, `document.title`) == "start" })
		if len(p.BlockResources) > 0 {
			if got := st.reached(); len(got) > 0 {
				t.Errorf("the blocked host was asked for %v", got)
			}
		}
		// What a session without rules for resources fetches ahead may still
		// be on its way.
		s.Close()
		st.mu.Lock()
		st.hits = make(map[string]int)
		st.mu.Unlock()
	}
}

func TestPolicyCostsNothingWhenThereIsNone(t *testing.T) {
	s := newTestSession(t)
	if s.route.guard != nil || s.route.policy.active() {
		t.Fatal("a session without rules is guarded")
	}
	_, err := s.Navigate(testContext(t), "file:///etc/passwd")
	if !errors.Is(err, ErrBlocked) {
		t.Fatalf("err = %v", err)
	}
}

func TestTwoSessionsOfOneChromeHaveTheirOwnPolicies(t *testing.T) {
	st := newSite(t)
	st.mux.HandleFunc("/", html("<title>page</title>"))
	a := policySession(t, Policy{Allow: []string{"127.0.0.1"}, Private: AccessAllow})
	b := policySession(t, Policy{Allow: []string{"localhost"}})
	ctx := testContext(t)
	if _, err := a.Navigate(ctx, st.good); err != nil {
		t.Error(err)
	}
	if _, err := b.Navigate(ctx, st.bad); err != nil {
		t.Error(err)
	}
	if _, err := a.Navigate(ctx, st.bad); !errors.Is(err, ErrBlocked) {
		t.Errorf("a: %v", err)
	}
	if _, err := b.Navigate(ctx, st.good); !errors.Is(err, ErrBlocked) {
		t.Errorf("b: %v", err)
	}
}

// A session of a Chrome that was launched with a policy has it too.
func TestPolicyOfTheBrowserHoldsForItsSessions(t *testing.T) {
	b, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	old := b.cfg.Policy
	b.cfg.Policy = Policy{Allow: []string{"a.test"}}
	defer func() { b.cfg.Policy = old }()
	s, err := b.NewSession(testContext(t), Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Navigate(testContext(t), "http://b.test/"); !errors.Is(err, ErrBlocked) {
		t.Fatalf("err = %v", err)
	}
}
