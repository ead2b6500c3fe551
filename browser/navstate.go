package browser

import (
	"context"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
)

// navState is a navigation of the main frame that is under way. Guarded by
// tab.mu.
type navState struct {
	seq       int          // counts navigations that were asked for, began or ended
	commits   int          // counts documents and addresses that the main frame got
	begun     cdp.LoaderID // of the document that was asked for last
	loader    cdp.LoaderID // of the one under way; empty when there is none
	requested time.Time    // a script or link asked for one that did not begin yet
	frames    map[cdp.FrameID]time.Time
}

// loading reports whether a document is on its way: the main one, or a
// frame's for a while.
func (n *navState) loading(now time.Time) bool {
	if n.loader != "" || !n.requested.IsZero() && now.Sub(n.requested) < 500*time.Millisecond {
		return true
	}
	for _, began := range n.frames {
		if now.Sub(began) < stalledAfter {
			return true
		}
	}
	return false
}

// watchNavigation follows what begins and ends in one session's frames.
func (t *tab) watchNavigation(sess *cdpSession) {
	onEvent(sess, page.FrameRequestedNavigation, func(ev page.EventFrameRequestedNavigation) {
		t.update(func() {
			t.nav.seq++
			if ev.FrameID == t.main && ev.Disposition == page.ClientNavigationDispositionCurrentTab {
				t.nav.requested = time.Now()
			}
		})
	})
	onEvent(sess, page.FrameStartedNavigating, func(ev page.EventFrameStartedNavigating) {
		if ev.NavigationType == page.FrameStartedNavigatingNavigationTypeSameDocument ||
			ev.NavigationType == page.FrameStartedNavigatingNavigationTypeHistorySameDocument {
			return
		}
		t.update(func() {
			t.nav.seq++
			if ev.FrameID == t.main {
				t.nav.loader, t.nav.requested = ev.LoaderID, time.Time{}
				t.nav.begun = ev.LoaderID
			}
		})
	})
	onEvent(sess, page.FrameStartedLoading, func(ev page.EventFrameStartedLoading) {
		t.update(func() {
			if ev.FrameID != t.main {
				if t.nav.frames == nil {
					t.nav.frames = make(map[cdp.FrameID]time.Time)
				}
				t.nav.frames[ev.FrameID] = time.Now()
			}
		})
	})
	onEvent(sess, page.FrameStoppedLoading, func(ev page.EventFrameStoppedLoading) {
		t.update(func() {
			delete(t.nav.frames, ev.FrameID)
			if ev.FrameID == t.main {
				// Also how a navigation ends that was a download, was
				// answered with 204, or was cancelled.
				t.nav.loader, t.nav.requested = "", time.Time{}
			}
		})
	})
	onEvent(sess, page.WindowOpen, func(page.EventWindowOpen) { t.update(func() { t.nav.seq++ }) })
}

// commitLocked notes that the main frame has a new document.
func (n *navState) commitLocked(loader cdp.LoaderID) {
	n.seq++
	n.commits++
	n.requested = time.Time{}
	n.frames = nil
	if n.loader == loader || loader == "" {
		n.loader = ""
	}
}

// reportNavigation sends Navigated for a new document of the main frame, with
// its HTTP status; the document itself is asked when the network was not
// watched.
func (t *tab) reportNavigation(f *cdp.Frame) {
	ev := Navigated{Tab: t.owner.shortID(t), URL: f.URL + f.URLFragment}
	t.mu.Lock()
	status, known := t.net.status[f.LoaderID]
	failure := t.net.failure[f.LoaderID]
	t.mu.Unlock()
	if f.UnreachableURL != "" {
		ev.URL, ev.Error = f.UnreachableURL, "could not be opened"
		if failure != "" {
			ev.Error = failure
		}
		t.emit(ev)
		return
	}
	if known || !hasStatus(ev.URL) {
		ev.Status = status
		t.emit(ev)
		return
	}
	done := make(chan struct{})
	t.update(func() { t.reporting = done })
	go func() {
		defer close(done)
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		ev.Status = t.documentStatus(ctx)
		if ev.Status != 0 {
			t.update(func() { t.net.setStatus(f.LoaderID, ev.Status) })
		}
		t.emit(ev)
	}()
}

func hasStatus(url string) bool {
	return len(url) > 5 && (url[:5] == "http:" || url[:6] == "https:")
}

// documentStatus asks the page itself (Navigation Timing, responseStatus).
func (t *tab) documentStatus(ctx context.Context) int {
	var status int
	_ = t.callInFrame(ctx, t.main, `() => { const e = performance.getEntriesByType('navigation')[0]; return e && e.responseStatus || 0 }`, &status)
	return status
}

// waitReported returns when the events of the last navigation are sent.
func (t *tab) waitReported(ctx context.Context) {
	t.mu.Lock()
	done := t.reporting
	t.mu.Unlock()
	if done == nil {
		return
	}
	select {
	case <-done:
	case <-ctx.Done():
	}
}
