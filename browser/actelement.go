package browser

import (
	"context"
	"errors"

	"github.com/chromedp/cdproto/runtime"

	"github.com/seed-4bdb41d0/webhand/dom"
)

// element finds the element that has the number index in the page state.
func (s *Session) element(ctx context.Context, index int) (*actTarget, error) {
	if err := s.Err(); err != nil {
		return nil, err
	}
	t, err := s.active(ctx)
	if err != nil {
		return nil, err
	}
	h, ref, err := s.resolve(index)
	switch {
	case errors.Is(err, dom.ErrStaleElement):
		return nil, &ActionError{Index: index, Reason: ReasonStale, Err: err}
	case err != nil:
		return nil, &ActionError{Index: index, Reason: ReasonUnknown, Err: err}
	case h.tab != t:
		return nil, &ActionError{
			Index: index, Reason: ReasonStale, Err: dom.ErrStaleElement,
			Detail: "it is in another tab; switch to that tab first",
		}
	}
	return &actTarget{tab: h.tab, frame: h.frame, index: index, ref: ref.Num, doc: ref.Doc}, nil
}

// indexOf is the number of an element of the target's document in the page
// state, 0 when it has none.
func (e *actTarget) indexOf(ref int) int {
	if ref == 0 {
		return 0
	}
	return e.tab.owner.indexFor(e.frame, ref)
}

func (e *actTarget) setObject(id string) { e.obj = runtime.RemoteObjectID(id) }
