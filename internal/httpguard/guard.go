// Package httpguard holds what every server of this module that listens on a
// machine's own address has to check, so that neither a web page nor another
// machine can use it.
package httpguard

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Guard says from where requests may come. The zero value lets in every
// program of this machine and no web page but those that the server itself
// serves.
type Guard struct {
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
	// Expose are further response headers that pages may read, separated by
	// commas.
	Expose string
}

// defaultMaxBody is the size of a request body in bytes beyond which it is
// refused.
const defaultMaxBody = 10 << 20

// Handler lets requests through to next that come from where they may.
func (g Guard) Handler(next http.Handler) http.Handler {
	limit := g.MaxBody
	if limit == 0 {
		limit = defaultMaxBody
	}
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if !g.hostAllowed(req.Host) {
			Error(w, http.StatusForbidden, "this server is not addressed by that Host")
			return
		}
		if origin := req.Header.Get("Origin"); origin != "" {
			if !g.originAllowed(origin, req.Host) {
				Error(w, http.StatusForbidden, "pages of that Origin may not call")
				return
			}
			g.cors(w, origin)
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

func (g Guard) cors(w http.ResponseWriter, origin string) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", origin)
	h.Add("Vary", "Origin")
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, X-API-Key, Mcp-Session-Id, Mcp-Protocol-Version, Last-Event-ID")
	h.Set("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE")
	expose := "Mcp-Session-Id"
	if g.Expose != "" {
		expose += ", " + g.Expose
	}
	h.Set("Access-Control-Expose-Headers", expose)
}

func (g Guard) hostAllowed(hostport string) bool {
	host := hostOf(hostport)
	return IsLoopback(host) || slices.ContainsFunc(g.Hosts, func(h string) bool {
		return strings.EqualFold(h, hostport) || strings.EqualFold(h, host)
	})
}

func (g Guard) originAllowed(origin, host string) bool {
	if slices.Contains(g.Origins, origin) {
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

// IsLoopback reports whether a host name or address is this machine's own.
func IsLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// Secret returns what a request carries as "Authorization: Bearer ..." (or
// "Token ...") or as "X-API-Key: ..."; empty for none.
func Secret(req *http.Request) string {
	if key := req.Header.Get("X-API-Key"); key != "" {
		return key
	}
	kind, rest, ok := strings.Cut(req.Header.Get("Authorization"), " ")
	if ok && (strings.EqualFold(kind, "Bearer") || strings.EqualFold(kind, "Token")) {
		return strings.TrimSpace(rest)
	}
	return ""
}

// Same compares two secrets so that the time it takes tells nothing. Empty
// ones are never the same.
func Same(given, want string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(want))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1 && want != ""
}

// Listen opens addr ("127.0.0.1:8765"). A server that asks for no secret
// takes loopback addresses only; an empty host means 127.0.0.1.
func Listen(addr string, secret bool) (net.Listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("address %q: %w", addr, err)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	if !IsLoopback(host) && !secret {
		return nil, fmt.Errorf("%q is reachable from other machines and the server asks for no key: set one, or listen on 127.0.0.1", addr)
	}
	return net.Listen("tcp", net.JoinHostPort(host, port))
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
		return err
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
