package browser

import (
	"context"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
)

// onLate looks after a tab one of whose calls ran out of time.
func (b *Browser) onLate(sess *cdpSession) {
	for root := sess; root != nil; root = root.parent {
		if t := b.tabOf(root); t != nil {
			t.suspect()
			return
		}
	}
}

func (b *Browser) tabOf(sess *cdpSession) *tab {
	b.mu.Lock()
	defer b.mu.Unlock()
	if t := b.tabs[sess.targetID]; t != nil && t.sess == sess {
		return t
	}
	return nil
}

// suspect finds out whether the page still answers at all. A script that never
// ends is stopped, which Chrome can do from outside; a page that does not
// answer even then loses its tab to a new one.
func (t *tab) suspect() {
	t.mu.Lock()
	busy := t.probing || t.err != nil || t.asking > 0
	t.probing = t.probing || !busy
	t.mu.Unlock()
	if busy {
		return
	}
	go func() {
		defer func() { t.mu.Lock(); t.probing = false; t.mu.Unlock() }()
		limit := t.owner.cfg.HangTimeout
		for {
			if t.answers(limit) {
				return
			}
			// On a machine without a free processor everything is late, and no
			// page is to blame.
			begun := time.Now()
			ctx, cancel := context.WithTimeout(context.Background(), limit)
			_, err := cdp.Call(ctx, t.b.conn.root, cdpbrowser.GetVersion, cdp.Empty{})
			cancel()
			if isGone(err) {
				return
			}
			if err == nil && time.Since(begun) < limit/10 {
				break
			}
		}
		stop := t.sess.send(runtime.CommandTerminateExecution, nil)
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		_ = stop.wait(ctx, nil)
		cancel()
		url, _ := t.info()
		ev := Hung{Tab: t.owner.shortID(t), URL: shortURL(url)}
		// Asked twice: a timer may begin the loop again.
		back := t.answers(limit / 2)
		back = back && t.answers(limit/2)
		if back {
			t.emit(ev)
			return
		}
		if t.failed() == nil {
			t.replace(ev)
		}
	}()
}

// answers reports whether the page carries out the least of commands in time.
// A tab that is gone or asks a person something is not hung.
func (t *tab) answers(limit time.Duration) bool {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	probe := t.sess.send(runtime.CommandEvaluate, runtime.EvaluateParams{Expression: "1", ReturnByValue: new(true)})
	select {
	case <-probe.ch:
		return true
	case <-ctx.Done():
		t.b.conn.forget(probe)
		t.mu.Lock()
		defer t.mu.Unlock()
		return t.asking > 0 || t.err != nil
	}
}

// replace closes a tab that does not answer and opens another in its place.
func (t *tab) replace(ev Hung) {
	s := t.owner
	ctx, cancel := context.WithTimeout(context.Background(), s.cfg.CallTimeout)
	defer cancel()
	fresh, err := s.b.createTab(ctx, s, t.hidden)
	t.mu.Lock()
	if t.err == nil {
		t.err = ErrHung
	}
	t.notifyLocked()
	t.mu.Unlock()
	for _, sess := range t.sessions() {
		s.b.conn.failCalls(sess.id, ErrHung)
	}
	if err == nil {
		s.mu.Lock()
		if s.current == t {
			s.current = fresh
			s.notifyLocked()
		}
		s.mu.Unlock()
		ev.Replaced = s.shortID(fresh)
	}
	// Ends the renderer at once; closing alone waits for the page's consent.
	t.sess.send(page.CommandCrash, nil)
	s.b.conn.root.send(target.CommandCloseTarget, target.CloseTargetParams{TargetID: t.id})
	t.emit(ev)
}

// crashed notes that the renderer died: what waits for it fails now.
func (t *tab) crashed() {
	t.mu.Lock()
	again := t.err != nil
	if !again {
		t.err = ErrCrashed
	}
	t.notifyLocked()
	t.mu.Unlock()
	if again {
		return
	}
	for _, sess := range t.sessions() {
		t.b.conn.failCalls(sess.id, ErrCrashed)
	}
	url, _ := t.info()
	t.emit(Crashed{Tab: t.owner.shortID(t), URL: shortURL(url)})
}

// revive opens a crashed tab's address again in a new renderer; an address
// that crashed a moment ago is left for a blank page.
func (t *tab) revive(ctx context.Context, reload bool) error {
	t.mu.Lock()
	if t.err != ErrCrashed {
		err := t.err
		t.mu.Unlock()
		return err
	}
	address := t.url
	if !reload || time.Since(t.revived) < 30*time.Second {
		address = "about:blank"
	}
	t.revived = time.Now()
	t.err = nil
	t.nav = navState{seq: t.nav.seq + 1}
	t.mu.Unlock()
	a := t.watchLoading()
	defer a.stop()
	nctx, cancel := t.navigateContext(ctx)
	defer cancel()
	res, err := cdp.Call(nctx, t.sess, page.Navigate, page.NavigateParams{URL: address})
	if err != nil {
		return err
	}
	if res.LoaderID == "" || res.ErrorText != "" {
		return nil
	}
	if err := t.waitCommit(nctx, a.loader, res.LoaderID); err != nil {
		return err
	}
	_, err = t.settle(ctx, a)
	return err
}
