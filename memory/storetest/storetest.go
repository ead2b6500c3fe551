// Package storetest holds what every longterm.VectorStore must do, as tests
// that an implementation runs over itself.
package storetest

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
)

// dims is the length of the vectors in these tests.
const dims = 16

// fingerprint is that of the vectors in these tests.
const fingerprint = "storetest|random|16|l2"

// Run tests the stores that open returns. Every call must return an empty
// store of its own; the suite closes it.
func Run(t *testing.T, open func(t *testing.T) longterm.VectorStore) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, *suite)
	}{
		{"what is added can be read", testReadBack},
		{"nothing leaks between scopes", testScopes},
		{"lists come in pages, newest first", testList},
		{"filters mean what Match says", testFilters},
		{"search misses nothing", testSearchExact},
		{"words find what vectors do not", testKeywords},
		{"words that look like operators are words", testOperators},
		{"a memory is seen on its last day and not after", testExpiry},
		{"an update changes what it names", testUpdate},
		{"a conditional write sees what others did", testConditional},
		{"a duplicate is not added twice", testUnique},
		{"a batch happens whole or not at all", testAtomic},
		{"vectors of another embedder are refused", testFingerprint},
		{"history outlives its memory", testHistory},
		{"only the newest messages stay", testRecent},
		{"a filtered delete deletes what passes", testDeleteWhere},
		{"a purge leaves nothing", testPurge},
		{"an import keeps ids and skips known ones", testImport},
		{"entities are counted", testEntities},
		{"settings survive a reset", testReset},
		{"vectors can be changed as a whole", testRestage},
		{"many writers and readers", testConcurrent},
		{"a finished context ends a call", testContext},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := &suite{T: t, VectorStore: open(t), rnd: rand.New(rand.NewPCG(1, 2))}
			defer func() {
				if err := s.Close(); err != nil {
					t.Errorf("Close: %v", err)
				}
			}()
			test.run(t, s)
		})
	}
}

type suite struct {
	*testing.T
	longterm.VectorStore
	rnd *rand.Rand
	ids int
}

var (
	ctx   = context.Background()
	start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	anna  = longterm.Scope{UserID: "anna"}
)

func (s *suite) id(kind string) string {
	s.ids++
	return fmt.Sprintf("%s-%04d", kind, s.ids)
}

func (s *suite) vector() []float32 {
	v := make([]float32, dims)
	var sum float64
	for i := range v {
		v[i] = float32(s.rnd.NormFloat64())
		sum += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

func (s *suite) record(sc longterm.Scope, text string) *longterm.Record {
	at := start.Add(time.Duration(s.ids) * time.Second)
	return &longterm.Record{ID: s.id("m"), Scope: sc, Text: text, Hash: hash(text), Vector: s.vector(), Tokens: words(text), CreatedAt: at, UpdatedAt: at}
}

func hash(text string) string {
	h := md5.Sum([]byte(text))
	return hex.EncodeToString(h[:])
}

func words(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return r < 0x80 && (r < '0' || r > '9') && (r < 'a' || r > 'z')
	}), " ")
}

func (s *suite) apply(ws ...longterm.Write) []longterm.Outcome {
	s.Helper()
	for i := range ws {
		if ws[i].HistoryID == "" {
			ws[i].HistoryID = s.id("h")
		}
	}
	out, err := s.Apply(ctx, longterm.Batch{Writes: ws, At: start.Add(time.Hour), Fingerprint: fingerprint})
	if err != nil {
		s.Fatalf("Apply: %v", err)
	}
	if len(out) != len(ws) {
		s.Fatalf("Apply: %d outcomes for %d writes", len(out), len(ws))
	}
	return out
}

func (s *suite) add(rs ...*longterm.Record) {
	s.Helper()
	for _, r := range rs {
		s.apply(longterm.Write{Add: r})
	}
}

func (s *suite) list(l longterm.StoreList) []longterm.Record {
	s.Helper()
	if l.Limit == 0 {
		l.Limit = 1000
	}
	rs, _, err := s.List(ctx, l)
	if err != nil {
		s.Fatalf("List: %v", err)
	}
	return rs
}

func ids(rs []longterm.Record) []string {
	out := []string{}
	for _, r := range rs {
		out = append(out, r.ID)
	}
	slices.Sort(out)
	return out
}

