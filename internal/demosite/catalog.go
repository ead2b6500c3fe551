package demosite

import (
	_ "embed"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
)

//go:embed catalog.txt
var catalogText string

// product is one thing for sale. Name, price, material and blurb are written by
// hand in catalog.txt; the rest follows from the name, so it is the same on
// every start and one more line in the file changes no other product.
type product struct {
	Slug     string
	Name     string
	Category string
	Blurb    string
	Text     string
	Cents    int
	Rating   int // tenths of a star, 32 to 50
	Reviews  int
	Stock    int
	Colors   []color
	Facts    []fact

	drawing string
	pattern int
}

type fact struct{ Name, Value string }

// Stars is the rating as it is shown, such as "4.6".
func (p *product) Stars() string { return fmt.Sprintf("%d.%d", p.Rating/10, p.Rating%10) }

// Price is the price as it is shown.
func (p *product) Price() string { return money(p.Cents) }

// MaxQuantity is how many one order may hold.
func (p *product) MaxQuantity() int { return min(p.Stock, 10) }

// ImageIn is the address of the picture in the given colour.
func (p *product) ImageIn(color string) string { return "/img/" + p.Slug + "." + color + ".svg" }

func (p *product) hasColor(name string) bool {
	return slices.ContainsFunc(p.Colors, func(c color) bool { return c.Name == name })
}

// card is a product in a list, in the colour that was asked for.
type card struct {
	*product
	Color string
}

// Image is the picture in that colour.
func (c card) Image() string { return c.ImageIn(c.Color) }

// Link is the address of the product, in that colour.
func (c card) Link() string {
	if c.Color == c.Colors[0].Name {
		return "/product/" + c.Slug
	}
	return "/product/" + c.Slug + "?color=" + c.Color
}

// cards shows each product in the first of the wanted colours it comes in.
func cards(products []*product, wanted []string) []card {
	out := make([]card, len(products))
	for i, p := range products {
		out[i] = card{p, p.Colors[0].Name}
		if j := slices.IndexFunc(wanted, p.hasColor); j >= 0 {
			out[i].Color = wanted[j]
		}
	}
	return out
}

type catalog struct {
	products   []*product
	bySlug     map[string]*product
	categories []string
}

func newCatalog() *catalog {
	c := &catalog{bySlug: map[string]*product{}}
	nth := map[string]int{}
	for line := range strings.Lines(catalogText) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line, " | ")
		price, err := strconv.ParseFloat(f[3], 64)
		if err != nil {
			panic("demosite: catalog.txt: " + line) // embedded, and tested
		}
		p := &product{
			Category: f[0], drawing: f[1], Name: f[2], Blurb: f[5],
			Slug:  strings.ReplaceAll(strings.ToLower(f[2]), " ", "-"),
			Cents: int(price*100 + 0.5),
		}
		p.pattern = nth[p.drawing] % 4
		nth[p.drawing]++
		p.dress(f[4])
		c.products = append(c.products, p)
		c.bySlug[p.Slug] = p
		if !slices.Contains(c.categories, p.Category) {
			c.categories = append(c.categories, p.Category)
		}
	}
	return c
}

// dress fills in what follows from the product's name.
func (p *product) dress(material string) {
	p.Rating = 50 - p.draw("rating", 10) - p.draw("rating again", 9)
	p.Reviews = 4 + p.draw("reviews", 380)
	p.Stock = 6 + p.draw("stock", 60)
	switch p.draw("scarce", 12) {
	case 0:
		p.Stock = 0
	case 1, 2:
		p.Stock = 1 + p.draw("left", 4)
	}
	first, n := p.draw("color", len(colors)), 2+p.draw("colors", 3)
	for i := range n {
		p.Colors = append(p.Colors, colors[(first+i*3)%len(colors)])
	}
	about := abouts[p.Category]
	p.Facts = []fact{
		{"Material", material},
		{"Made in", makers[p.draw("maker", len(makers))]},
		{"Weight", fmt.Sprintf("%d g", about.grams*(5+p.draw("weight", 20)))},
		{"Care", about.care},
		{"Article", fmt.Sprintf("%s-%04d", strings.ToUpper(p.Category[:2]), 1000+p.draw("article", 9000))},
	}
	p.Text = about.text[p.draw("text", len(about.text))]
}

// draw is a number below n that depends on the product's name and on what it
// is drawn for, and on nothing else.
func (p *product) draw(what string, n int) int { return draw(p.Slug+"/"+what, n) }

func draw(key string, n int) int {
	h := fnv.New64a()
	_, _ = h.Write([]byte(key))
	// FNV alone leaves the low bits of similar keys alike.
	x := h.Sum64()
	x ^= x >> 31
	x *= 0x9e3779b97f4a7c15
	x ^= x >> 29
	return int(x % uint64(n))
}

var makers = []string{"Portugal", "Denmark", "Japan", "Estonia", "Scotland", "Italy"}

type about struct {
	grams int // weights are 5 to 24 times this
	care  string
	text  []string
}

var abouts = map[string]about{
	"Kitchen": {
		40, "Dishwasher safe",
		[]string{
			"Made in a workshop of nine people and built for daily use. What touches food is free of lead and cadmium.",
			"We have used this one in our own kitchen for three years before we put it in the shop. It has outlived two dishwashers.",
		},
	},
	"Lighting": {
		60, "Wipe with a dry cloth",
		[]string{
			"The light is warm and even. Every part that can wear out can be ordered from us, one by one.",
			"We lived with it for a winter before we put it in the shop. It makes a dark corner the best seat in the house.",
		},
	},
	"Textiles": {
		50, "Wash at 30 degrees",
		[]string{
			"Spun, dyed and woven within forty kilometres. It has been washed once, so it will not shrink on you.",
			"The yarn is dyed before weaving, which keeps the colour true. Small knots are part of the cloth.",
		},
	},
	"Stationery": {
		10, "Keep dry",
		[]string{
			"Made by a print shop that still sets type by hand. The box is plain card and goes back into the paper bin.",
			"A simple thing that we reach for every day. What you use up is in the shop and will stay there.",
		},
	},
	"Bags": {
		35, "Brush off, do not machine wash",
		[]string{
			"Every seam that carries weight is sewn twice. If one gives, send it back and we mend it at no cost.",
			"Cut so that little is wasted. It softens over the first weeks and then stays that way.",
		},
	},
	"Garden": {
		45, "Store dry in winter",
		[]string{
			"Tried out through two winters on a windy balcony. It has a few scratches and no cracks.",
			"Good to hold, easy to clean, and made to be left outside. The finish dulls with time, which we like.",
		},
	},
}
