package urlmatch

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
)

func TestMatch(t *testing.T) {
	for _, tt := range []struct {
		pattern string
		yes, no []string
	}{
		{
			pattern: "https://example.com",
			yes:     []string{"https://example.com", "https://example.com:8443/x", "https://EXAMPLE.com.:443/"},
			no: []string{
				"https://example.com.evil.test/", "https://example.com@evil.test/", `https://evil.test\@example.com`,
				"https://evil.test/?x=.example.com", "https://evil.test#example.com", "https://xexample.com", "//example.com", "example.com",
			},
		},
		{
			pattern: "*.example.com",
			yes:     []string{"https://example.com", "https://a.b.example.com", `https:\\a.example.com\x`, "https:///a.example.com", "https://a.example.com\t/"},
			no:      []string{"https://evil.test/?x=.example.com", "https://evil.test/.example.com", "https://aexample.com", "https://.example.com"},
		},
		{
			pattern: "https://*.shop.test/admin/*",
			yes: []string{
				"https://shop.test/admin/", "https://shop.test/admin", "https://eu.shop.test/admin/refund/7?x=1#y",
				"https://shop.test/a/../admin/x", "https://shop.test/%61dmin/x", "https://shop.test/./admin/./x",
			},
			no: []string{
				"https://shop.test/", "https://shop.test/administration", "https://shop.test/admin/../cart", "https://shop.test/admin/%2e%2e/cart",
				`https://shop.test/admin\..\cart`, "https://shop.test/x/admin/", "https://shop.test/?/admin/x", "https://shop.test/ADMIN/x",
			},
		},
		{
			pattern: "shop.test/*/edit",
			yes:     []string{"https://shop.test/item/edit", "https://shop.test/a/b/edit"},
			no:      []string{"https://shop.test/edit", "https://shop.test/item/edit/x"},
		},
		{
			pattern: "shop.test/*/admin/*",
			yes:     []string{"https://shop.test/de/admin", "https://shop.test/de/admin/x"},
			no:      []string{"https://shop.test/admin/x"},
		},
		{
			pattern: "shop.test/[a]{b}?", // the question mark is refused, see TestParseRefuses
		},
		{
			pattern: "shop.test/[a]{b,c}",
			yes:     []string{"https://shop.test/[a]{b,c}", "https://shop.test/%5Ba%5D%7bb,c}"},
			no:      []string{"https://shop.test/ab", "https://shop.test/ac"},
		},
		{
			pattern: "https://example.com:443",
			yes:     []string{"https://example.com", "https://example.com:443/x"},
			no:      []string{"https://example.com:8443"},
		},
		{
			pattern: "http*://localhost:3000",
			yes:     []string{"http://localhost:3000/a", "https://LOCALHOST:3000"},
			no:      []string{"http://localhost", "http://localhost:30000"},
		},
		{
			pattern: "http://127.0.0.1",
			yes: []string{
				"http://127.0.0.1:8000/", "http://2130706433/", "http://0x7f.1/", "http://0177.0.0.1", "http://127.1",
				"http://[::ffff:7f00:1]/", "http://[::ffff:127.0.0.1]/", "http://１２７.0.0.1/", "http://127.0.0.1./",
			},
			no: []string{"http://127.0.0.2", "http://127.0.0.1.evil.test", "http://256.0.0.1", "http://1.2.3.4.5"},
		},
		{
			pattern: "http://[2001:DB8::1]:8080",
			yes:     []string{"http://[2001:db8:0:0::1]:8080/"},
			no:      []string{"http://[2001:db8::1]/", "http://[2001:db8::2]:8080/", "http://[2001:db8::1%25eth0]:8080/"},
		},
		{
			pattern: "bücher.test",
			yes:     []string{"https://xn--bcher-kva.test", "https://BÜCHER.test/", "https://b%C3%BCcher.test"},
			no:      []string{"https://bucher.test"},
		},
		{
			pattern: "xn--bcher-kva.test",
			yes:     []string{"https://bücher.test"},
		},
		{
			pattern: "example.com",
			yes:     []string{"https://ｅｘａｍｐｌｅ.com", "https://example。com", "https://ex%61mple.com"},
			no:      []string{"https://ex\u0430mple.com"}, // a Cyrillic letter
		},
		{
			pattern: "my_host.test",
			yes:     []string{"https://my_host.test", "https://MY_host.test"},
		},
		{
			pattern: "file:///home/me/*",
			yes:     []string{"file:///home/me/x.html", "file:///home/me"},
			no:      []string{"file:///home/you/x.html", "file:///home/me/../you/x", "file://server/home/me/x", "https://home/me/x"},
		},
		{
			pattern: "file:",
			yes:     []string{"file:///etc/passwd", "FILE:///x"},
			no:      []string{"https://file", "file"},
		},
		{
			pattern: "data:",
			yes:     []string{"data:text/html,<h1>x"},
			no:      []string{"https://data"},
		},
		{
			pattern: "chrome://version",
			yes:     []string{"chrome://version", "chrome://version/"},
			no:      []string{"chrome://settings", "https://version"},
		},
		{
			pattern: "chrome://newtab",
			yes:     []string{"chrome://newtab/"},
		},
		{
			pattern: "*://*",
			yes:     []string{"http://a.test", "wss://a.test", "ftp://a.test"},
			no:      []string{"chrome://settings", "file:///x", "chrome-extension://abc", "data:,x", "about:blank", "blob:https://a.test/1", ""},
		},
		{
			pattern: "*.corp",
			yes:     []string{"https://wiki.corp"},
			no:      []string{"https://corp.test"},
		},
	} {
		p, err := Parse(tt.pattern)
		if err != nil && len(tt.yes)+len(tt.no) > 0 {
			t.Errorf("Parse(%q): %v", tt.pattern, err)
			continue
		}
		for _, u := range tt.yes {
			if !p.Match(u) {
				t.Errorf("%q does not match %q", tt.pattern, u)
			}
		}
		for _, u := range tt.no {
			if p.Match(u) {
				t.Errorf("%q matches %q", tt.pattern, u)
			}
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for pattern, want := range map[string]string{
		"":                        "is empty",
		" example.com":            "white space",
		"example.com/a b":         "white space",
		"https://":                "has no host",
		"https:///x":              "has no host",
		"https://user@x.test":     "user name",
		"x.test?q":                "queries and fragments",
		"x.test/p?q=1":            "queries and fragments",
		"x.test/#top":             "queries and fragments",
		"x.test:port":             "port",
		"x.test:0":                "port",
		"x.test:":                 "port",
		"x.test:70000":            "port",
		"::1":                     "brackets",
		"[::1":                    "brackets",
		"[::g]":                   "not an IPv6 address",
		"*.[::1]":                 "brackets",
		"*.10.0.0.1":              "below an address",
		"1.2.3.4.5":               "not an IPv4 address",
		"*.co.uk":                 "everybody's sites",
		"*.github.io":             "everybody's sites",
		"*.рф":                    "everybody's sites",
		"*.COM.":                  "everybody's sites",
		"example.*":               "star",
		"*.*.x":                   "star",
		"a*b.test":                "star",
		"{a,b}.test":              "star",
		"ht!tp://x.test":          "not a scheme",
		"exa^mple.com":            "not a host",
		"xn--a.test":              "not a host",
		strings.Repeat(".", 3):    "not a host",
		"http*://*.com/x":         "everybody's sites",
		"javascript:alert(1)":     "port",
		"https://x.test/\x00":     "control character",
		"https://a.test/%zz?":     "queries",
		"https://*.*":             "star",
		"https://*:80:80":         "broken host or port",
		"https://" + "x.test@y/p": "user name",
	} {
		_, err := Parse(pattern)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q) = %v, want an error with %q", pattern, err, want)
		}
	}
}

