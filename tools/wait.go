package tools

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// WaitParams are the parameters of wait.
type WaitParams struct {
	Seconds  float64 `json:"seconds" jsonschema:"minimum=0,maximum=30,default=3" jsonschema_description:"how long, or with text, selector or quiet at most how long"`
	Text     string  `json:"text,omitempty" jsonschema_description:"until the page shows this text"`
	Gone     string  `json:"gone,omitempty" jsonschema_description:"until the page does not show this text any more"`
	Selector string  `json:"selector,omitempty" jsonschema_description:"until an element answers to this CSS selector and is shown"`
	Quiet    bool    `json:"quiet,omitempty" jsonschema_description:"until the page stops loading and changing"`
}

func waitActions() []builtin {
	return []builtin{{
		registry.Spec{
			Name: "wait", ReadOnly: true,
			Description: "Wait some seconds, or until something is shown. Pages are waited for anyway: use it only for what comes later.",
		},
		wait,
	}}
}

func wait(ctx context.Context, p WaitParams, s *browser.Session) (*registry.Result, error) {
	limit := time.Duration(p.Seconds * float64(time.Second))
	if p.Text == "" && p.Gone == "" && p.Selector == "" && !p.Quiet {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		select {
		case <-timer.C:
			return &registry.Result{Text: fmt.Sprintf("Waited %g s", p.Seconds)}, nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	start := time.Now()
	if p.Text != "" || p.Gone != "" || p.Selector != "" {
		err := s.WaitFor(ctx, browser.WaitCondition{Text: p.Text, Gone: p.Gone, Selector: p.Selector}, limit)
		if err != nil {
			return nil, failedTo("wait", err)
		}
	}
	if p.Quiet {
		qctx, cancel := context.WithTimeout(ctx, max(limit-time.Since(start), time.Millisecond))
		defer cancel()
		settled, err := s.WaitStable(qctx)
		if err != nil && !(errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil) {
			return nil, failedTo("wait", err)
		}
		if err != nil || settled.Loading {
			why := settled.Reason
			if why == "" {
				why = "it kept changing"
			}
			return nil, fmt.Errorf("the page did not become quiet within %g s: %s; go on without waiting", p.Seconds, why)
		}
	}
	return &registry.Result{Text: fmt.Sprintf("Waited %.1f s, until it was there", time.Since(start).Seconds())}, nil
}
