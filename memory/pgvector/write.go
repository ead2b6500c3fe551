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

// Apply carries out a batch in one transaction. Writers of one scope wait for
// each other, so that a duplicate is seen by the second.
func (s *Store) Apply(ctx context.Context, b longterm.Batch) ([]longterm.Outcome, error) {
	var out []longterm.Outcome
	err := s.transact(ctx, func(tx pgx.Tx) error {
		if err := checkFingerprint(ctx, tx, b.Fingerprint); err != nil {
			return err
		}
		out = make([]longterm.Outcome, len(b.Writes))
		for i := range b.Writes {
			if err := write(ctx, tx, &b.Writes[i], b.At, &out[i]); err != nil {
				return err
			}
		}
		return turns(ctx, tx, b)
	})
	if err != nil {
		return nil, fail("write", err)
	}
	return out, nil
}

func checkFingerprint(ctx context.Context, tx pgx.Tx, fp string) error {
	if fp == "" {
		return nil
	}
	if _, err := tx.Exec(ctx, `INSERT INTO meta(k, v) VALUES($1, $2) ON CONFLICT DO NOTHING`, longterm.MetaFingerprint, fp); err != nil {
		return err
	}
	var have string
	if err := tx.QueryRow(ctx, `SELECT v FROM meta WHERE k = $1`, longterm.MetaFingerprint).Scan(&have); err != nil {
		return err
	}
	if have != fp {
		return fmt.Errorf("%w: the store holds vectors of %q, these are of %q; nothing was written", longterm.ErrEmbedderMismatch, have, fp)
	}
	return nil
}

func write(ctx context.Context, tx pgx.Tx, w *longterm.Write, at time.Time, out *longterm.Outcome) error {
	if w.Add != nil {
		return add(ctx, tx, w, at, out)
	}
	id := w.Delete
	if w.Update != nil {
		id = w.Update.ID
	}
	rec, err := scan(tx.QueryRow(ctx, `SELECT `+columns+` FROM memories m WHERE id = $1 FOR UPDATE`, id))
	if errors.Is(err, pgx.ErrNoRows) || err == nil && w.IfHash != "" && w.IfHash != rec.Hash {
		return nil
	}
	if err != nil {
		return err
	}
	if w.Update != nil {
		return update(ctx, tx, w, rec, at, out)
	}
	*out = longterm.Outcome{Applied: true, Record: rec}
	return remove(ctx, tx, rec, at, w.HistoryID)
}

