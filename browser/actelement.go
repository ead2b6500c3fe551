package browser

import (
	"context"
	"errors"

	"github.com/seed-4bdb41d0/webhand/dom"
)

// element finds the element that has the number index in the page state.
func (s *Session) element(_ context.Context, index int) (*actTarget, error) {
	h, ref, err := s.resolve(index)
	if errors.Is(err, dom.ErrStaleElement) {
		return nil, &ActionError{Index: index, Reason: ReasonStale}
	}
	if err != nil {
		return nil, err
	}
	return &actTarget{tab: h.tab, frame: h.frame, index: index, ref: ref.Num}, nil
}

// controlOf finds the hidden field (a file input, a checkbox) that the element
// with the number index stands for; nil when it stands for itself.
func (s *Session) controlOf(index int) (*actTarget, error) {
	h, ref, err := s.resolve(index)
	if err != nil || ref.Control == 0 {
		return nil, err
	}
	return &actTarget{tab: h.tab, frame: h.frame, index: index, ref: ref.Control}, nil
}

// indexOf is the number of an element of the target's document in the page
// state, 0 when it has none.
func (e *actTarget) indexOf(ref int) int { return e.tab.owner.indexFor(e.frame, ref) }
