//go:build soak

package browser

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// go test -tags soak -run Soak -timeout 30m -v ./browser

// Fifty sessions in one Chrome, twenty steps each, share nothing.
func TestSoakFiftySessions(t *testing.T) {
	b, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	playAll(t, b, 50, 20, 8)
	t.Logf("50 sessions of 20 steps in %s", time.Since(start).Round(time.Millisecond))
}

// What idle sessions cost in this process.
func TestSoakMemoryPerSession(t *testing.T) {
	b, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	url := serveMux(t, crosstalkSite())
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	heap := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapInuse + m.StackInuse
	}
	for _, cfg := range []Config{{}, {Policy: Policy{Block: []string{"x.test"}, Private: AccessAllow}}} {
		before := heap()
		var mu sync.Mutex
		var ss []*Session
		var wg sync.WaitGroup
		sem := make(chan struct{}, 6)
		for range 50 {
			wg.Go(func() {
				sem <- struct{}{}
				defer func() { <-sem }()
				cfg := cfg
				cfg.StartTimeout, cfg.NavigateTimeout = 5*time.Minute, 5*time.Minute
				s, err := b.NewSession(ctx, cfg)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				ss = append(ss, s)
				mu.Unlock()
				if _, err := s.Navigate(ctx, url); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		per := (heap() - before) / 50
		t.Logf("policy %v: %d KiB per idle session", cfg.Policy.Block, per>>10)
		if per > 1<<20 {
			t.Errorf("%d bytes per session", per)
		}
		for _, s := range ss {
			s.Close()
		}
	}
}

// Two hundred sessions opened and closed leave nothing behind.
func TestSoakOpenAndClose(t *testing.T) {
	b, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", t.TempDir())
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
	defer cancel()
	renderers := func() int {
		var res struct{ ProcessInfo []struct{ Type string } }
		s := &Session{b: b, route: &route{}}
		if err := s.CallBrowser(ctx, "SystemInfo.getProcessInfo", nil, &res); err != nil {
			t.Fatal(err)
		}
		return strings.Count(fmt.Sprint(res.ProcessInfo), "renderer")
	}
	one := func() {
		s, err := b.NewSession(ctx, Config{StartTimeout: 5 * time.Minute, Policy: Policy{Block: []string{"x.test"}, Private: AccessRefuse}})
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
	one() // what is made once stays
	before, rbefore := usage(t), renderers()
	start := time.Now()
	for range 200 {
		one()
	}
	took := time.Since(start)
	backTo(t, before)
	waitUntil(t, func() bool { return renderers() <= rbefore+1 }) // a spare one comes and goes
	t.Logf("200 sessions in %s; before and after: %v, %v; renderers %d, %d", took.Round(time.Millisecond), before, usage(t), rbefore, renderers())
	if entries, _ := os.ReadDir(os.TempDir()); len(entries) > 0 {
		t.Errorf("left: %v", entries)
	}
}
