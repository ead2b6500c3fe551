package mcpserver

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/seed-4bdb41d0/webhand/browser"
)

// narrow returns a policy that allows what p allows and the client's patterns
// as well, never more. No patterns leave p as it is. A pattern that p does not
// allow is refused, so that a client does not believe itself on a site it
// cannot reach.
func narrow(p browser.Policy, patterns []string) (browser.Policy, error) {
	if len(patterns) == 0 {
		return p, nil
	}
	// With a list of its own p may refuse private addresses, which a pattern
	// that names one would allow again.
	closed := p.Private == browser.AccessRefuse ||
		p.Private == browser.AccessDefault && len(p.Allow)+len(p.Block)+len(p.AllowResources)+len(p.BlockResources) > 0
	var allow []string
	for _, raw := range patterns {
		theirs, err := parsePattern(raw)
		if err != nil {
			return p, fmt.Errorf("allowed_domains: %q: %w", raw, err)
		}
		met := false
		if len(p.Allow) == 0 {
			if closed && theirs.private() {
				return p, fmt.Errorf("allowed_domains: %q is not a public site, and this server opens no others", raw)
			}
			allow, met = append(allow, theirs.String()), true
		}
		for _, a := range p.Allow {
			ours, err := parsePattern(a)
			if err != nil {
				return p, fmt.Errorf("allowed_domains cannot be combined with this server's pattern %q", a)
			}
			both, ok := meet(ours, theirs)
			if !ok || closed && both.private() && both.host != ours.host {
				continue
			}
			allow, met = append(allow, both.String()), true
		}
		if !met {
			return p, fmt.Errorf("allowed_domains: %q is not among the sites that this server allows (%s)", raw, strings.Join(p.Allow, ", "))
		}
	}
	p.Allow = allow
	if closed && p.Private == browser.AccessDefault {
		p.Private = browser.AccessRefuse
	}
	return p, nil
}

// pattern is a URL pattern in parts; an empty part is any.
type pattern struct{ scheme, host, port, path string }

func (p pattern) String() string {
	s := p.host
	if p.scheme != "" {
		s = p.scheme + "://" + s
	}
	if p.port != "" {
		s += ":" + p.port
	}
	return s + p.path
}

func parsePattern(raw string) (pattern, error) {
	var p pattern
	s := strings.ToLower(strings.TrimSpace(raw))
	if scheme, rest, ok := strings.Cut(s, "://"); ok {
		p.scheme, s = scheme, rest
		if scheme != "http" && scheme != "https" { // a list can open other schemes
			return p, errors.New("only http and https pages can be allowed")
		}
	}
	orig := strings.TrimSpace(raw) // paths keep their case
	if i := strings.IndexByte(s, '/'); i >= 0 {
		p.path, s = orig[len(orig)-len(s)+i:], s[:i]
		if p.path == "/*" {
			p.path = ""
		}
	}
	if strings.ContainsAny(s, "@?#[] ") {
		return p, errors.New("give a host such as example.com or *.example.com")
	}
	if host, port, ok := strings.Cut(s, ":"); ok {
		if port == "" || strings.Trim(port, "0123456789*") != "" {
			return p, errors.New("a scheme or port alone is no site; give a host such as example.com")
		}
		if port != "*" {
			p.port = port
		}
		s = host
	}
	p.host = strings.TrimSuffix(s, ".")
	if bare := strings.TrimPrefix(p.host, "*."); p.host == "" || p.host != "*" && (bare == "" || strings.Contains(bare, "*")) {
		return p, errors.New("give a host such as example.com or *.example.com")
	}
	return p, nil
}

// meet is what two patterns both allow. It may be less than that where their
// paths differ.
func meet(a, b pattern) (pattern, bool) {
	var out pattern
	var ok [4]bool
	out.scheme, ok[0] = either(a.scheme, b.scheme)
	out.port, ok[1] = either(a.port, b.port)
	out.path, ok[2] = either(a.path, b.path)
	switch {
	case covers(a.host, b.host):
		out.host, ok[3] = b.host, true
	case covers(b.host, a.host):
		out.host, ok[3] = a.host, true
	}
	return out, ok == [4]bool{true, true, true, true}
}

func either(a, b string) (string, bool) {
	if a == "" {
		return b, true
	}
	return a, b == "" || a == b
}

// covers reports whether every host of b is one of a. "*.x" is x and all below.
func covers(a, b string) bool {
	if a == "*" || a == b {
		return true
	}
	base, wild := strings.CutPrefix(a, "*.")
	name := strings.TrimPrefix(b, "*.")
	return wild && (name == base || strings.HasSuffix(name, "."+base))
}

// private reports whether the host could be one of this machine or network: an
// address however it is spelled, or a name that is not of the public web.
func (p pattern) private() bool {
	host := strings.TrimPrefix(p.host, "*.")
	if host == "*" {
		return false
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	if strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789-.") != "" {
		return true // other letters can spell an address too
	}
	i := strings.LastIndexByte(host, '.')
	last := host[i+1:]
	return i < 0 || last == "" || last[0] >= '0' && last[0] <= '9' || last == "localhost" || last == "local" || last == "localdomain"
}
