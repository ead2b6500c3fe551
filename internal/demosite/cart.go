package demosite

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// maxLines is how many different things a cart holds.
const maxLines = 40

type cartLine struct {
	product  *product
	color    string
	quantity int
}

func (l cartLine) key() string { return l.product.Slug + "." + l.color }

// shownLine is a line of the cart as the page shows it.
type shownLine struct {
	Product  *product
	Key      string
	Color    string
	Quantity int
	Total    int
}

// cartView is the cart as pages show it.
type cartView struct {
	Lines    []shownLine
	Subtotal int
	Items    int
}

func (v *visitor) cartView() cartView {
	var c cartView
	for _, l := range v.cartLines() {
		total := l.product.Cents * l.quantity
		c.Lines = append(c.Lines, shownLine{l.product, l.key(), l.color, l.quantity, total})
		c.Subtotal += total
		c.Items += l.quantity
	}
	return c
}

// addToCart puts n of p in the cart, on top of what is there.
func (v *visitor) addToCart(p *product, color string, n int) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	have := 0
	for _, l := range v.lines { // the stock is shared by all colours
		if l.product == p {
			have += l.quantity
		}
	}
	switch {
	case p.Stock == 0:
		return fmt.Errorf("%s is sold out", p.Name)
	case n < 1:
		return fmt.Errorf("choose a quantity of 1 or more")
	case have+n > p.MaxQuantity():
		if have > 0 {
			return fmt.Errorf("only %d of %s can be ordered, and %d are in your cart", p.MaxQuantity(), p.Name, have)
		}
		return fmt.Errorf("only %d of %s can be ordered", p.MaxQuantity(), p.Name)
	}
	key := cartLine{product: p, color: color}.key()
	i := slices.IndexFunc(v.lines, func(l cartLine) bool { return l.key() == key })
	if i >= 0 {
		v.lines[i].quantity += n
		return nil
	}
	if len(v.lines) == maxLines {
		return fmt.Errorf("the cart is full")
	}
	v.lines = append(v.lines, cartLine{p, color, n})
	return nil
}

// setQuantity changes the line with the given key; 0 removes it.
func (v *visitor) setQuantity(key string, n int) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	i := slices.IndexFunc(v.lines, func(l cartLine) bool { return l.key() == key })
	if i < 0 {
		return fmt.Errorf("that product is not in your cart any more")
	}
	p := v.lines[i].product
	others := 0
	for j, l := range v.lines {
		if j != i && l.product == p {
			others += l.quantity
		}
	}
	if n < 0 || n+others > p.MaxQuantity() {
		return fmt.Errorf("only %d of %s can be ordered", p.MaxQuantity(), p.Name)
	}
	if n == 0 {
		v.lines = slices.Delete(v.lines, i, i+1)
		return nil
	}
	v.lines[i].quantity = n
	return nil
}

func (s *Site) cart(w http.ResponseWriter, r *http.Request, v *visitor) {
	s.render(w, v, http.StatusOK, "cart", view{Title: "Your cart", Section: "cart", Data: v.cartView()})
}

// cartAdd answers the script on the page with JSON and a plain form with the
// cart.
func (s *Site) cartAdd(w http.ResponseWriter, r *http.Request, v *visitor) {
	p := s.catalog.bySlug[r.FormValue("slug")]
	if p == nil {
		s.notFound(w, r, v)
		return
	}
	color := r.FormValue("color")
	if color == "" {
		color = p.Colors[0].Name
	}
	n := 1
	var err error
	if q := r.FormValue("quantity"); q != "" {
		if n, err = strconv.Atoi(q); err != nil {
			err = fmt.Errorf("the quantity must be a whole number")
		}
	}
	if err == nil && !p.hasColor(color) {
		err = fmt.Errorf("%s does not come in %s", p.Name, color)
	}
	if err == nil {
		err = v.addToCart(p, color, n)
	}
	if strings.Contains(r.Header.Get("Accept"), "application/json") {
		if err != nil {
			writeJSON(w, http.StatusUnprocessableEntity, map[string]any{"error": sentence(err)})
			return
		}
		writeJSON(w, http.StatusOK, map[string]any{
			"items": v.cartView().Items, "message": fmt.Sprintf("Added %d × %s (%s) to your cart", n, p.Name, color),
		})
		return
	}
	if err != nil {
		v.setFlash(sentence(err))
		http.Redirect(w, r, "/product/"+p.Slug, http.StatusSeeOther)
		return
	}
	http.Redirect(w, r, "/cart", http.StatusSeeOther)
}

func (s *Site) cartUpdate(w http.ResponseWriter, r *http.Request, v *visitor) {
	n, err := strconv.Atoi(r.FormValue("quantity"))
	if err != nil {
		err = fmt.Errorf("the quantity must be a whole number")
	} else {
		err = v.setQuantity(r.FormValue("line"), n)
	}
	if err != nil {
		v.setFlash(sentence(err))
	}
	http.Redirect(w, r, "/cart", http.StatusSeeOther)
}

func (s *Site) cartRemove(w http.ResponseWriter, r *http.Request, v *visitor) {
	if err := v.setQuantity(r.FormValue("line"), 0); err != nil {
		v.setFlash(sentence(err))
	}
	http.Redirect(w, r, "/cart", http.StatusSeeOther)
}

// sentence turns an error into what a page says.
func sentence(err error) string {
	msg := err.Error()
	return strings.ToUpper(msg[:1]) + msg[1:] + "."
}
