package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
)

// statements are prepared once: they are most of what an add costs.
type statements struct {
	all map[string]*sql.Stmt
}

const (
	sqlGeneration = `UPDATE meta SET v = CAST(v AS INTEGER) + 1 WHERE k = 'generation' RETURNING v`
	sqlMeta       = `SELECT v FROM meta WHERE k = ?`
	sqlSetMeta    = `INSERT INTO meta(k, v) VALUES(?, ?) ON CONFLICT(k) DO UPDATE SET v = excluded.v`
	sqlInsert     = `INSERT INTO memories(id, user_id, agent_id, run_id, actor_id, role, type, attributed_to, data, hash, payload,
		created_at, updated_at, expires_on) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)`
	sqlVector    = `INSERT INTO vectors(rid, emb) VALUES(?, ?) ON CONFLICT(rid) DO UPDATE SET emb = excluded.emb`
	sqlWords     = `INSERT INTO memories_fts(rowid, scope, tokens) VALUES(?, ?, ?)`
	sqlNoWords   = `DELETE FROM memories_fts WHERE rowid = ?`
	sqlHistory   = `INSERT INTO history(id, memory_id, user_id, agent_id, run_id, old_memory, new_memory, event, created_at, updated_at, is_deleted, actor_id, role) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)`
	sqlUpdate    = `UPDATE memories SET data = ?, hash = ?, payload = ?, expires_on = ?, updated_at = ? WHERE rid = ?`
	sqlDelete    = `DELETE FROM memories WHERE rid = ?`
	sqlByID      = `SELECT ` + recordColumns + ` FROM memories m WHERE m.id = ?`
	sqlDuplicate = `SELECT ` + recordColumns + ` FROM memories m WHERE m.hash = ? AND m.data = ? AND m.user_id IS ? AND m.agent_id IS ? AND m.run_id IS ? LIMIT 1`
)

func (s *statements) prepare(ctx context.Context, db *sql.DB) error {
	s.all = make(map[string]*sql.Stmt)
	for _, q := range []string{sqlGeneration, sqlMeta, sqlSetMeta, sqlInsert, sqlVector, sqlWords, sqlNoWords, sqlHistory, sqlUpdate, sqlDelete, sqlByID, sqlDuplicate} {
		st, err := db.PrepareContext(ctx, q)
		if err != nil {
			return err
		}
		s.all[q] = st
	}
	return nil
}

func (s *statements) close() error {
	var err error
	for _, st := range s.all {
		err = errors.Join(err, st.Close())
	}
	return err
}

// writing is a write transaction.
type writing struct {
	*sql.Tx
	st     *statements
	deltas []delta // for the cache, after the commit
}

func (w *writing) exec(ctx context.Context, q string, args ...any) (sql.Result, error) {
	return w.StmtContext(ctx, w.st.all[q]).ExecContext(ctx, args...)
}

func (w *writing) row(ctx context.Context, q string, args ...any) *sql.Row {
	return w.StmtContext(ctx, w.st.all[q]).QueryRowContext(ctx, args...)
}

// transact runs f in one write transaction and tells the cache what changed.
func (s *Store) transact(ctx context.Context, f func(*writing) error) error {
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // after a commit there is nothing to roll back
	w := &writing{Tx: tx, st: &s.stmts}
	if s.limitPages > 0 {
		if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA max_page_count=%d", s.limitPages)); err != nil {
			return err
		}
	}
	if err := f(w); err != nil {
		return err
	}
	var generation int64
	if err := w.row(ctx, sqlGeneration).Scan(&generation); err != nil {
		return err
	}
	// Nobody may search a cached scope between the commit and its change here.
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	if err := tx.Commit(); err != nil {
		return err
	}
	s.cache.change(generation, w.deltas)
	return nil
}

// Apply carries out a batch in one transaction.
func (s *Store) Apply(ctx context.Context, b longterm.Batch) ([]longterm.Outcome, error) {
	var out []longterm.Outcome
	err := s.transact(ctx, func(w *writing) error {
		if err := w.fingerprint(ctx, b.Fingerprint); err != nil {
			return err
		}
		out = make([]longterm.Outcome, len(b.Writes))
		for i := range b.Writes {
			if err := w.one(ctx, &b.Writes[i], b.At, &out[i]); err != nil {
				return err
			}
		}
		return w.turns(ctx, b)
	})
	if err != nil {
		return nil, fail("write", err)
	}
	return out, nil
}

