package browser

import (
	"context"
	"fmt"
	"time"
)

// WaitCondition is what [Session.WaitFor] waits for: everything that is set.
type WaitCondition struct {
	Text     string // the page shows this text; case and white space do not count
	Gone     string // the page does not show this text
	Selector string // an element answers to this CSS selector and is shown
}

// WaitFor returns when the condition holds in the current tab, in any of its
// frames. After limit it returns an *ActionError with what is missing.
func (s *Session) WaitFor(ctx context.Context, c WaitCondition, limit time.Duration) error {
	t, err := s.active(ctx)
	if err != nil {
		return err
	}
	deadline := time.Now().Add(limit)
	for {
		left := time.Until(deadline)
		missing, err := t.look(ctx, c, min(max(left, 0), 500*time.Millisecond))
		if err != nil || missing == "" {
			return err
		}
		if left <= 0 {
			return &ActionError{Reason: ReasonNotFound, Detail: fmt.Sprintf("%s after %s; look at the page, or wait longer", missing, limit.Round(10*time.Millisecond))}
		}
	}
}

// look asks every document of the tab, the page itself for as long as d, and
// says what of the condition does not hold.
func (t *tab) look(ctx context.Context, c WaitCondition, d time.Duration) (missing string, err error) {
	var has struct {
		Text     bool `json:"text"`
		Gone     bool `json:"gone"`
		Selector bool `json:"selector"`
	}
	text, gone, sel := c.Text == "", true, c.Selector == ""
	docs := t.documents()
	for i := len(docs) - 1; i >= 0; i-- {
		wait := time.Duration(0)
		if i == 0 && (!text || !sel || c.Gone != "") {
			wait = d // the page last, and it waits for the others too
		}
		opts := map[string]any{"text": c.Text, "gone": c.Gone, "selector": c.Selector, "wait": wait.Milliseconds(), "needText": !text, "needSelector": !sel}
		if err := docs[i].do(ctx, "present", opts, &has); err != nil {
			if ctx.Err() != nil {
				return "", context.Cause(ctx)
			}
			if isGoneFrame(err) {
				if err := sleep(ctx, 20*time.Millisecond); err != nil {
					return "", err
				}
				return "the page is loading", nil
			}
			return "", err
		}
		text, sel, gone = text || has.Text, sel || has.Selector, gone && has.Gone
	}
	switch {
	case !text:
		return fmt.Sprintf("the page does not show %q", c.Text), nil
	case !sel:
		return fmt.Sprintf("nothing shown answers to %q", c.Selector), nil
	case !gone:
		return fmt.Sprintf("the page still shows %q", c.Gone), nil
	}
	return "", nil
}
