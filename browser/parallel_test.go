package browser

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// crosstalkSite gives each visitor its name as a cookie and counts in its page.
func crosstalkSite() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if name := r.URL.Query().Get("name"); name != "" {
			http.SetCookie(w, &http.Cookie{Name: "name", Value: name, Path: "/"})
		}
		html(`<title>page</title><a id=next href="/next">next</a><script>document.title = document.cookie + ' ' + (localStorage.n = +(localStorage.n || 0) + 1)</script>`)(w, r)
	})
	return mux
}

// play runs steps in a session and reports whatever is not its own. turn lets
// it have the machine for one step.
func play(ctx context.Context, b *Browser, url string, id, steps int, turn func() func()) error {
	done := turn()
	s, err := b.NewSession(ctx, Config{StartTimeout: 5 * time.Minute, CallTimeout: time.Minute, NavigateTimeout: 2 * time.Minute})
	if err == nil {
		defer s.Close()
		_, err = s.Navigate(ctx, fmt.Sprintf("%s/?name=s%d", url, id))
	}
	done()
	for n := 1; n < steps && err == nil; n++ {
		done = turn()
		err = step(ctx, s, fmt.Sprintf("name=s%d %d", id, n))
		done()
	}
	if err != nil {
		return fmt.Errorf("session %d: %w", id, err)
	}
	if n := len(s.Tabs()); n != 1 {
		return fmt.Errorf("session %d has %d tabs", id, n)
	}
	return nil
}

// step reads the page's title and follows its link.
func step(ctx context.Context, s *Session, want string) error {
	title, err := Evaluate[string](ctx, s, `document.title`)
	if err != nil {
		return err
	}
	if title != want {
		return fmt.Errorf("the page is %q, want %q", title, want)
	}
	t, err := s.active(ctx)
	if err != nil {
		return err
	}
	a := t.watchActivity(ctx)
	defer a.stop()
	if _, err := Evaluate[any](ctx, s, `next.click()`); err != nil {
		return err
	}
	if _, err := a.wait(ctx); err != nil {
		return err
	}
	return t.waitFor(ctx, func() bool { return t.life.loader != a.loader && t.life.load })
}

// playAll runs sessions side by side, all of them open at once, width of them
// doing something at the same time.
func playAll(t testing.TB, b *Browser, sessions, steps, width int) {
	t.Helper()
	url := serveMux(t, crosstalkSite())
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
	defer cancel()
	sem := make(chan struct{}, width)
	turn := func() func() { sem <- struct{}{}; return func() { <-sem } }
	var wg sync.WaitGroup
	for id := range sessions {
		wg.Go(func() {
			if err := play(ctx, b, url, id, steps, turn); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// Sessions in one Chrome share nothing (faults F162).
func TestParallelSessionsDoNotMix(t *testing.T) {
	b, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	playAll(t, b, 20, 4, 20)
}

// Every session's page believes that it is looked at: no session takes the
// focus from another, in whatever order they come to the front.
func TestSessionsDoNotShareTheFocus(t *testing.T) {
	page := html(`<input id=i autofocus><script>window.blurs = 0; onblur = () => blurs++</script>`)
	a, _ := open(t, page)
	b, _ := open(t, page)
	ctx := testContext(t)
	for _, s := range []*Session{a, b, a} {
		if err := s.SwitchTab(ctx, s.Tabs()[0].ID); err != nil {
			t.Fatal(err)
		}
		for _, s := range []*Session{a, b} {
			if got := mustEval[string](t, s, `[document.hasFocus(), document.visibilityState, document.activeElement.id, blurs].join()`); got != "true,visible,i,0" {
				t.Errorf("the page is %s", got)
			}
		}
	}
}

// usage counts what must come back: goroutines, descriptors, Chrome processes,
// temporary directories.
func usage(t testing.TB) map[string]int {
	t.Helper()
	u := map[string]int{"goroutines": runtime.NumGoroutine()}
	if fds, err := os.ReadDir("/proc/self/fd"); err == nil {
		u["descriptors"] = len(fds)
	}
	// Chrome's processes name their profile directory.
	cmds, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, p := range cmds {
		if raw, err := os.ReadFile(p); err == nil && strings.Contains(string(raw), os.TempDir()+"/webhand-") {
			u["processes"]++
		}
	}
	dirs, _ := filepath.Glob(filepath.Join(os.TempDir(), "webhand-*"))
	u["directories"] = len(dirs)
	return u
}

// backTo waits until nothing is more than it was; slack is for goroutines of
// idle HTTP connections and the like.
func backTo(t testing.TB, before map[string]int) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for {
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
		now, over := usage(t), false
		for k, v := range now {
			over = over || v > before[k]
		}
		if !over {
			return
		}
		if time.Now().After(deadline) {
			buf := make([]byte, 1<<16)
			t.Fatalf("before: %v, now: %v\n%s", before, now, buf[:runtime.Stack(buf, true)])
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func TestNothingIsLeftBehind(t *testing.T) {
	if _, err := shared(); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", t.TempDir()) // others on this machine have theirs in the usual one
	before := usage(t)
	ctx := testContext(t)
	for range 2 {
		s, err := New(ctx, Config{StartTimeout: 2 * time.Minute, Policy: Policy{Block: []string{"x.test"}}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.NewTab(ctx, "about:blank"); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	b, _ := shared()
	for range 5 {
		s, err := b.NewSession(ctx, Config{Policy: Policy{Private: AccessRefuse}})
		if err != nil {
			t.Fatal(err)
		}
		s.Close()
	}
	backTo(t, before)
}
