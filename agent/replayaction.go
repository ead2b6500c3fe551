package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/dom"
	"github.com/seed-4bdb41d0/webhand/registry"
	"github.com/seed-4bdb41d0/webhand/tools"
)

const noteFailedThen = "it failed when it was recorded"

// turn is one recorded action while it is played.
type turn struct {
	w *work // the step that is being written
	Action
	tabs []Tab   // that were open when it was recorded
	do   *DoStep // the step of a workflow that it comes from
	rep  *ReplayedAction
}

// playAction does one recorded action, whatever the policy makes of it, and
// reports it. Its error ends the replay.
func (p *player) playAction(ctx context.Context, t turn) error {
	start := time.Now()
	t.Name, t.Args = tools.Canonical(t.Name, t.Args)
	rep := t.rep
	rep.Name, rep.Element, rep.Status = t.Name, t.ElementText, ReplayOK
	var err error
	switch why := p.leaveOut(t.Action); {
	case why != "":
		rep.Status, rep.Note = ReplaySkipped, why
	default:
		err = p.doAction(ctx, t)
	}
	rep.Millis = time.Since(start).Milliseconds()
	if err != nil {
		rep.Note = p.a.redact(oneLine(err.Error(), maxErrorText))
		rep.Candidates = candidates(err)
		if rep.Status == ReplayOK {
			rep.Status = ReplayFailed
		}
		if p.cfg.OnMiss == MissSkip && rep.Status == ReplayFailed && isMiss(err) {
			rep.Status = ReplaySkipped
			err = nil
		}
	}
	p.report.Actions = append(p.report.Actions, *rep)
	if err == nil {
		return nil
	}
	if ctx.Err() != nil && rep.Status != ReplayInDoubt {
		return err
	}
	return &ReplayError{ReplayedAction: *rep, Err: err}
}

// leaveOut says why an action is not done again; "" if it is.
func (p *player) leaveOut(x Action) string {
	switch {
	case x.Name == "done":
		return "it ended the recorded run"
	case failedThen(x) != "":
		return noteFailedThen
	}
	if act, ok := p.a.replayReg.Lookup(x.Name); ok && !p.model && slices.ContainsFunc(act.Requires(), func(t string) bool { return strings.HasSuffix(t, "ExtractionLLM") }) {
		return "it needs a model, and this replay has none"
	}
	return ""
}

// missError says that an action was not done, so that it may be tried again or
// done in another way. Whatever else fails may have done something.
type missError struct{ err error }

func (e *missError) Error() string { return e.err.Error() }
func (e *missError) Unwrap() error { return e.err }

func isMiss(err error) bool {
	var m *missError
	return errors.As(err, &m)
}

// doAction tries an action until it is done, its time is up, or the policy
// says otherwise.
func (p *player) doAction(ctx context.Context, t turn) error {
	if p.cfg.Pause > 0 {
		if err := p.r.sleep(ctx, p.cfg.Pause); err != nil {
			return err
		}
	}
	opener := p.opener
	p.opener = nil
	tries := 1
	if p.cfg.OnMiss == MissRetry {
		tries += p.cfg.Retries
	}
	wait := p.cfg.Wait
	var err error
	for n := range tries {
		err = p.attempt(ctx, t, wait)
		if err == nil {
			p.noteOpener(t)
			return nil
		}
		if !isMiss(err) || ctx.Err() != nil {
			return err
		}
		if n == 0 && opener != nil && errors.Is(err, dom.ErrNoMatch) {
			// The menu it was in has closed again: open it as before.
			if _, oerr := p.once(ctx, opener.again(t.w), time.Now().Add(wait/4)); oerr == nil {
				if err = p.attempt(ctx, t, wait/2); err == nil {
					return nil
				}
			}
		}
		wait = min(wait*2, time.Minute)
	}
	if p.cfg.OnMiss == MissHeal && isMiss(err) {
		return p.heal(ctx, t, err)
	}
	return err
}

// noteOpener remembers an action that opened a menu or the like.
func (p *player) noteOpener(t turn) {
	if t.Name == "hover" || t.Name == "click" && effectOf(t.Action).Expanded == "true" {
		p.opener = &t
	}
}

// again is the same action in another step of the new history, unreported.
func (t turn) again(w *work) turn {
	t.w, t.rep = w, &ReplayedAction{}
	return t
}

// attempt does the action once. While it is certain that nothing happened
// (the element is covered, disabled, hidden, moving), it is tried again until
// wait is over.
func (p *player) attempt(ctx context.Context, t turn, wait time.Duration) error {
	until := time.Now().Add(wait)
	for {
		mark := len(t.w.s.Actions)
		again, err := p.once(ctx, t, until)
		if err == nil || !again || !time.Now().Before(until) {
			return err
		}
		// What was not done is not part of the new history.
		t.w.s.Actions = t.w.s.Actions[:mark]
		if serr := p.r.sleep(ctx, lookEvery*2); serr != nil {
			return serr
		}
	}
}

// once finds the elements, runs the action and looks whether it went as it went
// when it was recorded. again means that it was not done and may be tried again.
func (p *player) once(ctx context.Context, t turn, until time.Time) (again bool, err error) {
	args, err := p.prepare(t)
	if err != nil {
		return false, err
	}
	args, level, err := p.aim(ctx, t.Action, args, until)
	if err != nil {
		if ctx.Err() != nil || browserGone(err) {
			return false, err
		}
		return false, &missError{err}
	}
	t.rep.Level = level
	model := p.a.replayReg.Compile(p.page())
	call, err := model.Decode(rawCall(t.Name, args))
	if err != nil {
		return false, &missError{err}
	}
	return p.perform(ctx, t, call)
}

