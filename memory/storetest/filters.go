package storetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
)

func (s *suite) expectWords(word string, want ...string) {
	s.Helper()
	if !s.Capabilities().Keyword {
		return
	}
	hits, err := s.Search(ctx, longterm.StoreQuery{Scope: anna, Vector: s.vector(), Tokens: []string{word}, Limit: 100})
	if err != nil {
		s.Fatal(err)
	}
	got := []string{}
	for _, h := range hits {
		if h.BM25 > 0 {
			got = append(got, h.ID)
		}
	}
	slices.Sort(got)
	if len(got) != len(want) || len(want) > 0 && !slices.Equal(got, want) {
		s.Errorf("the word %q finds %v, want %v", word, got, want)
	}
}

func testKeywords(t *testing.T, s *suite) {
	if !s.Capabilities().Keyword {
		t.Skip("the store has no keyword search")
	}
	var far *longterm.Record
	q := s.vector()
	for i := range 60 {
		r := s.record(anna, fmt.Sprintf("filler %d", i))
		if i == 30 {
			r = s.record(anna, "the zebra")
			for j := range r.Vector { // as far away as can be
				r.Vector[j] = -q[j]
			}
			far = r
		}
		s.add(r)
	}
	s.add(s.record(longterm.Scope{UserID: "bob"}, "bob's zebra"))
	for range 2 {
		hits, err := s.Search(ctx, longterm.StoreQuery{Scope: anna, Vector: q, Tokens: []string{"zebra", "unknown"}, Limit: 5})
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, h := range hits {
			if h.ID == far.ID {
				found = true
				if h.BM25 <= 0 || h.Semantic != 0 {
					t.Errorf("hit %+v", h)
				}
			} else if h.BM25 != 0 {
				t.Errorf("%q is found by a word it does not have", h.Text)
			}
		}
		if !found {
			t.Error("a word's only memory is not found")
		}
	}
	// Dense scripts come as single characters and pairs.
	r := s.record(anna, "川菜")
	r.Tokens = "川 川菜 菜"
	s.add(r)
	s.expectWords("川菜", r.ID)
	s.expectWords("菜", r.ID)
}

func testOperators(t *testing.T, s *suite) {
	s.add(s.record(anna, "plain text"))
	for _, word := range []string{`"`, `a"b`, "AND", "OR", "NOT", "NEAR(a b)", "a*", "col:x", "-x", "(", "^a", "'", "\x00", "", "%", "&|!", ":*"} {
		if _, err := s.Search(ctx, longterm.StoreQuery{Scope: anna, Vector: s.vector(), Tokens: []string{word, "text"}, Limit: 5}); err != nil {
			t.Errorf("the word %q: %v", word, err)
		}
	}
}

// values are what the metadata of the filter test is made of.
var values = []any{
	"a", "b", "Ä", "ä", "", "10", "2026-01-05", "x'y\"z", 1.0, 2.0, 10.0, -1.5, true, false, nil,
	[]any{"a", "B", 1.0, true}, []any{}, map[string]any{"k": "v"},
}

func testFilters(t *testing.T, s *suite) {
	var all []*longterm.Record
	for i, v := range values {
		r := s.record(anna, fmt.Sprintf("memory number %d", i))
		r.Metadata = map[string]any{"v": v, "i": float64(i)}
		if i%4 == 0 {
			r.Role, r.RunID = "user", "r1"
		}
		all = append(all, r)
	}
	bare := s.record(anna, "no metadata, Ärger")
	all = append(all, bare)
	s.add(all...)

	check := func(f longterm.Filter) {
		t.Helper()
		if err := f.Check(); err != nil {
			t.Fatalf("%+v: %v", f, err)
		}
		want := []string{}
		for _, r := range all {
			if f.Match(r) {
				want = append(want, r.ID)
			}
		}
		rs, _, err := s.List(ctx, longterm.StoreList{Scope: anna, Filter: f, Limit: 1000})
		if err != nil {
			t.Errorf("%+v: %v", f, err)
			return
		}
		if got := ids(rs); !slices.Equal(got, want) {
			t.Errorf("%+v: got %v, want %v", f, got, want)
		}
	}
	var leaves []longterm.Filter
	for _, key := range []string{"v", "missing", "role", "memory", "created_at"} {
		leaves = append(leaves, longterm.Where(key, longterm.OpExists, nil))
		for _, v := range []any{"a", "ä", "B", "", "2026-01-05", "x'y\"z", 1, true, "user", "ärger"} {
			for _, op := range []longterm.Op{longterm.OpEq, longterm.OpNe, longterm.OpGt, longterm.OpGte, longterm.OpLt, longterm.OpLte, longterm.OpContains, longterm.OpIContains} {
				f := longterm.Where(key, op, v)
				if f.Check() == nil {
					leaves = append(leaves, f)
				}
			}
		}
		leaves = append(leaves,
			longterm.Where(key, longterm.OpEq, nil), longterm.Where(key, longterm.OpNe, nil),
			longterm.Where(key, longterm.OpIn, []any{}), longterm.Where(key, longterm.OpNin, []any{}),
			longterm.Where(key, longterm.OpIn, []any{"a", 1, true, nil}), longterm.Where(key, longterm.OpNin, []any{"a", 1, true, nil, "user"}))
	}
	for _, f := range leaves {
		check(f)
	}
	for range 80 {
		check(s.tree(leaves, 3))
	}
	check(longterm.Filter{Op: longterm.OpAnd})
	check(longterm.Filter{Op: longterm.OpOr})
	check(longterm.Filter{Op: longterm.OpNot})

	for _, f := range []longterm.Filter{
		{Op: "like", Key: "v", Value: "a"}, {Op: longterm.OpEq, Key: `v" or 1=1 --`, Value: "a"}, {Op: longterm.OpEq, Key: "", Value: "a"},
	} {
		if _, _, err := s.List(ctx, longterm.StoreList{Scope: anna, Filter: f, Limit: 10}); !errors.Is(err, longterm.ErrInvalidFilter) {
			t.Errorf("%+v: %v, want ErrInvalidFilter", f, err)
		}
	}
}

// tree is a random combination of leaves.
func (s *suite) tree(leaves []longterm.Filter, depth int) longterm.Filter {
	if depth == 0 || s.rnd.IntN(3) == 0 {
		return leaves[s.rnd.IntN(len(leaves))]
	}
	f := longterm.Filter{Op: []longterm.Op{longterm.OpAnd, longterm.OpOr, longterm.OpNot}[s.rnd.IntN(3)]}
	for range 1 + s.rnd.IntN(3) {
		f.Args = append(f.Args, s.tree(leaves, depth-1))
	}
	return f
}
