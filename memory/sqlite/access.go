package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
)

// App returns an app of a user, created on first use when create is true.
func (s *Store) App(ctx context.Context, user, name string, create bool) (longterm.App, error) {
	app, err := scanApp(s.read.QueryRowContext(ctx, sqlApp+` AND name = ?`, user, name))
	if err == nil {
		return app, nil
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return app, fail("read app", err)
	}
	if !create {
		return app, fmt.Errorf("%w: user %q has no app %q", longterm.ErrNotFound, user, name)
	}
	err = s.transact(ctx, func(w *writing) error {
		if _, err := w.ExecContext(ctx, `INSERT INTO apps(user_id, name, is_active, created_at) VALUES(?,?,1,?) ON CONFLICT DO NOTHING`,
			user, name, stamp(time.Now())); err != nil {
			return err
		}
		app, err = scanApp(w.QueryRowContext(ctx, sqlApp+` AND name = ?`, user, name))
		return err
	})
	if err != nil {
		return app, fail("create app", err)
	}
	return app, nil
}

const sqlApp = `SELECT user_id, name, is_active, created_at FROM apps WHERE user_id = ?`

func scanApp(row scanner) (a longterm.App, err error) {
	var at string
	if err := row.Scan(&a.User, &a.Name, &a.Active, &at); err != nil {
		return a, err
	}
	a.CreatedAt.Time, err = parseStamp(at)
	return a, err
}

// Apps returns the apps of a user by name.
func (s *Store) Apps(ctx context.Context, user string) ([]longterm.App, error) {
	rows, err := s.read.QueryContext(ctx, sqlApp+` ORDER BY name`, user)
	if err != nil {
		return nil, fail("list apps", err)
	}
	defer rows.Close()
	var out []longterm.App
	for rows.Next() {
		a, err := scanApp(rows)
		if err != nil {
			return nil, fail("list apps", err)
		}
		out = append(out, a)
	}
	if err := rows.Err(); err != nil {
		return nil, fail("list apps", err)
	}
	return out, nil
}

// SetActive pauses an app or lets it go on.
func (s *Store) SetActive(ctx context.Context, user, name string, active bool) error {
	return s.changeApp(ctx, user, name, func(w *writing) error {
		_, err := w.ExecContext(ctx, `UPDATE apps SET is_active = ? WHERE user_id = ? AND name = ?`, active, user, name)
		return err
	})
}

// changeApp runs f on an app that exists.
func (s *Store) changeApp(ctx context.Context, user, name string, f func(*writing) error) error {
	err := s.transact(ctx, func(w *writing) error {
		if _, err := scanApp(w.QueryRowContext(ctx, sqlApp+` AND name = ?`, user, name)); errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("%w: user %q has no app %q", longterm.ErrNotFound, user, name)
		} else if err != nil {
			return err
		}
		return f(w)
	})
	if err != nil {
		return fail("change app", err)
	}
	return nil
}

// Rules returns the rules of an app.
func (s *Store) Rules(ctx context.Context, user, name string) ([]longterm.Rule, error) {
	rows, err := s.read.QueryContext(ctx, `SELECT allow, coalesce(memory_id, '') FROM acl WHERE user_id = ? AND app = ? ORDER BY rowid`, user, name)
	if err != nil {
		return nil, fail("read rules", err)
	}
	defer rows.Close()
	var out []longterm.Rule
	for rows.Next() {
		var r longterm.Rule
		if err := rows.Scan(&r.Allow, &r.MemoryID); err != nil {
			return nil, fail("read rules", err)
		}
		out = append(out, r)
	}
	if err := rows.Err(); err != nil {
		return nil, fail("read rules", err)
	}
	return out, nil
}

// SetRules replaces the rules of an app.
func (s *Store) SetRules(ctx context.Context, user, name string, rules []longterm.Rule) error {
	return s.changeApp(ctx, user, name, func(w *writing) error {
		if _, err := w.ExecContext(ctx, `DELETE FROM acl WHERE user_id = ? AND app = ?`, user, name); err != nil {
			return err
		}
		for _, r := range rules {
			if _, err := w.ExecContext(ctx, `INSERT INTO acl(user_id, app, allow, memory_id) VALUES(?,?,?,?)`, user, name, r.Allow, null(r.MemoryID)); err != nil {
				return err
			}
		}
		return nil
	})
}

// LogAccess appends to the access log.
func (s *Store) LogAccess(ctx context.Context, log []longterm.Access) error {
	err := s.transact(ctx, func(w *writing) error {
		for _, a := range log {
			if _, err := w.ExecContext(ctx, `INSERT INTO access_log(user_id, app, kind, memory_id, at) VALUES(?,?,?,?,?)`,
				a.User, a.App, a.Kind, null(a.MemoryID), a.At.String()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fail("write access log", err)
	}
	return nil
}

// AccessLog returns the newest rows of a user, newest first.
func (s *Store) AccessLog(ctx context.Context, user string, limit int) ([]longterm.Access, error) {
	rows, err := s.read.QueryContext(ctx, `SELECT user_id, app, kind, coalesce(memory_id, ''), at FROM access_log WHERE user_id = ? ORDER BY seq DESC LIMIT ?`, user, limit)
	if err != nil {
		return nil, fail("read access log", err)
	}
	defer rows.Close()
	var out []longterm.Access
	for rows.Next() {
		var a longterm.Access
		var at string
		if err := rows.Scan(&a.User, &a.App, &a.Kind, &a.MemoryID, &at); err != nil {
			return nil, fail("read access log", err)
		}
		if a.At.Time, err = parseStamp(at); err != nil {
			return nil, fail("read access log", err)
		}
		out = append(out, a)
	}
	if err := rows.Err(); err != nil {
		return nil, fail("read access log", err)
	}
	return out, nil
}
