package browser

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"github.com/seed-4bdb41d0/webhand/dom"
	"github.com/seed-4bdb41d0/webhand/internal/pagegen"
)

// bareWalk is the least that shows a page: every rendered element with its box
// and style and every text with its box, through frames of the same site, what
// takes a press in the viewport, and the words out.
const bareWalk = `(() => {
	const out = [];
	const walk = (doc) => {
		const r = doc.createRange(); const w = doc.defaultView;
		const visit = (e) => {
			const b = e.getBoundingClientRect(); const s = w.getComputedStyle(e);
			if (!e.checkVisibility()) return;
			const use = s.cursor === 'pointer' || e.matches('a,button,input,select,textarea,[role],[onclick],[tabindex]');
			if (use && b.width > 0 && b.top < w.innerHeight && b.bottom > 0) {
				const hit = doc.elementFromPoint(b.left + b.width / 2, b.top + b.height / 2);
				if (e.contains(hit)) out.push(e.localName + ' ' + (e.value || e.title || ''));
			}
			if (s.overflow === 'x') return;
			for (let c = (e.shadowRoot || e).firstChild; c; c = c.nextSibling) {
				if (c.nodeType === 1) visit(c);
				else if (c.nodeType === 3 && /\S/.test(c.data)) { r.selectNodeContents(c); const b = r.getBoundingClientRect(); if (b.width > 0) out.push(c.data.trim()) }
			}
			let inner = null;
			try { inner = e.localName === 'iframe' ? e.contentDocument : null } catch {}
			if (inner && inner.body) walk(inner);
		};
		visit(doc.body);
	};
	walk(document);
	return out.join('\n');
})()`

// walkBare walks the page of a tab like that, its cross-site frames beside it.
func walkBare(ctx context.Context, t *tab) error {
	ids := t.roots()
	errs := make([]error, len(ids))
	var wg sync.WaitGroup
	for i, id := range ids {
		wg.Go(func() {
			sess, world, err := t.world(ctx, id)
			if err != nil {
				errs[i] = err
				return
			}
			res, err := cdp.Call(ctx, sess, runtime.Evaluate, runtime.EvaluateParams{Expression: bareWalk, ContextID: world, ReturnByValue: new(true)})
			if err == nil && (res.ExceptionDetails != nil || len(res.Result.Value) < 3) {
				err = fmt.Errorf("bare walk: %v %s", res.ExceptionDetails, res.Result.Value)
			}
			errs[i] = err
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// serveGenerated answers with the generated pages; those of another site are at
// localhost.
func serveGenerated(t testing.TB) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(nil)
	t.Cleanup(srv.Close)
	srv.Config.Handler = pagegen.Handler(strings.Replace(srv.URL, "127.0.0.1", "localhost", 1))
	return srv
}

func benchPages(b *testing.B, run func(b *testing.B, s *Session, url string)) {
	srv := serveGenerated(b)
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
		for b.Loop() {
			if err := walkBare(b.Context(), t); err != nil {
				b.Fatal(err)
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
