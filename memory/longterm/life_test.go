package longterm_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/llmtest"
	"github.com/seed-4bdb41d0/webhand/memory/longterm"
	"github.com/seed-4bdb41d0/webhand/memory/sqlite"
)

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
