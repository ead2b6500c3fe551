package sqlite

import (
	"context"
	"time"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
)

// DeleteWhere deletes the records of a scope that pass the filter.
func (s *Store) DeleteWhere(ctx context.Context, sc longterm.Scope, f longterm.Filter, at time.Time, newID func() string) (int, error) {
	if sc.IsZero() {
		return 0, longterm.ErrNoScope
	}
	cond, err := scopeWhere(sc, f, "")
	if err != nil {
		return 0, err
	}
	n := 0
	err = s.transact(ctx, func(w *writing) error {
		rows, err := w.QueryContext(ctx, `SELECT `+recordColumns+` FROM memories m WHERE `+cond.String(), cond.args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		type row struct {
			rid int64
			rec longterm.Record
		}
		var all []row
		for rows.Next() {
			rec, rid, err := scanRecord(rows)
			if err != nil {
				return err
			}
			all = append(all, row{rid, rec})
		}
		if err := rows.Err(); err != nil {
			return err
		}
		for i := range all {
			if err := w.delete(ctx, all[i].rid, &all[i].rec, at, newID()); err != nil {
				return err
			}
		}
		n = len(all)
		return nil
	})
	if err != nil {
		return 0, fail("delete", err)
	}
	return n, nil
}

// Purge removes every trace of a scope and writes over the place on disk.
func (s *Store) Purge(ctx context.Context, sc longterm.Scope) (int, error) {
	if sc.IsZero() {
		return 0, longterm.ErrNoScope
	}
	w0, err := scopeWhere(sc, longterm.Filter{}, "")
	if err != nil {
		return 0, err
	}
	// The three tables have the same scope columns.
	cond := w0.String()
	n := 0
	err = s.erasing(ctx, func(w *writing) error {
		if err := w.QueryRowContext(ctx, `SELECT count(*) FROM memories m WHERE `+cond, w0.args...).Scan(&n); err != nil {
			return err
		}
		for _, q := range []string{
			`DELETE FROM memories_fts WHERE rowid IN (SELECT rid FROM memories m WHERE ` + cond + `)`,
			`DELETE FROM access_log WHERE memory_id IN (SELECT id FROM memories m WHERE ` + cond + `)`,
			`DELETE FROM acl WHERE memory_id IN (SELECT id FROM memories m WHERE ` + cond + `)`,
			`DELETE FROM history AS m WHERE ` + cond,
			`DELETE FROM messages AS m WHERE ` + cond,
			`DELETE FROM memories AS m WHERE ` + cond,
		} {
			if _, err := w.ExecContext(ctx, q, w0.args...); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, fail("purge", err)
	}
	return n, nil
}

// Reset removes everything but the settings.
func (s *Store) Reset(ctx context.Context) error {
	err := s.erasing(ctx, func(w *writing) error {
		for _, q := range []string{
			`DELETE FROM memories_fts`, `DELETE FROM access_log`, `DELETE FROM acl`, `DELETE FROM history`, `DELETE FROM messages`,
			`DELETE FROM staged`, `DELETE FROM vectors`, `DELETE FROM memories`, `DELETE FROM meta WHERE k = '` + longterm.MetaFingerprint + `'`,
		} {
			if _, err := w.ExecContext(ctx, q); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fail("reset", err)
	}
	return nil
}

// erasing runs f and empties the log, which still holds what went.
func (s *Store) erasing(ctx context.Context, f func(*writing) error) error {
	err := s.transact(ctx, f)
	// The blocks know nothing of what went.
	s.cache.clear()
	if err != nil || s.path == ":memory:" {
		return err
	}
	// While another process reads, the log stays until it is done.
	_, _ = s.write.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`)
	return nil
}
