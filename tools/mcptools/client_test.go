package mcptools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// childEnv makes the test binary the server of a command.
const childEnv = "WEBHAND_TEST_MCPTOOLS"

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		fmt.Fprintln(os.Stderr, "hello from the server")
		if err := remoteServer().Run(context.Background(), &sdk.StdioTransport{}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	closeChrome()
	os.Exit(code)
}

func raw(s string) json.RawMessage { return json.RawMessage(s) }

func said(text string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}

// remoteServer has a tool of every kind.
func remoteServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "remote", Version: "1"}, nil)
	tool := func(name, schema string, a *sdk.ToolAnnotations, h sdk.ToolHandler) {
		s.AddTool(&sdk.Tool{Name: name, Description: "Tool " + name, InputSchema: raw(schema), Annotations: a}, h)
	}
	echo := func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return said(string(req.Params.Arguments)), nil
	}
	tool("echo", `{"type":"object","properties":{
		"kind":{"enum":["a","b"]},
		"n":{"type":"integer","minimum":1,"maximum":5},
		"either":{"anyOf":[{"type":"string","pattern":"^x"},{"type":"number"}]},
		"tree":{"$ref":"#/$defs/node"},
		"maybe":{"type":["string","null"]}},
		"required":["kind"],"additionalProperties":false,
		"$defs":{"node":{"type":"object","properties":{"name":{"type":"string"},"children":{"type":"array","items":{"$ref":"#/$defs/node"}}},"required":["name"]}}}`,
		&sdk.ToolAnnotations{ReadOnlyHint: true}, echo)
	tool("Union.At-Root", `{"type":"object","oneOf":[{"properties":{"a":{"type":"integer"}},"required":["a"]},{"properties":{"b":{"$ref":"#/$defs/s"}},"required":["b"]}],"$defs":{"s":{"type":"string"}}}`, nil, echo)
	tool("dropTable", `{"type":"object"}`, &sdk.ToolAnnotations{DestructiveHint: new(true)}, echo)
	tool("noParams", `{"type":"object","properties":{}}`, nil, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{}, nil
	})
	tool("bad_schema", `{"type":"object","properties":{"x":{"$ref":"#/$defs/nowhere"}}}`, nil, echo)
	tool("everything", `{"type":"object"}`, nil, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{
			Content: []sdk.Content{
				&sdk.TextContent{Text: "words"},
				&sdk.ImageContent{MIMEType: "image/png", Data: []byte("picture")},
				&sdk.AudioContent{MIMEType: "audio/wav", Data: []byte("sound")},
				&sdk.ResourceLink{URI: "file:///a.txt", Name: "a", MIMEType: "text/plain"},
				&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "mem://b", Text: "inside"}},
				&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "mem://c", MIMEType: "image/jpeg", Blob: []byte("photo")}},
				&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "mem://d", MIMEType: "application/zip", Blob: []byte("zip")}},
			},
			StructuredContent: map[string]any{"n": 1},
		}, nil
	})
	tool("structured", `{"type":"object"}`, nil, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{StructuredContent: map[string]any{"answer": 42}}, nil
	})
	tool("fails", `{"type":"object"}`, nil, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		r := said("the disk is full")
		r.IsError = true
		return r, nil
	})
	tool("long", `{"type":"object"}`, nil, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return said(strings.Repeat("é", 70_000)), nil
	})
	tool("progress", `{"type":"object"}`, nil, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		err := req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
			ProgressToken: req.Params.GetProgressToken(), Progress: 1, Total: 2, Message: "half way",
		})
		return said("done"), err
	})
	tool("ask", `{"type":"object"}`, nil, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		res, err := req.Session.Elicit(ctx, &sdk.ElicitParams{Message: "Which colour?", RequestedSchema: raw(`{"type":"object","properties":{"colour":{"type":"string"}}}`)})
		if err != nil {
			return nil, err
		}
		return said(fmt.Sprint(res.Action, " ", res.Content["colour"])), nil
	})
	tool("think", `{"type":"object"}`, nil, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		//lint:ignore SA1019 servers of today use it
		p := &sdk.CreateMessageParams{MaxTokens: 10, SystemPrompt: "Be short.", Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: "2+2?"}}}}
		//lint:ignore SA1019 servers of today use it
		res, err := req.Session.CreateMessage(ctx, p)
		if err != nil {
			return nil, err
		}
		return said(res.Content.(*sdk.TextContent).Text), nil
	})
	return s
}

