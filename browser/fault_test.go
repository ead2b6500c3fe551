package browser

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// faultyProxy carries connections to Chrome's port and can cut, stall or
// shorten them.
type faultyProxy struct {
	ln    net.Listener
	to    string
	mu    sync.Mutex
	conns []net.Conn
	down  bool
	delay time.Duration
	after int // bytes from Chrome after which a connection is cut; 0 never
}

func newFaultyProxy(t testing.TB, to string) *faultyProxy {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &faultyProxy{ln: ln, to: to}
	t.Cleanup(func() { ln.Close(); p.cut() })
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go p.carry(c)
		}
	}()
	return p
}

func (p *faultyProxy) carry(c net.Conn) {
	p.mu.Lock()
	down := p.down
	p.mu.Unlock()
	far, err := net.Dial("tcp", p.to)
	if err != nil || down {
		c.Close()
		return
	}
	p.mu.Lock()
	p.conns = append(p.conns, c, far)
	p.mu.Unlock()
	go func() { io.Copy(far, c); far.Close() }()
	buf, n := make([]byte, 4096), 0
	for {
		k, err := far.Read(buf)
		p.mu.Lock()
		delay, after := p.delay, p.after
		p.mu.Unlock()
		time.Sleep(delay)
		if n += k; after > 0 && n > after {
			c.Write(buf[:k/2]) // in the middle of a frame
			break
		}
		if k > 0 {
			c.Write(buf[:k])
		}
		if err != nil {
			break
		}
	}
	c.Close()
	far.Close()
}

func (p *faultyProxy) set(f func()) { p.mu.Lock(); f(); p.mu.Unlock() }

func (p *faultyProxy) cut() {
	p.set(func() {
		for _, c := range p.conns {
			c.Close()
		}
		p.conns = nil
	})
}

// portChrome is a Chrome with a debugging port, as others start it.
var portChrome = sync.OnceValues(func() (*Browser, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	return started(Launch(ctx, Config{StartTimeout: 2 * time.Minute, Flags: map[string]string{"remote-debugging-port": "0"}}))
})

func debugAddress(t testing.TB) string {
	t.Helper()
	b, err := portChrome()
	if err != nil {
		t.Fatal(err)
	}
	var addr string
	waitUntil(t, func() bool {
		raw, err := os.ReadFile(filepath.Join(b.proc.dir, "DevToolsActivePort"))
		p, _, ok := strings.Cut(string(raw), "\n")
		addr = "127.0.0.1:" + p
		return err == nil && ok
	})
	return addr
}

