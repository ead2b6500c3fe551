package demosite

import (
	"fmt"
	"net/http"
	"time"
)

// Config is what can differ between two sites. The zero value is a good site.
type Config struct {
	// Today is the day the shop believes it is, for delivery dates and the
	// dates of orders. Zero is the day of Now. A recorded run that names a
	// delivery date sets it, so that the date stays in the future.
	Today time.Time
	// Now is the clock for one-time codes and for forgetting visitors. Nil is
	// [time.Now].
	Now func() time.Time
	// MaxVisitors bounds how many visitors are remembered; the one unseen for
	// longest is forgotten first. 0 means 2,000.
	MaxVisitors int
	// VisitorTTL is how long a visitor is remembered after its last request.
	// 0 means two hours.
	VisitorTTL time.Duration
	// MaxUpload is the largest upload in bytes. 0 means 8 MiB.
	MaxUpload int64
	// SecondOrigin, such as "http://localhost:8080", is where the cross-site
	// frame is loaded from. Empty means the same port under the other of the
	// names 127.0.0.1 and localhost, which browsers treat as another site.
	SecondOrigin string
}

// Site is the demo site. It is safe for concurrent use.
type Site struct {
	cfg      Config
	mux      *http.ServeMux
	pages    pages
	catalog  *catalog
	report   []reportRow
	visitors *visitors
}

// New builds a site. It panics only if the embedded templates are broken,
// which the package's tests rule out.
func New(cfg Config) *Site {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.MaxVisitors <= 0 {
		cfg.MaxVisitors = 2000
	}
	if cfg.VisitorTTL <= 0 {
		cfg.VisitorTTL = 2 * time.Hour
	}
	if cfg.MaxUpload <= 0 {
		cfg.MaxUpload = 8 << 20
	}
	s := &Site{
		cfg:      cfg,
		mux:      http.NewServeMux(),
		catalog:  newCatalog(),
		visitors: newVisitors(cfg.MaxVisitors, cfg.VisitorTTL, cfg.Now),
	}
	s.report = newReport(s.catalog)
	p, err := loadPages()
	if err != nil {
		panic(fmt.Sprintf("demosite: embedded templates: %v", err))
	}
	s.pages = p
	s.routes()
	return s
}

// ServeHTTP implements [http.Handler].
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// today is the shop's date at midnight UTC.
func (s *Site) today() time.Time {
	t := s.cfg.Today
	if t.IsZero() {
		t = s.cfg.Now()
	}
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

// visit is a handler that knows who is asking.
type visit func(w http.ResponseWriter, r *http.Request, v *visitor)

// handle registers h, finding or starting the visitor first.
func (s *Site) handle(pattern string, h visit) {
	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		h(w, r, s.visitors.of(w, r))
	})
}

func (s *Site) routes() {
	s.mux.HandleFunc("GET /static/", s.serveStatic)
	s.mux.HandleFunc("GET /favicon.ico", s.serveIcon)
	s.mux.HandleFunc("GET /img/{file}", s.serveImage)
	s.mux.HandleFunc("GET /api/suggest", s.serveSuggest)

	s.handle("GET /{$}", s.home)
	s.handle("GET /shop", s.shop)
	s.handle("GET /shop/results", s.shopResults)
	s.handle("GET /product/{slug}", s.product)
	s.handle("GET /help", s.plain("help", "Delivery and returns", "help"))
	s.handle("GET /cart", s.cart)
	s.handle("POST /cart/add", s.cartAdd)
	s.handle("POST /cart/update", s.cartUpdate)
	s.handle("POST /cart/remove", s.cartRemove)
	s.handle("GET /checkout", s.checkout)
	s.handle("POST /checkout", s.placeOrder)
	s.handle("GET /order/{number}", s.order)
	s.handle("/", s.notFound)

	s.memberRoutes()
	s.benchRoutes()
}
