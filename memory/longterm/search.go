package longterm

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-4bdb41d0/webhand/memory/embed"
	"github.com/seed-4bdb41d0/webhand/memory/internal/words"
)

// The bounds of a search.
const (
	defaultLimit = 20
	maxLimit     = 1000
	maxTerms     = 32      // words of a query that are looked for
	maxQuery     = 8 << 10 // bytes of a query
)

// SearchOptions says where and how to search.
type SearchOptions struct {
	Scope
	// Filter is a further condition; see [ParseFilter] and [Where].
	Filter Filter
	// Limit is the largest number of results; 0 means 20, at most 1000.
	Limit int
	// Threshold is the score, 0 to 1, below which a memory does not count as
	// found. Nil is the embedder's own.
	Threshold *float64
	// Explain fills in Item.Details.
	Explain bool
	// ShowExpired includes memories whose last day is over.
	ShowExpired bool
	// Rerank lets Config.Rerank reorder the results, if it is set.
	Rerank bool
}

// Search returns the memories of a scope that fit the query, best first.
//
// Words and vectors both find candidates. The score puts both together: the
// similarity of the vectors, raised by the share of the query's words that
// the memory has.
func (m *Memory) Search(ctx context.Context, query string, o SearchOptions) (SearchResult, error) {
	res := SearchResult{Results: []Item{}, Mode: m.Mode()}
	if err := m.open(); err != nil {
		return res, err
	}
	var err error
	if o.Scope, err = o.Scope.Check(); err != nil {
		return res, fmt.Errorf("search: %w", err)
	}
	if err := o.Filter.Check(); err != nil {
		return res, fmt.Errorf("search: %w", err)
	}
	query = strings.TrimSpace(m.redact(query))
	if query == "" {
		return res, fmt.Errorf("search: %w", ErrEmptyQuery)
	}
	if len(query) > maxQuery {
		query = strings.ToValidUTF8(query[:maxQuery], "")
	}
	if o.Limit, err = checkLimit(o.Limit); err != nil {
		return res, fmt.Errorf("search: %w", err)
	}
	threshold := m.threshold()
	if o.Threshold != nil {
		if threshold = *o.Threshold; !(threshold >= 0 && threshold <= 1) {
			return res, fmt.Errorf("search: %w: threshold %v, want 0 to 1", ErrInvalidLimit, threshold)
		}
	}
	vs, _, err := m.embed(ctx, []string{query}, embed.Question)
	if err != nil {
		return res, fmt.Errorf("search: %w", err)
	}
	q := StoreQuery{Scope: o.Scope, Filter: o.Filter, Vector: vs[0], Limit: max(4*o.Limit, 60)}
	if !o.ShowExpired {
		q.Today = m.today()
	}
	found, err := m.candidates(ctx, q, query, threshold)
	if err != nil {
		return res, fmt.Errorf("search: %w", err)
	}
	if o.Rerank && m.cfg.Rerank != nil {
		m.rerank(ctx, query, found)
	}
	for _, f := range found[:min(o.Limit, len(found))] {
		it := f.Item()
		score := f.score
		it.Score = &score
		if o.Explain {
			it.Details = &ScoreDetails{Semantic: f.Semantic, Keyword: f.keyword, Raw: f.raw, Max: 1, Final: f.score,
				Threshold: threshold, BM25: f.BM25}
		}
		res.Results = append(res.Results, it)
	}
	return res, nil
}

func checkLimit(n int) (int, error) {
	switch {
	case n < 0 || n > maxLimit:
		return 0, fmt.Errorf("%w %d, want 0 to %d", ErrInvalidLimit, n, maxLimit)
	case n == 0:
		return defaultLimit, nil
	}
	return n, nil
}

func (m *Memory) threshold() float64 {
	if m.info.Threshold > 0 {
		return m.info.Threshold
	}
	return 0.1
}

// scored is a candidate with its score.
type scored struct {
	Hit
	keyword float64 // share of the query's words, 0 to 1
	raw     float64
	score   float64
}

// candidates asks the store and fuses what words and vectors found. Results
// below the threshold are left out, best first.
func (m *Memory) candidates(ctx context.Context, q StoreQuery, query string, threshold float64) ([]scored, error) {
	q.Tokens = words.Unique(query, maxTerms)
	hits, err := m.store.Search(ctx, q)
	if err != nil {
		return nil, storeErr(err)
	}
	out := make([]scored, len(hits))
	for i, h := range hits {
		out[i].Hit = h
	}
	coverage(out, q.Tokens)
	kept := out[:0]
	for _, s := range out {
		// Each half alone can make a memory found; together they count more
		// than either. A word match alone stays below a match of meaning.
		s.raw = 1 - (1-s.Semantic)*(1-0.5*s.keyword)
		s.score = s.raw
		if s.score >= threshold {
			kept = append(kept, s)
		}
	}
	sortScored(kept)
	return kept, nil
}

func sortScored(s []scored) {
	slices.SortStableFunc(s, func(a, b scored) int {
		switch {
		case a.score != b.score:
			if a.score > b.score {
				return -1
			}
			return 1
		case a.BM25 != b.BM25:
			if a.BM25 > b.BM25 {
				return -1
			}
			return 1
		}
		return strings.Compare(a.ID, b.ID)
	})
}

// coverage fills in the share of the query's words that each candidate has.
// A word that most candidates have says little and counts little; a store's
// own rank is not used for that, because its scale changes with the store.
func coverage(found []scored, terms []string) {
	if len(terms) == 0 || len(found) == 0 {
		return
	}
	has := make([][]bool, len(found))
	df := make([]int, len(terms))
	for i, f := range found {
		mine := make(map[string]bool)
		for _, t := range words.Tokens(f.Text) {
			mine[t] = true
		}
		has[i] = make([]bool, len(terms))
		for j, t := range terms {
			if mine[t] {
				has[i][j] = true
				df[j]++
			}
		}
	}
	pool := float64(max(len(found), 10))
	weight := make([]float64, len(terms))
	var total float64
	for j := range terms {
		weight[j] = 1 - 0.7*float64(df[j])/pool
		total += weight[j]
	}
	for i := range found {
		var sum float64
		for j := range terms {
			if has[i][j] {
				sum += weight[j]
			}
		}
		found[i].keyword = sum / total
	}
}

// rerank reorders by Config.Rerank. When that fails the order stays.
func (m *Memory) rerank(ctx context.Context, query string, found []scored) {
	texts := make([]string, len(found))
	for i, f := range found {
		texts[i] = f.Text
	}
	scores, err := m.cfg.Rerank(ctx, query, texts)
	if err != nil || len(scores) != len(found) {
		m.log.Warn("memory search: reranker failed, the order stays", "err", err, "scores", len(scores), "texts", len(texts))
		return
	}
	for i := range found {
		found[i].score = scores[i]
	}
	sortScored(found)
}
