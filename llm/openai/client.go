package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"strings"

	api "github.com/sashabaranov/go-openai"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/internal/core"
	"github.com/seed-4bdb41d0/webhand/llm/internal/jsonout"
	"github.com/seed-4bdb41d0/webhand/llm/internal/ladder"
	"github.com/seed-4bdb41d0/webhand/llm/internal/wire"
)

// Client calls one model at one endpoint. It is safe for concurrent use and
// learns what the endpoint accepts, so make one and share it.
type Client struct {
	core     core.Core
	cfg      Config
	endpoint Endpoint
	known    bool // the endpoint is in the table
	profile  Profile
	extra    map[string]json.RawMessage
	key      string
	secrets  []string
	api      *api.Client
}

// New returns a client for c. It makes no request; a configuration that cannot
// work is reported by the first call, as an [*llm.Error].
func New(c Config) *Client {
	cl := &Client{cfg: c}
	cl.core.Provider, cl.core.Model = "openai", c.Model
	cl.core.Broken = cl.setUp()
	return cl
}

const openAIBase = "https://api.openai.com/v1"

func (c *Client) setUp() error {
	if c.cfg.Model == "" {
		return c.core.Refuse("Config.Model is empty; name the model to call")
	}
	base, err := wire.BaseURL(c.cfg.BaseURL, openAIBase, "/chat/completions")
	if err != nil {
		return c.core.Refuse(err.Error())
	}
	c.endpoint = lookup(base)
	if base.Path == "" && c.endpoint.BaseURL != "" { // the bare host of a known endpoint
		known, err := url.Parse(c.endpoint.BaseURL)
		if err != nil {
			return c.core.Refuse(err.Error())
		}
		base.Path = known.Path
	}
	c.known = c.endpoint.Host != ""
	azure := c.endpoint.Name == "azure" || c.cfg.Azure != (Azure{})
	if azure {
		c.endpoint.Name, c.endpoint.NoKey = "azure", false
		c.endpoint.Profile.TokenParam = "max_completion_tokens"
	}
	c.profile = profile(c.cfg, c.endpoint)
	if c.extra, err = jsonout.Fields(c.cfg.Extra); err != nil {
		return c.core.Refuse(err.Error())
	}
	c.core.Provider, c.core.Host = c.endpoint.Name, base.Host
	c.core.Dialect = dialect(c.cfg, c.endpoint)
	c.core.Desc = llm.Description{ContextWindow: c.profile.ContextWindow, Vision: c.profile.Vision}
	c.findKey()
	c.secrets = append([]string{c.key, c.cfg.Azure.Token}, wire.HeaderSecrets(c.cfg.Header)...)
	if p, ok := base.User.Password(); ok {
		c.secrets = append(c.secrets, p)
	}
	if c.key == "" && c.cfg.Azure.Token == "" && !c.endpoint.NoKey {
		return c.core.NoKey(strings.Join(append([]string{"Config.APIKey"}, c.endpoint.KeyVars...), " or "))
	}
	c.api = c.connect(base, azure)
	c.core.Ladder = ladder.New(
		[]string{llm.RungSchema, llm.RungTool, llm.RungAutoTool, llm.RungObject, llm.RungPrompt},
		c.profile.Start, c.without()...)
	return nil
}

// findKey takes the configured key or the one in the endpoint's own variable.
func (c *Client) findKey() {
	if c.key = strings.TrimSpace(c.cfg.APIKey); c.key != "" {
		return
	}
	for _, v := range c.endpoint.KeyVars {
		if c.key = strings.TrimSpace(os.Getenv(v)); c.key != "" {
			c.core.KeyHint = "the key came from " + v
			return
		}
	}
	c.core.KeyHint = "no Config.APIKey is set"
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
func (c *Client) connect(base *url.URL, azure bool) *api.Client {
	tr := &wire.Transport{
		Timeout: c.cfg.Timeout, Stall: c.cfg.Stall,
		Secrets: c.secrets, Header: c.cfg.Header,
		Normalize: normalize,
	}
	if c.cfg.HTTPClient != nil {
		tr.Base = c.cfg.HTTPClient.Transport
	}
	cfg := api.DefaultConfig(c.key)
	cfg.BaseURL = base.String()
	if azure {
		cfg = c.azure(base, tr)
	}
	cfg.EmptyMessagesLimit = 1 << 20 // keep-alive lines while a model thinks
	cfg.HTTPClient = tr.Client()
	return api.NewClientWithConfig(cfg)
}

// azure is the configuration for Azure: the deployment in the path and the key
// in a header of its own. The newer /openai/v1 paths have neither deployment
// nor version.
func (c *Client) azure(base *url.URL, tr *wire.Transport) api.ClientConfig {
	az := c.cfg.Azure
	if strings.Contains(base.Path, "/openai/v1") {
		cfg := api.DefaultConfig(az.Token)
		cfg.BaseURL = base.String()
		if az.Token == "" {
			tr.Header = maps.Clone(tr.Header)
			if tr.Header == nil {
				tr.Header = map[string]string{}
			}
			tr.Header[api.AzureAPIKeyHeader] = c.key
		}
		return cfg
	}
	u := *base
	if i := strings.Index(u.Path, "/openai"); i >= 0 { // a pasted deployment URL
		u.Path = u.Path[:i]
	}
	u.Path = strings.TrimSuffix(u.Path, "/v1")
	cfg := api.DefaultAzureConfig(c.key, u.String())
	if az.Token != "" {
		cfg = api.DefaultAzureConfig(az.Token, u.String())
		cfg.APIType = api.APITypeAzureAD
	}
	cfg.APIVersion = cmp.Or(az.APIVersion, "2024-12-01-preview")
	cfg.AzureModelMapperFunc = func(model string) string { return url.PathEscape(cmp.Or(az.Deployment, model)) }
	return cfg
}

// String names the client without its key.
func (c *Client) String() string {
	return fmt.Sprintf("openai.Client{%s %s at %s}", c.core.Provider, c.cfg.Model, c.core.Host)
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
	// go-openai judges a request by its model's name and would refuse some
	// that the endpoint takes; the body it is given says no more than that.
	stub := api.ChatCompletionRequest{Model: c.cfg.Model}
	if stream {
		return c.stream(ctx, t.Req, stub, call)
	}
	resp, err := c.api.CreateChatCompletion(ctx, stub)
	if err != nil {
		return nil, err
	}
	return c.answer(t.Req, &resp, call)
}