// command is the test binary as a server.
func command(t *testing.T) Config {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Config{Name: "remote", Command: []string{exe}, Env: []string{childEnv + "=1"}, StartTimeout: time.Minute, ReconnectWait: time.Minute}
}

func open(t *testing.T, cfg Config) *Client {
	t.Helper()
	c, err := Connect(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// added returns a registry with the client's tools; only bad_schema is no
// action.
func added(t *testing.T, c *Client) *registry.Registry {
	t.Helper()
	r := registry.New()
	_, err := c.AddTo(r)
	var te *ToolError
	if err != nil && (!errors.As(err, &te) || te.Tool != "bad_schema") {
		t.Fatal(err)
	}
	return r
}

func call(t *testing.T, r *registry.Registry, name string, args any) *registry.Result {
	t.Helper()
	res, err := r.Call(t.Context(), name, args, registry.Provide(registry.Deps{}, registry.Page{}))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return res
}

// overHTTP serves remoteServer in the ways of HTTP.
func overHTTP(t *testing.T, s *sdk.Server, sse bool) string {
	t.Helper()
	var srv *httptest.Server
	if sse {
		srv = httptest.NewServer(sdk.NewSSEHandler(func(*httpRequest) *sdk.Server { return s }, nil))
	} else {
		srv = httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*httpRequest) *sdk.Server { return s }, nil))
	}
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
	})
	return srv.URL
}

