package demosite

import (
	"net/http"
)

// failure answers /errors/{kind} with what went wrong.
func (s *Site) failure(w http.ResponseWriter, r *http.Request, v *visitor) {
	show := func(status int, heading, say string) {
		s.render(w, v, status, "error", view{Title: heading, Data: struct {
			Status       int
			Heading, Say string
		}{status, heading, say}})
	}
	switch r.PathValue("kind") {
	case "500":
		show(http.StatusInternalServerError, "Something broke on our side", "We have been told. Please try again in a minute.")
	case "503":
		w.Header().Set("Retry-After", "120")
		show(http.StatusServiceUnavailable, "We are tidying up", "The shop is closed for a moment and opens again in two minutes.")
	case "empty":
		w.WriteHeader(http.StatusOK)
	case "reset":
		// Aborting is the documented way to cut the connection without an answer.
		panic(http.ErrAbortHandler)
	default:
		s.notFound(w, r, v)
	}
}

// redirect sends the visitor to ?to=, wherever that is: the open redirect that
// a navigation policy has to survive.
func (s *Site) redirect(w http.ResponseWriter, r *http.Request, v *visitor) {
	to := r.URL.Query().Get("to")
	if to == "" {
		to = "/"
	}
	http.Redirect(w, r, to, http.StatusFound)
}
