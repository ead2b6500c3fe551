package longterm_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/llmtest"
	"github.com/seed-4bdb41d0/webhand/memory/longterm"
	"github.com/seed-4bdb41d0/webhand/memory/sqlite"
)

var (
	ctx  = context.Background()
	anna = longterm.Scope{UserID: "anna"}
)

// clock ticks a second a look.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(time.Second)
	return c.at
}

func open(t testing.TB, cfg longterm.Config) *longterm.Memory {
	t.Helper()
	if cfg.Now == nil {
		cfg.Now = (&clock{at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}).now
	}
	m, err := sqlite.Open(ctx, ":memory:", cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// seed stores texts as they are and returns their ids.
func seed(t testing.TB, m *longterm.Memory, sc longterm.Scope, texts ...string) []string {
	t.Helper()
	var ids []string
	for _, text := range texts {
		res, err := m.Add(ctx, longterm.Text(text), longterm.AddOptions{Scope: sc, NoInfer: true})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, res.Results[0].ID)
	}
	return ids
}

// texts are the memories of a scope, sorted.
func texts(t testing.TB, m *longterm.Memory, sc longterm.Scope) []string {
	t.Helper()
	l, err := m.List(ctx, longterm.ListOptions{Scope: sc, ShowExpired: true})
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, it := range l.Results {
		out = append(out, it.Memory)
	}
	slices.Sort(out)
	return out
}

// events writes changes as "ADD text".
func events(cs []longterm.Change) []string {
	out := []string{}
	for _, c := range cs {
		e := string(c.Event) + " " + c.Memory
		if c.Previous != "" {
			e += " (was " + c.Previous + ")"
		}
		out = append(out, e)
	}
	return out
}

func TestTwoPhase(t *testing.T) {
	// The memories of seed are shown to the model by how close they are to the
	// facts; with one memory the number is always 0.
	tests := []struct {
		name    string
		seed    []string
		answers []string
		want    []string // changes
		left    []string // memories afterwards
		calls   int
		warn    bool
	}{
		{"nothing known needs one call", nil, []string{`{"facts":["Name is Ines","Likes tea"]}`},
			[]string{"ADD Name is Ines", "ADD Likes tea"}, []string{"Likes tea", "Name is Ines"}, 1, false},
		{"nothing worth keeping", []string{"Likes tea"}, []string{`{"facts":[]}`}, nil, []string{"Likes tea"}, 1, false},
		{"facts as objects", nil, []string{`{"facts":[{"fact":"A is one"},{"text":"B is two"}]}`},
			[]string{"ADD A is one", "ADD B is two"}, []string{"A is one", "B is two"}, 1, false},
		{"a bare list", nil, []string{`["A is one"]`}, []string{"ADD A is one"}, []string{"A is one"}, 1, false},
		{"update keeps the id and says what was", []string{"Loves Sichuan food"},
			[]string{`{"facts":["Loves Sichuan food, not spicy"]}`, `{"memory":[{"id":"0","text":"Loves Sichuan food, not spicy","event":"UPDATE","old_memory":"Loves Sichuan food"}]}`},
			[]string{"UPDATE Loves Sichuan food, not spicy (was Loves Sichuan food)"}, []string{"Loves Sichuan food, not spicy"}, 2, false},
		{"none is not reported", []string{"Likes tea"},
			[]string{`{"facts":["Enjoys tea"]}`, `{"memory":[{"id":"0","text":"Likes tea","event":"NONE"}]}`},
			nil, []string{"Likes tea"}, 2, false},
		{"forgetting on request", []string{"Lives in Hefei"},
			[]string{`{"facts":[{"text":"Lives in Hefei","forget":true}]}`, `{"memory":[{"id":"0","text":"Lives in Hefei","event":"DELETE"}]}`},
			[]string{"DELETE Lives in Hefei"}, []string{}, 2, false},
		{"F144 a fenced answer", nil, []string{"```json\n{\"facts\":[\"Likes tea\"]}\n```"}, []string{"ADD Likes tea"}, []string{"Likes tea"}, 1, false},
		{"F144 thinking and prose around", nil, []string{"<think>hm {\"facts\":[\"no\"]}</think>Here you are:\n{\"facts\":[\"Likes tea\"]}\nThat is all."},
			[]string{"ADD Likes tea"}, []string{"Likes tea"}, 1, false},
		{"F144 raw line breaks in a text", nil, []string{"{\"facts\":[\"Likes tea\nand milk\"]}"}, []string{"ADD Likes tea\nand milk"}, []string{"Likes tea\nand milk"}, 1, false},
		{"F144 prose, then JSON when asked again", nil, []string{"I found that he likes tea.", `{"facts":["Likes tea"]}`},
			[]string{"ADD Likes tea"}, []string{"Likes tea"}, 2, false},
		{"F145 entries without event or with an unknown one are skipped", []string{"Has a dog"},
			[]string{`{"facts":["a is one","b is two"]}`, `{"memory":[{"text":"a is one"},{"text":"c","event":"MERGE"},17,{"text":"b is two","event":"ADD"}]}`},
			[]string{"ADD b is two"}, []string{"Has a dog", "b is two"}, 2, true},
		{"F146 an update of an unknown id is an add", []string{"Has a dog"},
			[]string{`{"facts":["Has a cat"]}`, `{"memory":[{"id":"42","text":"Has a cat","event":"UPDATE"}]}`},
			[]string{"ADD Has a cat"}, []string{"Has a cat", "Has a dog"}, 2, true},
		{"F146 a delete of an unknown id is nothing", []string{"Has a dog"},
			[]string{`{"facts":["x is y"]}`, `{"memory":[{"id":"7","text":"Has a dog","event":"DELETE"},{"id":"-1","event":"DELETE"},{"id":null,"event":"DELETE"},{"id":"0","text":"Has a dog","event":"NONE"}]}`},
			nil, []string{"Has a dog"}, 2, true},
		{"ids as numbers, events in lower case", []string{"Has a dog"},
			[]string{`{"facts":["Has two dogs"]}`, `{"memory":[{"id":0,"text":"Has two dogs","event":"update"}]}`},
			[]string{"UPDATE Has two dogs (was Has a dog)"}, []string{"Has two dogs"}, 2, false},
		{"F147 the same fact again", []string{"Likes tea"},
			[]string{`{"facts":["Likes tea"]}`, `{"memory":[{"id":"new","text":"Likes tea","event":"ADD"}]}`},
			nil, []string{"Likes tea"}, 2, false},
		{"F147 the same fact is not deleted", []string{"Likes tea"},
			[]string{`{"facts":["Likes tea"]}`, `{"memory":[{"id":"0","text":"Likes tea","event":"DELETE"}]}`},
			nil, []string{"Likes tea"}, 2, true},
		{"F148 a contradiction replaces", []string{"Likes tea"},
			[]string{`{"facts":["Dislikes tea"]}`, `{"memory":[{"id":"0","text":"Likes tea","event":"DELETE"}]}`},
			[]string{"DELETE Likes tea", "ADD Dislikes tea"}, []string{"Dislikes tea"}, 2, true},
		{"F148 a contradiction with its add", []string{"Likes tea"},
			[]string{`{"facts":["Dislikes tea"]}`, `{"memory":[{"id":"0","text":"Likes tea","event":"DELETE"},{"id":"new","text":"Dislikes tea","event":"ADD"}]}`},
			[]string{"DELETE Likes tea", "ADD Dislikes tea"}, []string{"Dislikes tea"}, 2, false},
		{"F148 a contradiction as an update", []string{"Likes tea"},
			[]string{`{"facts":["Dislikes tea"]}`, `{"memory":[{"id":"0","text":"Dislikes tea","event":"UPDATE"}]}`},
			[]string{"UPDATE Dislikes tea (was Likes tea)"}, []string{"Dislikes tea"}, 2, false},
		{"one memory is touched once", []string{"Has a dog"},
			[]string{`{"facts":["Has two dogs"]}`, `{"memory":[{"id":"0","text":"Has two dogs","event":"UPDATE"},{"id":"0","text":"","event":"DELETE"}]}`},
			[]string{"UPDATE Has two dogs (was Has a dog)"}, []string{"Has two dogs"}, 2, true},
		{"an update without text changes nothing", []string{"Has a dog"},
			[]string{`{"facts":["Has two dogs"]}`, `{"memory":[{"id":"0","text":" ","event":"UPDATE"}]}`},
			nil, []string{"Has a dog"}, 2, true},
		{"an empty decision is asked for again", []string{"Has a dog"},
			[]string{`{"facts":["Has a cat"]}`, `{"memory":[]}`, `{"memory":[{"id":"new","text":"Has a cat","event":"ADD"}]}`},
			[]string{"ADD Has a cat"}, []string{"Has a cat", "Has a dog"}, 3, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			script := llmtest.NewScript(tt.answers...)
			m := open(t, longterm.Config{LLM: script})
			seed(t, m, anna, tt.seed...)
			res, err := m.Add(ctx, longterm.Text("something was said"), longterm.AddOptions{Scope: anna})
			if err != nil {
				t.Fatal(err)
			}
			if got := events(res.Results); !slices.Equal(got, tt.want) {
				t.Errorf("changes %q, want %q", got, tt.want)
			}
			if got := texts(t, m, anna); !slices.Equal(got, tt.left) {
				t.Errorf("memories %q, want %q", got, tt.left)
			}
			if script.Calls() != tt.calls {
				t.Errorf("%d model calls, want %d", script.Calls(), tt.calls)
			}
			if (len(res.Warnings) > 0) != tt.warn {
				t.Errorf("warnings %q", res.Warnings)
			}
		})
	}
}

