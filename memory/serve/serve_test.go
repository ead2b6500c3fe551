package serve

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
)

func TestRules(t *testing.T) {
	open := Rules{}
	closed := Rules{Keys: []Key{{Name: "ann", Secret: "secret-of-ann", UserID: "ann"}, {Name: "root", Secret: "secret-of-root", Admin: true}},
		Hosts: []string{"memory.test"}, Origins: []string{"https://app.test"}}
	for _, tt := range []struct {
		name   string
		rules  Rules
		method string
		host   string
		head   map[string]string
		body   int
		want   int
	}{
		{"a program of this machine", open, "GET", "127.0.0.1:8765", nil, 0, 200},
		{"localhost", open, "GET", "localhost:8765", nil, 0, 200},
		{"IPv6", open, "GET", "[::1]:8765", nil, 0, 200},
		{"F033 the name of a stranger", open, "GET", "evil.test", nil, 0, 403},
		{"a name that begins like ours", open, "GET", "localhost.evil.test", nil, 0, 403},
		{"no host", open, "GET", "", nil, 0, 403},
		{"a page of the server itself", open, "POST", "127.0.0.1:8765", map[string]string{"Origin": "http://127.0.0.1:8765"}, 0, 200},
		{"a page of another port", open, "POST", "127.0.0.1:8765", map[string]string{"Origin": "http://127.0.0.1:9"}, 0, 403},
		{"a page of a stranger", open, "GET", "127.0.0.1:8765", map[string]string{"Origin": "https://evil.test"}, 0, 403},
		{"a page without an origin", open, "POST", "127.0.0.1:8765", map[string]string{"Origin": "null"}, 0, 403},
		{"a form of a stranger", open, "POST", "127.0.0.1:8765", map[string]string{"Sec-Fetch-Site": "cross-site"}, 0, 403},
		{"no key", closed, "GET", "memory.test", nil, 0, 401},
		{"a wrong key", closed, "GET", "memory.test", map[string]string{"X-API-Key": "secret-of-nobody"}, 0, 401},
		{"an empty key", closed, "GET", "memory.test", map[string]string{"Authorization": "Bearer "}, 0, 401},
		{"Bearer", closed, "GET", "memory.test:80", map[string]string{"Authorization": "Bearer secret-of-ann"}, 0, 200},
		{"Token", closed, "GET", "memory.test", map[string]string{"Authorization": "Token secret-of-ann"}, 0, 200},
		{"X-API-Key", closed, "GET", "memory.test", map[string]string{"X-API-Key": "secret-of-root"}, 0, 200},
		{"Basic is no key", closed, "GET", "memory.test", map[string]string{"Authorization": "Basic secret-of-ann"}, 0, 401},
		{"a listed page", closed, "GET", "memory.test", map[string]string{"Origin": "https://app.test", "X-API-Key": "secret-of-ann"}, 0, 200},
		{"the question before a listed page's call", closed, "OPTIONS", "memory.test", map[string]string{"Origin": "https://app.test", "Access-Control-Request-Method": "PUT"}, 0, 204},
		{"the question before a stranger's", closed, "OPTIONS", "memory.test", map[string]string{"Origin": "https://evil.test", "Access-Control-Request-Method": "PUT"}, 0, 403},
		{"a large body", open, "POST", "localhost", nil, 11 << 20, 413},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := tt.rules.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(200) }))
			req := httptest.NewRequest(tt.method, "/", strings.NewReader(strings.Repeat("x", tt.body)))
			req.Host = tt.host
			for k, v := range tt.head {
				req.Header.Set(k, v)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, req)
			if w.Code != tt.want {
				t.Errorf("status %d, want %d: %s", w.Code, tt.want, w.Body)
			}
			if len(w.Header().Get("X-Request-ID")) != 8 {
				t.Errorf("request id %q", w.Header().Get("X-Request-ID"))
			}
		})
	}
}

func TestBodyOfUnknownLengthIsBounded(t *testing.T) {
	h := Rules{MaxBody: 1 << 10}.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := io.ReadAll(r.Body)
		var tooLarge *http.MaxBytesError
		if !errors.As(err, &tooLarge) {
			t.Errorf("reading gave %v", err)
		}
	}))
	srv := httptest.NewServer(h)
	defer srv.Close()
	res, err := http.Post(srv.URL, "text/plain", struct{ io.Reader }{strings.NewReader(strings.Repeat("x", 1<<20))})
	if err == nil {
		res.Body.Close()
	}
}

func TestCallerLimit(t *testing.T) {
	ann := Caller{UserID: "ann"}
	if s, err := ann.Limit(longterm.Scope{RunID: "r"}); err != nil || s.UserID != "ann" || s.RunID != "r" {
		t.Errorf("got %+v, %v", s, err)
	}
	if _, err := ann.Limit(longterm.Scope{UserID: "bob"}); !errors.Is(err, ErrForbidden) {
		t.Errorf("another user: %v", err)
	}
	if s, err := (Caller{}).Limit(longterm.Scope{UserID: "bob"}); err != nil || s.UserID != "bob" {
		t.Errorf("an unbound key: %+v, %v", s, err)
	}
}

func TestListenWantsKeysBeyondThisMachine(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", "[::]:0", "192.0.2.1:0", "example.test:0"} {
		if ln, err := Listen(addr, Rules{}); err == nil {
			ln.Close()
			t.Errorf("%s without keys: no error", addr)
		}
	}
	for _, rules := range []Rules{{Keys: []Key{{Secret: "short"}}}, {Keys: []Key{{Secret: "long enough", UserID: "u", Admin: true}}}} {
		if ln, err := Listen("127.0.0.1:0", rules); err == nil {
			ln.Close()
			t.Errorf("%+v: no error", rules)
		}
	}
	ln, err := Listen(":0", Rules{})
	if err != nil {
		t.Fatal(err)
	}
	if ip := ln.Addr().(*net.TCPAddr).IP; !ip.IsLoopback() {
		t.Errorf("listens on %v", ip)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- Run(ctx, ln, http.NotFoundHandler()) }()
	res, err := http.Get("http://" + ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Run: %v", err)
	}
}
