package browser

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/seed-4bdb41d0/webhand/internal/urlmatch"
)

// Policy says where a session may go. The zero value lets it open every web
// page and nothing of the machine it runs on: http, https, about:blank, data:
// and blob:, but no file:, chrome: or other scheme. docs/policy.md says what a
// policy stops and what it does not.
//
// A pattern is [scheme://]host[:port][/path]: a host, an address, "*.host" for
// it and all below, or "*". Without a scheme it covers http, https, ws and
// wss. A bare registrable name such as "example.com" covers its www name too;
// with a scheme it does not. "scheme:" is a whole scheme. Letter case, a
// trailing dot, the port when none is given, credentials and the way an
// address is spelled make no difference.
type Policy struct {
	// Allow lists the documents that may be opened, in tabs and in frames.
	// Empty allows all that nothing else refuses. With a list, data: and blob:
	// documents are refused unless Schemes names them.
	Allow []string
	// Block lists documents that may not be opened, even when Allow has them.
	Block []string
	// AllowResources lists what pages may load besides documents: scripts,
	// pictures, fetches, sockets. Empty allows all; hosts of Allow always are.
	AllowResources []string
	// BlockResources lists what pages may not load.
	BlockResources []string
	// Private is about addresses of the machine and its network: loopback,
	// private, link-local and shared ones, however they are spelled and
	// whatever name leads to them. Zero refuses them as soon as one of the
	// lists is set. An address, or localhost, that Allow or AllowResources
	// names itself is always allowed.
	Private Access
	// NoAddresses refuses hosts that are addresses instead of names.
	NoAddresses bool
	// Schemes lists further schemes that may be opened, such as "file".
	Schemes []string
}

// IsZero reports whether the policy sets nothing: it is then the zero value in
// all but form, since lists that are empty say the same as nil ones.
func (p Policy) IsZero() bool {
	return len(p.Allow)+len(p.Block)+len(p.AllowResources)+len(p.BlockResources)+len(p.Schemes) == 0 &&
		p.Private == AccessDefault && !p.NoAddresses
}

// Access is a permission with a default.
type Access int

// The values of [Access].
const (
	AccessDefault Access = iota
	AccessAllow
	AccessRefuse
)

// ErrBlocked is matched by every *PolicyError.
var ErrBlocked = errors.New("browser: blocked by policy")

// PolicyError says which rule refused an address.
type PolicyError struct {
	URL  string
	Rule string // such as: Block "*.evil.test"
	Hint string // what to do instead; may be empty
}

