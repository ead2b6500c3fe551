package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/memory/longterm"
	"github.com/seed-4bdb41d0/webhand/memory/rest"
	"github.com/seed-4bdb41d0/webhand/memory/serve"
	"github.com/seed-4bdb41d0/webhand/memory/sqlite"
)

var anna = longterm.Scope{UserID: "anna"}

// site serves the page and the routes it calls on one origin.
func site(t *testing.T, rules serve.Rules) (*longterm.Memory, *httptest.Server) {
	t.Helper()
	mem, err := sqlite.Open(context.Background(), ":memory:", longterm.Config{})
	if err != nil {
		t.Fatal(err)
	}
	api, err := rest.New(rest.Config{Memory: mem, Rules: rules})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/ui/", Handler("/ui/", rules))
	mux.Handle("/", api)
	srv := httptest.NewServer(mux)
	t.Cleanup(func() {
		srv.Close()
		if err := mem.Close(); err != nil {
			t.Error(err)
		}
	})
	return mem, srv
}

// page is the page in a real browser.
type page struct {
	*testing.T
	ctx context.Context
	s   *browser.Session
}

func openPage(t *testing.T, url string) *page {
	t.Helper()
	if _, err := browser.FindChrome(); err != nil {
		t.Skip("there is no Chrome on this machine")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	s, err := browser.New(ctx, browser.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	p := &page{t, ctx, s}
	p.open(url)
	return p
}

func (p *page) open(url string) {
	p.Helper()
	if _, err := p.s.Navigate(p.ctx, url); err != nil {
		p.Fatal(err)
	}
}

func (p *page) eval(js string) string {
	p.Helper()
	v, err := browser.Evaluate[string](p.ctx, p.s, js)
	if err != nil {
		p.Fatalf("%s: %v", js, err)
	}
	return v
}

// wait waits for an expression to become true.
func (p *page) wait(js string) {
	p.Helper()
	_, err := browser.Evaluate[bool](p.ctx, p.s, `new Promise((done) => { const look = () => { if (`+js+`) done(true); else setTimeout(look, 20); }; look(); })`)
	if err != nil {
		p.Fatalf("waiting for %s: %v; the page says %s", js, err, p.eval(`document.body.innerText`))
	}
}

// click clicks the middle of an element with the mouse.
func (p *page) click(selector string) {
	p.Helper()
	var at struct{ X, Y float64 }
	js := fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.scrollIntoView({block: "center"}); const r = e.getBoundingClientRect(); return JSON.stringify({x: r.x + r.width/2, y: r.y + r.height/2}); })()`, selector)
	if err := json.Unmarshal([]byte(p.eval(js)), &at); err != nil {
		p.Fatal(err)
	}
	if _, err := p.s.ClickAt(p.ctx, at.X, at.Y, browser.ClickOptions{}); err != nil {
		p.Fatalf("click on %s: %v", selector, err)
	}
}

// fill types into a field in place of what it holds.
func (p *page) fill(selector, text string) {
	p.Helper()
	p.click(selector)
	p.eval(fmt.Sprintf(`document.querySelector(%q).select(), ""`, selector))
	if _, err := p.s.SendKeys(p.ctx, text); err != nil {
		p.Fatal(err)
	}
	p.wait(fmt.Sprintf(`document.querySelector(%q).value === %q`, selector, text))
}

// shown are the texts of the memories on the page.
func (p *page) shown() string {
	p.Helper()
	return p.eval(`[...document.querySelectorAll("li .memory")].map((e) => e.textContent).join("|")`)
}

func TestPage(t *testing.T) {
	mem, srv := site(t, serve.Rules{})
	add := func(sc longterm.Scope, text string) string {
		t.Helper()
		res, err := mem.Add(t.Context(), longterm.Text(text), longterm.AddOptions{Scope: sc, NoInfer: true})
		if err != nil {
			t.Fatal(err)
		}
		return res.Results[0].ID
	}
	tea := add(anna, "Likes jasmine tea")
	add(anna, "Lives in Oslo")
	const nasty = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`
	add(anna, nasty)
	add(longterm.Scope{UserID: "bob"}, "Likes black tea")

	p := openPage(t, srv.URL+"/ui/")
	p.fill("#user", "anna")
	p.click("#who button")
	p.wait(`document.querySelectorAll("#list > li").length === 3`)
	if got := p.shown(); got != nasty+"|Lives in Oslo|Likes jasmine tea" {
		t.Errorf("the page shows %q", got)
	}
	if title := p.eval(`document.title`); title != "Memories" {
		t.Errorf("a memory ran as a script: the title is %q", title)
	}
	if mode := p.eval(`document.getElementById("mode").textContent`); !strings.Contains(mode, "lexical") {
		t.Errorf("the page does not say that the search is lexical: %q", mode)
	}

	p.fill("#query", "which tea")
	p.click("#find button")
	p.wait(`document.querySelectorAll("#list > li").length === 1 && document.querySelector(".meta").textContent.includes("score")`)
	if got := p.shown(); got != "Likes jasmine tea" {
		t.Errorf("the search finds %q", got)
	}

	p.click("li .edit")
	p.fill("li textarea", "Likes green tea")
	p.click("li .save")
	p.wait(`document.querySelector("li .memory").textContent === "Likes green tea"`)
	if it, err := mem.Get(t.Context(), tea); err != nil || it.Memory != "Likes green tea" {
		t.Errorf("stored %+v, %v", it, err)
	}

	p.click("li .history")
	p.wait(`document.querySelectorAll(".past > li").length === 2`)
	if got := p.eval(`document.querySelector(".past").textContent`); !strings.Contains(got, "ADD") || !strings.Contains(got, "UPDATE") {
		t.Errorf("the history is %q", got)
	}

	p.click("li .delete")
	if _, err := mem.Get(t.Context(), tea); err != nil {
		t.Errorf("one press deletes already: %v", err)
	}
	p.click("li .delete")
	p.wait(`document.querySelectorAll("#list > li").length === 0`)
	if _, err := mem.Get(t.Context(), tea); err == nil {
		t.Error("the memory is still there")
	}

	p.fill("#text", "Plays chess")
	p.click("#new button")
	p.wait(`document.getElementById("status").textContent === "Added"`)
	if got := p.shown(); !strings.HasPrefix(got, "Plays chess|") {
		t.Errorf("after an add the page shows %q", got)
	}

	p.fill("#user", "a b")
	p.click("#who button")
	p.wait(`document.getElementById("status").classList.contains("bad")`)
	if got := p.eval(`document.getElementById("status").textContent`); !strings.Contains(got, "white space") {
		t.Errorf("a fault is told as %q", got)
	}
}

