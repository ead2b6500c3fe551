package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-4bdb41d0/webhand/registry"
	"github.com/seed-4bdb41d0/webhand/tools"
)

// act runs the calls of a decision in order, as far as they go, and keeps what
// each one did the moment it is known.
func (w *work) act(ctx context.Context, d *decision) error {
	start := time.Now()
	defer func() { w.s.Timing.Act += time.Since(start).Milliseconds() }()
	why, err := w.runCalls(ctx, d)
	ran := len(w.s.Actions)
	w.s.NotRun = len(d.calls) - ran + d.rest()
	switch {
	case w.s.NotRun == 0:
	case why != "":
		w.s.NotRunWhy = why
	case err != nil:
		w.s.NotRunWhy = "the step was interrupted"
	case d.bad != nil:
		w.s.NotRunWhy = "the next one is not valid: " + oneLine(d.bad.Error(), 300)
	case d.over > 0:
		w.s.NotRunWhy = fmt.Sprintf("a step has at most %d actions", w.run.a.cfg.Limits.Actions)
	}
	return err
}

// rest counts what the model gave beyond the calls that can be run.
func (d *decision) rest() int {
	if d.answer == nil {
		return 0
	}
	return len(d.answer.Actions) - len(d.calls)
}

// runCalls returns why it stopped early, in words for the model, and an error
// when the step cannot go on.
func (w *work) runCalls(ctx context.Context, d *decision) (why string, err error) {
	start := time.Now()
	guard, err := tools.NewGuard(ctx, w.run.a.session, d.calls)
	w.run.a.busy += time.Since(start)
	if err != nil {
		return "", err
	}
	defer guard.Close()
	for i, call := range d.calls {
		if i > 0 {
			if w.pausedNow(ctx) {
				return "the run was paused in between; look at the page again", nil
			}
			if call.Name == "done" {
				return "done has to be alone in its step; look at the results first", nil
			}
			start := time.Now()
			why := guard.Before(ctx, call)
			w.run.a.busy += time.Since(start)
			if why != "" {
				return why, nil
			}
		}
		if err := w.run.a.checkpoint(ctx); err != nil {
			w.halt = true
			return "", err
		}
		res, err := w.runCall(ctx, call)
		if err != nil {
			return "", err
		}
		switch {
		case res.Done:
			return "", w.run.done(ctx, w, res)
		case res.Error != "":
			return fmt.Sprintf("action %d failed", i+1), nil
		case call.Spec().EndsStep:
			return call.Name + " ends the step", nil
		}
	}
	return "", nil
}

// runCall asks for permission, runs one call and records it.
func (w *work) runCall(ctx context.Context, call *registry.Call) (*registry.Result, error) {
	a := w.run.a
	record, words, identity := w.obs.element(call.Args)
	spec := call.Spec()
	x := Action{Name: call.Name, Args: call.Args, Element: record, ElementText: words}
	start := time.Now()
	a.identify(ctx, w.obs, &x)
	a.busy += time.Since(start)
	words = x.ElementText
	p := Proposal{
		Step: w.s.Number, URL: currentURL(a.session), Title: w.obs.page.Title,
		Action: call.Name, Args: append([]byte(nil), call.Args...), Element: words, ReadOnly: spec.ReadOnly,
	}
	if w.obs.state != nil { // the initial actions come before the first look
		p.Screenshot = w.obs.state.Screenshot
	}
	if w.s.Answer != nil {
		p.Reason = or(w.s.Answer.NextGoal, w.s.Answer.Memory)
	}
	var err error
	if !w.chosen {
		err = a.permit(ctx, p, spec.NeedsApproval)
	}
	var d *denial
	switch {
	case errors.As(err, &d):
		x.Result = &registry.Result{Error: d.Error(), Err: err}
	case err != nil:
		w.halt = true
		return nil, err
	default:
		actx, span := a.tel.start(ctx, "action")
		begun := time.Now()
		x.Result, err = call.Run(actx, a.deps)
		a.busy += time.Since(begun)
		finish(span, "")
		if errors.Is(err, registry.ErrNotStarted) {
			return nil, err // it is among those that were not run
		}
		if err != nil {
			// What an interrupted action did is not known; say so rather than
			// leave it out.
			x.Result = &registry.Result{Error: "interrupted, and it is not known whether it took effect: " + oneLine(err.Error(), 200), Err: err}
		}
	}
	x.Millis = time.Since(start).Milliseconds()
	w.s.Actions = append(w.s.Actions, x)
	w.failedLast = x.Result.Error != ""
	w.moved = w.moved || !w.failedLast
	a.mind.Stuck.did(actionKey(call.Name, call.Args, identity, w.obs.page.Fingerprint))
	if want, _ := x.Result.Metadata["include_screenshot"].(bool); want {
		a.mind.WantShot = true
	}
	return x.Result, err
}
