package demosite

import (
	"net/http"
	"slices"
)

// home shows the categories and a few products people come for.
func (s *Site) home(w http.ResponseWriter, r *http.Request, v *visitor) {
	type tile struct {
		Name    string
		Count   int
		Product card
	}
	var data struct {
		Tiles    []tile
		Featured []card
	}
	for _, c := range s.catalog.categories {
		found := s.catalog.find(query{Category: c, Max: maxPrice})
		data.Tiles = append(data.Tiles, tile{c, len(found), cards(found[:1], nil)[0]})
	}
	data.Featured = cards(s.catalog.find(query{Max: maxPrice, InStock: true, Sort: "rating"})[:8], nil)
	s.render(w, v, http.StatusOK, "home", view{Title: "Things for a calm home", Section: "home", Data: data})
}

func (s *Site) product(w http.ResponseWriter, r *http.Request, v *visitor) {
	p := s.catalog.bySlug[r.PathValue("slug")]
	if p == nil {
		s.notFound(w, r, v)
		return
	}
	var data struct {
		card
		Reviewed []review
		Others   []card
	}
	data.card = cards([]*product{p}, r.URL.Query()["color"])[0]
	data.Reviewed = p.reviews()
	others := s.catalog.find(query{Category: p.Category, Max: maxPrice})
	others = slices.DeleteFunc(others, func(o *product) bool { return o == p })
	data.Others = cards(others[:4], nil)
	s.render(w, v, http.StatusOK, "product", view{Title: p.Name, Section: "shop", Data: data})
}

type review struct {
	Author, Title, Text string
	Stars               int
}

var reviewers = []string{"Ingrid S.", "Tom B.", "Amara O.", "Lucas F.", "Mei L.", "Jonas K.", "Sofia R.", "Peter N."}

var reviewTexts = []review{
	{Title: "Better than the picture", Text: "The colour is warmer in daylight. Arrived in two days, well packed.", Stars: 5},
	{Title: "Does what it should", Text: "No surprises, and that is what I wanted. I would buy it again.", Stars: 4},
	{Title: "A good present", Text: "My sister asked where it came from, so I ordered a second one.", Stars: 5},
	{Title: "Smaller than I thought", Text: "Check the measurements first. The quality is fine.", Stars: 3},
	{Title: "Still like new", Text: "In daily use for half a year now and it shows no wear.", Stars: 5},
	{Title: "Nice, with a small flaw", Text: "One tiny mark in the finish. The shop offered an exchange at once.", Stars: 4},
}

// reviews are three of the texts, chosen by the product's name.
func (p *product) reviews() []review {
	first, who := p.draw("review", len(reviewTexts)), p.draw("reviewer", len(reviewers))
	var out []review
	for i := range 3 {
		r := reviewTexts[(first+i)%len(reviewTexts)]
		r.Author = reviewers[(who+i*3)%len(reviewers)]
		out = append(out, r)
	}
	return out
}
