// Package web is a page to look through memories, search, change and delete
// them. It is plain HTML, CSS and JavaScript, embedded, and talks to the routes
// of memory/rest on the same origin.
package web

import (
	"embed"
	"io/fs"
	"net/http"

	"github.com/seed-4bdb41d0/webhand/memory/serve"
)

//go:embed page
var files embed.FS

// Handler serves the page below the given path, such as "/ui/". It needs no
// key itself: the page asks for one and sends it with its calls.
func Handler(prefix string, r serve.Rules) http.Handler {
	page, err := fs.Sub(files, "page")
	if err != nil {
		panic(err) // the folder is embedded
	}
	static := http.StripPrefix(prefix, http.FileServerFS(page))
	return r.Public(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		h := w.Header()
		// Memories hold what models and web pages wrote: nothing of it may run.
		h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-cache")
		static.ServeHTTP(w, req)
	}))
}
