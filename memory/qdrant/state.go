package qdrant

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	qd "github.com/qdrant/go-client/qdrant"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
)

// Meta reads a setting.
func (s *Store) Meta(ctx context.Context, key string) (string, error) {
	v, err := s.meta(ctx, key)
	if err != nil {
		return "", fail(ctx, "read setting", err)
	}
	return v, nil
}

func (s *Store) meta(ctx context.Context, key string) (string, error) {
	ps, err := s.client.Get(ctx, &qd.GetPoints{CollectionName: s.state, Ids: []*qd.PointId{named(kindSetting, key)}, WithPayload: qd.NewWithPayload(true), ReadConsistency: majority()})
	if err != nil || len(ps) == 0 {
		return "", err
	}
	return fields(ps[0].Payload).get("value"), nil
}

// SetMeta writes a setting.
func (s *Store) SetMeta(ctx context.Context, key, value string) error {
	if err := s.setMeta(ctx, key, value, qd.UpdateMode_Upsert); err != nil {
		return fail(ctx, "write setting", err)
	}
	return nil
}

func (s *Store) setMeta(ctx context.Context, key, value string, mode qd.UpdateMode) error {
	f := fields{"kind": qd.NewValueString(kindSetting)}
	f.text("key", key)
	f.text("value", value)
	return s.upsert(ctx, s.state, mode, &qd.PointStruct{Id: named(kindSetting, key), Payload: f, Vectors: noVectors()})
}

// claim takes the fingerprint over when the store has none, refuses another,
// and makes sure that there is a collection.
func (s *Store) claim(ctx context.Context, fp string) error {
	if fp == "" {
		return nil
	}
	have, err := s.meta(ctx, longterm.MetaFingerprint)
	if err != nil {
		return err
	}
	if have == "" {
		// Of two processes that come first, the one whose insert comes first.
		if err := s.setMeta(ctx, longterm.MetaFingerprint, fp, qd.UpdateMode_InsertOnly); err != nil {
			return err
		}
		if have, err = s.meta(ctx, longterm.MetaFingerprint); err != nil {
			return err
		}
	}
	if have != fp {
		return fmt.Errorf("%w: the store holds vectors of %q, these are of %q; nothing was written", longterm.ErrEmbedderMismatch, have, fp)
	}
	dims := dimensions(fp)
	if dims <= 0 {
		return fmt.Errorf("the fingerprint %q does not say how long its vectors are: want provider|model|length|normalization", fp)
	}
	return s.ensure(ctx, dims)
}

// turn is a recent message with its place.
type turn struct {
	longterm.Turn
	id  *qd.PointId
	seq int64
}

func scopeKey(sc longterm.Scope) string {
	return fmt.Sprintf("%q %q %q", sc.UserID, sc.AgentID, sc.RunID)
}

// say appends the turns of a batch and lets the oldest go.
func (s *Store) say(ctx context.Context, b longterm.Batch) error {
	if len(b.Turns) == 0 || b.KeepTurns <= 0 {
		return nil
	}
	var ps []*qd.PointStruct
	for _, t := range b.Turns[max(0, len(b.Turns)-b.KeepTurns):] {
		seq := s.next()
		f := fields{"kind": qd.NewValueString(kindTurn), "seq": qd.NewValueInt(seq)}
		f.scope(b.Scope)
		for _, p := range [][2]string{{"scope", scopeKey(b.Scope)}, {"role", t.Role}, {"name", t.Name}, {"content", t.Content}, {"created_at", stamp(t.At)}} {
			f.text(p[0], p[1])
		}
		ps = append(ps, &qd.PointStruct{Id: named(kindTurn, fmt.Sprint(scopeKey(b.Scope), seq)), Payload: f, Vectors: noVectors()})
	}
	if err := s.upsert(ctx, s.state, qd.UpdateMode_Upsert, ps...); err != nil {
		return err
	}
	all, err := s.turns(ctx, b.Scope)
	if err != nil || len(all) <= b.KeepTurns {
		return err
	}
	var old []*qd.PointId
	for _, t := range all[:len(all)-b.KeepTurns] {
		old = append(old, t.id)
	}
	return s.remove(ctx, s.state, qd.NewPointsSelectorIDs(old))
}

// turns returns the messages of exactly a scope, oldest first.
func (s *Store) turns(ctx context.Context, sc longterm.Scope) ([]turn, error) {
	var out []turn
	filter := &qd.Filter{Must: []*qd.Condition{qd.NewMatchKeyword("kind", kindTurn), qd.NewMatchKeyword("scope", scopeKey(sc))}}
	err := s.each(ctx, s.state, filter, qd.NewWithPayload(true), false, func(p *qd.RetrievedPoint) (bool, error) {
		f := fields(p.Payload)
		at, err := parseStamp(f.get("created_at"))
		out = append(out, turn{longterm.Turn{Role: f.get("role"), Name: f.get("name"), Content: f.get("content"), At: at}, p.GetId(), f["seq"].GetIntegerValue()})
		return true, err
	})
	slices.SortFunc(out, func(a, b turn) int { return cmp.Compare(a.seq, b.seq) })
	return out, err
}

// Recent returns the newest turns of exactly this scope, oldest first.
func (s *Store) Recent(ctx context.Context, sc longterm.Scope, n int) ([]longterm.Turn, error) {
	all, err := s.turns(ctx, sc)
	if err != nil {
		return nil, fail(ctx, "recent messages", err)
	}
	var out []longterm.Turn
	for _, t := range all[max(0, len(all)-n):] {
		out = append(out, t.Turn)
	}
	return out, nil
}
