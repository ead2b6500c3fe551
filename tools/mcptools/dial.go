package mcptools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// dial connects without asking for anything yet.
func (c *Client) dial(ctx context.Context) (*sdk.ClientSession, error) {
	if len(c.cfg.Command) > 0 {
		return c.start(ctx)
	}
	hc, err := c.httpClient()
	if err != nil {
		return nil, err
	}
	stream := &sdk.StreamableClientTransport{Endpoint: c.cfg.URL, HTTPClient: hc}
	sse := &sdk.SSEClientTransport{Endpoint: c.cfg.URL, HTTPClient: hc}
	switch c.cfg.Transport {
	case StreamableHTTP:
		return c.sdk.Connect(ctx, stream, nil)
	case SSE:
		return c.sdk.Connect(ctx, sse, nil)
	}
	cs, err := c.sdk.Connect(ctx, stream, nil)
	if err == nil || ctx.Err() != nil {
		return cs, err
	}
	if cs, serr := c.sdk.Connect(ctx, sse, nil); serr == nil {
		return cs, nil
	}
	return nil, err // the older transport's failure says nothing about a server of today
}

// start runs the command. What it says before it gives up is the best account
// of why.
func (c *Client) start(ctx context.Context) (*sdk.ClientSession, error) {
	cmd := exec.Command(c.cfg.Command[0], c.cfg.Command[1:]...)
	cmd.Dir = c.cfg.Dir
	cmd.Env = append(cmd.Environ(), c.cfg.Env...)
	said := &saidLog{log: c.log}
	cmd.Stderr = said
	cs, err := c.sdk.Connect(ctx, &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		if last := said.last(); last != "" {
			err = fmt.Errorf("%w; it said: %s", err, last)
		}
		return nil, fmt.Errorf("run %s: %w", c.cfg.Command[0], err)
	}
	return cs, nil
}

// saidLog logs the lines that a process writes and keeps the last ones.
type saidLog struct {
	log *slog.Logger

	mu   sync.Mutex
	rest []byte
	tail []string
}

func (s *saidLog) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rest = append(s.rest, p...)
	for {
		line, rest, ok := bytes.Cut(s.rest, []byte("\n"))
		if !ok && len(s.rest) < 64<<10 {
			return len(p), nil
		}
		s.rest = rest
		if text := strings.TrimSpace(string(line)); text != "" {
			s.log.Debug("mcptools: standard error", "line", text)
			if s.tail = append(s.tail, text); len(s.tail) > 5 {
				s.tail = s.tail[1:]
			}
		}
	}
}

func (s *saidLog) last() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return cut(strings.Join(s.tail, " / "), 500)
}

// httpClient adds the configured headers to requests.
func (c *Client) httpClient() (*http.Client, error) {
	u, err := url.Parse(c.cfg.URL)
	if err != nil {
		return nil, err
	}
	hc := http.Client{}
	if c.cfg.HTTPClient != nil {
		hc = *c.cfg.HTTPClient
	}
	next := hc.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	hc.Transport = &headers{add: c.cfg.Header, host: u.Host, next: next}
	return &hc, nil
}

// headers adds headers to requests to one host.
type headers struct {
	add  http.Header
	host string
	next http.RoundTripper
}

func (h *headers) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host == h.host && len(h.add) > 0 {
		r = r.Clone(r.Context())
		for k, v := range h.add {
			r.Header[http.CanonicalHeaderKey(k)] = v
		}
	}
	return h.next.RoundTrip(r)
}

// lost reports whether an error means that the connection is no more. Writing
// to a server that died may find out before reading from it does.
func lost(err error) bool {
	for _, end := range []error{
		sdk.ErrConnectionClosed, sdk.ErrSessionMissing, io.EOF, io.ErrClosedPipe, io.ErrUnexpectedEOF,
		os.ErrClosed, net.ErrClosed, syscall.EPIPE, syscall.ECONNRESET,
	} {
		if errors.Is(err, end) {
			return true
		}
	}
	return false
}
