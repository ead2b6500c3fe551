package llm_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/llmtest"
)

const answer = `{"memory":"m","action":[{"click":{"index":7}}]}`

func TestReadJSON(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"as it is", answer, answer},
		{"byte order mark", "\ufeff" + answer, answer},
		{"fence without a language", "```\n" + answer + "\n```", answer},
		{"fence on one line", "```json " + answer + " ```", answer},
		{"fence after prose", "I will click.\n```json\n" + answer + "\n```\nThat is all.", answer},
		{"fence never closed", "```json\n" + answer, answer},
		{"fence in a string", `{"memory":"` + "```" + `","action":[]}`, `{"memory":"` + "```" + `","action":[]}`},
		{"fence in a string of a fenced answer", "```json\n{\"memory\":\"```go```\",\"action\":[]}\n```", "{\"memory\":\"```go```\",\"action\":[]}"},
		{"thinking tag in a string", `{"memory":"</think> {}","action":[]}`, `{"memory":"</think> {}","action":[]}`},
		{"thinking", "<think>\nfirst {\"memory\":\"no\",\"action\":[]}\n</think>\n" + answer, answer},
		{"thinking, opened in the prompt", "first {maybe}\n</think>" + answer, answer},
		{"thinking of gpt-oss", "<|channel|>analysis<|message|>{hm}<|end|><|start|>assistant<|channel|>final<|message|>" + answer, answer},
		{"prose with braces", "Use {x} or [1], so: " + answer + " (see {y})", answer},
		{"example first", `An action looks like {"a":1}. Mine: ` + answer, answer},
		{"trailing commas", `{"memory":"m","action":[{"click":{"index":7,},},],}`, answer},
		{"comments", "{\"memory\":\"m\", // note\n\"action\":[{\"click\":{\"index\":7}}]}", answer},
		{"single quotes", `{'memory':'m','action':[{'click':{'index':7}}]}`, answer},
		{"Python's words", `{"memory":None,"action":[{"done":{"ok":True}}]}`, `{"memory":null,"action":[{"done":{"ok":true}}]}`},
		{"keys without quotes", `{memory:"m",action:[{click:{index:7}}]}`, answer},
		{"one bracket too many", answer + "}", answer},
		{"call with arguments as text", `{"name":"agent_output","arguments":"{\"memory\":\"m\",\"action\":[{\"click\":{\"index\":7}}]}"}`, answer},
		{"call in OpenAI's form", `{"type":"function","function":{"name":"agent_output","arguments":` + answer + `}}`, answer},
		{"call in a list", `[{"name":"agent_output","parameters":` + answer + `}]`, answer},
		{"list of calls", `[{"name":"click","args":{"index":7}},{"name":"done","args":{"text":"x"}}]`, `{"action":[{"click":{"index":7}},{"done":{"text":"x"}}]}`},
		{"named envelope", `{"agent_output":` + answer + `}`, answer},
		{"other envelope", `{"response":` + answer + `}`, answer},
		{"list as one object", `{"memory":"m","action":{"click":{"index":7}}}`, answer},
		{"list as text with a slip", `{"memory":"m","action":"[{\"click\":{\"index\":7}},]"}`, answer},
		{"text field that is JSON stays text", `{"memory":"[1]","action":[]}`, `{"memory":"[1]","action":[]}`},
		{"unknown object is the decoder's to judge", `{"foo":1}`, `{"foo":1}`},
		{"empty object", `{}`, `{}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := llm.ReadJSON(tt.text, llmtest.ConformFormat())
			if err != nil {
				t.Fatal(err)
			}
			if !same(got, tt.want) {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestReadJSONRefuses(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		kind       error
		why        string
	}{
		{"nothing", " \n", llm.ErrEmpty, "no text"},
		{"prose", "I am done.", llm.ErrMalformed, "no JSON object"},
		{"a number", "7", llm.ErrMalformed, "no JSON object"},
		{"cut in a string", `{"memory":"m","action":[{"done":{"text":"abc`, llm.ErrMalformed, "middle of a string"},
		{"cut in a fenced string", "```json\n" + `{"memory":"m","action":[{"done":{"text":"abc`, llm.ErrMalformed, "middle of a string"},
		{"cut in a number", `{"memory":"m","action":[{"click":{"index":1`, llm.ErrMalformed, "middle of a value"},
		{"cut after a colon", `{"memory":"m","action":[{"click":`, llm.ErrMalformed, "middle of a value"},
		{"cut after a comma", `{"memory":"m",`, llm.ErrMalformed, "middle of a value"},
		{"thought only", "<think>so {\"memory\":\"m\",\"action\":[]}", llm.ErrMalformed, "thinking"},
		{"braces of prose", "maybe {this} or {that}", llm.ErrMalformed, "no JSON object"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := llm.ReadJSON(tt.text, llmtest.ConformFormat())
			var e *llm.Error
			if !errors.As(err, &e) || e.Kind != tt.kind || !strings.Contains(e.Message, tt.why) || !strings.Contains(e.Want, `"action":[{"click":{...}}]`) {
				t.Errorf("got %s, %v", got, err)
			}
		})
	}
}

func TestExtractJSONWithoutAShape(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`see [1]: {"a":1}`, `{"a":1}`},
		{`[1,2]`, `[1,2]`},
		{"```\n[{\"a\":1}]\n```", `[{"a":1}]`},
		{`{"a":{"b":[1,2,],},}`, `{"a":{"b":[1,2]}}`},
	} {
		if got, err := llm.ExtractJSON(tt.text); err != nil || !same(got, tt.want) {
			t.Errorf("%s: got %s, %v", tt.text, got, err)
		}
	}
}

