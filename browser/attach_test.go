package browser

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// portChrome is a Chrome with a debugging port, as others start it.
var portChrome = sync.OnceValues(func() (*Browser, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	return started(Launch(ctx, Config{StartTimeout: 2 * time.Minute, Flags: map[string]string{"remote-debugging-port": "0"}}))
})

func debugAddress(t testing.TB) string {
	t.Helper()
	b, err := portChrome()
	if err != nil {
		t.Fatal(err)
	}
	return portOf(t, b)
}

func portOf(t testing.TB, b *Browser) string {
	t.Helper()
	var addr string
	waitUntil(t, func() bool {
		raw, err := os.ReadFile(filepath.Join(b.proc.dir, "DevToolsActivePort"))
		p, _, ok := strings.Cut(string(raw), "\n")
		addr = "127.0.0.1:" + p
		return err == nil && ok
	})
	return addr
}

// A service in front of Chrome wants to know who asks, on every request.
func TestAttachWithHeaders(t *testing.T) {
	addr := debugAddress(t)
	var asked atomic.Int32
	back := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: "http", Host: addr})
	}}
	front := serveMux(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Token") != "s3cret" {
			http.Error(w, "who are you?", http.StatusForbidden)
			return
		}
		asked.Add(1)
		back.ServeHTTP(w, r)
	}))
	ctx := testContext(t)
	var cerr *ConnectError
	if _, err := New(ctx, Config{RemoteURL: front}); !errors.As(err, &cerr) || !strings.Contains(err.Error(), "403") {
		t.Fatalf("without: %v", err)
	}
	header := http.Header{"X-Token": {"s3cret"}}
	s, err := New(ctx, Config{RemoteURL: front, RemoteHeader: header, Isolated: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if mustEval[int](t, s, `1 + 1`) != 2 || asked.Load() != 2 {
		t.Errorf("%d requests were let through, want those for the address and the socket", asked.Load())
	}
	// The socket's own address works as well.
	base, _ := url.Parse(front)
	ws, err := webSocketURL(ctx, base, header)
	if err != nil {
		t.Fatal(err)
	}
	direct, err := New(ctx, Config{RemoteURL: ws, RemoteHeader: header, Isolated: true})
	if err != nil {
		t.Fatal(err)
	}
	defer direct.Close()
	if mustEval[int](t, direct, `1 + 1`) != 2 {
		t.Error("a session by ws:// is not usable")
	}
}

// An attached Chrome keeps the tabs that it had, and its own settings.
func TestAttachedChromeKeepsItsTabs(t *testing.T) {
	addr := debugAddress(t)
	ctx := testContext(t)
	count := func() int {
		b, _ := portChrome()
		var res struct{ TargetInfos []struct{ Type string } }
		s := &Session{b: b, route: &route{}}
		if err := s.CallBrowser(ctx, "Target.getTargets", nil, &res); err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, ti := range res.TargetInfos {
			if ti.Type == "page" {
				n++
			}
		}
		return n
	}
	before := count()
	s, err := New(ctx, Config{RemoteURL: "ws://" + addr + "/devtools/browser"})
	var cerr *ConnectError
	if err == nil || !errors.As(err, &cerr) {
		t.Fatalf("a wrong address: %v, %v", s, err)
	}
	if s, err = New(ctx, Config{RemoteURL: "http://" + addr}); err != nil {
		t.Fatal(err)
	}
	if n := len(s.Tabs()); n != 1 {
		t.Errorf("the session has %d tabs", n)
	}
	// A person opens a tab beside it, which is nobody else's business.
	req, _ := http.NewRequestWithContext(ctx, http.MethodPut, "http://"+addr+"/json/new?about:blank", nil)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	var own struct{ ID string }
	err = json.NewDecoder(resp.Body).Decode(&own)
	resp.Body.Close()
	if err != nil {
		t.Fatal(err)
	}
	if mustEval[int](t, s, `1 + 1`) != 2 || len(s.Tabs()) != 1 {
		t.Errorf("the session took it: %+v", s.Tabs())
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, func() bool { return count() == before+1 })
	// Closing it tells whether it was still there.
	if resp, err = http.Get("http://" + addr + "/json/close/" + own.ID); err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("the person's tab: %s", resp.Status)
	}
	waitUntil(t, func() bool { return count() == before })
}