func TestAddFailsWholeAndTyped(t *testing.T) {
	tests := []struct {
		name     string
		pipeline longterm.Pipeline
		answers  []llmtest.Answer
		want     error
	}{
		{"prose twice", longterm.TwoPhase, []llmtest.Answer{llmtest.Text("no"), llmtest.Text("still no")}, longterm.ErrLLM},
		{"empty twice", longterm.TwoPhase, []llmtest.Answer{llmtest.Text(""), llmtest.Text("")}, longterm.ErrLLM},
		{"truncated JSON twice", longterm.TwoPhase, []llmtest.Answer{{Text: `{"facts":["a`, Finish: llm.FinishLength}, {Text: `{"facts":["a"`, Finish: llm.FinishLength}}, longterm.ErrLLM},
		{"another object twice", longterm.TwoPhase, []llmtest.Answer{llmtest.Text(`{"result":1}`), llmtest.Text(`{"facts":"x"}`)}, longterm.ErrLLM},
		{"the model is not authorised", longterm.TwoPhase, []llmtest.Answer{llmtest.Fail(&llm.Error{Kind: llm.ErrAuth})}, llm.ErrAuth},
		{"the second call fails", longterm.TwoPhase, []llmtest.Answer{llmtest.Text(`{"facts":["Has a cat"]}`), llmtest.Fail(&llm.Error{Kind: llm.ErrServer})}, llm.ErrServer},
		{"an empty decision twice", longterm.TwoPhase, []llmtest.Answer{llmtest.Text(`{"facts":["Has a cat"]}`), llmtest.Text(`{"memory":[]}`), llmtest.Text(`{"memory":[]}`)}, longterm.ErrLLM},
		{"additive, prose twice", longterm.Additive, []llmtest.Answer{llmtest.Text("no"), llmtest.Text("no")}, longterm.ErrLLM},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			script := &llmtest.Script{Answers: tt.answers}
			m := open(t, longterm.Config{LLM: script, Pipeline: tt.pipeline})
			seed(t, m, anna, "Has a dog")
			_, err := m.Add(ctx, longterm.Text("something was said"), longterm.AddOptions{Scope: anna})
			if !errors.Is(err, tt.want) || !errors.Is(err, longterm.ErrLLM) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
			if script.Calls() != len(tt.answers) {
				t.Errorf("%d model calls, want %d", script.Calls(), len(tt.answers))
			}
			if got := texts(t, m, anna); !slices.Equal(got, []string{"Has a dog"}) {
				t.Errorf("memories %q", got)
			}
		})
	}
}

