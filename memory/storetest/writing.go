package storetest

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
)

func testExpiry(t *testing.T, s *suite) {
	r := s.record(anna, "until the second")
	r.ExpiresOn = "2026-03-02"
	s.add(r)
	seen := func(today string) bool {
		t.Helper()
		listed := len(s.list(longterm.StoreList{Scope: anna, Today: today})) == 1
		for range 2 { // the second may come from a cache
			hits, err := s.Search(ctx, longterm.StoreQuery{Scope: anna, Vector: r.Vector, Tokens: []string{"until"}, Limit: 5, Today: today})
			if err != nil {
				t.Fatal(err)
			}
			if (len(hits) == 1) != listed {
				t.Errorf("on %s the list says %v, the search finds %d", today, listed, len(hits))
			}
		}
		return listed
	}
	for today, want := range map[string]bool{"2026-03-01": true, "2026-03-02": true, "2026-03-03": false, "": true} {
		if got := seen(today); got != want {
			t.Errorf("on %q seen is %v, want %v", today, got, want)
		}
	}
	forever := ""
	s.apply(longterm.Write{Update: &longterm.Update{ID: r.ID, ExpiresOn: &forever}})
	if !seen("2026-03-03") {
		t.Error("not seen after its expiry was taken away")
	}
}

func testUpdate(t *testing.T, s *suite) {
	r := s.record(longterm.Scope{UserID: "anna", RunID: "r"}, "likes tea")
	r.Metadata = map[string]any{"a": "1", "b": "2"}
	r.ActorID, r.Role = "bob", "user"
	s.add(r)
	out := s.apply(longterm.Write{Update: &longterm.Update{ID: r.ID, Merge: map[string]any{"b": nil, "c": 3.0}}})
	if !out[0].Applied || out[0].Record.Text != "likes tea" || out[0].Record.Metadata["b"] != nil || out[0].Record.Metadata["c"] != 3.0 || out[0].Record.Metadata["a"] != "1" {
		t.Errorf("metadata only: %+v", out[0])
	}
	text := "likes coffee"
	v := s.vector()
	out = s.apply(longterm.Write{Update: &longterm.Update{ID: r.ID, Text: &text, Hash: hash(text), Vector: v, Tokens: words(text)}})
	got, err := s.Get(ctx, r.ID)
	if err != nil {
		t.Fatal(err)
	}
	if out[0].Previous != "likes tea" || got.Text != text || got.Hash != hash(text) || got.Scope != r.Scope || got.ActorID != "bob" || got.Role != "user" {
		t.Errorf("text: outcome %+v, record %+v", out[0], got)
	}
	if !got.CreatedAt.Equal(r.CreatedAt) || !got.UpdatedAt.Equal(start.Add(time.Hour)) {
		t.Errorf("created %v and updated %v", got.CreatedAt, got.UpdatedAt)
	}
	s.expectWords("coffee", r.ID)
	s.expectWords("tea")
	if out := s.apply(longterm.Write{Update: &longterm.Update{ID: "nobody", Text: &text, Hash: "h", Vector: v}}); out[0].Applied {
		t.Error("an update of nobody's memory was applied")
	}
	if out := s.apply(longterm.Write{Delete: "nobody"}); out[0].Applied {
		t.Error("a delete of nobody's memory was applied")
	}
}

func testConditional(t *testing.T, s *suite) {
	r := s.record(anna, "likes tea")
	s.add(r)
	text := "likes milk"
	up := func() *longterm.Update {
		return &longterm.Update{ID: r.ID, Text: &text, Hash: hash(text), Vector: s.vector(), Tokens: words(text)}
	}
	if out := s.apply(longterm.Write{Update: up(), IfHash: hash("likes water")}); out[0].Applied {
		t.Error("an update of a text that is not there was applied")
	}
	if out := s.apply(longterm.Write{Delete: r.ID, IfHash: hash("likes water")}); out[0].Applied {
		t.Error("a delete of a text that is not there was applied")
	}
	if out := s.apply(longterm.Write{Update: up(), IfHash: r.Hash}); !out[0].Applied {
		t.Error("an update of the right text was not applied")
	}
	if hs, _ := s.History(ctx, r.ID); len(hs) != 2 {
		t.Errorf("%d history rows, want 2: what was not applied must leave none", len(hs))
	}
}

