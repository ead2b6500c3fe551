//go:build npm

package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/llm/llmtest"
)

// The packages are installed by "make mcp-peers".
const npmDir = "../mcptools/testdata/npm"

func node(t *testing.T, env []string, arg ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", arg...)
	cmd.Env = append(cmd.Environ(), env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("node %s: %v\n%s%s", strings.Join(arg, " "), err, out.String(), errs.String())
	}
	return out.String()
}

// The official TypeScript client fills a form, over all transports.
func TestNPMTypeScriptClient(t *testing.T) {
	for _, kind := range []string{"stdio", "http", "sse"} {
		t.Run(kind, func(t *testing.T) {
			page := site(t) + "/form"
			target, env := child(t).Path, []string{childEnv + "=1"}
			task := false
			if kind != "stdio" {
				model := llmtest.NewScript(`{"memory":"x","action":[{"done":{"text":"Looked.","success":true}}]}`)
				url := serve(t, Config{LLM: model, Agent: flash()})
				target, env, task = url+map[string]string{"http": "/mcp", "sse": "/sse"}[kind], nil, true
			}
			var saw struct {
				Tools        int
				After, Image string
				Wrong        bool
				Task         string
				Progress     int
			}
			unmarshal(t, node(t, env, filepath.Join(npmDir, "client.mjs"), kind, target, page), &saw)
			if saw.Tools < 25 || !strings.Contains(saw.After, "Hello Zoe") || saw.Image != "image image/png" || !saw.Wrong {
				t.Errorf("it saw %+v", saw)
			}
			if task && (!strings.Contains(saw.Task, "Looked.") || saw.Progress != 1) {
				t.Errorf("the task: %+v", saw)
			}
		})
	}
}

// The inspector's command line lists and calls tools, over all transports.
func TestNPMInspector(t *testing.T) {
	inspector := filepath.Join(npmDir, "node_modules", ".bin", "mcp-inspector")
	for _, kind := range []string{"stdio", "http", "sse"} {
		t.Run(kind, func(t *testing.T) {
			page := site(t) + "/form"
			run := func(args ...string) map[string]any {
				at := []string{inspector, "--cli"}
				switch kind {
				case "stdio":
					at = append(at, "-e", childEnv+"=1", child(t).Path)
				case "http":
					at = append(at, serve(t, Config{})+"/mcp", "--transport", "http")
				case "sse":
					at = append(at, serve(t, Config{})+"/sse", "--transport", "sse")
				}
				var m map[string]any
				out := node(t, nil, append(at, args...)...)
				if err := json.Unmarshal([]byte(out), &m); err != nil {
					t.Fatalf("%v in %s", err, out)
				}
				return m
			}
			if list, _ := run("--method", "tools/list")["tools"].([]any); len(list) < 25 {
				t.Errorf("%d tools", len(list))
			}
			res := run("--method", "tools/call", "--tool-name", "browser_navigate", "--tool-arg", "url="+page, "--tool-arg", "state=true")
			if got := toJSON(t, res); !strings.Contains(got, "nobody yet") || res["isError"] == true {
				t.Errorf("navigate: %s", got)
			}
		})
	}
}
