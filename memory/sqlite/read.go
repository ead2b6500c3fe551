package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
)

// recordColumns are what scanRecord reads, of the table under the name m.
const recordColumns = `m.rid, m.id, m.user_id, m.agent_id, m.run_id, m.actor_id, m.role, m.type, m.attributed_to, m.data, m.hash, m.payload,
	m.created_at, m.updated_at, m.expires_on`

type scanner interface{ Scan(...any) error }

func scanRecord(row scanner) (r longterm.Record, rid int64, err error) {
	var user, agent, run, actor, role, kind, attributed, payload, expires sql.NullString
	var created, updated string
	err = row.Scan(&rid, &r.ID, &user, &agent, &run, &actor, &role, &kind, &attributed, &r.Text, &r.Hash, &payload, &created, &updated, &expires)
	if err != nil {
		return r, 0, err
	}
	r.UserID, r.AgentID, r.RunID = user.String, agent.String, run.String
	r.ActorID, r.Role, r.Type, r.AttributedTo = actor.String, role.String, longterm.Type(kind.String), attributed.String
	r.ExpiresOn = expires.String
	if payload.Valid {
		if err := json.Unmarshal([]byte(payload.String), &r.Metadata); err != nil {
			return r, 0, fmt.Errorf("metadata of memory %s: %w", r.ID, err)
		}
	}
	if r.CreatedAt, err = parseStamp(created); err == nil {
		r.UpdatedAt, err = parseStamp(updated)
	}
	return r, rid, err
}

func parseStamp(s string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339Nano, s)
	return t.UTC(), err
}

// Get returns a record.
func (s *Store) Get(ctx context.Context, id string) (longterm.Record, error) {
	r, _, err := scanRecord(s.read.QueryRowContext(ctx, sqlByID, id))
	if errors.Is(err, sql.ErrNoRows) {
		return r, fmt.Errorf("%w: %q", longterm.ErrNotFound, id)
	}
	if err != nil {
		return r, fail("get", err)
	}
	return r, nil
}

// where is a condition with its arguments.
type where struct {
	conds []string
	args  []any
}

func (w *where) add(cond string, args ...any) {
	w.conds = append(w.conds, cond)
	w.args = append(w.args, args...)
}

func (w *where) String() string {
	if len(w.conds) == 0 {
		return "1"
	}
	return strings.Join(w.conds, " AND ")
}

// scopeWhere is the condition of a scope, a filter and an expiry on the table
// memories under the name m.
func scopeWhere(sc longterm.Scope, f longterm.Filter, today string) (*where, error) {
	w := &where{}
	if sc.UserID != "" {
		w.add("m.user_id = ?", sc.UserID)
	}
	if sc.AgentID != "" {
		w.add("m.agent_id = ?", sc.AgentID)
	}
	if sc.RunID != "" {
		w.add("m.run_id = ?", sc.RunID)
	}
	if today != "" {
		w.add("(m.expires_on IS NULL OR m.expires_on >= ?)", today)
	}
	if !f.IsZero() {
		if err := f.Check(); err != nil {
			return nil, err
		}
		sql, args, err := compile(f)
		if err != nil {
			return nil, err
		}
		w.add(sql, args...)
	}
	return w, nil
}

// List returns records, newest first.
func (s *Store) List(ctx context.Context, l longterm.StoreList) ([]longterm.Record, string, error) {
	w, err := scopeWhere(l.Scope, l.Filter, l.Today)
	if err != nil {
		return nil, "", err
	}
	if l.Cursor != "" {
		at, rid, ok := strings.Cut(l.Cursor, "~")
		n, err := strconv.ParseInt(rid, 10, 64)
		if !ok || err != nil {
			return nil, "", fail("list", fmt.Errorf("%q is not a cursor of this store", l.Cursor))
		}
		w.add("(m.created_at, m.rid) < (?, ?)", at, n)
	}
	rows, err := s.read.QueryContext(ctx, `SELECT `+recordColumns+` FROM memories m WHERE `+w.String()+
		` ORDER BY m.created_at DESC, m.rid DESC LIMIT ?`, append(w.args, l.Limit+1)...)
	if err != nil {
		return nil, "", fail("list", err)
	}
	defer rows.Close()
	var out []longterm.Record
	var last int64
	for rows.Next() {
		r, rid, err := scanRecord(rows)
		if err != nil {
			return nil, "", fail("list", err)
		}
		if len(out) == l.Limit { // there is more
			return out, stamp(out[len(out)-1].CreatedAt) + "~" + strconv.FormatInt(last, 10), nil
		}
		out, last = append(out, r), rid
	}
	if err := rows.Err(); err != nil {
		return nil, "", fail("list", err)
	}
	return out, "", nil
}