func TestHostileTextEndsSoon(t *testing.T) {
	const most = 256 << 10 // what is searched and mended at all
	for _, unit := range []string{"[", `{"a":`, "{", `{"`, "<think>", "```", `[{"a":1},`, `"\`, "“{"} {
		s := strings.Repeat(unit, most/len(unit))
		if v, err := llm.ReadJSON(s, llmtest.ConformFormat()); err == nil && !json.Valid(v) {
			t.Errorf("%.20s...: not JSON", s)
		}
	}
}

func FuzzReadJSON(f *testing.F) {
	for _, s := range []string{answer, "```json\n" + answer + "\n```", "<think>{</think>" + answer, `{"a":[1,2,}`, `[{"name":"click","args":"{"}]`, `"\"{}\""`, `{“a”:1}`, "{'a':'b", `{"function":{"name":1,"arguments":[]}}`} {
		f.Add(s)
	}
	format := llmtest.ConformFormat()
	f.Fuzz(func(t *testing.T, s string) {
		v, err := llm.ReadJSON(s, format)
		if err != nil {
			var e *llm.Error
			if !errors.As(err, &e) || e.Kind == nil {
				t.Fatalf("untyped error %v", err)
			}
			if f := llm.Feedback(err); strings.ContainsAny(f, "\n\r") {
				t.Fatalf("feedback of several lines: %q", f)
			}
			return
		}
		if !json.Valid(v) {
			t.Fatalf("not JSON: %q from %q", v, s)
		}
		// What was read reads as itself.
		again, err := llm.ReadJSON(string(v), format)
		if err != nil {
			t.Fatalf("%q does not read again: %v", v, err)
		}
		if c := v[0]; c == '{' && strings.HasPrefix(string(v), `{"memory"`) && !same(again, string(v)) {
			t.Fatalf("%q reads as %q", v, again)
		}
	})
}

func TestFeedbackIsForTheModelsMistakesOnly(t *testing.T) {
	for kind, want := range map[error]bool{
		llm.ErrMalformed: true, llm.ErrTruncated: true, llm.ErrEmpty: true,
		llm.ErrRateLimit: false, llm.ErrAuth: false, llm.ErrQuota: false, llm.ErrTimeout: false, llm.ErrServer: false, llm.ErrBudget: false,
	} {
		if got := llm.Feedback(&llm.Error{Kind: kind, Message: "x"}); (got != "") != want {
			t.Errorf("%v: %q", kind, got)
		}
	}
	if llm.Feedback(errors.New("x")) != "" {
		t.Error("feedback for an error of another kind")
	}
}

func same(a json.RawMessage, b string) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}
