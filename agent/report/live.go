package report

import (
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"net/url"
	"sync"

	"github.com/seed-4bdb41d0/webhand/agent"
)

//go:embed live.js
var liveJS string

// Live is an http.Handler that shows a run while it goes on: the same page as
// HTML, which fetches itself again after every Update. It answers requests to
// a loopback host only, and refuses those that another site's page makes.
type Live struct {
	opts HTMLOptions

	mu      sync.Mutex
	history *agent.History
	version int
	changed chan struct{} // closed and replaced by Update
}

// NewLive returns a handler that shows an empty run until the first Update.
func NewLive(opts HTMLOptions) *Live {
	return &Live{opts: opts, history: &agent.History{}, changed: make(chan struct{})}
}

// Update shows h from now on. The caller must not change h afterwards.
func (l *Live) Update(h *agent.History) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.history = h
	l.version++
	close(l.changed)
	l.changed = make(chan struct{})
}

// ServeHTTP serves the page at / and the notices of new steps at /events.
func (l *Live) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := local(r); err != nil {
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.Error(w, "the live view is read only", http.StatusMethodNotAllowed)
		return
	}
	switch r.URL.Path {
	case "/":
		l.page(w)
	case "/events":
		l.events(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (l *Live) page(w http.ResponseWriter) {
	l.mu.Lock()
	h, version := l.history, l.version
	l.mu.Unlock()
	opts := l.opts
	if opts.Width <= 0 {
		opts.Width = 960
	}
	v, err := view(h, opts)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	v.Live, v.Version = true, version
	v.JS += template.JS("\n" + liveJS) //nolint:gosec // our own file
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_ = page.Execute(w, v) // the reader went away; there is nobody to tell
}

// events is a server-sent event stream: one event for every Update.
func (l *Live) events(w http.ResponseWriter, r *http.Request) {
	f, ok := w.(http.Flusher)
	if !ok {
		http.Error(w, "streaming is not supported here", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	for {
		l.mu.Lock()
		version, changed := l.version, l.changed
		l.mu.Unlock()
		if _, err := fmt.Fprintf(w, "data: %d\n\n", version); err != nil {
			return
		}
		f.Flush()
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

// local refuses hosts that only DNS made ours and pages of other origins.
func local(r *http.Request) error {
	if !loopback(r.Host) {
		return fmt.Errorf("host %q is not a loopback address", r.Host)
	}
	if o := r.Header.Get("Origin"); o != "" {
		u, err := url.Parse(o)
		if err != nil || u.Host != r.Host {
			return fmt.Errorf("origin %q may not read this", o)
		}
	}
	if s := r.Header.Get("Sec-Fetch-Site"); s != "" && s != "same-origin" && s != "none" {
		return errors.New("a page of another site may not read this")
	}
	return nil
}

func loopback(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	if name == "localhost" {
		return true
	}
	ip := net.ParseIP(trimBrackets(name))
	return ip != nil && ip.IsLoopback()
}

func trimBrackets(s string) string {
	if len(s) > 1 && s[0] == '[' && s[len(s)-1] == ']' {
		return s[1 : len(s)-1]
	}
	return s
}
