package demosite

import "net/http"

// offers is the one page with a cookie banner. It stays until the visitor
// decides, and it covers the button at the bottom.
func (s *Site) offers(w http.ResponseWriter, r *http.Request, v *visitor) {
	v.mu.Lock()
	decided := v.consent
	v.mu.Unlock()
	cheap := cards(s.catalog.find(query{Max: maxPrice, InStock: true, Sort: "price"})[:4], nil)
	s.render(w, v, http.StatusOK, "offers", view{Title: "Offers", Section: "offers", Data: struct {
		Ask      bool
		Products []card
	}{!decided, cheap}})
}

func (s *Site) consent(w http.ResponseWriter, r *http.Request, v *visitor) {
	v.mu.Lock()
	v.consent = true
	v.mu.Unlock()
	http.Redirect(w, r, "/offers", http.StatusSeeOther)
}
