package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/internal/demosite"
	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// shop is a demosite whose pages a test may change on their way.
type shop struct {
	*httptest.Server
	site *demosite.Site

	mu     sync.Mutex
	mutate func(path, page string) string
	before func(r *http.Request) // sees every request
	posts  int                   // of /checkout
	wrong  int                   // presses of a decoy
}

// shopDay is the day the shop believes it is, so that recorded dates stay valid.
var shopDay = time.Date(2026, 11, 27, 10, 0, 0, 0, time.UTC)

func newShop(t testing.TB) *shop {
	s := &shop{site: demosite.New(demosite.Config{Today: shopDay})}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(func() { s.CloseClientConnections(); s.Server.Close() })
	return s
}

func (s *shop) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	mutate, before := s.mutate, s.before
	switch {
	case r.URL.Path == "/wrong":
		s.wrong++
		s.mu.Unlock()
		w.WriteHeader(http.StatusNoContent)
		return
	case r.Method == http.MethodPost && r.URL.Path == "/checkout":
		s.posts++
	}
	s.mu.Unlock()
	if before != nil {
		before(r)
	}
	if mutate == nil {
		s.site.ServeHTTP(w, r)
		return
	}
	rec := httptest.NewRecorder()
	s.site.ServeHTTP(rec, r)
	body := rec.Body.String()
	for k, v := range rec.Header() {
		w.Header()[k] = v
	}
	if strings.HasPrefix(rec.Header().Get("Content-Type"), "text/html") {
		body = mutate(r.URL.Path, body)
		w.Header().Del("Content-Security-Policy") // mutations bring scripts of their own
		w.Header().Del("Content-Length")
	}
	w.WriteHeader(rec.Code)
	_, _ = w.Write([]byte(body))
}

// change sets how pages are changed from now on, and forgets what was counted.
func (s *shop) change(mutate func(path, page string) string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mutate, s.posts, s.wrong = mutate, 0, 0
}

func (s *shop) counted() (posts, wrong int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.posts, s.wrong
}

// fill puts a lamp into the visitor's cart, out of a recording's sight.
func (s *shop) fill(t testing.TB, b *browser.Session) {
	t.Helper()
	if !strings.HasPrefix(currentURL(b), s.URL) {
		if _, err := b.Navigate(t.Context(), s.URL+"/help"); err != nil {
			t.Fatal(err)
		}
	}
	js := `fetch("/cart/add", {method: "POST", body: new URLSearchParams({slug: "` + testSlug + `", color: "` + testColor + `", quantity: "1"})}).then((r) => r.status)`
	if code, err := browser.Evaluate[int](t.Context(), b, js); err != nil || code != http.StatusOK {
		t.Fatalf("fill the cart: status %d, %v", code, err)
	}
}

const testSlug, testColor = "fjord-enamel-mug", "blue"

// script answers a recording's requests: each step a func of the page that
// gives its actions.
func script(steps ...func(req *llm.Request) []string) llm.Client {
	return model(func(n int, req *llm.Request) string {
		if n >= len(steps) {
			return finished("The order number is WH-1001.", true)
		}
		return say(steps[n](req)...)
	})
}

func input(i int, text string) string {
	return fmt.Sprintf(`{"input":{"index":%d,"text":%q}}`, i, text)
}

func choose(i int, text string) string {
	return fmt.Sprintf(`{"select_dropdown":{"index":%d,"text":%q}}`, i, text)
}

// address fills in the checkout.
func address(req *llm.Request) []string {
	return []string{
		input(index(req, "Full name"), "Ada Lovelace"),
		input(index(req, "Email"), "ada@example.com"),
		input(index(req, "Street"), "12 St James's Square"),
		input(index(req, "Postcode"), "1010 Vienna"),
		choose(index(req, "Country"), "Austria"),
		click(index(req, "Express")),
		input(index(req, "Delivery date"), "2026-12-02"),
	}
}

func rest(req *llm.Request) []string {
	return []string{
		input(index(req, "Gift note"), "Happy birthday!"),
		click(index(req, "I accept the terms")),
		click(index(req, "Place order")),
	}
}

