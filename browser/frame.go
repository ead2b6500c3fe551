package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// frame is a document's place in a tab. A cross-site frame lives in another
// process and has a session of its own; all others use the session of the
// nearest ancestor that has one. Fields are guarded by tab.mu.
type frame struct {
	id     cdp.FrameID
	parent cdp.FrameID
	sess   *cdpSession
	loader cdp.LoaderID
	url    string
	mime   string
	failed bool // Chrome shows its error page for url

	world       runtime.ExecutionContextID // isolated world of this document, 0 when not made yet
	worldLoader cdp.LoaderID
	making      *call // what asked ahead for it, nil once somebody waits for that
}

// worldName is the isolated world webhand's scripts run in; the page can
// neither see nor change it.
const worldName = "webhand"

// watchFrames keeps the frame map current from one session's events.
func (t *tab) watchFrames(sess *cdpSession) {
	t.watchNavigation(sess)
	t.watchNetwork(sess)
	t.recordHAR(sess)
	t.watchConsole(sess)
	onEvent(sess, page.FrameAttached, func(ev page.EventFrameAttached) {
		t.update(func() {
			if t.frames[ev.FrameID] == nil {
				t.frames[ev.FrameID] = &frame{id: ev.FrameID, parent: ev.ParentFrameID, sess: sess}
			}
		})
	})
	onEvent(sess, page.FrameNavigated, func(ev page.EventFrameNavigated) {
		t.update(func() { t.noteFrame(sess, ev.Frame) })
		if ev.Frame != nil {
			t.noteCaptcha(ev.Frame.URL + ev.Frame.URLFragment)
		}
		if ev.Frame != nil && ev.Frame.ID == t.main {
			t.makeWorld()
			t.owner.noteOrigin(ev.Frame.SecurityOrigin)
			if ev.Frame.UnreachableURL != "" || t.checkShown(ev.Frame.URL) {
				t.reportNavigation(ev.Frame)
				if ev.Frame.MimeType == "application/pdf" && !t.hidden && !t.owner.cfg.NoSavePDF && !t.owner.cfg.NoDownloads {
					t.savePDF(ev.Frame)
				}
			}
		}
	})
	onEvent(sess, page.NavigatedWithinDocument, func(ev page.EventNavigatedWithinDocument) {
		t.update(func() {
			if f := t.frames[ev.FrameID]; f != nil {
				f.url = ev.URL
			}
			t.nav.seq++
			if ev.FrameID == t.main {
				t.url = ev.URL
				t.nav.commits++
			}
		})
		if ev.FrameID == t.main {
			if t.checkShown(ev.URL) {
				t.emit(Navigated{Tab: t.owner.shortID(t), URL: ev.URL, SameDocument: true})
			}
		}
	})
	onEvent(sess, page.FrameDetached, func(ev page.EventFrameDetached) {
		t.update(func() {
			f := t.frames[ev.FrameID]
			// "swap" moves the frame to another process: its new session
			// reports it again.
			if f != nil && f.sess == sess && ev.Reason != page.FrameDetachedReasonSwap {
				t.dropFrame(ev.FrameID)
			}
		})
	})
	onEvent(sess, page.LifecycleEvent, func(ev page.EventLifecycleEvent) {
		t.update(func() { t.noteLifecycle(ev) })
	})
	onEvent(sess, target.AttachedToTarget, func(ev target.EventAttachedToTarget) { t.onFrameTarget(ev) })
	onEvent(sess, target.DetachedFromTarget, func(ev target.EventDetachedFromTarget) {
		t.update(func() {
			for id, f := range t.frames {
				if f.sess.id == ev.SessionID {
					t.dropFrame(id)
				}
			}
		})
	})
}

func (t *tab) update(fn func()) {
	t.mu.Lock()
	fn()
	t.notifyLocked()
	t.mu.Unlock()
}

// noteFrame records a committed document.
func (t *tab) noteFrame(sess *cdpSession, cf *cdp.Frame) {
	if cf == nil {
		return
	}
	f := t.frames[cf.ID]
	if f == nil {
		f = &frame{id: cf.ID, parent: cf.ParentID}
		t.frames[cf.ID] = f
	}
	if cf.ParentID != "" {
		f.parent = cf.ParentID
	}
	f.sess, f.loader, f.mime = sess, cf.LoaderID, cf.MimeType
	f.url, f.failed = cf.URL+cf.URLFragment, cf.UnreachableURL != ""
	if f.failed {
		f.url = cf.UnreachableURL
	}
	f.world, f.worldLoader, f.making = 0, "", nil
	if cf.ID == t.main {
		t.url = f.url
		for id, x := range t.frames {
			if id != t.main && x.sess == sess {
				delete(t.frames, id)
			}
		}
		if t.life.loader != cf.LoaderID {
			t.life = lifecycle{loader: cf.LoaderID}
		}
		t.nav.commitLocked(cf.LoaderID)
	}
}

