package urlmatch

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/gobwas/glob"
	"golang.org/x/net/publicsuffix"
)

// Pattern is a compiled URL pattern. The zero value matches nothing.
type Pattern struct {
	text   string
	scheme matcher // nil: exactly name
	name   string  // the scheme, when it has no star
	bare   bool    // the whole scheme: "file:"
	host   string  // normalised; empty with any
	ip     netip.Addr
	any    bool // every host
	below  bool // host and everything below it
	port   uint16
	path   matcher // nil: every path
	prefix string  // what "/x/*" matches besides: "/x"
	ok     bool
}

// matcher is what is used of a glob; its type differs between versions.
type matcher interface{ Match(string) bool }

// Options widen what a pattern may be.
type Options struct {
	// Web makes a pattern without a scheme cover http, https, ws and wss, as a
	// navigation policy means it, instead of https alone.
	Web bool
	// Wide allows *.com and other public suffixes: fine in a list of what is
	// blocked, a hole in a list of what is allowed.
	Wide bool
}

// Parse compiles a pattern.
//
// The scheme is https when there is none; it may hold stars ("http*://"), and a
// lone star stands for http, https, ws, wss and ftp. "file:" or "chrome:"
// (nothing after the colon) is the whole scheme.
//
// The host is a name, an address, "*.name" for the name and all below it, or
// "*" for every host. Case, a trailing dot and the script of a name make no
// difference. Wildcards over a public suffix (*.com, *.co.uk, *.github.io) are
// refused, and so is a star anywhere else.
//
// A port is compared only when the pattern has one. In a path a star stands for
// anything, slashes included, and "/x/*" covers "/x" too; without a path, or
// with "/", every path matches. Queries, fragments and user names have no place
// in a pattern.
//
// Errors say what to write instead.
func Parse(pattern string) (Pattern, error) { return ParseWith(pattern, Options{}) }

// ParseWith is [Parse] with options.
func ParseWith(pattern string, o Options) (Pattern, error) {
	p := Pattern{text: pattern}
	if err := p.parse(pattern, o); err != nil {
		return Pattern{}, fmt.Errorf("URL pattern %q: %w", pattern, err)
	}
	p.ok = true
	return p, nil
}

func (p *Pattern) parse(s string, o Options) error {
	if s == "" {
		return errors.New("is empty; * matches every https page")
	}
	if i := strings.IndexFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f }); i >= 0 {
		return errors.New("holds white space or a control character")
	}
	scheme, rest, hasScheme := strings.Cut(s, "://")
	if !hasScheme {
		if name, ok := strings.CutSuffix(s, ":"); ok && isScheme(name) && !strings.Contains(name, ".") {
			p.name, p.bare = strings.ToLower(name), true
			return nil
		}
		scheme, rest = "https", s
		if o.Web {
			scheme = "*"
		}
	}
	if err := p.parseScheme(strings.ToLower(scheme), !hasScheme && o.Web); err != nil {
		return err
	}
	if rest == "" {
		return errors.New("has no host; use * for every host")
	}
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		return fmt.Errorf("holds %q: queries and fragments cannot be matched", rest[i:i+1])
	}
	authority, path := rest, ""
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		authority, path = rest[:i], rest[i:]
	}
	if strings.IndexByte(authority, '@') >= 0 {
		return errors.New("holds a user name")
	}
	if err := p.parseHost(authority, o); err != nil {
		return err
	}
	return p.parsePath(path)
}

// webSchemes is what a lone star covers.
type webSchemes struct{ ftp bool }

func (w webSchemes) Match(s string) bool {
	return s == "http" || s == "https" || s == "ws" || s == "wss" || w.ftp && s == "ftp"
}

func (p *Pattern) parseScheme(s string, web bool) error {
	switch {
	case web:
		p.scheme = webSchemes{}
	case s == "*":
		p.scheme = webSchemes{ftp: true}
	case isScheme(s):
		p.name = s
	case !isScheme(strings.ReplaceAll(s, "*", "x")):
		return fmt.Errorf("%q is not a scheme", s)
	default:
		g, err := glob.Compile(s)
		if err != nil {
			return fmt.Errorf("scheme: %w", err)
		}
		p.scheme = g
	}
	return nil
}

