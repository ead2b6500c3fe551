package tools

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// shared is the one Chrome of this package's tests.
var shared = sync.OnceValues(func() (*browser.Browser, error) {
	// A machine that is busy starts Chrome slowly.
	return browser.Launch(context.Background(), browser.Config{StartTimeout: 3 * time.Minute})
})

func TestMain(m *testing.M) {
	code := m.Run()
	if b, err := shared(); err == nil {
		b.Close()
	}
	os.Exit(code)
}

func testContext(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// hand carries out what a model would write, on pages given as HTML.
type hand struct {
	t     testing.TB
	s     *browser.Session
	tools *registry.Registry
	deps  registry.Deps
	files *Files
	url   string
	after string // JavaScript to run between the look and the actions
	mu    sync.Mutex
	pages map[string]string
}

func newHand(t testing.TB) *hand { return newHandWith(t, browser.Config{}) }

func newHandWith(t testing.TB, cfg browser.Config) *hand {
	t.Helper()
	b, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	s, err := b.NewSession(testContext(t), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	f, err := OpenFiles(FilesConfig{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	h := &hand{t: t, s: s, tools: New(), files: f, pages: map[string]string{}}
	h.deps = registry.Provide(Provide(registry.Deps{}, s), f)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		body, ok := h.pages[r.URL.Path]
		h.mu.Unlock()
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte("<!doctype html>" + body))
	}))
	t.Cleanup(srv.Close)
	h.url = srv.URL
	return h
}

func (h *hand) serve(path, html string) {
	h.mu.Lock()
	h.pages[path] = html
	h.mu.Unlock()
}

// show opens a page.
func (h *hand) show(html string) {
	h.t.Helper()
	h.serve("/", html)
	if _, err := h.s.Navigate(testContext(h.t), h.url+"/"); err != nil {
		h.t.Fatal(err)
	}
}

// look takes a page state, as a step does before the model answers.
func (h *hand) look() *browser.State {
	h.t.Helper()
	st, err := h.s.State(testContext(h.t), browser.StateOptions{Fresh: true, Full: true})
	if err != nil {
		h.t.Fatal(err)
	}
	return st
}

// index finds an element of the page state by its name, text, tag or id; the
// number is what a model would write.
func (h *hand) index(name string) int {
	h.t.Helper()
	st := h.look()
	for _, e := range st.Page.Elements {
		if e.Index == 0 {
			continue
		}
		for _, a := range e.Attrs {
			if a.Name == "id" && a.Value == name {
				return e.Index
			}
		}
		if e.Name == name || e.Text == name {
			return e.Index
		}
	}
	h.t.Fatalf("no element %q in the page state:\n%s", name, st.Text.String)
	return 0
}

// run carries out actions as a model writes them; a name in «» stands for the
// number of the element.
func (h *hand) run(actions string) ([]*registry.Result, string) {
	h.t.Helper()
	return h.runWith(actions, BatchOptions{Session: h.s})
}

func (h *hand) runWith(actions string, o BatchOptions) ([]*registry.Result, string) {
	h.t.Helper()
	for strings.Contains(actions, "«") {
		i, j := strings.Index(actions, "«"), strings.Index(actions, "»")
		n, _ := json.Marshal(h.index(actions[i+len("«") : j]))
		actions = actions[:i] + string(n) + actions[j+len("»"):]
	}
	if h.after != "" {
		h.eval(h.after)
		h.after = ""
	}
	ctx := testContext(h.t)
	page, err := PageOf(h.s)(ctx)
	if err != nil {
		h.t.Fatal(err)
	}
	calls, err := h.tools.Compile(page).DecodeList(json.RawMessage(actions))
	if err != nil {
		h.t.Fatalf("%s: %v", actions, err)
	}
	results, why, err := RunBatch(ctx, calls, h.deps, o)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, r := range results {
		if r.Error == "" && r.Err != nil || r.Error != "" && r.Err == nil {
			h.t.Errorf("result %+v: Error and Err disagree", r)
		}
		if r.Error != "" && r.Text != "" {
			h.t.Errorf("result %+v both failed and succeeded", r)
		}
	}
	return results, why
}