// perform runs a call and judges what came of it.
func (p *player) perform(ctx context.Context, t turn, call *registry.Call) (again bool, err error) {
	var mark *browser.PageMark
	if leavesPage(t.Action) {
		if mark, err = p.a.session.MarkPage(ctx); err != nil {
			return false, err
		}
		defer mark.Close()
	}
	from := currentURL(p.a.session)
	spec := call.Spec()
	res, err := t.w.runCall(ctx, call)
	if err != nil {
		if t.w.halt || spec.ReadOnly || errors.Is(err, registry.ErrNotStarted) {
			return false, err
		}
		return false, doubt(t.rep, err)
	}
	if res.Error != "" {
		return judgeFailure(res, spec, t.rep)
	}
	p.learnTabs(t.Action, res)
	t.w.s.Actions[len(t.w.s.Actions)-1].Match = t.rep.Level
	if mark == nil {
		return false, nil
	}
	return false, p.arrived(ctx, t, mark, from)
}

// judgeFailure sorts failures into those that did nothing and those that may
// have done something.
func judgeFailure(res *registry.Result, spec registry.Spec, rep *ReplayedAction) (again bool, err error) {
	cause := res.Err
	if cause == nil {
		cause = errors.New(res.Error)
	}
	var ae *browser.ActionError
	var d *denial
	switch {
	case errors.As(cause, &d):
		return false, cause
	case errors.As(cause, &ae):
		switch ae.Reason {
		case browser.ReasonCovered, browser.ReasonDisabled, browser.ReasonHidden, browser.ReasonMoving, browser.ReasonOffScreen,
			browser.ReasonStale, browser.ReasonUnknown, browser.ReasonInert, browser.ReasonPointerEvents, browser.ReasonReadOnly,
			browser.ReasonNotFound:
			return true, &missError{cause}
		}
		return false, &missError{cause}
	case spec.ReadOnly || spec.Name == "navigate" || errors.Is(cause, registry.ErrNotAvailable):
		return false, &missError{cause}
	case errors.Is(cause, registry.ErrTimeout), errors.Is(cause, registry.ErrAbandoned), browserGone(cause), errors.Is(cause, browser.ErrCrashed):
		return false, doubt(rep, cause)
	}
	return false, cause
}

func doubt(rep *ReplayedAction, cause error) error {
	rep.Status = ReplayInDoubt
	return fmt.Errorf("%w; look at the page before anything is done again: %w", ErrInDoubt, cause)
}

// leavesPage reports whether the action went to another page when it was
// recorded.
func leavesPage(x Action) bool {
	to := effectOf(x).Navigated
	return to != "" && !strings.Contains(to, "#")
}

// arrived waits for the page to be left as it was when the action was
// recorded. An action that did something else may have done what it was for,
// or not: it is in doubt.
func (p *player) arrived(ctx context.Context, t turn, mark *browser.PageMark, from string) error {
	then := effectOf(t.Action).Navigated
	until := time.Now().Add(p.cfg.Wait)
	for mark.Changed(ctx) == "" {
		if ctx.Err() != nil {
			return doubt(t.rep, context.Cause(ctx))
		}
		if !time.Now().Before(until) {
			return doubt(t.rep, fmt.Errorf("the recorded run went on to %s, and the page is still %s", then, from))
		}
		if err := p.r.sleep(ctx, loadEvery); err != nil {
			return doubt(t.rep, err)
		}
	}
	to := currentURL(p.a.session)
	if urlPath(from) != urlPath(then) && urlPath(from) == urlPath(to) {
		return doubt(t.rep, fmt.Errorf("the recorded run went on to %s, and this one came back to %s", then, to))
	}
	return nil
}

func urlPath(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return raw
	}
	return u.Path
}

// page is what decides which actions there are.
func (p *player) page() registry.Page {
	t := currentTab(p.a.session)
	return registry.Page{URL: t.URL, Title: t.Title}
}

// prepare fills in variables and translates tabs.
func (p *player) prepare(t turn) (json.RawMessage, error) {
	args, err := fillJSON(p.values, orEmpty(t.Args))
	if err != nil {
		return nil, err
	}
	var m map[string]json.RawMessage
	var id string
	if json.Unmarshal(args, &m) != nil || json.Unmarshal(m["tab_id"], &id) != nil {
		return args, nil
	}
	now, ok := p.tabs[id]
	if !ok {
		// Tabs keep their order.
		i := slices.IndexFunc(t.tabs, func(x Tab) bool { return x.ID == id })
		tabs := p.a.session.Tabs()
		if i < 0 || i >= len(tabs) || len(tabs) != len(t.tabs) {
			return nil, &missError{fmt.Errorf("%w: the recorded tab %s has no counterpart among the %s open now", browser.ErrNoTab, id, count(len(tabs), "tab"))}
		}
		now = tabs[i].ID
	}
	if m["tab_id"], err = json.Marshal(now); err != nil {
		return nil, err
	}
	return encodePlain(m)
}

// learnTabs pairs the tab that an action opened then with the one it opened
// now.
func (p *player) learnTabs(x Action, res *registry.Result) {
	if was, now := effectOf(x).NewTab, effectIn(res.Metadata).NewTab; was != "" && now != "" {
		p.tabs[was] = now
	}
}
