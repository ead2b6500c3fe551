package tools

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// Guard stands between the actions of one step, which were all planned for the
// page as it was shown: it tells whether that is still the page, and whether
// the next action's element is still the one that was meant.
type Guard struct {
	mark *browser.PageMark
}

// NewGuard looks at the page before the first of the calls runs. A nil session
// guards nothing.
func NewGuard(ctx context.Context, s *browser.Session, calls []*registry.Call) (*Guard, error) {
	if s == nil || len(calls) < 2 {
		return &Guard{}, nil
	}
	var all []int
	for _, c := range calls[1:] {
		all = append(all, targets(c)...)
	}
	m, err := s.MarkPage(ctx, all...)
	if err != nil {
		return nil, err
	}
	return &Guard{m}, nil
}

// Before says why the next call must not run; empty when it may.
func (g *Guard) Before(ctx context.Context, next *registry.Call) string {
	if g == nil || g.mark == nil {
		return ""
	}
	return g.mark.Changed(ctx, targets(next)...)
}

// Close ends the guard.
func (g *Guard) Close() {
	if g != nil && g.mark != nil {
		g.mark.Close()
	}
}

// targets are the numbers of the elements that a call is aimed at.
func targets(c *registry.Call) []int {
	var a struct {
		Index *int `json:"index"`
		From  *int `json:"from_index"`
		To    *int `json:"to_index"`
	}
	if json.Unmarshal(c.Args, &a) != nil {
		return nil
	}
	var out []int
	for _, i := range []*int{a.Index, a.From, a.To} {
		if i != nil && *i > 0 {
			out = append(out, *i)
		}
	}
	return out
}

// BatchOptions say how [RunBatch] runs the calls of a step.
type BatchOptions struct {
	// Session is guarded: the batch ends when its page changed under the next
	// call. Nil guards nothing, which is what actions want that were written
	// down beforehand and expect the page to change.
	Session *browser.Session
	// Unguarded runs everything that can be run, whatever changes.
	Unguarded bool
}

// RunBatch runs the calls of one step in order. It ends early after an error,
// after done, after an action that ends a step, and when the page changed under
// the next call; why then says so in words for the model, and the calls beyond
// len(results) were not run. A done that is not the first call is not run:
// results have to be looked at before they are reported.
//
// err is what [registry.Call.Run] returns when going on is pointless.
func RunBatch(ctx context.Context, calls []*registry.Call, deps registry.Deps, o BatchOptions) (results []*registry.Result, why string, err error) {
	var g *Guard
	if !o.Unguarded {
		if g, err = NewGuard(ctx, o.Session, calls); err != nil {
			return nil, "", err
		}
		defer g.Close()
	}
	for i, c := range calls {
		if i > 0 && !o.Unguarded {
			if c.Name == "done" {
				return results, "done has to be alone in its step; look at the results first", nil
			}
			if why := g.Before(ctx, c); why != "" {
				return results, why, nil
			}
		}
		res, err := c.Run(ctx, deps)
		if err != nil {
			return results, "", fmt.Errorf("run %s: %w", c.Name, err)
		}
		results = append(results, res)
		last := i == len(calls)-1
		switch {
		case last || res.Done:
			return results, "", nil
		case res.Error != "":
			return results, fmt.Sprintf("action %d (%s) failed", i+1, c.Name), nil
		case c.Spec().EndsStep && !o.Unguarded:
			return results, c.Name + " ends the step: look at the page it leads to first", nil
		}
	}
	return results, "", nil
}
