package llm

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Limits are what may be spent. Zero means no limit.
type Limits struct {
	Tokens int           // input and output together
	Cost   float64       // in US dollars
	Calls  int           // requests, failed ones included
	Time   time.Duration // from the first call on
	// Table holds the prices for Cost; nil means the embedded one. A model
	// without a price is refused when Cost is set: it could spend anything.
	Table *ModelTable
}

// Budget stops calls before they go over its limits. Wrap every client that is
// to count against it: the main model, the fallback, the one for extraction.
//
// It stops hard. A call that would go over, by its estimated input and its
// cap, is not made; calls under way at the same time count with their
// estimates. What no estimate can know is how long an answer without a cap
// will be, so the last call may go over by its output. A call under way when
// the time is up is ended.
type Budget struct {
	limits Limits
	meter  Meter

	mu       sync.Mutex
	start    time.Time
	calls    int
	reserved int     // tokens of the calls under way
	pending  float64 // dollars of the calls under way
}

// NewBudget returns a budget of which nothing is spent.
func NewBudget(l Limits) *Budget {
	return &Budget{limits: l, meter: Meter{Table: l.Table}}
}

// Wrap returns a client whose calls count against the budget. A call that it
// stops fails with [ErrBudget].
func (b *Budget) Wrap(c Client) Client { return &budgeted{wrapped{c}, b} }

// Spent is what has been used so far.
func (b *Budget) Spent() *Meter { return &b.meter }

type budgeted struct {
	wrapped
	budget *Budget
}

var errTimeUp = errors.New("the budget's time is up")

func (w *budgeted) Complete(ctx context.Context, req *Request) (*Response, error) {
	b := w.budget
	use := Usage{}
	if b.limits.Tokens > 0 || b.limits.Cost > 0 {
		ctx, use.Input = estimateOnce(ctx, req)
	}
	if req.MaxTokens != nil {
		use.Output = *req.MaxTokens
	}
	done, err := b.reserve(w.Describe(), use)
	if err != nil {
		return nil, err
	}
	defer done()
	if b.limits.Time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadlineCause(ctx, b.start.Add(b.limits.Time), errTimeUp)
		defer cancel()
	}
	resp, err := w.Client.Complete(ctx, req)
	b.meter.add(resp, err)
	if err != nil && errors.Is(context.Cause(ctx), errTimeUp) {
		e := b.over("time: %v", b.limits.Time)
		e.Err, e.Charges = err, Charges(nil, err)
		return nil, e
	}
	return resp, err
}

// reserve books a call, or says which limit it would go over.
func (b *Budget) reserve(d Description, use Usage) (done func(), err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.start.IsZero() {
		b.start = time.Now()
	}
	l := b.limits
	if l.Calls > 0 && b.calls >= l.Calls {
		return nil, b.over("calls: %d of %d made", b.calls, l.Calls)
	}
	if l.Time > 0 && time.Since(b.start) >= l.Time {
		return nil, b.over("time: %v", l.Time)
	}
	if spent := b.meter.Usage().Total(); l.Tokens > 0 && spent+b.reserved+use.Total() > l.Tokens {
		return nil, b.over("tokens: %d of %d spent, and this call needs about %d", spent+b.reserved, l.Tokens, use.Total())
	}
	dollars := 0.0
	if l.Cost > 0 {
		price, ok := b.meter.table().Lookup(d.Provider, d.Model)
		if !ok {
			return nil, b.over("cost: no price is known for %s %s; give one in Limits.Table", d.Provider, d.Model)
		}
		dollars = price.Cost(use)
		if spent, _ := b.meter.Cost(); spent+b.pending+dollars > l.Cost {
			return nil, b.over("cost: $%.4f of $%.4f spent, and this call needs about $%.4f", spent+b.pending, l.Cost, dollars)
		}
	}
	b.calls++
	b.reserved += use.Total()
	b.pending += dollars
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.reserved -= use.Total()
		b.pending -= dollars
	}, nil
}

func (b *Budget) over(format string, args ...any) *Error {
	return &Error{Kind: ErrBudget, Permanent: true, Message: fmt.Sprintf(format, args...)}
}
