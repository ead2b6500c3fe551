package browser

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"time"
)

// shared is the one Chrome of this package's tests; each test takes a session
// of its own in it.
var shared = sync.OnceValues(func() (*Browser, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	return started(Launch(ctx, Config{StartTimeout: 2 * time.Minute}))
})

// atEnd closes what the tests share.
var atEnd []func() error

func started(b *Browser, err error) (*Browser, error) {
	if err == nil {
		atEnd = append(atEnd, b.Close)
	}
	return b, err
}

func TestMain(m *testing.M) {
	code := m.Run()
	for _, stop := range atEnd {
		stop()
	}
	os.Exit(code)
}

func testContext(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func newTestSession(t testing.TB) *Session {
	t.Helper()
	b, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	s, err := b.NewSession(testContext(t), Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// serve answers each path with the HTML given for it.
func serve(t testing.TB, pages map[string]string) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	for path, body := range pages {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Write([]byte("<!doctype html>" + body))
		})
	}
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return srv
}

func TestNavigateReportsWhereTheTabEnded(t *testing.T) {
	srv := serve(t, map[string]string{"/a": "<title>A</title>a", "/b": "<title>B</title>b"})
	s := newTestSession(t)
	ctx := testContext(t)
	nav, err := s.Navigate(ctx, srv.URL+"/a")
	if err != nil {
		t.Fatal(err)
	}
	if nav.URL != srv.URL+"/a" || nav.Status != 200 || nav.Loading {
		t.Fatalf("navigation = %+v", nav)
	}
	if _, err := s.Navigate(ctx, srv.URL+"/b"); err != nil {
		t.Fatal(err)
	}
	if nav, err = s.Back(ctx); err != nil || nav.URL != srv.URL+"/a" {
		t.Fatalf("back = %+v, %v", nav, err)
	}
	if nav, err = s.Forward(ctx); err != nil || nav.URL != srv.URL+"/b" {
		t.Fatalf("forward = %+v, %v", nav, err)
	}
	if nav, err = s.Reload(ctx); err != nil || nav.URL != srv.URL+"/b" {
		t.Fatalf("reload = %+v, %v", nav, err)
	}
	nav, err = s.Navigate(ctx, srv.URL+"/missing")
	if err != nil || nav.Status != 404 {
		t.Fatalf("a missing page is readable and says its status: %+v, %v", nav, err)
	}
	title, err := Evaluate[string](ctx, s, "document.body.innerText")
	if err != nil || title == "" {
		t.Fatalf("evaluate = %q, %v", title, err)
	}
	img, err := s.Screenshot(ctx, ScreenshotOptions{})
	if err != nil || len(img) < 100 {
		t.Fatalf("screenshot: %d bytes, %v", len(img), err)
	}
}

func TestCallThatTimesOutLeavesTheTabUsable(t *testing.T) {
	srv := serve(t, map[string]string{"/": "<title>still here</title>"})
	s := newTestSession(t)
	ctx := testContext(t)
	if _, err := s.Navigate(ctx, srv.URL); err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if _, err := Evaluate[int](short, s, "new Promise(() => {})"); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("err = %v, want the deadline's", err)
	}
	if title, err := Evaluate[string](ctx, s, "document.title"); err != nil || title != "still here" {
		t.Fatalf("title = %q, %v", title, err)
	}
}

func TestPopupBecomesCurrentAndClosingItGoesBack(t *testing.T) {
	srv := serve(t, map[string]string{"/": "<title>opener</title>", "/in": "<title>popup</title>"})
	s := newTestSession(t)
	ctx := testContext(t)
	if _, err := s.Navigate(ctx, srv.URL); err != nil {
		t.Fatal(err)
	}
	if _, err := Evaluate[any](ctx, s, "void window.open('/in')"); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, func() bool { return len(s.Tabs()) == 2 })
	waitUntil(t, func() bool {
		title, err := Evaluate[string](ctx, s, "document.title")
		return err == nil && title == "popup"
	})
	for _, tab := range s.Tabs() {
		if tab.Current {
			if err := s.CloseTab(ctx, tab.ID); err != nil {
				t.Fatal(err)
			}
		}
	}
	if title, err := Evaluate[string](ctx, s, "document.title"); err != nil || title != "opener" {
		t.Fatalf("title = %q, %v", title, err)
	}
}

func TestKilledChromeIsATypedErrorEverywhere(t *testing.T) {
	ctx := testContext(t)
	s, err := New(ctx, Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	dir := s.b.proc.dir
	if err := s.b.proc.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Navigate(ctx, "http://127.0.0.1:1/"); !errors.Is(err, ErrDisconnected) {
		t.Fatalf("navigate: %v", err)
	}
	if err := s.CallBrowser(ctx, "Browser.getVersion", nil, nil); !errors.Is(err, ErrDisconnected) {
		t.Fatalf("raw call: %v", err)
	}
	<-s.Done()
	if s.Alive() || !errors.Is(s.Err(), ErrDisconnected) {
		t.Fatalf("alive = %v, err = %v", s.Alive(), s.Err())
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("profile directory %s is left: %v", dir, err)
	}
}

func waitUntil(t testing.TB, cond func() bool) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for !cond() {
		if time.Now().After(deadline) {
			t.Fatal("condition did not become true")
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func serveMux(t testing.TB, h http.Handler) string {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv.URL
}
