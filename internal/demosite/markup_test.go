package demosite_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/seed-4bdb41d0/webhand/internal/demosite"
)

// notFollowed are links that are there to fail, or never to end.
var notFollowed = []string{"/errors/404", "/errors/500", "/errors/503", "/errors/empty", "/errors/reset", "/redirect/loop", "/slow/hang", "/slow?ms=3000"}

// Every page the site links to, for a member with an order and a cart: found,
// well formed, and complete in itself.
func TestEveryPageIsWellFormedAndEveryLinkLeadsSomewhere(t *testing.T) {
	srv := serve(t, demosite.Config{Today: monday})
	c := visitorOf(t, srv.URL)
	c.post("/cart/add", "slug", "porridge-bowl")
	c.post("/checkout", goodCheckout()...)
	c.post("/cart/add", "slug", "porridge-bowl")
	c.post("/login", "user", demosite.User, "password", demosite.Password)
	c.post("/login/code", "code", codeAt(t, time.Now())).want(t, 200, "WH-1001")

	titles := map[string]string{}
	for _, a := range crawl(t, c, srv) {
		a.want(t, 200)
		if !strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
			continue
		}
		checkPage(t, a)
		page, _, _ := strings.Cut(a.path, "?")
		title := titleOf(a.page)
		if other, ok := titles[title]; ok && other != page && title != "" {
			t.Errorf("%s and %s are both called %q", page, other, title)
		}
		titles[title] = page
	}
}

func TestGuestAndErrorPagesAreWellFormedToo(t *testing.T) {
	c := visitorOf(t, serve(t, demosite.Config{Today: monday}).URL)
	for _, path := range []string{"/", "/cart", "/login"} {
		checkPage(t, c.get(path))
	}
	c.post("/cart/add", "slug", "porridge-bowl")
	checkPage(t, c.post("/checkout"))
	checkPage(t, c.post("/login", "user", "nobody"))
	c.post("/login", "user", demosite.User, "password", demosite.Password)
	checkPage(t, c.post("/login/code", "code", "1"))
	checkPage(t, c.get("/errors/500"))
	checkPage(t, c.get("/shop?q=zzz"))
	c.get("/ads/collect?note=x")
	checkPage(t, c.get("/ads/collected"))
}

// crawl follows links, images, scripts, frames and forms that are fetched with
// GET, and returns the answers in the order they were found.
func crawl(t *testing.T, c *client, srv *demosite.Server) []answer {
	t.Helper()
	var answers []answer
	queue := []string{"/", "/bench", "/checkout", "/account", "/login"}
	for i := 0; i < len(queue); i++ {
		a := c.get(queue[i])
		answers = append(answers, a)
		if !strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
			continue
		}
		at, err := url.Parse(srv.URL + a.path)
		if err != nil {
			t.Fatal(err)
		}
		for _, ref := range references(a.page) {
			u, err := at.Parse(ref)
			if err != nil {
				t.Errorf("%s: %q is no address", a.path, ref)
				continue
			}
			origin := u.Scheme + "://" + u.Host
			if origin != srv.URL && origin != srv.SecondOrigin {
				t.Errorf("%s leads outside: %s", a.path, ref)
				continue
			}
			path := u.RequestURI()
			// One page of a listing is like another, and one order of the report.
			if strings.Contains(path, "page=") && !strings.HasSuffix(path, "page=2") || slices.Contains(notFollowed, path) ||
				strings.HasPrefix(path, "/ads/collect?") || strings.HasPrefix(path, "/report?") && !strings.HasSuffix(path, "sort=units") {
				continue
			}
			if !slices.Contains(queue, path) {
				queue = append(queue, path)
			}
		}
	}
	if len(queue) < 100 {
		t.Errorf("only %d addresses were found", len(queue))
	}
	return answers
}

func references(doc *html.Node) []string {
	var out []string
	for n := range doc.Descendants() {
		for _, key := range []string{"href", "src", "action"} {
			v, ok := attr(n, key)
			if !ok || key == "action" && !strings.EqualFold(methodOf(n), "get") {
				continue
			}
			out = append(out, v)
		}
	}
	return out
}

func methodOf(form *html.Node) string {
	if m, ok := attr(form, "method"); ok {
		return m
	}
	return "get"
}

func titleOf(doc *html.Node) string {
	for n := range doc.Descendants() {
		if n.Data == "title" && n.Parent.Data == "head" {
			return textOf(n)
		}
	}
	return ""
}

var void = strings.Fields("area base br col embed hr img input link meta source track wbr")

