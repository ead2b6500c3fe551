package agent

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime/debug"
	"time"

	"github.com/seed-4bdb41d0/webhand/browser"
)

// run is one call of Run or Steps: one task, from where the agent stands to an
// outcome.
type run struct {
	a     *Agent
	steps int   // of this run, finished ones
	last  error // the failure of the last step; nil after a good one
	final bool  // the model can only finish
	again int   // times that Chrome was started anew
	first *Step // the start, as step 0, until it is yielded
	over  *Outcome
	err   error // what the run returns with over
}

// Steps runs the agent's task and yields each step when it is finished. Breaking
// off ends the run as [Agent.Stop] does. An error is yielded once, last, with a
// nil step: what ended the run short of an answer, as [Agent.Run] returns it.
func (a *Agent) Steps(ctx context.Context) iter.Seq2[*Step, error] {
	return func(yield func(*Step, error) bool) {
		broke, err := a.run(ctx, func(s *Step) bool { return yield(s, nil) })
		if err != nil && !broke {
			yield(nil, err)
		}
	}
}

// Run runs the agent's task to its end and returns the history, which is never
// nil once a run began. The error is nil when the model finished the task, with
// success or without (see [History.Succeeded]). Otherwise it says what ended the
// run: [ErrMaxSteps], [*FailureError], [ErrStopped], [ErrBudget], [ErrStuck], the
// cause of ctx's end, or what made going on pointless, such as an *llm.Error of
// kind llm.ErrAuth or browser.ErrDisconnected.
func (a *Agent) Run(ctx context.Context) (*History, error) {
	_, err := a.run(ctx, func(*Step) bool { return true })
	return a.History(), err
}

func (a *Agent) run(ctx context.Context, yield func(*Step) bool) (broke bool, err error) {
	if err := a.begin(); err != nil {
		return false, err
	}
	defer a.finish()
	r := &run{a: a}
	if limit := a.cfg.Limits.Run; limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w: the run took longer than %s", ErrBudget, limit))
		defer cancel()
	}
	ctx, span := a.tel.start(ctx, "run")
	defer func() { finish(span, a.redact(errorText(err))) }()
	if err := r.open(ctx); err != nil {
		r.end(outcomeOf(ctx, err), err)
	}
	for r.over == nil || r.first != nil {
		s := r.first
		r.first = nil
		if s == nil {
			s = r.next(ctx)
		}
		if s != nil && !yield(s) {
			broke = true
			if r.over == nil {
				r.end(EndStopped, ErrStopped)
			}
		}
	}
	r.close(ctx)
	return broke, r.err
}

// next does one step and decides whether it was the last.
func (r *run) next(ctx context.Context) *Step {
	a := r.a
	a.ctl.wait(ctx)
	if err := a.checkpoint(ctx); err != nil {
		r.end(outcomeOf(ctx, err), err)
		return nil
	}
	if r.steps >= a.cfg.Limits.Steps {
		r.end(EndMaxSteps, ErrMaxSteps)
		return nil
	}
	r.final = r.steps == a.cfg.Limits.Steps-1
	if a.mind.Failures >= a.cfg.Limits.Failures {
		if a.cfg.Limits.NoFinalAnswer || a.mind.Failures > a.cfg.Limits.Failures {
			r.end(EndFailures, &FailureError{Steps: a.mind.Failures, Last: r.last})
			return nil
		}
		r.final = true
	}
	s := r.step(ctx)
	r.steps++
	r.last = s.Err
	r.judgeStep(ctx, s)
	return s
}

// judgeStep ends the run where a step leaves no way on.
func (r *run) judgeStep(ctx context.Context, s *Step) {
	a := r.a
	if r.over != nil {
		return
	}
	if s.Status == StepInterrupted {
		r.end(outcomeOf(ctx, s.Err), s.Err)
		return
	}
	if s.Err != nil && browserGone(s.Err) && r.relaunch(ctx, s.Err) {
		return
	}
	if s.Err != nil && (fatal(s.Err) || browserGone(s.Err)) {
		r.end(outcomeOf(ctx, s.Err), s.Err)
		return
	}
	if n := a.cfg.Stuck.StopAt; n > 0 && !a.cfg.Stuck.Off && a.mind.Stuck.repeats() >= n {
		r.end(EndStuck, fmt.Errorf("%w: one action was repeated %d times", ErrStuck, a.mind.Stuck.repeats()))
	}
}

// lastStepInDoubt is what the model is told when Chrome went away in a step.
const lastStepInDoubt = "The actions of the last step may or may not have taken effect: look before you repeat one that sends or buys."

