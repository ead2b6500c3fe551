package rest

import (
	"context"
	"net/http"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
	"github.com/seed-4bdb41d0/webhand/memory/serve"
)

// exampleAdd and exampleSearch show the bodies in the document.
var (
	exampleAdd = map[string]any{"messages": []any{map[string]any{"role": "user", "content": "I live in Hefei."}}, "user_id": "zhang",
		"metadata": map[string]any{"topic": "home"}, "infer": true, "expiration_date": "2030-12-31"}
	exampleSearch = map[string]any{"query": "where does he live", "filters": map[string]any{"user_id": "zhang"}, "top_k": 10, "explain": false}
	exampleUpdate = map[string]any{"text": "Lives in Hangzhou", "metadata": map[string]any{"topic": "home"}}
)

// routes are all operations. The document at /openapi.json is made of them.
func (h *Handler) routes() []route {
	rs := []route{
		{Method: "POST", Path: "/memories", Summary: "Remember a conversation", Body: exampleAdd, do: h.add},
		{Method: "GET", Path: "/memories", Summary: "List memories of user_id, agent_id, run_id (everybody's with an admin key)", do: h.list},
		{Method: "DELETE", Path: "/memories", Summary: "Delete the memories of user_id, agent_id, run_id", Admin: true, do: h.deleteAll},
		{Method: "GET", Path: "/memories/{id}", Summary: "Read a memory; null when there is none", do: h.get},
		{Method: "PUT", Path: "/memories/{id}", Summary: "Change a memory", Body: exampleUpdate, do: h.update},
		{Method: "DELETE", Path: "/memories/{id}", Summary: "Delete a memory", do: h.delete},
		{Method: "GET", Path: "/memories/{id}/history", Summary: "What happened to a memory", do: h.history},
		{Method: "POST", Path: "/search", Summary: "Search memories", Body: exampleSearch, do: h.search},
		{Method: "POST", Path: "/reset", Summary: "Remove everything", Admin: true, do: h.reset},
		{Method: "GET", Path: "/configure", Summary: "Read the configuration", do: h.settings},
		{Method: "POST", Path: "/configure", Summary: "Set custom_instructions", Admin: true, Body: map[string]any{"custom_instructions": "Keep travel plans only."}, do: h.configure},
		{Method: "GET", Path: "/configure/providers", Summary: "The providers in use", do: h.providers},
		{Method: "POST", Path: "/generate-instructions", Summary: "Write instructions for a use case", Body: map[string]any{"use_case": "a travel agency"}, do: h.generateInstructions},
		{Method: "GET", Path: "/entities", Summary: "Who has memories", do: h.entities},
		{Method: "DELETE", Path: "/entities/{type}/{id}", Summary: "Delete the memories of a user, agent or run", Admin: true, do: h.deleteEntity},
		{Method: "GET", Path: "/requests", Summary: "The newest requests", Admin: true, do: h.requests},
	}
	if !h.cfg.HostedPaths {
		return rs
	}
	hosted := []route{
		{Method: "GET", Path: "/v1/ping/{$}", Summary: "Hosted path: is the key good", do: h.ping},
		{Method: "POST", Path: "/v1/memories/{$}", Summary: "Hosted path of POST /memories; answers a list", Body: exampleAdd, do: h.add, bare: true},
		{Method: "POST", Path: "/v3/memories/add/{$}", Summary: "Hosted path of POST /memories", Body: exampleAdd, do: h.add},
		{Method: "GET", Path: "/v1/memories/{$}", Summary: "Hosted path of GET /memories; answers a list", do: h.list, bare: true},
		{Method: "DELETE", Path: "/v1/memories/{$}", Summary: "Hosted path of DELETE /memories", Admin: true, do: h.deleteAll},
		{Method: "POST", Path: "/v1/memories/search/{$}", Summary: "Hosted path of POST /search; answers a list", Body: exampleSearch, do: h.search, bare: true},
		{Method: "POST", Path: "/v2/memories/search/{$}", Summary: "Hosted path of POST /search", Body: exampleSearch, do: h.search},
		{Method: "POST", Path: "/v3/memories/search/{$}", Summary: "Hosted path of POST /search", Body: exampleSearch, do: h.search},
		{Method: "GET", Path: "/v1/memories/{id}/{$}", Summary: "Hosted path of GET /memories/{id}", do: h.get},
		{Method: "PUT", Path: "/v1/memories/{id}/{$}", Summary: "Hosted path of PUT /memories/{id}", Body: exampleUpdate, do: h.update},
		{Method: "DELETE", Path: "/v1/memories/{id}/{$}", Summary: "Hosted path of DELETE /memories/{id}", do: h.delete},
		{Method: "GET", Path: "/v1/memories/{id}/history/{$}", Summary: "Hosted path of GET /memories/{id}/history", do: h.history},
	}
	return append(rs, hosted...)
}

func (h *Handler) ping(ctx context.Context, _ *http.Request) (any, error) {
	return map[string]any{"status": "ok", "user_email": serve.CallerOf(ctx).Key}, nil
}

// bare takes the list out of an answer, for the hosted paths of the first
// generation.
func bare(v any) any {
	switch x := v.(type) {
	case longterm.AddResult:
		return x.Results
	case longterm.SearchResult:
		return x.Results
	case listAnswer:
		return x.Results
	}
	return v
}

// listAnswer is a page of a list. Where the next begins is said in a header,
// so that the body stays what clients know.
type listAnswer struct{ longterm.ListResult }

func (a listAnswer) header(h http.Header) {
	if a.Next != "" {
		h.Set("X-Next-Cursor", a.Next)
	}
}
