package agent

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/seed-4bdb41d0/webhand/llm"
)

// fifty are the answers of a run of 50 steps over pages of the shop: going
// there, following links, typing.
func fifty(site string) []func(*llm.Request) []string {
	var out []func(*llm.Request) []string
	for i := range 50 {
		switch i % 5 {
		case 0:
			out = append(out, func(*llm.Request) []string { return []string{goTo(site + "/tricky/fields")} })
		case 1:
			out = append(out, func(req *llm.Request) []string { return []string{click(index(req, ">Buttons"))} })
		case 2:
			out = append(out, func(*llm.Request) []string { return []string{goTo(site + "/help")} })
		case 3:
			out = append(out, func(req *llm.Request) []string {
				return []string{input(index(req, "Search products"), fmt.Sprint("mug ", i))}
			})
		default:
			out = append(out, func(req *llm.Request) []string { return []string{click(index(req, ">Offers"))} })
		}
	}
	return out
}

// BenchmarkReplay50Steps compares a recorded run of 50 steps, the model's calls
// taken out, with its replay.
func BenchmarkReplay50Steps(b *testing.B) {
	s := newShop(b)
	rec, err := Run(b.Context(), "Fifty steps", Config{
		Browser: session(b), LLM: script(fifty(s.URL)...), Start: Start{Actions: []json.RawMessage{json.RawMessage(goTo(s.URL + "/shop"))}},
	})
	if err != nil || len(rec.Errors()) > 0 {
		b.Fatal(err, rec.Errors())
	}
	var recorded int64
	for _, st := range rec.Steps {
		recorded += st.Timing.Total - st.Timing.Model
	}
	var replayed float64
	calls, n := 0, 0
	for b.Loop() {
		b.StopTimer()
		t := session(b)
		b.StartTimer()
		h, err := Replay(b.Context(), rec, Config{Browser: t})
		if err != nil {
			b.Fatal(err)
		}
		replayed += float64(h.Duration().Milliseconds())
		calls += h.Usage.Calls
		n++
	}
	mean := replayed / float64(n)
	b.ReportMetric(float64(recorded), "recorded-ms")
	b.ReportMetric(mean, "replayed-ms")
	b.ReportMetric(float64(recorded)/mean, "times-as-fast")
	b.ReportMetric(float64(calls), "model-calls")
}
