package demosite

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// come is one request with a cookie; it returns the visitor and the cookie to
// come back with.
func come(s *visitors, host string, c *http.Cookie) (*visitor, *http.Cookie) {
	r := httptest.NewRequest(http.MethodGet, "http://"+host+"/", nil)
	if c != nil {
		r.AddCookie(c)
	}
	w := httptest.NewRecorder()
	v := s.of(w, r)
	if set := w.Result().Cookies(); len(set) > 0 {
		c = set[0]
	}
	return v, c
}

func TestVisitorsAreForgottenByAgeAndByNumber(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	s := newVisitors(3, time.Hour, func() time.Time { return now })

	first, cookie := come(s, "a:1", nil)
	if again, _ := come(s, "a:1", cookie); again != first {
		t.Fatal("the visitor was not recognised")
	}
	now = now.Add(59 * time.Minute)
	if again, _ := come(s, "a:1", cookie); again != first {
		t.Fatal("forgotten within the hour")
	}
	now = now.Add(59 * time.Minute)
	if again, _ := come(s, "a:1", cookie); again != first {
		t.Fatal("forgotten within an hour of the last request")
	}
	now = now.Add(time.Hour)
	again, fresh := come(s, "a:1", cookie)
	if again == first || fresh.Value == cookie.Value {
		t.Fatal("remembered after an hour")
	}

	come(s, "a:1", nil)
	come(s, "a:1", nil)
	if v, _ := come(s, "a:1", fresh); v != again {
		t.Fatal("three fit, and one of them is gone")
	}
	come(s, "a:1", nil)
	if v, _ := come(s, "a:1", fresh); v != again {
		t.Fatal("the visitor who came last was forgotten before others")
	}
	if len(s.byID) != 3 || s.order.Len() != 3 {
		t.Fatalf("%d and %d visitors are kept, want 3", len(s.byID), s.order.Len())
	}
}

// Cookies do not know ports: two sites on 127.0.0.1 share a jar, and each has
// to keep its own visitor.
func TestTwoPortsOfOneHostHaveDifferentCookies(t *testing.T) {
	s := newVisitors(10, time.Hour, time.Now)
	_, one := come(s, "127.0.0.1:8001", nil)
	_, two := come(s, "127.0.0.1:8002", nil)
	if one.Name == two.Name {
		t.Fatalf("both cookies are called %s", one.Name)
	}
	if !one.HttpOnly || one.SameSite != http.SameSiteLaxMode || one.Path != "/" {
		t.Errorf("the cookie is %s", one)
	}
}

func TestHistoryOfAVisitorIsBounded(t *testing.T) {
	var list []int
	for i := range 10 {
		list = keep(list, i, 3)
	}
	if len(list) != 3 || list[0] != 7 || list[2] != 9 {
		t.Errorf("kept %v, want the last three", list)
	}
}

func TestCatalogIsComplete(t *testing.T) {
	c := newCatalog()
	if len(c.products) < 60 || len(c.bySlug) != len(c.products) {
		t.Fatalf("%d products, %d slugs", len(c.products), len(c.bySlug))
	}
	soldOut, few := 0, 0
	for _, p := range c.products {
		if _, err := art.ReadFile("art/" + p.drawing + ".svg"); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
		if p.Cents < 500 || p.Cents > maxPrice*100 {
			t.Errorf("%s costs %d cents", p.Name, p.Cents)
		}
		if p.Rating < 32 || p.Rating > 50 {
			t.Errorf("%s is rated %d", p.Name, p.Rating)
		}
		seen := map[string]bool{}
		for _, c := range p.Colors {
			if seen[c.Name] {
				t.Errorf("%s has %s twice", p.Name, c.Name)
			}
			seen[c.Name] = true
		}
		if len(p.Colors) < 2 || p.Text == "" || p.Blurb == "" {
			t.Errorf("%s is not dressed", p.Name)
		}
		if p.Stock == 0 {
			soldOut++
		} else if p.Stock < 5 {
			few++
		}
	}
	if soldOut == 0 || few == 0 {
		t.Errorf("%d products are sold out and %d nearly, want some of each", soldOut, few)
	}
}

func TestMoney(t *testing.T) {
	for cents, want := range map[int]string{0: "€0.00", 5: "€0.05", 1450: "€14.50", 99999: "€999.99", 83120350: "€831,203.50", 123456789012: "€1,234,567,890.12"} {
		if got := money(cents); got != want {
			t.Errorf("money(%d) = %s, want %s", cents, got, want)
		}
	}
}
