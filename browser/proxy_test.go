package browser

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// closedProxy lets nobody through without the right credentials.
type closedProxy struct {
	srv     *httptest.Server
	passed  atomic.Int32
	refused atomic.Int32
}

func newClosedProxy(t testing.TB) *closedProxy {
	p := &closedProxy{}
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte("ann:s3cret"))
	p.srv = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Proxy-Authorization") != want {
			p.refused.Add(1)
			w.Header().Set("Proxy-Authenticate", `Basic realm="proxy"`)
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		p.passed.Add(1)
		if r.Method == http.MethodConnect {
			far, err := net.Dial("tcp", r.Host)
			if err != nil {
				w.WriteHeader(http.StatusBadGateway)
				return
			}
			near, _, _ := w.(http.Hijacker).Hijack()
			io.WriteString(near, "HTTP/1.1 200 OK\r\n\r\n")
			go func() { io.Copy(far, near); far.Close() }()
			io.Copy(near, far)
			near.Close()
			return
		}
		out := r.Clone(context.Background())
		out.RequestURI = ""
		out.Header.Del("Proxy-Authorization")
		resp, err := http.DefaultTransport.RoundTrip(out)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer resp.Body.Close()
		for k, v := range resp.Header {
			w.Header()[k] = v
		}
		w.WriteHeader(resp.StatusCode)
		io.Copy(w, resp.Body)
	}))
	t.Cleanup(p.srv.Close)
	return p
}

// newSocksProxy is a SOCKS5 proxy (RFC 1928) that wants a password (RFC 1929);
// it counts whom it let through.
func newSocksProxy(t testing.TB) (addr string, passed *atomic.Int32) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	passed = new(atomic.Int32)
	serve := func(c net.Conn) {
		defer c.Close()
		field := func() []byte { // a length and as many bytes
			n := make([]byte, 1)
			if _, err := io.ReadFull(c, n); err != nil {
				return nil
			}
			b := make([]byte, n[0])
			_, _ = io.ReadFull(c, b)
			return b
		}
		skip := func(n int64) { _, _ = io.CopyN(io.Discard, c, n) }
		skip(1)
		if !bytes.Contains(field(), []byte{2}) {
			return
		}
		c.Write([]byte{5, 2})
		skip(1)
		if user, pass := field(), field(); string(user) != "ann" || string(pass) != "s3cret" {
			c.Write([]byte{1, 1})
			return
		}
		c.Write([]byte{1, 0})
		head := make([]byte, 4) // version, command, reserved, kind of address
		if _, err := io.ReadFull(c, head); err != nil {
			return
		}
		var host string
		switch head[3] {
		case 1:
			ip := make([]byte, 4)
			_, _ = io.ReadFull(c, ip)
			host = net.IP(ip).String()
		case 3:
			host = string(field())
		}
		at := make([]byte, 2)
		if _, err := io.ReadFull(c, at); err != nil {
			return
		}
		far, err := net.Dial("tcp", net.JoinHostPort(host, strconv.Itoa(int(at[0])<<8|int(at[1]))))
		if err != nil {
			c.Write([]byte{5, 5, 0, 1, 0, 0, 0, 0, 0, 0})
			return
		}
		passed.Add(1)
		c.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
		go func() { io.Copy(far, c); far.Close() }()
		io.Copy(c, far)
	}
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go serve(c)
		}
	}()
	return ln.Addr().String(), passed
}

// The credentials of a proxy reach the proxy and nobody else (faults F161).
func TestProxyWithCredentials(t *testing.T) {
	var leaked atomic.Bool
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Proxy-Authorization") != "" || strings.Contains(fmt.Sprint(r.Header), "s3cret") {
			leaked.Store(true)
		}
		html(`<title>behind</title>`)(w, r)
	})
	mux.HandleFunc("/basic", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			leaked.Store(true)
		}
		w.Header().Set("WWW-Authenticate", `Basic realm="site"`)
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, "who are you?")
	})
	url := serveMux(t, mux)
	check := func(t *testing.T, s *Session, p *closedProxy) {
		ctx := testContext(t)
		nav, err := s.Navigate(ctx, url)
		if err != nil || nav.Status != 200 {
			t.Fatalf("navigate = %+v, %v", nav, err)
		}
		if title := mustEval[string](t, s, `document.title`); title != "behind" || p.passed.Load() == 0 {
			t.Fatalf("title = %q, %d requests passed the proxy", title, p.passed.Load())
		}
		// A site that asks for a password does not get the proxy's.
		if _, err := s.Navigate(ctx, url+"/basic"); err == nil || !strings.Contains(err.Error(), "AUTH") {
			t.Errorf("basic: %v", err)
		}
		if leaked.Load() {
			t.Error("a site saw the credentials")
		}
	}
	t.Run("session", func(t *testing.T) {
		p := newClosedProxy(t)
		check(t, downloadSession(t, Config{Proxy: Proxy{Server: strings.Replace(p.srv.URL, "://", "://ann:s3cret@", 1)}}), p)
	})
	t.Run("with a policy", func(t *testing.T) {
		p := newClosedProxy(t)
		check(t, downloadSession(t, Config{
			Proxy: Proxy{Server: p.srv.URL, Username: "ann", Password: "s3cret"}, Policy: Policy{Allow: []string{"127.0.0.1"}},
		}), p)
	})
	t.Run("remote", func(t *testing.T) {
		p := newClosedProxy(t)
		s, err := New(testContext(t), Config{
			RemoteURL: "http://" + debugAddress(t), Isolated: true,
			Proxy: Proxy{Server: p.srv.URL, Username: "ann", Password: "s3cret"},
		})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		check(t, s, p)
	})
	t.Run("bypass", func(t *testing.T) {
		p := newClosedProxy(t)
		s := downloadSession(t, Config{Proxy: Proxy{Server: p.srv.URL, Username: "ann", Password: "s3cret", Bypass: []string{"127.0.0.1"}}})
		if _, err := s.Navigate(testContext(t), url); err != nil || p.passed.Load() > 0 {
			t.Errorf("err = %v, %d requests passed the proxy", err, p.passed.Load())
		}
	})
	t.Run("socks5", func(t *testing.T) {
		addr, passed := newSocksProxy(t)
		p := newClosedProxy(t)
		p.passed.Store(1) // counted below
		check(t, downloadSession(t, Config{Proxy: Proxy{Server: "socks5://ann:s3cret@" + addr}}), p)
		if passed.Load() == 0 {
			t.Error("nothing passed the proxy")
		}
		wrong := downloadSession(t, Config{Proxy: Proxy{Server: "socks5://ann:wrong@" + addr}})
		if nav, err := wrong.Navigate(testContext(t), url); err == nil {
			t.Errorf("with the wrong password: %+v", nav)
		}
	})
	for _, bad := range []Proxy{{Username: "x"}, {Server: "gopher://x"}, {Server: "http://"}} {
		if _, err := New(testContext(t), Config{Proxy: bad}); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%+v: err = %v", bad, err)
		}
	}
}