func testUnique(t *testing.T, s *suite) {
	first := s.record(anna, "likes tea")
	s.add(first)
	out := s.apply(longterm.Write{Add: s.record(anna, "likes tea"), Unique: true})
	if out[0].Applied || out[0].Record.ID != first.ID {
		t.Errorf("a duplicate: %+v", out[0])
	}
	out = s.apply(longterm.Write{Add: s.record(longterm.Scope{UserID: "anna", RunID: "r"}, "likes tea"), Unique: true})
	if !out[0].Applied {
		t.Error("the same text in a narrower scope counts as a duplicate")
	}
	twice := []longterm.Write{{Add: s.record(anna, "likes rice"), Unique: true}, {Add: s.record(anna, "likes rice"), Unique: true}}
	if out := s.apply(twice...); !out[0].Applied || out[1].Applied {
		t.Errorf("twice in one batch: %v and %v", out[0].Applied, out[1].Applied)
	}
}

func testAtomic(t *testing.T, s *suite) {
	if !s.Capabilities().Atomic {
		t.Skip("the store does not promise it")
	}
	r := s.record(anna, "one")
	clash := s.record(anna, "two")
	clash.ID = r.ID
	_, err := s.Apply(ctx, longterm.Batch{At: start, Fingerprint: fingerprint, Scope: anna, KeepTurns: 10,
		Turns:  []longterm.Turn{{Role: "user", Content: "hello", At: start}},
		Writes: []longterm.Write{{Add: r, HistoryID: "h1"}, {Add: clash, HistoryID: "h2"}}})
	if !errors.Is(err, longterm.ErrStore) {
		t.Fatalf("two memories of one id: %v, want ErrStore", err)
	}
	if n, _ := s.Count(ctx, anna, longterm.Filter{}); n != 0 {
		t.Errorf("%d memories of a failed batch", n)
	}
	if hs, _ := s.History(ctx, r.ID); len(hs) != 0 {
		t.Errorf("%d history rows of a failed batch", len(hs))
	}
	s.add(r)
	s.expectBest(r.Vector, longterm.Filter{}, r.ID)
}

func testFingerprint(t *testing.T, s *suite) {
	s.add(s.record(anna, "one"))
	if fp, err := s.Meta(ctx, longterm.MetaFingerprint); err != nil || fp != fingerprint {
		t.Errorf("fingerprint %q, %v", fp, err)
	}
	_, err := s.Apply(ctx, longterm.Batch{At: start, Fingerprint: "storetest|other|16|l2",
		Writes: []longterm.Write{{Add: s.record(anna, "two"), HistoryID: "x"}}})
	if !errors.Is(err, longterm.ErrEmbedderMismatch) {
		t.Errorf("another embedder: %v, want ErrEmbedderMismatch", err)
	}
	if n, _ := s.Count(ctx, anna, longterm.Filter{}); n != 1 {
		t.Errorf("%d memories, want 1", n)
	}
	if _, err := s.Search(ctx, longterm.StoreQuery{Scope: anna, Vector: []float32{1, 0}, Limit: 1}); !errors.Is(err, longterm.ErrEmbedderMismatch) {
		t.Errorf("a query of another length: %v, want ErrEmbedderMismatch", err)
	}
}

func testHistory(t *testing.T, s *suite) {
	r := s.record(anna, "likes tea")
	r.ActorID, r.Role = "bob", "user"
	s.add(r)
	text := "likes milk"
	s.apply(longterm.Write{Update: &longterm.Update{ID: r.ID, Text: &text, Hash: hash(text), Vector: s.vector(), Tokens: words(text)}})
	s.apply(longterm.Write{Delete: r.ID})
	hs, err := s.History(ctx, r.ID)
	if err != nil {
		t.Fatal(err)
	}
	var events []longterm.Event
	for _, h := range hs {
		events = append(events, h.Event)
		if h.ID == "" || h.MemoryID != r.ID || h.ActorID == nil || *h.ActorID != "bob" || h.Role == nil || h.CreatedAt.IsZero() {
			t.Errorf("row %+v", h)
		}
	}
	if !slices.Equal(events, []longterm.Event{longterm.EventAdd, longterm.EventUpdate, longterm.EventDelete}) {
		t.Fatalf("events %v", events)
	}
	if hs[0].Old != nil || *hs[0].New != "likes tea" || !hs[0].UpdatedAt.IsZero() || hs[0].IsDeleted {
		t.Errorf("ADD row %+v", hs[0])
	}
	if *hs[1].Old != "likes tea" || *hs[1].New != "likes milk" || hs[1].IsDeleted {
		t.Errorf("UPDATE row %+v", hs[1])
	}
	if *hs[2].Old != "likes milk" || hs[2].New != nil || !hs[2].IsDeleted {
		t.Errorf("DELETE row %+v", hs[2])
	}
	if hs, err := s.History(ctx, "nobody"); err != nil || len(hs) != 0 {
		t.Errorf("nobody's history: %v, %v", hs, err)
	}
}

