package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// work is a step while it is being done.
type work struct {
	run   *run
	s     *Step
	obs   *observation
	nonce string
	// chosen is set for actions that the caller wrote down: nobody is asked.
	chosen bool
	// halt is set when a person or a hook ended the run in this step.
	halt bool
	// moved is set when an action succeeded.
	moved bool
	// failedLast is set when the last action that ran failed.
	failedLast bool
}

// do observes, decides and acts. What it did so far is in the step at every
// moment, so that it may end anywhere.
func (w *work) do(ctx context.Context) error {
	a := w.run.a
	w.nonce = newNonce()
	if f := a.cfg.Hooks.StepStart; f != nil {
		a.hook("StepStart", func() error { return f(ctx, w.s.Number) })
	}
	if err := w.observe(ctx); err != nil {
		return err
	}
	a.settleDoubt(w.obs.page.Fingerprint)
	a.tend(ctx, w.s.Number)
	v := view{step: w.s.Number, used: w.run.steps + 1, final: w.run.final}
	v.model = a.compile(w.obs, v.final)
	v.notes = w.notes()
	w.s.Notes = v.notes
	if err := w.plan(ctx, v); err != nil {
		return err
	}
	d, err := w.ask(ctx, v)
	if err != nil {
		return err
	}
	if f := a.cfg.Hooks.Decided; f != nil {
		a.hook("Decided", func() error { return f(ctx, w.s.Number, w.s.Page, w.s.Answer) })
	}
	return w.act(ctx, d)
}

// ask gets the decision. On the last step a bad answer gets a second chance;
// after a pause during the call, an answer for another page is thrown away and
// asked for again.
func (w *work) ask(ctx context.Context, v view) (*decision, error) {
	a := w.run.a
	start := time.Now()
	defer func() { w.s.Timing.Model += time.Since(start).Milliseconds() }()
	repaired := false
	for {
		v.obs, v.nonce = w.obs, w.nonce
		mctx, cancel := a.ctl.until(ctx)
		d, err := w.run.decide(mctx, v)
		if err != nil && mctx.Err() != nil && ctx.Err() == nil {
			err = ErrStopped
		}
		cancel()
		if d != nil {
			w.s.Answer, w.s.Model, w.s.Prompt = d.answer, d.model, d.prompt
		}
		if err != nil && v.final && !repaired && answerable(err) {
			repaired = true
			v.notes = append(v.notes, "Your last answer could not be used: "+advice(err)+" This is the last call. Answer with done and nothing else.")
			continue
		}
		if err != nil {
			return nil, err
		}
		if !w.pausedNow(ctx) {
			a.mind.Log.ClearReads() // they were read
			return d, nil
		}
		seen := w.obs.page.Fingerprint
		if err := w.observe(ctx); err != nil {
			return nil, err
		}
		if w.obs.page.Fingerprint == seen {
			a.mind.Log.ClearReads()
			return d, nil
		}
		w.s.Answer = nil
		v.notes = append(v.notes, "The run was paused and the page has changed since. Look at it again.")
		v.model = a.compile(w.obs, v.final)
	}
}

// pausedNow waits out a pause and reports whether there was one.
func (w *work) pausedNow(ctx context.Context) bool {
	a := w.run.a
	if !a.Paused() {
		return false
	}
	a.log.Info("paused", "step", w.s.Number)
	release := a.clock.hold()
	defer release()
	// A pause that is over before the wait begins was a pause all the same.
	a.ctl.wait(ctx)
	return true
}

// answerable reports failures that the model itself can mend.
func answerable(err error) bool {
	var pe *registry.ParamError
	return llm.Feedback(err) != "" || errors.Is(err, errNoAction) || errors.As(err, &pe) ||
		errors.Is(err, registry.ErrMalformed) || errors.Is(err, registry.ErrUnknownAction) || errors.Is(err, registry.ErrNotAvailable)
}

// settle turns what happened into the step's status and counts it.
func (w *work) settle(ctx context.Context, err error) {
	a, s := w.run.a, w.s
	m := a.mind
	s.Err = err
	interrupted := err != nil && (w.halt || ctx.Err() != nil || errors.Is(err, ErrStopped))
	if err != nil {
		s.Error = a.redact(advice(err))
		if interrupted {
			s.Error = a.redact(oneLine(err.Error(), maxErrorText))
		}
	}
	m.Doubt = false
	switch {
	case interrupted:
		s.Status = StepInterrupted
	case w.moved:
		s.Status = StepOK
		m.Plan.update(s.Answer, s.Number)
		if w.failedLast && err == nil {
			// Whether that was progress shows when the page is seen again.
			m.Doubt, m.Before = true, s.Page.Fingerprint
		} else {
			m.Failures = 0
		}
	default:
		s.Status = StepFailed
		m.Failures++
		if err == nil {
			s.Err = w.actionError()
		}
		m.Plan.update(s.Answer, s.Number)
	}
	if s.Status == StepFailed && a.retriable(s.Err) {
		w.run.pauseAfterFailure(ctx, m.Failures)
	}
}

// actionError is why a step without an error of its own failed.
func (w *work) actionError() error {
	for _, x := range w.s.Actions {
		if x.Result != nil && x.Result.Error != "" {
			if x.Result.Err != nil {
				return fmt.Errorf("%s: %w", x.Name, x.Result.Err)
			}
			return fmt.Errorf("%s: %s", x.Name, x.Result.Error)
		}
	}
	return errors.New("no action was run")
}

// retriable reports failures of a provider that pass by themselves.
func (a *Agent) retriable(err error) bool {
	e := asLLM(err)
	return e != nil && e.Temporary()
}

// pauseAfterFailure waits a little after a provider's failure, longer each time
// up to Limits.RetryDelay, so that an outage of seconds does not use up all
// failures at once.
func (r *run) pauseAfterFailure(ctx context.Context, failures int) {
	if failures >= r.a.cfg.Limits.Failures {
		return
	}
	d := min(500*time.Millisecond<<min(failures-1, 6), r.a.cfg.Limits.RetryDelay)
	_ = r.sleep(ctx, d)
}

// settleDoubt decides about a step whose last action failed after others that
// succeeded: if the page is as it was before, it brought nothing.
func (a *Agent) settleDoubt(fingerprint string) {
	m := a.mind
	if !m.Doubt {
		return
	}
	m.Doubt = false
	if fingerprint == m.Before {
		m.Failures++
	} else {
		m.Failures = 0
	}
}