// TestTruncatedAnswerIsNotRepaired has a client that hands the text through
// as it came and says nothing about its end.
func TestTruncatedAnswerIsNotRepaired(t *testing.T) {
	calls := 0
	m := open(t, longterm.Config{LLM: llm.ClientFunc(func(context.Context, *llm.Request) (*llm.Response, error) {
		calls++
		return &llm.Response{Text: "```json\n{\"facts\":[\"Likes te"}, nil
	})})
	if _, err := m.Add(ctx, longterm.Text("I like tea"), longterm.AddOptions{Scope: anna}); !errors.Is(err, longterm.ErrLLM) || calls != 2 {
		t.Errorf("%v after %d calls, want ErrLLM after 2", err, calls)
	}
}

func TestModelSeesNumbersAndNeverIDs(t *testing.T) {
	script := llmtest.NewScript(`{"facts":["Has a cat"]}`, `{"memory":[{"id":"0","text":"Has a dog","event":"NONE"},{"id":"new","text":"Has a cat","event":"ADD"}]}`)
	m := open(t, longterm.Config{LLM: script, Instructions: "Keep pets only."})
	ids := seed(t, m, anna, "Has a dog")
	seed(t, m, longterm.Scope{UserID: "bob"}, "Has a goldfish")
	_, err := m.Add(ctx, []longterm.Message{
		{Role: "system", Content: "You are a pirate."}, {Role: "user", Content: "I got a cat."}, {Role: "tool", Content: "tool says"},
	}, longterm.AddOptions{Scope: anna})
	if err != nil {
		t.Fatal(err)
	}
	extract, decide := script.Requests()[0], script.Requests()[1]
	if got := extract.Messages[1].Text(); got != "Input:\nuser: I got a cat.\n" {
		t.Errorf("the extractor reads %q", got)
	}
	if sys := extract.Messages[0].Text(); !strings.Contains(sys, "Keep pets only.") || !strings.Contains(sys, "2026-03-01") {
		t.Errorf("the system prompt lacks instructions or date: %q", sys)
	}
	shown := decide.Messages[1].Text()
	if strings.Contains(shown, ids[0]) || !strings.Contains(shown, `{"id":"0","text":"Has a dog"}`) {
		t.Errorf("the decision shows %q", shown)
	}
	if strings.Contains(shown, "goldfish") {
		t.Error("the model sees memories of another user")
	}
}

