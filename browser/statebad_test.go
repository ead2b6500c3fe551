package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/dom"
)

// Pages that make other tools fail: each gives a state, with what can be used
// on it, or says what is missing.
func TestHardPagesGiveAState(t *testing.T) {
	rows := []struct{ name, html, target, setup string }{
		{"deep", `<div id=d></div><script>let e = d; for (let i = 0; i < 2000; i++) { const c = document.createElement('div'); e.append(c); e = c }
			e.innerHTML = '<button>Deep</button>'</script>`, "Deep", ""},
		{"wide", `<ul id=l></ul><script>l.innerHTML = Array.from({length: 30000}, (_, i) => '<li><a href=#' + i + '>item ' + i + '</a>').join('')</script>`, "item 3", ""},
		{"long text", `<button>First</button><p id=p></p><script>p.textContent = 'words and '.repeat(300000)</script>`, "First", ""},
		{"lone surrogate", `<button id=b></button><script>b.textContent = 'a\ud800b'</script>`, "a\uFFFDb", ""},
		{"frame that detaches", `<iframe id=f srcdoc="<button>In</button>"></iframe><button>Out</button>`, "Out", `document.getElementById('f').remove()`},
		{"document without a body", `<button>B</button>`, "", `document.body.remove()`},
		{"document without a root", `<button>B</button>`, "", `document.documentElement.remove()`},
		{"frameset", `<html><frameset cols="50%,50%"><frame src="/inner"><frame src="/inner"></frameset></html>`, "Inside", ""},
		{"object", `<object data="/inner" type="text/html" width=300 height=200></object>`, "Inside", ""},
		{"dialog on top", `<button>Under</button><dialog id=g><button>Over</button></dialog><script>g.showModal()</script>`, "Over", ""},
		{"popover", `<button>Under</button><div id=g popover><button>Over</button></div><script>g.showPopover()</script>`, "Over", ""},
		{"scaled frame", `<iframe style="transform:scale(.5);transform-origin:0 0" width=400 height=300 src="/inner"></iframe>`, "Inside", ""},
		{"zoomed frame", `<div style="zoom:2"><iframe width=300 height=100 src="/inner"></iframe></div>`, "Inside", ""},
		{"busy page", `<button>B</button><script>let n = 0; (function f() { document.body.dataset.n = n++; requestAnimationFrame(f) })()</script>`, "B", ""},
	}
	pages := map[string]string{"/inner": `<button>Inside</button>`}
	for i, r := range rows {
		pages[fmt.Sprintf("/p%d", i)] = r.html
	}
	srv := serve(t, pages)
	s := newTestSession(t)
	for i, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if _, err := s.Navigate(testContext(t), fmt.Sprintf("%s/p%d", srv.URL, i)); err != nil {
				t.Fatal(err)
			}
			if row.setup != "" {
				run(t, s, row.setup)
			}
			st := again(t, s, StateOptions{Timeout: 30 * time.Second})
			if row.target != "" {
				e := mustTarget(t, st, row.target)
				x, y := e.Bounds.X+e.Bounds.W/2, e.Bounds.Y+e.Bounds.H/2
				if e.State.Has(dom.InView) && (x < 0 || y < 0 || x > st.Page.ViewW || y > st.Page.ViewH) {
					t.Errorf("in view at %+v of %dx%d", e.Bounds, st.Page.ViewW, st.Page.ViewH)
				}
				if row.name == "scaled frame" && (x < 10 || x > 60 || y < 5 || y > 40) {
					t.Errorf("box in a scaled frame: %+v", e.Bounds)
				}
				if row.name == "zoomed frame" && (e.Bounds.W < 80 || x > 250) {
					t.Errorf("box in a zoomed frame: %+v", e.Bounds)
				}
			}
			if st.Text.Tokens > dom.DefaultBudget {
				t.Errorf("%d tokens", st.Text.Tokens)
			}
		})
	}
}

func TestDocumentsThatAreNoPages(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/csp", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'; sandbox")
		w.Header().Set("Content-Type", "text/html")
		w.Write([]byte("<!doctype html><button>Strict</button>"))
	})
	mux.HandleFunc("/pdf", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/pdf")
		w.Write([]byte("%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Count 0/Kids[]>>endobj\ntrailer<</Root 1 0 R>>"))
	})
	mux.HandleFunc("/svg", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/svg+xml")
		w.Write([]byte(`<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"><a href="/x"><rect width="50" height="50" fill="red"/></a></svg>`))
	})
	mux.HandleFunc("/png", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/gif")
		w.Write([]byte("GIF89a\x01\x00\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x01\x00\x00"))
	})
	mux.HandleFunc("/json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write([]byte(`{"a": 1}`))
	})
	mux.HandleFunc("/self", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<button>Self</button><iframe src="/self?%sx"></iframe>`, r.URL.RawQuery)
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	s := newTestSession(t)
	for _, path := range []string{"/csp", "/svg", "/png", "/json", "/self", "/nothing"} {
		st := look(t, s, srv.URL+path, StateOptions{})
		if st.Page.ContentType == "" || st.URL == "" {
			t.Errorf("%s: %+v", path, st.Page)
		}
		if path == "/csp" {
			mustTarget(t, st, "Strict")
		}
		if path == "/json" && !strings.Contains(st.Text.String, `"a"`) {
			t.Errorf("JSON is not read:\n%s", st.Text.String)
		}
	}
	if _, err := s.Navigate(testContext(t), "about:blank"); err != nil {
		t.Fatal(err)
	}
	if st := again(t, s, StateOptions{}); st.Page.Targets() != 0 {
		t.Errorf("about:blank has targets:\n%s", st.Text.String)
	}
}

func TestStateHoldsItsDeadlineOnAHungPage(t *testing.T) {
	srv := serve(t, map[string]string{"/": `<button>B</button>`})
	s := newTestSession(t)
	look(t, s, srv.URL, StateOptions{})
	run(t, s, `setTimeout(() => { for (;;) {} }, 0)`)
	for range 100 {
		start := time.Now()
		_, err := s.State(testContext(t), StateOptions{Timeout: 2 * time.Second, Fresh: true})
		if d := time.Since(start); d > 30*time.Second {
			t.Fatalf("took %v", d)
		}
		if err != nil {
			return // said so, in time
		}
	}
	t.Fatal("a page that hangs gives states")
}

// A policy may list the scheme; what the source says is then text like any.
func TestViewSourceThatAPolicyAllowsIsAPage(t *testing.T) {
	srv := serve(t, map[string]string{"/": `<button>Shown</button>`})
	s := policySession(t, Policy{Schemes: []string{"view-source"}})
	st := look(t, s, "view-source:"+srv.URL, StateOptions{})
	if !strings.Contains(st.Text.String, "‹button> Shown") {
		t.Errorf("of %q:\n%s", st.URL, st.Text.String)
	}
}

// The source of a page, in the way Chrome shows it, is refused by the scheme,
// and the page before is still seen.
func TestViewSourceIsRefusedAndNothingHangs(t *testing.T) {
	srv := serve(t, map[string]string{"/": `<button>Shown</button>`})
	s := newTestSession(t)
	look(t, s, srv.URL, StateOptions{})
	if _, err := s.Navigate(testContext(t), "view-source:"+srv.URL); err == nil || !strings.Contains(err.Error(), "scheme view-source: is not listed") {
		t.Errorf("error %v", err)
	}
	if st := again(t, s, StateOptions{Fresh: true}); st.URL == "" || !strings.Contains(st.Text.String, "Shown") {
		t.Errorf("of %q:\n%s", st.URL, st.Text.String)
	}
}
