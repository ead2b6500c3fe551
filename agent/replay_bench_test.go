package agent

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/seed-4bdb41d0/webhand/llm"
)

// orders are the answers of a run that orders four times, one action a step: 52
// steps over 20 pages.
func orders(site string) []func(*llm.Request) []string {
	one := func(f func(req *llm.Request) string) func(*llm.Request) []string {
		return func(req *llm.Request) []string { return []string{f(req)} }
	}
	typing := func(field, text string) func(*llm.Request) []string {
		return one(func(req *llm.Request) string { return input(index(req, field), text) })
	}
	press := func(words string) func(*llm.Request) []string {
		return one(func(req *llm.Request) string { return click(index(req, words)) })
	}
	open := func(path string) func(*llm.Request) []string {
		return one(func(*llm.Request) string { return goTo(site + path) })
	}
	order := []func(*llm.Request) []string{
		open("/product/" + testSlug), press(">Add to cart"), open("/checkout"),
		typing("Full name", "Ada Lovelace"), typing("Email", "ada@example.com"), typing("Street", "12 St James's Square"), typing("Postcode", "1010 Vienna"),
		one(func(req *llm.Request) string { return choose(index(req, "Country"), "Austria") }),
		press("Express"), typing("Delivery date", "2026-12-02"), typing("Gift note", "Happy birthday!"), press("I accept the terms"), press("Place order"),
	}
	return slices.Concat(order, order, order, order)
}

// BenchmarkReplay50Steps compares a recorded run of 52 steps, the model's calls
// taken out, with its replay.
func BenchmarkReplay50Steps(b *testing.B) {
	s := newShop(b)
	rec, err := Run(b.Context(), "Order four times", Config{
		Browser: session(b), LLM: script(orders(s.URL)...), Start: Start{Actions: []json.RawMessage{json.RawMessage(goTo(s.URL + "/shop"))}},
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
