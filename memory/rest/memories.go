package rest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
	"github.com/seed-4bdb41d0/webhand/memory/serve"
)

// looseID is an id that clients also send as a number.
type looseID string

func (i *looseID) UnmarshalJSON(b []byte) error {
	var s *string
	if err := json.Unmarshal(b, &s); err == nil {
		if s != nil {
			*i = looseID(*s)
		}
		return nil
	}
	var n json.Number
	if err := json.Unmarshal(b, &n); err != nil {
		return errors.New("an id should be a string")
	}
	*i = looseID(n.String())
	return nil
}

// ids are the identifiers of a body.
type ids struct {
	UserID  looseID `json:"user_id"`
	AgentID looseID `json:"agent_id"`
	RunID   looseID `json:"run_id"`
}

func (i ids) scope() longterm.Scope {
	return longterm.Scope{UserID: string(i.UserID), AgentID: string(i.AgentID), RunID: string(i.RunID)}
}

func queryScope(r *http.Request) longterm.Scope {
	q := r.URL.Query()
	return longterm.Scope{UserID: q.Get("user_id"), AgentID: q.Get("agent_id"), RunID: q.Get("run_id")}
}

// addBody is the body of POST /memories. Its last four keys came with the
// second generation.
type addBody struct {
	Messages json.RawMessage `json:"messages"`
	ids
	Metadata   map[string]any `json:"metadata"`
	Infer      *bool          `json:"infer"`
	MemoryType *string        `json:"memory_type"`
	Prompt     *string        `json:"prompt"`
	ExpiresOn  *string        `json:"expiration_date"`
}

func (h *Handler) add(ctx context.Context, r *http.Request) (any, error) {
	var b addBody
	if err := readBody(r, &b); err != nil {
		return nil, err
	}
	if len(b.Messages) == 0 {
		return nil, &bodyError{[]string{"body", "messages"}, "Field required"}
	}
	ms, err := longterm.ParseMessages(b.Messages)
	if err != nil {
		return nil, &bodyError{[]string{"body", "messages"}, err.Error()}
	}
	scope, err := serve.CallerOf(ctx).Limit(b.scope())
	if err != nil {
		return nil, err
	}
	o := longterm.AddOptions{Scope: scope, Metadata: b.Metadata, NoInfer: h.cfg.Verbatim, Type: longterm.Type(deref(b.MemoryType)),
		Prompt: deref(b.Prompt), ExpiresOn: deref(b.ExpiresOn)}
	if b.Infer != nil {
		o.NoInfer = !*b.Infer
	}
	return h.mem.Add(ctx, ms, o)
}

func (h *Handler) list(ctx context.Context, r *http.Request) (any, error) {
	q := r.URL.Query()
	caller := serve.CallerOf(ctx)
	scope, err := caller.Limit(queryScope(r))
	if err != nil {
		return nil, err
	}
	o := longterm.ListOptions{Scope: scope, Cursor: q.Get("cursor")}
	if scope.IsZero() {
		if !caller.Admin {
			return nil, fmt.Errorf("%w: without an identifier it lists everybody", serve.ErrForbidden)
		}
		o.All = true
	}
	for _, name := range []string{"top_k", "limit"} { // the newer name wins
		if o.Limit, err = intParam(q.Get(name)); err != nil {
			return nil, &bodyError{[]string{"query", name}, "Input should be a valid integer"}
		}
		if q.Has(name) {
			break
		}
	}
	if s := q.Get("show_expired"); s != "" {
		if o.ShowExpired, err = strconv.ParseBool(s); err != nil {
			return nil, &bodyError{[]string{"query", "show_expired"}, "Input should be a valid boolean"}
		}
	}
	res, err := h.mem.List(ctx, o)
	if err != nil {
		return nil, err
	}
	return listAnswer{res}, nil
}

func intParam(s string) (int, error) {
	if s == "" {
		return 0, nil
	}
	return strconv.Atoi(s)
}

// searchBody is the body of POST /search. The first generation has the ids
// beside the query and a "limit", the second has them inside "filters" and a
// "top_k".
type searchBody struct {
	Query string `json:"query"`
	ids
	Filters     map[string]any `json:"filters"`
	TopK        *int           `json:"top_k"`
	Limit       *int           `json:"limit"`
	Threshold   *float64       `json:"threshold"`
	Explain     bool           `json:"explain"`
	Rerank      bool           `json:"rerank"`
	ShowExpired bool           `json:"show_expired"`
}

