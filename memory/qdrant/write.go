package qdrant

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	qd "github.com/qdrant/go-client/qdrant"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
)

// Apply carries out a batch: it reads what the batch is about, decides, and
// writes all changes of memories and history in one upsert.
func (s *Store) Apply(ctx context.Context, b longterm.Batch) ([]longterm.Outcome, error) {
	unlock, err := s.lock(ctx)
	if err != nil {
		return nil, fail(ctx, "write", err)
	}
	defer unlock()
	out, err := s.apply(ctx, b)
	if err != nil {
		return nil, fail(ctx, "write", err)
	}
	return out, nil
}

func (s *Store) apply(ctx context.Context, b longterm.Batch) ([]longterm.Outcome, error) {
	if err := s.claim(ctx, b.Fingerprint); err != nil {
		return nil, err
	}
	c := s.change(b.At)
	var ids []string
	for i := range b.Writes {
		ids = append(ids, idOf(&b.Writes[i]))
	}
	var err error
	if c.memories, err = s.get(ctx, ids...); err != nil {
		return nil, err
	}
	out := make([]longterm.Outcome, len(b.Writes))
	for i := range b.Writes {
		if err := c.write(ctx, &b.Writes[i], &out[i]); err != nil {
			return nil, err
		}
	}
	if err := s.say(ctx, b); err != nil {
		return nil, err
	}
	return out, c.commit(ctx, b.Fingerprint)
}

func idOf(w *longterm.Write) string {
	switch {
	case w.Add != nil:
		return w.Add.ID
	case w.Update != nil:
		return w.Update.ID
	}
	return w.Delete
}

// change is what a batch does, before it is written.
type change struct {
	s  *Store
	at time.Time
	// memories is how the memories of the batch stand; nil for a deleted one.
	memories map[string]*stored
	touched  []string // in order, some twice
	rows     []*qd.PointStruct
}

func (s *Store) change(at time.Time) *change {
	return &change{s: s, at: at, memories: make(map[string]*stored)}
}

func (c *change) write(ctx context.Context, w *longterm.Write, out *longterm.Outcome) error {
	if w.Add != nil {
		return c.add(ctx, w, out)
	}
	m := c.memories[idOf(w)]
	if m == nil || w.IfHash != "" && w.IfHash != m.Hash {
		return nil
	}
	if w.Update != nil {
		c.update(w, m, out)
		return nil
	}
	*out = longterm.Outcome{Applied: true, Record: m.Record}
	c.delete(m, w.HistoryID)
	return nil
}

func (c *change) add(ctx context.Context, w *longterm.Write, out *longterm.Outcome) error {
	r := *w.Add
	if w.Unique {
		old, err := c.same(ctx, &r)
		if err != nil {
			return err
		}
		if old != nil {
			out.Record = *old
			return nil
		}
	}
	if c.memories[r.ID] != nil {
		return fmt.Errorf("memory %q exists", r.ID)
	}
	if len(r.Vector) == 0 {
		return fmt.Errorf("memory %q has no vector", r.ID)
	}
	m := newStored(r)
	c.set(m)
	*out = longterm.Outcome{Applied: true, Record: m.Record}
	c.history(m, longterm.HistoryRow{ID: w.HistoryID, New: &m.Text, Event: longterm.EventAdd, CreatedAt: longterm.Timestamp{Time: c.at}})
	return nil
}

func newStored(r longterm.Record) *stored {
	m := &stored{Record: r, dense: r.Vector, words: sparse(strings.Fields(r.Tokens))}
	m.Vector, m.Tokens = nil, ""
	return m
}

