package browser

import (
	"bytes"
	goflag "flag"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"

	"github.com/seed-4bdb41d0/webhand/dom"
)

var realPages = goflag.String("pages", "", "folder of saved pages (.html) to look at besides")

// Pages so large that a walk could take for ever give a state within its
// deadline, under its budget, with what is in view.
func TestHugePagesGiveAState(t *testing.T) {
	rows := []struct{ name, html, target string }{
		{"100,000 nodes", `<button>Top</button><div id=d></div><script>d.innerHTML = '<p>a <b>b</b></p>'.repeat(50000)</script>`, "Top"},
		{"10 MB in one node", `<button>Top</button><p id=d style="height:300px;overflow:hidden"></p><script>d.textContent = 'words and '.repeat(1 << 20)</script>`, "Top"},
		{"10 MB in an attribute and a field", `<button id=b>Top</button><textarea id=d></textarea><script>d.value = 'x'.repeat(10 << 20); b.title = 'y'.repeat(10 << 20)</script>`, "Top"},
		// Chrome's own hit test of such a line takes minutes.
		{"20,000 boxes in one line", `<button>Top</button><div id=d style="white-space:nowrap"></div><script>d.innerHTML = '<span>w</span> <a href=#>l</a> <b>b</b> '.repeat(6667)</script>`, "l"},
		{"100,000 boxes in a paragraph", `<button>Top</button><div id=d></div><script>d.innerHTML = '<span>w</span> <a href=#>l</a> <b>b</b> '.repeat(33334)</script>`, "l"},
	}
	pages := map[string]string{}
	for i, r := range rows {
		pages[fmt.Sprintf("/p%d", i)] = r.html
	}
	srv := serve(t, pages)
	s := patientSession(t)
	for i, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if _, err := s.Navigate(testContext(t), fmt.Sprintf("%s/p%d", srv.URL, i)); err != nil {
				t.Fatal(err)
			}
			for _, full := range []bool{false, true} {
				st := again(t, s, StateOptions{Full: full, Timeout: 60 * time.Second})
				mustTarget(t, st, row.target)
				untested := strings.Contains(st.Text.String, "<missing>whether something covers")
				if strings.Contains(row.name, "one line") != untested {
					t.Errorf("full %v: says that it is not known what is covered: %v", full, untested)
				}
				if n := dom.Tokens(st.Text.String); n > dom.DefaultBudget {
					t.Errorf("full %v: %d tokens", full, n)
				}
				if len(st.Text.String) > 64<<10 {
					t.Errorf("full %v: %d bytes", full, len(st.Text.String))
				}
			}
		})
	}
}

