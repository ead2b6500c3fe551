package demosite

import "net/http"

// benchRoutes registers the pages that are awkward on purpose.
func (s *Site) benchRoutes() {
	for _, p := range []struct{ path, name, title string }{
		{"/bench", "bench", "Test bench"},
		{"/component", "component", "Custom elements"},
		{"/dialogs", "dialogs", "Dialogs"},
		{"/tricky", "tricky/buttons", "Tricky buttons"},
		{"/tricky/fields", "tricky/fields", "Tricky fields"},
		{"/tricky/widgets", "tricky/widgets", "Tricky widgets"},
		{"/tricky/pointer", "tricky/pointer", "Tricky pointing"},
		{"/new-tab", "newtab", "New tabs"},
		{"/errors", "errors", "Errors"},
	} {
		s.handle("GET "+p.path, s.plain(p.name, p.title, "bench"))
	}
	s.handle("GET /new-tab/page", s.newTabPage)

	s.handle("GET /offers", s.offers)
	s.handle("POST /offers/consent", s.consent)

	s.handle("GET /report", s.reportPage)
	s.mux.HandleFunc("GET /report.csv", s.reportCSV)

	s.handle("GET /widget", s.widget)
	s.mux.HandleFunc("GET /widget/seats", s.widgetSeats)
	s.mux.HandleFunc("GET /widget/rating", s.widgetRating)

	s.handle("GET /files", s.filesPage)
	s.handle("POST /files/upload", s.fileUpload)
	s.mux.HandleFunc("GET /files/{name}", s.fileDownload)

	s.handle("GET /slow", s.slow)
	s.mux.HandleFunc("GET /slow/content", s.slowContent)
	s.mux.HandleFunc("GET /slow/hang", s.slowHang)

	s.handle("GET /ads", s.ads)
	s.handle("/ads/collect", s.adsCollect)
	s.handle("GET /ads/collected", s.adsCollected)

	s.handle("GET /errors/{kind}", s.failure)
	s.handle("GET /redirect", s.redirect)
	s.mux.HandleFunc("GET /redirect/loop", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/redirect/loop", http.StatusFound)
	})
}

// newTabPage is what the links of /new-tab open; ?from= says which one did.
func (s *Site) newTabPage(w http.ResponseWriter, r *http.Request, v *visitor) {
	from := r.URL.Query().Get("from")
	if from == "" {
		from = "the address bar"
	}
	s.render(w, v, http.StatusOK, "newtab-page", view{Title: "Opened by " + from, Section: "bench", Data: from})
}
