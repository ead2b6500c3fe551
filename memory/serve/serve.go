// Package serve holds the rules that the memory servers share: who may call,
// from where, and how much they may send.
package serve

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"

	"github.com/seed-4bdb41d0/webhand/internal/httpguard"
	"github.com/seed-4bdb41d0/webhand/memory/longterm"
)

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
	guard := httpguard.Guard{Hosts: r.Hosts, Origins: r.Origins, MaxBody: r.MaxBody, Expose: "X-Request-ID, X-Memory-Mode, X-Next-Cursor"}
	inner := guard.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		var id [4]byte
		_, _ = rand.Read(id[:]) // never fails
		w.Header().Set("X-Request-ID", hex.EncodeToString(id[:]))
		inner.ServeHTTP(w, req)
	})
}

// caller finds the key that a request carries.
func (r Rules) caller(req *http.Request) (Caller, bool) {
	if len(r.Keys) == 0 {
		return Caller{Admin: true}, true
	}
	given := httpguard.Secret(req)
	var found *Key
	for i := range r.Keys { // all of them, so that time tells nothing
		if httpguard.Same(given, r.Keys[i].Secret) {
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
	ln, err := httpguard.Listen(addr, len(r.Keys) > 0)
	if err != nil {
		return nil, fmt.Errorf("serve: %w", err)
	}
	return ln, nil
}

// Run serves h on ln until ctx ends, then lets running requests end for a few
// seconds.
func Run(ctx context.Context, ln net.Listener, h http.Handler) error {
	if err := httpguard.Run(ctx, ln, h); err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

// Error writes {"detail": ...}.
func Error(w http.ResponseWriter, status int, detail string) { httpguard.Error(w, status, detail) }

// JSON writes v.
func JSON(w http.ResponseWriter, status int, v any) { httpguard.JSON(w, status, v) }
