package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"

	api "github.com/sashabaranov/go-openai"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/internal/ladder"
	"github.com/seed-4bdb41d0/webhand/llm/internal/prompt"
	"github.com/seed-4bdb41d0/webhand/llm/internal/wire"
)

// Client calls one model at one endpoint. It is safe for concurrent use and
// learns what the endpoint accepts, so make one and share it.
type Client struct {
	cfg      Config
	endpoint Endpoint
	known    bool // the endpoint is in the table
	host     string
	profile  Profile
	dialect  llm.Dialect
	extra    map[string]json.RawMessage
	secrets  []string
	api      *api.Client
	ladder   *ladder.Ladder
	checked  prompt.Checked
	broken   error // what is wrong with the configuration
}

// New returns a client for c. It makes no request; a configuration that cannot
// work is reported by the first call, as an [*llm.Error].
func New(c Config) *Client {
	cl := &Client{cfg: c}
	cl.broken = cl.setUp()
	return cl
}

const openAIBase = "https://api.openai.com/v1"

func (c *Client) setUp() error {
	if c.cfg.Model == "" {
		return c.refuse("Config.Model is empty; name the model to call")
	}
	base, err := baseURL(c.cfg.BaseURL)
	if err != nil {
		return c.refuse(err.Error())
	}
	c.host = base.Host
	c.endpoint = lookup(base)
	c.known = c.endpoint.Host != ""
	azure := c.endpoint.Name == "azure" || c.cfg.Azure != (Azure{})
	if azure {
		c.endpoint.Name = "azure"
		c.endpoint.NoKey = false
		c.endpoint.Profile = c.endpoint.Profile.over(Profile{TokenParam: "max_completion_tokens"})
	}
	c.profile = profile(c.cfg, c.endpoint)
	c.dialect = dialect(c.cfg, c.endpoint)
	if c.extra, err = marshalExtra(c.cfg.Extra); err != nil {
		return c.refuse(err.Error())
	}
	key := c.key()
	c.secrets = []string{key, c.cfg.Azure.Token}
	for _, v := range c.cfg.Header {
		if len(v) >= 12 { // may be a credential of a proxy's
			c.secrets = append(c.secrets, v)
		}
	}
	if p, ok := base.User.Password(); ok {
		c.secrets = append(c.secrets, p)
	}
	if key == "" && c.cfg.Azure.Token == "" && !c.endpoint.NoKey {
		return &llm.Error{
			Kind: llm.ErrAuth, Provider: c.endpoint.Name, Model: c.cfg.Model,
			Message: fmt.Sprintf("no API key for %s; set Config.APIKey or %s", c.host, strings.Join(c.endpoint.KeyVars, " or ")),
		}
	}
	c.api = c.connect(base, key, azure)
	c.ladder = ladder.New(
		[]string{llm.RungSchema, llm.RungTool, llm.RungAutoTool, llm.RungObject, llm.RungPrompt},
		c.profile.Start, c.without()...)
	return nil
}

// key returns the configured key or the one in the endpoint's own variable.
func (c *Client) key() string {
	if c.cfg.APIKey != "" {
		return strings.TrimSpace(c.cfg.APIKey)
	}
	for _, v := range c.endpoint.KeyVars {
		if s := strings.TrimSpace(os.Getenv(v)); s != "" {
			return s
		}
	}
	return ""
}

// without lists the settings that the tables say the model does not take.
func (c *Client) without() []string {
	var out []string
	if c.profile.Vision == llm.No {
		out = append(out, ladder.Images)
	}
	if c.profile.Sampling == llm.No {
		out = append(out, "temperature", "top_p")
	}
	if c.profile.Effort == llm.No {
		out = append(out, "reasoning_effort")
	}
	return out
}

// connect builds the go-openai client over our transport.
func (c *Client) connect(base *url.URL, key string, azure bool) *api.Client {
	cfg := api.DefaultConfig(key)
	// The user in a URL is for a proxy; net/http turns it into a header only
	// when no Authorization is set, so it can stay.
	cfg.BaseURL = base.String()
	cfg.EmptyMessagesLimit = 1 << 20 // keep-alive lines while a model thinks
	tr := &wire.Transport{
		Timeout: c.cfg.Timeout, Stall: c.cfg.Stall,
		Secrets: c.secrets, Header: c.cfg.Header,
		Normalize: normalize,
	}
	if c.cfg.HTTPClient != nil {
		tr.Base = c.cfg.HTTPClient.Transport
	}
	if azure {
		c.azure(&cfg, base, tr)
	}
	cfg.HTTPClient = tr.Client()
	return api.NewClientWithConfig(cfg)
}

// azure sets what is particular to Azure: the deployment in the path and the
// key in a header of its own. Azure's newer /openai/v1 paths have neither
// deployment nor version.
func (c *Client) azure(cfg *api.ClientConfig, base *url.URL, tr *wire.Transport) {
	az := c.cfg.Azure
	if strings.Contains(base.Path, "/openai/v1") {
		if az.Token == "" { // go-openai sends the key as a bearer token here
			tr.Header = merged(tr.Header, api.AzureAPIKeyHeader, c.secrets[0])
		} else {
			*cfg = withToken(*cfg, az.Token)
		}
		return
	}
	u := *base
	if i := strings.Index(u.Path, "/openai"); i >= 0 { // a pasted deployment URL
		u.Path = u.Path[:i]
	}
	u.Path = strings.TrimSuffix(u.Path, "/v1")
	token := az.Token
	httpClient := cfg.HTTPClient
	limit := cfg.EmptyMessagesLimit
	if token != "" {
		*cfg = api.DefaultAzureConfig(token, u.String())
		cfg.APIType = api.APITypeAzureAD
	} else {
		*cfg = api.DefaultAzureConfig(c.secrets[0], u.String())
	}
	cfg.HTTPClient, cfg.EmptyMessagesLimit = httpClient, limit
	cfg.APIVersion = az.APIVersion
	if cfg.APIVersion == "" {
		cfg.APIVersion = "2024-12-01-preview"
	}
	cfg.AzureModelMapperFunc = func(model string) string {
		if az.Deployment != "" {
			return url.PathEscape(az.Deployment)
		}
		return url.PathEscape(model)
	}
}

