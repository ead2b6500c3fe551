package browser

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
)

// tab is one page target with its frames.
type tab struct {
	b        *Browser
	owner    *Session
	id       target.ID
	openerID target.ID
	hidden   bool // serves the session itself
	sess     *cdpSession

	mu      sync.Mutex
	url     string
	title   string
	frames  map[cdp.FrameID]*frame
	main    cdp.FrameID
	life    lifecycle
	nav     navState
	net     netState
	err     error         // why the tab cannot be used any more
	changed chan struct{} // closed and replaced on every frame or lifecycle event

	reporting chan struct{} // closed when the last navigation is reported

	captures captures // of the page state
	booted   bool     // new documents come with the scripts ready

	ready    chan struct{} // closed when setup ended
	setupErr error         // valid after ready
	gone     chan struct{} // closed when the target is no more

	probing bool      // whether it still answers
	asking  int       // dialogs that a hook is deciding about
	kept    int       // how often its page asked to stay and was let
	revived time.Time // when it was last opened again after a crash

	captcha string // the last one reported, with its document

	astir *activity // watched since the first action after the last look

	refused  *PolicyError // what the policy refused the main frame last
	lastGood string       // the last address that the policy let the main frame show
	sentBack time.Time
}

// lifecycle is how far the current document of the main frame is.
type lifecycle struct {
	loader cdp.LoaderID
	dom    bool // DOMContentLoaded
	load   bool
	idle   bool // no request for half a second
}

func newTab(b *Browser, owner *Session, sess *cdpSession, info *target.Info) *tab {
	t := &tab{
		b: b, owner: owner, id: info.TargetID, openerID: info.OpenerID, sess: sess,
		url: info.URL, title: info.Title,
		frames:  make(map[cdp.FrameID]*frame),
		main:    cdp.FrameID(info.TargetID),
		changed: make(chan struct{}),
		ready:   make(chan struct{}),
		gone:    make(chan struct{}),
	}
	if owner.networkStaysOn() {
		t.net.users = 1
	}
	sess.timeout.Store(int64(owner.cfg.CallTimeout))
	return t
}

// setup prepares the page while it is paused and lets it run: one flush, then
// one look at the frame tree.
func (t *tab) setup() {
	t.watchFrames(t.sess)
	t.watchDialogs()
	calls := []*call{
		t.sess.send(page.CommandEnable, nil),
		t.sess.send(page.CommandSetLifecycleEventsEnabled, page.SetLifecycleEventsEnabledParams{Enabled: true}),
		t.sess.send(target.CommandSetAutoAttach, target.SetAutoAttachParams{
			AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: new(true),
			Filter: t.children(),
		}),
		t.sess.send(page.CommandSetInterceptFileChooserDialog, page.SetInterceptFileChooserDialogParams{Enabled: true}),
		t.sess.send(emulation.CommandSetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}),
	}
	calls = append(calls, t.emulate(t.sess, "page")...)
	calls = append(calls, t.intercept(t.sess, "page")...)
	tree := t.sess.send(page.CommandGetFrameTree, nil)
	run := t.sess.send("Runtime.runIfWaitingForDebugger", nil)
	go func() {
		defer close(t.ready)
		ctx, cancel := context.WithTimeout(context.Background(), t.owner.cfg.StartTimeout)
		defer cancel()
		for _, c := range append(calls, run) {
			if err := c.wait(ctx, nil); err != nil {
				t.setupErr = fmt.Errorf("browser: set up tab: %w", err)
				return
			}
		}
		var res page.GetFrameTreeResult
		if err := tree.wait(ctx, &res); err != nil {
			t.setupErr = fmt.Errorf("browser: set up tab: %w", err)
			return
		}
		t.mergeTree(t.sess, res.FrameTree)
	}()
}

// waitReady returns when the tab is set up, or why it is not.
func (t *tab) waitReady(ctx context.Context) error {
	select {
	case <-t.ready:
	case <-ctx.Done():
		return fmt.Errorf("browser: wait for tab: %w", context.Cause(ctx))
	}
	if err := t.failed(); err != nil {
		return err
	}
	return t.setupErr
}

func (t *tab) failed() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}

// setFailed has what is asked of the tab from now on fail with err, unless it
// fails already.
func (t *tab) setFailed(err error) {
	t.update(func() {
		if t.err == nil {
			t.err = err
		}
	})
}

func (t *tab) setGone(err error) {
	t.setFailed(err)
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case <-t.gone:
	default:
		close(t.gone)
	}
	t.notifyLocked()
}

func (t *tab) setInfo(url, title string) {
	t.mu.Lock()
	t.url, t.title = url, title
	t.mu.Unlock()
}

func (t *tab) info() (url, title string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.url, t.title
}

func (t *tab) notifyLocked() {
	close(t.changed)
	t.changed = make(chan struct{})
}

// waitFor returns when cond holds; cond is asked under the tab's lock after
// every change.
func (t *tab) waitFor(ctx context.Context, cond func() bool) error {
	for {
		t.mu.Lock()
		ok, err, ch := cond(), t.err, t.changed
		t.mu.Unlock()
		if ok {
			return nil
		}
		if err != nil {
			return err
		}
		select {
		case <-ch:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