func TestPageAsksForAKey(t *testing.T) {
	mem, srv := site(t, serve.Rules{Keys: []serve.Key{{Secret: "secret-of-anna", UserID: "anna"}}})
	if _, err := mem.Add(t.Context(), longterm.Text("Likes tea"), longterm.AddOptions{Scope: anna, NoInfer: true}); err != nil {
		t.Fatal(err)
	}
	p := openPage(t, srv.URL+"/ui/?user_id=anna")
	p.wait(`document.getElementById("status").textContent.includes("key is needed")`)
	p.fill("#key", "secret-of-anna")
	p.click("#who button")
	p.wait(`document.querySelectorAll("#list > li").length === 1`)
	if html := p.eval(`document.documentElement.outerHTML`); strings.Contains(html, "secret-of-anna") {
		t.Error("the key is in the page's markup")
	}
}

func TestPageIsForItsOwnOriginOnly(t *testing.T) {
	h := Handler("/ui/", serve.Rules{})
	for _, tt := range []struct {
		host string
		want int
	}{{"127.0.0.1:1", 200}, {"evil.test", 403}} {
		req := httptest.NewRequest("GET", "/ui/", nil)
		req.Host = tt.host
		w := httptest.NewRecorder()
		h.ServeHTTP(w, req)
		if w.Code != tt.want {
			t.Errorf("Host %s: %d, want %d", tt.host, w.Code, tt.want)
		}
		if tt.want == 200 && !strings.Contains(w.Header().Get("Content-Security-Policy"), "script-src 'self'") {
			t.Error("the page has no content policy")
		}
	}
}
