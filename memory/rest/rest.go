// Package rest serves a memory over HTTP with the routes and bodies of Mem0's
// server, those of its first generation and its current one.
package rest

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
	"github.com/seed-4bdb41d0/webhand/memory/serve"
)

// Config sets up a [Handler].
type Config struct {
	// Memory is what is served. Required.
	Memory *longterm.Memory
	// Rules say who may call.
	Rules serve.Rules
	// Verbatim stores the messages of a request as they are when it does not
	// say "infer". It is for servers without a language model.
	Verbatim bool
	// HostedPaths adds the paths that Mem0's MemoryClient uses (/v1/memories/,
	// /v2/memories/search/, /v1/ping/ and so on).
	HostedPaths bool
	// Timeout bounds one request. Zero means two minutes.
	Timeout time.Duration
	// Logger hears of requests that failed. It never gets the text of a
	// memory. Nil is silent.
	Logger *slog.Logger
}

// Handler serves the routes. It is safe for concurrent use.
type Handler struct {
	cfg Config
	mem *longterm.Memory
	log *slog.Logger
	all []route
	mux *http.ServeMux

	mu   sync.Mutex
	seen []requestRow // the newest requests, oldest first
}

// New returns a handler.
func New(cfg Config) (*Handler, error) {
	if cfg.Memory == nil {
		return nil, errors.New("rest: Config.Memory is not set")
	}
	if err := cfg.Rules.Check(); err != nil {
		return nil, err
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = 2 * time.Minute
	}
	h := &Handler{cfg: cfg, mem: cfg.Memory, log: cfg.Logger, mux: http.NewServeMux()}
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	h.all = h.routes()
	api := http.NewServeMux()
	for _, r := range h.all {
		api.HandleFunc(r.Method+" "+r.Path, h.call(r))
	}
	h.mux.Handle("/", cfg.Rules.Handler(h.logged(api)))
	for path, f := range map[string]http.HandlerFunc{
		"GET /{$}":          func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/docs", http.StatusFound) },
		"GET /docs":         h.docs,
		"GET /openapi.json": h.openAPI,
	} {
		h.mux.Handle(path, cfg.Rules.Public(f))
	}
	return h, nil
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.mux.ServeHTTP(w, r) }

// route is one operation.
type route struct {
	Method  string
	Path    string
	Summary string
	Admin   bool
	Body    any // an example of the request's body, for the document
	bare    bool
	do      func(context.Context, *http.Request) (any, error)
}

// call runs an operation and writes its answer.
func (h *Handler) call(rt route) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), h.cfg.Timeout)
		defer cancel()
		if rt.Admin && !serve.CallerOf(ctx).Admin {
			serve.Error(w, http.StatusForbidden, "this needs an admin key")
			return
		}
		w.Header().Set("X-Memory-Mode", string(h.mem.Mode()))
		v, err := rt.do(ctx, r)
		if err != nil {
			h.fail(w, r, err)
			return
		}
		if a, ok := v.(interface{ header(http.Header) }); ok {
			a.header(w.Header())
		}
		if rt.bare {
			v = bare(v)
		}
		serve.JSON(w, http.StatusOK, v)
	}
}

// maxSeen is the number of requests that /requests can show.
const maxSeen = 200

// requestRow is one line of the request log.
type requestRow struct {
	ID     string             `json:"id"`
	Method string             `json:"method"`
	Path   string             `json:"path"`
	Status int                `json:"status_code"`
	Millis float64            `json:"latency_ms"`
	Key    string             `json:"api_key,omitempty"`
	At     longterm.Timestamp `json:"created_at"`
}

// logged keeps the newest requests for /requests.
func (h *Handler) logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		sw := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(sw, r)
		row := requestRow{ID: w.Header().Get("X-Request-ID"), Method: r.Method, Path: r.URL.Path, Status: sw.status,
			Millis: float64(time.Since(start).Microseconds()) / 1000, Key: serve.CallerOf(r.Context()).Key, At: longterm.Timestamp{Time: start.UTC()}}
		h.mu.Lock()
		defer h.mu.Unlock()
		if len(h.seen) == maxSeen {
			h.seen = append(h.seen[:0], h.seen[1:]...)
		}
		h.seen = append(h.seen, row)
	})
}

type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
