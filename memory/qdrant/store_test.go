package qdrant

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	qd "github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
	"github.com/seed-4bdb41d0/webhand/memory/storetest"
)

// urlEnv names a server that the tests may make collections in.
const urlEnv = "WEBHAND_TEST_QDRANT_URL"

func TestConformance(t *testing.T) {
	t.Run("documented semantics", func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) longterm.VectorStore {
			_, url := serve(t)
			return open(t, Config{URL: url})
		})
	})
	t.Run("real server", func(t *testing.T) {
		url := os.Getenv(urlEnv)
		if url == "" {
			t.Skip(urlEnv + " is not set")
		}
		var n atomic.Int32
		storetest.Run(t, func(t *testing.T) longterm.VectorStore {
			cfg := Config{URL: url, APIKey: os.Getenv("WEBHAND_TEST_QDRANT_KEY"), Collection: fmt.Sprintf("webhand_test_%d_%d", os.Getpid(), n.Add(1))}
			t.Cleanup(func() { // the suite has closed it by then
				s := open(t, cfg)
				defer s.Close()
				for _, name := range []string{s.name, s.state} {
					_ = s.client.DeleteCollection(context.Background(), name)
				}
			})
			return open(t, cfg)
		})
	})
}

func open(t *testing.T, cfg Config) *Store {
	t.Helper()
	s, err := OpenStore(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestOpenRefusesNonsense(t *testing.T) {
	for _, cfg := range []Config{
		{}, {URL: "localhost:6334"}, {URL: "ftp://localhost"}, {URL: "http://key:secret@localhost"}, {URL: "http://localhost/path"}, {URL: "http://"},
		{URL: "http://localhost", Collection: "a/b"}, {URL: "http://localhost", Collection: "../x"},
	} {
		if _, err := OpenStore(context.Background(), cfg); err == nil {
			t.Errorf("%+v: no error", cfg)
		}
	}
}

func TestOpenSaysWhatIsNotThere(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if _, err := OpenStore(ctx, Config{URL: "http://127.0.0.1:1"}); !errors.Is(err, longterm.ErrStore) || ctx.Err() != nil {
		t.Errorf("a port where nobody listens: %v", err)
	}
}

const fingerprint = "test|t|4|l2"

var anna = longterm.Scope{UserID: "anna"}

func memory(id, text string, at time.Time) *longterm.Record {
	return &longterm.Record{ID: id, Scope: anna, Text: text, Hash: "h " + text, Vector: []float32{1, 0, 0, 0}, Tokens: text, CreatedAt: at, UpdatedAt: at}
}

func apply(s *Store, ws ...longterm.Write) ([]longterm.Outcome, error) {
	for i := range ws {
		ws[i].HistoryID = fmt.Sprintf("h%d", rand.Uint64())
	}
	return s.Apply(context.Background(), longterm.Batch{Writes: ws, At: time.Now(), Fingerprint: fingerprint})
}

// state is what readers see: the memories' texts, and the number of rows of
// history.
func state(t *testing.T, s *Store, ids ...string) string {
	t.Helper()
	ctx := context.Background()
	rs, _, err := s.List(ctx, longterm.StoreList{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	texts := make(map[string]string)
	for _, r := range rs {
		texts[r.ID] = r.Text
	}
	out := ""
	for _, id := range slices.Sorted(maps.Keys(texts)) {
		out += id + ":" + texts[id] + " "
	}
	for _, id := range ids {
		hs, err := s.History(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		out += fmt.Sprintf("[%s %d]", id, len(hs))
	}
	return out
}

// A batch meets a fault at every call that it makes, before the server has
// done it and after. What is left is all of the batch or nothing, and all of
// it when it was reported.
func TestFaultsLeaveAllOrNothing(t *testing.T) {
	const before = "a:old b:gone [a 1][b 1][c 0]"
	const after = "a:new c:more [a 2][b 2][c 1]"
	for _, late := range []bool{false, true} {
		for at := 1; ; at++ {
			srv, url := serve(t)
			s := open(t, Config{URL: url})
			now := time.Now()
			if _, err := apply(s, longterm.Write{Add: memory("a", "old", now)}, longterm.Write{Add: memory("b", "gone", now)}); err != nil {
				t.Fatal(err)
			}
			calls, hit := 0, ""
			srv.intercept = func(method string, _ any, after bool) error {
				if after != late {
					return nil
				}
				if calls++; calls == at {
					hit = method
					return status.Error(codes.Unavailable, "the plug was pulled")
				}
				return nil
			}
			text := "new"
			_, err := apply(s, longterm.Write{Update: &longterm.Update{ID: "a", Text: &text, Hash: "h new", Vector: []float32{0, 1, 0, 0}, Tokens: text}},
				longterm.Write{Delete: "b"}, longterm.Write{Add: memory("c", "more", now)})
			srv.intercept = nil
			got := state(t, s, "a", "b", "c")
			if got != before && got != after || err == nil && got != after {
				t.Errorf("call %d (%s, late %v): %v, left %q", at, hit, late, err, got)
			}
			_ = s.Close()
			s = open(t, Config{URL: url}) // and so it stays
			if again := state(t, s, "a", "b", "c"); again != got {
				t.Errorf("call %d (%s, late %v): %q was %q before it was opened again", at, hit, late, again, got)
			}
			for id, p := range srv.collections[s.name].points {
				if fields(p.Payload).get("kind") == kindGone {
					t.Errorf("call %d (%s, late %v): the mark of a delete is left at %s", at, hit, late, id)
				}
			}
			_ = s.Close()
			if hit == "" {
				if at < 4 {
					t.Errorf("only %d calls were interrupted", at-1)
				}
				break
			}
		}
	}
}

func TestAChangeThatMayComeLaterIsNotReported(t *testing.T) {
	srv, url := serve(t)
	s := open(t, Config{URL: url})
	defer s.Close()
	srv.intercept = func(method string, req any, after bool) error {
		if u, ok := req.(*qd.UpsertPoints); ok && !after && u.CollectionName == s.name {
			*u.Wait = false // as if the server had run out of time: it answers "acknowledged"
		}
		return nil
	}
	if _, err := apply(s, longterm.Write{Add: memory("a", "text", time.Now())}); !errors.Is(err, longterm.ErrStore) {
		t.Errorf("%v, want ErrStore", err)
	}
}

func TestABatchThatCannotBeIsNotBegun(t *testing.T) {
	_, url := serve(t)
	s := open(t, Config{URL: url})
	defer s.Close()
	now := time.Now()
	for _, ws := range [][]longterm.Write{
		{{Add: memory("a", "one", now)}, {Add: memory("a", "two", now)}},
		{{Add: memory("a", "one", now)}, {Add: &longterm.Record{ID: "b", Scope: anna, Text: "no vector"}}},
		{{Add: memory("a", "one", now)}, {Add: &longterm.Record{ID: "b", Scope: anna, Vector: []float32{1, 0, 0, 0}, Metadata: map[string]any{"f": func() {}}}}},
		{{Add: memory("a", "one", now)}, {Add: &longterm.Record{ID: "b", Scope: anna, Vector: []float32{1}}}},
	} {
		if _, err := apply(s, ws...); !errors.Is(err, longterm.ErrStore) {
			t.Errorf("%v, want ErrStore", err)
		}
		if got := state(t, s, "a", "b"); got != "[a 0][b 0]" {
			t.Errorf("left %q", got)
		}
	}
}

// Memories made at one moment, as by an import, are listed once each, however
// the pages fall.
func TestPagesWithinOneMoment(t *testing.T) {
	_, url := serve(t)
	s := open(t, Config{URL: url})
	defer s.Close()
	rnd := rand.New(rand.NewPCG(3, 4))
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	var ws []longterm.Write
	for i := range 60 {
		m := memory(fmt.Sprintf("m%02d", i), "x", now.Add(time.Duration(rnd.IntN(6))*time.Second))
		m.Metadata = map[string]any{"n": float64(i % 3)}
		ws = append(ws, longterm.Write{Add: m})
	}
	if _, err := apply(s, ws...); err != nil {
		t.Fatal(err)
	}
	for _, f := range []longterm.Filter{{}, longterm.Where("n", longterm.OpEq, 1), longterm.Where("n", longterm.OpGte, 1)} {
		var whole []string
		for limit := 100; limit > 0; limit = limit*2/3 - 1 {
			var got []string
			cursor := ""
			for {
				rs, next, err := s.List(context.Background(), longterm.StoreList{Scope: anna, Filter: f, Limit: limit, Cursor: cursor})
				if err != nil {
					t.Fatal(err)
				}
				for i, r := range rs {
					if i > 0 && r.CreatedAt.After(rs[i-1].CreatedAt) {
						t.Errorf("%s is newer than the one before it", r.ID)
					}
					got = append(got, r.ID)
				}
				if cursor = next; next == "" {
					break
				}
			}
			if whole == nil {
				whole = got
			}
			if !slices.Equal(got, whole) {
				t.Errorf("filter %v, pages of %d: %v, in one: %v", f, limit, got, whole)
			}
		}
		if n, err := s.Count(context.Background(), anna, f); err != nil || n != len(whole) {
			t.Errorf("count %d, %v, listed %d", n, err, len(whole))
		}
	}
}

// A filter that the server cannot decide does not make a search miss what is
// far down.
func TestASearchReadsOnUntilItHasEnough(t *testing.T) {
	_, url := serve(t)
	s := open(t, Config{URL: url})
	defer s.Close()
	var ws []longterm.Write
	for i := range 1200 {
		m := memory(fmt.Sprintf("m%04d", i), "word", time.Now())
		far := float32(i) / 1200
		m.Vector = []float32{1 - far, far, 0, 0}
		m.Metadata = map[string]any{"name": "plain"}
		if i >= 1195 {
			m.Metadata["name"] = "the needle"
		}
		ws = append(ws, longterm.Write{Add: m})
	}
	if _, err := apply(s, ws...); err != nil {
		t.Fatal(err)
	}
	hits, err := s.Search(context.Background(), longterm.StoreQuery{Scope: anna, Filter: longterm.Where("name", longterm.OpContains, "needle"),
		Vector: []float32{1, 0, 0, 0}, Tokens: []string{"word"}, Limit: 4})
	if err != nil {
		t.Fatal(err)
	}
	var near []string
	for _, h := range hits {
		if h.Semantic > 0 {
			near = append(near, h.ID)
		}
	}
	if len(hits) < 4 || len(hits) > 5 || hits[0].ID != "m1195" {
		t.Errorf("found %v", near)
	}
}

func TestAfterAResetByAnotherProcess(t *testing.T) {
	_, url := serve(t)
	a, b := open(t, Config{URL: url}), open(t, Config{URL: url})
	defer a.Close()
	defer b.Close()
	if _, err := apply(a, longterm.Write{Add: memory("a", "one", time.Now())}); err != nil {
		t.Fatal(err)
	}
	if err := b.Reset(context.Background()); err != nil {
		t.Fatal(err)
	}
	if _, err := apply(a, longterm.Write{Add: memory("b", "two", time.Now())}); err != nil {
		t.Fatal(err)
	}
	if got := state(t, b, "a", "b"); got != "b:two [a 0][b 1]" {
		t.Errorf("left %q", got)
	}
}

// The whole memory works over the store, and moves to another.
func TestTheWholeMemory(t *testing.T) {
	ctx := context.Background()
	_, url := serve(t)
	m, err := longterm.New(ctx, longterm.Config{Store: open(t, Config{URL: url})})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, text := range []string{"Likes jasmine tea", "喜欢川菜", `Says "AND (NOT" a lot`} {
		res, err := m.Add(ctx, longterm.Text(text), longterm.AddOptions{Scope: anna, NoInfer: true, Metadata: map[string]any{"n": len(ids)}})
		if err != nil || len(res.Results) != 1 {
			t.Fatalf("%q: %+v, %v", text, res, err)
		}
		ids = append(ids, res.Results[0].ID)
	}
	for query, want := range map[string]string{"which tea": ids[0], "川菜": ids[1], `says* "AND (NOT`: ids[2]} {
		res, err := m.Search(ctx, query, longterm.SearchOptions{Scope: anna})
		if err != nil || len(res.Results) == 0 || res.Results[0].ID != want {
			t.Errorf("%q: %+v, %v", query, res.Results, err)
		}
	}
	text := "Likes green tea"
	if it, err := m.Update(ctx, ids[0], longterm.Patch{Text: &text}); err != nil || it.Memory != text {
		t.Errorf("update: %+v, %v", it, err)
	}
	if err := m.Delete(ctx, ids[2]); err != nil {
		t.Error(err)
	}
	var dump strings.Builder
	if n, err := m.Export(ctx, &dump, longterm.Scope{}); err != nil || n != 2 {
		t.Errorf("exported %d, %v", n, err)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	_, url = serve(t)
	to, err := longterm.New(ctx, longterm.Config{Store: open(t, Config{URL: url, Collection: "other"})})
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	for want := range 2 {
		if n, err := to.Import(ctx, strings.NewReader(dump.String())); err != nil || n != 2-2*want {
			t.Errorf("imported %d, %v", n, err)
		}
	}
	if hs, err := to.History(ctx, ids[0]); err != nil || len(hs) != 2 || hs[1].Event != longterm.EventUpdate {
		t.Errorf("history %+v, %v", hs, err)
	}
	if n, err := to.Purge(ctx, anna); err != nil || n != 2 {
		t.Errorf("purged %d, %v", n, err)
	}
}
