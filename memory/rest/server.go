package rest

import (
	"context"
	"net/http"
	"slices"
	"sort"
	"strings"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
	"github.com/seed-4bdb41d0/webhand/memory/serve"
)

// settings is what GET /configure shows. Nothing in it is secret.
func (h *Handler) settings(context.Context, *http.Request) (any, error) {
	e := h.mem.Embedder()
	model := "none"
	if h.mem.HasLLM() {
		model = "configured"
	}
	return map[string]any{
		"version":             "v1.1",
		"pipeline":            h.mem.Pipeline().String(),
		"custom_instructions": h.mem.Instructions(),
		"llm":                 map[string]any{"provider": model, "config": map[string]any{"api_key": "[redacted]"}},
		"embedder": map[string]any{"provider": e.Provider, "config": map[string]any{"model": e.Model, "embedding_dims": e.Dims,
			"lexical": e.Lexical}},
		"vector_store": map[string]any{"provider": h.mem.Store().Capabilities().Name},
	}, nil
}

// configure changes what can be changed from outside: the instructions.
func (h *Handler) configure(ctx context.Context, r *http.Request) (any, error) {
	var b map[string]any
	if err := readBody(r, &b); err != nil {
		return nil, err
	}
	keys := make([]string, 0, len(b))
	for k := range b {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		switch k {
		case "version", "custom_instructions", "custom_fact_extraction_prompt":
		default:
			return nil, badRequest("\"" + k + "\" is set by the program that runs this server; only custom_instructions can be changed here")
		}
	}
	for _, k := range []string{"custom_fact_extraction_prompt", "custom_instructions"} {
		v, ok := b[k]
		if !ok {
			continue
		}
		s, ok := v.(string)
		if !ok && v != nil {
			return nil, &bodyError{[]string{"body", k}, "Input should be a valid string"}
		}
		if err := h.mem.SetInstructions(ctx, s); err != nil {
			return nil, err
		}
	}
	return message("Configuration set successfully"), nil
}

func (h *Handler) providers(context.Context, *http.Request) (any, error) {
	llms := []string{}
	if h.mem.HasLLM() {
		llms = append(llms, "configured")
	}
	return map[string]any{"llm": llms, "embedder": []string{h.mem.Embedder().Provider}}, nil
}

func (h *Handler) reset(ctx context.Context, _ *http.Request) (any, error) {
	if err := h.mem.Reset(ctx); err != nil {
		return nil, err
	}
	return message("All memories reset"), nil
}

func (h *Handler) generateInstructions(ctx context.Context, r *http.Request) (any, error) {
	var b struct {
		UseCase string `json:"use_case"`
	}
	if err := readBody(r, &b); err != nil {
		return nil, err
	}
	if strings.TrimSpace(b.UseCase) == "" {
		return nil, &bodyError{[]string{"body", "use_case"}, "Field required"}
	}
	return h.mem.GenerateInstructions(ctx, b.UseCase)
}

// maxEntities is how many entities one answer holds.
const maxEntities = 10000

func (h *Handler) entities(ctx context.Context, r *http.Request) (any, error) {
	es, err := h.mem.Entities(ctx, maxEntities)
	if err != nil {
		return nil, err
	}
	if only := serve.CallerOf(ctx).UserID; only != "" {
		es = slices.DeleteFunc(es, func(e longterm.Entity) bool { return e.Type != "user" || e.ID != only })
	}
	return es, nil
}

func (h *Handler) deleteEntity(ctx context.Context, r *http.Request) (any, error) {
	var s longterm.Scope
	switch id := r.PathValue("id"); r.PathValue("type") {
	case "user":
		s.UserID = id
	case "agent":
		s.AgentID = id
	case "run":
		s.RunID = id
	default:
		return nil, badRequest("an entity is a user, an agent or a run")
	}
	if _, err := h.mem.DeleteAll(ctx, s); err != nil {
		return nil, err
	}
	return message("Entity deleted"), nil
}

func (h *Handler) requests(_ context.Context, r *http.Request) (any, error) {
	n, err := intParam(r.URL.Query().Get("limit"))
	if err != nil || n < 0 || n > maxSeen {
		return nil, &bodyError{[]string{"query", "limit"}, "Input should be an integer from 1 to 200"}
	}
	if n == 0 {
		n = 50
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	rows := slices.Clone(h.seen[max(0, len(h.seen)-n):])
	slices.Reverse(rows)
	return append([]requestRow{}, rows...), nil
}
