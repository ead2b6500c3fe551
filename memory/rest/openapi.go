package rest

import (
	_ "embed" // the page
	"html/template"
	"net/http"
	"regexp"
	"strings"

	"github.com/seed-4bdb41d0/webhand/memory/serve"
)

//go:embed docs.html
var docsHTML string

var (
	docsPage   = template.Must(template.New("docs").Parse(docsHTML))
	pathParams = regexp.MustCompile(`\{(\w+)\}`)
)

// openAPI serves the OpenAPI 3.1 document of the routes.
func (h *Handler) openAPI(w http.ResponseWriter, _ *http.Request) {
	paths := make(map[string]map[string]any)
	for _, r := range h.all {
		path := strings.TrimSuffix(r.Path, "{$}")
		op := map[string]any{
			"summary": r.Summary,
			"responses": map[string]any{
				"200": map[string]any{"description": "done", "content": map[string]any{"application/json": map[string]any{}}},
				"400": map[string]any{"description": "a fault of the request; detail says which"},
				"401": map[string]any{"description": "a key is needed"},
				"403": map[string]any{"description": "not with this key, Host or Origin"},
				"422": map[string]any{"description": "the body cannot be read"},
				"502": map[string]any{"description": "a model provider or the store failed; code says which"},
			},
		}
		params := []any{}
		for _, m := range pathParams.FindAllStringSubmatch(path, -1) {
			params = append(params, map[string]any{"name": m[1], "in": "path", "required": true, "schema": map[string]any{"type": "string"}})
		}
		if strings.HasSuffix(strings.TrimSuffix(path, "/"), "/memories") && r.Method != "POST" {
			for _, q := range []string{"user_id", "agent_id", "run_id"} {
				params = append(params, map[string]any{"name": q, "in": "query", "schema": map[string]any{"type": "string"}})
			}
			if r.Method == "GET" {
				params = append(params,
					map[string]any{"name": "top_k", "in": "query", "schema": map[string]any{"type": "integer", "minimum": 0, "maximum": 1000}},
					map[string]any{"name": "show_expired", "in": "query", "schema": map[string]any{"type": "boolean"}},
					map[string]any{"name": "cursor", "in": "query", "schema": map[string]any{"type": "string"}})
			}
		}
		if len(params) > 0 {
			op["parameters"] = params
		}
		if r.Body != nil {
			op["requestBody"] = map[string]any{"required": true, "content": map[string]any{
				"application/json": map[string]any{"schema": map[string]any{"type": "object"}, "example": r.Body}}}
		}
		if paths[path] == nil {
			paths[path] = make(map[string]any)
		}
		paths[path][strings.ToLower(r.Method)] = op
	}
	serve.JSON(w, http.StatusOK, map[string]any{
		"openapi": "3.1.0",
		"info":    map[string]any{"title": "Memory", "version": "1", "description": "Long-term memory over HTTP. Search is " + string(h.mem.Mode()) + "."},
		"paths":   paths,
		"components": map[string]any{"securitySchemes": map[string]any{
			"bearer": map[string]any{"type": "http", "scheme": "bearer"},
			"key":    map[string]any{"type": "apiKey", "in": "header", "name": "X-API-Key"},
		}},
		"security": []any{map[string]any{"bearer": []any{}}, map[string]any{"key": []any{}}},
	})
}

// docs serves the document for people, or as JSON to who asks for that.
func (h *Handler) docs(w http.ResponseWriter, r *http.Request) {
	if strings.Contains(r.Header.Get("Accept"), "application/json") {
		h.openAPI(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	if err := docsPage.Execute(w, map[string]any{"Routes": h.all, "Mode": h.mem.Mode()}); err != nil {
		h.log.Error("memory docs page", "err", err)
	}
}
