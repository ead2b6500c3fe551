package httpguard

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestGuard(t *testing.T) {
	g := Guard{Hosts: []string{"browser.test"}, Origins: []string{"https://app.test"}, MaxBody: 10, Expose: "X-Extra"}
	for _, tt := range []struct {
		name, method, host string
		head               map[string]string
		body               string
		want               int
	}{
		{"a program of this machine", "POST", "127.0.0.1:1", nil, "x", 200},
		{"IPv6", "GET", "[::1]:1", nil, "", 200},
		{"a dot at the end", "GET", "localhost.:1", nil, "", 200},
		{"a listed name with a port", "GET", "browser.test:80", nil, "", 200},
		{"F033 the name of a stranger", "GET", "evil.test", nil, "", 403},
		{"an address in a name", "GET", "127.0.0.1.evil.test", nil, "", 403},
		{"no name", "GET", "", nil, "", 403},
		{"its own page", "POST", "localhost:1", map[string]string{"Origin": "http://localhost:1"}, "", 200},
		{"a page of another port", "POST", "localhost:1", map[string]string{"Origin": "http://localhost:2"}, "", 403},
		{"a listed page", "POST", "localhost:1", map[string]string{"Origin": "https://app.test"}, "", 200},
		{"the question before it", "OPTIONS", "localhost:1", map[string]string{"Origin": "https://app.test", "Access-Control-Request-Method": "POST"}, "", 204},
		{"a form of a stranger", "POST", "localhost:1", map[string]string{"Sec-Fetch-Site": "cross-site"}, "", 403},
		{"a large body", "POST", "localhost:1", nil, strings.Repeat("x", 11), 413},
	} {
		t.Run(tt.name, func(t *testing.T) {
			req := httptest.NewRequest(tt.method, "/", strings.NewReader(tt.body))
			req.Host = tt.host
			for k, v := range tt.head {
				req.Header.Set(k, v)
			}
			w := httptest.NewRecorder()
			g.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})).ServeHTTP(w, req)
			if w.Code != tt.want {
				t.Errorf("status %d, want %d: %s", w.Code, tt.want, w.Body)
			}
		})
	}
}

func TestSecrets(t *testing.T) {
	for head, want := range map[string]string{"Bearer  abc ": "abc", "token abc": "abc", "Basic abc": "", "abc": ""} {
		req := httptest.NewRequest("GET", "/", nil)
		req.Header.Set("Authorization", head)
		if got := Secret(req); got != want {
			t.Errorf("%q carries %q, want %q", head, got, want)
		}
	}
	if Same("", "") || Same("a", "b") || !Same("a", "a") {
		t.Error("secrets are not compared as they should be")
	}
}