func TestToolsOverEveryTransport(t *testing.T) {
	for name, cfg := range map[string]func() Config{
		"command":         func() Config { return command(t) },
		"streamable HTTP": func() Config { return Config{Name: "remote", URL: overHTTP(t, remoteServer(), false)} },
		"SSE":             func() Config { return Config{Name: "remote", URL: overHTTP(t, remoteServer(), true), Transport: SSE} },
		"SSE, found out":  func() Config { return Config{Name: "remote", URL: overHTTP(t, remoteServer(), true)} },
	} {
		t.Run(name, func(t *testing.T) {
			c := open(t, cfg())
			r := registry.New()
			names, err := c.AddTo(r)
			var te *ToolError
			if !errors.As(err, &te) || te.Tool != "bad_schema" {
				t.Errorf("the tool that is none was not reported: %v", err)
			}
			slices.Sort(names)
			want := []string{"remote_ask", "remote_drop_table", "remote_echo", "remote_everything", "remote_fails", "remote_long", "remote_no_params", "remote_progress", "remote_structured", "remote_think", "remote_union_at_root"}
			if !slices.Equal(names, want) {
				t.Errorf("actions\n%q, want\n%q", names, want)
			}
			if res := call(t, r, "remote_echo", raw(`{"kind":"a","n":"3","tree":{"name":"root","children":[{"name":"leaf"}]},"maybe":null}`)); res.Text != `{"kind":"a","maybe":null,"n":3,"tree":{"children":[{"name":"leaf"}],"name":"root"}}` {
				t.Errorf("echo: %q, %s", res.Text, res.Error)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			if res := call(t, r, "remote_echo", raw(`{"kind":"a"}`)); !errors.Is(res.Err, ErrClosed) {
				t.Errorf("a call after Close: %+v", res)
			}
		})
	}
}

func TestSchemaIsKeptWhole(t *testing.T) {
	r := added(t, open(t, Config{Name: "remote", URL: overHTTP(t, remoteServer(), false)}))
	page := registry.Provide(registry.Deps{}, registry.Page{})
	for _, tt := range []struct{ name, args, problem string }{
		{"remote_echo", `{}`, "kind"},
		{"remote_echo", `{"kind":"c"}`, "kind"},
		{"remote_echo", `{"kind":"a","n":6}`, "n"},
		{"remote_echo", `{"kind":"a","either":"y"}`, "either"},
		{"remote_echo", `{"kind":"a","tree":{"children":[]}}`, "tree"},
		{"remote_echo", `{"kind":"a","stray":1}`, "stray"},
		{"remote_union_at_root", `{"arguments":{"c":1}}`, "arguments"},
	} {
		_, err := r.Call(t.Context(), tt.name, raw(tt.args), page)
		var pe *registry.ParamError
		if !errors.As(err, &pe) || !strings.Contains(err.Error(), tt.problem) {
			t.Errorf("%s %s: %v", tt.name, tt.args, err)
		}
	}
	if res := call(t, r, "remote_union_at_root", raw(`{"arguments":{"b":"x"}}`)); res.Text != `{"b":"x"}` {
		t.Errorf("a union at the root: %q %s", res.Text, res.Error)
	}
	if _, err := r.Compile(registry.Page{}).Schema(llm.Canonical, nil); err != nil {
		t.Error(err)
	}
}

func TestAnnotations(t *testing.T) {
	url := overHTTP(t, remoteServer(), false)
	spec := func(r *registry.Registry, name string) registry.Spec {
		a, ok := r.Lookup(name)
		if !ok {
			t.Fatalf("no action %s", name)
		}
		return a.Spec()
	}
	r := added(t, open(t, Config{Name: "remote", URL: url}))
	if s := spec(r, "remote_echo"); !s.ReadOnly || s.NeedsApproval {
		t.Errorf("echo is read-only: %+v", s)
	}
	if s := spec(r, "remote_drop_table"); s.ReadOnly || !s.NeedsApproval {
		t.Errorf("dropTable is destructive: %+v", s)
	}
	if s := spec(r, "remote_fails"); s.ReadOnly || s.NeedsApproval {
		t.Errorf("fails says nothing: %+v", s)
	}
	r = added(t, open(t, Config{Name: "remote", URL: url, Untrusted: true}))
	if s := spec(r, "remote_echo"); s.ReadOnly || !s.NeedsApproval {
		t.Errorf("an untrusted server's word was taken: %+v", s)
	}
}

func TestFiltersAndDomains(t *testing.T) {
	url := overHTTP(t, remoteServer(), false)
	c := open(t, Config{Name: "Remote Server!", URL: url, Only: []string{"echo", "fails", "typo"}, Exclude: []string{"fails"}, Domains: []string{"*.shop.test"}})
	r := registry.New()
	names, err := c.AddTo(r)
	if !slices.Equal(names, []string{"remote_server_echo"}) {
		t.Errorf("actions %q", names)
	}
	if err == nil || !strings.Contains(err.Error(), `"typo"`) || strings.Contains(err.Error(), `"fails"`) {
		t.Errorf("a name that is no tool's: %v", err)
	}
	if got := r.Compile(registry.Page{URL: "https://other.test/"}).Names(); len(got) != 0 {
		t.Errorf("on another page: %q", got)
	}
	if got := r.Compile(registry.Page{URL: "https://a.shop.test/"}).Names(); len(got) != 1 {
		t.Errorf("on its page: %q", got)
	}
	res, err := r.Call(t.Context(), "remote_server_echo", raw(`{"kind":"a"}`), registry.Provide(registry.Deps{}, registry.Page{URL: "https://other.test/"}))
	if !errors.Is(err, registry.ErrNotAvailable) {
		t.Errorf("run on another page: %+v, %v", res, err)
	}
}

func TestResults(t *testing.T) {
	r := added(t, open(t, Config{Name: "remote", URL: overHTTP(t, remoteServer(), false)}))
	res := call(t, r, "remote_everything", nil)
	want := "words\n[audio, audio/wav, 5 bytes]\n[resource file:///a.txt, a, text/plain]\n[resource mem://b]\ninside\n[resource mem://d, application/zip, 3 bytes]"
	if res.Text != want || res.Error != "" {
		t.Errorf("text %q, %s", res.Text, res.Error)
	}
	if len(res.Images) != 2 || string(res.Images[0].Data) != "picture" || res.Images[1].MIME != "image/jpeg" {
		t.Errorf("images %+v", res.Images)
	}
	if res := call(t, r, "remote_structured", nil); res.Text != `{"answer":42}` || res.Metadata["structured_content"] == nil {
		t.Errorf("structured: %+v", res)
	}
	if res := call(t, r, "remote_fails", nil); !strings.Contains(res.Error, "the disk is full") || res.Text != "" || res.Err == nil {
		t.Errorf("isError: %+v", res)
	}
	if res := call(t, r, "remote_no_params", nil); res.Text == "" {
		t.Errorf("nothing said: %+v", res)
	}
	if res := call(t, r, "remote_long", nil); !res.Once || len([]rune(res.Memory)) > 700 || len([]rune(res.Text)) > 50_100 || !strings.Contains(res.Text, "20000 more characters were cut") {
		t.Errorf("a long one: once %v, memory %d, text %d", res.Once, len(res.Memory), len(res.Text))
	}
}

func TestNothingIsReplaced(t *testing.T) {
	c := open(t, Config{Name: "remote", NoPrefix: true, URL: overHTTP(t, remoteServer(), false), Only: []string{"echo"}})
	r := registry.New()
	r.MustAdd(registry.Spec{Name: "echo", Description: "Ours."}, func(context.Context) (string, error) { return "ours", nil })
	for _, want := range []string{"echo_2", "echo_3"} {
		if names, err := c.AddTo(r); err != nil || !slices.Equal(names, []string{want}) {
			t.Errorf("%q, %v; want %s", names, err, want)
		}
	}
	if res := call(t, r, "echo", nil); res.Text != "ours" {
		t.Errorf("ours now says %q", res.Text)
	}
}

func TestChangedListIsFollowed(t *testing.T) {
	for name, transport := range map[string]Transport{"streamable HTTP": StreamableHTTP, "SSE": SSE} {
		t.Run(name, func(t *testing.T) {
			s := remoteServer()
			c := open(t, Config{Name: "remote", URL: overHTTP(t, s, transport == SSE), Transport: transport})
			r := added(t, c)
			copied := r.Clone()
			s.RemoveTools("echo")
			s.AddTool(&sdk.Tool{Name: "late", Description: "Late", InputSchema: raw(`{"type":"object"}`)}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return said("here"), nil })
			s.AddTool(&sdk.Tool{Name: "fails", Description: "Does not fail any more", InputSchema: raw(`{"type":"object","properties":{"x":{"type":"integer"}}}`)}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return said("fine"), nil })
			until(t, "the new list", func() bool {
				names := r.Compile(registry.Page{}).Names()
				a, _ := r.Lookup("remote_fails")
				return slices.Contains(names, "remote_late") && !slices.Contains(names, "remote_echo") && a.Spec().Description == "Does not fail any more"
			})
			if res := call(t, r, "remote_late", nil); res.Text != "here" {
				t.Errorf("late: %+v", res)
			}
			if res := call(t, r, "remote_fails", raw(`{"x":1}`)); res.Text != "fine" {
				t.Errorf("changed: %+v", res)
			}
			if slices.Contains(copied.Compile(registry.Page{}).Names(), "remote_echo") {
				t.Error("a copy still shows the tool that is gone")
			}
		})
	}
}

