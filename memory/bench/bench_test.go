package bench

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/philippgille/chromem-go"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
	"github.com/seed-4bdb41d0/webhand/memory/sqlite"
)

const (
	dims        = 384
	fingerprint = "bench|random|384|l2"
	users       = 100
	topK        = 10
)

var ctx = context.Background()

// vectors returns n clustered unit vectors, the same ones every time.
func vectors(n int) [][]float32 {
	rnd := rand.New(rand.NewPCG(1, 2))
	centres := make([][]float32, 200)
	for i := range centres {
		centres[i] = gaussian(rnd, nil, 1)
	}
	out := make([][]float32, n)
	for i := range out {
		out[i] = unit(gaussian(rnd, centres[rnd.IntN(len(centres))], 0.7))
	}
	return out
}

func gaussian(rnd *rand.Rand, around []float32, spread float64) []float32 {
	v := make([]float32, dims)
	for i := range v {
		v[i] = float32(rnd.NormFloat64() * spread)
		if around != nil {
			v[i] += around[i]
		}
	}
	return v
}

func unit(v []float32) []float32 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

func text(i int) string { return fmt.Sprintf("memory number %d of shelf %d", i, i%97) }

func scope(i int) longterm.Scope { return longterm.Scope{UserID: "u" + strconv.Itoa(i%users)} }

func record(i int, v []float32) *longterm.Record {
	at := time.Date(2026, 1, 1, 0, 0, i, 0, time.UTC)
	s := scope(i)
	s.AgentID = "all" // one scope that holds everything
	return &longterm.Record{ID: "m" + strconv.Itoa(i), Scope: s, Text: text(i), Hash: strconv.Itoa(i), CreatedAt: at, UpdatedAt: at, Vector: v, Tokens: text(i)}
}

