package longterm_test

import (
	"context"
	"errors"
	"fmt"
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

func TestBadInput(t *testing.T) {
	m := open(t, longterm.Config{})
	hi := longterm.Text("hi")
	big := map[string]any{"k": strings.Repeat("x", 70<<10)}
	for name, tt := range map[string]struct {
		messages []longterm.Message
		o        longterm.AddOptions
		want     error
	}{
		"no scope":                     {hi, longterm.AddOptions{NoInfer: true}, longterm.ErrNoScope},
		"blank id":                     {hi, longterm.AddOptions{Scope: longterm.Scope{UserID: "  "}}, longterm.ErrInvalidID},
		"white space in an id":         {hi, longterm.AddOptions{Scope: longterm.Scope{UserID: "a b"}}, longterm.ErrInvalidID},
		"long id":                      {hi, longterm.AddOptions{Scope: longterm.Scope{RunID: strings.Repeat("x", 300)}}, longterm.ErrInvalidID},
		"no messages":                  {nil, longterm.AddOptions{Scope: anna}, longterm.ErrInvalidMessages},
		"content twice":                {[]longterm.Message{{Role: "user", Content: "a", Parts: []longterm.Part{{Text: "b"}}}}, longterm.AddOptions{Scope: anna}, longterm.ErrInvalidMessages},
		"too much":                     {longterm.Text(strings.Repeat("x", 2<<20)), longterm.AddOptions{Scope: anna}, longterm.ErrInvalidMessages},
		"semantic_memory":              {hi, longterm.AddOptions{Scope: anna, Type: "semantic_memory"}, longterm.ErrInvalidMemoryType},
		"procedural without an agent":  {hi, longterm.AddOptions{Scope: anna, Type: longterm.Procedural}, longterm.ErrInvalidMemoryType},
		"a date that is none":          {hi, longterm.AddOptions{Scope: anna, ExpiresOn: "2026-02-30"}, longterm.ErrInvalidDate},
		"metadata that is not JSON":    {hi, longterm.AddOptions{Scope: anna, Metadata: map[string]any{"f": func() {}}}, longterm.ErrInvalidMetadata},
		"metadata that is too large":   {hi, longterm.AddOptions{Scope: anna, Metadata: big}, longterm.ErrInvalidMetadata},
		"inference without a model":    {hi, longterm.AddOptions{Scope: anna}, longterm.ErrNoLLM},
		"a procedural one without one": {hi, longterm.AddOptions{Scope: longterm.Scope{AgentID: "a"}, Type: longterm.Procedural}, longterm.ErrNoLLM},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := m.Add(ctx, tt.messages, tt.o); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			if _, err := m.AsyncAdd(ctx, tt.messages, tt.o); tt.want != longterm.ErrNoLLM && !errors.Is(err, tt.want) {
				t.Errorf("AsyncAdd: got %v, want %v", err, tt.want)
			}
		})
	}
	neg := -0.1
	for name, err := range map[string]error{
		"search without scope":  second(m.Search(ctx, "x", longterm.SearchOptions{})),
		"search for nothing":    second(m.Search(ctx, " \n", longterm.SearchOptions{Scope: anna})),
		"search beyond a limit": second(m.Search(ctx, "x", longterm.SearchOptions{Scope: anna, Limit: -1})),
		"threshold below zero":  second(m.Search(ctx, "x", longterm.SearchOptions{Scope: anna, Threshold: &neg})),
		"unknown operator":      second(m.Search(ctx, "x", longterm.SearchOptions{Scope: anna, Filter: longterm.Where("k", "like", "x")})),
		"list without scope":    second(m.List(ctx, longterm.ListOptions{})),
		"F150 delete all":       second(m.DeleteAll(ctx, longterm.Scope{})),
		"purge":                 second(m.Purge(ctx, longterm.Scope{})),
		"empty update":          second(m.Update(ctx, "id", longterm.Patch{})),
		"unknown update":        second(m.Update(ctx, "id", longterm.Patch{Metadata: map[string]any{"a": 1}})),
		"unknown delete":        m.Delete(ctx, "id"),
		"unknown get":           second(m.Get(ctx, "id")),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestF150DeleteAllStaysInScope(t *testing.T) {
	m := open(t, longterm.Config{})
	seed(t, m, anna, "a", "b")
	seed(t, m, longterm.Scope{UserID: "anna", RunID: "r"}, "c")
	seed(t, m, longterm.Scope{UserID: "bob"}, "d")
	if n, err := m.DeleteAll(ctx, anna); err != nil || n != 3 {
		t.Errorf("deleted %d, %v", n, err)
	}
	if got := texts(t, m, longterm.Scope{UserID: "bob"}); !slices.Equal(got, []string{"d"}) {
		t.Errorf("bob has %q", got)
	}
}

func TestUpdateAndHistory(t *testing.T) {
	m := open(t, longterm.Config{})
	id := seed(t, m, anna, "Likes tea")[0]
	text, day, forever := "Likes green tea", "2026-02-27", ""
	it, err := m.Update(ctx, id, longterm.Patch{Text: &text, Metadata: map[string]any{"k": "v", "user_id": "mallory"}, ExpiresOn: &day})
	if err != nil || it.Memory != text || it.Metadata["k"] != "v" || it.UserID != "anna" || it.ExpiresOn != day {
		t.Fatalf("updated to %+v, %v", it, err)
	}
	if res, err := m.Search(ctx, "green", longterm.SearchOptions{Scope: anna}); err != nil || len(res.Results) != 0 {
		t.Errorf("an expired memory is found: %+v, %v", res.Results, err)
	}
	if res, err := m.Search(ctx, "green", longterm.SearchOptions{Scope: anna, ShowExpired: true}); err != nil || len(res.Results) != 1 {
		t.Errorf("an expired memory is not shown on request: %+v, %v", res.Results, err)
	}
	if it, err = m.Update(ctx, id, longterm.Patch{ExpiresOn: &forever}); err != nil || it.ExpiresOn != "" {
		t.Errorf("expiry %q, %v", it.ExpiresOn, err)
	}
	if err := m.Delete(ctx, id); err != nil {
		t.Fatal(err)
	}
	hs, err := m.History(ctx, id)
	if err != nil || len(hs) != 4 || !hs[3].IsDeleted {
		t.Errorf("history %+v, %v", hs, err)
	}
}

func TestClosed(t *testing.T) {
	m, err := sqlite.Open(ctx, ":memory:", longterm.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(m.Close(), m.Close()); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"Add":      second(m.Add(ctx, longterm.Text("x"), longterm.AddOptions{Scope: anna, NoInfer: true})),
		"AsyncAdd": second(m.AsyncAdd(ctx, longterm.Text("x"), longterm.AddOptions{Scope: anna, NoInfer: true})),
		"Search":   second(m.Search(ctx, "x", longterm.SearchOptions{Scope: anna})),
		"Reset":    m.Reset(ctx),
	} {
		if !errors.Is(err, longterm.ErrClosed) {
			t.Errorf("%s: %v, want ErrClosed", name, err)
		}
	}
}

func TestAsyncAddIsDrainedByClose(t *testing.T) {
	release := make(chan struct{})
	slow := llm.ClientFunc(func(ctx context.Context, _ *llm.Request) (*llm.Response, error) {
		select {
		case <-release:
			return &llm.Response{Text: `{"facts":["Likes tea"]}`}, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
	m, err := sqlite.Open(ctx, ":memory:", longterm.Config{LLM: slow})
	if err != nil {
		t.Fatal(err)
	}
	callers, cancel := context.WithCancel(ctx)
	p, err := m.AsyncAdd(callers, longterm.Text("I like tea"), longterm.AddOptions{Scope: anna})
	if err != nil {
		t.Fatal(err)
	}
	cancel() // the caller's end is not the add's
	if _, err := p.Wait(callers); !errors.Is(err, context.Canceled) {
		t.Errorf("Wait with a finished context: %v", err)
	}
	closed := make(chan error)
	go func() { closed <- m.Close() }()
	close(release)
	if err := <-closed; err != nil {
		t.Fatal(err)
	}
	select {
	case <-p.Done():
	default:
		t.Fatal("Close returned before the add had ended")
	}
	res, err := p.Wait(ctx)
	if err != nil || len(res.Results) != 1 {
		t.Errorf("the add gave %+v, %v", res, err)
	}
}

// TestF147ConcurrentAddsOfOneFact runs eight adds that all extract the same.
func TestF147ConcurrentAddsOfOneFact(t *testing.T) {
	client := llm.ClientFunc(func(_ context.Context, req *llm.Request) (*llm.Response, error) {
		if strings.Contains(req.Messages[1].Text(), "New facts") {
			return &llm.Response{Text: `{"memory":[{"id":"0","text":"Likes tea","event":"NONE"}]}`}, nil
		}
		return &llm.Response{Text: `{"facts":["Likes tea"]}`}, nil
	})
	m := open(t, longterm.Config{LLM: client})
	var ps []*longterm.Pending
	for i := range 8 {
		p, err := m.AsyncAdd(ctx, longterm.Text(fmt.Sprintf("I like tea %d", i)), longterm.AddOptions{Scope: anna})
		if err != nil {
			t.Fatal(err)
		}
		ps = append(ps, p)
	}
	added := 0
	for _, p := range ps {
		res, err := p.Wait(ctx)
		if err != nil {
			t.Error(err)
		}
		added += len(res.Results)
	}
	if got := texts(t, m, anna); added != 1 || !slices.Equal(got, []string{"Likes tea"}) {
		t.Errorf("%d adds reported, memories %q", added, got)
	}
}

func TestRedactorSeesEverything(t *testing.T) {
	script := llmtest.NewScript(`{"facts":["The password is hunter2","Likes tea"]}`)
	m := open(t, longterm.Config{LLM: script, Redact: func(s string) string { return strings.ReplaceAll(s, "hunter2", "<secret>pw</secret>") }})
	if _, err := m.Add(ctx, longterm.Text("my password is hunter2"), longterm.AddOptions{Scope: anna, Metadata: map[string]any{"note": []any{"hunter2"}}}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(script.Last().Messages[1].Text(), "hunter2") {
		t.Error("the model read the secret")
	}
	var dump strings.Builder
	if _, err := m.Export(ctx, &dump, longterm.Scope{}); err != nil {
		t.Fatal(err)
	}
	turns, err := m.Store().Recent(ctx, anna, 10)
	if err != nil {
		t.Fatal(err)
	}
	if all := dump.String() + fmt.Sprint(turns); strings.Contains(all, "hunter2") || !strings.Contains(all, "<secret>pw</secret>") {
		t.Errorf("the store holds the secret:\n%s", all)
	}
}
