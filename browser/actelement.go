package browser

import (
	"context"
)

// element finds the element that has the number index in the page state.
func (s *Session) element(ctx context.Context, index int) (*actTarget, error) {
	return nil, &ActionError{Index: index, Reason: ReasonStale}
}

// indexOf is the number of an element of the target's document in the page
// state, 0 when it has none.
func (e *actTarget) indexOf(ref int) int { return 0 }
