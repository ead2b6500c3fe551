package llm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// FallbackConfig says when a chain of clients moves on. The zero value is a
// sensible default.
type FallbackConfig struct {
	// Cooldown is how long a client that failed is passed over; then one call
	// tries it again. 0 means one minute. What the provider says of waiting
	// counts when it is longer.
	Cooldown time.Duration
	// Malformed is how many unusable answers in a row, [ErrMalformed],
	// [ErrEmpty] or [ErrTruncated], make a client one that failed. 0 means 3.
	// Until then such an answer is the caller's: the model is told and tries
	// again.
	Malformed int
	// OnSwitch, when set, is told that a call moves on after a failure of from.
	OnSwitch func(from, to Description, err error)
}

// Fallback returns a client that calls the first of clients, and the next one
// when it fails in a way that another model or provider may not: rate limit,
// quota, key, timeout, server failure, a context too long, a refusal, a model
// that does not exist. It returns to the first after a while.
//
// A request that the endpoint finds invalid is not moved on: it is as invalid
// elsewhere.
func Fallback(cfg FallbackConfig, clients ...Client) Client {
	if cfg.Cooldown <= 0 {
		cfg.Cooldown = time.Minute
	}
	if cfg.Malformed <= 0 {
		cfg.Malformed = 3
	}
	f := &fallback{cfg: cfg}
	for _, c := range clients {
		f.links = append(f.links, &link{Client: c})
	}
	return f
}

type fallback struct {
	cfg   FallbackConfig
	links []*link
}

// link is one client of the chain and its state.
type link struct {
	Client

	mu      sync.Mutex
	until   time.Time // passed over until then
	probing bool      // one call tries it again
	bad     int       // unusable answers in a row
}

// Describe describes the first client.
func (f *fallback) Describe() Description {
	if len(f.links) == 0 {
		return Description{}
	}
	return Describe(f.links[0].Client)
}

func (f *fallback) Complete(ctx context.Context, req *Request) (*Response, error) {
	if len(f.links) == 0 {
		return nil, &Error{Kind: ErrBadRequest, Message: "a fallback of no clients"}
	}
	run := chain{fallback: f, ctx: ctx, req: req}
	var later []*link
	for _, l := range f.links {
		if !l.available() {
			later = append(later, l)
			continue
		}
		if run.try(l) {
			return run.resp, run.err
		}
	}
	for _, l := range later { // none is well, and the call has to go somewhere
		if run.try(l) {
			return run.resp, run.err
		}
	}
	return nil, joined(run.errs, run.failed)
}

// chain is one call on its way through the clients.
type chain struct {
	*fallback
	ctx    context.Context //nolint:containedctx // lives as long as the call
	req    *Request
	failed []Charge
	errs   []error
	last   Client
	resp   *Response
	err    error
}

// try calls one client and reports whether the call ends there.
func (c *chain) try(l *link) bool {
	if n := len(c.errs); n > 0 && c.cfg.OnSwitch != nil {
		c.cfg.OnSwitch(Describe(c.last), Describe(l.Client), c.errs[n-1])
	}
	resp, err := l.Complete(c.ctx, c.req)
	switch {
	case err == nil:
		l.good()
		c.resp = withFailed(resp, c.failed)
		return true
	case c.ctx.Err() != nil:
		l.release()
		c.err = withCharges(err, c.failed)
		return true
	case !c.fallback.failed(l, err):
		c.err = withCharges(err, c.failed)
		return true
	}
	c.failed = append(c.failed, Charges(nil, err)...)
	c.errs, c.last = append(c.errs, err), l.Client
	return false
}

// available reports whether a call may go to l. Of the calls after a cooldown
// one may.
func (l *link) available() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.until.IsZero() {
		return true
	}
	if l.probing || time.Now().Before(l.until) {
		return false
	}
	l.probing = true
	return true
}

func (l *link) good() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.until, l.probing, l.bad = time.Time{}, false, 0
}

func (l *link) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.probing = false
}

// failed notes a failure of l and reports whether the call moves on.
func (f *fallback) failed(l *link, err error) bool {
	var e *Error
	if !errors.As(err, &e) {
		e = &Error{Kind: ErrServer} // a client of the caller's own that does not say
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.probing = false
	wait := f.cfg.Cooldown
	switch e.Kind {
	case ErrRateLimit, ErrTimeout, ErrServer:
		wait = max(wait, e.RetryAfter)
	case ErrQuota, ErrAuth:
		wait = max(10*wait, e.RetryAfter) // a person has to act
	case ErrMalformed, ErrEmpty, ErrTruncated:
		if l.bad++; l.bad < f.cfg.Malformed {
			return false
		}
		l.bad = 0
	case ErrContextLength, ErrRefusal:
		return true // this request only; the client is well
	case ErrBadRequest:
		return missingModel(e)
	default:
		return false
	}
	l.until = time.Now().Add(wait)
	return true
}

func missingModel(e *Error) bool {
	return e.Status == 404 || e.Code == "model_not_found" || strings.Contains(e.Message, "Config.Model")
}

// joined is the failure of the whole chain. Its kind is that of the first
// client, its wait the shortest that any asked for.
func joined(errs []error, failed []Charge) error {
	var out Error
	parts := make([]string, 0, len(errs))
	for i, err := range errs {
		var e *Error
		if !errors.As(err, &e) {
			e = &Error{Kind: ErrServer, Message: err.Error(), Err: err}
		}
		if i == 0 {
			out = *e
		}
		if e.RetryAfter > 0 && (out.RetryAfter == 0 || e.RetryAfter < out.RetryAfter) {
			out.RetryAfter = e.RetryAfter
		}
		parts = append(parts, strings.TrimPrefix(e.Error(), "llm: "))
	}
	out.Charges = failed
	if len(errs) > 1 {
		out.Message = fmt.Sprintf("all %d models failed: %s", len(errs), strings.Join(parts, "; "))
		out.Err = errors.Join(errs...)
	}
	return &out
}
