package mcpserver

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const token = "a long enough token"

// bearer sends the token with every request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

func serve(t *testing.T, cfg Config) string {
	t.Helper()
	srv := httptest.NewServer(start(t, cfg).Handler())
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
	})
	return srv.URL
}

func TestEveryTransport(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) sdk.Transport{
		"stdio": func(t *testing.T) sdk.Transport { return &sdk.CommandTransport{Command: child(t)} },
		"streamable HTTP": func(t *testing.T) sdk.Transport {
			return &sdk.StreamableClientTransport{Endpoint: serve(t, Config{}) + "/mcp"}
		},
		"SSE": func(t *testing.T) sdk.Transport {
			return &sdk.SSEClientTransport{Endpoint: serve(t, Config{}) + "/sse"}
		},
		"streamable HTTP with a token": func(t *testing.T) sdk.Transport {
			return &sdk.StreamableClientTransport{Endpoint: serve(t, Config{Token: token}) + "/mcp", HTTPClient: &http.Client{Transport: bearer(token)}}
		},
		"SSE with a token": func(t *testing.T) sdk.Transport {
			return &sdk.SSEClientTransport{Endpoint: serve(t, Config{Token: token}) + "/sse", HTTPClient: &http.Client{Transport: bearer(token)}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			url := site(t)
			c := dial(t, open(t), nil)
			ok(t, c, "browser_navigate", args{"url": url + "/form"})
			state := ok(t, c, "browser_state", nil)
			ok(t, c, "browser_input", args{"index": index(t, state, "<input"), "text": "Eve"})
			if got := ok(t, c, "browser_click", args{"index": index(t, state, "Greet"), "state": true}); !strings.Contains(got, "Hello Eve") {
				t.Errorf("the form says %s", got)
			}
			if res := call(t, c, "browser_screenshot", args{}); res.IsError || len(res.Content) != 1 {
				t.Errorf("screenshot: %s", text(res))
			}
			refused(t, c, "browser_click", args{"index": 999}, "999")
			if err := c.Close(); err != nil && name != "stdio" {
				t.Error(err)
			}
		})
	}
}

// F033: neither a page of a stranger nor another machine drives the browser.
func TestStrangersAreRefused(t *testing.T) {
	open, closed := serve(t, Config{Hosts: []string{"browser.test"}, Origins: []string{"https://app.test"}}), serve(t, Config{Token: token})
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	for _, tt := range []struct {
		name, server, host string
		head               map[string]string
		want               int
	}{
		{"a program of this machine", open, "", nil, 200},
		{"the name of a stranger", open, "evil.test", nil, 403},
		{"a name like ours", open, "localhost.evil.test", nil, 403},
		{"a listed name", open, "browser.test", nil, 200},
		{"a page of a stranger", open, "", map[string]string{"Origin": "https://evil.test"}, 403},
		{"a page without an origin", open, "", map[string]string{"Origin": "null"}, 403},
		{"another server of this machine", open, "", map[string]string{"Origin": "http://localhost:1"}, 403},
		{"a listed page", open, "", map[string]string{"Origin": "https://app.test"}, 200},
		{"a form of a stranger", open, "", map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
		{"no token", closed, "", nil, 401},
		{"a wrong token", closed, "", map[string]string{"Authorization": "Bearer nonsense"}, 401},
		{"the token", closed, "", map[string]string{"Authorization": "Bearer " + token}, 200},
		{"the token under a stranger's name", closed, "evil.test", map[string]string{"Authorization": "Bearer " + token}, 403},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, path := range []string{"/mcp", "/sse"} {
				method, body := http.MethodPost, hello
				if path == "/sse" {
					method, body = http.MethodGet, ""
					if tt.head["Sec-Fetch-Site"] != "" {
						continue // pages cannot read the answer to a GET
					}
				}
				req, err := http.NewRequestWithContext(t.Context(), method, tt.server+path, strings.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				req.Header.Set("Content-Type", "application/json")
				req.Header.Set("Accept", "application/json, text/event-stream")
				req.Host = tt.host
				for k, v := range tt.head {
					req.Header.Set(k, v)
				}
				res, err := http.DefaultClient.Do(req)
				if err != nil {
					t.Fatal(err)
				}
				res.Body.Close()
				if res.StatusCode != tt.want {
					t.Errorf("%s: status %d, want %d", path, res.StatusCode, tt.want)
				}
			}
		})
	}
}

func TestListensAtHome(t *testing.T) {
	s := start(t, Config{})
	for _, addr := range []string{"0.0.0.0:0", "[::]:0", "192.0.2.1:0"} {
		if ln, err := s.Listen(addr); err == nil {
			ln.Close()
			t.Errorf("listens on %s without a token", addr)
		}
	}
	ln, err := s.Listen(":0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	if !ln.Addr().(*net.TCPAddr).IP.IsLoopback() {
		t.Errorf("listens on %s", ln.Addr())
	}
	if _, err := New(Config{Token: "short"}); err == nil {
		t.Error("a short token is taken")
	}
	open, err := start(t, Config{Token: token}).Listen("0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	open.Close()
}

// F152, and garbage: standard output is messages from the first byte on, and
// a line that is no message does not end the session.
func TestStandardOutputIsTheProtocol(t *testing.T) {
	lines := pipe(t, func(in io.Writer, next func() map[string]any) {
		say := func(s string) { fmt.Fprintln(in, s) }
		code := func() float64 {
			m := next()
			e, _ := m["error"].(map[string]any)
			n, _ := e["code"].(float64)
			return n
		}
		say("GET / HTTP/1.1")
		if c := code(); c != -32700 {
			t.Errorf("no JSON: code %v", c)
		}
		say(`{"hello":"world"}`)
		if c := code(); c != -32600 {
			t.Errorf("no message: code %v", c)
		}
		say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
		if m := next(); m["id"] != 1.0 || m["result"] == nil {
			t.Errorf("initialize: %v", m)
		}
		say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":7}}`)
		if c := code(); c == 0 {
			t.Error("params of a wrong type were taken")
		}
		say(`{"jsonrpc":"2.0","id":3,"method":"no/such"}`)
		if c := code(); c != -32601 {
			t.Errorf("no method: code %v", c)
		}
		say(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"browser_close_session","arguments":{}}}`)
		if m := next(); m["id"] != 4.0 || m["result"] == nil {
			t.Errorf("a call: %v", m)
		}
	})
	for _, l := range lines {
		var m struct {
			Version string `json:"jsonrpc"`
		}
		if json.Unmarshal([]byte(l), &m) != nil || m.Version != "2.0" {
			t.Errorf("not a message: %q", l)
		}
	}
}
