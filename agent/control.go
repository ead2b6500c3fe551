package agent

import (
	"context"
	"sync"
)

// control is how other goroutines steer a run.
type control struct {
	mu     sync.Mutex
	paused chan struct{} // closed on resume; nil when not paused
	// run ends, with ErrStopped as its cause, when the run is to stop. It
	// carries nothing else.
	run  context.Context //nolint:containedctx // a signal, not a call's context
	stop context.CancelCauseFunc
	told []string // what Tell left for the next step
}

// Pause makes the run wait: before the next step, or before the next action of
// the running one. A model call that is under way goes on; its answer is used
// after Resume if the page is still the same, else asked for again. A person
// may use the browser meanwhile. Pausing twice is pausing once.
func (a *Agent) Pause() {
	a.ctl.mu.Lock()
	defer a.ctl.mu.Unlock()
	if a.ctl.paused == nil {
		a.ctl.paused = make(chan struct{})
	}
}

// Resume lets a paused run go on with a fresh look at the page.
func (a *Agent) Resume() {
	a.ctl.mu.Lock()
	defer a.ctl.mu.Unlock()
	if a.ctl.paused != nil {
		close(a.ctl.paused)
		a.ctl.paused = nil
	}
}

// Paused reports whether Pause was called without a Resume after it.
func (a *Agent) Paused() bool {
	a.ctl.mu.Lock()
	defer a.ctl.mu.Unlock()
	return a.ctl.paused != nil
}

// Stop ends the run with [ErrStopped]: at once while the model is asked, after
// the running action otherwise. The step is kept with what it did. A stopped
// agent can run again; with State it can do so elsewhere.
func (a *Agent) Stop() {
	a.ctl.mu.Lock()
	defer a.ctl.mu.Unlock()
	if a.ctl.stop != nil {
		a.ctl.stop(ErrStopped)
	}
}

// Tell gives the model a message from the user in the next step, such as a
// correction. It stays in the prompt. Secrets in it are replaced like
// everywhere.
func (a *Agent) Tell(message string) {
	a.ctl.mu.Lock()
	defer a.ctl.mu.Unlock()
	a.ctl.told = append(a.ctl.told, message)
}

// takeTold returns what was told since the last step.
func (c *control) takeTold() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.told
	c.told = nil
	return t
}

// begin forgets an earlier stop; a pause before the run stays.
func (c *control) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.run, c.stop = context.WithCancelCause(context.Background())
}

// end releases what begin made.
func (c *control) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stop(nil)
}

// signal is the context that ends when the run is to stop.
func (c *control) signal() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.run
}

func (c *control) stopped() bool { return c.signal().Err() != nil }

// until returns ctx, ended by a stop as well. Only what can be given up without
// doubt about its effect runs under it.
func (c *control) until(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	off := context.AfterFunc(c.signal(), func() { cancel(ErrStopped) })
	return ctx, func() { off(); cancel(nil) }
}

// wait blocks while the run is paused and reports whether it was. It returns
// early when the run is stopped or ctx ends.
func (c *control) wait(ctx context.Context) (paused bool) {
	for {
		c.mu.Lock()
		p, run := c.paused, c.run
		c.mu.Unlock()
		if p == nil {
			return paused
		}
		paused = true
		select {
		case <-p:
		case <-run.Done():
			return paused
		case <-ctx.Done():
			return paused
		}
	}
}
