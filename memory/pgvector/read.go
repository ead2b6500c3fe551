package pgvector

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
)

// columns are what scan reads.
const columns = `m.id, m.user_id, m.agent_id, m.run_id, m.actor_id, m.role, m.type, m.attributed_to, m.data, m.hash, m.payload::text,
	m.created_at, m.updated_at, m.expires_on`

// scan reads a record, and further columns after it into more.
func scan(row pgx.Row, more ...any) (r longterm.Record, err error) {
	var user, agent, run, actor, role, kind, attributed, payload, expires *string
	var created, updated string
	err = row.Scan(append([]any{&r.ID, &user, &agent, &run, &actor, &role, &kind, &attributed, &r.Text, &r.Hash, &payload, &created, &updated, &expires}, more...)...)
	if err != nil {
		return r, err
	}
	r.UserID, r.AgentID, r.RunID = text(user), text(agent), text(run)
	r.ActorID, r.Role, r.Type, r.AttributedTo, r.ExpiresOn = text(actor), text(role), longterm.Type(text(kind)), text(attributed), text(expires)
	if payload != nil {
		if err := json.Unmarshal([]byte(*payload), &r.Metadata); err != nil {
			return r, fmt.Errorf("metadata of memory %s: %w", r.ID, err)
		}
	}
	if r.CreatedAt, err = parseStamp(created); err == nil {
		r.UpdatedAt, err = parseStamp(updated)
	}
	return r, err
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func parseStamp(s string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339Nano, s)
	return t.UTC(), err
}

// Search finds the candidates by vector, exactly, and by words.
func (s *Store) Search(ctx context.Context, q longterm.StoreQuery) ([]longterm.Hit, error) {
	if q.Scope.IsZero() {
		return nil, longterm.ErrNoScope
	}
	fp, err := s.Meta(ctx, longterm.MetaFingerprint)
	if err != nil || fp == "" {
		return nil, err
	}
	if parts := strings.Split(fp, "|"); q.Vector != nil && (len(parts) < 2 || parts[len(parts)-2] != strconv.Itoa(len(q.Vector))) {
		return nil, fmt.Errorf("%w: the query's vector has length %d, the store was written with %q", longterm.ErrEmbedderMismatch, len(q.Vector), fp)
	}
	w, err := scopeWhere(q.Scope, q.Filter, q.Today)
	if err != nil {
		return nil, err
	}
	vec := w.arg(vectorText(q.Vector), "text") + "::vector"
	query := w.arg(tsquery(q.Tokens), "text") + "::tsquery"
	limit := w.arg(q.Limit, "bigint")
	rows, err := s.pool.Query(ctx, `WITH near AS (SELECT rid FROM memories m WHERE `+w.String()+` ORDER BY emb <#> `+vec+`, rid LIMIT `+limit+`),
		words AS (SELECT rid FROM memories m WHERE tokens @@ `+query+` AND `+w.String()+` ORDER BY ts_rank(tokens, `+query+`) DESC, rid LIMIT `+limit+`)
		SELECT `+columns+`, -(m.emb <#> `+vec+`), CASE WHEN m.rid IN (SELECT rid FROM words) THEN greatest(ts_rank(m.tokens, `+query+`), 1e-9) ELSE 0 END
		FROM memories m WHERE m.rid IN (SELECT rid FROM near UNION SELECT rid FROM words) ORDER BY m.rid`, w.args...)
	if err != nil {
		return nil, fail("search", err)
	}
	defer rows.Close()
	var out []longterm.Hit
	for rows.Next() {
		var h longterm.Hit
		if h.Record, err = scan(rows, &h.Semantic, &h.BM25); err != nil {
			return nil, fail("search", err)
		}
		h.Semantic = min(1, max(0, h.Semantic))
		out = append(out, h)
	}
	if err := rows.Err(); err != nil {
		return nil, fail("search", err)
	}
	return out, nil
}

// tsquery joins words with "or". Every word is quoted, so that nothing in it
// is an operator. Without words it is a query that nothing matches.
func tsquery(tokens []string) string {
	var parts []string
	for _, t := range tokens {
		if t = strings.ReplaceAll(t, "\x00", ""); strings.TrimSpace(t) != "" {
			parts = append(parts, "'"+strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(t)+"'")
		}
	}
	return strings.Join(parts, " | ")
}

