package demosite

import (
	"fmt"
	"net/http"
	"time"
)

// Order is an order that was placed.
type Order struct {
	Number        string // WH-1001 is a visitor's first
	Placed        time.Time
	Name, Email   string
	Address, City string
	Country       string
	Shipping      string // standard, express or pickup
	Delivery      string // the day asked for, as 2006-01-02
	GiftWrap      bool
	Note          string
	Lines         []OrderLine
	Subtotal      int // euro cents
	ShippingCost  int // euro cents
	Total         int // euro cents
}

// OrderLine is one product of an order.
type OrderLine struct {
	Slug, Name, Color string
	Quantity          int
	Total             int // euro cents
}

// firstOrder is the number of a visitor's first order.
const firstOrder = 1001

// Orders returns the orders of all visitors that are still remembered, so that
// a test can see what really reached the shop. Each visitor's are in order.
func (s *Site) Orders() []Order {
	var out []Order
	for _, v := range s.visitors.all() {
		out = append(out, v.ordersPlaced()...)
	}
	return out
}

// buy turns the cart into an order and empties it. It reports false when the
// cart is empty, which is how a form sent twice ends.
func (v *visitor) buy(f *checkoutForm, today time.Time) (Order, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.lines) == 0 {
		return Order{}, false
	}
	v.bought++
	o := Order{
		Number: fmt.Sprintf("WH-%d", firstOrder+v.bought-1), Placed: today,
		Name: f.Name, Email: f.Email, Address: f.Address, City: f.City, Country: f.Country,
		Shipping: f.Shipping, Delivery: f.Delivery, GiftWrap: f.GiftWrap, Note: f.Note,
		ShippingCost: findShipping(f.Shipping).Cents,
	}
	for _, l := range v.lines {
		total := l.product.Cents * l.quantity
		o.Lines = append(o.Lines, OrderLine{l.product.Slug, l.product.Name, l.color, l.quantity, total})
		o.Subtotal += total
	}
	o.Total = o.Subtotal + o.ShippingCost
	v.lines = nil
	v.orders = keep(v.orders, o, 50)
	return o, true
}

func (s *Site) order(w http.ResponseWriter, r *http.Request, v *visitor) {
	number := r.PathValue("number")
	for _, o := range v.ordersPlaced() {
		if o.Number != number {
			continue
		}
		day, err := time.Parse(time.DateOnly, o.Delivery)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		s.render(w, v, http.StatusOK, "order", view{Title: "Order " + number, Section: "cart", Data: struct {
			Order
			Day time.Time
			Way *shipping
		}{o, day, findShipping(o.Shipping)}})
		return
	}
	s.notFound(w, r, v)
}
