package demosite_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-4bdb41d0/webhand/internal/demosite"
)

// listed returns the names of the products a page lists.
func listed(t *testing.T, a answer) []string {
	t.Helper()
	var out []string
	for n := range a.page.Descendants() {
		if v, _ := attr(n, "class"); v == "card-name" {
			out = append(out, textOf(n))
		}
	}
	return out
}

func TestListingPagesThroughEverythingOnce(t *testing.T) {
	c := visitorOf(t, serve(t, demosite.Config{}).URL)
	seen := map[string]bool{}
	for page := 1; page <= 6; page++ {
		a := c.get(fmt.Sprintf("/shop?page=%d", page))
		got := listed(t, a)
		if len(got) != 12 {
			t.Fatalf("page %d lists %d products, want 12", page, len(got))
		}
		for _, n := range got {
			if seen[n] {
				t.Errorf("%s is listed twice", n)
			}
			seen[n] = true
		}
	}
	if len(seen) < 60 {
		t.Errorf("the shop has %d products, want 60 or more", len(seen))
	}
	last := listed(t, c.get("/shop?page=6"))
	for _, odd := range []string{"7", "999", "99999999999999999999999"} {
		a := c.get("/shop?page=" + odd)
		a.want(t, 200)
		if got := listed(t, a); odd != "99999999999999999999999" && !slices.Equal(got, last) {
			t.Errorf("page %s lists %v, want the last page", odd, got)
		}
	}
}

func TestFiltersNarrowAndSortsOrder(t *testing.T) {
	c := visitorOf(t, serve(t, demosite.Config{}).URL)
	for _, tt := range []struct {
		query string
		want  []string
	}{
		{"q=mugs&sort=price", []string{"Fjord Enamel Mug", "Harbour Stoneware Mug", "Studio Ribbed Mug"}},
		{"q=mug&sort=-price", []string{"Studio Ribbed Mug", "Harbour Stoneware Mug", "Fjord Enamel Mug"}},
		{"q=MUG+enamel", []string{"Fjord Enamel Mug"}},
		{"category=Lighting&max=20&sort=price", []string{"Dinner Candle Pair", "Beeswax Pillar"}},
		{"category=nowhere", nil},
		{"q=zzz", nil},
	} {
		if got := listed(t, c.get("/shop?"+tt.query)); !slices.Equal(got, tt.want) {
			t.Errorf("%s lists %q, want %q", tt.query, got, tt.want)
		}
	}
	all := c.get("/shop?category=Kitchen")
	inStock := c.get("/shop?category=Kitchen&stock=1")
	if len(listed(t, inStock)) >= len(listed(t, all)) || strings.Contains(inStock.body, "Sold out") {
		t.Error("the stock filter keeps what is sold out")
	}
	page, part := c.get("/shop?q=lamp&color=blue"), c.get("/shop/results?q=lamp&color=blue")
	if !slices.Equal(listed(t, page), listed(t, part)) {
		t.Error("the results part lists something else than the page")
	}
	if strings.Contains(part.body, "<html") {
		t.Error("the results part is a whole page")
	}
}

func TestSearchSuggestsWhileTyping(t *testing.T) {
	c := visitorOf(t, serve(t, demosite.Config{}).URL)
	for q, want := range map[string]int{"mug": 3, "a": 6, "": 0, "zzz": 0} {
		var got []struct{ Name, URL string }
		if err := json.Unmarshal([]byte(c.get("/api/suggest?q="+q).body), &got); err != nil {
			t.Fatal(err)
		}
		if len(got) != want {
			t.Errorf("%q suggests %v, want %d", q, got, want)
		}
	}
}

// A recorded run names products and prices, so they must not change by accident.
func TestContentIsTheSameOnEveryStart(t *testing.T) {
	one, two := visitorOf(t, serve(t, demosite.Config{Today: monday}).URL), visitorOf(t, serve(t, demosite.Config{Today: monday}).URL)
	for _, path := range []string{"/", "/shop?page=3", "/product/dune-table-lamp", "/report", "/report.csv", "/files/catalogue.csv", "/bench"} {
		if one.get(path).body != two.get(path).body {
			t.Errorf("%s differs between two sites", path)
		}
	}
}

// Who filters by blue wants the blue one: to see it, to open it, to buy it.
func TestColourFilterCarriesOnToProductAndCart(t *testing.T) {
	c := visitorOf(t, serve(t, demosite.Config{}).URL)
	page := c.get("/shop?q=fjord&color=green&color=blue")
	for _, want := range []string{"/img/fjord-enamel-mug.blue.svg", "/product/fjord-enamel-mug?color=blue", `name="color" value="blue"`} {
		if !strings.Contains(page.body, want) {
			t.Errorf("the listing has no %s", want)
		}
	}
	if got := firstColor(t, c, "fjord-enamel-mug?color=blue"); got != "blue" {
		t.Errorf("the product page has %s chosen, want blue", got)
	}
	if got := firstColor(t, c, "fjord-enamel-mug?color=neon"); got != "mustard" {
		t.Errorf("the product page has %s chosen for a colour that is none, want mustard", got)
	}
}