func testRecent(t *testing.T, s *suite) {
	narrow := longterm.Scope{UserID: "anna", RunID: "r"}
	say := func(sc longterm.Scope, texts ...string) {
		t.Helper()
		b := longterm.Batch{Scope: sc, At: start, KeepTurns: 3}
		for _, x := range texts {
			b.Turns = append(b.Turns, longterm.Turn{Role: "user", Name: "bob", Content: x, At: start})
		}
		if _, err := s.Apply(ctx, b); err != nil {
			t.Fatal(err)
		}
	}
	say(anna, "1", "2")
	say(narrow, "other")
	say(anna, "3", "4")
	say(longterm.Scope{UserID: "bob"}, "a", "b", "c", "d", "e")
	for _, tt := range []struct {
		scope longterm.Scope
		n     int
		want  []string
	}{
		{anna, 10, []string{"2", "3", "4"}}, {anna, 2, []string{"3", "4"}}, {narrow, 10, []string{"other"}},
		{longterm.Scope{UserID: "bob"}, 10, []string{"c", "d", "e"}}, {longterm.Scope{RunID: "r"}, 10, nil},
	} {
		turns, err := s.Recent(ctx, tt.scope, tt.n)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, x := range turns {
			got = append(got, x.Content)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%+v: %v, want %v", tt.scope, got, tt.want)
		}
	}
}

func testDeleteWhere(t *testing.T, s *suite) {
	var keep, bob *longterm.Record
	for i := range 5 {
		r := s.record(anna, string(rune('a'+i)))
		r.Metadata = map[string]any{"n": float64(i)}
		s.add(r)
		if i == 0 {
			keep = r
		}
	}
	bob = s.record(longterm.Scope{UserID: "bob"}, "bob's")
	s.add(bob)
	newID := func() string { return s.id("h") }
	n, err := s.DeleteWhere(ctx, anna, longterm.Where("n", longterm.OpGte, 1), start, newID)
	if err != nil || n != 4 {
		t.Errorf("deleted %d, %v, want 4", n, err)
	}
	if got := ids(s.list(longterm.StoreList{})); !slices.Equal(got, []string{keep.ID, bob.ID}) {
		t.Errorf("left %v", got)
	}
	nobody := longterm.Where("id", longterm.OpIn, []string{})
	if n, err := s.DeleteWhere(ctx, anna, nobody, start, newID); err != nil || n != 0 {
		t.Errorf("an empty list of ids deleted %d, %v", n, err)
	}
	if n, err := s.DeleteWhere(ctx, anna, longterm.Filter{}, start, newID); err != nil || n != 1 {
		t.Errorf("deleted %d, %v, want 1", n, err)
	}
	if hs, _ := s.History(ctx, keep.ID); len(hs) != 2 || !hs[1].IsDeleted {
		t.Errorf("history after it: %+v", hs)
	}
}