func (t *tab) dropFrame(id cdp.FrameID) {
	delete(t.frames, id)
	delete(t.nav.frames, id)
	for cid, c := range t.frames {
		if c.parent == id {
			t.dropFrame(cid)
		}
	}
}

func (t *tab) noteLifecycle(ev page.EventLifecycleEvent) {
	if ev.FrameID != t.main {
		return
	}
	// Of a page that was there before, Chrome tells what it has behind it
	// without its beginning.
	if (ev.Name == "init" || t.life.loader == "") && ev.LoaderID != t.life.loader {
		t.life = lifecycle{loader: ev.LoaderID}
	}
	if ev.LoaderID != t.life.loader {
		return
	}
	switch ev.Name {
	case "DOMContentLoaded":
		t.life.dom = true
	case "load":
		t.life.dom, t.life.load = true, true
	case "networkIdle":
		t.life.idle = true
	}
}

// mergeTree adds the frames that existed before the events were listened to.
func (t *tab) mergeTree(sess *cdpSession, tree *page.FrameTree) {
	if tree == nil {
		return
	}
	t.update(func() {
		var walk func(*page.FrameTree)
		walk = func(n *page.FrameTree) {
			if f := t.frames[n.Frame.ID]; f == nil || f.loader == "" {
				t.noteFrame(sess, n.Frame)
			}
			for _, c := range n.ChildFrames {
				walk(c)
			}
		}
		walk(tree)
	})
}

// onFrameTarget sets up the session of a cross-site frame before it runs.
func (t *tab) onFrameTarget(ev target.EventAttachedToTarget) {
	sess := t.b.conn.session(ev.SessionID)
	if sess == nil {
		return
	}
	if ev.TargetInfo != nil && ev.TargetInfo.Type == "worker" {
		t.emulate(sess, "worker")
		t.intercept(sess, "worker")
		onEvent(sess, target.AttachedToTarget, t.onFrameTarget) // a worker's workers
		sess.send(target.CommandSetAutoAttach, target.SetAutoAttachParams{
			AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: new(true), Filter: t.children(),
		})
	}
	if ev.TargetInfo == nil || ev.TargetInfo.Type != "iframe" {
		sess.send("Runtime.runIfWaitingForDebugger", nil)
		return
	}
	id := cdp.FrameID(ev.TargetInfo.TargetID)
	t.update(func() {
		f := t.frames[id]
		if f == nil {
			f = &frame{id: id, parent: ev.TargetInfo.ParentFrameID, url: ev.TargetInfo.URL}
			t.frames[id] = f
		}
		f.sess, f.world, f.worldLoader = sess, 0, ""
	})
	t.watchFrames(sess)
	t.joinNetwork(sess)
	t.intercept(sess, "iframe")
	t.emulate(sess, "iframe")
	sess.send(page.CommandEnable, nil)
	sess.send(page.CommandSetLifecycleEventsEnabled, page.SetLifecycleEventsEnabledParams{Enabled: true})
	sess.send(target.CommandSetAutoAttach, target.SetAutoAttachParams{
		AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: new(true),
		Filter: t.children(),
	})
	tree := sess.send(page.CommandGetFrameTree, nil)
	sess.send("Runtime.runIfWaitingForDebugger", nil)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), t.owner.cfg.CallTimeout)
		defer cancel()
		var res page.GetFrameTreeResult
		if tree.wait(ctx, &res) == nil {
			t.mergeTree(sess, res.FrameTree)
		}
	}()
}

// children are the targets within a page that are attached to: cross-site
// frames, and workers when they have to be told something.
func (t *tab) children() target.Filter {
	if t.owner.emulatesWorkers() || t.owner.route.holdsAll() {
		return target.Filter{{Type: "iframe"}, {Type: "worker"}}
	}
	return target.Filter{{Type: "iframe"}}
}

