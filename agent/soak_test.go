//go:build soak

package agent

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/llm"
)

func TestTwentyRunsLeaveNothingBehind(t *testing.T) { runsLeaveNothing(t, 20) }

// TestHundredAgentsOnOneChrome runs a hundred agents for ten steps each.
func TestHundredAgentsOnOneChrome(t *testing.T) {
	startChrome(t)
	const agents, steps = 100, 10
	start := time.Now()
	g := NewGroup(t.Context(), GroupConfig{Browser: chrome, Concurrency: 8})
	for i := range agents {
		m := model(func(n int, req *llm.Request) string {
			switch n {
			case 0:
				return say(click(index(req, "Add to cart")))
			case 1:
				return say(goTo(site.URL + "/cart"))
			case steps - 1:
				if !strings.Contains(lastText(req), "Cart 1") {
					t.Errorf("agent %d sees another cart", i)
				}
				return finished(fmt.Sprint("agent ", i), true)
			}
			return say(`{"wait":{"seconds":0}}`)
		})
		g.Go(fmt.Sprint("task ", i), Config{LLM: m, Start: Start{URL: site.URL + "/shop"}, Limits: Limits{Step: 10 * time.Minute}})
	}
	results, err := g.Wait()
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range results {
		if r.Err != nil || r.History.Final() != fmt.Sprint("agent ", i) || len(r.History.Steps) != steps+1 {
			t.Errorf("agent %d: %v, %d steps, errors %q", i, r.Err, len(r.History.Steps), r.History.Errors())
		}
	}
	t.Logf("%d agents x %d steps in %s", agents, steps, time.Since(start).Round(time.Second))
}

// TestThousandStepsHoldMemoryFlat measures the heap over a long run with
// screenshots, from when everything is warm to the end.
func TestThousandStepsHoldMemoryFlat(t *testing.T) {
	s := session(t)
	if _, err := s.Navigate(t.Context(), site.URL+"/shop"); err != nil {
		t.Fatal(err)
	}
	const steps = 1000
	heap := func() float64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc) / (1 << 20)
	}
	calls := 0
	m := llm.ClientFunc(func(_ context.Context, req *llm.Request) (*llm.Response, error) { // keeps nothing, unlike a script
		calls++
		text := say(fmt.Sprintf(`{"scroll":{"down":%t}}`, calls%2 == 0))
		if calls == steps {
			text = finished("ok", true)
		}
		return &llm.Response{Text: text, Model: "m", Usage: llm.Usage{Input: llm.EstimateTokens(req), Output: 50}}, nil
	})
	cfg := Config{LLM: m, Browser: s, Stuck: Stuck{Off: true}, Limits: Limits{Steps: steps, HistoryItems: 50}}
	a, err := New("scroll a thousand times", cfg)
	if err != nil {
		t.Fatal(err)
	}
	var first, last float64
	for st, err := range a.Steps(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		switch st.Number {
		case 50:
			first = heap()
		case steps - 1:
			last = heap()
		}
	}
	t.Logf("heap %.1f MiB after 50 steps, %.1f MiB after %d: %.1f MiB more", first, last, steps-1, last-first)
	if last-first > 10 {
		t.Errorf("the heap grew by %.1f MiB, want less than 10", last-first)
	}
}