// patientSession gives a page two minutes: Chrome itself needs its time to lay
// out a huge one.
func patientSession(t *testing.T) *Session {
	t.Helper()
	b, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	s, err := b.NewSession(testContext(t), Config{HangTimeout: 2 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// A walk that may take no time answers with what it has and says so.
func TestWalkCutShortSaysSo(t *testing.T) {
	srv := serve(t, map[string]string{"/": `<button>Top</button><div id=d></div><script>d.innerHTML = '<p>a <b>b</b></p>'.repeat(20000)</script>`})
	s := newTestSession(t)
	if _, err := s.Navigate(testContext(t), srv.URL); err != nil {
		t.Fatal(err)
	}
	tab, err := s.active(testContext(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []dom.WalkOptions{{Full: true, MaxNodes: 500}, {Full: true, Limit: time.Millisecond}} {
		top, _, _, err := tab.capture(testContext(t), o)
		if err != nil {
			t.Fatal(err)
		}
		p := dom.Build(top, nil, nil)
		if len(p.Missing) != 1 || !strings.Contains(p.Text(dom.TextOptions{}).String, "<missing>") {
			t.Errorf("%+v: missing %q, %d elements", o, p.Missing, len(p.Elements))
		}
	}
}

// Frames that change while the page is walked leave the rest of the page as it
// is.
func TestFramesInMotion(t *testing.T) {
	srv := serve(t, map[string]string{
		"/inner": `<button>Inside</button>`,
		"/hop":   `<button>Hop</button><script>setTimeout(() => { location.replace('/hop?' + Math.random()) }, 15)</script>`,
		"/":      ``,
	})
	other := strings.Replace(srv.URL, "127.0.0.1", "localhost", 1)
	outer := serve(t, map[string]string{
		"/navigating": `<button>Out</button><iframe width=200 height=60 src="` + srv.URL + `/hop"></iframe><iframe width=200 height=60 src="` + other + `/hop"></iframe>`,
		"/detaching": `<button>Out</button><script>setInterval(() => {
			for (const f of document.querySelectorAll('iframe')) f.remove();
			for (const h of ['` + srv.URL + `', '` + other + `']) { const f = document.createElement('iframe'); f.src = h + '/inner'; document.body.append(f) }
		}, 25)</script>`,
		"/itself": `<button>Out</button><iframe width=600 height=300 src="/itself?"></iframe><script>document.querySelector('iframe').src = '/itself?' + location.search + 'x'</script>`,
	})
	s := newTestSession(t)
	for _, path := range []string{"/navigating", "/detaching", "/itself"} {
		t.Run(path[1:], func(t *testing.T) {
			if _, err := s.Navigate(testContext(t), outer.URL+path); err != nil {
				t.Fatal(err)
			}
			for range 8 {
				mustTarget(t, again(t, s, StateOptions{Fresh: true, Timeout: 30 * time.Second}), "Out")
			}
		})
	}
}

// What is no HTML page, or none at all, has a state that says what it is.
func TestDocumentsOfOtherKinds(t *testing.T) {
	mux := http.NewServeMux()
	give := func(path, kind, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = w.Write([]byte(body))
		})
	}
	give("/pdf", "application/pdf", "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Count 1/Kids[3 0 R]>>endobj 3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>endobj\ntrailer<</Root 1 0 R>>")
	give("/image", "image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"><text x="5" y="20">Drawn words</text></svg>`)
	give("/gif", "image/gif", "GIF89a\x01\x00\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x01\x00\x00")
	give("/text", "text/plain", "plain words <b>as they are</b>")
	give("/xml", "application/xml", "<a><b>xml words</b></a>")
	give("/json", "application/json", `{"json": "words"}`)
	give("/video", "video/mp4", "not really")
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	s := newTestSession(t)
	for _, row := range []struct{ path, want string }{
		{"/image", "Drawn words"}, {"/text", "plain words"}, {"/xml", "xml words"}, {"/json", "words"}, {"/gif", ""}, {"/video", ""}, {"/pdf", ""},
	} {
		// A document of a kind that is downloaded is no navigation: what is
		// shown then is the page before.
		_, err := s.Navigate(testContext(t), srv.URL+row.path)
		st := again(t, s, StateOptions{Timeout: 30 * time.Second})
		if err == nil && (st.URL == "" || st.Text.String == "") {
			t.Errorf("%s: told as %q, of %q", row.path, st.Text.String, st.URL)
		}
		if !strings.Contains(st.Text.String, row.want) {
			t.Errorf("%s: no %q in:\n%s", row.path, row.want, st.Text.String)
		}
	}
	// A server that is gone leaves Chrome's own page.
	gone := httptest.NewServer(nil)
	gone.Close()
	if _, err := s.Navigate(testContext(t), gone.URL); err == nil {
		t.Error("a server that is gone is no error")
	}
	if st := again(t, s, StateOptions{}); st.Page == nil {
		t.Error("no state of the error page")
	}
}

// A viewport of nothing, a tab behind another: there is still a state, and it
// does not claim that something is in view which cannot be.
func TestOddViewports(t *testing.T) {
	srv := serve(t, map[string]string{"/": `<button>Here</button><div style="height:3000px"></div><button>There</button>`, "/other": `<button>Other</button>`})
	b, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	s, err := b.NewSession(testContext(t), Config{Viewport: Size{Width: 1, Height: 1}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	st := look(t, s, srv.URL, StateOptions{Full: true})
	mustTarget(t, st, "There")
	for i := range st.Page.Elements {
		if e := &st.Page.Elements[i]; e.State.Has(dom.InView) && e.Bounds.Y > 1 {
			t.Errorf("in view: %+v", e)
		}
	}
	if st = again(t, s, StateOptions{Screenshot: true, Marks: true}); st.Page.ViewW > 8 {
		t.Errorf("the viewport is %d wide", st.Page.ViewW)
	}

	s = newTestSession(t)
	look(t, s, srv.URL, StateOptions{})
	first := s.Tabs()[0].ID
	if _, err := s.NewTab(testContext(t), srv.URL+"/other"); err != nil {
		t.Fatal(err)
	}
	mustTarget(t, again(t, s, StateOptions{}), "Other")
	other, err := s.active(testContext(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SwitchTab(testContext(t), first); err != nil {
		t.Fatal(err)
	}
	mustTarget(t, again(t, s, StateOptions{}), "Here")

	// Someone else brings another tab to the front: the session's own is
	// behind it, and still seen whole, with a picture.
	if err := other.sess.Call(testContext(t), page.CommandBringToFront, nil, nil); err != nil {
		t.Fatal(err)
	}
	mustTarget(t, again(t, s, StateOptions{Fresh: true, Full: true}), "There")
	st = again(t, s, StateOptions{Fresh: true, Screenshot: true})
	mustTarget(t, st, "Here")
	if len(st.Screenshot) == 0 || len(st.Page.Missing) > 0 {
		t.Errorf("%d bytes of picture, missing %q", len(st.Screenshot), st.Page.Missing)
	}
}

// Boxes are drawn where the elements are on a device of twice the pixels, too.
func TestMarksAtTwiceThePixels(t *testing.T) {
	srv := serve(t, map[string]string{"/": `<body style="background:#111;color:#eee"><button style="margin:40px">Night</button>`})
	b, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	s, err := b.NewSession(testContext(t), Config{Viewport: Size{Width: 400, Height: 300}, DeviceScale: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	st := look(t, s, srv.URL, StateOptions{Screenshot: true, Marks: true})
	img := decodePNG(t, st.Screenshot)
	if img.Bounds().Dx() != 800 || st.Page.Scale != 2 {
		t.Fatalf("%v pixels at scale %v", img.Bounds(), st.Page.Scale)
	}
	e := mustTarget(t, st, "Night")
	plain := decodePNG(t, again(t, s, StateOptions{Screenshot: true, Fresh: true}).Screenshot)
	x, y := 2*(e.Bounds.X+e.Bounds.W/2), 2*(e.Bounds.Y+e.Bounds.H)-1
	if img.At(x, y) == plain.At(x, y) {
		t.Errorf("no box at the lower edge of %+v", e.Bounds)
	}
}

func decodePNG(t *testing.T, b []byte) image.Image {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// The pages of a folder, given by -pages, are seen whole: what the oracle says
// can be used is listed, and the text keeps its budget.
func TestRealPages(t *testing.T) {
	if *realPages == "" {
		t.Skip("no folder is given by -pages")
	}
	files, err := filepath.Glob(filepath.Join(*realPages, "*.html"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no .html in %s: %v", *realPages, err)
	}
	srv := httptest.NewServer(http.FileServer(http.Dir(*realPages)))
	t.Cleanup(srv.Close)
	s := newTestSession(t)
	for _, f := range files {
		name := filepath.Base(f)
		t.Run(name, func(t *testing.T) {
			st := look(t, s, srv.URL+"/"+name, StateOptions{Timeout: 60 * time.Second})
			if n := dom.Tokens(st.Text.String); n > dom.DefaultBudget {
				t.Errorf("%d tokens", n)
			}
			oracle, err := Evaluate[[]string](testContext(t), s, oracleJS)
			if err != nil {
				t.Fatal(err)
			}
			have := make(map[string]bool)
			listed := 0
			for i := range st.Page.Elements {
				if e := &st.Page.Elements[i]; e.Index > 0 && e.State.Has(dom.InView) {
					have[fmt.Sprintf("%s %d %d %d %d", e.Tag, e.Bounds.X, e.Bounds.Y, e.Bounds.W, e.Bounds.H)] = true
					listed++
				}
			}
			for _, o := range oracle {
				if !have[o] {
					t.Errorf("%s can be used and is not listed", o)
				}
			}
			full := again(t, s, StateOptions{Full: true, Timeout: 60 * time.Second, Text: dom.TextOptions{Budget: -1}})
			t.Logf("%d elements, %d usable in view, %d listed there; %d tokens, whole %d", st.Page.Nodes, len(oracle), listed, st.Text.Tokens, full.Text.Tokens)
		})
	}
}

// A dialog makes the page behind it inert; an empty field there ended the walk.
func TestEmptyFieldsInAnInertPart(t *testing.T) {
	srv := serve(t, map[string]string{"/": `<main inert><p>Behind</p><input style="width:200px"><textarea></textarea><button style="width:50px;height:20px"></button><canvas></canvas></main>
		<dialog open><button>Close</button></dialog>`})
	s := newTestSession(t)
	st := look(t, s, srv.URL, StateOptions{})
	mustTarget(t, st, "Close")
	if !strings.Contains(st.Text.String, "Behind") || st.Page.Targets() != 1 {
		t.Errorf("%d targets in:\n%s", st.Page.Targets(), st.Text.String)
	}
}
