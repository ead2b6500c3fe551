package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-4bdb41d0/webhand/browser"
)

var (
	update = flag.Bool("update", false, "rewrite the golden files")
	chr    *browser.Browser
)

// childEnv makes the test binary a server on standard input and output.
const childEnv = "WEBHAND_TEST_MCPSERVER"

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		if err := stdioChild(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	flag.Parse()
	os.Exit(run(m))
}

func stdioChild() error {
	s, err := New(Config{BrowserConfig: quick()})
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Stdio(context.Background(), os.Stdin, os.Stdout)
}

// quick is a session for slow machines.
func quick() browser.Config {
	return browser.Config{StartTimeout: 2 * time.Minute, CallTimeout: time.Minute, NavigateTimeout: time.Minute, HangTimeout: time.Minute}
}

func run(m *testing.M) int {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	var err error
	if chr, err = browser.Launch(ctx, quick()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer chr.Close()
	return m.Run()
}

// site serves the pages of the tests.
func site(t *testing.T) string {
	t.Helper()
	srv := httptest.NewServer(pages())
	t.Cleanup(srv.Close)
	return srv.URL
}

// start returns a server in the Chrome of the package.
func start(t *testing.T, cfg Config) *Server {
	t.Helper()
	if cfg.BrowserConfig.StartTimeout == 0 {
		policy := cfg.BrowserConfig.Policy
		cfg.BrowserConfig = quick()
		cfg.BrowserConfig.Policy = policy
	}
	cfg.Browser = chr
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// connect returns a client of the server, in the same process.
func connect(t *testing.T, s *Server) *sdk.ClientSession {
	t.Helper()
	theirs, ours := sdk.NewInMemoryTransports()
	if _, err := s.mcp.Connect(t.Context(), theirs, nil); err != nil {
		t.Fatal(err)
	}
	return dial(t, ours, nil)
}

func dial(t *testing.T, tr sdk.Transport, o *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, o).Connect(t.Context(), tr, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

type args = map[string]any

// call returns the answer of a tool.
func call(t *testing.T, c *sdk.ClientSession, tool string, a args) *sdk.CallToolResult {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if a == nil {
		a = args{}
	}
	res, err := c.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: a})
	if err != nil {
		t.Fatalf("%s %v: %v", tool, a, err)
	}
	return res
}

// text is what an answer says.
func text(res *sdk.CallToolResult) string {
	var parts []string
	for _, c := range res.Content {
		if x, ok := c.(*sdk.TextContent); ok {
			parts = append(parts, x.Text)
		}
	}
	return strings.Join(parts, "\n---\n")
}

// ok calls a tool that must not fail.
func ok(t *testing.T, c *sdk.ClientSession, tool string, a args) string {
	t.Helper()
	res := call(t, c, tool, a)
	if res.IsError {
		t.Fatalf("%s %v failed: %s", tool, a, text(res))
	}
	return text(res)
}

// refused calls a tool that must fail, with an error that says want.
func refused(t *testing.T, c *sdk.ClientSession, tool string, a args, want string) string {
	t.Helper()
	res := call(t, c, tool, a)
	if !res.IsError {
		t.Fatalf("%s %v did not fail: %s", tool, a, text(res))
	}
	if !strings.Contains(text(res), want) {
		t.Fatalf("%s %v failed with %q, want %q in it", tool, a, text(res), want)
	}
	return text(res)
}

// index finds the number of an element in a page state.
func index(t *testing.T, state, what string) int {
	t.Helper()
	for line := range strings.Lines(state) {
		if !strings.Contains(line, what) {
			continue
		}
		var n int
		if i := strings.IndexByte(line, '['); i >= 0 {
			if _, err := fmt.Sscanf(line[i:], "[%d]", &n); err == nil {
				return n
			}
		}
	}
	t.Fatalf("no element %q in\n%s", what, state)
	return 0
}

// child runs a server in a process of its own, as clients do.
func child(t *testing.T) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childEnv+"=1")
	cmd.Stderr = os.Stderr
	return cmd
}

// pipe runs lines of input through a server in a process of its own and
// returns what it wrote.
func pipe(t *testing.T, send func(in io.Writer, next func() map[string]any)) []string {
	t.Helper()
	cmd := child(t)
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
	var lines []string
	sc := bufio.NewScanner(out)
	sc.Buffer(nil, 16<<20)
	send(in, func() map[string]any {
		if !sc.Scan() {
			t.Fatalf("the server wrote nothing more: %v", sc.Err())
		}
		lines = append(lines, sc.Text())
		var m map[string]any
		if err := json.Unmarshal(sc.Bytes(), &m); err != nil {
			t.Fatalf("%q is not JSON: %v", sc.Text(), err)
		}
		return m
	})
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	for sc.Scan() {
		lines = append(lines, sc.Text())
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
	return lines
}
