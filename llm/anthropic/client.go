package anthropic

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	api "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/internal/core"
	"github.com/seed-4bdb41d0/webhand/llm/internal/ladder"
	"github.com/seed-4bdb41d0/webhand/llm/internal/wire"
)

// defaultMaxTokens caps answers when nobody does.
const defaultMaxTokens = 8192

// Client calls one model. It is safe for concurrent use and learns what the
// endpoint accepts, so make one and share it.
type Client struct {
	core  core.Core
	cfg   Config
	extra map[string]json.RawMessage
	api   api.MessageService
}

// New returns a client for c. It makes no request; a configuration that cannot
// work is reported by the first call, as an [*llm.Error].
func New(c Config) *Client {
	cl := &Client{cfg: c}
	cl.core.Provider, cl.core.Model = "anthropic", c.Model
	cl.core.Broken = cl.setUp()
	return cl
}

func (c *Client) setUp() error {
	o, err := c.core.Open(core.Options{
		APIKey: c.cfg.APIKey, KeyVars: []string{"ANTHROPIC_API_KEY"},
		BaseURL: c.cfg.BaseURL, Default: "https://api.anthropic.com", Endings: []string{"/v1/messages", "/v1"},
		Dialect: cmp.Or(c.cfg.Dialect, llm.Anthropic),
		Desc:    llm.Description{Vision: c.cfg.Vision, ContextWindow: c.cfg.ContextWindow},
		Timeout: c.cfg.Timeout, Stall: c.cfg.Stall, Header: c.cfg.Header, Extra: c.cfg.Extra, HTTPClient: c.cfg.HTTPClient,
		DropHeader: "X-Stainless-", // in which the SDK describes the machine
	})
	if err != nil {
		return err
	}
	c.extra = o.Extra
	c.core.Ladder = ladder.New(
		[]string{llm.RungSchema, llm.RungTool, llm.RungAutoTool, llm.RungPrompt},
		c.start(), "seed")
	// One request is one request: retrying is for llm.Retry, which can be
	// configured and seen. The SDK would look around in the environment.
	c.api = api.NewClient(
		option.WithoutEnvironmentDefaults(), option.WithoutOpenTelemetry(),
		option.WithBaseURL(o.Base.String()), option.WithAPIKey(o.Key),
		option.WithHTTPClient(o.Transport.Client()), option.WithMaxRetries(0),
	).Messages
	return nil
}

func (c *Client) start() string {
	switch {
	case c.cfg.Start != "":
		return c.cfg.Start
	case c.cfg.ThinkingBudget > 0, strings.Contains(c.cfg.Model, "fable"), strings.Contains(c.cfg.Model, "mythos"):
		return llm.RungAutoTool // a model that thinks cannot be forced to call
	}
	return llm.RungTool
}

// String names the client without its key.
func (c *Client) String() string {
	return fmt.Sprintf("anthropic.Client{%s at %s}", c.cfg.Model, c.core.Host)
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
	stream := c.cfg.Stream || t.Req.OnDelta != nil
	body, err := c.body(t, stream)
	if err != nil {
		return nil, c.core.Refuse(err.Error())
	}
	call := &wire.Call{Body: body}
	ctx = wire.WithCall(ctx, call)
	// The body is written by this package; the SDK supplies the rest.
	stub := api.MessageNewParams{Model: api.Model(c.cfg.Model), MaxTokens: 1}
	if stream {
		return c.stream(ctx, t.Req, stub, call)
	}
	m, err := c.api.New(ctx, stub)
	if err != nil {
		return nil, err
	}
	return c.answer(t.Req, m, call.Raw)
}
