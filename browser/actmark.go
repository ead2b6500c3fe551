package browser

import (
	"context"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/cdp"
)

// PageMark remembers which page the current tab shows, and which elements
// actions are going to be aimed at, to tell later whether these are still the
// same. Close it.
type PageMark struct {
	s      *Session
	t      *tab
	url    string
	loader cdp.LoaderID
	sub    *eventSub
	seen   map[int]identity // by index
}

// MarkPage marks the current page and the elements with the given numbers.
func (s *Session) MarkPage(ctx context.Context, indices ...int) (*PageMark, error) {
	t, err := s.active(ctx)
	if err != nil {
		return nil, err
	}
	m := &PageMark{s: s, t: t, sub: s.events.subscribe(), seen: make(map[int]identity)}
	t.mu.Lock()
	m.url, m.loader = t.url, t.life.loader
	t.mu.Unlock()
	for _, i := range indices {
		if id, ok := s.identity(ctx, i); ok {
			m.seen[i] = id
		}
	}
	return m, nil
}

// Close forgets the mark.
func (m *PageMark) Close() { m.s.events.unsubscribe(m.sub) }

// Changed says why an action that was planned for the marked page, and for the
// elements with the given numbers, must not run on what there is now; empty
// when nothing stands against it. A change of the address behind # alone, or
// of the page around an element, does not.
func (m *PageMark) Changed(ctx context.Context, indices ...int) string {
	m.s.mu.Lock()
	cur := m.s.current
	m.s.mu.Unlock()
	if cur != m.t {
		if cur == nil {
			return "the tab was closed"
		}
		return "another tab is current now"
	}
	for _, ev := range m.s.events.drain(m.sub) {
		if d, ok := ev.(DialogOpened); ok {
			return "a dialog opened: " + d.String()
		}
	}
	m.t.mu.Lock()
	url, loader, err := m.t.url, m.t.life.loader, m.t.err
	m.t.mu.Unlock()
	switch {
	case err != nil:
		return "the tab is gone"
	case loader != m.loader:
		return "the page is now " + url
	case bare(url) != bare(m.url):
		return "the address is now " + url
	}
	for _, i := range indices {
		was, known := m.seen[i]
		if !known {
			continue
		}
		now, ok := m.s.identity(ctx, i)
		switch {
		case ctx.Err() != nil:
			return ""
		case !ok:
			return fmt.Sprintf("[%d] is not on the page any more", i)
		case !now.same(was):
			return fmt.Sprintf("[%d] is another element now: %s", i, now.Shown)
		}
	}
	return ""
}

func bare(url string) string {
	url, _, _ = strings.Cut(url, "#")
	return url
}

// identity is what an element is, in a form that stays the same as long as it
// means the same.
type identity struct {
	Shown   string `json:"shown"`
	Written string `json:"written"` // by its text in the document, rendered or not
	// Skipped is set while Chrome leaves the element out of rendering, since it
	// is far from the view; what would be shown is not known then.
	Skipped bool `json:"skipped"`
}

func (id identity) same(other identity) bool {
	if id.Skipped != other.Skipped {
		return id.Written == other.Written
	}
	return id.Shown == other.Shown
}

func (s *Session) identity(ctx context.Context, index int) (id identity, ok bool) {
	e, err := s.element(ctx, index)
	if err != nil {
		return id, false
	}
	if err := e.do(ctx, "identity", nil, &id); err != nil {
		return id, false
	}
	return id, true
}
