package demosite

import (
	"embed"
	"fmt"
	"net/http"
	"strings"
)

//go:embed art
var art embed.FS

// color is one of the colours products come in. Base, Dark and Light draw the
// product, Back is the wall behind it.
type color struct{ Name, Base, Dark, Light, Back string }

// Title is the name as it is shown.
func (c color) Title() string { return strings.ToUpper(c.Name[:1]) + c.Name[1:] }

var colors = []color{
	{"green", "#3f7d62", "#2a5945", "#7fb39b", "#e6f0ea"},
	{"blue", "#3d6fa8", "#284f7d", "#86abd4", "#e5edf6"},
	{"red", "#c2503f", "#8f3529", "#e39284", "#f9e8e4"},
	{"sand", "#cbab7e", "#9d7f55", "#e5d2b3", "#f6efe3"},
	{"charcoal", "#474d55", "#2b2f35", "#868e98", "#e9ebee"},
	{"white", "#f3f1ec", "#cfcbc2", "#ffffff", "#dfe6e6"},
	{"mustard", "#d9a52c", "#a97c14", "#eecb78", "#fbf1d8"},
	{"plum", "#7d4a7f", "#573158", "#b287b4", "#f1e6f1"},
}

// patterns fill the body of a drawing, so that the four products that share
// one look different.
var patterns = [4]string{
	`<rect width="24" height="24" fill="%[1]s"/>`,
	`<rect width="24" height="24" fill="%[1]s"/><rect y="6" width="24" height="5" fill="%[3]s" opacity=".55"/>`,
	`<rect width="24" height="24" fill="%[1]s"/><circle cx="6" cy="6" r="2.4" fill="%[3]s"/><circle cx="18" cy="18" r="2.4" fill="%[3]s"/>`,
	`<rect width="24" height="24" fill="%[1]s"/><path d="M12 0v24" stroke="%[2]s" stroke-width="3" opacity=".4"/>`,
}

// serveImage draws a product: /img/{slug}.{color}.svg.
func (s *Site) serveImage(w http.ResponseWriter, r *http.Request) {
	slug, rest, _ := strings.Cut(r.PathValue("file"), ".")
	name, ext, _ := strings.Cut(rest, ".")
	p := s.catalog.bySlug[slug]
	if p == nil || ext != "svg" || !p.hasColor(name) {
		http.NotFound(w, r)
		return
	}
	drawing, err := art.ReadFile("art/" + p.drawing + ".svg")
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	var c color
	for _, c = range p.Colors {
		if c.Name == name {
			break
		}
	}
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Header().Set("Cache-Control", "public, max-age=31536000")
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 200" width="400" height="400"><style>`+
		`.b{fill:url(#p)}.d{fill:%s}.l{fill:%s}.s{fill:none;stroke:%s;stroke-width:7;stroke-linecap:round;stroke-linejoin:round}.t{stroke-width:3}`+
		`.w{fill:#b98d5e}.g{fill:#5d8f63}</style><defs><pattern id="p" width="24" height="24" patternUnits="userSpaceOnUse">`,
		c.Dark, c.Light, c.Dark)
	fmt.Fprintf(w, patterns[p.pattern], c.Base, c.Dark, c.Light)
	fmt.Fprintf(w, `</pattern></defs><rect width="200" height="200" fill="%s"/><ellipse cx="100" cy="168" rx="62" ry="7" fill="#000" opacity=".08"/>%s</svg>`,
		c.Back, drawing)
}