// recordCheckout records an order from a filled cart.
func recordCheckout(t testing.TB, s *shop) *History {
	t.Helper()
	return recordOrder(t, s, address, rest)
}

func recordOrder(t testing.TB, s *shop, steps ...func(*llm.Request) []string) *History {
	t.Helper()
	b := session(t)
	s.fill(t, b)
	h, err := Run(t.Context(), "Order what is in the cart for ada@example.com", Config{
		Browser: b, LLM: script(steps...), Vision: Vision{See: SeeNever},
		Start: Start{Actions: []json.RawMessage{json.RawMessage(goTo(s.URL + "/checkout"))}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range h.Errors() {
		t.Errorf("recording: %s", e)
	}
	if n := len(s.site.Orders()); n == 0 || t.Failed() {
		t.Fatalf("the recording placed no order: %v", h.ActionNames())
	}
	return h
}

func TestAReplayDoesTheSameWithoutAModel(t *testing.T) {
	s := newShop(t)
	rec := recordCheckout(t, s)
	b := session(t)
	s.fill(t, b)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	h, err := Replay(ctx, rec, Config{Browser: b})
	if err != nil {
		t.Fatal(err)
	}
	orders := s.site.Orders()
	if len(orders) != 2 || orders[0].Email != orders[1].Email || orders[1].Delivery != "2026-12-02" || orders[1].Shipping != "express" {
		t.Errorf("orders: %+v", orders)
	}
	if h.Usage.Calls != 0 {
		t.Errorf("%d model calls", h.Usage.Calls)
	}
	if r := h.Replay; r.Result != ReplayComplete || !h.Succeeded() {
		t.Errorf("result %q, succeeded %v", r.Result, h.Succeeded())
	}
	for _, x := range h.Replay.Actions {
		t.Logf("%d.%d %s %s %s %s %d ms %s", x.Step, x.Action, x.Name, x.Element, x.Status, x.Level, x.Millis, x.Note)
		if x.Element != "" && x.Level != "exact" {
			t.Errorf("step %d action %d %s: found by %s", x.Step, x.Action, x.Name, x.Level)
		}
	}
	if !strings.Contains(h.Final(), "not read again") {
		t.Errorf("the recorded answer is given as if it were new: %q", h.Final())
	}
	if len(h.Steps) < 3 || h.Steps[0].Number != 0 || h.Steps[0].Actions[0].Name != "navigate" {
		t.Error("the initial actions were not replayed")
	}
}

func TestReplayChecksBeforeItStartsABrowser(t *testing.T) {
	x := func(args string) *History {
		return &History{Steps: []*Step{{Number: 1, Actions: []Action{{Name: "input", Args: json.RawMessage(args), Result: &registry.Result{Text: "done"}}}}}}
	}
	noChrome := Config{BrowserConfig: browser.Config{ExecPath: "/does/not/exist"}}
	city := Variable{Name: "city", Sample: "Oslo"}
	h, err := x(`{"index":1,"text":"Oslo"}`).Parameterize(city)
	if err != nil {
		t.Fatal(err)
	}
	with := func(f func(*Config)) Config { c := noChrome; f(&c); return c }
	for _, tt := range []struct {
		name string
		h    *History
		cfg  Config
		want string
	}{
		{"a missing variable", h, noChrome, `variable "city" has no value`},
		{"an unknown variable", h, with(func(c *Config) { c.Vars = map[string]string{"city": "Rome", "town": "x"} }), `"town" is given and not declared`},
		{"a missing secret", x(`{"index":1,"text":"<secret>password</secret>"}`), noChrome, `secret "password" has no value`},
		{"heal without a model", x(`{"index":1,"text":"a"}`), with(func(c *Config) { c.Replay.OnMiss = MissHeal }), "asks a model"},
		{"nothing to do", &History{}, noChrome, "holds no action"},
		{"an action nobody registered", &History{Steps: []*Step{{Actions: []Action{{Name: "dance", Result: &registry.Result{Text: "done"}}}}}}, noChrome, `"dance"; register it`},
	} {
		_, err := Replay(t.Context(), tt.h, tt.cfg)
		if err == nil || !strings.Contains(err.Error(), tt.want) || errors.Is(err, browser.ErrNoChrome) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}
