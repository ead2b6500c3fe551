package browser

import (
	"context"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
)

func (b *Browser) tab(id target.ID) *tab {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.tabs[id]
}

// onAttached decides whose a new page is, sets it up and lets it run.
func (b *Browser) onAttached(ev target.EventAttachedToTarget) {
	sess := b.conn.session(ev.SessionID)
	if sess == nil || ev.TargetInfo == nil || ev.TargetInfo.Type != "page" {
		return
	}
	id := ev.TargetInfo.TargetID
	b.mu.Lock()
	if b.tabs[id] != nil {
		b.mu.Unlock()
		return
	}
	owner := b.ownerLocked(ev.TargetInfo)
	old := b.lostTabs[id]
	switch {
	case old != nil:
		b.mu.Unlock()
		b.takeUp(old, ev)
		return
	case ev.TargetInfo.OpenerID == "" && b.creating > 0:
		// Perhaps the one that createTab asks for, and knows by its id.
		b.limbo[id] = ev
	case owner == nil && b.proc != nil && !ev.WaitingForDebugger:
		// The page that Chrome starts with is seen before its session is made.
		b.spare[id] = ev
	case owner == nil:
		b.mu.Unlock()
		b.letGo(sess)
		return
	default:
		b.mu.Unlock()
		b.adopt(owner, ev, false)
		return
	}
	b.mu.Unlock()
}

// adopt makes a page a tab of a session. A hidden one serves the session
// itself and is not among its tabs.
func (b *Browser) adopt(owner *Session, ev target.EventAttachedToTarget, hidden bool) *tab {
	sess := b.conn.session(ev.SessionID)
	if sess == nil {
		return nil
	}
	t := newTab(b, owner, sess, ev.TargetInfo)
	t.hidden = hidden
	b.mu.Lock()
	b.tabs[t.id] = t
	b.mu.Unlock()
	if !hidden {
		owner.addTab(t)
	}
	t.setup()
	return t
}

// takeUp gives a tab of a lost connection a new session.
func (b *Browser) takeUp(old *tab, ev target.EventAttachedToTarget) {
	sess := b.conn.session(ev.SessionID)
	if sess == nil {
		return
	}
	t := newTab(b, old.owner, sess, ev.TargetInfo)
	t.hidden, t.openerID = old.hidden, old.openerID
	b.mu.Lock()
	b.tabs[t.id] = t
	b.mu.Unlock()
	old.owner.replaceTab(old, t)
	b.mu.Lock()
	delete(b.lostTabs, t.id)
	b.mu.Unlock()
	t.setup()
}

// ownerLocked finds the session a page belongs to: by its browser context, or
// by its opener when the context is shared with a person.
func (b *Browser) ownerLocked(info *target.Info) *Session {
	if opener := b.tabs[info.OpenerID]; info.OpenerID != "" && opener != nil {
		return opener.owner
	}
	for _, s := range b.sessions {
		if s.contextID != "" && s.contextID == info.BrowserContextID {
			return s
		}
	}
	for _, s := range b.sessions {
		if s.contextID == "" && b.proc != nil {
			return s
		}
	}
	return nil
}

// letGo leaves a page alone that is not ours.
func (b *Browser) letGo(sess *cdpSession) {
	sess.send("Runtime.runIfWaitingForDebugger", nil)
	b.conn.root.send(target.CommandDetachFromTarget, target.DetachFromTargetParams{SessionID: sess.id})
}

func (b *Browser) onDetached(sid target.SessionID) {
	b.mu.Lock()
	var t *tab
	for id, x := range b.tabs {
		if x.sess.id == sid {
			t = x
			delete(b.tabs, id)
			if b.past == nil || len(b.past) > 200 {
				b.past = make(map[string]*Session)
			}
			b.past[string(id)] = x.owner
		}
	}
	for id, ev := range b.spare {
		if ev.SessionID == sid {
			delete(b.spare, id)
		}
	}
	b.mu.Unlock()
	if t != nil {
		// Who waits for it to be gone finds it in no list any more.
		t.setFailed(ErrNoTab)
		if !t.hidden {
			t.owner.removeTab(t)
		}
		t.setGone(ErrNoTab)
	}
}

