package gemini_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/gemini"
	"github.com/seed-4bdb41d0/webhand/llm/llmtest"
)

const answer = `{"memory":"m","action":[{"click":{"index":7}}]}`

func always(*llmtest.Request) llmtest.Answer { return llmtest.Text(answer) }

func client(s *llmtest.Server, model string) *gemini.Client {
	return gemini.New(gemini.Config{Model: model, APIKey: "AIza-key-0123456789", BaseURL: s.Gemini()})
}

func ask() *llm.Request {
	return &llm.Request{
		Messages: []llm.Message{llm.System("You drive a browser."), llm.User("Click.")},
		Format:   llmtest.ConformFormat(),
	}
}

func TestSchemaThatTheModelDoesNotTake(t *testing.T) {
	s := llmtest.NewServer(t, llmtest.ServerConfig{Answer: always, Check: func(r *llmtest.Request) string {
		if r.Rung == llm.RungSchema {
			return "Invalid JSON payload received. Unknown name \"responseJsonSchema\" at 'generation_config': Cannot find field."
		}
		return ""
	}})
	c := client(s, "gemini-1.5-flash")
	for n := range 2 {
		resp, err := c.Complete(t.Context(), ask())
		if err != nil || resp.Rung != llm.RungObject || len(s.Requests()) != 2+n {
			t.Errorf("%+v, %v after %d requests", resp, err, len(s.Requests()))
		}
	}
	if last := s.Requests()[2]; !strings.Contains(last.Text(), `The object has "memory"`) {
		t.Error("nothing tells the model the form")
	}
}

func TestQuotaAndRateAreToldApartByTheRetryInfo(t *testing.T) {
	// Google words both alike.
	const message = "You exceeded your current quota, please check your plan and billing details."
	for _, tt := range []struct {
		details string
		want    error
	}{
		{`,"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34s"}]`, llm.ErrRateLimit},
		{``, llm.ErrQuota},
	} {
		s := llmtest.NewServer(t, llmtest.ServerConfig{Answers: []llmtest.Answer{{Fault: &llmtest.Fault{
			Status: 429, Body: fmt.Sprintf(`{"error":{"code":429,"message":%q,"status":"RESOURCE_EXHAUSTED"%s}}`, message, tt.details),
		}}}})
		_, err := client(s, "gemini-2.5-flash").Complete(t.Context(), ask())
		var e *llm.Error
		if !errors.Is(err, tt.want) || !errors.As(err, &e) || (tt.details != "") != (e.RetryAfter.Seconds() == 34) {
			t.Errorf("got %v, retry after %v; want %v", err, e.RetryAfter, tt.want)
		}
	}
}

func TestBadKeyIsAStatus400(t *testing.T) {
	s := llmtest.NewServer(t, llmtest.ServerConfig{Answers: []llmtest.Answer{{Fault: &llmtest.Fault{
		Status: 400, Body: `{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}`,
	}}}})
	if _, err := client(s, "gemini-2.5-flash").Complete(t.Context(), ask()); !errors.Is(err, llm.ErrAuth) {
		t.Errorf("got %v", err)
	}
}

func TestEffortByModel(t *testing.T) {
	for model, want := range map[string]string{"gemini-2.5-flash": `"thinkingBudget":1024`, "gemini-3-pro-preview": `"thinkingLevel":"low"`} {
		s := llmtest.NewServer(t, llmtest.ServerConfig{Answer: always})
		req := ask()
		req.ReasoningEffort = "low"
		if _, err := client(s, model).Complete(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		if body := s.Requests()[0].Body; !strings.Contains(string(body), want) {
			t.Errorf("%s: %s", model, body)
		}
	}
}

func TestPlacesOfRolesAndDetail(t *testing.T) {
	s := llmtest.NewServer(t, llmtest.ServerConfig{Answer: always})
	req := &llm.Request{Messages: []llm.Message{
		llm.System("a"), llm.System("b"), llm.Assistant("x"),
		llm.System("in the middle"),
		{Role: llm.RoleUser, Parts: []llm.Part{{Image: &llm.Image{Data: []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"), Detail: llm.DetailLow}}}},
	}}
	if _, err := client(s, "gemini-2.5-flash").Complete(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	var sent struct {
		System struct {
			Parts []struct{ Text string }
		} `json:"systemInstruction"`
		Contents []struct{ Role string }
		Config   struct {
			Resolution string `json:"mediaResolution"`
		} `json:"generationConfig"`
	}
	if err := json.Unmarshal(s.Requests()[0].Body, &sent); err != nil {
		t.Fatal(err)
	}
	if len(sent.System.Parts) != 2 || len(sent.Contents) != 2 || sent.Contents[0].Role != "model" || sent.Contents[1].Role != "user" || sent.Config.Resolution != "MEDIA_RESOLUTION_LOW" {
		t.Errorf("sent %+v", sent)
	}
}

func TestNothingPrintsTheKey(t *testing.T) {
	t.Setenv("GEMINI_API_KEY", "")
	t.Setenv("GOOGLE_API_KEY", "")
	cfg := gemini.Config{Model: "m", APIKey: "AIza-key-0123456789", BaseURL: "http://127.0.0.1:1"}
	c := gemini.New(cfg)
	_, err := c.Complete(t.Context(), ask())
	_, none := gemini.New(gemini.Config{Model: "m"}).Complete(t.Context(), ask())
	for _, v := range []any{cfg, c, err, none} {
		for _, f := range []string{"%v", "%+v", "%#v"} {
			if strings.Contains(fmt.Sprintf(f, v), "AIza-key") {
				t.Errorf("%s of %T shows the key", f, v)
			}
		}
	}
	if !errors.Is(err, llm.ErrServer) || !errors.Is(none, llm.ErrAuth) {
		t.Errorf("got %v and %v", err, none)
	}
}
