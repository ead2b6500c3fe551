package browser

import (
	"context"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
)

// visitOrigins shows an empty page of each origin, made here and not asked of
// any server, and calls fn on it. It uses t, which must be idle and is left
// blank, or a hidden tab of its own when t is nil.
func (s *Session) visitOrigins(ctx context.Context, t *tab, origins []string, fn func(*tab, string) error) error {
	if t == nil {
		var err error
		if t, err = s.b.createTab(ctx, s, true); err != nil {
			return err
		}
		defer s.b.conn.root.send(target.CommandCloseTarget, target.CloseTargetParams{TargetID: t.id})
	}
	// A session of its own on the tab, so that the policy's is not disturbed.
	att, err := cdp.Call(ctx, s.b.conn.root, target.AttachToTarget, target.AttachToTargetParams{TargetID: t.id, Flatten: new(true)})
	if err != nil {
		return err
	}
	defer s.b.conn.root.send(target.CommandDetachFromTarget, target.DetachFromTargetParams(att))
	sess := s.b.conn.session(att.SessionID)
	if sess == nil {
		return errDetached
	}
	onEvent(sess, fetch.RequestPaused, func(ev fetch.EventRequestPaused) {
		sess.send(fetch.CommandFulfillRequest, fetch.FulfillRequestParams{
			RequestID: ev.RequestID, ResponseCode: 200,
			ResponseHeaders: []*fetch.HeaderEntry{{Name: "Content-Type", Value: "text/html"}, {Name: "Cache-Control", Value: "no-store"}},
		})
	})
	if _, err := cdp.Call(ctx, sess, fetch.Enable, fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: "*"}}}); err != nil {
		return err
	}
	show := func(address string) error {
		t.mu.Lock()
		before := t.life.loader
		t.mu.Unlock()
		res, err := cdp.Call(ctx, sess, page.Navigate, page.NavigateParams{URL: address})
		if err != nil {
			return err
		}
		if res.ErrorText != "" {
			return fmt.Errorf("%s: %s", address, res.ErrorText)
		}
		return t.waitCommit(ctx, before, res.LoaderID)
	}
	for _, o := range origins {
		if s.route.policy.document(o+"/") != nil {
			continue // where the session may not go it keeps nothing
		}
		if err := show(o + "/"); err != nil {
			return err
		}
		if err := fn(t, o); err != nil {
			return fmt.Errorf("%s: %w", o, err)
		}
	}
	if t.hidden {
		return nil
	}
	if err := show("about:blank"); err != nil {
		return err
	}
	if err := t.waitFor(ctx, func() bool { return t.life.load }); err != nil {
		return err
	}
	// A page that has just changed its process refuses for a moment.
	for range 100 {
		if _, err = cdp.Call(ctx, t.sess, page.ResetNavigationHistory, cdp.Empty{}); err == nil || isGone(err) || ctx.Err() != nil {
			return err
		}
		wait(ctx, 10*time.Millisecond)
	}
	return err
}