func testReadBack(t *testing.T, s *suite) {
	r := s.record(longterm.Scope{UserID: "anna", AgentID: "helper", RunID: "r1"}, "Lives in 合肥 \"quoted\" 🙂")
	r.ActorID, r.Role, r.Type, r.AttributedTo, r.ExpiresOn = "bob", "user", longterm.Procedural, "assistant", "2030-01-02"
	r.Metadata = map[string]any{"n": 1.5, "deep": map[string]any{"list": []any{"a", true, nil}}, "空": "x"}
	s.add(r)
	got, err := s.Get(ctx, r.ID)
	if err != nil {
		t.Fatal(err)
	}
	want := *r
	want.Vector, want.Tokens = nil, ""
	got.Vector, got.Tokens = nil, ""
	if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if _, err := s.Get(ctx, "nobody"); !errors.Is(err, longterm.ErrNotFound) {
		t.Errorf("an unknown id gives %v, want ErrNotFound", err)
	}
}

func testScopes(t *testing.T, s *suite) {
	scopes := []longterm.Scope{
		{UserID: "x"}, {AgentID: "x"}, {RunID: "x"}, {UserID: "x", AgentID: "y"}, {UserID: "x", RunID: "y"},
		{UserID: "y", AgentID: "x"}, {UserID: "x", AgentID: "y", RunID: "z"}, {UserID: "xx"},
	}
	var all []*longterm.Record
	for _, sc := range scopes {
		r := s.record(sc, "the same text in every scope")
		all = append(all, r)
		s.add(r)
	}
	for _, sc := range append(scopes, longterm.Scope{AgentID: "y"}, longterm.Scope{UserID: "nobody"}) {
		want := []string{}
		for _, r := range all {
			if sc.Contains(r.Scope) {
				want = append(want, r.ID)
			}
		}
		if got := ids(s.list(longterm.StoreList{Scope: sc})); !slices.Equal(got, want) {
			t.Errorf("list of %+v: got %v, want %v", sc, got, want)
		}
		hits, err := s.Search(ctx, longterm.StoreQuery{Scope: sc, Vector: s.vector(), Tokens: []string{"same"}, Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		var got []longterm.Record
		for _, h := range hits {
			got = append(got, h.Record)
		}
		if !slices.Equal(ids(got), want) {
			t.Errorf("search of %+v: got %v, want %v", sc, ids(got), want)
		}
		if n, err := s.Count(ctx, sc, longterm.Filter{}); err != nil || n != len(want) {
			t.Errorf("count of %+v: %d, %v, want %d", sc, n, err, len(want))
		}
	}
	if _, err := s.Search(ctx, longterm.StoreQuery{Vector: s.vector(), Limit: 1}); err == nil {
		t.Error("a search without a scope is no error")
	}
	if _, err := s.DeleteWhere(ctx, longterm.Scope{}, longterm.Filter{}, start, func() string { return s.id("h") }); err == nil {
		t.Error("a delete without a scope is no error")
	}
}

func testList(t *testing.T, s *suite) {
	var want []string
	for i := range 23 {
		r := s.record(anna, fmt.Sprintf("memory %d", i))
		if i%3 == 0 { // several of one moment
			r.CreatedAt = start
		}
		s.add(r)
	}
	for _, r := range s.list(longterm.StoreList{Scope: anna}) {
		want = append(want, r.ID)
	}
	if len(want) != 23 {
		t.Fatalf("%d of 23 listed", len(want))
	}
	var got []string
	cursor := ""
	var before time.Time
	for {
		rs, next, err := s.List(ctx, longterm.StoreList{Scope: anna, Limit: 5, Cursor: cursor})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rs {
			if !before.IsZero() && r.CreatedAt.After(before) {
				t.Errorf("%s is newer than the one before it", r.ID)
			}
			before = r.CreatedAt
			got = append(got, r.ID)
		}
		if cursor = next; next == "" {
			break
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("pages give %v, one list gives %v", got, want)
	}
	if _, _, err := s.List(ctx, longterm.StoreList{Scope: anna, Limit: 5, Cursor: "nonsense"}); err == nil {
		t.Error("a cursor of nobody's is no error")
	}
}

func testSearchExact(t *testing.T, s *suite) {
	var all []*longterm.Record
	for i := range 300 {
		sc := anna
		if i%3 == 0 {
			sc = longterm.Scope{UserID: "bob"}
		}
		r := s.record(sc, fmt.Sprintf("memory %d", i))
		r.Metadata = map[string]any{"even": i%2 == 0}
		all = append(all, r)
		s.add(r)
	}
	for _, f := range []longterm.Filter{{}, longterm.Where("even", longterm.OpEq, true)} {
		for range 2 { // the second search may come from a cache
			q := s.vector()
			want := nearest(all, q, anna, f, 10)
			hits, err := s.Search(ctx, longterm.StoreQuery{Scope: anna, Filter: f, Vector: q, Limit: 10})
			if err != nil {
				t.Fatal(err)
			}
			slices.SortFunc(hits, func(a, b longterm.Hit) int { return int(math.Copysign(1, b.Semantic-a.Semantic)) })
			found := 0
			for _, h := range hits {
				if slices.Contains(want, h.ID) {
					found++
				}
			}
			if s.Capabilities().Exact && found != len(want) || found == 0 {
				t.Errorf("%d of the %d nearest found", found, len(want))
			}
			if len(hits) > 0 && hits[0].ID != want[0] && s.Capabilities().Exact {
				t.Errorf("the best is %s, want %s", hits[0].ID, want[0])
			}
		}
		// What is added, changed and deleted after a search is seen by the next.
		r := s.record(anna, "late")
		r.Metadata = map[string]any{"even": true}
		s.add(r)
		all = append(all, r)
		s.expectBest(r.Vector, f, r.ID)
		moved := s.vector()
		text := "moved"
		s.apply(longterm.Write{Update: &longterm.Update{ID: r.ID, Text: &text, Hash: hash(text), Vector: moved, Tokens: text}})
		r.Vector, r.Text = moved, text
		s.expectBest(moved, f, r.ID)
		s.apply(longterm.Write{Delete: r.ID})
		all = all[:len(all)-1]
		if hits, _ := s.Search(ctx, longterm.StoreQuery{Scope: anna, Filter: f, Vector: moved, Limit: 1000}); slices.ContainsFunc(hits, func(h longterm.Hit) bool { return h.ID == r.ID }) {
			t.Error("a deleted memory is found")
		}
	}
}

func (s *suite) expectBest(q []float32, f longterm.Filter, id string) {
	s.Helper()
	hits, err := s.Search(ctx, longterm.StoreQuery{Scope: anna, Filter: f, Vector: q, Limit: 3})
	if err != nil {
		s.Fatal(err)
	}
	for _, h := range hits {
		if h.ID == id {
			if h.Semantic < 0.999 || h.Semantic > 1 {
				s.Errorf("the similarity of a vector with itself is %v", h.Semantic)
			}
			return
		}
	}
	s.Errorf("%s is not among the nearest to its own vector", id)
}

func nearest(all []*longterm.Record, q []float32, sc longterm.Scope, f longterm.Filter, k int) []string {
	type near struct {
		id    string
		score float64
	}
	var ns []near
	for _, r := range all {
		if !sc.Contains(r.Scope) || !f.Match(r) {
			continue
		}
		var d float64
		for i := range q {
			d += float64(q[i]) * float64(r.Vector[i])
		}
		ns = append(ns, near{r.ID, d})
	}
	slices.SortFunc(ns, func(a, b near) int { return int(math.Copysign(1, b.score-a.score)) })
	var out []string
	for _, n := range ns[:min(k, len(ns))] {
		out = append(out, n.id)
	}
	return out
}

func testConcurrent(t *testing.T, s *suite) {
	const writers, each = 8, 12
	batches := make([][]longterm.Write, writers*each)
	for i := range batches {
		batches[i] = []longterm.Write{
			{Add: s.record(anna, fmt.Sprintf("text %d", i)), HistoryID: s.id("h")},
			{Add: s.record(anna, "said by all"), Unique: true, HistoryID: s.id("h")},
		}
	}
	q := s.vector()
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				if _, err := s.Apply(ctx, longterm.Batch{Writes: batches[w*each+i], At: start, Fingerprint: fingerprint}); err != nil {
					t.Errorf("writer %d: %v", w, err)
				}
				if _, err := s.Search(ctx, longterm.StoreQuery{Scope: anna, Vector: q, Tokens: []string{"text"}, Limit: 5}); err != nil {
					t.Errorf("reader %d: %v", w, err)
				}
			}
		})
	}
	wg.Wait()
	if n, err := s.Count(ctx, anna, longterm.Filter{}); err != nil || n != writers*each+1 {
		t.Errorf("%d memories, %v, want %d", n, err, writers*each+1)
	}
}

func testContext(t *testing.T, s *suite) {
	s.add(s.record(anna, "one"))
	done, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := s.Search(done, longterm.StoreQuery{Scope: anna, Vector: s.vector(), Limit: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("Search: %v, want context.Canceled", err)
	}
	if _, err := s.Apply(done, longterm.Batch{Writes: []longterm.Write{{Add: s.record(anna, "two"), HistoryID: "x"}}, At: start, Fingerprint: fingerprint}); !errors.Is(err, context.Canceled) {
		t.Errorf("Apply: %v, want context.Canceled", err)
	}
	if n, _ := s.Count(ctx, anna, longterm.Filter{}); n != 1 {
		t.Errorf("%d memories, want 1", n)
	}
}
