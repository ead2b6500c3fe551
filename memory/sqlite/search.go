package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
)

// Search finds the candidates by vector, exactly, and by words.
func (s *Store) Search(ctx context.Context, q longterm.StoreQuery) ([]longterm.Hit, error) {
	if q.Scope.IsZero() {
		return nil, longterm.ErrNoScope
	}
	w, err := scopeWhere(q.Scope, q.Filter, q.Today)
	if err != nil {
		return nil, err
	}
	hits, err := s.search(ctx, q, w)
	if err != nil {
		return nil, fail("search", err)
	}
	return hits, nil
}

// searching is one search in one read transaction.
type searching struct {
	*sql.Tx
	q      longterm.StoreQuery
	w      *where
	scores map[int64]float32 // of candidates by vector
	words  map[int64]float64
}

func (s *Store) search(ctx context.Context, q longterm.StoreQuery, w *where) ([]longterm.Hit, error) {
	if err := s.warm(ctx, q); err != nil {
		return nil, err
	}
	for attempt := 0; ; attempt++ {
		hits, again, err := s.searchOnce(ctx, q, w, attempt < 3)
		if err != nil || !again {
			return hits, err
		}
	}
}

// searchOnce searches in one read transaction. With mayCache it asks to be
// called again when a write came between the transaction and the cache.
func (s *Store) searchOnce(ctx context.Context, q longterm.StoreQuery, w *where, mayCache bool) (hits []longterm.Hit, again bool, err error) {
	tx, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, false, err
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	r := &searching{Tx: tx, q: q, w: w, scores: make(map[int64]float32), words: make(map[int64]float64)}
	dims, generation, err := state(ctx, tx)
	if err != nil {
		return nil, false, err
	}
	if dims == 0 { // nothing was ever stored
		return nil, false, nil
	}
	if q.Vector != nil && len(q.Vector) != dims {
		return nil, false, fmt.Errorf("%w: the query's vector has length %d, the store holds length %d", longterm.ErrEmbedderMismatch, len(q.Vector), dims)
	}
	if err := r.byWords(ctx); err != nil {
		return nil, false, err
	}
	cached, newer, err := r.byCache(ctx, &s.cache, generation)
	if err != nil {
		return nil, false, err
	}
	if !cached {
		if newer && mayCache {
			return nil, true, nil
		}
		if err := r.byScan(ctx, dims); err != nil {
			return nil, false, err
		}
	}
	hits, err = r.load(ctx)
	return hits, false, err
}

// byCache scans the cached block of the scope, if there is one of this
// generation. newer says that there is one of a later generation.
func (r *searching) byCache(ctx context.Context, c *cache, generation int64) (done, newer bool, err error) {
	if r.q.Vector == nil {
		return true, false, nil
	}
	var allowed map[int64]bool
	if !r.q.Filter.IsZero() {
		if allowed, err = r.allowed(ctx); err != nil {
			return false, false, err
		}
	}
	// No statement runs under the lock: a write holds it while it commits.
	c.mu.RLock()
	defer c.mu.RUnlock()
	b := c.get(r.q.Scope, generation)
	if b == nil {
		b = c.blocks[r.q.Scope]
		return false, b != nil && b.generation > generation, nil
	}
	r.byBlock(b, allowed)
	return true, false, nil
}

// state reads the length of the stored vectors, 0 when there are none, and
// the generation of the file.
func state(ctx context.Context, tx *sql.Tx) (dims int, generation int64, err error) {
	var fp sql.NullString
	err = tx.QueryRowContext(ctx, `SELECT (SELECT CAST(v AS INTEGER) FROM meta WHERE k = 'generation'), (SELECT v FROM meta WHERE k = ?)`,
		longterm.MetaFingerprint).Scan(&generation, &fp)
	if err != nil || !fp.Valid {
		return 0, generation, err
	}
	parts := strings.Split(fp.String, "|")
	if len(parts) < 2 {
		return 0, 0, fmt.Errorf("the stored fingerprint %q cannot be read", fp.String)
	}
	if _, err := fmt.Sscanf(parts[len(parts)-2], "%d", &dims); err != nil {
		return 0, 0, fmt.Errorf("the stored fingerprint %q cannot be read: %w", fp.String, err)
	}
	return dims, generation, nil
}

// byBlock scans cached vectors.
func (r *searching) byBlock(b *block, allowed map[int64]bool) {
	shown := func(i int) bool { return r.q.Today == "" || b.expires[i] == "" || b.expires[i] >= r.q.Today }
	if allowed != nil {
		shown = func(i int) bool { return allowed[b.rids[i]] }
	}
	for _, n := range b.scan(r.q.Vector, r.q.Limit, shown) {
		r.scores[n.rid] = n.score
	}
	for rid := range r.words {
		if _, ok := r.scores[rid]; ok {
			continue
		}
		if i, ok := b.pos[rid]; ok {
			r.scores[rid] = dot(r.q.Vector, b.vector(i))
		}
	}
}

// allowed are the memories that pass the filter.
func (r *searching) allowed(ctx context.Context) (map[int64]bool, error) {
	rids, err := r.column(ctx, `SELECT m.rid FROM memories m WHERE `+r.w.String(), r.w.args...)
	out := make(map[int64]bool, len(rids))
	for _, rid := range rids {
		out[rid] = true
	}
	return out, err
}

// byScan reads every vector of the scope from the file.
func (r *searching) byScan(ctx context.Context, dims int) error {
	rows, err := r.QueryContext(ctx, `SELECT v.rid, v.emb FROM memories m JOIN vectors v ON v.rid = m.rid WHERE `+r.w.String(), r.w.args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	top := best{k: r.q.Limit}
	vec := make([]float32, dims)
	var rid int64
	var emb sql.RawBytes
	for rows.Next() {
		if err := rows.Scan(&rid, &emb); err != nil {
			return err
		}
		if err := decodeVector(vec, emb); err != nil {
			return err
		}
		score := dot(r.q.Vector, vec)
		top.add(near{rid, score})
		if _, ok := r.words[rid]; ok {
			r.scores[rid] = score
		}
	}
	for _, n := range top.hits {
		r.scores[n.rid] = n.score
	}
	return rows.Err()
}

// load reads the records of the candidates.
func (r *searching) load(ctx context.Context) ([]longterm.Hit, error) {
	ids := make([]int64, 0, len(r.scores)+len(r.words))
	for rid := range r.scores {
		ids = append(ids, rid)
	}
	for rid := range r.words {
		if _, ok := r.scores[rid]; !ok {
			ids = append(ids, rid)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	// The condition again: a word can find a memory that has expired.
	args := append([]any{string(list)}, r.w.args...)
	rows, err := r.QueryContext(ctx, `SELECT `+recordColumns+` FROM memories m WHERE m.rid IN (SELECT value FROM json_each(?)) AND `+r.w.String()+` ORDER BY m.rid`, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := make([]longterm.Hit, 0, len(ids))
	for rows.Next() {
		rec, rid, err := scanRecord(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, longterm.Hit{Record: rec, Semantic: float64(min(1, max(0, r.scores[rid]))), BM25: r.words[rid]})
	}
	if err := rows.Err(); err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, err
	}
	return out, nil
}