// do runs actions that all have to succeed.
func (h *hand) do(actions string) []*registry.Result {
	h.t.Helper()
	results, why := h.run(actions)
	for _, r := range results {
		if r.Error != "" {
			h.t.Fatalf("%s: %s", actions, r.Error)
		}
	}
	if why != "" {
		h.t.Fatalf("%s: not all of it was run: %s", actions, why)
	}
	return results
}

// fails runs one action that has to fail, with all of the words in its error.
func (h *hand) fails(action string, words ...string) *registry.Result {
	h.t.Helper()
	results, _ := h.run("[" + action + "]")
	r := results[0]
	if r.Error == "" {
		h.t.Fatalf("%s succeeded: %+v", action, r)
	}
	for _, w := range words {
		if !strings.Contains(r.Error, w) {
			h.t.Errorf("%s: error %q does not say %q", action, r.Error, w)
		}
	}
	return r
}

func (h *hand) eval(js string) string {
	h.t.Helper()
	v, err := browser.Evaluate[string](testContext(h.t), h.s, "String("+js+")")
	if err != nil {
		h.t.Fatal(err)
	}
	return v
}

// is fails unless a JavaScript expression has the value.
func (h *hand) is(js, want string) {
	h.t.Helper()
	if got := h.eval(js); got != want {
		h.t.Errorf("%s is %q, want %q", js, got, want)
	}
}

// becomes waits until a JavaScript expression has the value.
func (h *hand) becomes(js, want string) {
	h.t.Helper()
	got := ""
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if got = h.eval(js); got == want {
			return
		}
	}
	h.t.Fatalf("%s is still %q, want %q", js, got, want)
}

func effects(r *registry.Result) string { return strings.Join(r.Effects, "; ") }

// reference is the order in which the reference registers its actions.
var reference = []string{
	"done", "search", "navigate", "go_back", "wait", "click", "input", "upload_file", "switch", "close", "extract",
	"search_page", "find_elements", "scroll", "send_keys", "find_text", "screenshot", "save_as_pdf", "dropdown_options",
	"select_dropdown", "write_file", "replace_file", "read_file", "evaluate",
}

func TestNewHasTheActionsInOrder(t *testing.T) {
	names := New().Compile(registry.Page{}).Names()
	if got := names[:min(len(names), len(reference))]; !slices.Equal(got, reference) {
		t.Errorf("actions %v\nwant    %v", got, reference)
	}
	if want := []string{"go_forward", "reload", "hover", "drag"}; !slices.Equal(names[len(reference):], want) {
		t.Errorf("further actions %v, want %v", names[len(reference):], want)
	}
}

func TestOnlyAndAdd(t *testing.T) {
	r := Only("click", "done")
	if got := r.Compile(registry.Page{}).Names(); !slices.Equal(got, []string{"done", "click"}) {
		t.Errorf("Only: %v", got)
	}
	if err := Add(r, "scroll"); err != nil {
		t.Error(err)
	}
	if err := Add(r, "click"); err == nil {
		t.Error("Add of a taken name: no error")
	}
	if err := Add(r, "clik"); err == nil {
		t.Error("Add of an unknown name: no error")
	}
	for _, n := range ReadOnly() {
		if slices.Contains([]string{"click", "input", "navigate", "evaluate", "upload_file", "write_file", "drag"}, n) {
			t.Errorf("%s counts as read-only", n)
		}
	}
}

func TestEveryActionIsGivenWhatItNeeds(t *testing.T) {
	h := newHand(t)
	deps := registry.Provide[ExtractionLLM](h.deps, noModel{})
	if err := h.tools.Check(deps); err != nil {
		t.Error(err)
	}
}

func itoa(n int) string { return strconv.Itoa(n) }

// frame is the number of the page's first frame that can be scrolled to, or of
// anything in it.
func (h *hand) frame() int {
	h.t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for {
		st := h.look()
		for _, e := range st.Page.Elements {
			if e.Frame > 0 && e.Index > 0 {
				return e.Index
			}
		}
		for _, e := range st.Page.Elements {
			if e.Tag == "iframe" && e.Index > 0 {
				return e.Index
			}
		}
		if time.Now().After(deadline) {
			h.t.Fatalf("no frame in the page state:\n%s", st.Text.String)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// waitTitle waits until the page has a title.
func (h *hand) waitTitle(want string) {
	h.t.Helper()
	h.becomes("document.title", want)
}

// waitFor waits until a condition holds.
func waitFor(t *testing.T, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it did not come about")
		}
	}
}
