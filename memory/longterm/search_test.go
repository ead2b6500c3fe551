package longterm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-4bdb41d0/webhand/memory/embed"
	"github.com/seed-4bdb41d0/webhand/memory/longterm"
	"github.com/seed-4bdb41d0/webhand/memory/sqlite"
)

// diary is a small store of one person, with filler about other things.
func diary(t testing.TB, m *longterm.Memory) {
	t.Helper()
	seed(t, m, anna,
		"Loves hiking in the Alps every summer", "Allergic to peanuts and shellfish", "Works as a carpenter in Oslo",
		"Has a dog called Rex", "Sister Maria lives in Buenos Aires", "Prefers window seats on long flights",
		"喜欢吃川菜，尤其是麻婆豆腐", "毎朝コーヒーを飲む", "서울에서 태어났다", "Plays chess on Thursdays",
		"Café owner on Karl Johans gate is a friend", "Drives a blue van", "Reads science fiction", "Dislikes cilantro",
	)
	for i := range 40 {
		seed(t, m, anna, fmt.Sprintf("Unrelated note number %d about shelf %c", i, 'A'+i%26))
	}
}

func TestLexicalSearchFindsSharedWords(t *testing.T) {
	m := open(t, longterm.Config{})
	diary(t, m)
	for _, tt := range []struct{ query, want string }{
		{"peanuts", "Allergic to peanuts and shellfish"},
		{"is she alergic to peanut?", "Allergic to peanuts and shellfish"}, // spelling and inflection
		{"where does she hike", "Loves hiking in the Alps every summer"},
		{"cafe owner", "Café owner on Karl Johans gate is a friend"},
		{"What is the dog's name?", "Has a dog called Rex"},
		{"川菜", "喜欢吃川菜，尤其是麻婆豆腐"},
		{"豆腐", "喜欢吃川菜，尤其是麻婆豆腐"},
		{"コーヒー", "毎朝コーヒーを飲む"},
		{"서울", "서울에서 태어났다"},
		{`"chess" AND (NEAR OR *`, "Plays chess on Thursdays"},
		{"seat:window -flights", "Prefers window seats on long flights"},
	} {
		t.Run(tt.query, func(t *testing.T) {
			res, err := m.Search(ctx, tt.query, longterm.SearchOptions{Scope: anna, Limit: 5})
			if err != nil {
				t.Fatal(err)
			}
			if len(res.Results) == 0 || res.Results[0].Memory != tt.want {
				t.Errorf("got %v", results(res))
			}
			if res.Mode != longterm.Lexical {
				t.Errorf("mode %q, want lexical: this search does not understand meaning and must say so", res.Mode)
			}
		})
	}
}

func results(r longterm.SearchResult) []string {
	out := []string{}
	for _, it := range r.Results {
		out = append(out, fmt.Sprintf("%.2f %s", *it.Score, it.Memory))
	}
	return out
}

func TestSearchOptions(t *testing.T) {
	m := open(t, longterm.Config{Rerank: func(_ context.Context, _ string, texts []string) ([]float64, error) {
		out := make([]float64, len(texts))
		for i, s := range texts {
			out[i] = 1 / float64(len(s))
		}
		return out, nil
	}})
	for i, text := range []string{"likes tea", "likes tea and coffee with a lot of milk", "likes coffee"} {
		if _, err := m.Add(ctx, longterm.Text(text), longterm.AddOptions{Scope: anna, NoInfer: true, Metadata: map[string]any{"n": i}}); err != nil {
			t.Fatal(err)
		}
	}
	search := func(o longterm.SearchOptions) []string {
		t.Helper()
		o.Scope = anna
		res, err := m.Search(ctx, "tea", o)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, it := range res.Results {
			out = append(out, it.Memory)
		}
		return out
	}
	if got := search(longterm.SearchOptions{}); len(got) != 2 || got[0] != "likes tea" {
		t.Errorf("plain: %q", got)
	}
	if got := search(longterm.SearchOptions{Limit: 1}); len(got) != 1 {
		t.Errorf("limit: %q", got)
	}
	if got := search(longterm.SearchOptions{Filter: longterm.Where("n", longterm.OpGte, 1)}); !slices.Equal(got, []string{"likes tea and coffee with a lot of milk"}) {
		t.Errorf("filter: %q", got)
	}
	high := 0.99
	if got := search(longterm.SearchOptions{Threshold: &high}); len(got) != 0 {
		t.Errorf("threshold: %q", got)
	}
	if got := search(longterm.SearchOptions{Rerank: true}); len(got) != 2 || got[0] != "likes tea" {
		t.Errorf("rerank: %q", got)
	}
	res, err := m.Search(ctx, "tea", longterm.SearchOptions{Scope: anna, Explain: true})
	if err != nil {
		t.Fatal(err)
	}
	d := res.Results[0].Details
	if d == nil || d.Semantic <= 0 || d.Keyword <= 0 || d.BM25 <= 0 || d.Final != *res.Results[0].Score || d.Threshold != 0.12 || d.Final < d.Semantic {
		t.Errorf("explained as %+v", d)
	}
}