// fill writes n memories in transactions of a thousand.
func fill(b *testing.B, path string, vs [][]float32) {
	b.Helper()
	s, err := sqlite.OpenStore(ctx, sqlite.Config{Path: path})
	if err != nil {
		b.Fatal(err)
	}
	for from := 0; from < len(vs); from += 1000 {
		batch := longterm.Batch{At: time.Now(), Fingerprint: fingerprint}
		for i := from; i < min(from+1000, len(vs)); i++ {
			batch.Writes = append(batch.Writes, longterm.Write{Add: record(i, vs[i]), HistoryID: "h" + strconv.Itoa(i)})
		}
		if _, err := s.Apply(ctx, batch); err != nil {
			b.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
}

func fillChromem(b *testing.B, dir string, vs [][]float32) {
	b.Helper()
	db, err := chromem.NewPersistentDB(dir, false)
	if err != nil {
		b.Fatal(err)
	}
	c, err := db.CreateCollection("m", nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	for i, v := range vs {
		d := chromem.Document{ID: "m" + strconv.Itoa(i), Content: text(i), Embedding: v, Metadata: map[string]string{"user": scope(i).UserID}}
		if err := c.AddDocument(ctx, d); err != nil {
			b.Fatal(err)
		}
	}
}

func open(b *testing.B, path string) *sqlite.Store {
	b.Helper()
	s, err := sqlite.OpenStore(ctx, sqlite.Config{Path: path})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	return s
}

// recall is the share of the exact nearest that a search found.
func recall(b *testing.B, s *sqlite.Store, vs [][]float32, sc longterm.Scope, in func(i int) bool) float64 {
	b.Helper()
	found, all := 0, 0
	for _, q := range vectors(1000)[900:920] {
		type near struct {
			i     int
			score float64
		}
		var ns []near
		for i, v := range vs {
			if !in(i) {
				continue
			}
			var d float64
			for j := range q {
				d += float64(q[j]) * float64(v[j])
			}
			ns = append(ns, near{i, d})
		}
		slices.SortFunc(ns, func(x, y near) int { return int(math.Copysign(1, y.score-x.score)) })
		hits, err := s.Search(ctx, longterm.StoreQuery{Scope: sc, Vector: q, Limit: topK})
		if err != nil {
			b.Fatal(err)
		}
		for _, n := range ns[:topK] {
			all++
			if slices.ContainsFunc(hits, func(h longterm.Hit) bool { return h.ID == "m"+strconv.Itoa(n.i) }) {
				found++
			}
		}
	}
	return float64(found) / float64(all)
}

// cpu reports the processor time of an operation, which other work on the
// machine disturbs less than the time on the clock.
func cpu(b *testing.B) func() {
	var before syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &before); err != nil {
		b.Fatal(err)
	}
	return func() {
		var after syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &after); err != nil {
			b.Fatal(err)
		}
		ns := after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano()
		b.ReportMetric(float64(ns)/float64(b.N)/1e6, "cpu-ms/op")
	}
}

// BenchmarkAdd compares one add in a transaction of its own with the bare
// inserts of the same rows, also in one transaction.
func BenchmarkAdd(b *testing.B) {
	vs := vectors(2000)
	b.Run("webhand", func(b *testing.B) {
		s := open(b, filepath.Join(b.TempDir(), "m.db"))
		i := 0
		b.ReportAllocs()
		defer cpu(b)()
		for b.Loop() {
			_, err := s.Apply(ctx, longterm.Batch{At: time.Now(), Fingerprint: fingerprint,
				Writes: []longterm.Write{{Add: record(i, vs[i%len(vs)]), HistoryID: "h" + strconv.Itoa(i)}}})
			if err != nil {
				b.Fatal(err)
			}
			i++
		}
	})
	b.Run("bare inserts", func(b *testing.B) {
		path := filepath.Join(b.TempDir(), "m.db")
		if err := open(b, path).Close(); err != nil { // makes the tables
			b.Fatal(err)
		}
		db, err := sql.Open("sqlite", path+"?_txlock=immediate&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_pragma=secure_delete(1)&_pragma=foreign_keys(1)")
		if err != nil {
			b.Fatal(err)
		}
		defer db.Close()
		db.SetMaxOpenConns(1)
		var stmts []*sql.Stmt
		for _, q := range []string{
			`INSERT INTO memories(id, user_id, agent_id, data, hash, created_at, updated_at) VALUES(?,?,?,?,?,?,?)`,
			`INSERT INTO vectors(rid, emb) VALUES(?,?)`,
			`INSERT INTO memories_fts(rowid, scope, tokens) VALUES(?,?,?)`,
			`INSERT INTO history(id, memory_id, user_id, agent_id, new_memory, event, created_at) VALUES(?,?,?,?,?,'ADD',?)`,
		} {
			st, err := db.Prepare(q)
			if err != nil {
				b.Fatal(err)
			}
			stmts = append(stmts, st)
		}
		emb := make([]byte, 4*dims)
		i := 0
		b.ReportAllocs()
		defer cpu(b)()
		for b.Loop() {
			r := record(i, nil)
			at := r.CreatedAt.Format(time.RFC3339Nano)
			for j, x := range vs[i%len(vs)] {
				u := math.Float32bits(x)
				emb[4*j], emb[4*j+1], emb[4*j+2], emb[4*j+3] = byte(u), byte(u>>8), byte(u>>16), byte(u>>24)
			}
			tx, err := db.Begin()
			if err != nil {
				b.Fatal(err)
			}
			for n, args := range [][]any{
				{r.ID, r.UserID, r.AgentID, r.Text, r.Hash, at, at}, {i + 1, emb}, {i + 1, "u1 a1", r.Tokens}, {"h" + strconv.Itoa(i), r.ID, r.UserID, r.AgentID, r.Text, at},
			} {
				if _, err := tx.Stmt(stmts[n]).Exec(args...); err != nil {
					b.Fatal(err)
				}
			}
			if err := tx.Commit(); err != nil {
				b.Fatal(err)
			}
			i++
		}
	})
	b.Run("chromem-go", func(b *testing.B) {
		db, err := chromem.NewPersistentDB(b.TempDir(), false)
		if err != nil {
			b.Fatal(err)
		}
		c, err := db.CreateCollection("m", nil, nil)
		if err != nil {
			b.Fatal(err)
		}
		i := 0
		b.ReportAllocs()
		defer cpu(b)()
		for b.Loop() {
			d := chromem.Document{ID: "m" + strconv.Itoa(i), Content: text(i), Embedding: vs[i%len(vs)], Metadata: map[string]string{"user": scope(i).UserID}}
			if err := c.AddDocument(ctx, d); err != nil {
				b.Fatal(err)
			}
			i++
		}
	})
}

// BenchmarkSearch searches 100,000 memories of 100 users: one user's thousand
// and everybody's, from the cache and without one.
func BenchmarkSearch(b *testing.B) {
	n := 100_000
	if s := os.Getenv("MEMORY_BENCH_ROWS"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	vs := vectors(n)
	queries := vectors(64)
	path := filepath.Join(b.TempDir(), "m.db")
	fill(b, path, vs)
	one, all := scope(7), longterm.Scope{AgentID: "all"}
	search := func(b *testing.B, s *sqlite.Store, sc longterm.Scope, tokens []string) {
		b.Helper()
		i := 0
		var times []time.Duration
		b.ReportAllocs()
		defer cpu(b)()
		for b.Loop() {
			start := time.Now()
			hits, err := s.Search(ctx, longterm.StoreQuery{Scope: sc, Vector: queries[i%len(queries)], Tokens: tokens, Limit: topK})
			if err != nil || len(hits) < topK {
				b.Fatal(len(hits), err)
			}
			times = append(times, time.Since(start))
			i++
		}
		slices.Sort(times)
		b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
	}
	warm := open(b, path)
	cold, err := sqlite.OpenStore(ctx, sqlite.Config{Path: path, CacheBytes: -1})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = cold.Close() })
	words := []string{"memory", "shelf", "42"}
	for _, bb := range []struct {
		name   string
		s      *sqlite.Store
		sc     longterm.Scope
		tokens []string
	}{
		{"one user of 100/cached", warm, one, nil}, {"one user of 100/uncached", cold, one, nil}, {"one user of 100/with words", warm, one, words},
		{"all/cached", warm, all, nil}, {"all/uncached", cold, all, nil}, {"all/with words", warm, all, words},
	} {
		b.Run("webhand/"+bb.name, func(b *testing.B) {
			if _, err := bb.s.Search(ctx, longterm.StoreQuery{Scope: bb.sc, Vector: queries[0], Limit: topK}); err != nil { // fills the cache
				b.Fatal(err)
			}
			search(b, bb.s, bb.sc, bb.tokens)
		})
	}
	b.Run("webhand/recall", func(b *testing.B) {
		for b.Loop() {
		}
		b.ReportMetric(recall(b, warm, vs, one, func(i int) bool { return scope(i) == one }), "recall-one")
		b.ReportMetric(recall(b, warm, vs, all, func(int) bool { return true }), "recall-all")
	})
	b.Run("webhand/cold open and first query", func(b *testing.B) {
		defer cpu(b)()
		for b.Loop() {
			s, err := sqlite.OpenStore(ctx, sqlite.Config{Path: path})
			if err != nil {
				b.Fatal(err)
			}
			if _, err := s.Search(ctx, longterm.StoreQuery{Scope: all, Vector: queries[0], Limit: topK}); err != nil {
				b.Fatal(err)
			}
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})

	dir := b.TempDir()
	fillChromem(b, dir, vs)
	db, err := chromem.NewPersistentDB(dir, false)
	if err != nil {
		b.Fatal(err)
	}
	c := db.GetCollection("m", nil)
	for name, where := range map[string]map[string]string{"one user of 100": {"user": one.UserID}, "all": nil} {
		b.Run("chromem-go/"+name, func(b *testing.B) {
			i := 0
			b.ReportAllocs()
			defer cpu(b)()
			for b.Loop() {
				if _, err := c.QueryEmbedding(ctx, queries[i%len(queries)], topK, where, nil); err != nil {
					b.Fatal(err)
				}
				i++
			}
		})
	}
	b.Run("chromem-go/cold open and first query", func(b *testing.B) {
		defer cpu(b)()
		for b.Loop() {
			db, err := chromem.NewPersistentDB(dir, false)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := db.GetCollection("m", nil).QueryEmbedding(ctx, queries[0], topK, nil, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}
