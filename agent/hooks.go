package agent

import (
	"context"
	"fmt"
)

// hook runs a caller's func so that neither its error nor its panic costs the
// step anything.
func (a *Agent) hook(name string, f func() error) {
	if err := guarded(f); err != nil {
		a.log.Warn("hook failed", "hook", name, "err", err)
	}
}

// guarded turns a panic into an error.
func guarded(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return f()
}

// checkpoint is passed between steps and between actions: it reports why the
// run should end now, if it should.
func (a *Agent) checkpoint(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if a.ctl.stopped() {
		return ErrStopped
	}
	if f := a.cfg.Hooks.ShouldStop; f != nil {
		stop := false
		a.hook("ShouldStop", func() error { stop = f(ctx); return nil })
		if stop {
			return ErrStopped
		}
	}
	if f := a.cfg.Hooks.Check; f != nil {
		var verdict error
		a.hook("Check", func() error { verdict = f(ctx); return nil })
		if verdict != nil {
			return fmt.Errorf("agent: check: %w", verdict)
		}
	}
	return nil
}
