package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	api "github.com/sashabaranov/go-openai"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-4bdb41d0/webhand/llm/llmtest"
)

// childEnv makes the test binary the program itself.
const childEnv = "WEBHAND_TEST_MEMORY_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// start runs the program on a free port and returns its address.
func start(t *testing.T, env []string, args ...string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"-addr", "127.0.0.1:0", "-db", filepath.Join(t.TempDir(), "m.db")}, args...)...)
	cmd.Env = append(append(os.Environ(), childEnv+"=1", "OPENAI_API_KEY=", "OPENAI_BASE_URL="), env...)
	out, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	var said strings.Builder
	addr := ""
	for addr == "" {
		line, err := lines.ReadString('\n')
		said.WriteString(line)
		if m := regexp.MustCompile(`http://(\S+)/ui/`).FindStringSubmatch(line); m != nil {
			addr = m[1]
		}
		if err != nil {
			t.Fatalf("the program ended: %s", said.String())
		}
	}
	drained := make(chan struct{})
	go func() { defer close(drained); _, _ = io.Copy(io.Discard, lines) }()
	t.Cleanup(func() {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		<-drained
		if err := cmd.Wait(); err != nil {
			t.Errorf("the program ended with %v", err)
		}
	})
	return "http://" + addr
}

func body(t *testing.T, method, url, in string) string {
	t.Helper()
	req, err := http.NewRequest(method, url, strings.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d %s", res.StatusCode, b)
}

func TestAllServersOnOnePort(t *testing.T) {
	ctx := context.Background()
	upstream := llmtest.NewServer(t, llmtest.ServerConfig{Answers: []llmtest.Answer{
		llmtest.Text(`{"facts":["Likes jasmine tea"]}`), // the first add
		llmtest.Text("You like jasmine tea."),           // the chat
		llmtest.Text(`{"facts":[]}`),                    // what the chat said
	}})
	url := start(t, []string{"OPENAI_API_KEY=test-key", "OPENAI_BASE_URL=" + upstream.OpenAI()})

	if got := body(t, "POST", url+"/memories", `{"messages":"I like jasmine tea","user_id":"anna"}`); !strings.Contains(got, `"memory":"Likes jasmine tea","event":"ADD"`) {
		t.Fatalf("REST: %s", got)
	}
	if got := body(t, "GET", url+"/ui/", ""); !strings.Contains(got, "<title>Memories</title>") {
		t.Errorf("page: %.200s", got)
	}
	if got := body(t, "GET", url+"/docs", ""); !strings.HasPrefix(got, "200 ") {
		t.Errorf("docs: %.200s", got)
	}
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(ctx, &sdk.SSEClientTransport{Endpoint: url + "/mcp/claude/sse/anna"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "search_memory", Arguments: map[string]any{"query": "tea"}})
	if err != nil || !strings.Contains(res.Content[0].(*sdk.TextContent).Text, "Likes jasmine tea") {
		t.Errorf("MCP: %+v, %v", res, err)
	}
	cfg := api.DefaultConfig("ignored")
	cfg.BaseURL = url + "/v1"
	chat, err := api.NewClientWithConfig(cfg).CreateChatCompletion(ctx, api.ChatCompletionRequest{Model: "m", User: "anna",
		Messages: []api.ChatCompletionMessage{{Role: "user", Content: "which tea do I like"}}})
	if err != nil || chat.Choices[0].Message.Content != "You like jasmine tea." {
		t.Errorf("chat: %+v, %v", chat, err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

func TestWithoutAModel(t *testing.T) {
	url := start(t, nil)
	if got := body(t, "POST", url+"/memories", `{"messages":"raw","user_id":"anna"}`); !strings.Contains(got, `"memory":"raw"`) {
		t.Errorf("without a model a text is not stored as it is: %s", got)
	}
	if got := body(t, "POST", url+"/v1/chat/completions", `{}`); !strings.HasPrefix(got, "404 ") && !strings.HasPrefix(got, "405 ") {
		t.Errorf("there is a chat proxy without a model: %s", got)
	}
}

func TestStdio(t *testing.T) {
	ctx := context.Background()
	cmd := exec.Command(os.Args[0], "-db", filepath.Join(t.TempDir(), "m.db"), "-stdio", "claude/anna")
	cmd.Env = append(os.Environ(), childEnv+"=1", "OPENAI_API_KEY=", "OPENAI_BASE_URL=")
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(ctx, &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	tools, err := c.ListTools(ctx, nil)
	if err != nil || len(tools.Tools) != 5 {
		t.Errorf("%+v, %v", tools, err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

func TestBadFlags(t *testing.T) {
	keys := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(keys, []byte("one two three\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{
		"an open address without keys": {"-addr", "0.0.0.0:0"}, "a broken file of keys": {"-keys", keys}, "half of a client": {"-stdio", "claude"},
	} {
		cmd := exec.Command(os.Args[0], append([]string{"-db", filepath.Join(t.TempDir(), "m.db")}, args...)...)
		cmd.Env = append(os.Environ(), childEnv+"=1")
		var said bytes.Buffer
		cmd.Stderr = &said
		if err := cmd.Run(); err == nil || !strings.Contains(said.String(), "memory-server:") {
			t.Errorf("%s: %v, %s", name, err, said.String())
		}
	}
}
