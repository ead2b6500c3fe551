// Package serve holds the rules that the memory servers share: who may call,
// from where, and how much they may send.
package serve

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
)

// defaultMaxBody is the size of a request body in bytes beyond which it is
// refused.
const defaultMaxBody = 10 << 20

// Key is a secret that lets its holder in.
type Key struct {
	// Name says whose key it is, in the request log. It is no secret.
	Name string
	// Secret is sent as "Authorization: Bearer ..." (or "Token ...") or as
	// "X-API-Key: ...". Required.
	Secret string
	// UserID, when set, is the only user whose memories the key opens.
	UserID string
	// Admin opens what concerns everybody: listing all, reset, deleting
	// entities, configuration.
	Admin bool
}

// Rules say who may call. The zero value lets in every program of this
// machine and no web page but those it serves itself.
type Rules struct {
	// Keys let in. Without any, everybody who can connect may do everything,
	// which is why [Listen] then takes loopback addresses only.
	Keys []Key
	// Hosts are further names under which the server is addressed. Loopback
	// names and addresses always are; any other Host is refused, because a
	// page of a stranger can point a name of its own at this machine.
	Hosts []string
	// Origins are web pages of other origins ("https://app.test") that may
	// call. Pages of the server itself may.
	Origins []string
	// MaxBody is the size of a request body in bytes beyond which it is
	// refused with 413; 0 means 10 MiB.
	MaxBody int64
}

// Caller is who calls.
type Caller struct {
	Key    string // the key's name; empty when no key is needed
	UserID string // the only user the caller may see; empty is all
	Admin  bool
}

// ErrForbidden reports a caller that may not see what it asks for.
var ErrForbidden = errors.New("not allowed with this key")

// Limit returns the scope as far as the caller may see it: for a key bound to
// a user, that user is filled in, and any other is [ErrForbidden].
func (c Caller) Limit(s longterm.Scope) (longterm.Scope, error) {
	if c.UserID == "" {
		return s, nil
	}
	if s.UserID != "" && s.UserID != c.UserID {
		return s, fmt.Errorf("%w: it belongs to another user", ErrForbidden)
	}
	s.UserID = c.UserID
	return s, nil
}

type callerKey struct{}

// CallerOf returns who sent a request that passed [Rules.Handler].
func CallerOf(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}

// Handler lets requests through to next that pass the rules.
func (r Rules) Handler(next http.Handler) http.Handler {
	return r.Public(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		c, ok := r.caller(req)
		if !ok {
			w.Header().Set("WWW-Authenticate", "Bearer")
			Error(w, http.StatusUnauthorized, "a key is needed: send Authorization: Bearer or X-API-Key")
			return
		}
		next.ServeHTTP(w, req.WithContext(context.WithValue(req.Context(), callerKey{}, c)))
	}))
}

// Public is Handler without the look at keys, for pages that ask for one.
func (r Rules) Public(next http.Handler) http.Handler {
	limit := r.MaxBody
	if limit == 0 {
		limit = defaultMaxBody
	}
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		var id [4]byte
		_, _ = rand.Read(id[:]) // never fails
		w.Header().Set("X-Request-ID", hex.EncodeToString(id[:]))
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if !r.hostAllowed(req.Host) {
			Error(w, http.StatusForbidden, "this server is not addressed by that Host")
			return
		}
		if origin := req.Header.Get("Origin"); origin != "" {
			if !r.originAllowed(origin, req.Host) {
				Error(w, http.StatusForbidden, "pages of that Origin may not call")
				return
			}
			r.cors(w, origin)
			if req.Method == http.MethodOptions && req.Header.Get("Access-Control-Request-Method") != "" {
				w.WriteHeader(http.StatusNoContent)
				return
			}
		} else if site := req.Header.Get("Sec-Fetch-Site"); site == "cross-site" && req.Method != http.MethodGet {
			Error(w, http.StatusForbidden, "pages of other sites may not call")
			return
		}
		if req.ContentLength > limit {
			w.Header().Set("Connection", "close")
			Error(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("the body has %d bytes, at most %d", req.ContentLength, limit))
			return
		}
		req.Body = http.MaxBytesReader(w, req.Body, limit)
		next.ServeHTTP(w, req)
	})
}