func (b *Browser) onInfo(info *target.Info) {
	if info == nil {
		return
	}
	if t := b.tab(info.TargetID); t != nil {
		t.setInfo(info.URL, info.Title)
	}
}

// createTab opens a page for a session and returns it set up.
func (b *Browser) createTab(ctx context.Context, s *Session, hidden bool) (*tab, error) {
	// Chrome makes tabs one after the other; asking for many at once only
	// makes each of them late.
	select {
	case b.making <- struct{}{}:
		defer func() { <-b.making }()
	case <-ctx.Done():
		return nil, fmt.Errorf("browser: open tab: %w", context.Cause(ctx))
	case <-b.conn.done:
		return nil, b.conn.lost()
	}
	ctx, cancel := context.WithTimeout(ctx, b.cfg.StartTimeout)
	defer cancel()
	b.mu.Lock()
	b.creating++
	b.mu.Unlock()
	res, err := cdp.Call(ctx, b.conn.root, target.CreateTarget, target.CreateTargetParams{
		URL: "about:blank", BrowserContextID: s.contextID, Background: &hidden,
	})
	var mine target.EventAttachedToTarget
	b.mu.Lock()
	for err == nil && b.limbo[res.TargetID].TargetInfo == nil && ctx.Err() == nil && b.conn.lost() == nil {
		// Its attach event is handled beside its answer.
		b.mu.Unlock()
		wait(ctx, time.Millisecond)
		b.mu.Lock()
	}
	b.creating--
	if err == nil {
		mine = b.limbo[res.TargetID]
		delete(b.limbo, res.TargetID)
	}
	type found struct {
		ev    target.EventAttachedToTarget
		owner *Session
	}
	var others []found
	if b.creating == 0 {
		for id, ev := range b.limbo {
			others = append(others, found{ev, b.ownerLocked(ev.TargetInfo)})
			delete(b.limbo, id)
		}
	}
	b.mu.Unlock()
	for _, o := range others {
		if o.owner != nil {
			b.adopt(o.owner, o.ev, false)
		} else if sess := b.conn.session(o.ev.SessionID); sess != nil {
			b.letGo(sess)
		}
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("browser: open tab: %w", err)
	case b.conn.lost() != nil:
		return nil, b.conn.lost()
	case mine.TargetInfo == nil:
		return nil, fmt.Errorf("browser: open tab: %w", context.Cause(ctx))
	}
	t := b.adopt(s, mine, hidden)
	if t == nil {
		return nil, fmt.Errorf("browser: open tab: %w", ErrNoTab)
	}
	return t, t.waitReady(ctx)
}

// wait returns after d or at the end of ctx.
func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// adoptSpares takes the further pages that a profile opens at its start.
func (b *Browser) adoptSpares(s *Session) {
	b.mu.Lock()
	spare := b.spare
	b.spare = make(map[target.ID]target.EventAttachedToTarget)
	b.mu.Unlock()
	for _, ev := range spare {
		b.adopt(s, ev, false)
	}
}

// claimFirstTab gives a session of Chrome's own context the page that Chrome
// started with. It reports false when there is none.
func (b *Browser) claimFirstTab(ctx context.Context, s *Session) (bool, error) {
	infos, err := cdp.Call(ctx, b.conn.root, target.GetTargets, target.GetTargetsParams{Filter: target.Filter{{Type: "page"}}})
	if err != nil {
		return false, err
	}
	for _, info := range infos.TargetInfos {
		for {
			b.mu.Lock()
			t, ev := b.tabs[info.TargetID], b.spare[info.TargetID]
			delete(b.spare, info.TargetID)
			b.mu.Unlock()
			if t == nil && ev.TargetInfo != nil {
				t = b.adopt(s, ev, false)
			}
			if t != nil {
				b.adoptSpares(s)
				return true, t.waitReady(ctx)
			}
			if ctx.Err() != nil {
				return false, context.Cause(ctx)
			}
			if err := b.conn.lost(); err != nil {
				return false, err
			}
			wait(ctx, time.Millisecond)
		}
	}
	return false, nil
}