// checkPage holds what every page has to hold.
func checkPage(t *testing.T, a answer) {
	t.Helper()
	checkTags(t, a)
	doc := a.page
	ids := map[string]*html.Node{}
	count := map[string]int{}
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		count[n.Data]++
		if id, ok := attr(n, "id"); ok {
			if id == "" || strings.ContainsAny(id, " \t\n") || ids[id] != nil {
				t.Errorf("%s: the id %q is empty, has a space, or is there twice", a.path, id)
			}
			ids[id] = n
		}
	}
	frame := strings.HasPrefix(a.path, "/widget/")
	part := strings.HasPrefix(a.path, "/slow/content") || strings.HasPrefix(a.path, "/shop/results")
	if !part && (count["main"] != 1 || count["h1"] != 1 || titleOf(doc) == "") {
		t.Errorf("%s: %d main, %d h1, title %q", a.path, count["main"], count["h1"], titleOf(doc))
	}
	if !part && !frame && (count["header"] < 1 || count["footer"] < 1 || count["nav"] < 2) {
		t.Errorf("%s: landmarks are missing: %v", a.path, count)
	}
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode {
			checkElement(t, a.path, n, ids)
		}
	}
}

func checkElement(t *testing.T, path string, n *html.Node, ids map[string]*html.Node) {
	t.Helper()
	for _, key := range []string{"for", "aria-labelledby", "aria-describedby", "aria-controls", "list", "form", "headers"} {
		v, _ := attr(n, key)
		for id := range strings.FieldsSeq(v) {
			if ids[id] == nil {
				t.Errorf("%s: %s=%q of <%s> leads to nothing", path, key, v, n.Data)
			}
		}
	}
	if href, ok := attr(n, "href"); ok && len(href) > 1 && href[0] == '#' && ids[href[1:]] == nil {
		t.Errorf("%s: the link %s leads to nothing", path, href)
	}
	switch n.Data {
	case "img", "area":
		if _, ok := attr(n, "alt"); !ok {
			t.Errorf("%s: <%s> without alt", path, n.Data)
		}
	case "iframe":
		if v, _ := attr(n, "title"); v == "" {
			t.Errorf("%s: a frame without a title", path)
		}
	case "input", "select", "textarea", "button", "a":
		if kind, _ := attr(n, "type"); kind != "hidden" && !named(n, ids) {
			var b strings.Builder
			_ = html.Render(&b, n)
			t.Errorf("%s: nothing names %s", path, b.String())
		}
	}
	if n.Data == "button" {
		if _, ok := attr(n, "type"); !ok {
			t.Errorf("%s: the button %q does not say its type", path, textOf(n))
		}
	}
}

// named reports whether a screen reader has something to say for n.
func named(n *html.Node, ids map[string]*html.Node) bool {
	if v, _ := attr(n, "aria-label"); v != "" {
		return true
	}
	if v, ok := attr(n, "aria-labelledby"); ok && textOf(ids[v]) != "" {
		return true
	}
	if textOf(n) != "" && (n.Data == "a" || n.Data == "button") {
		return true
	}
	for p := n.Parent; p != nil; p = p.Parent {
		if p.Data == "label" && textOf(p) != "" {
			return true
		}
	}
	id, _ := attr(n, "id")
	root := n
	for root.Parent != nil {
		root = root.Parent
	}
	for l := range root.Descendants() {
		if f, _ := attr(l, "for"); l.Data == "label" && id != "" && f == id && textOf(l) != "" {
			return true
		}
	}
	return false
}

// checkTags reports tags that are not closed, closed in the wrong order, or
// closed by the parser before the author did (a list in a paragraph).
func checkTags(t *testing.T, a answer) {
	t.Helper()
	z := html.NewTokenizer(strings.NewReader(a.body))
	var open []string
	written := map[string]int{}
	for {
		switch z.Next() {
		case html.ErrorToken:
			if len(open) > 0 {
				t.Errorf("%s: never closed: %v", a.path, open)
			}
			parsed := map[string]int{}
			for n := range a.page.Descendants() {
				if n.Type == html.ElementNode {
					parsed[n.Data]++
				}
			}
			for tag, n := range written {
				if parsed[strings.ToLower(tag)] != n {
					t.Errorf("%s: %d <%s> are written, and a browser makes %d", a.path, n, tag, parsed[tag])
				}
			}
			return
		case html.StartTagToken:
			name, _ := z.TagName()
			tag := string(name)
			written[tag]++
			if !slices.Contains(void, tag) {
				open = append(open, tag)
			}
		case html.SelfClosingTagToken:
			name, _ := z.TagName()
			written[string(name)]++
		case html.EndTagToken:
			name, _ := z.TagName()
			if len(open) == 0 || open[len(open)-1] != string(name) {
				t.Errorf("%s: </%s> closes nothing, open are %v", a.path, name, open)
				return
			}
			open = open[:len(open)-1]
		}
	}
}
