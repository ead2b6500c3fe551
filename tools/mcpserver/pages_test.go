package mcpserver

import (
	"fmt"
	"net/http"
	"strings"
)

// pages is a small site: a form, a long page, a page that stays the same but
// for a counter.
func pages() http.Handler {
	mux := http.NewServeMux()
	page := func(path, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, "<!doctype html>", body)
		})
	}
	page("/{$}", `<title>Home</title><h1>Welcome</h1><a href="/form">The form</a> <a href="/long">The long page</a>`)
	page("/form", `<title>Form</title><label>Name <input id=name></label><button onclick="out.textContent='Hello '+document.getElementById('name').value">Greet</button><p id=out>nobody yet</p>`+
		strings.Repeat("<p>A line that does not change.</p>", 30))
	var long strings.Builder
	for i := range 400 {
		fmt.Fprintf(&long, "<li><a href='/item?%d'>item %d of the long list</a></li>", i, i)
	}
	page("/long", "<title>Long</title><ul>"+long.String()+"</ul>")
	page("/item", "<title>Item</title><h1>One item</h1>")
	mux.Handle("/away", http.RedirectHandler("http://other.test/", http.StatusFound))
	return mux
}