func (r Rules) cors(w http.ResponseWriter, origin string) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", origin)
	h.Add("Vary", "Origin")
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, X-API-Key, Mcp-Session-Id, Mcp-Protocol-Version")
	h.Set("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE")
	h.Set("Access-Control-Expose-Headers", "X-Request-ID, X-Memory-Mode, X-Next-Cursor, Mcp-Session-Id")
}

func (r Rules) hostAllowed(hostport string) bool {
	host := hostOf(hostport)
	return isLoopback(host) || slices.ContainsFunc(r.Hosts, func(h string) bool {
		return strings.EqualFold(h, hostport) || strings.EqualFold(h, host)
	})
}

func (r Rules) originAllowed(origin, host string) bool {
	if slices.Contains(r.Origins, origin) {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && strings.EqualFold(u.Host, host)
}

// hostOf takes the port off a Host header.
func hostOf(hostport string) string {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	return strings.TrimSuffix(strings.Trim(host, "[]"), ".")
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// caller finds the key that a request carries.
func (r Rules) caller(req *http.Request) (Caller, bool) {
	if len(r.Keys) == 0 {
		return Caller{Admin: true}, true
	}
	given := req.Header.Get("X-API-Key")
	if kind, rest, ok := strings.Cut(req.Header.Get("Authorization"), " "); ok && given == "" &&
		(strings.EqualFold(kind, "Bearer") || strings.EqualFold(kind, "Token")) {
		given = strings.TrimSpace(rest)
	}
	if given == "" {
		return Caller{}, false
	}
	sum := sha256.Sum256([]byte(given))
	var found *Key
	for i := range r.Keys { // all of them, so that time tells nothing
		want := sha256.Sum256([]byte(r.Keys[i].Secret))
		if subtle.ConstantTimeCompare(sum[:], want[:]) == 1 && r.Keys[i].Secret != "" {
			found = &r.Keys[i]
		}
	}
	if found == nil {
		return Caller{}, false
	}
	return Caller{Key: found.Name, UserID: found.UserID, Admin: found.Admin}, true
}

// Check reports rules that would let in whom nobody meant.
func (r Rules) Check() error {
	for i, k := range r.Keys {
		if len(k.Secret) < 8 {
			return fmt.Errorf("serve: key %d (%q) has a secret of fewer than 8 characters", i, k.Name)
		}
		if k.UserID != "" && k.Admin {
			return fmt.Errorf("serve: key %d (%q) is bound to a user and admin at once", i, k.Name)
		}
	}
	return nil
}

// Listen opens addr ("127.0.0.1:8765"). Without keys it takes loopback
// addresses only; an empty host means 127.0.0.1.
func Listen(addr string, r Rules) (net.Listener, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("serve: address %q: %w", addr, err)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	if !isLoopback(host) && len(r.Keys) == 0 {
		return nil, fmt.Errorf("serve: %q is reachable from other machines and there are no keys: set Rules.Keys or listen on 127.0.0.1", addr)
	}
	ln, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, fmt.Errorf("serve: %w", err)
	}
	return ln, nil
}

// Run serves h on ln until ctx ends, then lets running requests end for a few
// seconds.
func Run(ctx context.Context, ln net.Listener, h http.Handler) error {
	// Streams end with the server and not with the patience of their clients.
	base, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	srv := &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		BaseContext: func(net.Listener) context.Context { return base },
	}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(ln) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	grace, stop := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
	defer stop()
	err := srv.Shutdown(grace)
	cancel()
	if err != nil {
		err = srv.Close()
	}
	<-ended
	return err
}

// Error writes {"detail": ...}.
func Error(w http.ResponseWriter, status int, detail string) {
	JSON(w, status, map[string]any{"detail": detail})
}

// JSON writes v.
func JSON(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		status, b = http.StatusInternalServerError, []byte(`{"detail":"the answer cannot be written as JSON"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(b, '\n'))
}
