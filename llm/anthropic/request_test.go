package anthropic_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/anthropic"
	"github.com/seed-4bdb41d0/webhand/llm/llmtest"
)

const answer = `{"memory":"m","action":[{"click":{"index":7}}]}`

func always(*llmtest.Request) llmtest.Answer { return llmtest.Text(answer) }

func client(s *llmtest.Server, change func(*anthropic.Config)) *anthropic.Client {
	cfg := anthropic.Config{Model: "claude-sonnet-4-5", APIKey: "sk-ant-key-0123456789", BaseURL: s.Anthropic()}
	if change != nil {
		change(&cfg)
	}
	return anthropic.New(cfg)
}

func ask() *llm.Request {
	return &llm.Request{
		Messages: []llm.Message{llm.System("You drive a browser."), llm.User("Click.")},
		Format:   llmtest.ConformFormat(),
	}
}

func TestForcedToolOnAModelThatThinks(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*anthropic.Config)
		calls  int
	}{
		{"known from the configuration", func(c *anthropic.Config) { c.ThinkingBudget = 2000 }, 1},
		{"known from the name", func(c *anthropic.Config) { c.Model = "claude-fable-5-1" }, 1},
		{"learned", func(c *anthropic.Config) {
			c.Extra = map[string]any{"thinking": map[string]any{"type": "enabled", "budget_tokens": 1024}}
		}, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			// The server's own rule refuses the forced call; that is the point.
			s, err := llmtest.Serve(llmtest.ServerConfig{Answer: always})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			c := client(s, tt.change)
			req := ask()
			zero := 0.0
			if tt.calls == 1 {
				req.Temperature = &zero // left out while the model thinks
			}
			for n := range 2 {
				resp, err := c.Complete(t.Context(), req)
				if err != nil || resp.Rung != llm.RungAutoTool || resp.Text != answer || len(s.Requests()) != tt.calls+n {
					t.Errorf("%+v, %v after %d requests", resp, err, len(s.Requests()))
				}
			}
		})
	}
}

func TestAnswerInWordsInsteadOfTheOfferedTool(t *testing.T) {
	s := llmtest.NewServer(t, llmtest.ServerConfig{Answers: []llmtest.Answer{{
		Body: json.RawMessage(fmt.Sprintf(`{"id":"m","type":"message","role":"assistant","model":"claude","content":[{"type":"text","text":%q}],"stop_reason":"end_turn","usage":{"input_tokens":5,"cache_read_input_tokens":20,"cache_creation_input_tokens":10,"output_tokens":3}}`, "Here:\n"+answer)),
	}}})
	resp, err := client(s, func(c *anthropic.Config) { c.ThinkingBudget = 2000 }).Complete(t.Context(), ask())
	if err != nil || resp.Text != answer {
		t.Fatalf("%+v, %v", resp, err)
	}
	if want := (llm.Usage{Input: 35, Cached: 20, CacheWrite: 10, Output: 3}); resp.Usage != want {
		t.Errorf("usage %+v, want %+v", resp.Usage, want)
	}
}

