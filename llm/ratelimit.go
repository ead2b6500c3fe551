package llm

import (
	"context"
	"errors"
	"sync"
	"time"
)

// RateConfig bounds how fast a client is called. Zero means no bound.
type RateConfig struct {
	Requests   int // a minute
	Tokens     int // a minute, input as estimated and output as answered
	Concurrent int // calls under way at once
}

// RateLimit returns a client that holds calls back so that those of all agents
// who share it stay within cfg. When the provider reports a rate limit all the
// same, every call waits as long as it asks, and not only the one it told.
//
// Callers wait in the order in which they came, and as long as their context
// lives.
func RateLimit(c Client, cfg RateConfig) Client {
	r := &rateLimit{wrapped: wrapped{c}, cfg: cfg}
	if cfg.Concurrent > 0 {
		r.slots = make(chan struct{}, cfg.Concurrent)
	}
	return r
}

type rateLimit struct {
	wrapped
	cfg   RateConfig
	slots chan struct{}

	mu       sync.Mutex
	requests bucket
	tokens   bucket
	closed   time.Time // nobody calls before
}

// bucket fills evenly and may be overdrawn: who overdraws it waits until it
// is level, and so do those who come later.
type bucket struct {
	level float64
	at    time.Time
}

// take draws n from a bucket that fills by rate a minute and holds as much,
// and returns how long to wait before using it.
func (b *bucket) take(now time.Time, rate int, n float64) time.Duration {
	if rate <= 0 {
		return 0
	}
	size := float64(rate)
	if b.at.IsZero() {
		b.level = size
	} else {
		b.level = min(size, b.level+now.Sub(b.at).Minutes()*size)
	}
	b.at = now
	// More than a minute's worth waits for a full bucket and no longer.
	b.level -= n
	if b.level >= 0 || n > size && b.level+n >= size {
		return 0
	}
	return time.Duration(-b.level / size * float64(time.Minute))
}

func (r *rateLimit) Complete(ctx context.Context, req *Request) (*Response, error) {
	if r.slots != nil {
		select {
		case r.slots <- struct{}{}:
			defer func() { <-r.slots }()
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	estimate := 0
	if r.cfg.Tokens > 0 {
		ctx, estimate = estimateOnce(ctx, req)
	}
	if err := r.hold(ctx, estimate); err != nil {
		return nil, err
	}
	resp, err := r.Client.Complete(ctx, req)
	r.settle(estimate, resp, err)
	return resp, err
}

// hold waits for the caller's turn.
func (r *rateLimit) hold(ctx context.Context, tokens int) error {
	r.mu.Lock()
	now := time.Now()
	wait := max(r.requests.take(now, r.cfg.Requests, 1), r.tokens.take(now, r.cfg.Tokens, float64(tokens)))
	r.mu.Unlock()
	for {
		r.mu.Lock()
		wait = max(wait, time.Until(r.closed))
		r.mu.Unlock()
		if wait <= 0 {
			return ctx.Err()
		}
		if !endsAfter(ctx, wait) {
			return &Error{Kind: ErrRateLimit, RetryAfter: wait, Message: "the caller's deadline is before its turn"}
		}
		if err := sleep(ctx, wait); err != nil {
			return err
		}
		wait = 0 // it may have been closed meanwhile
	}
}

// settle corrects the estimate and closes the gate when the provider says so.
func (r *rateLimit) settle(estimate int, resp *Response, err error) {
	used := 0
	for _, c := range Charges(resp, err) {
		used += c.Usage.Total()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if used > 0 && r.cfg.Tokens > 0 {
		r.tokens.level -= float64(used - estimate)
	}
	var e *Error
	if errors.As(err, &e) && e.Kind == ErrRateLimit && e.RetryAfter > 0 {
		if until := time.Now().Add(e.RetryAfter); until.After(r.closed) {
			r.closed = until
		}
	}
}
