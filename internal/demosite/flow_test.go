package demosite_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/internal/demosite"
)

// monday is a day to order on, so that the dates in these tests stay valid.
var monday = time.Date(2026, time.March, 2, 9, 30, 0, 0, time.UTC)

// goodCheckout is a form that passes, as names and values.
func goodCheckout(change ...string) []string {
	form := []string{
		"name", "Ada Berg", "email", "ada@example.org", "address", "Sea Road 1", "city", "0150 Oslo",
		"country", "Norway", "shipping", "express", "delivery", "2026-03-10", "note", "For <you> & yours",
		"giftwrap", "yes", "terms", "yes",
	}
	for i := 0; i+1 < len(change); i += 2 {
		for j := 0; j < len(form); j += 2 {
			if form[j] == change[i] {
				form[j+1] = change[i+1]
			}
		}
	}
	return form
}

func TestVisitorSearchesFiltersBuysAndReadsTheOrderNumber(t *testing.T) {
	srv := serve(t, demosite.Config{Today: monday})
	c := visitorOf(t, srv.URL)

	c.get("/").want(t, 200, "Things for a calm home")
	c.get("/shop?q=mug").want(t, 200, "Results for “mug”", "Fjord Enamel Mug", "Harbour Stoneware Mug")
	c.get("/shop?q=mug&color=blue&max=15").want(t, 200, "1 product", "Fjord Enamel Mug")
	c.get("/product/fjord-enamel-mug?color=blue").want(t, 200, "Fjord Enamel Mug", "€14.50", "Add to cart")

	a := c.post("/cart/add", "slug", "fjord-enamel-mug", "color", "blue", "quantity", "2")
	if a.path != "/cart" {
		t.Fatalf("adding without a script led to %s, want /cart", a.path)
	}
	a.want(t, 200, "Subtotal, 2 items €29.00")
	c.get("/checkout").want(t, 200, "2 × Fjord Enamel Mug", "Choose a country")

	a = c.post("/checkout", goodCheckout()...)
	if a.path != "/order/WH-1001" {
		t.Fatalf("checkout led to %s, want /order/WH-1001\n%s", a.path, textOf(a.page))
	}
	a.want(t, 200, "Thank you, Ada Berg", "Tuesday, 10 March 2026", "For <you> & yours")
	if got := textOf(byID(a.page, "order-number")); got != "WH-1001" {
		t.Errorf("#order-number says %q, want WH-1001", got)
	}
	if got := textOf(byID(a.page, "order-total")); got != "€41.50" {
		t.Errorf("#order-total says %q, want €41.50", got)
	}
	c.get("/cart").want(t, 200, "Your cart is empty")

	orders := srv.Site.Orders()
	if len(orders) != 1 || orders[0].Number != "WH-1001" || orders[0].Total != 4150 || orders[0].Lines[0].Quantity != 2 {
		t.Errorf("the site has the orders %+v, want the one that was placed", orders)
	}
}

func TestSecondOrderHasTheNextNumberAndAFormSentTwiceOrdersOnce(t *testing.T) {
	c := visitorOf(t, serve(t, demosite.Config{Today: monday}).URL)
	for _, want := range []string{"/order/WH-1001", "/order/WH-1002"} {
		c.post("/cart/add", "slug", "porridge-bowl").want(t, 200)
		if a := c.post("/checkout", goodCheckout()...); a.path != want {
			t.Fatalf("checkout led to %s, want %s", a.path, want)
		}
		if a := c.post("/checkout", goodCheckout()...); a.path != "/cart" {
			t.Fatalf("the same form again led to %s, want /cart", a.path)
		}
	}
	c.get("/order/WH-1003").want(t, 404)
}

func TestCheckoutSaysBesideEachFieldWhatIsWrong(t *testing.T) {
	c := visitorOf(t, serve(t, demosite.Config{Today: monday}).URL)
	c.post("/cart/add", "slug", "porridge-bowl").want(t, 200)
	for _, tt := range []struct{ field, value, want string }{
		{"name", "", "Enter the name"},
		{"name", strings.Repeat("x", 121), "at most 120"},
		{"email", "", "Enter an email address"},
		{"email", "ada", "not an email address"},
		{"email", "ada@localhost", "not an email address"},
		{"email", "Ada <ada@example.org>", "not an email address"},
		{"address", " ", "Enter street"},
		{"city", "", "Enter the postcode"},
		{"country", "", "Choose a country"},
		{"country", "Atlantis", "do not deliver"},
		{"shipping", "", "Choose how"},
		{"shipping", "drone", "one of the three"},
		{"delivery", "", "Choose a delivery date"},
		{"delivery", "10.3.2026", "year-month-day, such as 2026-03-09"},
		{"delivery", "2026-03-02", "must be after today"},
		{"delivery", "2026-03-08", "that is a Sunday"},
		{"delivery", "2026-06-01", "at most 90 days"},
		{"note", strings.Repeat("ø", 301), "has 301 characters"},
		{"terms", "", "Accept the terms"},
	} {
		t.Run(tt.field+"="+tt.value[:min(len(tt.value), 20)], func(t *testing.T) {
			a := c.post("/checkout", goodCheckout(tt.field, tt.value)...)
			a.want(t, http.StatusUnprocessableEntity, "Please check one field")
			doc := a.page
			if got := textOf(byID(doc, tt.field+"-error")); !strings.Contains(got, tt.want) {
				t.Errorf("#%s-error says %q, want it to contain %q", tt.field, got, tt.want)
			}
			if tt.field != "name" {
				if v, _ := attr(byID(doc, "name"), "value"); v != "Ada Berg" {
					t.Errorf("the name is %q now, want what was typed", v)
				}
			}
		})
	}
	c.post("/checkout").want(t, http.StatusUnprocessableEntity, "Please check 8 fields")
}

