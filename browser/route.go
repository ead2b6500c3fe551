package browser

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
)

// Proxy is a proxy that a session's connections go through.
type Proxy struct {
	// Server is scheme://host:port with http, https or socks5; the scheme
	// may be left out for http. Credentials in it are taken like those below.
	Server string
	// Bypass lists hosts to reach directly: "host", or "*.host" for all below
	// it. Loopback addresses go directly only when they are listed.
	Bypass []string
	// Username and Password are for the proxy alone; no site sees them.
	Username, Password string
}

// url checks the proxy and returns its address, credentials included; nil
// without a proxy.
func (p Proxy) url() (*url.URL, error) {
	if p.Server == "" {
		if p.Username != "" || p.Password != "" || len(p.Bypass) > 0 {
			return nil, errors.New("browser: Config.Proxy: Server is empty")
		}
		return nil, nil
	}
	raw := p.Server
	if !strings.Contains(raw, "://") {
		raw = "http://" + raw
	}
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return nil, errors.New("browser: Config.Proxy: Server is not scheme://host:port")
	}
	switch u.Scheme {
	case "http", "https", "socks5":
	default:
		return nil, fmt.Errorf("browser: Config.Proxy: scheme %q is not http, https or socks5", u.Scheme)
	}
	if p.Username != "" || p.Password != "" {
		u.User = url.UserPassword(p.Username, p.Password)
	}
	u.Path, u.RawQuery, u.Fragment = "", "", ""
	return u, nil
}

// route is how a session reaches the network.
type route struct {
	policy *policy
	guard  *guard // nil when Chrome connects by itself

	// What Chrome is told; empty for its own settings.
	server, bypass string
	// proxied is set when another proxy looks names up and connects.
	proxied bool
	// proxyUser is set when Chrome has to be told the credentials.
	proxyUser *url.Userinfo
}

// newRoute prepares the way out for a session. local says whether Chrome runs
// where it can reach a guard of this process; inherited is the proxy of the
// browser the session is in.
func newRoute(cfg Config, inherited Proxy, local bool) (*route, error) {
	p, err := newPolicy(cfg.Policy)
	if err != nil {
		return nil, err
	}
	p.resolver = cfg.resolver
	own := cfg.Proxy
	up, err := own.url()
	if err == nil && up == nil {
		own = inherited
		up, err = own.url()
	}
	if err != nil {
		return nil, err
	}
	r := &route{policy: p, proxied: up != nil}
	credentials := up != nil && up.User != nil
	if local && (p.guardsConnections() || credentials) {
		g, err := startGuard(p, up, own.Bypass, cfg.logger())
		if err != nil {
			return nil, err
		}
		r.guard, r.server = g, g.address()
		// Chrome would reach loopback addresses past any proxy.
		r.bypass = "<-loopback>"
		return r, nil
	}
	if up != nil {
		r.proxyUser = up.User
		plain := *up
		plain.User = nil
		r.server, r.bypass = plain.String(), strings.Join(append([]string{"<-loopback>"}, own.Bypass...), ";")
	}
	return r, nil
}

// holdsAll reports whether Chrome holds every request of a page, not only those
// for documents. It then holds its workers' too, and tells of them on sessions
// of their own: a worker that is not listened to would wait for ever.
func (r *route) holdsAll() bool {
	return r.policy.resourcesByPath() || r.guard == nil && r.policy.guardsConnections() || r.proxyUser != nil
}

func (r *route) close() {
	if r != nil && r.guard != nil {
		r.guard.close()
	}
}

// guardsConnections reports whether a rule is about connections, which
// interception of requests does not see in full.
func (p *policy) guardsConnections() bool {
	return p.refusePrivate || p.noAddresses || p.resourcesByPath()
}

func (c Config) logger() *slog.Logger {
	if c.Logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return c.Logger
}
