package demosite

import (
	"fmt"
	"net/http"
	"net/mail"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

var countries = []string{
	"Austria", "Belgium", "Czechia", "Denmark", "Estonia", "Finland", "France", "Germany", "Greece",
	"Iceland", "Ireland", "Italy", "Latvia", "Lithuania", "Netherlands", "Norway", "Poland", "Portugal",
	"Spain", "Sweden", "Switzerland", "United Kingdom",
}

type shipping struct {
	Value, Title, Note string
	Cents              int
}

var shippings = []shipping{
	{"standard", "Standard", "3 to 5 working days", 490},
	{"express", "Express", "next working day", 1250},
	{"pickup", "Pick up in the shop", "Harbour Street 12", 0},
}

const (
	maxNote      = 300
	deliveryDays = 90 // how far ahead a delivery can be asked for
)

// checkoutForm is what was typed, and what is wrong with it.
type checkoutForm struct {
	Name, Email, Address, City, Country, Shipping, Delivery, Note string
	GiftWrap, Terms                                               bool

	Errors []fieldError
}

// fieldError is what the page says beside the field with the id Field.
type fieldError struct{ Field, Message string }

// Error returns what is wrong with a field, or "".
func (f *checkoutForm) Error(field string) string {
	for _, e := range f.Errors {
		if e.Field == field {
			return e.Message
		}
	}
	return ""
}

func (f *checkoutForm) fail(field, msg string) {
	f.Errors = append(f.Errors, fieldError{field, msg})
}

func readCheckout(r *http.Request) *checkoutForm {
	get := func(k string) string { return strings.TrimSpace(r.PostFormValue(k)) }
	return &checkoutForm{
		Name: get("name"), Email: get("email"), Address: get("address"), City: get("city"),
		Country: get("country"), Shipping: get("shipping"), Delivery: get("delivery"), Note: get("note"),
		GiftWrap: get("giftwrap") != "", Terms: get("terms") != "",
	}
}

// check fills in Errors, in the order of the fields on the page.
func (f *checkoutForm) check(today time.Time) {
	for _, m := range []struct{ field, value, msg string }{
		{"name", f.Name, "Enter the name of the person who receives the parcel."},
		{"email", f.Email, "Enter an email address, we send the receipt there."},
		{"address", f.Address, "Enter street and house number."},
		{"city", f.City, "Enter the postcode and city."},
		{"country", f.Country, "Choose a country."},
		{"shipping", f.Shipping, "Choose how we should send it."},
		{"delivery", f.Delivery, "Choose a delivery date."},
	} {
		switch {
		case m.value == "":
			f.fail(m.field, m.msg)
		case utf8.RuneCountInString(m.value) > 120:
			f.fail(m.field, "Use at most 120 characters.")
		}
	}
	if f.Email != "" && !validEmail(f.Email) {
		f.fail("email", "That is not an email address. It should look like name@example.org.")
	}
	if f.Country != "" && !slices.Contains(countries, f.Country) {
		f.fail("country", "We do not deliver to that country.")
	}
	if f.Shipping != "" && findShipping(f.Shipping) == nil {
		f.fail("shipping", "Choose one of the three ways.")
	}
	if f.Delivery != "" {
		f.checkDelivery(today)
	}
	if n := utf8.RuneCountInString(f.Note); n > maxNote {
		f.fail("note", fmt.Sprintf("The note has %d characters, at most %d fit on the card.", n, maxNote))
	}
	if !f.Terms {
		f.fail("terms", "Accept the terms to place the order.")
	}
}

func (f *checkoutForm) checkDelivery(today time.Time) {
	day, err := time.Parse(time.DateOnly, f.Delivery)
	last := today.AddDate(0, 0, deliveryDays)
	switch {
	case err != nil:
		f.fail("delivery", "Enter the date as year-month-day, such as "+today.AddDate(0, 0, 7).Format(time.DateOnly)+".")
	case !day.After(today):
		f.fail("delivery", "The delivery date must be after today, "+today.Format("2 January 2006")+".")
	case day.After(last):
		f.fail("delivery", "We plan at most 90 days ahead, until "+last.Format("2 January 2006")+".")
	case day.Weekday() == time.Saturday || day.Weekday() == time.Sunday:
		f.fail("delivery", "We deliver from Monday to Friday, and that is a "+day.Weekday().String()+".")
	}
}

// validEmail takes what mail servers take, with a dot in the domain, which
// RFC 5322 does not ask for and shops do.
func validEmail(s string) bool {
	a, err := mail.ParseAddress(s)
	if err != nil || a.Address != s {
		return false
	}
	_, domain, _ := strings.Cut(s, "@")
	return strings.Contains(domain, ".")
}

func findShipping(value string) *shipping {
	for i := range shippings {
		if shippings[i].Value == value {
			return &shippings[i]
		}
	}
	return nil
}

func (s *Site) showCheckout(w http.ResponseWriter, v *visitor, status int, f *checkoutForm) {
	type data struct {
		*checkoutForm
		Cart            cartView
		Countries       []string
		Shippings       []shipping
		Earliest, Final time.Time
		MaxNote         int
	}
	today := s.today()
	s.render(w, v, status, "checkout", view{Title: "Checkout", Section: "cart", Data: data{
		f, v.cartView(), countries, shippings, today.AddDate(0, 0, 1), today.AddDate(0, 0, deliveryDays), maxNote,
	}})
}

func (s *Site) checkout(w http.ResponseWriter, r *http.Request, v *visitor) {
	if len(v.cartLines()) == 0 {
		v.setFlash("Your cart is empty, so there is nothing to check out yet.")
		http.Redirect(w, r, "/cart", http.StatusSeeOther)
		return
	}
	s.showCheckout(w, v, http.StatusOK, &checkoutForm{Shipping: "standard"})
}

func (s *Site) placeOrder(w http.ResponseWriter, r *http.Request, v *visitor) {
	f := readCheckout(r)
	f.check(s.today())
	if len(f.Errors) > 0 {
		s.showCheckout(w, v, http.StatusUnprocessableEntity, f)
		return
	}
	o, ok := v.buy(f, s.today())
	if !ok {
		v.setFlash("Your cart is empty, so no order was placed.")
		http.Redirect(w, r, "/cart", http.StatusSeeOther)
		return
	}
	http.Redirect(w, r, "/order/"+o.Number, http.StatusSeeOther)
}
