package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-4bdb41d0/webhand/browser"
)

// The elements of the page, as the tools' page states show them.
const (
	addButton  = "add one"
	restButton = "rest"
	nameField  = "full name"
	sizeList   = "size"
)

// target is the element that an action is aimed at.
func (a act) target() string {
	return map[string]string{"click": addButton, "idle": restButton, "type": nameField, "select": sizeList}[a.kind]
}

func hands() []handEntry {
	const playwright = "playwright-mcp"
	wheel := func(a act) (string, map[string]any) {
		return "browser_mouse_wheel", map[string]any{"deltaX": 0, "deltaY": map[bool]int{false: 700, true: -700}[a.up]}
	}
	pw := func(label string, args ...string) handEntry {
		return handEntry{label, func(ctx context.Context, c *chrome) (hand, error) {
			return startServerHand(ctx, c, serverHand{
				server: server{label: label, openTool: "browser_navigate", readTool: "browser_snapshot"},
				ref:    `%s"? \[(?:[a-z]+\] \[)*ref=(e\d+)\]`,
				say: func(a act, ref string) (string, map[string]any) {
					switch a.kind {
					case "type":
						return "browser_type", map[string]any{"target": ref, "text": a.text}
					case "select":
						return "browser_select_option", map[string]any{"target": ref, "values": []string{a.text}}
					case "scroll":
						return wheel(a)
					}
					return "browser_click", map[string]any{"target": ref}
				},
			}, playwright, append([]string{"--cdp-endpoint", "$URL", "--caps", "vision"}, args...))
		}}
	}
	return []handEntry{
		{"webhand", func(ctx context.Context, c *chrome) (hand, error) {
			s, err := browser.New(ctx, browser.Config{RemoteURL: c.url()})
			if err != nil {
				return nil, err
			}
			return &ownHand{s: s}, nil
		}},
		{"webhand over MCP", startOwnServer},
		pw("playwright-mcp"),
		pw("playwright-mcp, lean", "--snapshot-mode", "none", "--timeout-settle", "0"),
		{"chrome-devtools-mcp", func(ctx context.Context, c *chrome) (hand, error) {
			return startServerHand(ctx, c, serverHand{
				server: server{label: "chrome-devtools-mcp", openTool: "navigate_page", readTool: "take_snapshot", fixed: map[string]any{"pageId": 1}},
				ref:    `uid=(\S+) \w+ "%s"`,
				say: func(a act, ref string) (string, map[string]any) {
					switch a.kind {
					case "type", "select":
						return "fill", map[string]any{"uid": ref, "value": a.text}
					case "scroll":
						return "press_key", map[string]any{"key": map[bool]string{false: "PageDown", true: "PageUp"}[a.up]}
					}
					return "click", map[string]any{"uid": ref}
				},
			}, "chrome-devtools-mcp", []string{"--browserUrl", "$URL", "--no-usage-statistics", "--no-performance-crux"})
		}},
		{"agent-browser", func(_ context.Context, c *chrome) (hand, error) {
			return &commandHand{command: command{c: c, args: []string{"snapshot", "-i"}}}, nil
		}},
	}
}

// refsOf finds what the elements are called in the text of a page state. ref is
// a pattern with %s for an element's name.
func refsOf(text, ref string) (map[string]string, error) {
	out := make(map[string]string)
	for _, name := range []string{addButton, restButton, nameField, sizeList} {
		m := regexp.MustCompile(fmt.Sprintf(ref, name)).FindStringSubmatch(text)
		if m == nil {
			return nil, fmt.Errorf("no element %q in the page state", name)
		}
		out[name] = m[1]
	}
	return out, nil
}

// ownHand is this library.
type ownHand struct {
	s    *browser.Session
	refs map[string]int
}

func (x *ownHand) close() { _ = x.s.Close() }

func (x *ownHand) open(ctx context.Context, url string) error {
	_, err := x.s.Navigate(ctx, url)
	return err
}