func until(t *testing.T, what string, cond func() bool) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for !cond() {
		if time.Now().After(deadline) {
			t.Fatalf("%s did not come", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func TestProgressGoesToTheLog(t *testing.T) {
	var log syncBuffer
	cfg := Config{Name: "remote", URL: overHTTP(t, remoteServer(), false), Logger: log.logger()}
	r := added(t, open(t, cfg))
	call(t, r, "remote_progress", nil)
	until(t, "the progress", func() bool {
		return strings.Contains(log.String(), "half way") && strings.Contains(log.String(), "tool=progress")
	})
}

func TestQuestions(t *testing.T) {
	url := overHTTP(t, remoteServer(), false)
	r := added(t, open(t, Config{Name: "remote", URL: url}))
	for _, name := range []string{"remote_ask", "remote_think"} {
		if res := call(t, r, name, nil); res.Error == "" {
			t.Errorf("%s was answered without a hook: %q", name, res.Text)
		}
	}
	var asked Question
	var wanted *llm.Request
	r = added(t, open(t, Config{
		Name: "remote", URL: url,
		Elicit: func(_ context.Context, q Question) (Answer, error) {
			asked = q
			return Answer{Accept: true, Content: map[string]any{"colour": "green"}}, nil
		},
		Sample: func(_ context.Context, req *llm.Request) (*llm.Response, error) {
			wanted = req
			return &llm.Response{Text: "4", Model: "m"}, nil
		},
	}))
	if res := call(t, r, "remote_ask", nil); res.Text != "accept green" {
		t.Errorf("ask: %+v", res)
	}
	if asked.Message != "Which colour?" || !strings.Contains(string(asked.Schema), "colour") || asked.Server != "remote" {
		t.Errorf("question %+v", asked)
	}
	if res := call(t, r, "remote_think", nil); res.Text != "4" {
		t.Errorf("think: %+v", res)
	}
	if len(wanted.Messages) != 2 || wanted.Messages[0].Role != llm.RoleSystem || *wanted.MaxTokens != 10 {
		t.Errorf("request %+v", wanted)
	}
	r = added(t, open(t, Config{Name: "remote", URL: url, Elicit: func(context.Context, Question) (Answer, error) { return Answer{}, nil }}))
	if res := call(t, r, "remote_ask", nil); res.Text != "decline <nil>" {
		t.Errorf("declined: %+v", res)
	}
}

func TestCancellationIsPassedOn(t *testing.T) {
	s := remoteServer()
	begun, ended := make(chan struct{}), make(chan struct{})
	s.AddTool(&sdk.Tool{Name: "wait", InputSchema: raw(`{"type":"object"}`)}, func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		close(begun)
		<-ctx.Done()
		close(ended)
		return nil, ctx.Err()
	})
	r := added(t, open(t, Config{Name: "remote", URL: overHTTP(t, s, false)}))
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	if _, err := r.Call(ctx, "remote_wait", nil, registry.Provide(registry.Deps{}, registry.Page{})); !errors.Is(err, context.Canceled) {
		t.Errorf("the call ended with %v", err)
	}
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Error("the server went on")
	}
}

func TestBrokenConnectionIsMadeAgain(t *testing.T) {
	c := open(t, command(t))
	r := added(t, c)
	for range 2 {
		killServers(t)
		// A read-only tool is simply called again.
		if res := call(t, r, "remote_echo", raw(`{"kind":"b"}`)); res.Text != `{"kind":"b"}` {
			t.Fatalf("after the server died: %+v", res)
		}
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if left := servers(t); len(left) > 0 {
		t.Errorf("processes %v are left", left)
	}
}

func TestFateOfACallThatChangesThings(t *testing.T) {
	s := remoteServer()
	var runs atomic.Int32
	var url string
	var srv *httptest.Server
	s.AddTool(&sdk.Tool{Name: "pay", InputSchema: raw(`{"type":"object"}`)}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		runs.Add(1)
		for ss := range s.Sessions() {
			go ss.Close()
		}
		srv.CloseClientConnections()
		time.Sleep(50 * time.Millisecond)
		return said("paid"), nil
	})
	srv = httptest.NewServer(sdk.NewSSEHandler(func(*httpRequest) *sdk.Server { return s }, nil))
	defer srv.Close()
	defer srv.CloseClientConnections()
	url = srv.URL
	r := added(t, open(t, Config{Name: "remote", URL: url, Transport: SSE, ReconnectWait: time.Minute}))
	res := call(t, r, "remote_pay", nil)
	if !errors.Is(res.Err, ErrNotConnected) || !strings.Contains(res.Error, "may have had its effect") {
		t.Errorf("the call said %+v", res)
	}
	if n := runs.Load(); n != 1 {
		t.Errorf("it ran %d times", n)
	}
	if res := call(t, r, "remote_echo", raw(`{"kind":"a"}`)); res.Error != "" {
		t.Errorf("after that: %+v", res)
	}
}

func TestConfigMistakes(t *testing.T) {
	for want, cfg := range map[string]Config{
		"Name is not set":      {Command: []string{"x"}},
		"both set":             {Name: "n", Command: []string{"x"}, URL: "http://x"},
		"neither":              {Name: "n"},
		"no http":              {Name: "n", URL: "ftp://x"},
		"Transport":            {Name: "n", URL: "http://x", Transport: "carrier pigeon"},
		"empty, not nil":       {Name: "n", URL: "http://x", Domains: []string{}},
		"run /nowhere/program": {Name: "n", Command: []string{"/nowhere/program"}},
	} {
		if _, err := Connect(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q in it", cfg, err, want)
		}
	}
	exe, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh")
	}
	_, err = Connect(t.Context(), Config{Name: "n", Command: []string{exe, "-c", "echo the licence is missing >&2; exit 3"}, StartTimeout: time.Minute})
	if err == nil || !strings.Contains(err.Error(), "the licence is missing") {
		t.Errorf("a server that gives up: %v", err)
	}
}

func TestActionNames(t *testing.T) {
	long := strings.Repeat("very_", 20) + "long"
	for tool, want := range map[string]string{
		"getWeather": "maps_get_weather", "get-weather": "maps_get_weather", "HTTPGet": "maps_httpget", "a.b/c": "maps_a_b_c", "日本": "maps", "9lives": "maps_9lives",
	} {
		if got := (&Client{cfg: Config{Name: "Maps"}}).actionName(tool); got != want {
			t.Errorf("%s is %s, want %s", tool, got, want)
		}
	}
	bare := &Client{cfg: Config{Name: "m", NoPrefix: true}}
	if got := bare.actionName("9lives"); got != "tool_9lives" {
		t.Errorf("9lives is %s", got)
	}
	a, b := bare.actionName(long+"1"), bare.actionName(long+"2")
	if len(a) != 64 || a == b {
		t.Errorf("%s and %s", a, b)
	}
}
