package browser

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/net/proxy"
)

// guard is a forwarding proxy on the loopback interface that every connection
// of a session goes through: sockets, beacons and workers included, which
// request interception does not see. It decides about the address that is
// really connected to, so a name cannot lead to a private address by changing
// its answer between check and use. It also holds the credentials of an
// upstream proxy, which Chrome itself would ask for on every request.
type guard struct {
	policy   *policy // nil lets everything through
	upstream *url.URL
	bypass   []string
	log      *slog.Logger

	mu      sync.Mutex
	blocked func(*PolicyError)

	ln     net.Listener
	srv    *http.Server
	cancel context.CancelFunc
	wg     sync.WaitGroup
}

// startGuard listens on a free port; close ends it and its connections.
func startGuard(p *policy, upstream *url.URL, bypass []string, log *slog.Logger) (*guard, error) {
	ln, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("browser: policy guard: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	g := &guard{policy: p, upstream: upstream, bypass: bypass, log: log, ln: ln, cancel: cancel, blocked: func(*PolicyError) {}}
	transport := &http.Transport{
		DialContext: g.dial, DisableCompression: true, MaxIdleConnsPerHost: 6, IdleConnTimeout: 30 * time.Second,
		Proxy: func(r *http.Request) (*url.URL, error) {
			if g.overHTTP(hostPort(r.URL)) {
				return g.upstream, nil
			}
			return nil, nil
		},
	}
	forward := &httputil.ReverseProxy{
		Transport:     transport,
		FlushInterval: -1,
		Rewrite:       func(r *httputil.ProxyRequest) { r.Out.Host = r.In.Host },
		ErrorHandler:  func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
		ErrorLog:      slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug),
	}
	g.srv = &http.Server{
		ReadHeaderTimeout: 30 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ErrorLog:          slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.Method == http.MethodConnect:
				g.tunnel(ctx, w, r)
			case !r.URL.IsAbs():
				http.Error(w, "this is a proxy", http.StatusBadRequest)
			default:
				if err := g.check(hostPort(r.URL)); err != nil {
					// No answer at all: the text would be taken for the page.
					panic(http.ErrAbortHandler)
				}
				forward.ServeHTTP(w, r)
			}
		}),
	}
	g.wg.Go(func() {
		_ = g.srv.Serve(ln)
		transport.CloseIdleConnections()
	})
	return g, nil
}

// address is what Chrome is told to use as its proxy.
func (g *guard) address() string { return "http://" + g.ln.Addr().String() }

// onBlocked sets who hears of refused connections.
func (g *guard) onBlocked(fn func(*PolicyError)) {
	g.mu.Lock()
	g.blocked = fn
	g.mu.Unlock()
}

func (g *guard) report(err *PolicyError) {
	g.mu.Lock()
	fn := g.blocked
	g.mu.Unlock()
	g.log.Debug("browser: connection blocked", "err", err)
	fn(err)
}

func (g *guard) close() {
	g.cancel()
	_ = g.srv.Close()
	g.wg.Wait()
}

func hostPort(u *url.URL) string {
	if port := u.Port(); port != "" {
		return u.Host
	}
	if u.Scheme == "https" {
		return u.Host + ":443"
	}
	return u.Host + ":80"
}

// check decides about a host before it is looked up.
func (g *guard) check(hostport string) error {
	if g.policy == nil {
		return nil
	}
	if err := g.policy.connect(hostport); err != nil {
		g.report(err)
		return err
	}
	return nil
}

// overHTTP reports whether a host is reached through an upstream proxy of the
// http kind.
func (g *guard) overHTTP(hostport string) bool {
	return g.upstream != nil && g.upstream.Scheme != "socks5" && !g.bypassed(hostport)
}

