// Package mcp serves a memory to language models over the Model Context
// Protocol, with the tools and addresses of OpenMemory: SSE, streamable HTTP
// and standard input and output.
//
// Who asks is told by the address: /mcp/{client}/sse/{user}. Every client is
// an app of its own whose access to the user's memories can be limited or
// paused. Where it cannot be found out what a client may see, it sees nothing.
package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-4bdb41d0/webhand/internal/mcpio"
	"github.com/seed-4bdb41d0/webhand/memory/longterm"
	"github.com/seed-4bdb41d0/webhand/memory/serve"
)

// Config sets up a [Server].
type Config struct {
	// Memory is what is served. Required.
	Memory *longterm.Memory
	// Access says what clients may see and keeps the log. Nil is the memory's
	// own store, which must be able to.
	Access longterm.AccessStore
	// Rules say who may call over HTTP.
	Rules serve.Rules
	// KnownOnly refuses clients that were not registered in Access before.
	// Otherwise a client is registered, and active, on first use.
	KnownOnly bool
	// Verbatim stores texts as they are when add_memories does not say
	// "infer". It is for servers without a language model.
	Verbatim bool
	// Logger hears of failures. It never gets the text of a memory. Nil is
	// silent.
	Logger *slog.Logger
}

// Server serves the tools. It is an http.Handler and safe for concurrent use.
type Server struct {
	cfg    Config
	mem    *longterm.Memory
	access longterm.AccessStore
	log    *slog.Logger
	mux    *http.ServeMux
}

// New returns a server.
func New(cfg Config) (*Server, error) {
	if cfg.Memory == nil {
		return nil, errors.New("mcp: Config.Memory is not set")
	}
	if err := cfg.Rules.Check(); err != nil {
		return nil, err
	}
	s := &Server{cfg: cfg, mem: cfg.Memory, access: cfg.Access, log: cfg.Logger, mux: http.NewServeMux()}
	if s.access == nil {
		st, ok := cfg.Memory.Store().(longterm.AccessStore)
		if !ok {
			return nil, fmt.Errorf("mcp: the memory's store %q keeps no access rules: set Config.Access", cfg.Memory.Store().Capabilities().Name)
		}
		s.access = st
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	// The checks of Host and size are those of the rules, the same on every server.
	sse := sdk.NewSSEHandler(s.forRequest, &sdk.SSEOptions{DisableLocalhostProtection: true, MaxRequestBodyBytes: -1})
	stream := sdk.NewStreamableHTTPHandler(s.forRequest, &sdk.StreamableHTTPOptions{Stateless: true, DisableLocalhostProtection: true,
		MaxRequestBodyBytes: -1, PropagateRequestCancellation: true})
	api := http.NewServeMux()
	api.Handle("/mcp/{client}/sse/{user}", ownUser(sse))
	api.Handle("/mcp/{client}/sse/{user}/messages/", ownUser(sse))
	api.Handle("/mcp/{client}/http/{user}", ownUser(stream))
	api.HandleFunc("GET /access/apps", s.listApps)
	api.HandleFunc("PUT /access/apps/{user}/{client}", s.changeApp)
	api.HandleFunc("GET /access/log", s.accessLog)
	s.mux.Handle("/", cfg.Rules.Handler(api))
	return s, nil
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// ownUser lets a key that is bound to a user in under that user's address
// only.
func ownUser(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scope, err := longterm.Scope{UserID: r.PathValue("user")}.Check()
		if err == nil {
			_, err = serve.CallerOf(r.Context()).Limit(scope)
		}
		switch {
		case errors.Is(err, serve.ErrForbidden):
			serve.Error(w, http.StatusForbidden, err.Error())
		case err != nil:
			serve.Error(w, http.StatusBadRequest, err.Error())
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// forRequest returns the server of the client and user that the address names.
func (s *Server) forRequest(r *http.Request) *sdk.Server {
	return s.server(who{client: r.PathValue("client"), user: r.PathValue("user")})
}

// Stdio serves one client and user on standard input and output until the
// client hangs up or ctx ends. Nothing else may write to standard output.
func (s *Server) Stdio(ctx context.Context, client, user string) error {
	return s.Run(ctx, client, user, mcpio.New(os.Stdin, os.Stdout))
}

// Run serves one client and user on any transport of the MCP SDK.
func (s *Server) Run(ctx context.Context, client, user string, t sdk.Transport) error {
	if _, err := (longterm.Scope{UserID: user}).Check(); err != nil {
		return fmt.Errorf("mcp: %w", err)
	}
	if err := s.server(who{client: client, user: user}).Run(ctx, t); err != nil && ctx.Err() == nil {
		return fmt.Errorf("mcp: %w", err)
	}
	return nil
}

// server returns an MCP server whose tools act for one client and user.
func (s *Server) server(w who) *sdk.Server {
	srv := sdk.NewServer(&sdk.Implementation{Name: "mem0-mcp-server", Version: "1"}, &sdk.ServerOptions{
		Capabilities: &sdk.ServerCapabilities{},
		KeepAlive:    30 * time.Second,
	})
	s.addTools(srv, w)
	return srv
}
