package browser

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// A name that leads to a private address is refused by where it leads (F031,
// F032), in a document and in whatever a page loads.
func TestPolicyJudgesTheAddressThatANameLeadsTo(t *testing.T) {
	ctx := testContext(t)
	var hits sync.Map
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { hits.Store(r.URL.Path, true) }))
	defer srv.Close()
	p, err := newPolicy(Policy{Private: AccessRefuse})
	if err != nil {
		t.Fatal(err)
	}
	// The machine's own name leads to the machine; no list knows it.
	g, err := startGuard(p, nil, nil, Config{}.logger())
	if err != nil {
		t.Fatal(err)
	}
	defer g.close()
	_, port, _ := strings.Cut(strings.TrimPrefix(srv.URL, "http://"), ":")
	for _, host := range []string{"localhost", "127.0.0.1", "2130706433", "[::ffff:7f00:1]"} {
		if err := g.check(host + ":" + port); err == nil {
			t.Errorf("%s is let through", host)
		}
	}
	// dial is asked with a name that passed every check of its text.
	_, err = g.dial(ctx, "tcp", "localhost:"+port)
	if !errors.Is(err, ErrBlocked) {
		t.Errorf("dial: %v", err)
	}
	if _, ok := hits.Load("/"); ok {
		t.Error("the server was reached")
	}
}

// nameServer answers questions for IPv4 addresses from a list, one after the
// other, the last one for ever.
func nameServer(t *testing.T, names map[string][]string) *net.Resolver {
	t.Helper()
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pc.Close() })
	go func() {
		buf := make([]byte, 1500)
		asked := make(map[string]int)
		for {
			n, from, err := pc.ReadFrom(buf)
			if err != nil {
				return
			}
			var p dnsmessage.Parser
			h, err := p.Start(buf[:n])
			if err != nil {
				continue
			}
			q, err := p.Question()
			if err != nil {
				continue
			}
			h.Response, h.Authoritative = true, true
			name := strings.TrimSuffix(q.Name.String(), ".")
			b := dnsmessage.NewBuilder(nil, h)
			b.StartQuestions()
			b.Question(q)
			b.StartAnswers()
			if ips := names[name]; q.Type == dnsmessage.TypeA && len(ips) > 0 {
				ip := ips[min(asked[name], len(ips)-1)]
				asked[name]++
				b.AResource(dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class}, dnsmessage.AResource{A: netip.MustParseAddr(ip).As4()})
			}
			if msg, err := b.Finish(); err == nil {
				pc.WriteTo(msg, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", pc.LocalAddr().String())
	}}
}

// Its owner may point a name wherever he likes, and somewhere else the next
// time he is asked: what counts is where the connection goes (F031, F032).
func TestPolicyHoldsForNamesThatLeadInside(t *testing.T) {
	var hits atomic.Int32
	_, at, _ := strings.Cut(serveMux(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits.Add(1)
		html(`<title>inside</title>`)(w, r)
	})), "127.0.0.1")
	names := nameServer(t, map[string][]string{
		"inside.test": {"127.0.0.1"}, "intranet.test": {"127.0.0.1"},
		"rebind.test": {"203.0.113.7", "127.0.0.1"},
	})
	url := serveMux(t, html(`<title>start</title>`))
	s := downloadSession(t, Config{resolver: names, Policy: Policy{Allow: []string{"127.0.0.1" + url[strings.LastIndex(url, ":"):], "inside.test", "*.rebind.test", "intranet.test"}}})
	ctx := testContext(t)
	if _, err := s.Navigate(ctx, url); err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"inside.test", "intranet.test"} {
		_, err := s.Navigate(ctx, "http://"+host+at)
		var perr *PolicyError
		if !errors.As(err, &perr) || !strings.Contains(perr.Rule, "Private") || !strings.Contains(perr.Rule, "127.0.0.1") {
			t.Errorf("%s: %v", host, err)
		}
		if title := mustEval[string](t, s, `document.title`); title != "start" {
			t.Errorf("%s: the tab is at %q", host, title)
		}
	}
	// The first answer is fit to be seen, the second is the one that counts.
	if nav, err := s.Navigate(ctx, "http://rebind.test"+at); err == nil {
		t.Errorf("rebind.test: %+v", nav)
	}
	waitEvent(t, s, is(func(e Blocked) bool { return e.What == "resource" && strings.Contains(e.Err.Rule, "127.0.0.1") }))
	if n := hits.Load(); n > 0 {
		t.Errorf("the server inside was asked %d times", n)
	}
	// What a page loads takes the same way.
	if _, err := s.Navigate(ctx, url); err != nil {
		t.Fatal(err)
	}
	if got := mustEval[string](t, s, `fetch('http://inside.test`+at+`', {mode: 'no-cors'}).then(() => 'loaded', () => 'failed')`); got != "failed" || hits.Load() > 0 {
		t.Errorf("fetch: %s, %d requests", got, hits.Load())
	}
}

// Sessions over UDP go past the proxy that connections take; a guarded page
// gets none.
func TestGuardedPagesSpeakNoUDP(t *testing.T) {
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer pc.Close()
	var packets atomic.Int32
	go func() {
		for buf := make([]byte, 2000); ; packets.Add(1) {
			if _, _, err := pc.ReadFrom(buf); err != nil {
				return
			}
		}
	}()
	url := serveMux(t, html(`<title>page</title>`))
	try := fmt.Sprintf(`(async () => { try { const w = new WebTransport('https://%s/'); await w.ready; return 'open' } catch (e) { return String(e) } })()`, pc.LocalAddr())
	s := policySession(t, Policy{Allow: []string{"127.0.0.1"}})
	if _, err := s.Navigate(testContext(t), url); err != nil {
		t.Fatal(err)
	}
	if got := mustEval[string](t, s, try); got == "open" || packets.Load() > 0 {
		t.Errorf("%s; %d packets", got, packets.Load())
	}
}

// Peer connections go past requests and proxies alike; a guarded page has none.
func TestGuardedPagesHaveNoPeerConnections(t *testing.T) {
	url := serveMux(t, html(`<iframe srcdoc="x"></iframe>`))
	for _, tt := range []struct {
		policy Policy
		want   string
	}{
		{Policy{}, "function,function"},
		{Policy{Allow: []string{"127.0.0.1"}}, "undefined,undefined"},
	} {
		s := policySession(t, tt.policy)
		if _, err := s.Navigate(testContext(t), url); err != nil {
			t.Fatal(err)
		}
		if got := mustEval[string](t, s, `[typeof RTCPeerConnection, typeof frames[0].RTCPeerConnection].join()`); got != tt.want {
			t.Errorf("%+v: %s", tt.policy, got)
		}
	}
}