func testPurge(t *testing.T, s *suite) {
	gone := s.record(anna, "deleted before")
	alive := s.record(longterm.Scope{UserID: "anna", AgentID: "x"}, "alive")
	bob := s.record(longterm.Scope{UserID: "bob"}, "bob's")
	s.add(gone, alive, bob)
	s.apply(longterm.Write{Delete: gone.ID})
	turn := []longterm.Turn{{Role: "user", Content: "hello", At: start}}
	for _, sc := range []longterm.Scope{anna, {UserID: "anna", RunID: "r"}, {UserID: "bob"}} {
		if _, err := s.Apply(ctx, longterm.Batch{Scope: sc, Turns: turn, KeepTurns: 5, At: start}); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := s.Purge(ctx, anna); err != nil || n != 1 {
		t.Errorf("purged %d, %v, want 1", n, err)
	}
	for _, id := range []string{gone.ID, alive.ID} {
		if hs, _ := s.History(ctx, id); len(hs) != 0 {
			t.Errorf("history of %s is left", id)
		}
	}
	for _, sc := range []longterm.Scope{anna, {UserID: "anna", RunID: "r"}} {
		if ts, _ := s.Recent(ctx, sc, 10); len(ts) != 0 {
			t.Errorf("messages of %+v are left", sc)
		}
	}
	if got := ids(s.list(longterm.StoreList{})); !slices.Equal(got, []string{bob.ID}) {
		t.Errorf("left %v", got)
	}
	if ts, _ := s.Recent(ctx, longterm.Scope{UserID: "bob"}, 10); len(ts) != 1 {
		t.Error("bob's messages went too")
	}
	s.expectWords("alive")
}

func testImport(t *testing.T, s *suite) {
	old := s.record(anna, "was here")
	s.add(old)
	same := s.record(anna, "other text")
	same.ID = old.ID
	fresh := s.record(anna, "comes in")
	text := fresh.Text
	h := longterm.HistoryRow{ID: s.id("h"), MemoryID: fresh.ID, New: &text, Event: longterm.EventAdd, CreatedAt: longterm.Timestamp{Time: start}}
	for want := range 2 { // the second time nothing is new
		n, err := s.Import(ctx, fingerprint, []longterm.Record{*same, *fresh}, []longterm.HistoryRow{h})
		if err != nil || n != 1-want {
			t.Errorf("imported %d, %v, want %d", n, err, 1-want)
		}
	}
	if r, err := s.Get(ctx, old.ID); err != nil || r.Text != "was here" {
		t.Errorf("a known id was overwritten: %q, %v", r.Text, err)
	}
	if hs, _ := s.History(ctx, fresh.ID); len(hs) != 1 {
		t.Errorf("%d history rows, want 1", len(hs))
	}
	if _, err := s.Import(ctx, "storetest|other|16|l2", []longterm.Record{*s.record(anna, "x")}, nil); !errors.Is(err, longterm.ErrEmbedderMismatch) {
		t.Errorf("another embedder: %v, want ErrEmbedderMismatch", err)
	}
}

func testEntities(t *testing.T, s *suite) {
	s.add(s.record(anna, "a"), s.record(longterm.Scope{UserID: "anna", AgentID: "helper"}, "b"), s.record(longterm.Scope{RunID: "r"}, "c"))
	es, err := s.Entities(ctx, 10)
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]int)
	for _, e := range es {
		got[e.Type+" "+e.ID] = e.Total
		if e.CreatedAt.IsZero() || e.UpdatedAt.IsZero() {
			t.Errorf("entity %+v has no times", e)
		}
	}
	if len(got) != 3 || got["user anna"] != 2 || got["agent helper"] != 1 || got["run r"] != 1 {
		t.Errorf("got %v", got)
	}
}

func testReset(t *testing.T, s *suite) {
	r := s.record(anna, "one")
	s.add(r)
	if err := s.SetMeta(ctx, "mine", "kept"); err != nil {
		t.Fatal(err)
	}
	if err := s.Reset(ctx); err != nil {
		t.Fatal(err)
	}
	if n := len(s.list(longterm.StoreList{})); n != 0 {
		t.Errorf("%d memories are left", n)
	}
	if hs, _ := s.History(ctx, r.ID); len(hs) != 0 {
		t.Error("history is left")
	}
	if v, err := s.Meta(ctx, "mine"); err != nil || v != "kept" {
		t.Errorf("setting %q, %v", v, err)
	}
	// An empty store takes any embedder.
	if fp, _ := s.Meta(ctx, longterm.MetaFingerprint); fp != "" {
		t.Errorf("fingerprint %q is left", fp)
	}
	s.add(s.record(anna, "two"))
}

func testRestage(t *testing.T, s *suite) {
	st, ok := s.VectorStore.(longterm.Restager)
	if !ok || !s.Capabilities().Restage {
		t.Skip("the store cannot")
	}
	a, b := s.record(anna, "a"), s.record(anna, "b")
	s.add(a, b)
	const fp = "storetest|new|4|l2"
	stage := func(r *longterm.Record, v []float32) {
		t.Helper()
		if err := st.Stage(ctx, fp, []longterm.Update{{ID: r.ID, Hash: r.Hash, Vector: v}}); err != nil {
			t.Fatal(err)
		}
	}
	stage(a, []float32{1, 0, 0, 0})
	if rs, err := st.Unstaged(ctx, fp, 10); err != nil || len(rs) != 1 || rs[0].ID != b.ID {
		t.Fatalf("unstaged %v, %v", ids(rs), err)
	}
	if done, err := st.Promote(ctx, fp); err != nil || done {
		t.Fatalf("promoted with a vector missing: %v, %v", done, err)
	}
	s.expectBest(a.Vector, longterm.Filter{}, a.ID) // the old ones are in use
	stage(b, []float32{0, 1, 0, 0})
	if done, err := st.Promote(ctx, fp); err != nil || !done {
		t.Fatalf("not promoted: %v, %v", done, err)
	}
	if got, _ := s.Meta(ctx, longterm.MetaFingerprint); got != fp {
		t.Errorf("fingerprint %q", got)
	}
	s.expectBest([]float32{0, 1, 0, 0}, longterm.Filter{}, b.ID)
}
