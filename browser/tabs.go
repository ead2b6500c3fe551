package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
)

// Tab describes an open tab.
type Tab struct {
	// ID names the tab in SwitchTab and CloseTab: the shortest unique end of
	// Chrome's target id, four characters or more.
	ID      string `json:"id"`
	URL     string `json:"url"`
	Title   string `json:"title"`
	Current bool   `json:"current,omitempty"`
	Opener  string `json:"opener,omitempty"` // the id of the tab that opened it
}

// Tabs lists the session's tabs in the order they appeared.
func (s *Session) Tabs() []Tab {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Tab, 0, len(s.tabs))
	for _, t := range s.tabs {
		url, title := t.info()
		v := Tab{ID: s.shortIDLocked(t.id), URL: url, Title: title, Current: t == s.current}
		if t.openerID != "" {
			v.Opener = s.shortIDLocked(t.openerID)
		}
		out = append(out, v)
	}
	return out
}

func (s *Session) shortIDLocked(id target.ID) string {
	for n := 4; n < len(id); n++ {
		suffix := string(id[len(id)-n:])
		unique := true
		for _, t := range s.tabs {
			if t.id != id && strings.HasSuffix(string(t.id), suffix) {
				unique = false
			}
		}
		if unique {
			return suffix
		}
	}
	return string(id)
}

func (s *Session) tabByID(id string) (*tab, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found *tab
	var open []string
	for _, t := range s.tabs {
		open = append(open, s.shortIDLocked(t.id))
		if id != "" && strings.HasSuffix(string(t.id), id) {
			if found != nil {
				return nil, fmt.Errorf("%w: id %q names more than one; open tabs: %s", ErrNoTab, id, strings.Join(open, ", "))
			}
			found = t
		}
	}
	if found == nil {
		return nil, fmt.Errorf("%w: %q; open tabs: %s", ErrNoTab, id, strings.Join(open, ", "))
	}
	return found, nil
}

// NewTab opens a tab at url (about:blank when empty) and makes it current.
func (s *Session) NewTab(ctx context.Context, url string) (*Navigation, error) {
	if err := s.Err(); err != nil {
		return nil, err
	}
	t, err := s.b.createTab(ctx, s, false)
	if err != nil {
		return nil, err
	}
	s.setCurrent(t)
	if url == "" || url == "about:blank" {
		return &Navigation{URL: "about:blank"}, nil
	}
	return s.Navigate(ctx, url)
}

// SwitchTab makes the tab with the id current and brings it to the front.
func (s *Session) SwitchTab(ctx context.Context, id string) error {
	t, err := s.tabByID(id)
	if err != nil {
		return err
	}
	// A crashed page is opened again by the first call on it.
	if err := t.waitReady(ctx); err != nil && !errors.Is(err, ErrCrashed) {
		return err
	}
	s.setCurrent(t)
	_, err = cdp.Call(ctx, t.sess, page.BringToFront, cdp.Empty{})
	return err
}

func (s *Session) setCurrent(t *tab) {
	s.mu.Lock()
	s.current = t
	s.notifyLocked()
	s.mu.Unlock()
}

// CloseTab closes the tab with the id and returns when it is gone. Its page is
// not asked, and one that does not answer loses its renderer.
func (s *Session) CloseTab(ctx context.Context, id string) error {
	t, err := s.tabByID(id)
	if err != nil {
		return err
	}
	limit := s.cfg.CallTimeout + s.cfg.HangTimeout
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it is still there after %s: %w", limit, context.DeadlineExceeded))
	defer cancel()
	if _, err := cdp.Call(ctx, s.b.conn.root, target.CloseTarget, target.CloseTargetParams{TargetID: t.id}); err != nil {
		return fmt.Errorf("browser: close tab %s: %w", id, err)
	}
	// A busy page takes a moment to go.
	doubt := time.AfterFunc(2*time.Second, func() {
		if t.failed() == nil && !t.answers(s.cfg.HangTimeout) {
			t.sess.send(page.CommandCrash, nil)
			s.b.conn.root.send(target.CommandCloseTarget, target.CloseTargetParams{TargetID: t.id})
		}
	})
	defer doubt.Stop()
	select {
	case <-t.gone:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("browser: close tab %s: %w", id, context.Cause(ctx))
	}
}
