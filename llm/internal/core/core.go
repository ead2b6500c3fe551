// Package core is what the provider clients have in common: the checks before
// a request, the ladder around it, and the typing of whatever went wrong.
package core

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/internal/ladder"
	"github.com/seed-4bdb41d0/webhand/llm/internal/prompt"
)

// Core belongs to one client, which is for one model at one endpoint.
type Core struct {
	Provider string
	Model    string
	Host     string // of the endpoint
	Dialect  llm.Dialect
	Ladder   *ladder.Ladder
	Desc     llm.Description // what the configuration and the tables say
	KeyHint  string          // where the key came from, for a 401
	Broken   error           // what is wrong with the configuration, if anything

	checked prompt.Checked
}

// Try is one request to be made.
type Try struct {
	Req    *llm.Request
	Plan   *ladder.Plan
	Schema []byte // in the client's dialect; nil when plain text is wanted
	Strict bool   // whether the schema can be enforced strictly
}

// Describe implements [llm.Describer] for the client.
func (c *Core) Describe() llm.Description {
	d := c.Desc
	d.Provider, d.Model, d.Endpoint = c.Provider, c.Model, c.Host
	return prompt.Complete(d)
}

// Complete answers req by as many attempts as the ladder needs, usually one.
func (c *Core) Complete(ctx context.Context, req *llm.Request, attempt func(context.Context, *Try) (*llm.Response, error)) (*llm.Response, error) {
	if c.Broken != nil {
		return nil, c.Broken
	}
	if ctx.Err() != nil {
		return nil, c.ended(ctx)
	}
	if err := prompt.Fits(req, c.Describe()); err != nil {
		return nil, c.fill(err)
	}
	t := Try{Req: req}
	if req.Format != nil {
		var err error
		if t.Schema, t.Strict, err = c.checked.Schema(req.Format, c.Dialect); err != nil {
			return nil, c.Refuse(err.Error())
		}
	}
	resp, err := c.Ladder.Run(req.Format != nil, func(p *ladder.Plan) (*llm.Response, error) {
		t := t
		t.Plan = p
		resp, err := attempt(ctx, &t)
		if err != nil {
			return nil, c.fill(c.typed(ctx, err))
		}
		return resp, nil
	})
	if err != nil {
		return nil, c.fill(err)
	}
	return resp, nil
}

// typed turns what came back through an SDK into our own error.
func (c *Core) typed(ctx context.Context, err error) error {
	var e *llm.Error
	switch {
	case errors.As(err, &e):
		return e
	case ctx.Err() != nil:
		return c.ended(ctx)
	}
	return &llm.Error{Kind: llm.ErrServer, Message: "the answer cannot be decoded: " + err.Error(), Err: err}
}

// ended is the error of a call whose context ended.
func (c *Core) ended(ctx context.Context) error {
	cause := context.Cause(ctx)
	if !errors.Is(cause, ctx.Err()) { // a cause of the caller's own
		cause = fmt.Errorf("%w: %w", ctx.Err(), cause)
	}
	return fmt.Errorf("llm: %s %s: %w", c.Provider, c.Model, cause)
}

// fill puts the provider and the model into an error.
func (c *Core) fill(err error) error {
	var e *llm.Error
	if !errors.As(err, &e) {
		return err
	}
	if e.Provider == "" {
		e.Provider = c.Provider
		if e.Status == http.StatusUnauthorized && c.KeyHint != "" {
			e.Message += " (" + c.KeyHint + ")"
		}
	}
	if e.Model == "" {
		e.Model = c.Model
	}
	return err
}

// Refuse is the error for a request or a configuration that cannot work.
func (c *Core) Refuse(message string) *llm.Error {
	return &llm.Error{Kind: llm.ErrBadRequest, Provider: c.Provider, Model: c.Model, Message: message, Permanent: true}
}

// NoKey is the error for a missing key.
func (c *Core) NoKey(how string) *llm.Error {
	return &llm.Error{
		Kind: llm.ErrAuth, Provider: c.Provider, Model: c.Model, Permanent: true,
		Message: fmt.Sprintf("no API key for %s; set %s", c.Host, how),
	}
}
