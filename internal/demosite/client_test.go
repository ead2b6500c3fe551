package demosite_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/seed-4bdb41d0/webhand/internal/demosite"
)

// serve starts a site for one test.
func serve(t *testing.T, cfg demosite.Config) *demosite.Server {
	t.Helper()
	srv, err := demosite.Start(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := srv.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return srv
}

// client is one visitor with a cookie jar.
type client struct {
	t    *testing.T
	base string
	http *http.Client
}

// answer is a response read to its end; path is where redirects led.
type answer struct {
	status int
	path   string
	header http.Header
	body   string
	page   *html.Node // body, parsed
}

func visitorOf(t *testing.T, base string) *client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &client{t: t, base: base, http: &http.Client{Jar: jar}}
}

func (c *client) do(req *http.Request) answer {
	c.t.Helper()
	resp, err := c.http.Do(req)
	if err != nil {
		c.t.Fatalf("%s %s: %v", req.Method, req.URL, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatalf("%s %s: read: %v", req.Method, req.URL, err)
	}
	page, err := html.ParseWithOptions(bytes.NewReader(body), html.ParseOptionEnableScripting(false))
	if err != nil {
		c.t.Fatalf("%s %s: parse: %v", req.Method, req.URL, err)
	}
	return answer{resp.StatusCode, resp.Request.URL.RequestURI(), resp.Header, string(body), page}
}

func (c *client) get(path string) answer {
	c.t.Helper()
	req, err := http.NewRequest(http.MethodGet, c.base+path, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	return c.do(req)
}

// post sends a form, given as alternating names and values.
func (c *client) post(path string, pairs ...string) answer {
	c.t.Helper()
	form := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		form.Add(pairs[i], pairs[i+1])
	}
	req, err := http.NewRequest(http.MethodPost, c.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return c.do(req)
}

// want fails the test unless the answer has the status and all the texts.
func (a answer) want(t *testing.T, status int, texts ...string) {
	t.Helper()
	if a.status != status {
		t.Fatalf("%s: status %d, want %d\n%s", a.path, a.status, status, textOf(a.page))
	}
	if len(texts) == 0 {
		return
	}
	all := textOf(a.page)
	for _, s := range texts {
		if !strings.Contains(all, s) {
			t.Errorf("%s: no %q in:\n%s", a.path, s, all)
		}
	}
}

func attr(n *html.Node, key string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val, true
		}
	}
	return "", false
}

func byID(n *html.Node, id string) *html.Node {
	for d := range n.Descendants() {
		if v, ok := attr(d, "id"); ok && v == id {
			return d
		}
	}
	return nil
}

func textOf(n *html.Node) string {
	if n == nil {
		return ""
	}
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode && d.Parent.Data != "script" && d.Parent.Data != "style" {
			b.WriteString(d.Data)
			b.WriteByte(' ')
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