func (g *guard) bypassed(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		return false
	}
	for _, pattern := range g.bypass {
		if below, ok := strings.CutPrefix(pattern, "*."); ok {
			if host == below || strings.HasSuffix(host, "."+below) {
				return true
			}
		} else if strings.EqualFold(host, pattern) {
			return true
		}
	}
	return false
}

// dial connects to a host, judging each address that its name leads to at the
// moment of connecting.
func (g *guard) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	d := &net.Dialer{Timeout: 30 * time.Second}
	if g.policy != nil {
		d.Resolver = g.policy.resolver
	}
	if g.policy != nil && addr != g.upstreamAddress() {
		d.ControlContext = func(_ context.Context, _, address string, _ syscall.RawConn) error {
			ap, err := netip.ParseAddrPort(address)
			if err != nil {
				return err
			}
			if perr := g.policy.resolved(host, ap.Addr()); perr != nil {
				return perr
			}
			return nil
		}
	}
	if g.upstream != nil && g.upstream.Scheme == "socks5" && !g.bypassed(addr) {
		s, err := proxy.FromURL(g.upstream, &net.Dialer{Timeout: 30 * time.Second})
		if err != nil {
			return nil, err
		}
		return s.(proxy.ContextDialer).DialContext(ctx, network, addr)
	}
	c, err := d.DialContext(ctx, network, addr)
	var perr *PolicyError
	if errors.As(err, &perr) {
		g.report(perr)
	}
	return c, err
}

// tunnel carries a CONNECT: https and sockets of both kinds.
func (g *guard) tunnel(ctx context.Context, w http.ResponseWriter, r *http.Request) {
	if err := g.check(r.Host); err != nil {
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	far, err := g.connect(r.Context(), r.Host)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer far.Close()
	near, buf, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer near.Close()
	stop := context.AfterFunc(ctx, func() { near.Close(); far.Close() })
	defer stop()
	if _, err := io.WriteString(near, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	var wg sync.WaitGroup
	wg.Go(func() { _, _ = io.Copy(far, buf.Reader); closeWrite(far) })
	_, _ = io.Copy(near, far)
	closeWrite(near)
	wg.Wait()
}

// connect reaches a host directly or through an upstream proxy.
func (g *guard) connect(ctx context.Context, addr string) (net.Conn, error) {
	if !g.overHTTP(addr) {
		return g.dial(ctx, "tcp", addr)
	}
	c, err := (&net.Dialer{Timeout: 30 * time.Second}).DialContext(ctx, "tcp", g.upstreamAddress())
	if err != nil {
		return nil, err
	}
	if g.upstream.Scheme == "https" {
		c = tls.Client(c, &tls.Config{ServerName: g.upstream.Hostname(), MinVersion: tls.VersionTLS12})
	}
	req := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: addr}, Host: addr, Header: http.Header{}}
	if u := g.upstream.User; u != nil {
		pw, _ := u.Password()
		req.Header.Set("Proxy-Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(u.Username()+":"+pw)))
	}
	if err := req.Write(c); err != nil {
		c.Close()
		return nil, err
	}
	br := bufio.NewReader(c)
	resp, err := http.ReadResponse(br, req)
	if err != nil {
		c.Close()
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		c.Close()
		return nil, fmt.Errorf("proxy %s answered %s", g.upstream.Redacted(), resp.Status)
	}
	return &bufferedConn{Conn: c, r: br}, nil
}

// upstreamAddress is host and port of the upstream proxy.
func (g *guard) upstreamAddress() string {
	if g.upstream == nil {
		return ""
	}
	return hostPort(g.upstream)
}

// bufferedConn first gives what was read along with the proxy's answer.
type bufferedConn struct {
	net.Conn
	r *bufio.Reader
}

func (c *bufferedConn) Read(p []byte) (int, error) { return c.r.Read(p) }

func closeWrite(c net.Conn) {
	switch c := c.(type) {
	case *net.TCPConn:
		_ = c.CloseWrite()
	case *bufferedConn:
		closeWrite(c.Conn)
	}
}
