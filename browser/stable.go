package browser

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/runtime"
)

//go:embed quiet.js
var quietJS string

// quietTime is how long network and page must have been still.
const quietTime = 100 * time.Millisecond

// Settled is how a wait for a quiet page ended.
type Settled struct {
	// Began is set when something happened at all: a navigation, a request
	// or a change of the page.
	Began bool
	// Navigated is set when the tab has another document than before.
	Navigated bool
	// Loading is set when the page was not quiet at the end of the wait; it
	// is usable all the same. Reason says what went on.
	Loading bool
	Reason  string
}

// WaitStable waits until the current tab's page is quiet: no navigation under
// way, no request for content, no change of the page for 100 ms; at most
// Config.ReadyTimeout. Sockets, event streams, media, beacons and requests
// older than two seconds do not count. It sees what begins after it is called;
// an action watches from before itself.
func (s *Session) WaitStable(ctx context.Context) (Settled, error) {
	t, err := s.active(ctx)
	if err != nil {
		return Settled{}, err
	}
	a := t.watchActivity(ctx)
	defer a.stop()
	return a.wait(ctx)
}

// activity is what a tab does from the moment it is watched. Make it before
// an action and wait after it:
//
//	a := t.watchActivity(ctx)
//	defer a.stop()
//	... click ...
//	settled, err := a.wait(ctx)
type activity struct {
	t       *tab
	stop    func()
	seq     int
	started int
	loader  cdp.LoaderID
}

// watchActivity begins to watch. It waits for an answer only when the
// document has no isolated world yet: commands of one session are carried out
// in order, so whatever the caller sends next is seen.
func (t *tab) watchActivity(ctx context.Context) *activity {
	a := t.watchLoading()
	if sess, world, err := t.world(ctx, t.main); err == nil {
		// Should it fail, the wait watches the page by itself.
		sess.send(runtime.CommandCallFunctionOn, runtime.CallFunctionOnParams{
			FunctionDeclaration: quietJS, ExecutionContextID: world, Silent: new(true),
			Arguments: []*runtime.CallArgument{{Value: jsonv2.Value(`"arm"`)}},
		})
	}
	return a
}

// watchLoading is watchActivity without an eye on the page itself, for
// actions that replace it.
func (t *tab) watchLoading() *activity {
	a := &activity{t: t, stop: t.watchRequests()}
	t.mu.Lock()
	a.seq, a.started, a.loader = t.nav.seq, t.net.started, t.life.loader
	t.mu.Unlock()
	return a
}

// wait returns when the page is quiet, at once when nothing has begun within
// quietTime of the last change, and at the latest after Config.ReadyTimeout.
func (a *activity) wait(ctx context.Context) (Settled, error) {
	return a.waitUntil(ctx, time.Now().Add(a.t.owner.cfg.ReadyTimeout))
}

func (a *activity) waitUntil(ctx context.Context, deadline time.Time) (Settled, error) {
	t := a.t
	var out Settled
	changes, answered := 0, true
	for {
		now := time.Now()
		t.mu.Lock()
		err, changed := t.err, t.changed
		loading := t.nav.loading(now) || t.life.loader != "" && !t.life.dom
		busy := t.net.busyFor(now, quietTime)
		seq := t.nav.seq
		out.Began = changes > 0 || seq != a.seq || t.net.started != a.started
		out.Navigated = t.life.loader != a.loader
		pending := len(t.net.inflight)
		t.mu.Unlock()
		switch {
		case err != nil:
			return out, err
		case ctx.Err() != nil:
			return out, fmt.Errorf("browser: wait for the page: %w", context.Cause(ctx))
		case !now.Before(deadline):
			out.Loading = true
			out.Reason = loadingReason(loading, pending, answered)
			return out, nil
		}
		if loading || busy > 0 {
			wait := deadline.Sub(now)
			if busy > 0 {
				wait = min(wait, busy)
			} else {
				wait = min(wait, 100*time.Millisecond) // loading can end by the clock
			}
			waitChange(ctx, changed, wait)
			continue
		}
		var page struct {
			Changes int  `json:"changes"`
			Still   bool `json:"still"`
		}
		left := deadline.Sub(now)
		pctx, cancel := context.WithTimeout(ctx, left+time.Second)
		err = t.callInFrame(pctx, t.main, quietJS, &page, "wait", quietTime.Milliseconds(), left.Milliseconds())
		cancel()
		changes += page.Changes
		t.mu.Lock()
		moved := t.nav.seq != seq || t.nav.loading(time.Now())
		busy = t.net.busyFor(time.Now(), quietTime)
		t.mu.Unlock()
		if err != nil {
			if isGone(err) {
				return out, err
			}
			// The document was replaced, or its script does not let go.
			answered = moved
			waitChange(ctx, changed, 20*time.Millisecond)
			continue
		}
		answered = true
		out.Began = out.Began || changes > 0
		if moved || busy > 0 || !page.Still {
			continue
		}
		return out, nil
	}
}

func waitChange(ctx context.Context, changed <-chan struct{}, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-changed:
	case <-timer.C:
	case <-ctx.Done():
	}
}

func loadingReason(loading bool, pending int, answered bool) string {
	var why []string
	if loading {
		why = append(why, "the document was not there yet")
	}
	if pending > 0 {
		why = append(why, fmt.Sprintf("%d requests were under way", pending))
	}
	if !answered {
		why = append(why, "the page did not answer")
	}
	if len(why) == 0 {
		why = append(why, "the page kept changing")
	}
	return strings.Join(why, ", ")
}
