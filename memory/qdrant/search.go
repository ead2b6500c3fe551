package qdrant

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	qd "github.com/qdrant/go-client/qdrant"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
)

// Search finds the candidates by vector, exactly, and by words.
func (s *Store) Search(ctx context.Context, q longterm.StoreQuery) ([]longterm.Hit, error) {
	if q.Scope.IsZero() {
		return nil, longterm.ErrNoScope
	}
	fp, err := s.Meta(ctx, longterm.MetaFingerprint)
	if err != nil || fp == "" {
		return nil, err
	}
	if q.Vector != nil && dimensions(fp) != len(q.Vector) {
		return nil, fmt.Errorf("%w: the query's vector has length %d, the store was written with %q", longterm.ErrEmbedderMismatch, len(q.Vector), fp)
	}
	w, err := memories(q.Scope, q.Filter, q.Today)
	if err != nil || w.never || q.Limit <= 0 {
		return nil, err
	}
	hits, err := s.search(ctx, w, q)
	if err != nil && !missing(err) {
		return nil, fail(ctx, "search", err)
	}
	return hits, nil
}

func (s *Store) search(ctx context.Context, w where, q longterm.StoreQuery) ([]longterm.Hit, error) {
	var out []longterm.Hit
	at := make(map[string]int) // of a memory in out
	if q.Vector != nil {
		near := &qd.QueryPoints{Query: qd.NewQueryDense(q.Vector), Using: qd.PtrOf(denseName), Params: &qd.SearchParams{Exact: qd.PtrOf(true)}}
		err := s.query(ctx, w, near, q.Limit, func(r longterm.Record, p *qd.ScoredPoint) {
			at[r.ID] = len(out)
			out = append(out, longterm.Hit{Record: r, Semantic: unit(float64(p.GetScore()))})
		})
		if err != nil {
			return nil, err
		}
	}
	words := sparse(q.Tokens)
	if len(words.Indices) == 0 {
		return out, nil
	}
	for i := range words.Values {
		words.Values[i] = 1 // what a word weighs is with the memory
	}
	found := &qd.QueryPoints{Query: qd.NewQuerySparse(words.Indices, words.Values), Using: qd.PtrOf(wordsName), WithVectors: qd.NewWithVectorsInclude(denseName)}
	err := s.query(ctx, w, found, q.Limit, func(r longterm.Record, p *qd.ScoredPoint) {
		i, ok := at[r.ID]
		if !ok {
			i = len(out)
			out = append(out, longterm.Hit{Record: r, Semantic: cosine(q.Vector, denseOf(p.GetVectors().GetVectors().GetVectors()))})
		}
		out[i].BM25 = max(float64(p.GetScore()), 1e-9)
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// query calls f for the best memories that pass, best first.
func (s *Store) query(ctx context.Context, w where, q *qd.QueryPoints, limit int, f func(longterm.Record, *qd.ScoredPoint)) error {
	q.CollectionName, q.Filter, q.WithPayload, q.ReadConsistency = s.name, w.with(), qd.NewWithPayload(true), majority()
	n := limit
	if !w.exact {
		n = max(4*limit, page)
	}
	var offset int
	for taken := 0; ; n *= 4 {
		q.Limit, q.Offset = qd.PtrOf(uint64(n)), qd.PtrOf(uint64(offset))
		ps, err := s.client.Query(ctx, q)
		if err != nil {
			return err
		}
		for _, p := range ps {
			r, err := decode(p.GetPayload())
			if err != nil {
				return err
			}
			if !w.passes(&r) {
				continue
			}
			f(r, p)
			if taken++; taken == limit {
				return nil
			}
		}
		if offset += len(ps); len(ps) < n {
			return nil
		}
	}
}

// dimensions reads the length of vectors out of a fingerprint,
// "provider|model|length|normalization"; 0 when it is not there.
func dimensions(fingerprint string) int {
	parts := strings.Split(fingerprint, "|")
	if len(parts) < 2 {
		return 0
	}
	n, _ := strconv.Atoi(parts[len(parts)-2])
	return n
}