// relaunch starts the agent's own Chrome again after it died, and reports
// whether the run can go on. The step that saw it die stays a failed one.
func (r *run) relaunch(ctx context.Context, why error) bool {
	a := r.a
	if a.cfg.Browser != nil || r.final || r.again >= a.cfg.Limits.Relaunches || !errors.Is(why, browser.ErrDisconnected) {
		return false
	}
	s, err := a.session.Relaunch(ctx)
	if err != nil {
		r.end(outcomeOf(ctx, err), fmt.Errorf("%w; starting it again: %w", why, err))
		return false
	}
	if s == a.session { // the connection was made again
		a.mind.Notes = append(a.mind.Notes, "The connection to Chrome was lost and is there again. "+lastStepInDoubt)
		return true
	}
	r.again++
	a.log.Warn("Chrome died and was started again", "err", why)
	a.mu.Lock()
	a.session = s
	a.mu.Unlock()
	a.deps = a.baseDeps(s, a.folder.files)
	a.mind.Notes = append(a.mind.Notes, "Chrome died and was started again. The pages were loaded anew by their addresses: what was typed into them is gone, and so may logins be. "+lastStepInDoubt)
	return true
}

// end decides the outcome; the first decision counts.
func (r *run) end(end End, err error) {
	if r.over != nil {
		return
	}
	r.over, r.err = &Outcome{End: end, Error: r.a.redact(errorText(err))}, err
	r.over.Final = r.a.account(err)
}

// outcomeOf says what kind of end an error is.
func outcomeOf(ctx context.Context, err error) End {
	switch {
	case errors.Is(err, ErrStopped):
		return EndStopped
	case errors.Is(err, ErrBudget):
		return EndBudget
	case errors.Is(err, ErrMaxSteps):
		return EndMaxSteps
	case errors.Is(err, ErrStuck):
		return EndStuck
	case ctx.Err() != nil && errors.Is(err, context.Cause(ctx)), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return EndCanceled
	}
	return EndError
}

func browserGone(err error) bool {
	return errors.Is(err, browser.ErrClosed) || errors.Is(err, browser.ErrDisconnected)
}

// close settles everything that outlives the run: outcome, journal, memory,
// hooks. It works on although ctx may have ended, for a little while.
func (r *run) close(ctx context.Context) {
	a := r.a
	r.over.Ended = time.Now()
	redact(a.redact, r.over)
	a.commitOutcome(*r.over)
	a.log.Info("run ended", "end", r.over.End, "success", r.over.Success, "steps", r.steps, "err", r.over.Error)
	a.remember(context.WithoutCancel(ctx), true)
	if f := a.cfg.Hooks.Done; f != nil {
		a.hook("Done", func() error { return f(ctx, a.History()) })
	}
}

// step runs one step as a transaction: whatever happens in it, exactly one
// record of it is kept, with what was really done.
func (r *run) step(ctx context.Context) *Step {
	a := r.a
	s := &Step{Number: a.mind.Number + 1, Started: time.Now()}
	before := a.meter.Usage()
	ctx, span := a.tel.start(ctx, "step")
	sctx, clock := startClock(ctx, a.cfg.Limits.Step)
	a.clock, a.busy = clock, 0
	a.conv.at(s.Number)
	w := &work{run: r, s: s}
	err := w.guarded(sctx)
	if err != nil && ctx.Err() == nil && sctx.Err() != nil && !w.halt && !errors.Is(err, ErrStopped) {
		err = context.Cause(sctx) // the clock ran out, whatever noticed it
	}
	held := clock.end()
	s.Timing.Held = held.Milliseconds()
	s.Usage = minus(a.meter.Usage(), before)
	w.settle(ctx, err)
	s.Ended = time.Now()
	s.Timing.Total = s.Ended.Sub(s.Started).Milliseconds()
	a.commit(s, w.nonce)
	s.overhead = time.Since(s.Started) - a.busy - held
	a.report(ctx, s)
	finish(span, s.Error)
	if f := a.cfg.Hooks.StepEnd; f != nil {
		a.hook("StepEnd", func() error { return f(ctx, s) })
	}
	return s
}

// guarded turns a panic of the loop itself into the step's failure, so that the
// record is kept.
func (w *work) guarded(ctx context.Context) (err error) {
	defer func() {
		if v := recover(); v != nil {
			w.run.a.log.Error("step panicked", "step", w.s.Number, "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
			err = fmt.Errorf("agent: internal failure: %v", v)
		}
	}()
	return w.do(ctx)
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
