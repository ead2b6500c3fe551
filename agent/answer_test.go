package agent

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/registry"
)

func TestParseAnswer(t *testing.T) {
	f := simpleTools().Compile(registry.Page{}).Format("agent_output", thinkingPlan{})
	for _, tt := range []struct {
		name, text string
		actions    int
		memory     string
	}{
		{"plain", say(`{"click":{"index":3}}`), 1, "m"},
		{"fenced", "```json\n" + say(`{"click":{"index":3}}`) + "\n```", 1, "m"},
		{"fence inside a string", `{"memory":"m","action":[{"done":{"text":"use ` + "```go\\nx\\n```" + ` now"}}]}`, 1, "m"},
		{"thinking with braces before", `<think>{maybe}</think>Sure: ` + say(`{"click":{"index":3}}`), 1, "m"},
		{"one action without a list", `{"memory":"m","action":{"click":{"index":3}}}`, 1, "m"},
		{"bare list", `[{"click":{"index":3}},{"click":{"index":4}}]`, 2, ""},
		{"numbers where text belongs", `{"memory":7,"action":[{"click":{"index":3}}]}`, 1, "7"},
		{"nulls", `{"memory":null,"thinking":null,"plan_update":null,"current_plan_item":null,"action":[{"click":{"index":3}}]}`, 1, ""},
		{"unknown keys", `{"memory":"m","mood":"fine","action":[{"click":{"index":3}}]}`, 1, "m"},
		{"empty objects between", `{"memory":"m","action":[{},{"click":{"index":3}},null]}`, 1, "m"},
		{"trailing comma", `{"memory":"m","action":[{"click":{"index":3}},]}`, 1, "m"},
	} {
		a, err := parseAnswer(tt.text, f)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if len(a.Actions) != tt.actions || a.Memory != tt.memory {
			t.Errorf("%s: %d actions, memory %q; want %d, %q", tt.name, len(a.Actions), a.Memory, tt.actions, tt.memory)
		}
	}
}

func TestAnswersWithoutActionsAreFailures(t *testing.T) {
	f := simpleTools().Compile(registry.Page{}).Format("agent_output", thinkingPlan{})
	for _, text := range []string{`{"memory":"m","action":[]}`, `{"action":[{}]}`, `{"memory":"m"}`, `{"action":null}`} {
		if _, err := parseAnswer(text, f); !errors.Is(err, errNoAction) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{"", "I cannot help with that.", `{"action":[{"input":{"index":3,"text":"abc`} {
		_, err := parseAnswer(text, f)
		if !errors.Is(err, llm.ErrMalformed) && !errors.Is(err, llm.ErrEmpty) {
			t.Errorf("%q: %v", text, err)
		}
		if s := advice(err); strings.Contains(s, "\n") || len(s) > 700 || s == "" {
			t.Errorf("%q: the model is told %q", text, s)
		}
	}
}

func TestStylesAskForTheirFields(t *testing.T) {
	for _, tt := range []struct {
		style Style
		plan  bool
		want  string
	}{
		{StyleThinking, true, "thinking evaluation_previous_goal memory next_goal current_plan_item plan_update"},
		{StyleThinking, false, "thinking evaluation_previous_goal memory next_goal"},
		{StylePlain, true, "evaluation_previous_goal memory next_goal current_plan_item plan_update"},
		{StylePlain, false, "evaluation_previous_goal memory next_goal"},
		{StyleFlash, true, "memory"},
	} {
		var names []string
		for _, f := range answerFields(tt.style.fields(tt.plan)) {
			names = append(names, f.Name)
			if f.Text == "" {
				t.Errorf("%s: %s is not explained", tt.style, f.Name)
			}
		}
		if got := strings.Join(names, " "); got != tt.want {
			t.Errorf("%s, plan %v: %s; want %s", tt.style, tt.plan, got, tt.want)
		}
		raw, err := simpleTools().Compile(registry.Page{}).Schema(llm.OpenAIStrict, tt.style.fields(tt.plan))
		if err != nil {
			t.Fatal(err)
		}
		var s struct {
			Required []string `json:"required"`
		}
		if err := json.Unmarshal(raw, &s); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(s.Required, " "); got != tt.want+" action" {
			t.Errorf("%s, plan %v: schema requires %s", tt.style, tt.plan, got)
		}
	}
}

func FuzzParseAnswer(f *testing.F) {
	format := simpleTools().Compile(registry.Page{}).Format("agent_output", thinkingPlan{})
	for _, s := range []string{say(`{"click":{"index":3}}`), `{"action":[{}]}`, `[{"click":3}]`, "<think>{", `{"plan_update":"a\nb","action":"wait"}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := parseAnswer(text, format)
		if err == nil && len(a.Actions) == 0 {
			t.Error("no error and nothing to do")
		}
	})
}
