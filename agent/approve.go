package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-4bdb41d0/webhand/internal/urlmatch"
)

// Approver decides about an action before it runs. Nil runs it. The error of
// [Deny] or [DenyWithAdvice] refuses it and tells the model why; the run goes
// on. Any other error, [ErrStopped] among them, ends the run with it.
//
// It is asked for every action that is not marked read-only, and for those
// marked Spec.NeedsApproval or ruled [Ask], while the step's clock stands
// still. It may take as long as ctx lives.
type Approver func(ctx context.Context, p Proposal) error

// Proposal is an action that is about to run.
type Proposal struct {
	Step  int
	URL   string // of the page
	Title string
	// Action and Args are what the model wrote. Secrets appear as
	// <secret>name</secret>: substitution comes after approval.
	Action string
	Args   json.RawMessage
	// Element is the element the action is about, in a few words.
	Element string
	// Reason is what the model wants to achieve, in its words.
	Reason string
	// ReadOnly says that the action is marked as changing nothing.
	ReadOnly bool
	// Screenshot is the page as the model saw it, if a screenshot was taken.
	Screenshot []byte
}

// Verdict is what a [Rule] says.
type Verdict string

// The verdicts.
const (
	Allow  Verdict = "allow"  // run it without asking
	Ask    Verdict = "ask"    // ask the approver; refuse when there is none
	Refuse Verdict = "refuse" // do not run it, and tell the model
)

// Rule decides about actions by name and page.
type Rule struct {
	// Actions are names; empty matches every action.
	Actions []string
	// Pages are URL patterns as in registry.Spec.Domains; empty matches every
	// page.
	Pages []string
	// Verdict is what happens. Required.
	Verdict Verdict
	// Reason is told to the model when the action is refused.
	Reason string
}

// denial is a refusal that the model is told about.
type denial struct{ reason, advice string }

func (d *denial) Error() string {
	if d.advice != "" {
		return "denied: " + d.reason + ". " + d.advice
	}
	return "denied: " + d.reason
}

// Deny refuses an action. The model is told the reason and goes on.
func Deny(reason string) error { return &denial{reason: reason} }

// DenyWithAdvice refuses an action and tells the model what to do instead.
func DenyWithAdvice(reason, advice string) error { return &denial{reason, advice} }

// rules are compiled Rules.
type rules []compiledRule

type compiledRule struct {
	Rule
	pages []urlmatch.Pattern
}

func compileRules(list []Rule) (rules, error) {
	var out rules
	for i, r := range list {
		if !slices.Contains([]Verdict{Allow, Ask, Refuse}, r.Verdict) {
			return nil, fmt.Errorf("agent: Rules[%d].Verdict is %q; want allow, ask or refuse", i, r.Verdict)
		}
		c := compiledRule{Rule: r}
		for _, p := range r.Pages {
			pat, err := urlmatch.Parse(p)
			if err != nil {
				return nil, fmt.Errorf("agent: Rules[%d]: %w", i, err)
			}
			c.pages = append(c.pages, pat)
		}
		out = append(out, c)
	}
	return out, nil
}

func (c compiledRule) matches(action, pageURL string) bool {
	if len(c.Actions) > 0 && !slices.Contains(c.Actions, action) {
		return false
	}
	if len(c.pages) == 0 {
		return true
	}
	u, ok := urlmatch.ParseURL(pageURL)
	return ok && slices.ContainsFunc(c.pages, func(p urlmatch.Pattern) bool { return p.MatchURL(u) })
}

// find returns the first rule that matches.
func (rs rules) find(action, pageURL string) (Rule, bool) {
	for _, r := range rs {
		if r.matches(action, pageURL) {
			return r.Rule, true
		}
	}
	return Rule{}, false
}

// permit decides about one call: read-only mode, rules, then the approver. A
// *denial is for the model, any other error ends the run.
func (a *Agent) permit(ctx context.Context, p Proposal, needsApproval bool) error {
	if p.Action == "done" {
		return nil
	}
	if a.cfg.ReadOnly && !p.ReadOnly {
		return DenyWithAdvice("this run may only read", "Use actions that change nothing, or finish with what you know")
	}
	ask := !p.ReadOnly || needsApproval
	if r, ok := a.rules.find(p.Action, p.URL); ok {
		switch r.Verdict {
		case Allow:
			if !needsApproval {
				return nil
			}
		case Refuse:
			return Deny(or(r.Reason, "a rule of this run forbids "+p.Action+" here"))
		case Ask:
			needsApproval, ask = true, true
		}
	}
	if !ask {
		return nil
	}
	if a.cfg.Approve == nil {
		if needsApproval {
			return Deny(p.Action + " needs a person's approval and nobody is there to give it")
		}
		return nil
	}
	return a.askApprover(ctx, p)
}

// askApprover calls the approver with the step's clock held. A panic in it
// refuses the action: whoever fails to answer has not said yes.
func (a *Agent) askApprover(ctx context.Context, p Proposal) (err error) {
	release := a.clock.hold()
	defer release()
	defer func() {
		if r := recover(); r != nil {
			a.log.Error("approver panicked", "step", p.Step, "action", p.Action, "panic", r)
			err = Deny("the approver failed")
		}
	}()
	err = a.cfg.Approve(ctx, p)
	var d *denial
	switch {
	case err == nil || errors.As(err, &d):
		return err
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return fmt.Errorf("agent: approver: %w", err)
}

func or(s, def string) string {
	if s != "" {
		return s
	}
	return def
}
