package agent

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// stepClock ends a step that takes too long. It can be held while the step
// waits for a person or for a rate limit, which is nobody's slowness.
type stepClock struct {
	mu     sync.Mutex
	timer  *time.Timer
	cancel context.CancelCauseFunc
	left   time.Duration
	since  time.Time // when the timer was started; zero while held
	holds  int
	held   time.Duration
	from   time.Time // when it was held
}

// stepTimeout is the cause of a step's context that ran out.
type stepTimeout struct{ limit time.Duration }

func (e *stepTimeout) Error() string {
	return fmt.Sprintf("the step took longer than %s", e.limit)
}

// Timeout marks the error as one of time.
func (e *stepTimeout) Timeout() bool { return true }

// startClock returns a context that ends after limit of running time.
func startClock(ctx context.Context, limit time.Duration) (context.Context, *stepClock) {
	ctx, cancel := context.WithCancelCause(ctx)
	c := &stepClock{cancel: cancel, left: limit, since: time.Now()}
	c.timer = time.AfterFunc(limit, func() { cancel(&stepTimeout{limit}) })
	return ctx, c
}

// hold stops the clock until the returned func is called, once.
func (c *stepClock) hold() func() {
	if c == nil {
		return func() {}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.holds++; c.holds == 1 {
		c.timer.Stop()
		c.from = time.Now()
		c.left -= c.from.Sub(c.since)
	}
	return sync.OnceFunc(c.release)
}

func (c *stepClock) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.holds--; c.holds == 0 {
		c.since = time.Now()
		c.held += c.since.Sub(c.from)
		c.timer.Reset(max(c.left, 0))
	}
}

// end releases the clock's resources and returns how long it was held.
func (c *stepClock) end() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timer.Stop()
	c.cancel(nil)
	return c.held
}