func TestOptions(t *testing.T) {
	web, err := ParseWith("example.com", Options{Web: true})
	if err != nil {
		t.Fatal(err)
	}
	for u, want := range map[string]bool{
		"http://example.com": true, "https://example.com:1": true, "ws://example.com": true, "wss://example.com": true,
		"ftp://example.com": false, "chrome://example.com": false, "http://a.example.com": false,
	} {
		if web.Match(u) != want {
			t.Errorf("%s: %v, want %v", u, !want, want)
		}
	}
	if _, err := ParseWith("*.ru", Options{}); err == nil {
		t.Error("*.ru without Wide: no error")
	}
	wide, err := ParseWith("*.ru", Options{Wide: true})
	if err != nil || !wide.Match("https://a.ru") {
		t.Errorf("*.ru with Wide: %v", err)
	}
}

func TestZeroPatternMatchesNothing(t *testing.T) {
	var p Pattern
	for _, u := range []string{"", "https://x.test", "about:blank", "file:///x", "data:,"} {
		if p.Match(u) {
			t.Errorf("the zero Pattern matches %q", u)
		}
	}
}

func TestHost(t *testing.T) {
	for in, want := range map[string]string{
		"EXAMPLE.com.": "example.com", "bücher.test": "xn--bcher-kva.test", "0x7f000001": "127.0.0.1",
		"017700000001": "127.0.0.1", "0": "0.0.0.0", "[0:0::1]": "[::1]", "faß.de": "xn--fa-hia.de", "a%2eb": "a.b",
	} {
		got, err := Host(in)
		if err != nil || got != want {
			t.Errorf("Host(%q) = %q, %v, want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"", ".", "a..b", ".a", "a b", "a/b", "a:1", "[::1", "0x100000000", "1.2.3.256", "08.1", "a%zz", "a\x01b", "[fe80::1%eth0]"} {
		if got, err := Host(in); err == nil {
			t.Errorf("Host(%q) = %q, want an error", in, got)
		}
	}
}

func TestIP(t *testing.T) {
	for in, want := range map[string]string{
		"127.0.0.1": "127.0.0.1", "[::ffff:127.0.0.1]": "127.0.0.1", "[fe80::1]": "fe80::1", "example.com": "", "host1": "", "": "",
	} {
		got, ok := IP(in)
		if want == "" {
			if ok {
				t.Errorf("IP(%q) = %v", in, got)
			}
			continue
		}
		if !ok || got != netip.MustParseAddr(want) {
			t.Errorf("IP(%q) = %v %v, want %s", in, got, ok, want)
		}
	}
}

func TestList(t *testing.T) {
	l, err := NewList([]string{"example.com", "*.shop.test", "http://10.0.0.1:8080", "file:", "*://*:9", "shop.test/only/*"}, Options{Web: true})
	if err != nil {
		t.Fatal(err)
	}
	if l.Len() != 6 {
		t.Errorf("Len() = %d", l.Len())
	}
	for u, want := range map[string]string{
		"http://example.com/x":        "example.com",
		"https://a.b.shop.test":       "*.shop.test",
		"https://shop.test/only/x":    "shop.test/only/*",
		"https://shop.test/x":         "*.shop.test",
		"http://0xa000001:8080/":      "http://10.0.0.1:8080",
		"http://10.0.0.1/":            "",
		"file:///x":                   "file:",
		"http://whatever.test:9/":     "*://*:9",
		"http://www.example.com":      "",
		"https://example.com@evil.io": "",
		"nonsense":                    "",
	} {
		got, ok := l.Match(u)
		if got != want || ok != (want != "") {
			t.Errorf("Match(%q) = %q, %v, want %q", u, got, ok, want)
		}
	}
	if _, err := NewList([]string{"a.*", "b", "*.com"}, Options{}); err == nil ||
		!strings.Contains(err.Error(), "a.*") || !strings.Contains(err.Error(), "*.com") {
		t.Errorf("NewList with two broken patterns: %v, want both named", err)
	}
	var none *List
	if _, ok := none.Match("https://x.test"); ok || none.Len() != 0 {
		t.Error("a nil List matches")
	}
}

// A list answers exactly as its patterns one by one do.
func TestListAgreesWithPatterns(t *testing.T) {
	patterns := []string{"example.com", "*.example.com", "a.example.com/x/*", "http://[::1]", "*", "chrome:", "http*://127.0.0.1:80"}
	urls := []string{
		"https://example.com", "https://a.example.com/x/y", "http://a.example.com/x", "http://[::1]/", "chrome://x", "http://127.1/",
		"https://127.1/", "about:blank", "https://exa mple.com", "file:///x",
	}
	for i := range 1 << len(patterns) {
		var set []string
		for j, p := range patterns {
			if i&(1<<j) != 0 {
				set = append(set, p)
			}
		}
		l, err := NewList(set, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range urls {
			want := false
			for _, s := range set {
				p, _ := Parse(s)
				want = want || p.Match(u)
			}
			if _, got := l.Match(u); got != want {
				t.Fatalf("%q in %q: %v, want %v", u, set, got, want)
			}
		}
	}
}

func BenchmarkPatternMatch(b *testing.B) {
	p, err := Parse("https://*.shop.test/admin/*")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if !p.Match("https://eu.shop.test/admin/refunds/17?page=2") {
			b.Fatal("no match")
		}
	}
}

func BenchmarkListMatch10k(b *testing.B) {
	patterns := make([]string, 10_000)
	for i := range patterns {
		patterns[i] = fmt.Sprintf("*.site%d.test", i)
	}
	l, err := NewList(patterns, Options{Web: true})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := l.Match("https://a.b.site9999.test/x/y?z"); !ok {
			b.Fatal("no match")
		}
	}
}
