package browser

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"github.com/seed-4bdb41d0/webhand/dom"
	"github.com/seed-4bdb41d0/webhand/internal/pagegen"
)

// bareWalk visits every element with its box and style and every text with
// its box, and keeps nothing: the least a walk in the page can cost.
const bareWalk = `(() => {
	let n = 0; const r = document.createRange();
	const visit = (e) => {
		const b = e.getBoundingClientRect(); const s = getComputedStyle(e);
		if (b.width > 0 && e.checkVisibility() && s.cursor !== 'x' && s.overflow !== 'x') n++;
		for (let c = (e.shadowRoot || e).firstChild; c; c = c.nextSibling) {
			if (c.nodeType === 1) visit(c);
			else if (c.nodeType === 3 && /\S/.test(c.data)) { r.selectNodeContents(c); n += r.getBoundingClientRect().width > 0 }
		}
	};
	visit(document.body);
	return n;
})()`

func benchPages(b *testing.B, run func(b *testing.B, s *Session, url string)) {
	var other string
	srv := httptest.NewServer(nil)
	b.Cleanup(srv.Close)
	other = strings.Replace(srv.URL, "127.0.0.1", "localhost", 1)
	srv.Config.Handler = pagegen.Handler(other)
	for _, name := range pagegen.Names {
		b.Run(name, func(b *testing.B) {
			s := newTestSession(b)
			if _, err := s.Navigate(testContext(b), srv.URL+"/"+name); err != nil {
				b.Fatal(err)
			}
			run(b, s, srv.URL+"/"+name)
		})
	}
}

func benchState(b *testing.B, o StateOptions) {
	benchPages(b, func(b *testing.B, s *Session, _ string) {
		var st *State
		if _, err := s.State(b.Context(), o); err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			var err error
			if st, err = s.State(b.Context(), o); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(st.Text.Tokens), "tokens")
		b.ReportMetric(float64(st.Page.Targets()), "targets")
	})
}

func BenchmarkState(b *testing.B) { benchState(b, StateOptions{Fresh: true}) }

func BenchmarkStateWhole(b *testing.B) {
	benchState(b, StateOptions{Fresh: true, Full: true, Text: dom.TextOptions{Budget: -1}})
}

func BenchmarkStateUnchanged(b *testing.B) { benchState(b, StateOptions{}) }

func BenchmarkStateWithScreenshot(b *testing.B) {
	benchState(b, StateOptions{Fresh: true, Screenshot: true})
}

func BenchmarkScreenshotAlone(b *testing.B) {
	benchPages(b, func(b *testing.B, s *Session, _ string) {
		for b.Loop() {
			if _, err := s.Screenshot(b.Context(), ScreenshotOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkBareWalk(b *testing.B) {
	benchPages(b, func(b *testing.B, s *Session, _ string) {
		t, err := s.active(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		sess, world, err := t.world(b.Context(), t.main)
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			res, err := cdp.Call(b.Context(), sess, runtime.Evaluate, runtime.EvaluateParams{Expression: bareWalk, ContextID: world, ReturnByValue: new(true)})
			if err != nil || res.ExceptionDetails != nil {
				b.Fatal(fmt.Sprint(err, res.ExceptionDetails))
			}
		}
	})
}

func BenchmarkMarkdown(b *testing.B) {
	benchPages(b, func(b *testing.B, s *Session, _ string) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := s.Markdown(b.Context(), dom.MarkdownOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
