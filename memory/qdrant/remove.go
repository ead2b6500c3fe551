package qdrant

import (
	"context"
	"time"

	qd "github.com/qdrant/go-client/qdrant"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
)

// DeleteWhere deletes the records of a scope that pass the filter, some
// hundred at a time. After an error the number says how many are deleted.
func (s *Store) DeleteWhere(ctx context.Context, sc longterm.Scope, f longterm.Filter, at time.Time, newID func() string) (int, error) {
	if sc.IsZero() {
		return 0, longterm.ErrNoScope
	}
	w, err := memories(sc, f, "")
	if err != nil || w.never {
		return 0, err
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return 0, fail(ctx, "delete", err)
	}
	defer unlock()
	n := 0
	for {
		c := s.change(at)
		err := s.each(ctx, s.name, w.with(), qd.NewWithPayload(true), false, func(p *qd.RetrievedPoint) (bool, error) {
			r, err := decode(p.GetPayload())
			if err == nil && w.passes(&r) {
				c.delete(&stored{Record: r}, newID())
			}
			return len(c.rows) < page, err
		})
		if err == nil {
			err = c.commit(ctx, "")
		}
		if err != nil {
			return n, fail(ctx, "delete", err)
		}
		n += len(c.rows)
		if len(c.rows) < page {
			return n, nil
		}
	}
}

// Purge removes every trace of a scope that a reader can see. The server
// frees what it held on disk when it next optimizes the collection.
func (s *Store) Purge(ctx context.Context, sc longterm.Scope) (int, error) {
	if sc.IsZero() {
		return 0, longterm.ErrNoScope
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return 0, fail(ctx, "purge", err)
	}
	defer unlock()
	n, err := s.count(ctx, where{condition: inScope(sc)})
	if err == nil {
		err = s.remove(ctx, s.state, qd.NewPointsSelectorFilter(inScope(sc).ask))
	}
	if err == nil {
		err = s.remove(ctx, s.name, qd.NewPointsSelectorFilter(inScope(sc).ask))
	}
	if err != nil && !missing(err) {
		return 0, fail(ctx, "purge", err)
	}
	return n, nil
}

// Reset removes everything but the settings. The next write makes the
// collection anew, for vectors of any length.
func (s *Store) Reset(ctx context.Context) error {
	unlock, err := s.lock(ctx)
	if err != nil {
		return fail(ctx, "reset", err)
	}
	defer unlock()
	s.made.Store(false)
	err = s.client.DeleteCollection(ctx, s.name)
	if err != nil {
		if ok, err2 := s.client.CollectionExists(ctx, s.name); err2 == nil && !ok {
			err = nil // there was none
		}
	}
	if err == nil {
		err = s.remove(ctx, s.state, qd.NewPointsSelectorFilter(&qd.Filter{Must: []*qd.Condition{qd.NewMatchKeyword("kind", kindTurn)}}))
	}
	if err == nil {
		err = s.remove(ctx, s.state, qd.NewPointsSelector(named(kindSetting, longterm.MetaFingerprint)))
	}
	if err != nil {
		return fail(ctx, "reset", err)
	}
	return nil
}

// Import puts records and history in as they are, some hundred at a time. One
// that was interrupted can be done again.
func (s *Store) Import(ctx context.Context, fingerprint string, rs []longterm.Record, hs []longterm.HistoryRow) (int, error) {
	unlock, err := s.lock(ctx)
	if err != nil {
		return 0, fail(ctx, "import", err)
	}
	defer unlock()
	n, err := s.importAll(ctx, fingerprint, rs, hs)
	if err != nil {
		return n, fail(ctx, "import", err)
	}
	return n, nil
}

func (s *Store) importAll(ctx context.Context, fingerprint string, rs []longterm.Record, hs []longterm.HistoryRow) (int, error) {
	if err := s.claim(ctx, fingerprint); err != nil {
		return 0, err
	}
	n := 0
	for len(rs) > 0 {
		part := rs[:min(len(rs), page)]
		rs = rs[len(part):]
		ids := make([]string, len(part))
		for i := range part {
			ids[i] = part[i].ID
		}
		known, err := s.get(ctx, ids...)
		if err != nil {
			return n, err
		}
		c := s.change(time.Time{})
		for _, r := range part {
			if known[r.ID] == nil && c.memories[r.ID] == nil {
				c.set(newStored(r))
			}
		}
		if err := c.commit(ctx, fingerprint); err != nil {
			return n, err
		}
		n += len(c.memories)
	}
	for len(hs) > 0 {
		part := hs[:min(len(hs), page)]
		hs = hs[len(part):]
		if err := s.importHistory(ctx, fingerprint, part); err != nil {
			return n, err
		}
	}
	return n, nil
}

func (s *Store) importHistory(ctx context.Context, fingerprint string, hs []longterm.HistoryRow) error {
	points := make([]*qd.PointId, len(hs))
	ids := make([]string, len(hs))
	for i, h := range hs {
		points[i], ids[i] = named(kindHistory, h.ID), h.MemoryID
	}
	have, err := s.client.Get(ctx, &qd.GetPoints{CollectionName: s.name, Ids: points, ReadConsistency: majority()})
	if err != nil && !missing(err) {
		return err
	}
	known := make(map[string]bool, len(have))
	for _, p := range have {
		known[p.GetId().GetUuid()] = true
	}
	memories, err := s.get(ctx, ids...) // whose scope the rows are in
	if err != nil {
		return err
	}
	c := s.change(time.Time{})
	for i, h := range hs {
		if known[points[i].GetUuid()] {
			continue
		}
		known[points[i].GetUuid()] = true
		var sc longterm.Scope
		if m := memories[h.MemoryID]; m != nil {
			sc = m.Scope
		}
		c.rows = append(c.rows, historyPoint(h, sc, s.next()))
	}
	return c.commit(ctx, fingerprint)
}
