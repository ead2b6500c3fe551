package demosite

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

const perPage = 12

// maxPrice is the upper end of the price filter, in euro.
const maxPrice = 150

// query is what a listing is asked for.
type query struct {
	Text     string
	Category string
	Colors   []string
	Max      int // euro
	InStock  bool
	Sort     string
	Page     int
}

var sorts = []struct{ Value, Title string }{
	{"", "Featured"}, {"price", "Price, low to high"}, {"-price", "Price, high to low"},
	{"rating", "Customer rating"}, {"name", "Name"},
}

func parseQuery(v url.Values) query {
	q := query{
		Text: strings.TrimSpace(v.Get("q")), Category: v.Get("category"), Colors: v["color"],
		InStock: v.Get("stock") != "", Sort: v.Get("sort"), Max: maxPrice, Page: 1,
	}
	if n, err := strconv.Atoi(v.Get("max")); err == nil && n >= 0 {
		q.Max = min(n, maxPrice)
	}
	if n, err := strconv.Atoi(v.Get("page")); err == nil && n > 1 {
		q.Page = n
	}
	return q
}

// link is the address of the same listing on another page.
func (q query) link(page int) string {
	v := url.Values{}
	set := func(k, s string) {
		if s != "" {
			v.Set(k, s)
		}
	}
	set("q", q.Text)
	set("category", q.Category)
	set("sort", q.Sort)
	for _, c := range q.Colors {
		v.Add("color", c)
	}
	if q.Max < maxPrice {
		v.Set("max", strconv.Itoa(q.Max))
	}
	if q.InStock {
		v.Set("stock", "1")
	}
	if page > 1 {
		v.Set("page", strconv.Itoa(page))
	}
	if len(v) == 0 {
		return "/shop"
	}
	return "/shop?" + v.Encode()
}

// find returns the products that q asks for, in its order.
func (c *catalog) find(q query) []*product {
	var out []*product
	words := strings.Fields(strings.ToLower(q.Text))
	for _, p := range c.products {
		switch {
		case q.Category != "" && !strings.EqualFold(q.Category, p.Category),
			p.Cents > q.Max*100,
			q.InStock && p.Stock == 0,
			len(q.Colors) > 0 && !slices.ContainsFunc(q.Colors, p.hasColor),
			!p.matches(words):
			continue
		}
		out = append(out, p)
	}
	switch q.Sort {
	case "price":
		slices.SortStableFunc(out, func(a, b *product) int { return cmp.Compare(a.Cents, b.Cents) })
	case "-price":
		slices.SortStableFunc(out, func(a, b *product) int { return cmp.Compare(b.Cents, a.Cents) })
	case "rating":
		slices.SortStableFunc(out, func(a, b *product) int { return cmp.Compare(b.Rating, a.Rating) })
	case "name":
		slices.SortStableFunc(out, func(a, b *product) int { return cmp.Compare(a.Name, b.Name) })
	default: // what has the first word in its name before what only mentions it
		if len(words) > 0 {
			slices.SortStableFunc(out, func(a, b *product) int {
				return cmp.Compare(strings.Count(strings.ToLower(b.Name), words[0]), strings.Count(strings.ToLower(a.Name), words[0]))
			})
		}
	}
	return out
}

// matches reports whether every word is in the product's text. A plural "s" is
// let go, so that "mugs" finds mugs.
func (p *product) matches(words []string) bool {
	text := strings.ToLower(p.Name + " " + p.Category + " " + p.Blurb)
	for _, c := range p.Colors {
		text += " " + c.Name
	}
	for _, w := range words {
		if !strings.Contains(text, w) && (len(w) < 4 || !strings.Contains(text, strings.TrimSuffix(w, "s"))) {
			return false
		}
	}
	return true
}

// listing is what the results part shows.
type listing struct {
	Query      query
	Cards      []card
	Total      int
	From, To   int
	Prev, Next string
	Pages      []pageLink
	Categories []string
	Colors     []color
	Sorts      []struct{ Value, Title string }
	MaxPrice   int
}

type pageLink struct {
	Number  int
	Link    string
	Current bool
}

func (s *Site) list(r *http.Request) listing {
	q := parseQuery(r.URL.Query())
	found := s.catalog.find(q)
	last := max(1, (len(found)+perPage-1)/perPage)
	q.Page = min(q.Page, last)
	l := listing{
		Query: q, Total: len(found), Categories: s.catalog.categories,
		Colors: colors, Sorts: sorts, MaxPrice: maxPrice,
	}
	l.From = min((q.Page-1)*perPage+1, len(found))
	l.To = min(q.Page*perPage, len(found))
	if len(found) > 0 {
		l.Cards = cards(found[l.From-1:l.To], q.Colors)
	}
	for n := 1; n <= last; n++ {
		l.Pages = append(l.Pages, pageLink{n, q.link(n), n == q.Page})
	}
	if q.Page > 1 {
		l.Prev = q.link(q.Page - 1)
	}
	if q.Page < last {
		l.Next = q.link(q.Page + 1)
	}
	return l
}

// HasColor reports whether the colour is among those asked for.
func (l listing) HasColor(name string) bool { return slices.Contains(l.Query.Colors, name) }

// Heading names the listing.
func (l listing) Heading() string {
	switch {
	case l.Query.Text != "":
		return "Results for “" + l.Query.Text + "”"
	case l.Query.Category != "":
		return l.Query.Category
	}
	return "All products"
}

func (s *Site) shop(w http.ResponseWriter, r *http.Request, v *visitor) {
	l := s.list(r)
	s.render(w, v, http.StatusOK, "shop", view{Title: l.Heading(), Section: "shop", Query: l.Query.Text, Data: l})
}

// shopResults is the part of the listing that changes with a filter. It has an
// address of its own so that the browser's history never shows it for the page.
func (s *Site) shopResults(w http.ResponseWriter, r *http.Request, v *visitor) {
	w.Header().Set("Cache-Control", "no-store")
	s.write(w, http.StatusOK, "shop", "results", s.list(r))
}

// serveSuggest answers the search box while it is typed into.
func (s *Site) serveSuggest(w http.ResponseWriter, r *http.Request) {
	type suggestion struct {
		Name  string `json:"name"`
		URL   string `json:"url"`
		Price string `json:"price"`
		Image string `json:"image"`
	}
	out := []suggestion{}
	text := strings.TrimSpace(r.URL.Query().Get("q"))
	if text != "" {
		found := s.catalog.find(query{Text: text, Max: maxPrice})
		for _, p := range cards(found[:min(len(found), 6)], nil) {
			out = append(out, suggestion{p.Name, p.Link(), p.Price(), p.Image()})
		}
	}
	writeJSON(w, http.StatusOK, out)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}
