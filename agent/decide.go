package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/memory"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// decision is what came of asking the model.
type decision struct {
	answer *Answer
	calls  []*registry.Call // the valid beginning of the answer
	bad    error            // why the first call after them is not valid; nil when all are
	over   int              // actions given beyond the limit
	model  string
	prompt []llm.Message
}

// decide asks the model for the next actions. Its error is the model's or the
// provider's failure; what the model can do better next time is in the text.
func (r *run) decide(ctx context.Context, v view) (*decision, error) {
	a := r.a
	format := v.model.Format("agent_output", a.cfg.Prompt.Style.fields(!a.cfg.Plan.Off && !v.final))
	limit := a.mind.Meter.Raw(a.cfg.Limits.InputTokens) - llm.EstimateText(format.Text)
	blocks, cut := memory.Fit(a.blocks(v), limit)
	a.logCut(v.step, cut)
	resp, err := r.ask(ctx, blocks, format)
	if errors.Is(err, llm.ErrContextLength) {
		// Believe the provider, cut to what it takes, and try once more.
		blocks, cut = memory.Fit(blocks, tighter(err, blocks, limit))
		a.logCut(v.step, cut)
		if len(cut) > 0 {
			resp, err = r.ask(ctx, blocks, format)
		}
	}
	if err != nil {
		return nil, err
	}
	d := &decision{model: resp.Model}
	if a.cfg.KeepPrompts {
		d.prompt = messages(blocks)
	}
	a.mind.Meter.Observe(memory.Total(blocks)+llm.EstimateText(format.Text), resp.Usage.Input)
	answer, err := parseAnswer(resp.Text, format)
	if answer != nil && answer.Thinking == "" {
		answer.Thinking = resp.Thinking
	}
	d.answer = answer
	if err != nil {
		return d, err
	}
	actions := answer.Actions
	if n := len(actions) - a.cfg.Limits.Actions; n > 0 {
		d.over, actions = n, actions[:a.cfg.Limits.Actions]
	}
	for _, raw := range actions {
		call, err := v.model.Decode(raw)
		if err != nil {
			d.bad = err
			break
		}
		d.calls = append(d.calls, call)
	}
	if len(d.calls) == 0 {
		return d, fmt.Errorf("your answer could not be used: %w", d.bad)
	}
	return d, nil
}

func (a *Agent) logCut(step int, cut []string) {
	if len(cut) > 0 {
		a.log.Info("prompt trimmed", "step", step, "left_out", strings.Join(cut, ", "))
	}
}

// tighter is the size to cut a prompt to after the provider refused it.
func tighter(err error, blocks []memory.Block, limit int) int {
	have := min(memory.Total(blocks), limit)
	if e := asLLM(err); e != nil && e.TokenLimit > 0 && e.TokensSent > e.TokenLimit {
		// Leave a tenth for the answer and for what the estimate gets wrong.
		return int(float64(have) * 0.9 * float64(e.TokenLimit) / float64(e.TokensSent))
	}
	return have / 2
}

// ask sends one prompt. Rate limits are waited for, with the step's clock held;
// they are nobody's failure.
func (r *run) ask(ctx context.Context, blocks []memory.Block, format *llm.Format) (*llm.Response, error) {
	a := r.a
	req := &llm.Request{Messages: messages(blocks), Format: format, Session: a.cfg.ID}
	for n := 1; ; n++ {
		resp, err := a.main.Complete(ctx, req)
		if !errors.Is(err, llm.ErrRateLimit) || n > a.cfg.Limits.RateLimits {
			return resp, err
		}
		wait := a.cfg.Limits.RetryDelay
		if e := asLLM(err); e != nil && e.RetryAfter > 0 {
			wait = e.RetryAfter
		}
		a.log.Info("rate limited", "step", a.mind.Number+1, "wait", wait, "try", n)
		release := a.clock.hold()
		err = r.sleep(ctx, wait)
		release()
		if err != nil {
			return nil, err
		}
	}
}

// sleep waits, unless the run is stopped or ctx ends.
func (r *run) sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return context.Cause(ctx)
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-r.a.ctl.signal().Done():
		return ErrStopped
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func asLLM(err error) *llm.Error {
	var e *llm.Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}

// fatal reports a failure that trying again cannot help.
func fatal(err error) bool {
	if errors.Is(err, llm.ErrAuth) || errors.Is(err, llm.ErrQuota) || errors.Is(err, ErrBudget) ||
		errors.Is(err, registry.ErrMissingDep) || errors.Is(err, registry.ErrNoActions) {
		return true
	}
	e := asLLM(err)
	return e != nil && e.Permanent
}

// advice is a failure in one line, as the model is told it.
func advice(err error) string {
	if s := llm.Feedback(err); s != "" {
		return s
	}
	switch e := asLLM(err); {
	case e != nil && errors.Is(err, llm.ErrTimeout):
		return "The model did not answer in time; nothing was done."
	case e != nil && errors.Is(err, llm.ErrRefusal):
		return "You refused to answer. If the task cannot be done, call done with success false and say why."
	case e != nil:
		return "The model could not be asked (" + e.Kind.Error() + "); nothing was done."
	}
	return oneLine(err.Error(), maxErrorText)
}
