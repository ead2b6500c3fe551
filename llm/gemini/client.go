package gemini

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"google.golang.org/genai"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/internal/core"
	"github.com/seed-4bdb41d0/webhand/llm/internal/ladder"
	"github.com/seed-4bdb41d0/webhand/llm/internal/wire"
)

// Client calls one model. It is safe for concurrent use and learns what the
// endpoint accepts, so make one and share it.
type Client struct {
	core  core.Core
	cfg   Config
	extra map[string]json.RawMessage
	api   *genai.Client
}

// New returns a client for c. It makes no request; a configuration that cannot
// work is reported by the first call, as an [*llm.Error].
func New(c Config) *Client {
	cl := &Client{cfg: c}
	cl.core.Provider, cl.core.Model = "gemini", c.Model
	cl.core.Broken = cl.setUp()
	return cl
}

func (c *Client) setUp() error {
	o, err := c.core.Open(core.Options{
		APIKey: c.cfg.APIKey, KeyVars: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"},
		BaseURL: c.cfg.BaseURL, Default: "https://generativelanguage.googleapis.com", Endings: []string{"/v1beta", "/v1"},
		Dialect: cmp.Or(c.cfg.Dialect, llm.Gemini),
		Desc:    llm.Description{Vision: c.cfg.Vision, ContextWindow: c.cfg.ContextWindow},
		Timeout: c.cfg.Timeout, Stall: c.cfg.Stall, Header: c.cfg.Header, Extra: c.cfg.Extra, HTTPClient: c.cfg.HTTPClient,
	})
	if err != nil {
		return err
	}
	c.extra = o.Extra
	c.core.Ladder = ladder.New([]string{llm.RungSchema, llm.RungObject, llm.RungPrompt}, c.cfg.Start)
	// The context serves credentials only, and a key needs none.
	c.api, err = genai.NewClient(context.TODO(), &genai.ClientConfig{
		APIKey: o.Key, Backend: genai.BackendGeminiAPI, HTTPClient: o.Transport.Client(),
		HTTPOptions: genai.HTTPOptions{BaseURL: o.Base.String() + "/", APIVersion: "v1beta"},
	})
	if err != nil {
		return c.core.Refuse("the SDK refuses the configuration") // its words would hold the key
	}
	return nil
}

// String names the client without its key.
func (c *Client) String() string {
	return fmt.Sprintf("gemini.Client{%s at %s}", c.cfg.Model, c.core.Host)
}

// GoString is String: %#v must not print the key either.
func (c *Client) GoString() string { return c.String() }

// Describe implements [llm.Describer].
func (c *Client) Describe() llm.Description { return c.core.Describe() }

// Complete implements [llm.Client].
func (c *Client) Complete(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	return c.core.Complete(ctx, req, c.attempt)
}

// attempt makes one request.
func (c *Client) attempt(ctx context.Context, t *core.Try) (*llm.Response, error) {
	body, err := c.body(t)
	if err != nil {
		return nil, c.core.Refuse(err.Error())
	}
	call := &wire.Call{Body: body}
	ctx = wire.WithCall(ctx, call)
	// The body is written by this package; the SDK supplies the rest.
	stub := genai.Text("-")
	if c.cfg.Stream || t.Req.OnDelta != nil {
		return c.stream(ctx, t.Req, stub, call)
	}
	r, err := c.api.Models.GenerateContent(ctx, c.cfg.Model, stub, nil)
	if err != nil {
		return nil, err
	}
	return c.answer(t.Req, r, call.Raw)
}
