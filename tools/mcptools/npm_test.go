//go:build npm

package mcptools

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// npm is the program of a package that "make mcp-peers" installed.
func npm(t *testing.T, name string) string {
	t.Helper()
	p, err := filepath.Abs(filepath.Join("testdata", "npm", "node_modules", ".bin", name))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// every calls all of the client's tools and reports those that were not told
// how.
func every(t *testing.T, c *Client, r *registry.Registry, args map[string]string) map[string]*registry.Result {
	t.Helper()
	out := make(map[string]*registry.Result)
	for _, tool := range c.Tools() {
		name := c.actionName(tool.Name)
		a, ok := args[tool.Name]
		if !ok {
			t.Errorf("nobody said how to call %s: %s %s", tool.Name, tool.Description, tool.Schema)
			continue
		}
		out[tool.Name] = call(t, r, name, raw(a))
	}
	for name := range args {
		if out[name] == nil {
			t.Errorf("the server has no tool %s", name)
		}
	}
	return out
}

func TestNPMFilesystemServer(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("first\nsecond\nthird\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	png := []byte("\x89PNG\r\n\x1a\nnot much of a picture")
	if err := os.WriteFile(filepath.Join(dir, "p.png"), png, 0o600); err != nil {
		t.Fatal(err)
	}
	c := open(t, Config{Name: "fs", Command: []string{npm(t, "mcp-server-filesystem"), dir}, StartTimeout: 2 * time.Minute})
	r := registry.New()
	if _, err := c.AddTo(r); err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return strconv.Quote(filepath.Join(dir, name)) }
	got := every(t, c, r, map[string]string{
		"read_file":                 `{"path":` + at("a.txt") + `}`,
		"read_text_file":            `{"path":` + at("a.txt") + `,"head":1}`,
		"read_media_file":           `{"path":` + at("p.png") + `}`,
		"read_multiple_files":       `{"paths":[` + at("a.txt") + `]}`,
		"write_file":                `{"path":` + at("b.txt") + `,"content":"written"}`,
		"edit_file":                 `{"path":` + at("a.txt") + `,"edits":[{"oldText":"second","newText":"2nd"}]}`,
		"create_directory":          `{"path":` + at("d") + `}`,
		"list_directory":            `{"path":` + at("") + `}`,
		"list_directory_with_sizes": `{"path":` + at("") + `,"sortBy":"size"}`,
		"directory_tree":            `{"path":` + at("") + `}`,
		"move_file":                 `{"source":` + at("p.png") + `,"destination":` + at("q.png") + `}`,
		"search_files":              `{"path":` + at("") + `,"pattern":"*.txt"}`,
		"get_file_info":             `{"path":` + at("a.txt") + `}`,
		"list_allowed_directories":  `{}`,
	})
	for name, res := range got {
		if res.Error != "" {
			t.Errorf("%s: %s", name, res.Error)
		}
	}
	for name, want := range map[string]string{"read_text_file": "first", "list_directory": "a.txt", "search_files": "a.txt", "list_allowed_directories": dir} {
		if res := got[name]; res == nil || !strings.Contains(res.Text, want) {
			t.Errorf("%s: %+v, want %q in it", name, res, want)
		}
	}
	if b, err := os.ReadFile(filepath.Join(dir, "a.txt")); err != nil || !strings.Contains(string(b), "2nd") {
		t.Errorf("the edit: %q, %v", b, err)
	}
	if res := got["read_media_file"]; res == nil || len(res.Images) != 1 || string(res.Images[0].Data) != string(png) {
		t.Errorf("the picture: %+v", res)
	}
	if a, _ := r.Lookup("fs_read_text_file"); !a.Spec().ReadOnly {
		t.Error("read_text_file is not read-only")
	}
	if a, _ := r.Lookup("fs_write_file"); !a.Spec().NeedsApproval {
		t.Error("write_file needs no approval")
	}
	if res := call(t, r, "fs_read_text_file", raw(`{"path":"/etc/passwd"}`)); !strings.Contains(res.Error, "denied") {
		t.Errorf("outside of the folder: %+v", res)
	}
	_, err := r.Call(t.Context(), "fs_list_directory_with_sizes", raw(`{"path":"x","sortBy":"colour"}`), registry.Provide(registry.Deps{}, registry.Page{}))
	if err == nil {
		t.Error("a value that is not in the enum was taken")
	}
}

func TestNPMEverythingServer(t *testing.T) {
	for _, kind := range []string{"stdio", "sse", "streamableHttp"} {
		t.Run(kind, func(t *testing.T) {
			cfg := Config{Name: "all", StartTimeout: 2 * time.Minute, Timeout: 2 * time.Minute}
			if kind == "stdio" {
				cfg.Command = []string{npm(t, "mcp-server-everything"), kind}
			} else {
				port := free(t)
				process(t, exec.Command(npm(t, "mcp-server-everything"), kind), "PORT="+port)
				cfg.URL = "http://127.0.0.1:" + port + map[string]string{"sse": "/sse", "streamableHttp": "/mcp"}[kind]
				if kind == "sse" {
					cfg.Transport = SSE
				}
				until(t, "the server", func() bool {
					conn, err := net.Dial("tcp", "127.0.0.1:"+port)
					if err == nil {
						conn.Close()
					}
					return err == nil
				})
			}
			var log syncBuffer
			cfg.Logger = log.logger()
			cfg.Sample = func(context.Context, *llm.Request) (*llm.Response, error) {
				return &llm.Response{Text: "sampled", Model: "m"}, nil
			}
			cfg.Elicit = func(_ context.Context, q Question) (Answer, error) {
				return Answer{Accept: true, Content: formFor(t, q)}, nil
			}
			c := open(t, cfg)
			r := registry.New()
			if _, err := c.AddTo(r); err != nil {
				t.Fatal(err)
			}
			got := every(t, c, r, everythingArgs(c))
			for name, res := range got {
				// One tool works as a background task only, which is another
				// extension of the protocol.
				if (res.Error != "") != (name == "simulate-research-query") {
					t.Errorf("%s: %q, error %q", name, res.Text, res.Error)
				}
			}
			for name, want := range map[string]string{"echo": "hi", "get-sum": "5", "trigger-sampling-request": "sampled"} {
				if res := got[name]; res == nil || !strings.Contains(res.Text, want) {
					t.Errorf("%s: %+v, want %q in it", name, res, want)
				}
			}
			if res := got["get-tiny-image"]; res == nil || len(res.Images) == 0 {
				t.Errorf("the image: %+v", res)
			}
			until(t, "the progress", func() bool { return strings.Contains(log.String(), "tool=trigger-long-running-operation") })
		})
	}
}

// everythingArgs are arguments for what the server offers this client.
func everythingArgs(c *Client) map[string]string {
	all := map[string]string{
		"echo":                              `{"message":"hi"}`,
		"get-sum":                           `{"a":2,"b":3}`,
		"add":                               `{"a":2,"b":3}`,
		"trigger-long-running-operation":    `{"duration":1,"steps":2}`,
		"get-tiny-image":                    `{}`,
		"get-env":                           `{}`,
		"get-annotated-message":             `{"messageType":"error","includeImage":true}`,
		"get-resource-reference":            `{"resourceType":"Text","resourceId":1}`,
		"get-resource-links":                `{"count":3}`,
		"get-structured-content":            `{"location":"New York"}`,
		"gzip-file-as-resource":             `{"name":"x.gz","data":"data:text/plain,hello","outputType":"resource"}`,
		"toggle-simulated-logging":          `{}`,
		"toggle-subscriber-updates":         `{}`,
		"trigger-sampling-request":          `{"prompt":"hello","maxTokens":10}`,
		"trigger-elicitation-request":       `{}`,
		"trigger-url-elicitation":           `{"url":"https://example.test/"}`,
		"trigger-sampling-request-async":    `{"prompt":"hello","maxTokens":10}`,
		"trigger-elicitation-request-async": `{}`,
		"get-roots-list":                    `{}`,
		"simulate-research-query":           `{"topic":"tea"}`,
	}
	var have []string
	for _, t := range c.Tools() {
		have = append(have, t.Name)
	}
	for name := range all {
		if !slices.Contains(have, name) {
			delete(all, name)
		}
	}
	return all
}

// formFor fills a form with something of the right type.
func formFor(t *testing.T, q Question) map[string]any {
	var schema struct {
		Properties map[string]struct {
			Type    string
			Enum    []any
			Default any
			Format  string
			OneOf   []struct{ Const any }
			Items   struct {
				Enum  []any
				AnyOf []struct{ Const any }
			}
		}
		Required []string
	}
	if len(q.Schema) == 0 {
		return nil
	}
	if err := json.Unmarshal(q.Schema, &schema); err != nil {
		t.Errorf("question %s: %v", q.Schema, err)
	}
	out := map[string]any{}
	for _, name := range schema.Required {
		p := schema.Properties[name]
		switch {
		case p.Default != nil:
			out[name] = p.Default
		case len(p.Enum) > 0:
			out[name] = p.Enum[0]
		case len(p.OneOf) > 0:
			out[name] = p.OneOf[0].Const
		case p.Type == "boolean":
			out[name] = true
		case p.Type == "number" || p.Type == "integer":
			out[name] = 1
		default:
			out[name] = "Ann"
		}
	}
	return out
}

// process runs a server until the test ends.
func process(t *testing.T, cmd *exec.Cmd, env ...string) {
	t.Helper()
	cmd.Env = append(cmd.Environ(), env...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		done := make(chan struct{})
		go func() { _ = cmd.Wait(); close(done) }()
		select {
		case <-done:
		case <-time.After(5 * time.Second):
			_ = cmd.Process.Kill()
			<-done
		}
	})
}

func free(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return fmt.Sprint(ln.Addr().(*net.TCPAddr).Port)
}