func (p *Pattern) parseHost(authority string, o Options) error {
	if authority == "" {
		if p.name == "file" {
			return nil // file:///home/*
		}
		return errors.New("has no host")
	}
	host, port, ok := splitPort(authority)
	if !ok {
		return errors.New("has a broken host or port; write IPv6 addresses in brackets")
	}
	if port != "" || strings.HasSuffix(authority, ":") {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return fmt.Errorf("port %q is not a number from 1 to 65535", port)
		}
		p.port = uint16(n)
	}
	if host == "*" {
		p.any = true
		return nil
	}
	name, below := strings.CutPrefix(host, "*.")
	p.below = below
	if strings.ContainsAny(name, "*?{}") || name != host && strings.HasPrefix(name, "[") {
		return errors.New("a star may only stand for the host, or as \"*.\" before it; list the hosts you mean")
	}
	var err error
	if p.host, err = Host(name); err != nil {
		return fmt.Errorf("host %w", err)
	}
	p.ip, _ = IP(p.host)
	if !below {
		return nil
	}
	if p.ip.IsValid() {
		return errors.New("nothing lies below an address")
	}
	if suffix, icann := publicsuffix.PublicSuffix(p.host); !o.Wide && suffix == p.host && (icann || strings.Contains(suffix, ".")) {
		return fmt.Errorf("*.%s would cover everybody's sites; name the domains you mean", p.host)
	}
	return nil
}

func (p *Pattern) parsePath(path string) error {
	if path == "" || path == "/" || path == "/*" || path == "/**" {
		return nil
	}
	clean := cleanPath(path)
	if trimmed := strings.TrimRight(clean, "*"); trimmed != clean && strings.HasSuffix(trimmed, "/") {
		p.prefix = strings.TrimSuffix(trimmed, "/")
		if strings.Contains(p.prefix, "*") {
			g, err := globPath(p.prefix)
			if err != nil {
				return err
			}
			all, err := globPath(clean)
			if err != nil {
				return err
			}
			p.prefix, p.path = "", either{g, all}
			return nil
		}
	}
	g, err := globPath(clean)
	if err != nil {
		return err
	}
	p.path = g
	return nil
}

// either matches what one of two globs matches.
type either [2]matcher

func (e either) Match(s string) bool { return e[0].Match(s) || e[1].Match(s) }

// globPath compiles a path in which only the star is special.
func globPath(path string) (matcher, error) {
	parts := strings.Split(path, "*")
	for i := range parts {
		parts[i] = glob.QuoteMeta(parts[i])
	}
	g, err := glob.Compile(strings.Join(parts, "*"))
	if err != nil {
		return nil, fmt.Errorf("path: %w", err)
	}
	return g, nil
}

// String returns the pattern as it was written.
func (p Pattern) String() string { return p.text }

// Match reports whether the pattern covers a URL. Text that is not an absolute
// URL is covered by no pattern, and the page of a new tab by none that has a
// wildcard for its host.
func (p Pattern) Match(rawURL string) bool {
	u, ok := ParseURL(rawURL)
	return ok && p.MatchURL(u)
}

// MatchURL is [Pattern.Match] for a URL that was taken apart before.
func (p Pattern) MatchURL(u URL) bool {
	if !p.ok || !p.matchScheme(u.Scheme) {
		return false
	}
	if p.bare {
		return true
	}
	return !u.Opaque && p.matchHost(u) && p.matchRest(u)
}

func (p Pattern) matchScheme(s string) bool {
	if p.scheme != nil {
		return p.scheme.Match(s)
	}
	return p.name == s
}

func (p Pattern) matchHost(u URL) bool {
	switch {
	case p.any:
		return !u.tab && (u.Host != "" || u.Scheme == "file")
	case u.odd:
		return false
	case p.ip.IsValid():
		return p.ip == u.IP
	case p.host == u.Host:
		return true
	default:
		return p.below && isBelow(u.Host, p.host)
	}
}

// isBelow reports whether host is a true subdomain of parent.
func isBelow(host, parent string) bool {
	return len(host) > len(parent)+1 && host[len(host)-len(parent)-1] == '.' && strings.HasSuffix(host, parent)
}

func (p Pattern) matchRest(u URL) bool {
	if p.port != 0 && p.port != u.Port {
		return false
	}
	return p.path == nil || p.prefix != "" && p.prefix == u.Path || p.path.Match(u.Path)
}
