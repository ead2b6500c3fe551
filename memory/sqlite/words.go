package sqlite

import (
	"context"
	"math"
	"slices"
	"strings"
)

// maxPerWord is the number of memories of a scope from which on a word says
// nothing about which of them is meant.
const maxPerWord = 20000

// byWords asks the full-text index, one word after the other. A memory ranks
// by the words it has, the rarer in this scope the better. SQLite's own bm25
// is not used: it reads the places of a word in everybody's memories, which
// costs a hundred times as much, and what is rare there need not be rare here.
func (r *searching) byWords(ctx context.Context) error {
	var scope []string
	for id := range strings.FieldsSeq(scopeWords(r.q.Scope)) {
		scope = append(scope, "scope : "+quote(id))
	}
	prefix := strings.Join(scope, " AND ") + " AND tokens : "
	query, args := `SELECT rowid FROM memories_fts WHERE memories_fts MATCH ? LIMIT ?`, []any(nil)
	if !r.q.Filter.IsZero() {
		query = `SELECT m.rid FROM memories_fts f JOIN memories m ON m.rid = f.rowid WHERE memories_fts MATCH ? AND ` + r.w.String() + ` LIMIT ?`
		args = r.w.args
	}
	for _, t := range r.q.Tokens {
		rids, err := r.column(ctx, query, slices.Concat([]any{prefix + quote(t)}, args, []any{maxPerWord + 1})...)
		if err != nil {
			return err
		}
		if len(rids) > maxPerWord {
			continue
		}
		weight := 1 / (1 + math.Log1p(float64(len(rids))))
		for _, rid := range rids {
			r.words[rid] += weight
		}
	}
	if len(r.words) <= r.q.Limit {
		return nil
	}
	rids := make([]int64, 0, len(r.words))
	for rid := range r.words {
		rids = append(rids, rid)
	}
	slices.SortFunc(rids, func(a, b int64) int {
		switch wa, wb := r.words[a], r.words[b]; {
		case wa > wb:
			return -1
		case wa < wb:
			return 1
		}
		return int(a - b)
	})
	for _, rid := range rids[r.q.Limit:] {
		delete(r.words, rid)
	}
	return nil
}

// column reads a column of row numbers.
func (r *searching) column(ctx context.Context, query string, args ...any) ([]int64, error) {
	rows, err := r.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []int64
	for rows.Next() {
		var rid int64
		if err := rows.Scan(&rid); err != nil {
			return nil, err
		}
		out = append(out, rid)
	}
	return out, rows.Err()
}

// quote makes a string of the query language of a token. A zero byte would end
// the query.
func quote(token string) string {
	return `"` + strings.NewReplacer(`"`, `""`, "\x00", " ").Replace(token) + `"`
}
