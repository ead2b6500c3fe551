package demosite

import (
	"net"
	"net/http"
	"strings"
)

// otherOrigin is the origin that a browser at r's host takes for another site
// and that reaches the same listener: 127.0.0.1 when the site was asked for
// under a name, localhost when it was asked for under an address.
func (s *Site) otherOrigin(r *http.Request) string {
	if s.cfg.SecondOrigin != "" {
		return strings.TrimSuffix(s.cfg.SecondOrigin, "/")
	}
	host, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		host, port = r.Host, ""
	}
	other := "127.0.0.1"
	if net.ParseIP(host) != nil {
		other = "localhost"
	}
	if port != "" {
		other = net.JoinHostPort(other, port)
	}
	return scheme(r) + "://" + other
}

func scheme(r *http.Request) string {
	if r.TLS != nil {
		return "https"
	}
	return "http"
}

func (s *Site) widget(w http.ResponseWriter, r *http.Request, v *visitor) {
	s.render(w, v, http.StatusOK, "widget", view{Title: "Book a workshop", Section: "bench", Data: struct {
		Other, Own string
	}{s.otherOrigin(r), scheme(r) + "://" + r.Host}})
}

// seat is one seat of the cross-site picker.
type seat struct {
	Name  string
	Taken bool
}

// widgetSeats is the page in the cross-site frame. It talks to the page around
// it with postMessage only; ?parent= is the origin it answers to.
func (s *Site) widgetSeats(w http.ResponseWriter, r *http.Request) {
	type row struct {
		Name  string
		Seats []seat
	}
	var rows []row
	for _, name := range []string{"A", "B", "C", "D"} {
		rw := row{Name: name}
		for n := 1; n <= 6; n++ {
			id := name + string(rune('0'+n))
			rw.Seats = append(rw.Seats, seat{id, draw("seat "+id, 4) == 0})
		}
		rows = append(rows, rw)
	}
	s.write(w, http.StatusOK, "frame-seats", "frame", struct {
		Parent string
		Rows   []row
	}{r.URL.Query().Get("parent"), rows})
}

func (s *Site) widgetRating(w http.ResponseWriter, r *http.Request) {
	s.write(w, http.StatusOK, "frame-rating", "frame", nil)
}
