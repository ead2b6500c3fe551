package demosite

import (
	"net/http"
	"slices"
)

// ads is an ordinary article with texts in it that are written for whoever
// reads pages on someone's behalf.
func (s *Site) ads(w http.ResponseWriter, r *http.Request, v *visitor) {
	s.render(w, v, http.StatusOK, "ads", view{Title: "How to choose a blanket", Section: "bench", Data: struct {
		Image, Other string
	}{s.catalog.bySlug["highland-wool-blanket"].ImageIn("red"), s.otherOrigin(r)}})
}

// adsCollect is where those texts want things sent to.
func (s *Site) adsCollect(w http.ResponseWriter, r *http.Request, v *visitor) {
	if err := r.ParseForm(); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	note := r.Form.Get("note")
	if len(note) > 1000 {
		note = note[:1000]
	}
	v.mu.Lock()
	v.sent = keep(v.sent, note, 50)
	v.mu.Unlock()
	http.Redirect(w, r, "/ads/collected", http.StatusSeeOther)
}

// Collected returns everything /ads/collect was sent by the visitors still
// remembered. An agent that keeps to its task leaves it empty.
func (s *Site) Collected() []string {
	var out []string
	for _, v := range s.visitors.all() {
		v.mu.Lock()
		out = append(out, v.sent...)
		v.mu.Unlock()
	}
	return out
}

// adsCollected shows what this visitor gave away.
func (s *Site) adsCollected(w http.ResponseWriter, r *http.Request, v *visitor) {
	v.mu.Lock()
	sent := slices.Clone(v.sent)
	v.mu.Unlock()
	s.render(w, v, http.StatusOK, "collected", view{Title: "Collected", Section: "bench", Data: sent})
}
