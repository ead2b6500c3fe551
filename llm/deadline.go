package llm

import (
	"context"
	"errors"
	"fmt"
	"time"
)

var errDeadline = errors.New("the attempt's deadline passed")

// Deadline returns a client that gives each call of c at most d. A call that
// takes longer fails with [ErrTimeout], which [Retry] and [Fallback] act on; a
// deadline of the caller's own context does not, for it ends the whole chain.
//
// The clients of this module have a deadline for each attempt already. Wrap
// clients that do not, inside of Retry and Fallback and not around them.
func Deadline(c Client, d time.Duration) Client { return &deadline{wrapped{c}, d} }

type deadline struct {
	wrapped
	d time.Duration
}

func (w *deadline) Complete(ctx context.Context, req *Request) (*Response, error) {
	call, cancel := context.WithTimeoutCause(ctx, w.d, errDeadline)
	defer cancel()
	resp, err := w.Client.Complete(call, req)
	if err == nil || ctx.Err() != nil || !errors.Is(context.Cause(call), errDeadline) {
		return resp, err
	}
	d := w.Describe()
	return nil, &Error{
		Kind: ErrTimeout, Provider: d.Provider, Model: d.Model, Err: errDeadline,
		Message: fmt.Sprintf("no answer within %v", w.d), Charges: Charges(nil, err),
	}
}