func TestCacheMarkersEndAtImagesToo(t *testing.T) {
	s := llmtest.NewServer(t, llmtest.ServerConfig{Answer: always})
	req := ask()
	req.Messages[0].CacheEnd = true
	png := []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")
	for range 5 {
		req.Messages = append(req.Messages,
			llm.Message{Role: llm.RoleUser, CacheEnd: true, Parts: []llm.Part{{Text: "page"}, {Image: &llm.Image{Data: png}}}},
			llm.Assistant("ok"))
	}
	req.Messages = append(req.Messages, llm.User("now"))
	if _, err := client(s, nil).Complete(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	got := s.Requests()[0]
	if n := strings.Count(string(got.Body), "cache_control"); n != 4 {
		t.Errorf("%d markers, want 4", n)
	}
	if !got.Messages[0].CacheEnd {
		t.Error("the system prompt lost its marker")
	}
	var marked []int
	for i, m := range got.Messages[1:] {
		if m.CacheEnd {
			marked = append(marked, i)
		}
	}
	if fmt.Sprint(marked) != "[4 6 8]" { // the last three that asked
		t.Errorf("marked %v", marked)
	}
}

func TestConversationsThatTheAPIWouldRefuse(t *testing.T) {
	for _, msgs := range [][]llm.Message{
		{llm.System("only")},
		{llm.Assistant("first")},
		{llm.User("a"), llm.System("in the middle"), llm.User("b")},
		{llm.User("a"), llm.Assistant("ends with space \n"), llm.User("b")},
		{llm.User("a"), {Role: llm.RoleUser, Parts: []llm.Part{{Text: ""}}}, llm.User("b")},
		{llm.User("a"), llm.Assistant("prefill ")},
	} {
		s := llmtest.NewServer(t, llmtest.ServerConfig{Answer: always})
		if _, err := client(s, nil).Complete(t.Context(), &llm.Request{Messages: msgs}); err != nil {
			t.Errorf("%+v: %v", msgs, err)
		}
	}
}

func TestEffortThatTheModelDoesNotTake(t *testing.T) {
	s := llmtest.NewServer(t, llmtest.ServerConfig{Answer: always, Check: func(r *llmtest.Request) string {
		if strings.Contains(string(r.Body), `"effort"`) {
			return "This model does not support the effort parameter."
		}
		return ""
	}})
	c := client(s, nil)
	for n := range 2 {
		req := ask()
		req.ReasoningEffort = "low"
		resp, err := c.Complete(t.Context(), req)
		if err != nil || len(s.Requests()) != 2+n || len(resp.Notes) == 0 {
			t.Errorf("%+v, %v after %d requests", resp, err, len(s.Requests()))
		}
	}
}

func TestWhatItCannotDoIsSaid(t *testing.T) {
	s := llmtest.NewServer(t, llmtest.ServerConfig{Answer: always})
	req := ask()
	seed := 1
	req.Seed = &seed
	resp, err := client(s, nil).Complete(t.Context(), req)
	if err != nil || !strings.Contains(strings.Join(resp.Notes, ";"), "seed") {
		t.Errorf("%+v, %v", resp, err)
	}
}

func TestEnvironmentIsLeftAlone(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "sk-ant-of-the-environment")
	t.Setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")
	t.Setenv("ANTHROPIC_AUTH_TOKEN", "token-of-the-environment")
	s := llmtest.NewServer(t, llmtest.ServerConfig{Answer: always, Key: "sk-ant-key-0123456789"})
	if _, err := client(s, nil).Complete(t.Context(), ask()); err != nil {
		t.Fatal(err)
	}
	if h := s.Requests()[0].Header; h.Get("Authorization") != "" {
		t.Error("a token of the environment was sent")
	}
	_, err := anthropic.New(anthropic.Config{Model: "m", BaseURL: s.Anthropic()}).Complete(t.Context(), ask())
	if !errors.Is(err, llm.ErrAuth) || len(s.Requests()) != 1 {
		t.Errorf("the key of the environment goes to any URL: %v", err)
	}
}

func TestNothingPrintsTheKey(t *testing.T) {
	cfg := anthropic.Config{Model: "m", APIKey: "sk-ant-key-0123456789", BaseURL: "http://127.0.0.1:1"}
	c := anthropic.New(cfg)
	_, err := c.Complete(t.Context(), ask())
	for _, v := range []any{cfg, c, err} {
		for _, f := range []string{"%v", "%+v", "%#v"} {
			if strings.Contains(fmt.Sprintf(f, v), "sk-ant-key") {
				t.Errorf("%s of %T shows the key", f, v)
			}
		}
	}
	if !errors.Is(err, llm.ErrServer) {
		t.Errorf("got %v", err)
	}
}