func add(ctx context.Context, tx pgx.Tx, w *longterm.Write, at time.Time, out *longterm.Outcome) error {
	r := w.Add
	if w.Unique {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtext($1))`, fmt.Sprintf("%q %q %q", r.UserID, r.AgentID, r.RunID)); err != nil {
			return err
		}
		old, err := scan(tx.QueryRow(ctx, `SELECT `+columns+` FROM memories m WHERE hash = $1 AND data = $2 AND user_id IS NOT DISTINCT FROM $3
			AND agent_id IS NOT DISTINCT FROM $4 AND run_id IS NOT DISTINCT FROM $5 LIMIT 1`, r.Hash, r.Text, null(r.UserID), null(r.AgentID), null(r.RunID)))
		if err == nil {
			out.Record = old
			return nil
		}
		if !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
	}
	if err := insert(ctx, tx, r); err != nil {
		return err
	}
	*out = longterm.Outcome{Applied: true, Record: *r}
	out.Record.Vector, out.Record.Tokens = nil, ""
	return history(ctx, tx, longterm.HistoryRow{ID: w.HistoryID, MemoryID: r.ID, New: &r.Text, Event: longterm.EventAdd,
		CreatedAt: longterm.Timestamp{Time: at}, ActorID: null(r.ActorID), Role: null(r.Role)}, r.Scope)
}

func insert(ctx context.Context, tx pgx.Tx, r *longterm.Record) error {
	payload, err := encodeMetadata(r.Metadata)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `INSERT INTO memories(id, user_id, agent_id, run_id, actor_id, role, type, attributed_to, data, hash, payload,
		created_at, updated_at, expires_on, tokens, emb) VALUES($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,array_to_tsvector($15),$16::text::vector)`,
		r.ID, null(r.UserID), null(r.AgentID), null(r.RunID), null(r.ActorID), null(r.Role), null(string(r.Type)), null(r.AttributedTo), r.Text, r.Hash,
		payload, stamp(r.CreatedAt), stamp(r.UpdatedAt), null(r.ExpiresOn), lexemes(r.Tokens), vectorText(r.Vector))
	return err
}

func update(ctx context.Context, tx pgx.Tx, w *longterm.Write, rec longterm.Record, at time.Time, out *longterm.Outcome) error {
	u, old := w.Update, rec.Text
	rec = u.On(rec, at)
	payload, err := encodeMetadata(rec.Metadata)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `UPDATE memories SET data = $2, hash = $3, payload = $4, expires_on = $5, updated_at = $6 WHERE id = $1`,
		rec.ID, rec.Text, rec.Hash, payload, null(rec.ExpiresOn), stamp(at)); err != nil {
		return err
	}
	if u.Text != nil {
		if _, err := tx.Exec(ctx, `UPDATE memories SET tokens = array_to_tsvector($2), emb = $3::text::vector WHERE id = $1`,
			rec.ID, lexemes(u.Tokens), vectorText(u.Vector)); err != nil {
			return err
		}
	}
	*out = longterm.Outcome{Applied: true, Record: rec, Previous: old}
	return history(ctx, tx, longterm.HistoryRow{ID: w.HistoryID, MemoryID: rec.ID, Old: &old, New: &rec.Text, Event: longterm.EventUpdate,
		CreatedAt: longterm.Timestamp{Time: rec.CreatedAt}, UpdatedAt: longterm.Timestamp{Time: at}, ActorID: null(rec.ActorID), Role: null(rec.Role)}, rec.Scope)
}

func remove(ctx context.Context, tx pgx.Tx, r longterm.Record, at time.Time, historyID string) error {
	if _, err := tx.Exec(ctx, `DELETE FROM memories WHERE id = $1`, r.ID); err != nil {
		return err
	}
	return history(ctx, tx, longterm.HistoryRow{ID: historyID, MemoryID: r.ID, Old: &r.Text, Event: longterm.EventDelete, IsDeleted: true,
		CreatedAt: longterm.Timestamp{Time: r.CreatedAt}, UpdatedAt: longterm.Timestamp{Time: at}, ActorID: null(r.ActorID), Role: null(r.Role)}, r.Scope)
}

func history(ctx context.Context, tx pgx.Tx, h longterm.HistoryRow, sc longterm.Scope) error {
	_, err := tx.Exec(ctx, `INSERT INTO history(id, memory_id, user_id, agent_id, run_id, old_memory, new_memory, event, created_at, updated_at, is_deleted, actor_id, role)
		VALUES($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13)`, h.ID, h.MemoryID, null(sc.UserID), null(sc.AgentID), null(sc.RunID), h.Old, h.New, string(h.Event),
		nullStamp(h.CreatedAt), nullStamp(h.UpdatedAt), h.IsDeleted, h.ActorID, h.Role)
	return err
}

func turns(ctx context.Context, tx pgx.Tx, b longterm.Batch) error {
	if len(b.Turns) == 0 || b.KeepTurns <= 0 {
		return nil
	}
	for _, t := range b.Turns[max(0, len(b.Turns)-b.KeepTurns):] {
		if _, err := tx.Exec(ctx, `INSERT INTO messages(user_id, agent_id, run_id, role, name, content, created_at) VALUES($1,$2,$3,$4,$5,$6,$7)`,
			b.Scope.UserID, b.Scope.AgentID, b.Scope.RunID, t.Role, t.Name, t.Content, stamp(t.At)); err != nil {
			return err
		}
	}
	_, err := tx.Exec(ctx, `DELETE FROM messages WHERE user_id = $1 AND agent_id = $2 AND run_id = $3 AND seq NOT IN (
		SELECT seq FROM messages WHERE user_id = $1 AND agent_id = $2 AND run_id = $3 ORDER BY seq DESC LIMIT $4)`,
		b.Scope.UserID, b.Scope.AgentID, b.Scope.RunID, b.KeepTurns)
	return err
}

// lexemes are the words of a tsvector, each once.
func lexemes(tokens string) []string {
	seen := make(map[string]bool)
	out := []string{}
	for t := range strings.FieldsSeq(tokens) {
		if !seen[t] {
			seen[t] = true
			out = append(out, t)
		}
	}
	return out
}

// vectorText writes a vector as pgvector reads it.
func vectorText(v []float32) string {
	var b strings.Builder
	b.WriteByte('[')
	for i, x := range v {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.FormatFloat(float64(x), 'g', -1, 32))
	}
	b.WriteByte(']')
	return b.String()
}

func encodeMetadata(md map[string]any) (*string, error) {
	if len(md) == 0 {
		return nil, nil
	}
	b, err := json.Marshal(md)
	if err != nil {
		return nil, err
	}
	// PostgreSQL texts cannot hold a zero character, and neither can its JSON.
	s := strings.ReplaceAll(string(b), `\u0000`, `\ufffd`)
	return &s, nil
}

func stamp(t time.Time) string { return longterm.Timestamp{Time: t}.String() }

func nullStamp(t longterm.Timestamp) *string {
	if t.IsZero() {
		return nil
	}
	s := t.String()
	return &s
}

func null(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
