package demosite

import (
	"bytes"
	"embed"
	"fmt"
	"hash/fnv"
	"html/template"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
)

//go:embed templates static
var files embed.FS

// pages holds one template set a page: the shared parts plus the page's own
// "main".
type pages map[string]*template.Template

// view is what the layout shows; Data is the page's own.
type view struct {
	Title    string
	Section  string // which entry of the navigation is current
	Query    string // what the search box holds
	Flash    string
	Items    int // in the cart
	SignedIn bool
	Data     any
}

func loadPages() (pages, error) {
	shared, err := template.New("").Funcs(template.FuncMap{
		"money": money,
		"asset": asset,
		"day":   func(t time.Time) string { return t.Format("Monday, 2 January 2006") },
		"iso":   func(t time.Time) string { return t.Format(time.DateOnly) },
		"lower": strings.ToLower,
		"split": func(s string) []string { return strings.Split(s, ",") },
		"seq": func(from, to int) []int {
			var out []int
			for i := from; i <= to; i++ {
				out = append(out, i)
			}
			return out
		},
	}).ParseFS(files, "templates/layout.html", "templates/parts/*.html")
	if err != nil {
		return nil, err
	}
	out := pages{}
	err = fs.WalkDir(files, "templates", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Base(name) == "layout.html" || path.Base(path.Dir(name)) == "parts" {
			return err
		}
		t, err := template.Must(shared.Clone()).ParseFS(files, name)
		if err != nil {
			return err
		}
		out[strings.TrimSuffix(strings.TrimPrefix(name, "templates/"), ".html")] = t
		return nil
	})
	return out, err
}

// shopPolicy is what careful shops send: no script and no style in the page's
// own text, nothing from anywhere else. The bench pages go without, because
// inline handlers are among what they show.
const shopPolicy = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"

// render writes the page called name in the layout, with what the layout
// shows of the visitor.
func (s *Site) render(w http.ResponseWriter, v *visitor, status int, name string, p view) {
	p.Flash, p.Items, p.SignedIn = v.chrome()
	w.Header().Set("Cache-Control", "no-store")
	if p.Section != "bench" {
		w.Header().Set("Content-Security-Policy", shopPolicy)
	}
	s.write(w, status, name, "layout", p)
}

// write executes one template of a page, buffered so that a failing template
// is an error and not half a page.
func (s *Site) write(w http.ResponseWriter, status int, page, part string, data any) {
	var b bytes.Buffer
	t := s.pages[page]
	if t == nil {
		http.Error(w, "no page called "+page, http.StatusInternalServerError)
		return
	}
	if err := t.ExecuteTemplate(&b, part, data); err != nil {
		http.Error(w, "page "+page+": "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = b.WriteTo(w) // the visitor may have left
}

// plain serves a page that shows nothing but its template.
func (s *Site) plain(name, title, section string) visit {
	return func(w http.ResponseWriter, r *http.Request, v *visitor) {
		s.render(w, v, http.StatusOK, name, view{Title: title, Section: section})
	}
}

func (s *Site) notFound(w http.ResponseWriter, r *http.Request, v *visitor) {
	s.render(w, v, http.StatusNotFound, "error", view{Title: "Page not found", Data: struct {
		Status       int
		Heading, Say string
	}{http.StatusNotFound, "We could not find that page", "It may have moved, or the link has a typing error."}})
}

// asset is the address of a static file, with its content in the address so
// that a browser may keep it for ever.
func asset(name string) (string, error) {
	b, err := files.ReadFile("static/" + name)
	if err != nil {
		return "", err
	}
	h := fnv.New32a()
	_, _ = h.Write(b)
	return fmt.Sprintf("/static/%s?v=%08x", name, h.Sum32()), nil
}

func (s *Site) serveStatic(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
	b, err := files.ReadFile(name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
	if r.URL.Query().Has("v") {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	_, _ = w.Write(b)
}

func (s *Site) serveIcon(w http.ResponseWriter, r *http.Request) {
	b, err := files.ReadFile("static/icon.svg")
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Header().Set("Cache-Control", "public, max-age=31536000")
	_, _ = w.Write(b)
}

// money writes an amount in euro cents the way the shop shows prices.
func money(cents int) string {
	euro := strconv.Itoa(cents / 100)
	for i := len(euro) - 3; i > 0; i -= 3 {
		euro = euro[:i] + "," + euro[i:]
	}
	return fmt.Sprintf("€%s.%02d", euro, cents%100)
}
