package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// childEnv makes the test binary the program itself.
const childEnv = "WEBHAND_TEST_MCP_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, args...)
	cmd.Env = append(os.Environ(), childEnv+"=1")
	return cmd
}

func call(t *testing.T, c *sdk.ClientSession, tool string, args map[string]any) (string, bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	res, err := c.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	text, _ := res.Content[0].(*sdk.TextContent)
	if text == nil {
		return "", res.IsError
	}
	return text.Text, res.IsError
}

func connect(t *testing.T, tr sdk.Transport) *sdk.ClientSession {
	t.Helper()
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(t.Context(), tr, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestStdioWithAPolicy(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "<!doctype html><title>Here</title><h1>You are here</h1>")
	}))
	defer srv.Close()
	c := connect(t, &sdk.CommandTransport{Command: program(t, "-no-model", "-allow", strings.TrimPrefix(srv.URL, "http://"))})
	if got, failed := call(t, c, "browser_navigate", map[string]any{"url": srv.URL, "state": true}); failed {
		t.Error(got)
	}
	if got, failed := call(t, c, "browser_state", nil); failed || !strings.Contains(got, "You are here") {
		t.Errorf("state: %s", got)
	}
	if got, failed := call(t, c, "browser_navigate", map[string]any{"url": "http://other.test/"}); !failed || !strings.Contains(got, "policy") {
		t.Errorf("another site: %s", got)
	}
	tools, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range tools.Tools {
		if x.Name == "browser_evaluate" || x.Name == "run_task" || x.Name == "browser_extract" {
			t.Errorf("%s is offered", x.Name)
		}
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

func TestHTTPWithAToken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("token of the test\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := program(t, "-no-model", "-http", "127.0.0.1:0", "-token-file", file)
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(said).ReadString('\n')
	m := regexp.MustCompile(`http://[0-9.:]+/mcp`).FindString(line)
	if err != nil || m == "" {
		t.Fatalf("it said %q, %v", line, err)
	}
	if res, err := http.Post(m, "application/json", strings.NewReader("{}")); err != nil || res.StatusCode != http.StatusUnauthorized {
		t.Errorf("without the token: %v, %v", res, err)
	}
	c := connect(t, &sdk.StreamableClientTransport{Endpoint: m, HTTPClient: &http.Client{Transport: bearer{}}})
	if got, failed := call(t, c, "browser_list_sessions", nil); failed || got != "[]" {
		t.Errorf("sessions: %s", got)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}

type bearer struct{}

func (bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer token of the test")
	return http.DefaultTransport.RoundTrip(r)
}

func TestMistakesOnTheCommandLine(t *testing.T) {
	for name, args := range map[string][]string{
		"an open address":     {"-http", "0.0.0.0:0"},
		"no such action":      {"-exclude", "fly"},
		"a word too much":     {"mcp"},
		"a broken setting":    {"-private", "perhaps"},
		"no such file":        {"-token-file", "/nowhere/token"},
		"a profile of no one": {"-profile", "-"},
		"an unknown flag":     {"-frobnicate"},
	} {
		cmd := program(t, append([]string{"-no-model"}, args...)...)
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Run(); err == nil || errs.Len() == 0 || out.Len() > 0 {
			t.Errorf("%s: %v, standard output %q, standard error %q", name, err, out.String(), errs.String())
		}
	}
}