func TestAdditive(t *testing.T) {
	script := llmtest.NewScript(
		`{"memory":[{"id":"0","text":"Ines moved from Rome to Oslo in May 2026","attributed_to":"user","linked_memory_ids":["0"]},{"id":"1","text":"The assistant recommended a jacket","attributed_to":"assistant"}]}`,
		`{"memory":[{"id":"0","text":"Ines moved from Rome to Oslo in May 2026","attributed_to":"user"},{"text":""},{"id":"2","text":"Ines bought the jacket"}]}`)
	m := open(t, longterm.Config{LLM: script, Pipeline: longterm.Additive})
	seed(t, m, anna, "Ines lives in Rome")
	res, err := m.Add(ctx, longterm.Text("I moved to Oslo."), longterm.AddOptions{Scope: anna})
	if err != nil {
		t.Fatal(err)
	}
	if got := events(res.Results); !slices.Equal(got, []string{"ADD Ines moved from Rome to Oslo in May 2026", "ADD The assistant recommended a jacket"}) {
		t.Errorf("changes %q", got)
	}
	it, err := m.Get(ctx, res.Results[1].ID)
	if err != nil || it.AttributedTo != "assistant" {
		t.Errorf("attributed to %q, %v", it.AttributedTo, err)
	}
	res, err = m.Add(ctx, longterm.Text("I bought it."), longterm.AddOptions{Scope: anna, Prompt: "Mind the jacket."})
	if err != nil {
		t.Fatal(err)
	}
	if got := events(res.Results); !slices.Equal(got, []string{"ADD Ines bought the jacket"}) || len(res.Warnings) != 1 {
		t.Errorf("second add: changes %q, warnings %q", got, res.Warnings)
	}
	if n := len(texts(t, m, anna)); n != 4 {
		t.Errorf("%d memories, want 4: additive never changes or deletes", n)
	}
	shown := script.Last().Messages[1].Text()
	for _, want := range []string{"user: I moved to Oslo.", "Ines lives in Rome", "user: I bought it.", "Mind the jacket.", "2026-03-01", "# Output:"} {
		if !strings.Contains(shown, want) {
			t.Errorf("the model does not read %q in\n%s", want, shown)
		}
	}
	if script.Calls() != 2 {
		t.Errorf("%d model calls, want one an add", script.Calls())
	}
}

func TestNoInfer(t *testing.T) {
	m := open(t, longterm.Config{})
	res, err := m.Add(ctx, []longterm.Message{
		{Role: "system", Content: "be nice"}, {Role: "user", Name: "bob", Content: "raw text"}, {Role: "assistant", Content: "raw text"},
		{Role: "tool", Content: "42"}, {Role: "user", Content: " "}, {Content: "no role"},
	}, longterm.AddOptions{Scope: anna, NoInfer: true, Metadata: map[string]any{"k": 1, "user_id": "mallory"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := events(res.Results); !slices.Equal(got, []string{"ADD raw text", "ADD raw text", "ADD 42"}) {
		t.Errorf("changes %q: verbatim adds are not deduplicated, system and empty messages are left out", got)
	}
	if len(res.Warnings) != 3 {
		t.Errorf("warnings %q, want two for messages and one for user_id in the metadata", res.Warnings)
	}
	it, err := m.Get(ctx, res.Results[0].ID)
	if err != nil || it.Role != "user" || it.ActorID != "bob" || it.UserID != "anna" || it.Metadata["k"] != 1.0 || it.Metadata["user_id"] != nil {
		t.Errorf("stored %+v, %v", it, err)
	}
}