// Error names the address and the rule.
func (e *PolicyError) Error() string {
	s := fmt.Sprintf("browser: %s is blocked by policy: %s", e.URL, e.Rule)
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

// Is reports whether target is ErrBlocked.
func (e *PolicyError) Is(target error) bool { return target == ErrBlocked }

// policy is a Policy made ready to be asked.
type policy struct {
	allow, block       *urlmatch.List
	allowRes, blockRes *urlmatch.List
	allowHosts         *urlmatch.List // hosts that may be connected to when AllowResources is set
	blockHosts         *urlmatch.List // whole hosts of BlockResources
	named              map[string]bool
	schemes            []string
	refusePrivate      bool
	noAddresses        bool
	resolver           *net.Resolver // nil is the system's
}

// newPolicy checks and compiles a policy; every broken pattern is reported.
func newPolicy(p Policy) (*policy, error) {
	out := &policy{noAddresses: p.NoAddresses, named: make(map[string]bool)}
	var errs []error
	list := func(name string, patterns []string, wide bool) *urlmatch.List {
		l, err := urlmatch.NewList(withWWW(patterns), urlmatch.Options{Web: true, Wide: wide})
		if err != nil {
			errs = append(errs, fmt.Errorf("browser: Policy.%s: %w", name, err))
		}
		return l
	}
	out.allow = list("Allow", p.Allow, false)
	out.block = list("Block", p.Block, true)
	out.allowRes = list("AllowResources", p.AllowResources, false)
	out.blockRes = list("BlockResources", p.BlockResources, true)
	out.allowHosts = list("AllowResources", hostsOf(append(slices.Clone(p.Allow), p.AllowResources...)), false)
	var whole []string
	for _, s := range p.BlockResources {
		if hostsOf([]string{s})[0] == strings.TrimSuffix(s, "/*") {
			whole = append(whole, s)
		}
	}
	out.blockHosts = list("BlockResources", whole, true)
	for _, s := range p.Schemes {
		name := strings.ToLower(strings.TrimRight(s, ":/"))
		if name == "" || name == "javascript" {
			errs = append(errs, fmt.Errorf("browser: Policy.Schemes: %q cannot be allowed", s))
		}
		out.schemes = append(out.schemes, name)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	listed := len(p.Allow)+len(p.Block)+len(p.AllowResources)+len(p.BlockResources) > 0
	out.refusePrivate = p.Private == AccessRefuse || p.Private == AccessDefault && listed
	for _, s := range hostsOf(append(slices.Clone(p.Allow), p.AllowResources...)) {
		if _, rest, ok := strings.Cut(s, "://"); ok {
			s = rest
		}
		if u, ok := urlmatch.ParseURL("http://" + s); ok && !strings.Contains(s, "*") {
			out.named[u.Host] = true
		}
	}
	return out, nil
}

// withWWW adds the www name to bare registrable names: sites move between the
// two, and a list that does not follow is soon made too wide.
func withWWW(patterns []string) []string {
	out := slices.Clone(patterns)
	for _, s := range patterns {
		host, port, _ := strings.Cut(strings.TrimSpace(s), ":")
		if strings.ContainsAny(s, "*/[@") || host == "" || port == "" && strings.HasSuffix(s, ":") {
			continue
		}
		norm, err := urlmatch.Host(host)
		if err != nil {
			continue
		}
		if _, isIP := urlmatch.IP(norm); isIP {
			continue
		}
		if reg, err := publicsuffix.EffectiveTLDPlusOne(norm); err == nil && reg == norm {
			out = append(out, "www."+strings.TrimSpace(s))
		}
	}
	return out
}

// hostsOf cuts the paths off patterns.
func hostsOf(patterns []string) []string {
	var out []string
	for _, s := range patterns {
		scheme, rest, ok := strings.Cut(s, "://")
		if !ok {
			scheme, rest = "", s
		} else {
			scheme += "://"
		}
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			rest = rest[:i]
		}
		out = append(out, scheme+rest)
	}
	return out
}

// active reports whether requests have to be looked at.
func (p *policy) active() bool {
	return p.allow.Len()+p.block.Len()+p.allowRes.Len()+p.blockRes.Len() > 0 || p.refusePrivate || p.noAddresses
}

// resourcesByPath reports whether a rule about sub-resources needs more than a
// host to be decided.
func (p *policy) resourcesByPath() bool {
	return p.allowRes.Len() > 0 || p.blockRes.Len() > 0
}

// document decides about a document's address; nil allows it.
func (p *policy) document(raw string) *PolicyError {
	refuse := func(rule, hint string) *PolicyError {
		return &PolicyError{URL: shortURL(raw), Rule: rule, Hint: hint}
	}
	u, ok := urlmatch.ParseURL(raw)
	if !ok {
		return refuse("it is not an absolute URL", "give one such as https://example.com/")
	}
	switch {
	case isBlank(raw):
		return nil
	case u.Scheme == "blob":
		// A blob belongs to the origin that made it.
		if inner := u.Path; p.allow.Len() > 0 && !slices.Contains(p.schemes, "blob") {
			return refuse("scheme blob: is not listed", "")
		} else if _, web := urlmatch.ParseURL(inner); web && strings.HasPrefix(inner, "http") {
			return p.document(inner)
		}
		return nil
	}
	if _, err := urlmatch.Host(u.Host); u.Host != "" && err != nil {
		return refuse("its host is not one that a browser can open", "")
	}
	if pattern, ok := p.block.MatchURL(u); ok {
		return refuse(fmt.Sprintf("Block %q", pattern), "")
	}
	if err := p.address(raw, u); err != nil {
		return err
	}
	_, allowed := p.allow.MatchURL(u)
	switch u.Scheme {
	case "http", "https":
		if p.allow.Len() > 0 && !allowed {
			return refuse("no pattern of Allow covers it", "stay on the sites that are allowed")
		}
	case "data":
		if p.allow.Len() > 0 && !allowed && !slices.Contains(p.schemes, "data") {
			return refuse("scheme data: is not listed", "")
		}
	default:
		if !allowed && !slices.Contains(p.schemes, u.Scheme) {
			return refuse(fmt.Sprintf("scheme %s: is not listed", u.Scheme), "open http or https pages")
		}
	}
	return nil
}

// resource decides about anything a page loads that is not a document.
func (p *policy) resource(raw string) *PolicyError {
	u, ok := urlmatch.ParseURL(raw)
	if !ok || u.Opaque || u.Host == "" {
		return nil // data:, blob: and the like hold what the page has already
	}
	if pattern, ok := p.blockRes.MatchURL(u); ok {
		return &PolicyError{URL: shortURL(raw), Rule: fmt.Sprintf("BlockResources %q", pattern)}
	}
	if err := p.address(raw, u); err != nil {
		return err
	}
	if p.allowRes.Len() > 0 {
		if _, ok := p.allowRes.MatchURL(u); ok {
			return nil
		}
		if _, ok := p.allow.MatchURL(u); ok {
			return nil
		}
		return &PolicyError{URL: shortURL(raw), Rule: "no pattern of AllowResources covers it"}
	}
	return nil
}

// connect decides about a connection, of which only host and port are known.
func (p *policy) connect(hostport string) *PolicyError {
	u, ok := urlmatch.ParseURL("https://" + hostport + "/")
	if !ok {
		return &PolicyError{URL: hostport, Rule: "it is not a host"}
	}
	if err := p.address(hostport, u); err != nil {
		return err
	}
	any := func(l *urlmatch.List) (string, bool) {
		for _, scheme := range []string{"https", "http", "wss", "ws"} {
			u.Scheme = scheme
			if pattern, ok := l.MatchURL(u); ok {
				return pattern, true
			}
		}
		return "", false
	}
	if pattern, ok := any(p.blockHosts); ok {
		return &PolicyError{URL: hostport, Rule: fmt.Sprintf("BlockResources %q", pattern)}
	}
	if p.allowRes.Len() > 0 {
		if _, ok := any(p.allowHosts); !ok {
			return &PolicyError{URL: hostport, Rule: "no pattern of AllowResources covers it"}
		}
	}
	return nil
}

// address decides about the host as it is written.
func (p *policy) address(raw string, u urlmatch.URL) *PolicyError {
	refuse := func(rule string) *PolicyError { return &PolicyError{URL: shortURL(raw), Rule: rule} }
	if p.noAddresses && u.IP.IsValid() {
		return refuse("NoAddresses: the host is an address")
	}
	if !p.refusePrivate || p.named[u.Host] {
		return nil
	}
	if u.IP.IsValid() && isPrivate(u.IP) {
		return refuse(fmt.Sprintf("Private: %s is an address of this machine or its network", u.IP))
	}
	if isLocalName(u.Host) {
		return refuse(fmt.Sprintf("Private: %s is this machine or its network", u.Host))
	}
	return nil
}

// resolved decides about an address that a name led to.
func (p *policy) resolved(host string, ip netip.Addr) *PolicyError {
	if !p.refusePrivate || !isPrivate(ip) {
		return nil
	}
	if norm, err := urlmatch.Host(host); err == nil && p.named[norm] {
		if _, isIP := urlmatch.IP(norm); isIP || isLocalName(norm) {
			return nil
		}
	}
	return &PolicyError{URL: host, Rule: fmt.Sprintf("Private: its address %s is of this machine or its network", ip.Unmap())}
}

// isBlank are the addresses of a page without content.
func isBlank(raw string) bool {
	switch strings.TrimSuffix(strings.ToLower(strings.TrimSpace(raw)), "/") {
	case "about:blank", "about:srcdoc", "chrome://newtab", "chrome://new-tab-page":
		return true
	}
	return strings.HasPrefix(strings.ToLower(raw), "about:blank#") || strings.HasPrefix(strings.ToLower(raw), "about:blank?")
}

// shortURL keeps credentials, and more than a reader wants, out of messages.
func shortURL(raw string) string {
	if scheme, rest, ok := strings.Cut(raw, "://"); ok {
		end := strings.IndexAny(rest, "/?#")
		if end < 0 {
			end = len(rest)
		}
		if at := strings.LastIndexByte(rest[:end], '@'); at >= 0 {
			raw = scheme + "://" + rest[at+1:]
		}
	}
	if len(raw) > 200 {
		raw = raw[:200] + "..."
	}
	return raw
}
