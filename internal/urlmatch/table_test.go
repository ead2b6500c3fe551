package urlmatch

import "testing"

// TestTruthTable holds every row of the table that was measured on the Python
// reference. reason is set where the answer differs and says why.
func TestTruthTable(t *testing.T) {
	for _, tt := range []struct {
		row          int
		url, pattern string
		reference    bool
		want         bool
		reason       string
		refused      bool // the pattern is an error at registration
	}{
		{row: 1, url: "https://example.com", pattern: "example.com", reference: true, want: true},
		{row: 2, url: "http://example.com", pattern: "example.com"},
		{row: 3, url: "https://google.com", pattern: "example.com"},
		{row: 4, url: "https://www.example.com", pattern: "example.com"},
		{row: 5, url: "https://sub.example.com", pattern: "*.example.com", reference: true, want: true},
		{row: 6, url: "https://example.com", pattern: "*.example.com", reference: true, want: true},
		{row: 7, url: "https://sub.sub.example.com", pattern: "*.example.com", reference: true, want: true},
		{row: 8, url: "https://notexample.com", pattern: "*.example.com"},
		{row: 9, url: "https://example.org", pattern: "*.example.com"},
		{row: 10, url: "http://sub.example.com", pattern: "*.example.com"},
		{row: 11, url: "https://example.com", pattern: "http*://example.com", reference: true, want: true},
		{row: 12, url: "http://example.com", pattern: "http*://example.com", reference: true, want: true},
		{row: 13, url: "ftp://example.com", pattern: "http*://example.com"},
		{row: 14, url: "http://example.com", pattern: "http://example.com", reference: true, want: true},
		{row: 15, url: "https://example.com", pattern: "http://example.com"},
		{row: 16, url: "http://a.example.com", pattern: "http*://*.example.com", reference: true, want: true},
		{row: 17, url: "chrome-extension://abcdefghijkl", pattern: "chrome-extension://*", reference: true, want: true},
		{row: 18, url: "chrome-extension://mnopqrstuvwx", pattern: "chrome-extension://abcdefghijkl"},
		{row: 19, url: "about:blank", pattern: "*://*"},
		{row: 20, url: "chrome://new-tab-page/", pattern: "*://*"},
		{row: 21, url: "chrome://newtab", pattern: "chrome://*"},
		{row: 22, url: "chrome://settings", pattern: "chrome://*", reference: true, want: true},
		{row: 23, url: "https://example.com", pattern: "*", reference: true, want: true},
		{row: 24, url: "http://example.com", pattern: "*"},
		{row: 25, url: "http://example.com", pattern: "*://*", reference: true, want: true},
		{row: 26, url: "http://localhost:3000/a", pattern: "localhost"},
		{row: 27, url: "http://localhost:3000/a", pattern: "http*://localhost", reference: true, want: true},
		{row: 28, url: "http://127.0.0.1:8000", pattern: "http://127.0.0.1:9999", reference: true,
			reason: "a port in the pattern was dropped, so another server on the machine was covered"},
		{row: 29, url: "http://[::1]:80/", pattern: "http://[::1]", want: true,
			reason: "an IPv6 address in the pattern was cut at its first colon and matched nothing"},
		{row: 30, url: "https://[::1]/", pattern: "*", reference: true, want: true},
		{row: 31, url: "https://google.com", pattern: "*google.com", refused: true},
		{row: 32, url: "https://google.com.evil.com", pattern: "*.*.com", refused: true},
		{row: 33, url: "https://google.com", pattern: "**google.com", refused: true},
		{row: 34, url: "https://google.com", pattern: "g*e.com", refused: true},
		{row: 35, url: "https://google.com", pattern: "*com*", refused: true},
		{row: 36, url: "https://sub.domain.example.com", pattern: "*.*.example.com", refused: true},
		{row: 37, url: "https://example.com", pattern: "example.*", refused: true},
		{row: 38, url: "https://example.co.uk", pattern: "example.co.*", refused: true},
		{row: 39, url: "https://foo.google.com", pattern: "*.google.*", refused: true},
		{row: 40, url: "https://anything.com", pattern: "*.com", reference: true, refused: true,
			reason: "a wildcard over a public suffix covers everybody's sites"},
		{row: 41, url: "https://com", pattern: "*.com", reference: true, refused: true,
			reason: "the same pattern as in row 40"},
		{row: 42, url: "https://sub.example.com", pattern: "sub.*.com", reference: true, refused: true,
			reason: "the star spanned dots, so sub.a.attacker.com was covered"},
		{row: 43, url: "https://sub.example.com", pattern: "sub.*", refused: true},
		{row: 44, url: "https://a.example.com", pattern: "*.exampl?.com", reference: true, refused: true,
			reason: "? was a wildcard as soon as the pattern held a star, and a character otherwise"},
		{row: 45, url: "https://example.com", pattern: "exampl?.com", refused: true},
		{row: 46, url: "not-a-url", pattern: "example.com"},
		{row: 47, url: "http://", pattern: "example.com"},
		{row: 48, url: "ftp:/example.com", pattern: "example.com"},
		{row: 49, url: "", pattern: "*"},
		{row: 50, url: "https://example.com", pattern: "", refused: true},
		{row: 51, url: "file:///path/x.txt", pattern: "file://*", want: true,
			reason: "a file has no host, and this is how its pattern is written"},
		{row: 52, url: "data:text/html,hi", pattern: "*://*"},
		{row: 53, url: "javascript:alert(1)", pattern: "*"},
		{row: 54, url: "https://example.com", pattern: "..example.com", refused: true},
		{row: 55, url: "https://example.com", pattern: ".*.example.com", refused: true},
		{row: 56, url: "https://example.com", pattern: "**", refused: true},
		{row: 57, url: "https://example.com/redirect?url=https://evil.com", pattern: "example.com", reference: true, want: true},
		{row: 58, url: "https://evil.com/https://example.com", pattern: "example.com"},
		{row: 59, url: "https://example.com@evil.com", pattern: "example.com"},
		{row: 60, url: "https://user:example.com@evil.com", pattern: "example.com"},
		{row: 61, url: "https://evil.com?example.com", pattern: "example.com"},
		{row: 62, url: "https://user:pass@example.com:8080/p?q#f", pattern: "example.com", reference: true, want: true},
		{row: 63, url: "https://example.com:8080", pattern: "example.com:9090", reference: true,
			reason: "as row 28: the ports differ"},
		{row: 64, url: "https://example.com/path/to/page", pattern: "example.com/path"},
		{row: 65, url: "https://example.com/", pattern: "https://example.com/", want: true,
			reason: "the slash that browsers print after an origin killed the pattern"},
		{row: 66, url: "HTTPS://EXAMPLE.COM", pattern: "example.com", reference: true, want: true},
		{row: 67, url: "https://example.com.", pattern: "example.com", want: true,
			reason: "the dot of the root names the same host"},
		{row: 68, url: "https://xn--e1afmkfd.xn--p1ai", pattern: "пример.рф", want: true,
			reason: "both are one host, written in two ways"},
		{row: 69, url: "https:example.com", pattern: "example.com"},
		{row: 70, url: "https://example.com", pattern: "https://", refused: true},
		{row: 71, url: "http://[bad", pattern: "*"},
		{row: 72, url: "https://exa mple.com", pattern: "*", reference: true, want: true},
		{row: 73, url: "blob:https://example.com/id", pattern: "example.com"},
		{row: 74, url: "wss://example.com", pattern: "ws*://example.com", reference: true, want: true},
	} {
		p, err := Parse(tt.pattern)
		if (err != nil) != tt.refused {
			t.Errorf("row %d: Parse(%q): %v, want refused %v", tt.row, tt.pattern, err, tt.refused)
		}
		if got := p.Match(tt.url); got != tt.want {
			t.Errorf("row %d: %q matches %q: %v, want %v", tt.row, tt.pattern, tt.url, got, tt.want)
		}
		if (tt.reference != tt.want) != (tt.reason != "") {
			t.Errorf("row %d: differs from the reference without a reason, or the other way round", tt.row)
		}
	}
}
