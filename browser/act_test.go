package browser

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
)

// find returns the element of the current tab's main document that answers to
// a CSS selector; " >>> " goes into an open shadow root or a frame's document.
func find(t testing.TB, s *Session, selector string) *actTarget {
	t.Helper()
	tb, err := s.active(testContext(t))
	if err != nil {
		t.Fatal(err)
	}
	return findIn(t, tb, tb.main, selector)
}

func findIn(t testing.TB, tb *tab, frame cdp.FrameID, selector string) *actTarget {
	t.Helper()
	ctx := testContext(t)
	sess, world, err := tb.world(ctx, frame)
	if err != nil {
		t.Fatal(err)
	}
	res, err := cdp.Call(ctx, sess, runtime.Evaluate, runtime.EvaluateParams{
		ContextID: world,
		Expression: fmt.Sprintf(`%q.split(' >>> ').reduce((root, sel) => {
			const from = root.contentDocument || root.shadowRoot || root;
			return from.querySelector(sel);
		}, document)`, selector),
	})
	if err != nil {
		t.Fatal(err)
	}
	if res.Result.ObjectID == "" {
		t.Fatalf("no element %q", selector)
	}
	return &actTarget{tab: tb, frame: frame, obj: res.Result.ObjectID}
}

// openPage serves one page and opens it.
func openPage(t testing.TB, html string) *Session {
	t.Helper()
	s := newTestSession(t)
	srv := serve(t, map[string]string{"/": html})
	if _, err := s.Navigate(testContext(t), srv.URL); err != nil {
		t.Fatal(err)
	}
	return s
}

func title(t testing.TB, s *Session) string {
	t.Helper()
	return eval[string](t, s, "document.title")
}

func eval[T any](t testing.TB, s *Session, js string) T {
	t.Helper()
	v, err := Evaluate[T](testContext(t), s, js)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// wantReason fails unless err is an *ActionError with the reason whose text
// has all of the words.
func wantReason(t testing.TB, err error, reason Reason, words ...string) {
	t.Helper()
	var ae *ActionError
	if !errors.As(err, &ae) {
		t.Fatalf("got error %v, want an ActionError with reason %s", err, reason)
	}
	if ae.Reason != reason {
		t.Fatalf("got reason %s (%v), want %s", ae.Reason, err, reason)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q does not say %q", err, w)
		}
	}
}

var sprintf = fmt.Sprintf