// fingerprint takes over the fingerprint of the first vectors and refuses
// any other.
func (w *writing) fingerprint(ctx context.Context, fp string) error {
	if fp == "" {
		return nil
	}
	var have string
	err := w.row(ctx, sqlMeta, longterm.MetaFingerprint).Scan(&have)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		_, err = w.exec(ctx, sqlSetMeta, longterm.MetaFingerprint, fp)
		return err
	case err != nil:
		return err
	case have != fp:
		return fmt.Errorf("%w: the store holds vectors of %q, these are of %q; nothing was written", longterm.ErrEmbedderMismatch, have, fp)
	}
	return nil
}

func (w *writing) one(ctx context.Context, wr *longterm.Write, at time.Time, out *longterm.Outcome) error {
	switch {
	case wr.Add != nil:
		return w.add(ctx, wr, at, out)
	case wr.Update != nil:
		return w.update(ctx, wr, at, out)
	}
	rec, rid, err := scanRecord(w.row(ctx, sqlByID, wr.Delete))
	if errors.Is(err, sql.ErrNoRows) || err == nil && wr.IfHash != "" && wr.IfHash != rec.Hash {
		return nil
	}
	if err != nil {
		return err
	}
	*out = longterm.Outcome{Applied: true, Record: rec}
	return w.delete(ctx, rid, &rec, at, wr.HistoryID)
}