func TestCartKeepsToTheStock(t *testing.T) {
	c := visitorOf(t, serve(t, demosite.Config{}).URL)
	c.post("/cart/add", "slug", "two-cup-teapot").want(t, 200, "Two Cup Teapot is sold out")
	c.post("/cart/add", "slug", "harbour-stoneware-mug", "quantity", "0").want(t, 200, "Choose a quantity of 1 or more")
	c.post("/cart/add", "slug", "harbour-stoneware-mug", "quantity", "two").want(t, 200, "must be a whole number")
	c.post("/cart/add", "slug", "harbour-stoneware-mug", "color", "neon").want(t, 200, "does not come in neon")
	c.post("/cart/add", "slug", "harbour-stoneware-mug", "quantity", "11").want(t, 200, "Only 10 of Harbour Stoneware Mug can be ordered")
	c.post("/cart/add", "slug", "harbour-stoneware-mug", "quantity", "9").want(t, 200, "Subtotal, 9 items")
	c.post("/cart/add", "slug", "harbour-stoneware-mug", "quantity", "2").want(t, 200, "and 9 are in your cart")
	c.post("/cart/add", "slug", "no-such-thing").want(t, 404)

	doc := c.get("/cart").page
	line := byID(doc, "quantity-harbour-stoneware-mug."+firstColor(t, c, "harbour-stoneware-mug"))
	if line == nil {
		t.Fatal("the cart has no quantity field for the mug")
	}
	key := strings.TrimPrefix(func() string { v, _ := attr(line, "id"); return v }(), "quantity-")
	c.post("/cart/update", "line", key, "quantity", "3").want(t, 200, "Subtotal, 3 items €54.00")
	c.post("/cart/update", "line", key, "quantity", "99").want(t, 200, "Only 10", "Subtotal, 3 items")
	c.post("/cart/remove", "line", key).want(t, 200, "Your cart is empty")
	c.post("/cart/remove", "line", key).want(t, 200, "not in your cart any more")
	if a := c.get("/checkout"); a.path != "/cart" {
		t.Errorf("the checkout of an empty cart led to %s, want /cart", a.path)
	}
}

// firstColor reads the colour that the product page has chosen.
func firstColor(t *testing.T, c *client, slug string) string {
	t.Helper()
	for n := range c.get("/product/" + slug).page.Descendants() {
		if name, _ := attr(n, "name"); name == "color" {
			if _, on := attr(n, "checked"); on {
				v, _ := attr(n, "value")
				return v
			}
		}
	}
	t.Fatalf("%s has no colour chosen", slug)
	return ""
}

func TestAddingFromAScriptAnswersWithTheCount(t *testing.T) {
	c := visitorOf(t, serve(t, demosite.Config{}).URL)
	add := func(form string) (int, map[string]any) {
		req, err := http.NewRequest(http.MethodPost, c.base+"/cart/add", strings.NewReader(form))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Accept", "application/json")
		a := c.do(req)
		var got map[string]any
		if err := json.Unmarshal([]byte(a.body), &got); err != nil {
			t.Fatalf("%v in %s", err, a.body)
		}
		return a.status, got
	}
	if status, got := add("slug=porridge-bowl&quantity=2"); status != 200 || got["items"] != 2.0 {
		t.Errorf("got %d %v, want 200 and 2 items", status, got)
	}
	if status, got := add("slug=two-cup-teapot"); status != 422 || got["error"] != "Two Cup Teapot is sold out." {
		t.Errorf("got %d %v, want 422 and the reason", status, got)
	}
}

// Tests run side by side, so what one visitor does must never show to another.
func TestVisitorsDoNotSeeEachOther(t *testing.T) {
	srv := serve(t, demosite.Config{Today: monday})
	slugs := []string{"porridge-bowl", "harbour-stoneware-mug", "ledger-notebook", "hand-trowel"}
	const visitors = 24
	var wg sync.WaitGroup
	for i := range visitors {
		c := visitorOf(t, srv.URL)
		wg.Go(func() {
			name := fmt.Sprintf("Visitor %d", i)
			n := i%3 + 1
			c.post("/cart/add", "slug", slugs[i%len(slugs)], "quantity", fmt.Sprint(n))
			if got := textOf(byID(c.get("/shop").page, "cart-count")); got != fmt.Sprint(n) {
				t.Errorf("%s has %s in the cart, put in %d", name, got, n)
			}
			a := c.post("/checkout", goodCheckout("name", name)...)
			if a.path != "/order/WH-1001" || !strings.Contains(a.body, "Thank you, "+name) {
				t.Errorf("%s was led to %s", name, a.path)
			}
		})
	}
	wg.Wait()
	if got := len(srv.Site.Orders()); got != visitors {
		t.Errorf("%d orders were placed, want %d", got, visitors)
	}
}
