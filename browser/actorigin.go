package browser

import (
	"context"

	"github.com/chromedp/cdproto/cdp"
)

// DocumentURL returns the address of the document that holds the element with
// the number index of the page state, which in a frame is not the page's.
func (s *Session) DocumentURL(ctx context.Context, index int) (string, error) {
	e, err := s.element(ctx, index)
	if err != nil {
		return "", err
	}
	var d struct {
		URL string `json:"url"`
	}
	if err := e.do(ctx, "document", nil, &d); err != nil {
		return "", err
	}
	return d.URL, nil
}

// FocusURL returns the address of the document that has the keyboard.
func (s *Session) FocusURL(ctx context.Context) (string, error) {
	t, err := s.active(ctx)
	if err != nil {
		return "", err
	}
	e := t.page()
	for {
		var d struct {
			URL    string `json:"url"`
			Remote bool   `json:"remote"` // the focus is in a frame of another process
		}
		if err := e.do(ctx, "focusDocument", nil, &d); err != nil {
			return "", err
		}
		if !d.Remote {
			return d.URL, nil
		}
		next := t.focusedFrame(ctx, e.frame)
		if next == "" {
			return d.URL, nil
		}
		e = &actTarget{tab: t, frame: next}
	}
}

// focusedFrame is the cross-process frame below parent whose document has the
// focus.
func (t *tab) focusedFrame(ctx context.Context, parent cdp.FrameID) cdp.FrameID {
	for _, d := range t.documents()[1:] {
		if d.frame == parent {
			continue
		}
		var f struct {
			Has bool `json:"has"`
		}
		if d.do(ctx, "hasFocus", nil, &f) == nil && f.Has {
			return d.frame
		}
	}
	return ""
}