// Count returns the number of records.
func (s *Store) Count(ctx context.Context, sc longterm.Scope, f longterm.Filter) (int, error) {
	w, err := scopeWhere(sc, f, "")
	if err != nil {
		return 0, err
	}
	var n int
	if err := s.read.QueryRowContext(ctx, `SELECT count(*) FROM memories m WHERE `+w.String(), w.args...).Scan(&n); err != nil {
		return 0, fail("count", err)
	}
	return n, nil
}

// History returns the rows of a memory in the order in which they were
// written.
func (s *Store) History(ctx context.Context, id string) ([]longterm.HistoryRow, error) {
	rows, err := s.read.QueryContext(ctx, `SELECT id, memory_id, old_memory, new_memory, event, created_at, updated_at, is_deleted, actor_id, role
		FROM history WHERE memory_id = ? ORDER BY seq`, id)
	if err != nil {
		return nil, fail("history", err)
	}
	defer rows.Close()
	var out []longterm.HistoryRow
	for rows.Next() {
		var h longterm.HistoryRow
		var created, updated sql.NullString
		if err := rows.Scan(&h.ID, &h.MemoryID, &h.Old, &h.New, &h.Event, &created, &updated, &h.IsDeleted, &h.ActorID, &h.Role); err != nil {
			return nil, fail("history", err)
		}
		for _, c := range []struct {
			from sql.NullString
			to   *longterm.Timestamp
		}{{created, &h.CreatedAt}, {updated, &h.UpdatedAt}} {
			if !c.from.Valid {
				continue
			}
			t, err := parseStamp(c.from.String)
			if err != nil {
				return nil, fail("history", err)
			}
			c.to.Time = t
		}
		out = append(out, h)
	}
	if err := rows.Err(); err != nil {
		return nil, fail("history", err)
	}
	return out, nil
}

// Recent returns the newest turns of exactly this scope, oldest first.
func (s *Store) Recent(ctx context.Context, sc longterm.Scope, n int) ([]longterm.Turn, error) {
	rows, err := s.read.QueryContext(ctx, `SELECT role, coalesce(name, ''), content, created_at FROM (
		SELECT seq, role, name, content, created_at FROM messages WHERE user_id = ? AND agent_id = ? AND run_id = ? ORDER BY seq DESC LIMIT ?)
		ORDER BY seq`, sc.UserID, sc.AgentID, sc.RunID, n)
	if err != nil {
		return nil, fail("recent messages", err)
	}
	defer rows.Close()
	var out []longterm.Turn
	for rows.Next() {
		var t longterm.Turn
		var at string
		if err := rows.Scan(&t.Role, &t.Name, &t.Content, &at); err != nil {
			return nil, fail("recent messages", err)
		}
		if t.At, err = parseStamp(at); err != nil {
			return nil, fail("recent messages", err)
		}
		out = append(out, t)
	}
	if err := rows.Err(); err != nil {
		return nil, fail("recent messages", err)
	}
	return out, nil
}

// Entities returns who has memories, those changed last first.
func (s *Store) Entities(ctx context.Context, limit int) ([]longterm.Entity, error) {
	one := func(kind, col string) string {
		return `SELECT '` + kind + `' AS type, ` + col + ` AS id, count(*), min(created_at), max(updated_at) AS last FROM memories WHERE ` + col + ` IS NOT NULL GROUP BY ` + col
	}
	rows, err := s.read.QueryContext(ctx, one("user", "user_id")+" UNION ALL "+one("agent", "agent_id")+" UNION ALL "+one("run", "run_id")+
		" ORDER BY last DESC, type, id LIMIT ?", limit)
	if err != nil {
		return nil, fail("entities", err)
	}
	defer rows.Close()
	var out []longterm.Entity
	for rows.Next() {
		var e longterm.Entity
		var created, updated string
		if err := rows.Scan(&e.Type, &e.ID, &e.Total, &created, &updated); err != nil {
			return nil, fail("entities", err)
		}
		if e.CreatedAt.Time, err = parseStamp(created); err == nil {
			e.UpdatedAt.Time, err = parseStamp(updated)
		}
		if err != nil {
			return nil, fail("entities", err)
		}
		out = append(out, e)
	}
	if err := rows.Err(); err != nil {
		return nil, fail("entities", err)
	}
	return out, nil
}

// Meta reads a setting.
func (s *Store) Meta(ctx context.Context, key string) (string, error) {
	var v string
	err := s.read.QueryRowContext(ctx, sqlMeta, key).Scan(&v)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", fail("read setting", err)
	}
	return v, nil
}

// SetMeta writes a setting.
func (s *Store) SetMeta(ctx context.Context, key, value string) error {
	if key == "generation" {
		return fail("write setting", errors.New(`"generation" is the store's own`))
	}
	if err := s.transact(ctx, func(w *writing) error {
		_, err := w.exec(ctx, sqlSetMeta, key, value)
		return err
	}); err != nil {
		return fail("write setting", err)
	}
	return nil
}
