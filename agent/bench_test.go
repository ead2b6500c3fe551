package agent

import (
	"fmt"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// BenchmarkStep runs steps on a listing of demosite, screenshots on, with a
// model that answers at once, and reports what the loop itself takes of them:
// everything but reading the page, the model's call and the actions.
func BenchmarkStep(b *testing.B) {
	s := session(b)
	if _, err := s.Navigate(b.Context(), site.URL+"/shop"); err != nil {
		b.Fatal(err)
	}
	const steps = 50
	var overhead, total time.Duration
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		m := model(func(n int, _ *llm.Request) string {
			if n == steps-1 {
				return finished("ok", true)
			}
			return say(fmt.Sprintf(`{"scroll":{"down":%t}}`, n%2 == 0))
		})
		h, err := Run(b.Context(), "scroll down and up", Config{LLM: m, Browser: s, Stuck: Stuck{Off: true}})
		if err != nil {
			b.Fatal(err)
		}
		for _, st := range h.Steps {
			overhead += st.overhead
			total += st.Ended.Sub(st.Started)
			n++
		}
	}
	b.ReportMetric(float64(overhead.Microseconds())/float64(n), "overhead-µs/step")
	b.ReportMetric(float64(total.Microseconds())/float64(n), "µs/step")
	b.ReportMetric(100*float64(overhead)/float64(total), "overhead-%")
}

// BenchmarkPrompt assembles the prompt of a step with fifty steps behind it.
func BenchmarkPrompt(b *testing.B) {
	a, err := New("task", Config{LLM: model(func(int, *llm.Request) string { return "" }), Tools: simpleTools()})
	if err != nil {
		b.Fatal(err)
	}
	h := sampleHistory()
	for i := range 50 {
		st := *h.Steps[1]
		st.Number = i + 1
		e, _ := entry(&st, "01234567")
		a.mind.Log.Add(e)
	}
	v := view{step: 51, used: 51, model: a.reg.Compile(registry.Page{}), nonce: "89abcdef"}
	b.ReportAllocs()
	for b.Loop() {
		if len(messages(a.blocks(v))) != 53 {
			b.Fatal("the prompt lost something")
		}
	}
}
