package demosite

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// Server is a site being served on a free port of this machine.
type Server struct {
	// URL is where the site is, such as "http://127.0.0.1:41234", without a
	// slash at the end.
	URL string
	// SecondOrigin is the same site under the name localhost, which a browser
	// treats as another site than URL: other cookies, frames in a process of
	// their own. Config.SecondOrigin replaces it.
	SecondOrigin string
	// Site is what is served.
	Site *Site

	port  string
	close func() error
}

// Start serves a new site on 127.0.0.1 and a free port until ctx ends or Close
// is called. Both cut the requests still running, such as those of /slow.
func Start(ctx context.Context, cfg Config) (*Server, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("demosite: start: %w", context.Cause(ctx))
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("demosite: listen on a free port of 127.0.0.1: %w", err)
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		_ = l.Close()
		return nil, fmt.Errorf("demosite: address of the listener: %w", err)
	}
	site := New(cfg)
	hs := &http.Server{Handler: site, ReadHeaderTimeout: 30 * time.Second}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = hs.Serve(l) // always returns an error: the one that Close causes
	}()
	shut := sync.OnceValue(func() error {
		err := hs.Close()
		<-served
		return err
	})
	unwatch := context.AfterFunc(ctx, func() { _ = shut() })
	second := cfg.SecondOrigin
	if second == "" {
		second = "http://localhost:" + port
	}
	return &Server{
		URL:          "http://127.0.0.1:" + port,
		SecondOrigin: second,
		Site:         site,
		port:         port,
		close: func() error {
			unwatch()
			return shut()
		},
	}, nil
}

// For returns the address of the site for one named visitor, such as
// "http://anna.localhost:41234". Browsers resolve every name under localhost
// to this machine (RFC 6761) and keep its cookies apart, so tests that share a
// browser context can still be different visitors. The name must be a host
// name label: letters, digits, hyphens.
func (s *Server) For(name string) string {
	return "http://" + name + ".localhost:" + s.port
}

// Close stops serving and cuts every connection. It may be called repeatedly.
func (s *Server) Close() error { return s.close() }
