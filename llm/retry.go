package llm

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// RetryConfig says when a failed call is tried again. The zero value tries up
// to five times.
type RetryConfig struct {
	// Attempts is how often a call is tried in all; 0 means 5. An endpoint at
	// which nobody answers is tried twice at most.
	Attempts int
	// Base is the wait after the first failure; it doubles with each. 0 means
	// one second.
	Base time.Duration
	// Max is the longest wait. 0 means one minute. A provider that asks for
	// more is not waited for: the error comes back with its RetryAfter, for
	// the caller to act on.
	Max time.Duration
	// Retry decides which failures are tried again. Nil means those for which
	// [Error.Temporary] holds: rate limits, timeouts, server failures and
	// empty answers. A spent quota, a bad key, a bad request and an answer
	// that cannot be used are the same the next time.
	Retry func(error) bool
	// OnRetry, when set, is told of each wait before it begins. attempt counts
	// the failures so far, from 1.
	OnRetry func(attempt int, wait time.Duration, err error)
}

// Retry returns a client that tries c again as cfg says. It honours what the
// provider says of waiting, and never waits past the end of the caller's
// context: it then returns the failure at once.
func Retry(c Client, cfg RetryConfig) Client {
	if cfg.Attempts <= 0 {
		cfg.Attempts = 5
	}
	if cfg.Base <= 0 {
		cfg.Base = time.Second
	}
	if cfg.Max <= 0 {
		cfg.Max = time.Minute
	}
	if cfg.Retry == nil {
		cfg.Retry = temporary
	}
	return &retry{wrapped{c}, cfg}
}

// wrapped is a client around a client that answers for it.
type wrapped struct{ Client }

func (w wrapped) Describe() Description { return Describe(w.Client) }

type retry struct {
	wrapped
	cfg RetryConfig
}

func temporary(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Temporary()
}

// codeUnreachable marks failures to reach an endpoint at all. More than a
// second try tells a person with a typo in a URL nothing sooner.
const codeUnreachable = "unreachable"

func (r *retry) Complete(ctx context.Context, req *Request) (*Response, error) {
	var failed []Charge
	for n := 1; ; n++ {
		resp, err := r.Client.Complete(ctx, req)
		if err == nil {
			return withFailed(resp, failed), nil
		}
		if ctx.Err() != nil || !r.cfg.Retry(err) || n >= r.cfg.Attempts {
			return nil, withCharges(err, failed)
		}
		var e *Error
		asked := time.Duration(0)
		if errors.As(err, &e) {
			asked = e.RetryAfter
			if e.Code == codeUnreachable && n >= 2 {
				return nil, withCharges(err, failed)
			}
		}
		wait := r.wait(n, asked)
		if asked > r.cfg.Max || !endsAfter(ctx, wait) {
			return nil, withCharges(err, failed)
		}
		failed = append(failed, Charges(nil, err)...)
		if r.cfg.OnRetry != nil {
			r.cfg.OnRetry(n, wait, err)
		}
		if ended := sleep(ctx, wait); ended != nil {
			return nil, withCharges(fmt.Errorf("llm: while waiting to try again after %q: %w", err.Error(), ended), failed)
		}
	}
}

// wait is how long to wait after the nth failure: what the provider asked for
// and up to a quarter more, so that many callers do not come back at once, or
// the doubled base with half of it left to chance.
func (r *retry) wait(n int, asked time.Duration) time.Duration {
	if asked > 0 {
		return asked + rand.N(asked/4+1)
	}
	d := r.cfg.Max
	if n < 32 {
		d = min(r.cfg.Base<<(n-1), r.cfg.Max)
	}
	return d/2 + rand.N(d/2+1)
}

// endsAfter reports whether ctx lives longer than d from now.
func endsAfter(ctx context.Context, d time.Duration) bool {
	end, ok := ctx.Deadline()
	return !ok || time.Until(end) > d
}

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// withFailed adds charges of earlier attempts to an answer.
func withFailed(resp *Response, failed []Charge) *Response {
	if len(failed) == 0 {
		return resp
	}
	out := *resp
	out.Failed = append(append([]Charge(nil), failed...), resp.Failed...)
	return &out
}

// withCharges adds charges of earlier attempts to a failure.
func withCharges(err error, failed []Charge) error {
	if len(failed) == 0 {
		return err
	}
	var e *Error
	if !errors.As(err, &e) {
		return &Error{Message: err.Error(), Err: err, Charges: failed}
	}
	out := *e
	out.Charges = append(append([]Charge(nil), failed...), e.Charges...)
	return &out
}