// world returns the session and the isolated world of a frame's current
// document, making the world when needed.
func (t *tab) world(ctx context.Context, id cdp.FrameID) (*cdpSession, runtime.ExecutionContextID, error) {
	t.mu.Lock()
	f := t.frames[id]
	if f == nil {
		err := t.err
		t.mu.Unlock()
		if err == nil {
			err = fmt.Errorf("%w: %s", errFrameGone, id)
		}
		return nil, 0, err
	}
	sess, loader := f.sess, f.loader
	if f.world != 0 && f.worldLoader == loader {
		w := f.world
		t.mu.Unlock()
		return sess, w, nil
	}
	ahead := f.making
	f.making = nil
	t.mu.Unlock()
	var res page.CreateIsolatedWorldResult
	if ahead == nil || ahead.wait(ctx, &res) != nil {
		if err := sess.sendWorld(id).wait(ctx, &res); err != nil {
			return nil, 0, err
		}
	}
	t.mu.Lock()
	if f := t.frames[id]; f != nil && f.loader == loader {
		f.world, f.worldLoader = res.ExecutionContextID, loader
	}
	t.mu.Unlock()
	return sess, res.ExecutionContextID, nil
}

// makeWorld asks for the isolated world of a new main document while it loads,
// if those before it were looked at: whoever looks need not wait for it then.
func (t *tab) makeWorld() {
	t.mu.Lock()
	f := t.frames[t.main]
	if !t.booted || f == nil || f.failed {
		t.mu.Unlock()
		return
	}
	sess := f.sess
	t.mu.Unlock()
	c := sess.sendWorld(t.main)
	t.mu.Lock()
	f.making = c
	t.mu.Unlock()
}

// sendWorld asks for the isolated world of a frame's document, the same one
// each time.
func (s *cdpSession) sendWorld(id cdp.FrameID) *call {
	return s.send(page.CommandCreateIsolatedWorld, page.CreateIsolatedWorldParams{
		FrameID: id, WorldName: worldName, GrantUniveralAccess: new(true),
	})
}

// forgetWorld makes the next world call ask again.
func (t *tab) forgetWorld(id cdp.FrameID) {
	t.mu.Lock()
	if f := t.frames[id]; f != nil {
		f.world = 0
	}
	t.mu.Unlock()
}

// ScriptError is an exception thrown by JavaScript that ran in the page.
type ScriptError struct {
	Message string // the exception as the page would print it
}

// Error returns the exception's text.
func (e *ScriptError) Error() string { return "browser: script: " + e.Message }

// callInFrame runs a function declaration in a frame's isolated world with
// JSON arguments and decodes its JSON result. A document that was replaced
// between two looks is tried once more.
func (t *tab) callInFrame(ctx context.Context, id cdp.FrameID, fn string, result any, args ...any) error {
	params := runtime.CallFunctionOnParams{
		FunctionDeclaration: fn, ReturnByValue: new(true), AwaitPromise: new(true), Silent: new(true),
	}
	for _, a := range args {
		raw, err := jsonv2.Marshal(a, chromedp.DefaultMarshalOptions)
		if err != nil {
			return fmt.Errorf("browser: encode argument: %w", err)
		}
		params.Arguments = append(params.Arguments, &runtime.CallArgument{Value: raw})
	}
	for attempt := 0; ; attempt++ {
		sess, world, err := t.world(ctx, id)
		if err != nil {
			return err
		}
		params.ExecutionContextID = world
		res, err := cdp.Call(ctx, sess, runtime.CallFunctionOn, params)
		if err != nil {
			if attempt == 0 && isStaleContext(err) {
				t.forgetWorld(id)
				continue
			}
			return err
		}
		return decodeRemote(res.Result, res.ExceptionDetails, result)
	}
}

func isStaleContext(err error) bool {
	var p *ProtocolError
	return errors.As(err, &p) && (strings.Contains(p.Message, "context") || strings.Contains(p.Message, "Inspected target navigated"))
}

func decodeRemote(obj *runtime.RemoteObject, exc *runtime.ExceptionDetails, result any) error {
	if exc != nil {
		msg := exc.Text
		if exc.Exception != nil && exc.Exception.Description != "" {
			msg = exc.Exception.Description
		} else if exc.Exception != nil && len(exc.Exception.Value) > 0 {
			msg = string(exc.Exception.Value)
		}
		return &ScriptError{Message: msg}
	}
	if result == nil || obj == nil || len(obj.Value) == 0 {
		return nil
	}
	if raw, ok := result.(*jsonv2.Value); ok {
		*raw = obj.Value
		return nil
	}
	if err := jsonv2.Unmarshal(obj.Value, result, chromedp.DefaultUnmarshalOptions); err != nil {
		return fmt.Errorf("browser: decode script result: %w", err)
	}
	return nil
}
