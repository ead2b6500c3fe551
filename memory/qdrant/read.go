package qdrant

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	qd "github.com/qdrant/go-client/qdrant"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
)

// page is the number of points that are read at once.
const page = 512

// majority reads what most replicas agree on; with one replica, what is there.
func majority() *qd.ReadConsistency {
	return qd.NewReadConsistencyType(qd.ReadConsistencyType_Majority)
}

// each calls f for every point of a collection that passes, in the order of
// their ids, until f returns false. A missing collection is an empty one.
func (s *Store) each(ctx context.Context, collection string, filter *qd.Filter, payload *qd.WithPayloadSelector, vectors bool, f func(*qd.RetrievedPoint) (bool, error)) error {
	var from *qd.PointId
	for {
		ps, next, err := s.client.ScrollAndOffset(ctx, &qd.ScrollPoints{
			CollectionName: collection, Filter: filter, Offset: from, Limit: qd.PtrOf(uint32(page)),
			WithPayload: payload, WithVectors: qd.NewWithVectors(vectors), ReadConsistency: majority(),
		})
		if missing(err) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, p := range ps {
			if more, err := f(p); err != nil || !more {
				return err
			}
		}
		if from = next; from == nil {
			return nil
		}
	}
}

// get reads the memories of some ids; those that nobody has are left out.
func (s *Store) get(ctx context.Context, ids ...string) (map[string]*stored, error) {
	out := make(map[string]*stored, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	points := make([]*qd.PointId, len(ids))
	for i, id := range ids {
		points[i] = memoryPoint(id)
	}
	ps, err := s.client.Get(ctx, &qd.GetPoints{CollectionName: s.name, Ids: points, WithPayload: qd.NewWithPayload(true), WithVectors: qd.NewWithVectors(true), ReadConsistency: majority()})
	if missing(err) {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	for _, p := range ps {
		if fields(p.Payload).get("kind") != kindMemory {
			continue
		}
		m, err := decodeStored(p)
		if err != nil {
			return nil, err
		}
		out[m.ID] = m
	}
	return out, nil
}

// Get returns a record.
func (s *Store) Get(ctx context.Context, id string) (longterm.Record, error) {
	all, err := s.get(ctx, id)
	if err != nil {
		return longterm.Record{}, fail(ctx, "get", err)
	}
	m, ok := all[id]
	if !ok {
		return longterm.Record{}, fmt.Errorf("%w: %q", longterm.ErrNotFound, id)
	}
	return m.Record, nil
}

// placed is a record with its place in a list.
type placed struct {
	longterm.Record
	at int64 // microseconds
	id string
}

// List returns records, newest first; those of one moment in the order of
// their points' ids.
func (s *Store) List(ctx context.Context, l longterm.StoreList) ([]longterm.Record, string, error) {
	w, err := memories(l.Scope, l.Filter, l.Today)
	if err != nil {
		return nil, "", fail(ctx, "list", err)
	}
	r := lister{s: s, w: w, want: l.Limit + 1}
	if l.Cursor != "" {
		at, id, ok := strings.Cut(l.Cursor, "~")
		n, err := strconv.ParseInt(at, 10, 64)
		if !ok || err != nil || !uuid.MatchString(id) {
			return nil, "", fail(ctx, "list", fmt.Errorf("%q is not a cursor of this store", l.Cursor))
		}
		r.at, r.after = &n, id
	}
	if !w.never {
		if err := r.run(ctx); err != nil && !missing(err) {
			return nil, "", fail(ctx, "list", err)
		}
	}
	out := make([]longterm.Record, min(len(r.out), l.Limit))
	for i := range out {
		out[i] = r.out[i].Record
	}
	if len(r.out) <= l.Limit || len(out) == 0 {
		return out, "", nil
	}
	last := r.out[len(out)-1]
	return out, strconv.FormatInt(last.at, 10) + "~" + last.id, nil
}

// lister reads memories newest first. The server orders by time alone, and a
// page of it may end amid the memories of one moment; those are read again in
// the order of their ids.
type lister struct {
	s     *Store
	w     where
	want  int
	at    *int64 // what is newer has been read
	after string // of the moment at itself, the ids up to here; empty is none
	out   []placed
}

func (r *lister) run(ctx context.Context) error {
	if r.at != nil {
		if err := r.moment(ctx); err != nil {
			return err
		}
	}
	for len(r.out) < r.want {
		var more []*qd.Condition
		if r.at != nil {
			more = append(more, qd.NewRange("created", &qd.Range{Lt: qd.PtrOf(float64(*r.at))}))
		}
		limit := min(max(r.want-len(r.out)+1, 2), page)
		if !r.w.exact {
			limit = page
		}
		ps, err := r.s.client.Scroll(ctx, &qd.ScrollPoints{
			CollectionName: r.s.name, Filter: r.w.with(more...), Limit: qd.PtrOf(uint32(limit)), WithPayload: qd.NewWithPayload(true),
			OrderBy: &qd.OrderBy{Key: "created", Direction: qd.Direction_Desc.Enum()}, ReadConsistency: majority(),
		})
		if err != nil {
			return err
		}
		got := make([]placed, len(ps))
		for i, p := range ps {
			if got[i], err = locate(p); err != nil {
				return err
			}
		}
		whole := len(got)
		if len(got) == limit { // its last moment may not be all here
			last := got[len(got)-1].at
			for whole > 0 && got[whole-1].at == last {
				whole--
			}
		}
		slices.SortFunc(got[:whole], func(a, b placed) int { return cmp.Or(cmp.Compare(b.at, a.at), strings.Compare(a.id, b.id)) })
		r.take(got[:whole])
		if len(got) < limit {
			return nil
		}
		r.at, r.after = &got[whole].at, ""
		if len(r.out) < r.want {
			if err := r.moment(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// moment reads the memories of the moment at, after the id.
func (r *lister) moment(ctx context.Context) error {
	same := qd.NewRange("created", &qd.Range{Gte: qd.PtrOf(float64(*r.at)), Lte: qd.PtrOf(float64(*r.at))})
	var from *qd.PointId
	if r.after != "" {
		from = qd.NewIDUUID(r.after)
	}
	for len(r.out) < r.want {
		ps, next, err := r.s.client.ScrollAndOffset(ctx, &qd.ScrollPoints{
			CollectionName: r.s.name, Filter: r.w.with(same), Offset: from, Limit: qd.PtrOf(uint32(page)),
			WithPayload: qd.NewWithPayload(true), ReadConsistency: majority(),
		})
		if err != nil {
			return err
		}
		for _, p := range ps {
			got, err := locate(p)
			if err != nil {
				return err
			}
			if got.id != r.after {
				r.take([]placed{got})
			}
		}
		if from = next; from == nil {
			return nil
		}
	}
	return nil
}

func (r *lister) take(ps []placed) {
	for _, p := range ps {
		if r.w.passes(&p.Record) {
			r.out = append(r.out, p)
		}
	}
}

func locate(p *qd.RetrievedPoint) (placed, error) {
	r, err := decode(p.GetPayload())
	return placed{r, fields(p.Payload)["created"].GetIntegerValue(), p.GetId().GetUuid()}, err
}

// Count returns the number of records.
func (s *Store) Count(ctx context.Context, sc longterm.Scope, f longterm.Filter) (int, error) {
	w, err := memories(sc, f, "")
	if err != nil || w.never {
		return 0, err
	}
	n, err := s.count(ctx, w)
	if err != nil {
		return 0, fail(ctx, "count", err)
	}
	return n, nil
}

func (s *Store) count(ctx context.Context, w where) (int, error) {
	if w.exact {
		n, err := s.client.Count(ctx, &qd.CountPoints{CollectionName: s.name, Filter: w.with(), Exact: qd.PtrOf(true), ReadConsistency: majority()})
		if missing(err) {
			return 0, nil
		}
		return int(n), err
	}
	n := 0
	err := s.each(ctx, s.name, w.with(), qd.NewWithPayload(true), false, func(p *qd.RetrievedPoint) (bool, error) {
		r, err := decode(p.GetPayload())
		if err == nil && w.passes(&r) {
			n++
		}
		return true, err
	})
	return n, err
}

// History returns the rows of a memory in the order in which they were
// written.
func (s *Store) History(ctx context.Context, id string) ([]longterm.HistoryRow, error) {
	type row struct {
		longterm.HistoryRow
		seq int64
	}
	var rows []row
	filter := &qd.Filter{Must: []*qd.Condition{qd.NewMatchKeyword("kind", kindHistory), qd.NewMatchKeyword("memory_id", id)}}
	err := s.each(ctx, s.name, filter, qd.NewWithPayload(true), false, func(p *qd.RetrievedPoint) (bool, error) {
		h, err := decodeHistory(p.GetPayload())
		rows = append(rows, row{h, fields(p.Payload)["seq"].GetIntegerValue()})
		return true, err
	})
	if err != nil {
		return nil, fail(ctx, "history", err)
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(a.seq, b.seq) })
	var out []longterm.HistoryRow
	for _, r := range rows {
		out = append(out, r.HistoryRow)
	}
	return out, nil
}

// Entities returns who has memories, those changed last first. It reads the
// ids and times of all memories: Qdrant counts values and knows no first and
// last.
func (s *Store) Entities(ctx context.Context, limit int) ([]longterm.Entity, error) {
	all := make(map[[2]string]*longterm.Entity)
	w := where{condition: always}
	err := s.each(ctx, s.name, w.with(), qd.NewWithPayloadInclude("user_id", "agent_id", "run_id", "created_at", "updated_at"), false, func(p *qd.RetrievedPoint) (bool, error) {
		r, err := decode(p.GetPayload())
		if err != nil {
			return false, err
		}
		for _, key := range [][2]string{{"user", r.UserID}, {"agent", r.AgentID}, {"run", r.RunID}} {
			if key[1] == "" {
				continue
			}
			e := all[key]
			if e == nil {
				e = &longterm.Entity{Type: key[0], ID: key[1], CreatedAt: longterm.Timestamp{Time: r.CreatedAt}, UpdatedAt: longterm.Timestamp{Time: r.UpdatedAt}}
				all[key] = e
			}
			e.Total++
			if r.CreatedAt.Before(e.CreatedAt.Time) {
				e.CreatedAt.Time = r.CreatedAt
			}
			if r.UpdatedAt.After(e.UpdatedAt.Time) {
				e.UpdatedAt.Time = r.UpdatedAt
			}
		}
		return true, nil
	})
	if err != nil {
		return nil, fail(ctx, "entities", err)
	}
	out := make([]longterm.Entity, 0, len(all))
	for _, e := range all {
		out = append(out, *e)
	}
	slices.SortFunc(out, func(a, b longterm.Entity) int {
		return cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt.Time), strings.Compare(a.Type, b.Type), strings.Compare(a.ID, b.ID))
	})
	return out[:min(limit, len(out))], nil
}