func (w *writing) add(ctx context.Context, wr *longterm.Write, at time.Time, out *longterm.Outcome) error {
	r := wr.Add
	if wr.Unique {
		old, _, err := scanRecord(w.row(ctx, sqlDuplicate, r.Hash, r.Text, null(r.UserID), null(r.AgentID), null(r.RunID)))
		if err == nil {
			out.Record = old
			return nil
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
	}
	if err := w.insert(ctx, r); err != nil {
		return err
	}
	*out = longterm.Outcome{Applied: true, Record: *r}
	out.Record.Vector, out.Record.Tokens = nil, ""
	return w.history(ctx, longterm.HistoryRow{ID: wr.HistoryID, MemoryID: r.ID, New: &r.Text, Event: longterm.EventAdd,
		CreatedAt: longterm.Timestamp{Time: at}, ActorID: ptr(r.ActorID), Role: ptr(r.Role)}, r.Scope)
}

// insert writes the row, its vector and its words.
func (w *writing) insert(ctx context.Context, r *longterm.Record) error {
	payload, err := encodeMetadata(r.Metadata)
	if err != nil {
		return err
	}
	res, err := w.exec(ctx, sqlInsert, r.ID, null(r.UserID), null(r.AgentID), null(r.RunID), null(r.ActorID), null(r.Role),
		null(string(r.Type)), null(r.AttributedTo), r.Text, r.Hash, payload, stamp(r.CreatedAt), stamp(r.UpdatedAt), null(r.ExpiresOn))
	if err != nil {
		return err
	}
	rid, err := res.LastInsertId()
	if err != nil {
		return err
	}
	if _, err := w.exec(ctx, sqlVector, rid, encodeVector(r.Vector)); err != nil {
		return err
	}
	if _, err := w.exec(ctx, sqlWords, rid, scopeWords(r.Scope), r.Tokens); err != nil {
		return err
	}
	w.deltas = append(w.deltas, delta{rid: rid, scope: r.Scope, vector: r.Vector, expires: r.ExpiresOn})
	return nil
}

func (w *writing) update(ctx context.Context, wr *longterm.Write, at time.Time, out *longterm.Outcome) error {
	u := wr.Update
	rec, rid, err := scanRecord(w.row(ctx, sqlByID, u.ID))
	if errors.Is(err, sql.ErrNoRows) || err == nil && wr.IfHash != "" && wr.IfHash != rec.Hash {
		return nil
	}
	if err != nil {
		return err
	}
	old := rec.Text
	rec = u.On(rec, at)
	payload, err := encodeMetadata(rec.Metadata)
	if err != nil {
		return err
	}
	if _, err := w.exec(ctx, sqlUpdate, rec.Text, rec.Hash, payload, null(rec.ExpiresOn), stamp(at), rid); err != nil {
		return err
	}
	if u.Text != nil {
		if _, err := w.exec(ctx, sqlVector, rid, encodeVector(u.Vector)); err != nil {
			return err
		}
		if _, err := w.exec(ctx, sqlNoWords, rid); err != nil {
			return err
		}
		if _, err := w.exec(ctx, sqlWords, rid, scopeWords(rec.Scope), u.Tokens); err != nil {
			return err
		}
	}
	w.deltas = append(w.deltas, delta{rid: rid, scope: rec.Scope, vector: u.Vector, expires: rec.ExpiresOn})
	*out = longterm.Outcome{Applied: true, Record: rec, Previous: old}
	return w.history(ctx, longterm.HistoryRow{ID: wr.HistoryID, MemoryID: rec.ID, Old: &old, New: &rec.Text, Event: longterm.EventUpdate,
		CreatedAt: longterm.Timestamp{Time: rec.CreatedAt}, UpdatedAt: longterm.Timestamp{Time: at}, ActorID: ptr(rec.ActorID), Role: ptr(rec.Role)}, rec.Scope)
}

func (w *writing) delete(ctx context.Context, rid int64, r *longterm.Record, at time.Time, historyID string) error {
	if _, err := w.exec(ctx, sqlDelete, rid); err != nil {
		return err
	}
	if _, err := w.exec(ctx, sqlNoWords, rid); err != nil {
		return err
	}
	w.deltas = append(w.deltas, delta{rid: rid, scope: r.Scope, gone: true})
	return w.history(ctx, longterm.HistoryRow{ID: historyID, MemoryID: r.ID, Old: &r.Text, Event: longterm.EventDelete, IsDeleted: true,
		CreatedAt: longterm.Timestamp{Time: r.CreatedAt}, UpdatedAt: longterm.Timestamp{Time: at}, ActorID: ptr(r.ActorID), Role: ptr(r.Role)}, r.Scope)
}

func (w *writing) history(ctx context.Context, h longterm.HistoryRow, sc longterm.Scope) error {
	_, err := w.exec(ctx, sqlHistory, h.ID, h.MemoryID, null(sc.UserID), null(sc.AgentID), null(sc.RunID), h.Old, h.New, string(h.Event),
		nullStamp(h.CreatedAt), nullStamp(h.UpdatedAt), h.IsDeleted, h.ActorID, h.Role)
	return err
}

// turns appends to the ring of recent messages of a scope.
func (w *writing) turns(ctx context.Context, b longterm.Batch) error {
	if len(b.Turns) == 0 || b.KeepTurns <= 0 {
		return nil
	}
	keep := b.Turns[max(0, len(b.Turns)-b.KeepTurns):]
	for _, t := range keep {
		if _, err := w.ExecContext(ctx, `INSERT INTO messages(user_id, agent_id, run_id, role, name, content, created_at) VALUES(?,?,?,?,?,?,?)`,
			b.Scope.UserID, b.Scope.AgentID, b.Scope.RunID, t.Role, null(t.Name), t.Content, stamp(t.At)); err != nil {
			return err
		}
	}
	_, err := w.ExecContext(ctx, `DELETE FROM messages WHERE user_id = ?1 AND agent_id = ?2 AND run_id = ?3 AND seq NOT IN (
		SELECT seq FROM messages WHERE user_id = ?1 AND agent_id = ?2 AND run_id = ?3 ORDER BY seq DESC LIMIT ?4)`,
		b.Scope.UserID, b.Scope.AgentID, b.Scope.RunID, b.KeepTurns)
	return err
}

// scopeWords are the ids of a scope as words of the full-text index.
func scopeWords(s longterm.Scope) string {
	var out []string
	for _, p := range []struct{ kind, id string }{{"u", s.UserID}, {"a", s.AgentID}, {"r", s.RunID}} {
		if p.id == "" {
			continue
		}
		h := fnv.New64a()
		h.Write([]byte(p.id))
		out = append(out, fmt.Sprintf("%s%016x", p.kind, h.Sum64()))
	}
	return strings.Join(out, " ")
}

func encodeMetadata(md map[string]any) (any, error) {
	if len(md) == 0 {
		return nil, nil
	}
	b, err := json.Marshal(md)
	if err != nil {
		return nil, err
	}
	return string(b), nil
}

func stamp(t time.Time) string { return longterm.Timestamp{Time: t}.String() }

func nullStamp(t longterm.Timestamp) any {
	if t.IsZero() {
		return nil
	}
	return t.String()
}

func null(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func ptr(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
