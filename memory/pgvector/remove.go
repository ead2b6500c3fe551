package pgvector

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
)

// DeleteWhere deletes the records of a scope that pass the filter.
func (s *Store) DeleteWhere(ctx context.Context, sc longterm.Scope, f longterm.Filter, at time.Time, newID func() string) (int, error) {
	if sc.IsZero() {
		return 0, longterm.ErrNoScope
	}
	w, err := scopeWhere(sc, f, "")
	if err != nil {
		return 0, err
	}
	n := 0
	err = s.transact(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `SELECT `+columns+` FROM memories m WHERE `+w.String()+` FOR UPDATE`, w.args...)
		if err != nil {
			return err
		}
		all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (longterm.Record, error) { return scan(row) })
		if err != nil {
			return err
		}
		for _, r := range all {
			if err := remove(ctx, tx, r, at, newID()); err != nil {
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

// Purge removes every trace of a scope from the tables. What the server keeps
// in its log and in dead rows goes with its next vacuum.
func (s *Store) Purge(ctx context.Context, sc longterm.Scope) (int, error) {
	if sc.IsZero() {
		return 0, longterm.ErrNoScope
	}
	w, err := scopeWhere(sc, longterm.Filter{}, "")
	if err != nil {
		return 0, err
	}
	n := 0
	err = s.transact(ctx, func(tx pgx.Tx) error {
		// The three tables have the same scope columns.
		for _, table := range []string{"history", "messages", "memories"} {
			tag, err := tx.Exec(ctx, `DELETE FROM `+table+` m WHERE `+w.String(), w.args...)
			if err != nil {
				return err
			}
			n = int(tag.RowsAffected())
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
	err := s.transact(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `TRUNCATE memories, history, messages`); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `DELETE FROM meta WHERE k = $1`, longterm.MetaFingerprint)
		return err
	})
	if err != nil {
		return fail("reset", err)
	}
	return nil
}

// Import puts records and history in as they are.
func (s *Store) Import(ctx context.Context, fingerprint string, rs []longterm.Record, hs []longterm.HistoryRow) (int, error) {
	n := 0
	err := s.transact(ctx, func(tx pgx.Tx) error {
		if err := checkFingerprint(ctx, tx, fingerprint); err != nil {
			return err
		}
		for i := range rs {
			var seen bool
			if err := tx.QueryRow(ctx, `SELECT EXISTS(SELECT 1 FROM memories WHERE id = $1)`, rs[i].ID).Scan(&seen); err != nil {
				return err
			}
			if seen {
				continue
			}
			if err := insert(ctx, tx, &rs[i]); err != nil {
				return err
			}
			n++
		}
		for _, h := range hs {
			var seen bool
			if err := tx.QueryRow(ctx, `SELECT EXISTS(SELECT 1 FROM history WHERE id = $1)`, h.ID).Scan(&seen); err != nil {
				return err
			}
			if seen {
				continue
			}
			rec, err := scan(tx.QueryRow(ctx, `SELECT `+columns+` FROM memories m WHERE id = $1`, h.MemoryID))
			if err != nil && !errors.Is(err, pgx.ErrNoRows) {
				return err
			}
			if err := history(ctx, tx, h, rec.Scope); err != nil {
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
