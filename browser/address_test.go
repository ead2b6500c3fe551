package browser

import (
	"encoding/json"
	"strings"
	"testing"
)

// A long address that is almost a plain path is read at once: one of a
// newspaper, with a ~ at its end, held the page for ever.
func TestLinksOfEverySpelling(t *testing.T) {
	hrefs := []string{
		"/plain", "/plain/path/", "/a/b.html?x=1&y=2", "/a//b", "//localhost/x", "/a/./b", "/a/../b", "/.hidden", "/a/b.", "/a.b/c", "/", "/?q", "/%20x", "/a b",
		"/" + strings.Repeat("aston-villa-west-ham-premier-league/", 8) + "r~ada3322c3af511ecad06ac1f6b220ee8",
		"/" + strings.Repeat("a.b-", 200) + "!", "x/y", "?z=1", "#top", "mailto:a@b.test", "/ü",
	}
	var page strings.Builder
	page.WriteString(`<title>links</title>`)
	for _, h := range hrefs {
		page.WriteString(`<p><a href="` + h + `">link</a></p>`)
	}
	url := serveMux(t, html(page.String()))
	s := newTestSession(t)
	if _, err := s.Navigate(testContext(t), url); err != nil {
		t.Fatal(err)
	}
	st := again(t, s, StateOptions{Full: true})
	var got []string
	for _, e := range st.Page.Elements {
		if e.Tag == "a" {
			got = append(got, e.Href)
		}
	}
	want := mustEval[[]string](t, s, `[...document.links].map((a) => a.href.slice(0, 1000))`)
	g, _ := json.Marshal(got)
	w, _ := json.Marshal(want)
	if string(g) != string(w) || len(want) != len(hrefs) {
		t.Errorf("links are\n%s\nwant\n%s", g, w)
	}
}