func (h *Handler) search(ctx context.Context, r *http.Request) (any, error) {
	var b searchBody
	if err := readBody(r, &b); err != nil {
		return nil, err
	}
	scope, rest := longterm.SplitScope(b.Filters)
	for _, id := range []struct {
		have *string
		from looseID
	}{{&scope.UserID, b.UserID}, {&scope.AgentID, b.AgentID}, {&scope.RunID, b.RunID}} {
		if *id.have == "" {
			*id.have = string(id.from)
		} else if id.from != "" && string(id.from) != *id.have {
			return nil, badRequest("an identifier beside the filters and the same one inside them differ")
		}
	}
	scope, err := serve.CallerOf(ctx).Limit(scope)
	if err != nil {
		return nil, err
	}
	f, err := longterm.ParseFilter(rest)
	if err != nil {
		return nil, err
	}
	o := longterm.SearchOptions{Scope: scope, Filter: f, Threshold: b.Threshold, Explain: b.Explain, Rerank: b.Rerank, ShowExpired: b.ShowExpired}
	limit := b.TopK
	if limit == nil {
		limit = b.Limit
	}
	if limit != nil {
		if *limit == 0 { // which asks for nothing, and gets it
			if scope, err = scope.Check(); err != nil {
				return nil, err
			}
			return longterm.SearchResult{Results: []longterm.Item{}}, nil
		}
		o.Limit = *limit
	}
	return h.mem.Search(ctx, b.Query, o)
}

// mine returns the memory of the path if the caller may see it. Another
// user's memory is as unknown as one that does not exist.
func (h *Handler) mine(ctx context.Context, r *http.Request) (*longterm.Item, error) {
	it, err := h.mem.Get(ctx, r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	if only := serve.CallerOf(ctx).UserID; only != "" && it.UserID != only {
		return nil, longterm.ErrNotFound
	}
	return it, nil
}

func (h *Handler) get(ctx context.Context, r *http.Request) (any, error) {
	it, err := h.mine(ctx, r)
	if errors.Is(err, longterm.ErrNotFound) {
		return nil, nil // clients of both generations expect 200 and null
	}
	if err != nil {
		return nil, err
	}
	return struct {
		*longterm.Item
		Score *float64 `json:"score"`
	}{Item: it}, nil
}

// updateBody is the body of PUT /memories/{id}. The first generation passed
// the text as "data" or "memory"; null as "expiration_date" takes it away.
type updateBody struct {
	Text      *string         `json:"text"`
	Data      *string         `json:"data"`
	Memory    *string         `json:"memory"`
	Metadata  map[string]any  `json:"metadata"`
	ExpiresOn json.RawMessage `json:"expiration_date"`
}

func (h *Handler) update(ctx context.Context, r *http.Request) (any, error) {
	var b updateBody
	if err := readBody(r, &b); err != nil {
		return nil, err
	}
	p := longterm.Patch{Text: b.Text, Metadata: b.Metadata}
	for _, older := range []*string{b.Data, b.Memory} {
		if p.Text == nil {
			p.Text = older
		}
	}
	if len(b.ExpiresOn) > 0 {
		var day string // stays empty for null
		if err := json.Unmarshal(b.ExpiresOn, &day); err != nil {
			return nil, &bodyError{[]string{"body", "expiration_date"}, "Input should be a valid string"}
		}
		p.ExpiresOn = &day
	}
	if _, err := h.mine(ctx, r); err != nil {
		return nil, err
	}
	if _, err := h.mem.Update(ctx, r.PathValue("id"), p); err != nil {
		return nil, err
	}
	return message("Memory updated successfully!"), nil
}

func (h *Handler) delete(ctx context.Context, r *http.Request) (any, error) {
	if _, err := h.mine(ctx, r); err != nil {
		return nil, err
	}
	if err := h.mem.Delete(ctx, r.PathValue("id")); err != nil {
		return nil, err
	}
	return message("Memory deleted successfully"), nil
}

func (h *Handler) deleteAll(ctx context.Context, r *http.Request) (any, error) {
	scope, err := serve.CallerOf(ctx).Limit(queryScope(r))
	if err != nil {
		return nil, err
	}
	if scope.IsZero() {
		return nil, badRequest("At least one identifier is required.")
	}
	if _, err := h.mem.DeleteAll(ctx, scope); err != nil {
		return nil, err
	}
	return message("All relevant memories deleted"), nil
}

func (h *Handler) history(ctx context.Context, r *http.Request) (any, error) {
	hs, err := h.mem.History(ctx, r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	if serve.CallerOf(ctx).UserID != "" {
		// A deleted memory's owner is not told by its history.
		if _, err := h.mine(ctx, r); err != nil {
			return nil, err
		}
	}
	return hs, nil
}

func message(s string) any { return map[string]string{"message": s} }

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