// fake embeds a text as a direction of its own per first letter.
type fake struct {
	model string
	dims  int
	fail  error
}

func (f fake) Info() embed.Info { return embed.Info{Provider: "fake", Model: f.model} }

func (f fake) Embed(_ context.Context, texts []string, _ embed.Purpose) ([][]float32, error) {
	if f.fail != nil {
		return nil, f.fail
	}
	out := make([][]float32, len(texts))
	for i, s := range texts {
		out[i] = make([]float32, f.dims)
		out[i][int(s[0])%f.dims] = 1
	}
	return out, nil
}

func TestEmbedderMismatchAndReembed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.db")
	reopen := func(e embed.Embedder) (*longterm.Memory, error) {
		return sqlite.Open(ctx, path, longterm.Config{Embedder: e})
	}
	m, err := reopen(fake{model: "a", dims: 8})
	if err != nil {
		t.Fatal(err)
	}
	seed(t, m, anna, "apple", "banana")
	res, err := m.Search(ctx, "apple", longterm.SearchOptions{Scope: anna})
	if err != nil || len(res.Results) != 1 || res.Mode != longterm.Semantic {
		t.Errorf("got %v, %v", results(res), err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	// Equal length is not the same space.
	for _, e := range []embed.Embedder{fake{model: "b", dims: 8}, nil} {
		if _, err := reopen(e); !errors.Is(err, longterm.ErrEmbedderMismatch) {
			t.Errorf("opened with another embedder: %v", err)
		}
	}
	// F149: the same name and another length shows with the first vectors, before anything is written.
	if m, err = reopen(fake{model: "a", dims: 12}); err != nil {
		t.Fatal(err)
	}
	_, err = m.Add(ctx, longterm.Text("cherry"), longterm.AddOptions{Scope: anna, NoInfer: true})
	if !errors.Is(err, longterm.ErrEmbedderMismatch) || !strings.Contains(err.Error(), "12") || !strings.Contains(err.Error(), "8") {
		t.Errorf("an add with vectors of another length: %v", err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	// A failure in the middle leaves the old vectors in use.
	if _, err := sqlite.Reembed(ctx, path, longterm.Config{Embedder: fake{model: "b", dims: 12, fail: errors.New("down")}}); !errors.Is(err, longterm.ErrEmbedder) {
		t.Errorf("got %v", err)
	}
	if m, err = reopen(fake{model: "a", dims: 8}); err != nil {
		t.Fatalf("after a failed reembed: %v", err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	n, err := sqlite.Reembed(ctx, path, longterm.Config{Embedder: fake{model: "b", dims: 12}})
	if err != nil || n != 2 {
		t.Fatalf("reembedded %d, %v", n, err)
	}
	if m, err = reopen(fake{model: "b", dims: 12}); err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if res, err := m.Search(ctx, "banana", longterm.SearchOptions{Scope: anna}); err != nil || len(res.Results) != 1 || res.Results[0].Memory != "banana" {
		t.Errorf("got %v, %v", results(res), err)
	}
}

func TestEmbedderFailures(t *testing.T) {
	m := open(t, longterm.Config{Embedder: fake{dims: 4, fail: errors.New("down")}})
	if _, err := m.Add(ctx, longterm.Text("x"), longterm.AddOptions{Scope: anna, NoInfer: true}); !errors.Is(err, longterm.ErrEmbedder) {
		t.Errorf("Add: %v", err)
	}
	if _, err := m.Search(ctx, "x", longterm.SearchOptions{Scope: anna}); !errors.Is(err, longterm.ErrEmbedder) {
		t.Errorf("Search: %v", err)
	}
	_, err := sqlite.Open(ctx, ":memory:", longterm.Config{RequireSemantic: true})
	if !errors.Is(err, longterm.ErrNotSemantic) {
		t.Errorf("RequireSemantic with the lexical default: %v", err)
	}
}

func TestExportImport(t *testing.T) {
	m := open(t, longterm.Config{})
	ids := seed(t, m, anna, "likes tea", "喜欢川菜")
	seed(t, m, longterm.Scope{UserID: "bob", AgentID: "x"}, "bob's")
	text, day := "likes <b>milk</b>", "2027-01-01"
	if _, err := m.Update(ctx, ids[0], longterm.Patch{Text: &text, Metadata: map[string]any{"k": []any{1.0, "x"}}, ExpiresOn: &day}); err != nil {
		t.Fatal(err)
	}
	var dump strings.Builder
	if n, err := m.Export(ctx, &dump, longterm.Scope{}); err != nil || n != 3 {
		t.Fatalf("exported %d, %v", n, err)
	}
	to := open(t, longterm.Config{Embedder: fake{model: "other", dims: 8}}) // vectors are made anew
	for want := range 2 {
		if n, err := to.Import(ctx, strings.NewReader(dump.String())); err != nil || n != 3-3*want {
			t.Errorf("imported %d, %v, want %d", n, err, 3-3*want)
		}
	}
	var again strings.Builder
	if _, err := to.Export(ctx, &again, longterm.Scope{}); err != nil {
		t.Fatal(err)
	}
	a, b := strings.Split(dump.String(), "\n"), strings.Split(again.String(), "\n")
	slices.Sort(a)
	slices.Sort(b)
	if !slices.Equal(a, b) {
		t.Errorf("exported again:\n%s\nwant\n%s", strings.Join(b, "\n"), strings.Join(a, "\n"))
	}
	var one strings.Builder
	if n, err := m.Export(ctx, &one, anna); err != nil || n != 2 || strings.Contains(one.String(), "bob's") {
		t.Errorf("a scope's export: %d, %v, %s", n, err, one.String())
	}
}

func TestImportOfBrokenFiles(t *testing.T) {
	head := `{"format":"webhand-memory","version":1}` + "\n"
	good := `{"memory":{"id":"1","memory":"x","user_id":"anna"}}` + "\n"
	for name, tt := range map[string]struct {
		in   string
		line string
		n    int
	}{
		"empty":             {"", "", 0},
		"no header":         {good, "line 1", 0},
		"another version":   {`{"format":"webhand-memory","version":9}`, "line 1", 0},
		"broken JSON":       {head + good + `{"memory":`, "line 3", 1},
		"nobody's memory":   {head + good + `{"memory":{"id":"2","memory":"x"}}`, "line 3", 1},
		"no text":           {head + `{"memory":{"id":"2","user_id":"a"}}`, "line 2", 0},
		"a broken expiry":   {head + `{"memory":{"id":"2","memory":"x","user_id":"a","expiration_date":"soon"}}`, "line 2", 0},
		"history of nobody": {head + `{"history":{"id":"h"}}`, "line 2", 0},
	} {
		t.Run(name, func(t *testing.T) {
			m := open(t, longterm.Config{})
			n, err := m.Import(ctx, strings.NewReader(tt.in))
			if err == nil || !strings.Contains(err.Error(), tt.line) || n != tt.n {
				t.Errorf("imported %d, %v; want %d and an error of %q", n, err, tt.n, tt.line)
			}
			if got := len(texts(t, m, anna)); got != tt.n {
				t.Errorf("%d memories, want %d", got, tt.n)
			}
		})
	}
}

// TestItemJSON pins the shapes that clients of Mem0 read.
func TestItemJSON(t *testing.T) {
	m := open(t, longterm.Config{})
	res, err := m.Add(ctx, []longterm.Message{{Role: "user", Content: "raw text"}}, longterm.AddOptions{Scope: anna, NoInfer: true})
	if err != nil {
		t.Fatal(err)
	}
	id := res.Results[0].ID
	hs, err := m.History(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	it, err := m.Get(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	upd := longterm.AddResult{Results: []longterm.Change{{ID: "1", Memory: "new", Event: longterm.EventUpdate, Previous: "old"}, {ID: "2", Memory: "gone", Event: longterm.EventDelete}}}
	for _, tt := range []struct {
		v    any
		want string
	}{
		{res, `{"results":[{"id":"ID","memory":"raw text","event":"ADD","actor_id":null,"role":"user"}]}`},
		{upd, `{"results":[{"id":"1","memory":"new","event":"UPDATE","previous_memory":"old"},{"id":"2","memory":"gone","event":"DELETE"}]}`},
		{it, `{"id":"ID","memory":"raw text","hash":"c66bcdddca7bb081812e0eac8a935f8b","metadata":null,"created_at":"2026-03-01T12:00:01.000000+00:00","updated_at":"2026-03-01T12:00:01.000000+00:00","user_id":"anna","role":"user"}`},
		{hs, `[{"id":"HID","memory_id":"ID","old_memory":null,"new_memory":"raw text","event":"ADD","created_at":"2026-03-01T12:00:01.000000+00:00","updated_at":null,"is_deleted":false,"actor_id":null,"role":"user"}]`},
	} {
		b, err := json.Marshal(tt.v)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.NewReplacer(id, "ID", hs[0].ID, "HID").Replace(string(b)); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}
