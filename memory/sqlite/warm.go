package sqlite

import (
	"context"
	"database/sql"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
)

// warm loads the vectors of a scope that is not in the cache, if they fit.
func (s *Store) warm(ctx context.Context, q longterm.StoreQuery) error {
	if s.cache.limit < 0 || q.Vector == nil {
		return nil
	}
	b, err := s.loadBlock(ctx, q)
	if err == nil && b != nil {
		// After the transaction: whoever waits for the cache holds no connection.
		s.cache.put(q.Scope, b)
	}
	return err
}

// loadBlock reads the block of a scope. It returns nil when there is one
// already, or when it would not fit.
func (s *Store) loadBlock(ctx context.Context, q longterm.StoreQuery) (*block, error) {
	tx, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	dims, generation, err := state(ctx, tx)
	if err != nil || dims != len(q.Vector) {
		return nil, err
	}
	if s.cache.has(q.Scope, generation) {
		return nil, nil
	}
	w, err := scopeWhere(q.Scope, longterm.Filter{}, "")
	if err != nil {
		return nil, err
	}
	var n int
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM memories m WHERE `+w.String(), w.args...).Scan(&n); err != nil {
		return nil, err
	}
	room := n + n/8 + 8 // for a few adds
	if (4*dims+perEntry)*room > s.cache.limit {
		return nil, nil
	}
	b := &block{
		generation: generation, dims: dims, rids: make([]int64, 0, room), expires: make([]string, 0, room),
		vecs: make([]float32, 0, room*dims), pos: make(map[int64]int, n),
	}
	rows, err := tx.QueryContext(ctx, `SELECT v.rid, coalesce(m.expires_on, ''), v.emb FROM memories m JOIN vectors v ON v.rid = m.rid WHERE `+w.String(), w.args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var rid int64
	var expires string
	var emb sql.RawBytes
	vec := make([]float32, dims)
	for rows.Next() {
		if err := rows.Scan(&rid, &expires, &emb); err != nil {
			return nil, err
		}
		if err := decodeVector(vec, emb); err != nil {
			return nil, err
		}
		b.append(rid, expires, vec)
	}
	return b, rows.Err()
}