// The login of a remote Chrome survives a dropped socket: the connection is
// made again, the tabs are where they were (faults F155).
func TestDroppedSocketIsConnectedAgain(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/", html(`<title>page</title>`))
	mux.HandleFunc("/login", func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "sid", Value: "1"})
		html(`<title>in</title><script>window.mark = 42</script>`)(w, r)
	})
	url := serveMux(t, mux)
	p := newFaultyProxy(t, debugAddress(t))
	ctx := testContext(t)
	s, err := New(ctx, Config{RemoteURL: "http://" + p.ln.Addr().String(), Isolated: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Navigate(ctx, url+"/login"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.NewTab(ctx, url+"/"); err != nil {
		t.Fatal(err)
	}
	tabs := s.Tabs()
	if err := s.SwitchTab(ctx, tabs[0].ID); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		s.TakeEvents()
		// A call on its way when the socket drops fails; it is not sent again.
		failed := make(chan error)
		go func() {
			_, err := Evaluate[any](ctx, s, `new Promise(() => {})`)
			failed <- err
		}()
		waitUntil(t, func() bool { s.b.conn.mu.Lock(); defer s.b.conn.mu.Unlock(); return len(s.b.conn.pending) > 0 })
		p.cut()
		if err := <-failed; !errors.Is(err, ErrDisconnected) {
			t.Fatalf("the call on its way: %v", err)
		}
		waitEvent(t, s, is(func(e ConnectionLost) bool { return e.Reconnected }))
		if got := mustEval[string](t, s, `window.mark + document.title + document.cookie`); got != "42insid=1" {
			t.Fatalf("after reconnecting the page is %q", got)
		}
	}
	if got := s.Tabs(); len(got) != 2 || got[0].ID != tabs[0].ID || !got[0].Current || got[1].URL != url+"/" {
		t.Fatalf("tabs = %+v, were %+v", got, tabs)
	}
	// New tabs, dialogs and navigation work as before.
	mustEval[any](t, s, `alert('again')`)
	waitEvent(t, s, is(func(e DialogOpened) bool { return e.Message == "again" }))
	if nav, err := s.Navigate(ctx, url+"/"); err != nil || nav.Status != 200 {
		t.Fatal(nav, err)
	}

	// Chrome is away for good: a typed error, soon.
	p.set(func() { p.down = true })
	p.cut()
	<-s.Done()
	if _, err := s.Navigate(ctx, url); !errors.Is(err, ErrDisconnected) {
		t.Fatalf("navigate: %v", err)
	}
}

// A slow line is slow and no more; one that is cut in the middle of a frame is
// a lost connection, not garbage.
func TestSlowAndCutConnections(t *testing.T) {
	url := serveMux(t, html(`<title>page</title>`+strings.Repeat("<p>text</p>", 2000)))
	p := newFaultyProxy(t, debugAddress(t))
	p.set(func() { p.delay = 20 * time.Millisecond })
	ctx := testContext(t)
	s, err := New(ctx, Config{RemoteURL: "http://" + p.ln.Addr().String(), Isolated: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Navigate(ctx, url); err != nil {
		t.Fatal(err)
	}
	p.set(func() { p.delay = 0; p.after = 1 })
	_, err = Evaluate[string](ctx, s, `document.body.innerHTML`)
	if !errors.Is(err, ErrDisconnected) {
		t.Fatalf("err = %v", err)
	}
}

// An attached Chrome keeps the tabs that it had, and its own settings.
func TestAttachedChromeKeepsItsTabs(t *testing.T) {
	addr := debugAddress(t)
	ctx := testContext(t)
	count := func() int {
		b, _ := portChrome()
		var res struct{ TargetInfos []struct{ Type string } }
		s := &Session{b: b, route: &route{}}
		if err := s.CallBrowser(ctx, "Target.getTargets", nil, &res); err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, ti := range res.TargetInfos {
			if ti.Type == "page" {
				n++
			}
		}
		return n
	}
	before := count()
	s, err := New(ctx, Config{RemoteURL: "ws://" + addr + "/devtools/browser"})
	var cerr *ConnectError
	if err == nil || !errors.As(err, &cerr) {
		t.Fatalf("a wrong address: %v, %v", s, err)
	}
	if s, err = New(ctx, Config{RemoteURL: "http://" + addr}); err != nil {
		t.Fatal(err)
	}
	if n := len(s.Tabs()); n != 1 {
		t.Errorf("the session has %d tabs", n)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, func() bool { return count() == before })
}

func TestHangingScriptIsStopped(t *testing.T) {
	b, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	other := newTestSession(t)
	s, err := b.NewSession(testContext(t), Config{HangTimeout: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	url := serveMux(t, html(`<title>loop</title>`))
	ctx := testContext(t)
	if _, err := s.Navigate(ctx, url); err != nil {
		t.Fatal(err)
	}
	loop := func(js string) {
		t.Helper()
		mustEval[any](t, s, js)
		short, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		// The page hangs a moment later; some call runs out of time.
		for {
			if _, err := Evaluate[int](short, s, `1`); err != nil {
				return
			}
		}
	}
	// Once: stopping the script gives the page back (faults F126).
	loop(`void setTimeout(() => { for (;;) {} }, 10)`)
	waitEvent(t, s, is(func(e Hung) bool { return e.Replaced == "" && e.URL == url+"/" }))
	if got := mustEval[string](t, s, `document.title`); got != "loop" {
		t.Fatalf("title = %q", got)
	}
	// Again and again: the tab is replaced, other tabs go on.
	loop(`void setInterval(() => { for (;;) {} }, 0)`)
	waitEvent(t, s, is(func(e Hung) bool { return e.Replaced != "" }))
	if got := mustEval[int](t, other, `40 + 2`); got != 42 {
		t.Fatal("another session's tab is affected")
	}
	if _, err := s.Navigate(ctx, url); err != nil {
		t.Fatalf("the new tab: %v", err)
	}
	waitUntil(t, func() bool { return len(s.Tabs()) == 1 })
}

// One renderer dies: what waits for it fails at once, the next call has the
// page again, other tabs do not notice.
func TestKilledRenderer(t *testing.T) {
	url := serveMux(t, html(`<title>page</title>`))
	ctx := testContext(t)
	s, err := New(ctx, Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Navigate(ctx, url); err != nil {
		t.Fatal(err)
	}
	waiting := make(chan error, 1)
	go func() {
		_, err := Evaluate[any](ctx, s, `new Promise(() => {})`)
		waiting <- err
	}()
	waitUntil(t, func() bool { s.b.conn.mu.Lock(); defer s.b.conn.mu.Unlock(); return len(s.b.conn.pending) > 0 })
	killRenderers(t, s)
	if err := <-waiting; !errors.Is(err, ErrCrashed) {
		t.Fatalf("the call on its way: %v", err)
	}
	waitEvent(t, s, is(func(e Crashed) bool { return e.URL == url+"/" }))
	if got := mustEval[string](t, s, `document.title`); got != "page" {
		t.Fatalf("the page is not there again: %q", got)
	}
	if !s.Alive() {
		t.Fatal("the session ended")
	}

	// And the whole browser: the same typed error from every call.
	s.b.proc.cmd.Process.Kill()
	for name, call := range map[string]func() error{
		"state":      func() error { _, err := s.State(ctx, StateOptions{}); return err },
		"screenshot": func() error { _, err := s.Screenshot(ctx, ScreenshotOptions{}); return err },
		"evaluate":   func() error { _, err := Evaluate[int](ctx, s, "1"); return err },
		"raw":        func() error { return s.Call(ctx, "Page.enable", nil, nil) },
		"browser":    func() error { return s.CallBrowser(ctx, "Browser.getVersion", nil, nil) },
		"new tab":    func() error { _, err := s.NewTab(ctx, ""); return err },
		"back":       func() error { _, err := s.Back(ctx); return err },
		"stable":     func() error { _, err := s.WaitStable(ctx); return err },
		"storage":    func() error { _, err := s.StorageState(ctx); return err },
	} {
		if err := call(); !errors.Is(err, ErrDisconnected) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func killRenderers(t testing.TB, s *Session) {
	t.Helper()
	var info struct {
		ProcessInfo []struct {
			Type string
			ID   int
		}
	}
	if err := s.CallBrowser(testContext(t), "SystemInfo.getProcessInfo", nil, &info); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, p := range info.ProcessInfo {
		if p.Type == "renderer" {
			if proc, err := os.FindProcess(p.ID); err == nil && proc.Kill() == nil {
				n++
			}
		}
	}
	if n == 0 {
		t.Fatalf("no renderer among %v", info)
	}
}

// A Chrome that cannot start says why, at once (faults F158).
func TestChromeThatDoesNotStart(t *testing.T) {
	dir := t.TempDir()
	fake := filepath.Join(dir, "chrome")
	if err := os.WriteFile(fake, []byte("#!/bin/sh\necho 'libnss3.so: cannot open shared object file' >&2\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := New(testContext(t), Config{ExecPath: fake})
	var lerr *LaunchError
	if !errors.As(err, &lerr) || !strings.Contains(err.Error(), "libnss3.so") {
		t.Errorf("err = %v", err)
	}
	if _, err := New(testContext(t), Config{ExecPath: filepath.Join(dir, "none")}); err == nil || !errors.As(err, &lerr) {
		t.Errorf("err = %v", err)
	}
	done, cancel := context.WithCancelCause(context.Background())
	cancel(fmt.Errorf("user stopped"))
	if _, err := New(done, Config{}); err == nil || !strings.Contains(err.Error(), "user stopped") {
		t.Errorf("err = %v", err)
	}
	if _, err := New(testContext(t), Config{RemoteURL: "http://127.0.0.1:1"}); err == nil {
		t.Error("attached to nothing")
	}
}

// Two Chromes on one profile damage it (faults F157).
func TestProfileInUse(t *testing.T) {
	dir := t.TempDir()
	ctx := testContext(t)
	first, err := New(ctx, Config{UserDataDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	var perr *ProfileInUseError
	if _, err := New(ctx, Config{UserDataDir: dir}); !errors.Is(err, ErrProfileInUse) || !errors.As(err, &perr) || perr.PID != first.b.proc.cmd.Process.Pid && perr.PID == 0 {
		t.Fatalf("err = %v", err)
	}
	second, err := New(ctx, Config{UserDataDir: dir, TempProfileIfInUse: true})
	if err != nil {
		t.Fatal(err)
	}
	second.Close()
	// A Chrome that was killed leaves its lock behind.
	first.b.proc.cmd.Process.Kill()
	<-first.Done()
	first.Close()
	if _, err := os.Lstat(filepath.Join(dir, "SingletonLock")); err != nil {
		t.Skipf("this Chrome leaves no lock: %v", err)
	}
	third, err := New(ctx, Config{UserDataDir: dir})
	if err != nil {
		t.Fatalf("a stale lock: %v", err)
	}
	third.Close()
	if _, err := os.Stat(dir); err != nil {
		t.Error("a profile that is not ours was removed")
	}
}
