package browser

import (
	"slices"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/dom"
)

// beside takes two readings by turns, so that what the machine does beside them
// meets both, and reports the medians and how many times the second is the
// first.
func beside(b *testing.B, names [2]string, run [2]func() error) {
	var ms [2][]float64
	for b.Loop() {
		for i, f := range run {
			begun := time.Now()
			if err := f(); err != nil {
				b.Fatal(err)
			}
			ms[i] = append(ms[i], float64(time.Since(begun).Microseconds())/1000)
		}
	}
	var median [2]float64
	for i := range ms {
		slices.Sort(ms[i])
		median[i] = ms[i][len(ms[i])/2]
		b.ReportMetric(median[i], names[i]+"-ms")
	}
	b.ReportMetric(median[1]/median[0], "times")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkScreenshotBeside compares a screenshot alone with a state that has
// one.
func BenchmarkScreenshotBeside(b *testing.B) {
	benchPages(b, func(b *testing.B, s *Session, _ string) {
		beside(b, [2]string{"alone", "state"}, [2]func() error{
			func() error { _, err := s.Screenshot(b.Context(), ScreenshotOptions{}); return err },
			func() error { _, err := s.State(b.Context(), StateOptions{Fresh: true, Screenshot: true}); return err },
		})
	})
}

// BenchmarkWalkBeside compares a bare walk over the page with its state: the
// default one, and the whole page.
func BenchmarkWalkBeside(b *testing.B) {
	for _, whole := range []bool{false, true} {
		name, o := "default", StateOptions{Fresh: true}
		if whole {
			name, o.Full, o.Text = "whole", true, dom.TextOptions{Budget: -1}
		}
		b.Run(name, func(b *testing.B) {
			benchPages(b, func(b *testing.B, s *Session, _ string) {
				t, err := s.active(b.Context())
				if err != nil {
					b.Fatal(err)
				}
				beside(b, [2]string{"bare", "state"}, [2]func() error{
					func() error { return walkBare(b.Context(), t) },
					func() error { _, err := s.State(b.Context(), o); return err },
				})
			})
		})
	}
}
