package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/dom"
)

// entry starts a subject in a Chrome.
type entry struct {
	label string
	start func(context.Context, *chrome) (subject, error)
}

func subjects() []entry {
	own := func(name string, o browser.StateOptions) entry {
		return entry{name, func(ctx context.Context, c *chrome) (subject, error) {
			s, err := browser.New(ctx, browser.Config{RemoteURL: c.url()})
			if err != nil {
				return nil, err
			}
			return &ours{label: name, s: s, o: o}, nil
		}}
	}
	server := func(name, bin, open, read string, fixed map[string]any, args ...string) entry {
		return entry{name, func(ctx context.Context, c *chrome) (subject, error) {
			return startServer(ctx, c, server{label: name, openTool: open, readTool: read, fixed: fixed}, bin, args)
		}}
	}
	whole := dom.TextOptions{Budget: -1}
	return []entry{
		own("webhand", browser.StateOptions{Fresh: true}),
		own("webhand whole page", browser.StateOptions{Fresh: true, Full: true, Text: whole}),
		own("webhand interactive only", browser.StateOptions{Fresh: true, Full: true, Text: dom.TextOptions{Budget: -1, InteractiveOnly: true}}),
		own("webhand with screenshot", browser.StateOptions{Fresh: true, Screenshot: true}),
		server("playwright-mcp", "playwright-mcp", "browser_navigate", "browser_snapshot", nil, "--cdp-endpoint", "$URL"),
		server("chrome-devtools-mcp", "chrome-devtools-mcp", "navigate_page", "take_snapshot", map[string]any{"pageId": 1}, "--browserUrl", "$URL", "--no-usage-statistics", "--no-performance-crux"),
		{"agent-browser -i", func(_ context.Context, c *chrome) (subject, error) {
			return &command{c: c, args: []string{"snapshot", "-i"}}, nil
		}},
		{"agent-browser", func(_ context.Context, c *chrome) (subject, error) {
			return &command{c: c, args: []string{"snapshot"}}, nil
		}},
		{"stagehand", startStagehand},
	}
}

// ours is this library.
type ours struct {
	label string
	s     *browser.Session
	o     browser.StateOptions
}

func (x *ours) name() string { return x.label }
func (x *ours) close()       { _ = x.s.Close() }

func (x *ours) open(ctx context.Context, url string) error {
	_, err := x.s.Navigate(ctx, url)
	return err
}

func (x *ours) read(ctx context.Context) (string, time.Duration, error) {
	start := time.Now()
	st, err := x.s.State(ctx, x.o)
	if err != nil {
		return "", 0, err
	}
	return st.Text.String, time.Since(start), nil
}

// server is a tool that speaks the Model Context Protocol.
type server struct {
	label, openTool, readTool string
	fixed                     map[string]any // arguments of every call
	session                   *mcp.ClientSession
}

func startServer(ctx context.Context, c *chrome, x server, bin string, args []string) (subject, error) {
	for i := range args {
		if args[i] == "$URL" {
			args = append([]string(nil), args...)
			args[i] = c.url()
		}
	}
	cmd := exec.Command("node", append([]string{filepath.Join("node_modules", ".bin", bin)}, args...)...)
	client := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		return nil, fmt.Errorf("start %s (npm install in bench first): %w", bin, err)
	}
	x.session = session
	return &x, nil
}

func (x *server) name() string { return x.label }
func (x *server) close()       { _ = x.session.Close() }

func (x *server) call(ctx context.Context, tool string, args map[string]any) (string, error) {
	for k, v := range x.fixed {
		args[k] = v
	}
	res, err := x.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, c := range res.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			b.WriteString(t.Text)
		}
	}
	if res.IsError {
		return "", errors.New(firstLine(b.String()))
	}
	return b.String(), nil
}

func (x *server) open(ctx context.Context, url string) error {
	_, err := x.call(ctx, x.openTool, map[string]any{"url": url})
	return err
}

func (x *server) read(ctx context.Context) (string, time.Duration, error) {
	start := time.Now()
	text, err := x.call(ctx, x.readTool, map[string]any{})
	return text, time.Since(start), err
}

// agentBrowser is the program itself where npm brought it, so that its launcher
// does not count.
func agentBrowser() string {
	arch := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	p := filepath.Join("node_modules", "agent-browser", "bin", "agent-browser-"+runtime.GOOS+"-"+arch)
	if st, err := os.Stat(p); err == nil && st.Mode()&0o111 != 0 {
		return p
	}
	return filepath.Join("node_modules", ".bin", "agent-browser")
}

// command is agent-browser, a command that talks to a process of its own.
type command struct {
	c    *chrome
	args []string
}

func (x *command) name() string {
	return strings.TrimSpace("agent-browser " + strings.Join(x.args[1:], " "))
}

func (x *command) run(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, agentBrowser(),
		append([]string{"--session", "bench-" + x.c.port, "--cdp", x.c.port}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("agent-browser: %w: %s", err, firstLine(string(out)))
	}
	return string(out), nil
}

func (x *command) open(ctx context.Context, url string) error {
	_, err := x.run(ctx, "open", url)
	return err
}

func (x *command) read(ctx context.Context) (string, time.Duration, error) {
	start := time.Now()
	text, err := x.run(ctx, x.args...)
	return text, time.Since(start), err
}

func (x *command) close() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_, _ = x.run(ctx, "close")
}

// script is Stagehand, driven by stagehand.mjs.
type script struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startStagehand(_ context.Context, c *chrome) (subject, error) {
	cmd := exec.Command("node", "stagehand.mjs", c.socket())
	cmd.Stderr = os.Stderr // why it ended, if it did
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &script{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 1<<20)}, nil
}

func (x *script) name() string { return "stagehand" }

// ask sends a line and waits for its answer. A question given up ends the
// program: its answers would come out of step.
func (x *script) ask(ctx context.Context, line string) (string, time.Duration, error) {
	stop := context.AfterFunc(ctx, func() { _ = x.cmd.Process.Kill() })
	defer stop()
	text, took, err := x.answer(line)
	if ctx.Err() != nil {
		return "", 0, context.Cause(ctx)
	}
	return text, took, err
}

func (x *script) answer(line string) (string, time.Duration, error) {
	if _, err := io.WriteString(x.in, line+"\n"); err != nil {
		return "", 0, err
	}
	for {
		b, err := x.out.ReadBytes('\n')
		if err != nil {
			return "", 0, fmt.Errorf("stagehand.mjs ended: %w", err)
		}
		var res struct {
			MS          float64
			Text, Error string
		}
		if json.Unmarshal(b, &res) != nil {
			continue // a line of somebody's log
		}
		if res.Error != "" {
			return "", 0, errors.New(firstLine(res.Error))
		}
		return res.Text, time.Duration(res.MS * float64(time.Millisecond)), nil
	}
}

func (x *script) open(ctx context.Context, url string) error {
	_, _, err := x.ask(ctx, url)
	return err
}

func (x *script) read(ctx context.Context) (string, time.Duration, error) { return x.ask(ctx, "") }

func (x *script) close() {
	_ = x.in.Close()
	_ = x.cmd.Process.Kill()
	_ = x.cmd.Wait()
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return s[:min(len(s), 160)]
}
