package mcpserver

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-4bdb41d0/webhand/agent"
	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/llmtest"
)

type llmRequest = llm.Request

// flash is an agent for scripted models.
func flash() agent.Config {
	return agent.Config{
		Prompt: agent.Prompt{Style: agent.StyleFlash}, Vision: agent.Vision{See: agent.SeeNever},
		Limits: agent.Limits{Step: 2 * time.Minute, LLM: time.Minute},
	}
}

func toJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestTaskTellsItsSteps(t *testing.T) {
	url := site(t)
	model := llmtest.NewScript(
		`{"memory":"open it","action":[{"navigate":{"url":"`+url+`/item"}}]}`,
		`{"memory":"seen","action":[{"done":{"text":"It is one item.","success":true}}]}`,
	)
	s := start(t, Config{LLM: model, Agent: flash()})
	var mu sync.Mutex
	var told []sdk.ProgressNotificationParams
	theirs, ours := sdk.NewInMemoryTransports()
	if _, err := s.mcp.Connect(t.Context(), theirs, nil); err != nil {
		t.Fatal(err)
	}
	c := dial(t, ours, &sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, *r.Params)
	}})
	p := &sdk.CallToolParams{Name: "retry_with_browser_use_agent", Arguments: args{"task": "What is it?", "max_steps": 7, "model": "the dearest"}}
	p.SetProgressToken("t1")
	res, err := c.CallTool(t.Context(), p)
	if err != nil || res.IsError {
		t.Fatalf("%v, %s", err, text(res))
	}
	if got := text(res); got != "It is one item.\n\n(done after 2 steps)" {
		t.Errorf("the answer is %q", got)
	}
	var report taskReport
	unmarshal(t, toJSON(t, res.StructuredContent), &report)
	if !report.Success || report.Steps != 2 || len(report.URLs) == 0 || report.Tokens == 0 {
		t.Errorf("the report is %+v", report)
	}
	until(t, "the progress", func() bool { mu.Lock(); defer mu.Unlock(); return len(told) == 2 })
	if told[0].ProgressToken != "t1" || told[0].Progress != 1 || told[0].Total != 7 || !strings.Contains(told[0].Message, "navigate") {
		t.Errorf("progress %+v", told[0])
	}
	// It worked in the client's own session.
	if got := ok(t, c, "browser_state", nil); !strings.Contains(got, "/item") {
		t.Errorf("the session shows %s", got)
	}
}

func TestTaskThatFailsIsAnError(t *testing.T) {
	for name, answer := range map[string]string{
		"given up":           `{"memory":"no","action":[{"done":{"text":"There is no such page.","success":false}}]}`,
		"out of steps":       `{"memory":"no","action":[{"wait":{"seconds":1}}]}`,
		"nonsense of models": `no JSON at all`,
	} {
		t.Run(name, func(t *testing.T) {
			model := llmtest.NewScript(answer)
			model.Loop = true
			cfg := flash()
			cfg.Limits.Failures = 1
			c := connect(t, start(t, Config{LLM: model, Agent: cfg, MaxSteps: 2}))
			res := call(t, c, "run_task", args{"task": "Find it", "max_steps": 50})
			if !res.IsError || !strings.Contains(text(res), "not achieved") {
				t.Errorf("no error: %s", text(res))
			}
			var report taskReport
			unmarshal(t, toJSON(t, res.StructuredContent), &report)
			if report.Success || report.Steps > 3 {
				t.Errorf("the report is %+v", report)
			}
		})
	}
}

func TestCancelledTaskEnds(t *testing.T) {
	begun := make(chan struct{})
	model := &llmtest.Script{Func: func(n int, _ *llm.Request) llmtest.Answer {
		if n == 0 {
			close(begun)
		}
		return llmtest.Answer{Text: `{"memory":"x","action":[{"wait":{"seconds":30}}]}`}
	}}
	s := start(t, Config{LLM: model, Agent: flash()})
	c := connect(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	if _, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "run_task", Arguments: args{"task": "Wait", "new_session": true}}); err == nil {
		t.Error("the cancelled call has a result")
	}
	until(t, "the end of the task's session", func() bool {
		s.clients.mu.Lock()
		defer s.clients.mu.Unlock()
		return s.clients.n == 0
	})
	ok(t, c, "browser_state", nil)
}

func TestWithoutAModelNothingNeedsOne(t *testing.T) {
	c := connect(t, start(t, Config{}))
	for tool, err := range c.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if tool.Name == "run_task" || tool.Name == "browser_extract" {
			t.Errorf("%s is offered", tool.Name)
		}
	}
}
