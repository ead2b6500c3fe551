package urlmatch

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

// FuzzMatch: nothing panics, and a pattern that names a host never matches a
// URL whose host is neither that host nor below it, where the judge of the
// URL's host is net/url.
func FuzzMatch(f *testing.F) {
	for _, seed := range [][2]string{
		{"example.com", "https://example.com@evil.test/"},
		{"*.example.com", "https://evil.test/x.example.com"},
		{"*.example.com", `https://evil.test\.example.com`},
		{"http*://[::1]:80/a/*", "http://[::1]/a/b"},
		{"пример.рф", "https://xn--e1afmkfd.xn--p1ai"},
		{"x.test/*/[b]{c}/*", "https://x.test/a/%5bb]/../c"},
		{"127.0.0.1", "https://0x7f.1/"},
		{"file:///*", "file:///etc/passwd"},
		{"chrome:", "chrome:x"},
		{"x.test/%ff*", "https://x.test/\xff"},
		{"*://*", "https:///\t//a b/"},
		{"ws*://a.b", "wss://user:p@ss@a.b:1/%"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, pattern, raw string) {
		ParseURL(raw)
		p, err := Parse(pattern)
		if err != nil {
			if p.Match(raw) {
				t.Fatalf("a refused pattern matches")
			}
			return
		}
		if again, err := Parse(p.String()); err != nil || again.Match(raw) != p.Match(raw) {
			t.Fatalf("%q does not read back: %v", p, err)
		}
		if !p.Match(raw) || p.any || p.bare || p.host == "" {
			return
		}
		u, err := url.Parse(strings.NewReplacer("\t", "", "\n", "", "\r", "", `\`, "/").Replace(strings.TrimSpace(raw)))
		if err != nil || u.Hostname() == "" {
			return // browsers read more than net/url does; the tables cover those
		}
		host, err := Host(u.Hostname())
		if err != nil {
			if a, aerr := netip.ParseAddr(u.Hostname()); aerr == nil && p.ip == a.Unmap() {
				return
			}
			t.Fatalf("%q matches %q, whose host %q is none: %v", pattern, raw, u.Hostname(), err)
		}
		if ip, ok := IP(host); ok && ip == p.ip {
			return
		}
		if host != p.host && !(p.below && strings.HasSuffix(host, "."+p.host)) {
			t.Fatalf("%q matches %q, whose host is %q", pattern, raw, host)
		}
	})
}
