package browser

import (
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
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
		if settled, err := s.WaitStable(ctx); err != nil || settled.Loading {
			t.Fatalf("the page counts as loading: %+v, %v", settled, err)
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

// What was under way in a frame when the socket dropped is told as lost; it is
// not carried out again, neither there nor in the page around it (faults F156).
func TestDroppedSocketDoesNotRepeatAFramesCall(t *testing.T) {
	var runs atomic.Int32
	never := hang(t)
	mux := http.NewServeMux()
	mux.HandleFunc("/frame", html(`<title>frame</title>`))
	mux.HandleFunc("/count", func(w http.ResponseWriter, r *http.Request) { runs.Add(1); never(w, r) })
	mux.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "200000")
		attachment("slow.bin", strings.Repeat("x", 100_000))(w, r)
		w.(http.Flusher).Flush()
		never(w, r)
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		html(`<iframe src="http://localhost:`+port(r.Host)+`/frame"></iframe>`)(w, r)
	})
	url := serveMux(t, mux)
	p := newFaultyProxy(t, debugAddress(t))
	ctx := testContext(t)
	s, err := New(ctx, Config{RemoteURL: "http://" + p.ln.Addr().String(), Isolated: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Navigate(ctx, url); err != nil {
		t.Fatal(err)
	}
	mustEval[any](t, s, `void (location.href = '/slow')`)
	waitEvent(t, s, is(func(e DownloadStarted) bool { return e.Name == "slow.bin" }))
	tb, err := s.active(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var frame cdp.FrameID
	waitUntil(t, func() bool {
		tb.mu.Lock()
		defer tb.mu.Unlock()
		for id, f := range tb.frames {
			if id != tb.main && strings.HasSuffix(f.url, "/frame") {
				frame = id
			}
		}
		return frame != ""
	})
	failed := make(chan error, 1)
	go func() { failed <- tb.callInFrame(ctx, frame, `() => fetch('/count')`, nil) }()
	waitUntil(t, func() bool { return runs.Load() == 1 })
	p.cut()
	if err := <-failed; !errors.Is(err, ErrDisconnected) {
		t.Fatalf("the frame's call: %v", err)
	}
	waitEvent(t, s, is(func(e ConnectionLost) bool { return e.Reconnected }))
	// The frame is a frame again, under its own session.
	tb, err = s.active(ctx)
	if err != nil {
		t.Fatal(err)
	}
	waitUntil(t, func() bool {
		var title string
		return tb.callInFrame(ctx, frame, `() => document.title`, &title) == nil && title == "frame"
	})
	if n := runs.Load(); n != 1 {
		t.Fatalf("the call ran %d times", n)
	}
	// Of the download nothing more will be heard.
	d, err := s.WaitDownloads(ctx)
	if err != nil || len(d) != 1 || !strings.Contains(d[0].Error, "connection") {
		t.Fatalf("downloads = %+v, %v", d, err)
	}
}

// Another Chrome answers at the address: the session's logins are gone with the
// old one, which no new tab in the new one may hide.
func TestRestartedChromeEndsTheSession(t *testing.T) {
	p := newFaultyProxy(t, debugAddress(t))
	ctx := testContext(t)
	s, err := New(ctx, Config{RemoteURL: "http://" + p.ln.Addr().String(), Isolated: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	b, err := Launch(ctx, Config{StartTimeout: 2 * time.Minute, Flags: map[string]string{"remote-debugging-port": "0"}})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	other := portOf(t, b)
	p.set(func() { p.to = other })
	p.cut()
	<-s.Done()
	if _, err := s.Navigate(ctx, "http://127.0.0.1:1/"); !errors.Is(err, ErrDisconnected) || !strings.Contains(err.Error(), "started again") {
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