func withToken(cfg api.ClientConfig, token string) api.ClientConfig {
	out := api.DefaultConfig(token)
	out.BaseURL, out.EmptyMessagesLimit = cfg.BaseURL, cfg.EmptyMessagesLimit
	return out
}

func merged(h map[string]string, k, v string) map[string]string {
	out := map[string]string{k: v}
	for name, value := range h {
		out[name] = value
	}
	return out
}

// baseURL reads a base URL and forgives what people paste.
func baseURL(s string) (*url.URL, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		s = openAIBase
	}
	u, err := url.Parse(s)
	if err != nil {
		return nil, errors.New("Config.BaseURL is not a URL")
	}
	if (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, fmt.Errorf("Config.BaseURL %q needs a scheme and a host, such as https://api.openai.com/v1", u.Redacted())
	}
	u.Path = strings.TrimRight(u.Path, "/")
	u.Path = strings.TrimSuffix(u.Path, "/chat/completions")
	if u.Path == "" && u.Hostname() == "api.openai.com" {
		u.Path = "/v1"
	}
	u.RawQuery, u.Fragment = "", ""
	return u, nil
}

func redactURL(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return "[not a URL]"
	}
	u.RawQuery = ""
	return u.Redacted()
}

// String names the client without its key.
func (c *Client) String() string {
	return fmt.Sprintf("openai.Client{%s %s at %s}", c.endpoint.Name, c.cfg.Model, c.host)
}

// GoString is String: %#v must not print the key either.
func (c *Client) GoString() string { return c.String() }

// Describe implements [llm.Describer].
func (c *Client) Describe() llm.Description {
	d := llm.Description{
		Provider: c.endpoint.Name, Model: c.cfg.Model, Endpoint: c.host,
		ContextWindow: c.profile.ContextWindow, Vision: c.profile.Vision,
	}
	return prompt.Complete(d)
}

// Complete implements [llm.Client].
func (c *Client) Complete(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	if c.broken != nil {
		return nil, c.broken
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("llm: %s: %w", c.endpoint.Name, context.Cause(ctx))
	}
	if err := prompt.Fits(req, c.Describe()); err != nil {
		return nil, c.fill(err)
	}
	resp, err := c.ladder.Run(req.Format != nil, func(p *ladder.Plan) (*llm.Response, error) {
		resp, err := c.attempt(ctx, req, p)
		if err != nil {
			return nil, c.fill(err)
		}
		return resp, nil
	})
	if err != nil {
		return nil, c.fill(err)
	}
	return resp, nil
}

// attempt makes one request.
func (c *Client) attempt(ctx context.Context, req *llm.Request, p *ladder.Plan) (*llm.Response, error) {
	var schema []byte
	strict := false
	if req.Format != nil {
		var err error
		if schema, strict, err = c.checked.Schema(req.Format, c.dialect); err != nil {
			return nil, c.refuse(err.Error())
		}
	}
	stream := c.cfg.Stream || req.OnDelta != nil
	body, err := c.body(req, p, schema, strict, stream)
	if err != nil {
		return nil, err
	}
	call := &wire.Call{Body: body}
	ctx = wire.WithCall(ctx, call)
	// go-openai judges a request by its model's name and would refuse some
	// that the endpoint takes; the body it is given says no more than that.
	stub := api.ChatCompletionRequest{Model: c.cfg.Model}
	if stream {
		return c.stream(ctx, req, stub, p, call)
	}
	resp, err := c.api.CreateChatCompletion(ctx, stub)
	if err != nil {
		return nil, c.typed(ctx, req, err)
	}
	return c.answer(req, p, &resp, call)
}

// typed turns what came back through go-openai into our own error.
func (c *Client) typed(ctx context.Context, req *llm.Request, err error) error {
	var e *llm.Error
	if errors.As(err, &e) {
		return e
	}
	if ctx.Err() != nil {
		return fmt.Errorf("llm: %s %s: %w", c.endpoint.Name, c.cfg.Model, context.Cause(ctx))
	}
	return &llm.Error{Kind: llm.ErrServer, Message: "the answer cannot be decoded: " + err.Error(), Err: err}
}

// fill puts the provider and the model into an error.
func (c *Client) fill(err error) error {
	var e *llm.Error
	if !errors.As(err, &e) {
		return err
	}
	if e.Provider == "" {
		e.Provider, e.Model = c.endpoint.Name, c.cfg.Model
	}
	if e.Status == http.StatusUnauthorized && !strings.Contains(e.Message, "Config.APIKey") {
		e.Message += c.keyHint()
	}
	return e
}

func (c *Client) keyHint() string {
	if c.cfg.APIKey == "" && len(c.endpoint.KeyVars) > 0 {
		return fmt.Sprintf(" (the key came from %s)", strings.Join(c.endpoint.KeyVars, " or "))
	}
	if c.cfg.APIKey == "" {
		return " (no Config.APIKey is set)"
	}
	return ""
}

func (c *Client) refuse(message string) *llm.Error {
	return &llm.Error{Kind: llm.ErrBadRequest, Provider: "openai", Model: c.cfg.Model, Message: message, Permanent: true}
}