// Get returns a record.
func (s *Store) Get(ctx context.Context, id string) (longterm.Record, error) {
	r, err := scan(s.pool.QueryRow(ctx, `SELECT `+columns+` FROM memories m WHERE id = $1`, id))
	if errors.Is(err, pgx.ErrNoRows) {
		return r, fmt.Errorf("%w: %q", longterm.ErrNotFound, id)
	}
	if err != nil {
		return r, fail("get", err)
	}
	return r, nil
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
		w.conds = append(w.conds, "(m.created_at, m.rid) < ("+w.arg(at, "text")+", "+w.arg(n, "bigint")+")")
	}
	limit := w.arg(l.Limit+1, "bigint")
	rows, err := s.pool.Query(ctx, `SELECT `+columns+`, m.rid FROM memories m WHERE `+w.String()+` ORDER BY m.created_at DESC, m.rid DESC LIMIT `+limit, w.args...)
	if err != nil {
		return nil, "", fail("list", err)
	}
	defer rows.Close()
	var out []longterm.Record
	var last int64
	for rows.Next() {
		var rid int64
		r, err := scan(rows, &rid)
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
	if err := s.pool.QueryRow(ctx, `SELECT count(*) FROM memories m WHERE `+w.String(), w.args...).Scan(&n); err != nil {
		return 0, fail("count", err)
	}
	return n, nil
}

// History returns the rows of a memory in the order in which they were
// written.
func (s *Store) History(ctx context.Context, id string) ([]longterm.HistoryRow, error) {
	rows, err := s.pool.Query(ctx, `SELECT id, memory_id, old_memory, new_memory, event, created_at, updated_at, is_deleted, actor_id, role
		FROM history WHERE memory_id = $1 ORDER BY seq`, id)
	if err != nil {
		return nil, fail("history", err)
	}
	defer rows.Close()
	var out []longterm.HistoryRow
	for rows.Next() {
		var h longterm.HistoryRow
		var created, updated *string
		if err := rows.Scan(&h.ID, &h.MemoryID, &h.Old, &h.New, &h.Event, &created, &updated, &h.IsDeleted, &h.ActorID, &h.Role); err != nil {
			return nil, fail("history", err)
		}
		for _, c := range []struct {
			from *string
			to   *longterm.Timestamp
		}{{created, &h.CreatedAt}, {updated, &h.UpdatedAt}} {
			if c.from == nil {
				continue
			}
			t, err := parseStamp(*c.from)
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
	rows, err := s.pool.Query(ctx, `SELECT role, name, content, created_at FROM (
		SELECT * FROM messages WHERE user_id = $1 AND agent_id = $2 AND run_id = $3 ORDER BY seq DESC LIMIT $4) t ORDER BY seq`,
		sc.UserID, sc.AgentID, sc.RunID, n)
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
		return `SELECT '` + kind + `' AS type, ` + col + ` AS id, count(*) AS n, min(created_at) AS first, max(updated_at) AS last FROM memories WHERE ` + col + ` IS NOT NULL GROUP BY ` + col
	}
	rows, err := s.pool.Query(ctx, `SELECT type, id, n, first, last FROM (`+one("user", "user_id")+" UNION ALL "+one("agent", "agent_id")+" UNION ALL "+one("run", "run_id")+
		`) e ORDER BY last DESC, type, id LIMIT $1`, limit)
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
	err := s.pool.QueryRow(ctx, `SELECT v FROM meta WHERE k = $1`, key).Scan(&v)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return "", fail("read setting", err)
	}
	return v, nil
}

// SetMeta writes a setting.
func (s *Store) SetMeta(ctx context.Context, key, value string) error {
	if _, err := s.pool.Exec(ctx, `INSERT INTO meta(k, v) VALUES($1, $2) ON CONFLICT(k) DO UPDATE SET v = excluded.v`, key, value); err != nil {
		return fail("write setting", err)
	}
	return nil
}
