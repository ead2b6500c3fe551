package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/seed-4bdb41d0/webhand/llm"
)

// client is a model as the agent uses it, whatever for: requests pass the
// redactor, the budget and the deadline, and every call is counted, traced and
// written to the conversation, failed ones too.
type client struct {
	a       *Agent
	purpose string // "step", "plan", "extract", "summary", "validate", "judge"
	inner   llm.Client
}

func (a *Agent) client(purpose string, inner llm.Client) llm.Client {
	if a.budget != nil {
		inner = a.budget.Wrap(inner)
	}
	if g := a.cfg.group; g != nil {
		inner = g.wrap(inner)
	}
	return &client{a, purpose, a.meter.Wrap(inner)}
}

// chain puts the fallbacks behind a model.
func (a *Agent) chain(c llm.Client) llm.Client {
	if len(a.cfg.Fallbacks) == 0 {
		return c
	}
	cfg := llm.FallbackConfig{OnSwitch: func(from, to llm.Description, err error) {
		a.log.Warn("model switched", "from", from.Model, "to", to.Model, "err", a.redact(err.Error()))
	}}
	links := []llm.Client{llm.Deadline(c, a.cfg.Limits.LLM)}
	for _, f := range a.cfg.Fallbacks {
		links = append(links, llm.Deadline(f, a.cfg.Limits.LLM))
	}
	return llm.Fallback(cfg, links...)
}

// Describe implements llm.Describer.
func (c *client) Describe() llm.Description { return llm.Describe(c.inner) }

// Complete implements llm.Client.
func (c *client) Complete(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	a := c.a
	req = a.redactRequest(req)
	limit := a.cfg.Limits.LLM
	if c.purpose == "step" {
		limit *= time.Duration(1 + len(a.cfg.Fallbacks)) // each has its own
	}
	cctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cctx, span := a.tel.start(cctx, "model", attribute.String("purpose", c.purpose))
	start := time.Now()
	resp, err := c.inner.Complete(cctx, req)
	took := time.Since(start)
	if c.purpose != "extract" { // those calls are part of an action
		a.busy += took
	}
	if err != nil && ctx.Err() == nil && cctx.Err() != nil && !errors.Is(err, llm.ErrTimeout) {
		d := llm.Describe(c.inner)
		err = &llm.Error{Kind: llm.ErrTimeout, Provider: d.Provider, Model: d.Model,
			Message: fmt.Sprintf("no answer within %s", limit), Err: err}
	}
	if err == nil && resp == nil {
		err = &llm.Error{Kind: llm.ErrEmpty, Message: "the client returned neither an answer nor an error"}
	}
	c.record(cctx, req, resp, err, took)
	errText := ""
	if err != nil {
		errText = a.redact(err.Error())
	}
	finish(span, errText)
	return resp, err
}

func (c *client) record(ctx context.Context, req *llm.Request, resp *llm.Response, err error, took time.Duration) {
	a := c.a
	model := llm.Describe(c.inner).Model
	for _, charge := range llm.Charges(resp, err) {
		a.tel.usage(ctx, charge)
		model = or(charge.Model, model)
	}
	set := metric.WithAttributes(attribute.String("purpose", c.purpose), attribute.String("model", model), attribute.Bool("failed", err != nil))
	a.tel.calls.Add(ctx, 1, set)
	a.tel.took.Record(ctx, took.Seconds(), metric.WithAttributes(attribute.String("what", "model"), attribute.String("purpose", c.purpose)))
	a.conv.write(callRecord{Purpose: c.purpose, Model: model, Took: took, Request: req, Response: resp, Err: err})
	if err != nil {
		a.log.Debug("model call failed", "purpose", c.purpose, "model", model, "ms", took.Milliseconds(), "err", a.redact(err.Error()))
		return
	}
	a.log.Debug("model call", "purpose", c.purpose, "model", model, "ms", took.Milliseconds(),
		"input", resp.Usage.Input, "cached", resp.Usage.Cached, "output", resp.Usage.Output)
}

// redactRequest returns the request without secrets. The original is not
// changed.
func (a *Agent) redactRequest(req *llm.Request) *llm.Request {
	if len(a.cfg.Secrets) == 0 {
		return req
	}
	c := *req
	c.Messages = slices.Clone(req.Messages)
	for i, m := range c.Messages {
		parts := slices.Clone(m.Parts)
		for k := range parts {
			parts[k].Text = a.redact(parts[k].Text)
		}
		c.Messages[i].Parts = parts
	}
	return &c
}

// redact replaces secrets in a text.
func (a *Agent) redact(s string) string { return a.secrets.Redact(s) }
