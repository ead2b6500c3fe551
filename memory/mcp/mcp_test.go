package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-4bdb41d0/webhand/llm/llmtest"
	"github.com/seed-4bdb41d0/webhand/memory/longterm"
	"github.com/seed-4bdb41d0/webhand/memory/serve"
	"github.com/seed-4bdb41d0/webhand/memory/sqlite"
)

var (
	update = flag.Bool("update", false, "rewrite the golden files")
	ctx    = context.Background()
)

// childEnv makes the test binary a server on standard input and output; it
// names the file of the memory.
const childEnv = "WEBHAND_TEST_MCP_FILE"

func TestMain(m *testing.M) {
	if path := os.Getenv(childEnv); path != "" {
		if err := stdioChild(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	flag.Parse()
	os.Exit(m.Run())
}

func stdioChild(path string) error {
	mem, err := sqlite.Open(ctx, path, longterm.Config{})
	if err != nil {
		return err
	}
	s, err := New(Config{Memory: mem, Verbatim: true})
	if err != nil {
		return err
	}
	return errors.Join(s.Stdio(ctx, "claude", "anna"), mem.Close())
}

// start serves a new memory over HTTP.
func start(t *testing.T, cfg Config, lc longterm.Config) (*Server, *httptest.Server) {
	t.Helper()
	mem, err := sqlite.Open(ctx, filepath.Join(t.TempDir(), "m.db"), lc)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Memory = mem
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(s)
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
		if err := mem.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, srv
}

func connect(t *testing.T, tr sdk.Transport) *sdk.ClientSession {
	t.Helper()
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, tr, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// call returns the text of a tool's answer.
func call(t *testing.T, c *sdk.ClientSession, tool string, args any) (text string, failed bool) {
	t.Helper()
	res, err := c.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	if len(res.Content) != 1 {
		t.Fatalf("%s: %d contents", tool, len(res.Content))
	}
	return res.Content[0].(*sdk.TextContent).Text, res.IsError
}

type keyed struct{ key string }

func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+k.key)
	return http.DefaultTransport.RoundTrip(r)
}

func TestToolsOverEveryTransport(t *testing.T) {
	transports := map[string]func(t *testing.T) sdk.Transport{
		"stdio": func(t *testing.T) sdk.Transport {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), childEnv+"="+filepath.Join(t.TempDir(), "m.db"))
			return &sdk.CommandTransport{Command: cmd}
		},
		"SSE": func(t *testing.T) sdk.Transport {
			_, srv := start(t, Config{Verbatim: true}, longterm.Config{})
			return &sdk.SSEClientTransport{Endpoint: srv.URL + "/mcp/claude/sse/anna"}
		},
		"streamable HTTP": func(t *testing.T) sdk.Transport {
			_, srv := start(t, Config{Verbatim: true}, longterm.Config{})
			return &sdk.StreamableClientTransport{Endpoint: srv.URL + "/mcp/claude/http/anna"}
		},
		"streamable HTTP with a key": func(t *testing.T) sdk.Transport {
			_, srv := start(t, Config{Verbatim: true, Rules: serve.Rules{Keys: []serve.Key{{Secret: "secret-of-anna", UserID: "anna"}}}}, longterm.Config{})
			return &sdk.StreamableClientTransport{Endpoint: srv.URL + "/mcp/claude/http/anna", HTTPClient: &http.Client{Transport: keyed{"secret-of-anna"}}}
		},
	}
	for name, open := range transports {
		t.Run(name, func(t *testing.T) {
			c := connect(t, open(t))
			if got := c.InitializeResult().ServerInfo.Name; got != "mem0-mcp-server" {
				t.Errorf("server name %q", got)
			}
			var log strings.Builder
			say := func(tool string, args map[string]any) {
				t.Helper()
				text, failed := call(t, c, tool, args)
				b, _ := json.Marshal(args)
				fmt.Fprintf(&log, "%s %s\nfailed %v\n%s\n\n", tool, b, failed, text)
			}
			tools, err := c.ListTools(ctx, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, tool := range tools.Tools {
				b, _ := json.Marshal(tool.InputSchema)
				fmt.Fprintf(&log, "tool %s\n%s\n\n", tool.Name, b)
			}
			say("search_memory", map[string]any{"query": "tea"})
			say("add_memories", map[string]any{"text": "I like jasmine tea"})
			say("add_memories", map[string]any{"text": "I live in Oslo", "infer": false})
			say("add_memories", map[string]any{"text": "I work in Bergen", "infer": true})
			say("add_memories", map[string]any{"text": " "})
			say("search_memory", map[string]any{"query": "which tea \"AND* ("})
			say("search_memory", map[string]any{"query": ""})
			say("list_memories", map[string]any{})
			say("delete_memories", map[string]any{"memory_ids": []string{"nobody"}})
			say("delete_memories", map[string]any{"memory_ids": []string{}})
			say("delete_all_memories", map[string]any{})
			say("list_memories", map[string]any{})
			golden(t, "tools.golden", log.String())

			if _, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "add_memories", Arguments: map[string]any{"txt": "x"}}); err == nil {
				if text, failed := call(t, c, "add_memories", map[string]any{"txt": "x"}); !failed {
					t.Errorf("wrong arguments were taken: %s", text)
				}
			}
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	names := make(map[string]string)
	got = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`).ReplaceAllStringFunc(got, func(id string) string {
		if names[id] == "" {
			names[id] = fmt.Sprintf("<id %d>", len(names)+1)
		}
		return names[id]
	})
	got = regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+\+00:00`).ReplaceAllString(got, "<time>")
	got = regexp.MustCompile(`"score":[0-9.]+`).ReplaceAllString(got, `"score":<number>`)
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestInference(t *testing.T) {
	_, srv := start(t, Config{}, longterm.Config{LLM: llmtest.NewScript(`{"facts":["Likes jasmine tea"]}`, `{"facts":["Likes green tea"]}`,
		`{"memory":[{"id":"0","text":"Likes green tea","event":"UPDATE"}]}`, "prose", "prose")})
	c := connect(t, &sdk.StreamableClientTransport{Endpoint: srv.URL + "/mcp/claude/http/anna"})
	call(t, c, "add_memories", map[string]any{"text": "I like jasmine tea"})
	text, failed := call(t, c, "add_memories", map[string]any{"text": "rather green tea"})
	if failed || !strings.Contains(text, `"event":"UPDATE","previous_memory":"Likes jasmine tea"`) {
		t.Errorf("got %v %s", failed, text)
	}
	if text, failed = call(t, c, "search_memory", map[string]any{"query": "tea"}); failed || !strings.Contains(text, "Likes green tea") || strings.Contains(text, "jasmine") {
		t.Errorf("after the update a search gives %s", text)
	}
	if text, failed = call(t, c, "add_memories", map[string]any{"text": "x"}); !failed || text != "Error: The model that the memory uses failed. Please try again later." {
		t.Errorf("a model that answers prose: %v %s", failed, text)
	}
}

// TestAccessFailsClosed has one memory of each of three texts, and clients
// with all kinds of rules.
func TestAccessFailsClosed(t *testing.T) {
	s, srv := start(t, Config{Verbatim: true}, longterm.Config{})
	ids := make(map[string]string)
	for _, text := range []string{"apple tea", "banana tea", "cherry tea"} {
		res, err := s.mem.Add(ctx, longterm.Text(text), longterm.AddOptions{Scope: longterm.Scope{UserID: "anna"}, NoInfer: true})
		if err != nil {
			t.Fatal(err)
		}
		ids[text[:1]] = res.Results[0].ID
	}
	put := func(client, body string) {
		t.Helper()
		req, _ := http.NewRequest("PUT", srv.URL+"/access/apps/anna/"+client, strings.NewReader(body))
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if res.StatusCode != 200 {
			b, _ := io.ReadAll(res.Body)
			t.Fatalf("%d %s", res.StatusCode, b)
		}
	}
	for client, tt := range map[string]struct{ body, want string }{
		"free":     {`{}`, "abc"},
		"paused":   {`{"is_active":false}`, ""},
		"one":      {`{"rules":[{"allow":true,"memory_id":"` + ids["a"] + `"}]}`, "a"},
		"denied":   {`{"rules":[{"allow":false,"memory_id":"` + ids["a"] + `"}]}`, "bc"},
		"shut":     {`{"rules":[{"allow":false}]}`, ""},
		"gone":     {`{"rules":[{"allow":true,"memory_id":"no-such"}]}`, ""},
		"bob's":    {`{}`, ""},
		"pausedok": {`{"is_active":false,"rules":[{"allow":true}]}`, ""},
	} {
		t.Run(client, func(t *testing.T) {
			user := "anna"
			if client == "bob's" {
				user = "bob"
			} else {
				put(client, tt.body)
			}
			c := connect(t, &sdk.StreamableClientTransport{Endpoint: srv.URL + "/mcp/" + client + "/http/" + user})
			for _, tool := range []string{"search_memory", "list_memories"} {
				args := map[string]any{}
				if tool == "search_memory" {
					args["query"] = "apple banana cherry tea"
				}
				text, failed := call(t, c, tool, args)
				got := ""
				for _, letter := range []string{"a", "b", "c"} {
					if strings.Contains(text, ids[letter]) {
						got += letter
					}
				}
				if failed || got != tt.want {
					t.Errorf("%s shows %q, want %q: %s", tool, got, tt.want, text)
				}
			}
			if tt.want != "abc" && client != "bob's" { // and what it does not see it cannot delete
				call(t, c, "delete_memories", map[string]any{"memory_ids": []string{ids["c"]}})
				left, err := s.mem.Get(ctx, ids["c"])
				if sees := strings.Contains(tt.want, "c"); sees != errors.Is(err, longterm.ErrNotFound) {
					t.Errorf("after a delete of a memory that it sees %v: %+v, %v", sees, left, err)
				}
				if strings.Contains(tt.want, "c") { // put it back
					res, err := s.mem.Add(ctx, longterm.Text("cherry tea"), longterm.AddOptions{Scope: longterm.Scope{UserID: "anna"}, NoInfer: true})
					if err != nil {
						t.Fatal(err)
					}
					ids["c"] = res.Results[0].ID
				}
			}
			if strings.HasPrefix(client, "paused") {
				if text, failed := call(t, c, "add_memories", map[string]any{"text": "x"}); !failed || !strings.Contains(text, "Error: App "+client+" is currently paused") {
					t.Errorf("a paused app adds: %s", text)
				}
			}
		})
	}
	if n, err := s.mem.Count(ctx, longterm.Scope{UserID: "anna"}); err != nil || n != 3 {
		t.Errorf("%d memories are left, %v, want 3", n, err)
	}
	log, err := s.access.AccessLog(ctx, "anna", 100)
	if err != nil || len(log) == 0 {
		t.Errorf("access log %v, %v", log, err)
	}
}

// broken is an access store that fails.
type broken struct{ longterm.AccessStore }

func (broken) App(context.Context, string, string, bool) (longterm.App, error) {
	return longterm.App{Active: true}, errors.New("down")
}

func TestBrokenAccessShowsNothing(t *testing.T) {
	_, srv := start(t, Config{Access: broken{}, Verbatim: true}, longterm.Config{})
	c := connect(t, &sdk.StreamableClientTransport{Endpoint: srv.URL + "/mcp/claude/http/anna"})
	for tool, args := range map[string]map[string]any{"search_memory": {"query": "x"}, "list_memories": {}, "add_memories": {"text": "x"}, "delete_all_memories": {}} {
		if text, failed := call(t, c, tool, args); !failed || text != "Error: Memory system is currently unavailable. Please try again later." {
			t.Errorf("%s: %v %s", tool, failed, text)
		}
	}
}

func TestKnownOnly(t *testing.T) {
	_, srv := start(t, Config{KnownOnly: true, Verbatim: true}, longterm.Config{})
	c := connect(t, &sdk.StreamableClientTransport{Endpoint: srv.URL + "/mcp/stranger/http/anna"})
	if text, failed := call(t, c, "list_memories", map[string]any{}); !failed || !strings.Contains(text, "not known") {
		t.Errorf("an unregistered client: %v %s", failed, text)
	}
}

// TestInferenceDoesNotReachBeyondTheRules: what a client may not see must not
// come back to it as "previous_memory", and must not be changed by it.
func TestInferenceDoesNotReachBeyondTheRules(t *testing.T) {
	script := llmtest.NewScript(`{"facts":["Likes tea"]}`)
	s, srv := start(t, Config{}, longterm.Config{LLM: script})
	res, err := s.mem.Add(ctx, longterm.Text("Likes tea"), longterm.AddOptions{Scope: longterm.Scope{UserID: "anna"}, NoInfer: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.access.App(ctx, "anna", "shut", true); err != nil {
		t.Fatal(err)
	}
	if err := s.access.SetRules(ctx, "anna", "shut", []longterm.Rule{{Allow: false, MemoryID: res.Results[0].ID}}); err != nil {
		t.Fatal(err)
	}
	c := connect(t, &sdk.StreamableClientTransport{Endpoint: srv.URL + "/mcp/shut/http/anna"})
	text, failed := call(t, c, "add_memories", map[string]any{"text": "I like tea"})
	if failed || !strings.Contains(text, `"event":"ADD"`) || script.Calls() != 1 {
		t.Errorf("%v %s after %d model calls: want an add, compared with nothing", failed, text, script.Calls())
	}
}

func TestStrangersOverHTTP(t *testing.T) {
	_, srv := start(t, Config{Rules: serve.Rules{Keys: []serve.Key{{Secret: "secret-of-anna", UserID: "anna"}}}}, longterm.Config{})
	for _, tt := range []struct {
		name, path string
		head       map[string]string
		want       int
	}{
		{"F033 a Host of a stranger", "/mcp/claude/sse/anna", map[string]string{"Host": "evil.test", "Authorization": "Bearer secret-of-anna"}, 403},
		{"an Origin of a stranger", "/mcp/claude/http/anna", map[string]string{"Origin": "https://evil.test", "Authorization": "Bearer secret-of-anna"}, 403},
		{"no key", "/mcp/claude/sse/anna", nil, 401},
		{"another user's address", "/mcp/claude/http/bob", map[string]string{"Authorization": "Bearer secret-of-anna"}, 403},
		{"an id that is none", "/mcp/claude/http/a%20b", map[string]string{"Authorization": "Bearer secret-of-anna"}, 400},
		{"administration", "/access/log?user_id=anna", map[string]string{"Authorization": "Bearer secret-of-anna"}, 403},
		{"a session of nobody's", "/mcp/claude/sse/anna/messages/?sessionid=x", map[string]string{"Authorization": "Bearer secret-of-anna"}, 404},
	} {
		t.Run(tt.name, func(t *testing.T) {
			method := "GET"
			if strings.Contains(tt.path, "messages") {
				method = "POST"
			}
			req, _ := http.NewRequest(method, srv.URL+tt.path, nil)
			req.Header.Set("Content-Type", "application/json")
			for k, v := range tt.head {
				req.Header.Set(k, v)
				if k == "Host" {
					req.Host = v
				}
			}
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			if res.StatusCode != tt.want {
				b, _ := io.ReadAll(res.Body)
				t.Errorf("status %d, want %d: %s", res.StatusCode, tt.want, b)
			}
		})
	}
}

// TestF152StdoutIsProtocolOnly reads the raw bytes of a stdio server.
func TestF152StdoutIsProtocolOnly(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+filepath.Join(t.TempDir(), "m.db"))
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_memories","arguments":{}}}`)
	lines := bufio.NewScanner(out)
	for seen := 0; seen < 2 && lines.Scan(); {
		var msg struct {
			JSONRPC string `json:"jsonrpc"`
			ID      any    `json:"id"`
		}
		if err := json.Unmarshal(lines.Bytes(), &msg); err != nil || msg.JSONRPC != "2.0" {
			t.Errorf("standard output has %q", lines.Text())
		}
		if msg.ID != nil {
			seen++
		}
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("the server ended with %v when its client hung up", err)
	}
}
