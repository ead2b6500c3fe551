package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
)

// Import puts records and history in as they are.
func (s *Store) Import(ctx context.Context, fingerprint string, rs []longterm.Record, hs []longterm.HistoryRow) (int, error) {
	n := 0
	err := s.transact(ctx, func(w *writing) error {
		if err := w.fingerprint(ctx, fingerprint); err != nil {
			return err
		}
		for i := range rs {
			_, _, err := scanRecord(w.row(ctx, sqlByID, rs[i].ID))
			switch {
			case err == nil:
				continue
			case !errors.Is(err, sql.ErrNoRows):
				return err
			}
			if err := w.insert(ctx, &rs[i]); err != nil {
				return err
			}
			n++
		}
		for _, h := range hs {
			var seen int
			if err := w.QueryRowContext(ctx, `SELECT count(*) FROM history WHERE id = ?`, h.ID).Scan(&seen); err != nil {
				return err
			}
			if seen > 0 {
				continue
			}
			rec, _, err := scanRecord(w.row(ctx, sqlByID, h.MemoryID))
			if err != nil && !errors.Is(err, sql.ErrNoRows) {
				return err
			}
			if err := w.history(ctx, h, rec.Scope); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, fail("import", err)
	}
	return n, nil
}

// Unstaged returns records that have no new vector yet.
func (s *Store) Unstaged(ctx context.Context, fingerprint string, n int) ([]longterm.Record, error) {
	rows, err := s.read.QueryContext(ctx, `SELECT `+recordColumns+` FROM memories m
		LEFT JOIN staged t ON t.rid = m.rid AND t.fingerprint = ? AND t.hash = m.hash WHERE t.rid IS NULL ORDER BY m.rid LIMIT ?`, fingerprint, n)
	if err != nil {
		return nil, fail("reembed", err)
	}
	defer rows.Close()
	var out []longterm.Record
	for rows.Next() {
		r, _, err := scanRecord(rows)
		if err != nil {
			return nil, fail("reembed", err)
		}
		out = append(out, r)
	}
	if err := rows.Err(); err != nil {
		return nil, fail("reembed", err)
	}
	return out, nil
}

// Stage keeps new vectors beside those in use.
func (s *Store) Stage(ctx context.Context, fingerprint string, us []longterm.Update) error {
	err := s.transact(ctx, func(w *writing) error {
		for _, u := range us {
			if _, err := w.ExecContext(ctx, `INSERT OR REPLACE INTO staged(rid, fingerprint, hash, emb)
				SELECT rid, ?, hash, ? FROM memories WHERE id = ? AND hash = ?`, fingerprint, encodeVector(u.Vector), u.ID, u.Hash); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fail("reembed", err)
	}
	return nil
}

// Promote puts the staged vectors in use if every record has one.
func (s *Store) Promote(ctx context.Context, fingerprint string) (bool, error) {
	done := false
	err := s.transact(ctx, func(w *writing) error {
		var missing int
		if err := w.QueryRowContext(ctx, `SELECT count(*) FROM memories m
			LEFT JOIN staged t ON t.rid = m.rid AND t.fingerprint = ? AND t.hash = m.hash WHERE t.rid IS NULL`, fingerprint).Scan(&missing); err != nil {
			return err
		}
		if missing > 0 {
			return nil
		}
		done = true
		for _, q := range []string{
			`DELETE FROM vectors`,
			`INSERT INTO vectors(rid, emb) SELECT rid, emb FROM staged`,
			`DELETE FROM staged`,
		} {
			if _, err := w.ExecContext(ctx, q); err != nil {
				return err
			}
		}
		_, err := w.exec(ctx, sqlSetMeta, longterm.MetaFingerprint, fingerprint)
		return err
	})
	s.cache.clear()
	if err != nil {
		return false, fail("reembed", err)
	}
	return done, nil
}
