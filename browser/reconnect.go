package browser

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// redialer brings a lost connection back. Only a remote Chrome has one: a
// launched one lives no longer than its pipe.
type redialer struct {
	redial func(context.Context) (chromedp.Transport, error) // nil: a loss is final
	onDown func(error)
	onUp   func(context.Context) error
}

// reconnectDelays are the pauses before each try. Together they stay below two
// seconds, within which the death of a Chrome is to be known.
var reconnectDelays = []time.Duration{0, 200 * time.Millisecond, 400 * time.Millisecond, 800 * time.Millisecond}

// reconnect is called by the reader when reading failed with err. It returns
// the new transport, or nil when the connection has ended for good.
//
// Calls that were waiting fail: nobody knows whether Chrome carried them out,
// so none is sent again.
func (c *conn) reconnect(err error) chromedp.Transport {
	c.mu.Lock()
	if c.err != nil || c.redial == nil {
		c.mu.Unlock()
		c.shutdown(err)
		return nil
	}
	c.down = err
	old, pending, sessions := c.tr, c.pending, c.sessions
	c.pending = map[int64]*call{}
	c.sessions = map[target.SessionID]*cdpSession{"": c.root}
	c.mu.Unlock()
	_ = old.Close()
	for _, p := range pending {
		p.fail(err)
	}
	for _, s := range sessions {
		if s != c.root {
			s.stop()
		}
	}
	c.onDown(err)
	for _, d := range reconnectDelays {
		select {
		case <-time.After(d):
		case <-c.done:
			return nil
		}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		stop := make(chan struct{})
		go func() { // Close must not wait for a dial that hangs
			select {
			case <-c.done:
				cancel()
			case <-stop:
			}
		}()
		tr, derr := c.redial(ctx)
		close(stop)
		cancel()
		if derr != nil {
			continue
		}
		c.mu.Lock()
		if c.err != nil {
			c.mu.Unlock()
			_ = tr.Close()
			return nil
		}
		c.tr, c.down = tr, nil
		c.mu.Unlock()
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
			defer cancel()
			if err := c.onUp(ctx); err != nil {
				c.mu.Lock()
				mine := c.tr == tr && c.down == nil // it was not lost again meanwhile
				c.mu.Unlock()
				if mine {
					c.shutdown(err)
				}
			}
		}()
		return tr
	}
	c.shutdown(err)
	return nil
}

// connectionDown is called when the connection to a remote Chrome broke. The
// tabs are still there, in Chrome, but nothing can be said to them.
func (b *Browser) connectionDown(err error) {
	b.mu.Lock()
	if b.lostTabs == nil {
		b.lostTabs = make(map[target.ID]*tab)
	}
	lost := make([]*tab, 0, len(b.tabs))
	for id, t := range b.tabs {
		b.lostTabs[id] = t
		lost = append(lost, t)
	}
	clear(b.limbo)
	clear(b.spare)
	b.tabs = make(map[target.ID]*tab)
	if b.up == nil {
		b.up = make(chan struct{})
	}
	b.downErr = err
	sessions := append([]*Session(nil), b.sessions...)
	b.mu.Unlock()
	for _, t := range lost {
		t.setGone(err)
	}
	for _, s := range sessions {
		s.abandonDownloads(err)
	}
}

// connectionUp takes the tabs up again after a new connection was made: each
// gets a new session, set up like a new page, in the place it had.
func (b *Browser) connectionUp(ctx context.Context) error {
	if err := b.follow(ctx); err != nil {
		return err
	}
	sessions, err := b.sessionsLeft(ctx)
	if err != nil {
		return err
	}
	for _, s := range sessions {
		if err := s.prepare(ctx); err != nil {
			return err
		}
	}
	// The attach events of what is still there came before the answers above;
	// they are handled beside them.
	for range 200 {
		b.mu.Lock()
		left := len(b.lostTabs)
		b.mu.Unlock()
		if left == 0 {
			break
		}
		wait(ctx, 10*time.Millisecond)
	}
	b.mu.Lock()
	gone, why := b.lostTabs, b.downErr
	b.lostTabs = nil
	if b.up != nil {
		close(b.up)
		b.up = nil
	}
	b.mu.Unlock()
	for _, t := range gone {
		if !t.hidden {
			t.owner.removeTab(t)
		}
	}
	for _, s := range sessions {
		s.emit(ConnectionLost{Err: why, Reconnected: true})
	}
	return nil
}

// errRestarted ends the sessions of a Chrome that was there before.
var errRestarted = fmt.Errorf("%w: Chrome was started again; the session and its logins are gone with the old one", ErrDisconnected)

// sessionsLeft ends the sessions whose browser context is no more, because
// another Chrome answers at the address, and returns the others.
func (b *Browser) sessionsLeft(ctx context.Context) ([]*Session, error) {
	res, err := cdp.Call(ctx, b.conn.root, target.GetBrowserContexts, cdp.Empty{})
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	sessions := append([]*Session(nil), b.sessions...)
	b.mu.Unlock()
	var left []*Session
	for _, s := range sessions {
		if s.contextID == "" || slices.Contains(res.BrowserContextIDs, s.contextID) {
			left = append(left, s)
			continue
		}
		s.lost(errRestarted)
		b.removeSession(s)
	}
	return left, nil
}

// waitUp returns when the connection is there, or has ended for good.
func (b *Browser) waitUp(ctx context.Context) {
	b.mu.Lock()
	up := b.up
	b.mu.Unlock()
	if up == nil {
		return
	}
	select {
	case <-up:
	case <-b.conn.done:
	case <-ctx.Done():
	}
}

// replaceTab puts a tab's new self where the old one was.
func (s *Session) replaceTab(old, t *tab) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.tabs {
		if s.tabs[i] == old {
			s.tabs[i] = t
		}
	}
	if s.current == old {
		s.current = t
	}
	s.notifyLocked()
}
