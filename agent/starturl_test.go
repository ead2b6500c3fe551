package agent

import "testing"

func TestStartURL(t *testing.T) {
	for _, tt := range []struct{ task, want string }{
		{"Go to https://example.com and read the title", "https://example.com"},
		{"Go to example.com and read the title", "https://example.com"},
		{"Open example.com/shop?q=a#top, then buy", "https://example.com/shop?q=a#top"},
		{"Read https://mysite.python.org please", "https://mysite.python.org"},
		{"See https://github.com/foo.js/bar.", "https://github.com/foo.js/bar"},
		{"Visit (https://example.com/a_b_(c)).", "https://example.com/a_b"}, // a bracket ends an address in prose
		{"On http://localhost:8080/x find the price", "http://localhost:8080/x"},
		{"On http://127.0.0.1:8080/x find the price", "http://127.0.0.1:8080/x"},
		{"open file:///tmp/a.html", "file:///tmp/a.html"},
		{"查看 news.ycombinator.com 的首页", "https://news.ycombinator.com"},
		{"Auf müller.de suchen", "https://müller.de"},
		{"Look at x.com", "https://x.com"},
		{"Compare example.com and example.org", ""},
		{"Go to example.com. Yes, example.com!", "https://example.com"},
		{"It costs 3.50.USD, buy it", ""},
		{"Use node.js and v1.2 of it", ""},
		{"Read README.md and main.py", ""},
		{"Write to a.b@example.com", ""},
		{"Never go to example.com", ""},
		{"Don't use example.com for this", ""},
		{"Search, but do not open example.com", ""},
		{"The knot is at example.com", "https://example.com"},
		{"Another one: example.com", "https://example.com"},
		{"Fill in http://xxx.xxx.com/path", ""},
		{"e.g. look for a lamp, i.e. a light", ""},
		{"Find the price of a lamp", ""},
		{"Log in at https://user:pw@example.com", ""},
		{"javascript:alert(1)", ""},
		{"Go to notatld.zzzzz", ""},
		{"at 12.30 open 10.0.0.1", ""},
		{"", ""},
	} {
		if got := startURL(tt.task); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.task, got, tt.want)
		}
	}
}

func FuzzStartURL(f *testing.F) {
	for _, s := range []string{"go to example.com", "http://[::1", "a.b.c", "....", "https://", "x@y.com"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, task string) { _ = startURL(task) })
}