func (x *ownHand) look(ctx context.Context) error {
	st, err := x.s.State(ctx, browser.StateOptions{Fresh: true})
	if err != nil {
		return err
	}
	x.refs = make(map[string]int)
	for _, e := range st.Page.Elements {
		for _, s := range []string{e.Name, e.Text} {
			if s != "" && x.refs[s] == 0 {
				x.refs[s] = e.Index
			}
		}
	}
	return nil
}

func (x *ownHand) do(ctx context.Context, a act) error {
	i := x.refs[a.target()]
	var err error
	switch a.kind {
	case "type":
		_, err = x.s.Input(ctx, i, a.text, browser.InputOptions{})
	case "select":
		_, err = x.s.Select(ctx, i, []string{a.text}, browser.SelectOptions{})
	case "scroll":
		_, err = x.s.Scroll(ctx, browser.ScrollOptions{Pages: map[bool]float64{false: 1, true: -1}[a.up]})
	default:
		_, err = x.s.Click(ctx, i, browser.ClickOptions{})
	}
	return err
}

// serverHand is a tool that speaks the Model Context Protocol.
type serverHand struct {
	server
	ref  string // how an element is called in its page state
	say  func(a act, ref string) (tool string, args map[string]any)
	refs map[string]string
	temp string // removed in the end
}

func startServerHand(ctx context.Context, c *chrome, x serverHand, bin string, args []string) (hand, error) {
	s, err := startServer(ctx, c, x.server, bin, args)
	if err != nil {
		return nil, err
	}
	x.server = *s.(*server)
	return &x, nil
}

// startOwnServer is examples/mcp-server, over standard input and output like
// the others.
func startOwnServer(ctx context.Context, c *chrome) (hand, error) {
	dir, err := os.MkdirTemp("", "webhand-bench-")
	if err != nil {
		return nil, err
	}
	bin := filepath.Join(dir, "mcp-server")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", bin, "../examples/mcp-server").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build examples/mcp-server: %w: %s", err, firstLine(string(out)))
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: exec.Command(bin, "-cdp", c.url(), "-no-model")}, nil)
	if err != nil {
		return nil, err
	}
	return &serverHand{
		server: server{label: "webhand over MCP", openTool: "browser_navigate", readTool: "browser_state", session: session},
		ref:    `\[(\d+)\]<[^>]*>?[^\n]*?%s`, temp: dir,
		say: func(a act, ref string) (string, map[string]any) {
			i, _ := strconv.Atoi(ref)
			switch a.kind {
			case "type":
				return "browser_input", map[string]any{"index": i, "text": a.text}
			case "select":
				return "browser_select_dropdown", map[string]any{"index": i, "text": a.text}
			case "scroll":
				return "browser_scroll", map[string]any{"down": !a.up}
			}
			return "browser_click", map[string]any{"index": i}
		},
	}, nil
}

func (x *serverHand) close() {
	x.server.close()
	if x.temp != "" {
		_ = os.RemoveAll(x.temp)
	}
}

func (x *serverHand) look(ctx context.Context) error {
	text, _, err := x.read(ctx)
	if err != nil {
		return err
	}
	x.refs, err = refsOf(text, x.ref)
	return err
}

func (x *serverHand) do(ctx context.Context, a act) error {
	tool, args := x.say(a, x.refs[a.target()])
	_, err := x.call(ctx, tool, args)
	return err
}

// commandHand is agent-browser.
type commandHand struct {
	command
	refs map[string]string
}

func (x *commandHand) look(ctx context.Context) error {
	text, _, err := x.read(ctx)
	if err != nil {
		return err
	}
	x.refs, err = refsOf(text, `"%s" \[.*?ref=(e\d+)`)
	return err
}

func (x *commandHand) do(ctx context.Context, a act) error {
	ref := "@" + x.refs[a.target()]
	args := []string{"click", ref}
	switch a.kind {
	case "type":
		args = []string{"fill", ref, a.text}
	case "select":
		args = []string{"select", ref, a.text}
	case "scroll":
		args = []string{"scroll", map[bool]string{false: "down", true: "up"}[a.up], "700"}
	case "click", "idle":
	default:
		return errors.New("unknown action")
	}
	_, err := x.run(ctx, args...)
	return err
}