// same finds a memory of the very same scope with the same text, in the store
// or in the batch.
func (c *change) same(ctx context.Context, r *longterm.Record) (*longterm.Record, error) {
	matches := func(o *longterm.Record) bool { return o.Hash == r.Hash && o.Text == r.Text && o.Scope == r.Scope }
	for _, id := range c.touched {
		if m := c.memories[id]; m != nil && matches(&m.Record) {
			return &m.Record, nil
		}
	}
	w := where{condition: allOf(inScope(r.Scope), has("hash="+scalar(r.Hash)))}
	var found *longterm.Record
	err := c.s.each(ctx, c.s.name, w.with(), qd.NewWithPayload(true), false, func(p *qd.RetrievedPoint) (bool, error) {
		o, err := decode(p.GetPayload())
		if m, known := c.memories[o.ID]; known { // the batch may have changed it
			if m == nil {
				return true, err
			}
			o = m.Record
		}
		if err == nil && matches(&o) {
			found = &o
		}
		return found == nil, err
	})
	return found, err
}

func (c *change) update(w *longterm.Write, m *stored, out *longterm.Outcome) {
	u, old := w.Update, m.Text
	next := &stored{Record: u.On(m.Record, c.at), dense: m.dense, words: m.words}
	if u.Text != nil {
		next.dense, next.words = u.Vector, sparse(strings.Fields(u.Tokens))
	}
	c.set(next)
	*out = longterm.Outcome{Applied: true, Record: next.Record, Previous: old}
	c.history(next, longterm.HistoryRow{ID: w.HistoryID, Old: &old, New: &next.Text, Event: longterm.EventUpdate,
		CreatedAt: longterm.Timestamp{Time: next.CreatedAt}, UpdatedAt: longterm.Timestamp{Time: c.at}})
}

func (c *change) delete(m *stored, historyID string) {
	c.memories[m.ID] = nil
	c.touched = append(c.touched, m.ID)
	c.history(m, longterm.HistoryRow{ID: historyID, Old: &m.Text, Event: longterm.EventDelete, IsDeleted: true,
		CreatedAt: longterm.Timestamp{Time: m.CreatedAt}, UpdatedAt: longterm.Timestamp{Time: c.at}})
}

func (c *change) set(m *stored) {
	c.memories[m.ID] = m
	c.touched = append(c.touched, m.ID)
}

func (c *change) history(m *stored, h longterm.HistoryRow) {
	h.MemoryID = m.ID
	if m.ActorID != "" {
		h.ActorID = &m.ActorID
	}
	if m.Role != "" {
		h.Role = &m.Role
	}
	c.rows = append(c.rows, historyPoint(h, m.Scope, c.s.next()))
}

// commit writes the change. After it the change is reported.
func (c *change) commit(ctx context.Context, fingerprint string) error {
	points := c.rows
	var gone []*qd.PointId
	done := make(map[string]bool, len(c.touched))
	for _, id := range c.touched {
		if done[id] {
			continue
		}
		done[id] = true
		m := c.memories[id]
		if m == nil {
			p := &qd.PointStruct{Id: memoryPoint(id), Payload: fields{"kind": qd.NewValueString(kindGone)}, Vectors: noVectors()}
			points, gone = append(points, p), append(gone, p.Id)
			continue
		}
		p, err := m.point()
		if err != nil {
			return fmt.Errorf("memory %q: %w", id, err)
		}
		points = append(points, p)
	}
	if len(points) == 0 {
		return nil
	}
	err := c.s.upsert(ctx, c.s.name, qd.UpdateMode_Upsert, points...)
	if missing(err) { // another process has reset the store
		c.s.made.Store(false)
		if err := c.s.claim(ctx, fingerprint); err != nil {
			return err
		}
		if fingerprint == "" {
			return errors.New("the store was reset meanwhile; read again what you wanted to change")
		}
		err = c.s.upsert(ctx, c.s.name, qd.UpdateMode_Upsert, points...)
	}
	if err != nil {
		return err
	}
	if len(gone) > 0 {
		// The deletes have happened. What fails here is cleared away by the
		// next OpenStore, and is seen by nobody until then.
		_ = c.s.remove(ctx, c.s.name, qd.NewPointsSelectorIDs(gone))
	}
	return nil
}
