package browser

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// killChrome kills a session's Chrome and waits until that is known.
func killChrome(t *testing.T, s *Session) {
	t.Helper()
	if err := s.b.proc.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-s.Done()
}

// A Chrome that died is started again with the pages it had; what it had
// downloaded and what was recorded is still there (faults F154, F155).
func TestRelaunchBringsThePagesBack(t *testing.T) {
	mux := http.NewServeMux()
	posts := 0
	mux.HandleFunc("/", html(`<title>first</title>`))
	mux.HandleFunc("/form", html(`<form method=post action=/sent><button>Send</button></form>`))
	mux.HandleFunc("/sent", func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			posts++
		}
		html(`<title>sent by `+r.Method+`</title>`)(w, r)
	})
	mux.HandleFunc("/file", attachment("kept.txt", "kept"))
	url := serveMux(t, mux)
	ctx := testContext(t)
	har := filepath.Join(t.TempDir(), "run.har")
	old, err := New(ctx, Config{HAR: har, Viewport: Size{Width: 711, Height: 533}})
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	if s, err := old.Relaunch(ctx); s != old || err != nil {
		t.Errorf("relaunch of a session that lives: %v, %v", s, err)
	}
	if _, err := old.Navigate(ctx, url+"/form"); err != nil {
		t.Fatal(err)
	}
	mustEval[any](t, old, `void document.querySelector('button').click()`)
	waitUntil(t, func() bool { return old.Tabs()[0].URL == url+"/sent" })
	waitUntil(t, func() bool { return mustEval[string](t, old, `document.title`) == "sent by POST" })
	if _, err := old.NewTab(ctx, url+"/"); err != nil {
		t.Fatal(err)
	}
	mustEval[any](t, old, `void (location.href = '/file')`)
	waitEvent(t, old, is(func(e DownloadFinished) bool { return e.Name == "kept.txt" }))
	files, err := old.WaitDownloads(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := old.NewTab(ctx, "data:text/html,of no address"); err != nil {
		t.Fatal(err)
	}
	if err := old.SwitchTab(ctx, old.Tabs()[0].ID); err != nil {
		t.Fatal(err)
	}
	profile := old.b.proc.dir
	killChrome(t, old)

	s, err := old.Relaunch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	tabs := s.Tabs()
	if len(tabs) != 3 || tabs[0].URL != url+"/sent" || !tabs[0].Current || tabs[1].URL != url+"/" || tabs[2].URL != "about:blank" {
		t.Errorf("tabs %+v", tabs)
	}
	if got := mustEval[string](t, s, `document.title`); got != "sent by GET" {
		t.Errorf("the page is %q", got)
	}
	if posts != 1 {
		t.Errorf("the form was sent %d times", posts)
	}
	if got := mustEval[[]int](t, s, `[innerWidth, innerHeight]`); got[0] != 711 || got[1] != 533 {
		t.Errorf("the viewport is %v", got)
	}
	if _, err := os.Stat(profile); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the old profile is still there: %v", err)
	}
	again, err := s.WaitDownloads(ctx)
	if err != nil || len(again) != 1 || again[0] != files[0] {
		t.Errorf("downloads %+v, %v; want %+v", again, err, files)
	}
	if raw, err := os.ReadFile(files[0].Path); err != nil || string(raw) != "kept" {
		t.Errorf("the file holds %q, %v", raw, err)
	}
	mustEval[any](t, s, `void (location.href = '/file')`)
	waitEvent(t, s, is(func(e DownloadFinished) bool {
		return filepath.Dir(e.Path) == filepath.Dir(files[0].Path) && e.Path != files[0].Path
	}))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Dir(files[0].Path)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the downloads' temporary folder is left: %v", err)
	}
	raw, err := os.ReadFile(har)
	if err != nil || !strings.Contains(string(raw), `"POST"`) || strings.Count(string(raw), url+"/sent") < 2 {
		t.Errorf("the recording does not hold both lives (%v)", err)
	}
	if _, err := s.Relaunch(ctx); !errors.Is(err, ErrClosed) {
		t.Errorf("relaunch of a closed session: %v", err)
	}
}

// What keeps logins in a file has them after a relaunch too.
func TestRelaunchLoadsTheStorageFile(t *testing.T) {
	url := serveMux(t, html(`<title>page</title>`))
	ctx := testContext(t)
	file := filepath.Join(t.TempDir(), "storage.json")
	old, err := New(ctx, Config{StorageFile: file})
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	if _, err := old.Navigate(ctx, url); err != nil {
		t.Fatal(err)
	}
	mustEval[any](t, old, `document.cookie = 'sid=7; max-age=1000', localStorage.name = 'Ada'`)
	st, err := old.StorageState(ctx)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(st)
	if err == nil {
		err = os.WriteFile(file, raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	killChrome(t, old)
	s, err := old.Relaunch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := mustEval[string](t, s, `document.cookie + localStorage.name`); got != "sid=7Ada" {
		t.Errorf("the page has %q", got)
	}
}

// A remote Chrome that was restarted is attached to again; a session in a
// Chrome that others use is not the one to start it.
func TestRelaunchOfARemoteAndOfAShared(t *testing.T) {
	url := serveMux(t, html(`<title>page</title>`))
	p := newFaultyProxy(t, debugAddress(t))
	ctx := testContext(t)
	old, err := New(ctx, Config{RemoteURL: "http://" + p.ln.Addr().String(), Isolated: true})
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	if _, err := old.Navigate(ctx, url); err != nil {
		t.Fatal(err)
	}
	// One that is made again is no case for it, however soon that is asked.
	p.cut()
	if s, err := old.Relaunch(ctx); s != old || err != nil {
		t.Errorf("relaunch while the connection is made again: %v, %v", s, err)
	}
	if got := mustEval[string](t, old, `document.title`); got != "page" {
		t.Errorf("the page is %q", got)
	}
	p.set(func() { p.down = true })
	p.cut()
	<-old.Done()
	short, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := old.Relaunch(short); !errors.Is(err, context.Canceled) {
		t.Errorf("relaunch in an ended context: %v", err)
	}
	p.set(func() { p.down = false })
	s, err := old.Relaunch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := mustEval[string](t, s, `document.title`); got != "page" {
		t.Errorf("the page is %q", got)
	}

	b, err := Launch(ctx, Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	shared, err := b.NewSession(ctx, Config{})
	if err != nil {
		t.Fatal(err)
	}
	killChrome(t, shared)
	if _, err := shared.Relaunch(ctx); !errors.Is(err, ErrDisconnected) || !strings.Contains(err.Error(), "Launch another") {
		t.Errorf("relaunch of a session in a shared Chrome: %v", err)
	}
}
