package core

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/internal/jsonout"
	"github.com/seed-4bdb41d0/webhand/llm/internal/wire"
)

// Options are the parts of a provider's configuration that all of them have.
type Options struct {
	APIKey  string
	KeyVars []string // read when neither APIKey nor BaseURL is set
	BaseURL string
	Default string   // base URL when BaseURL is empty
	Endings []string // that people paste along with a base URL
	Dialect llm.Dialect
	Desc    llm.Description

	Timeout, Stall time.Duration
	Header         map[string]string
	DropHeader     string
	Extra          map[string]any
	HTTPClient     *http.Client
}

// Opened is what a client needs to set up its SDK.
type Opened struct {
	Base      *url.URL
	Key       string
	Extra     map[string]json.RawMessage
	Transport *wire.Transport
}

// Open checks a configuration and fills the core from it.
func (c *Core) Open(o Options) (*Opened, error) {
	if c.Model == "" {
		return nil, c.Refuse("Config.Model is empty; name the model to call")
	}
	base, err := wire.BaseURL(o.BaseURL, o.Default, o.Endings...)
	if err != nil {
		return nil, c.Refuse(err.Error())
	}
	c.Host, c.Dialect, c.Desc = base.Host, o.Dialect, o.Desc
	extra, err := jsonout.Fields(o.Extra)
	if err != nil {
		return nil, c.Refuse(err.Error())
	}
	key := strings.TrimSpace(o.APIKey)
	if o.BaseURL == "" { // a key of the environment goes to the provider only
		key = cmp.Or(key, c.keyFrom(o.KeyVars))
	}
	if key == "" { // an SDK might quote its whole configuration
		return nil, c.NoKey("Config.APIKey or " + strings.Join(o.KeyVars, " or "))
	}
	tr := &wire.Transport{
		Timeout: o.Timeout, Stall: o.Stall,
		Secrets: append([]string{key}, wire.HeaderSecrets(o.Header)...),
		Header:  maps.Clone(o.Header), DropHeader: o.DropHeader,
	}
	if o.HTTPClient != nil {
		tr.Base = o.HTTPClient.Transport
	}
	return &Opened{Base: base, Key: key, Extra: extra, Transport: tr}, nil
}

// keyFrom reads the first of the variables that is set.
func (c *Core) keyFrom(vars []string) string {
	for _, v := range vars {
		if s := strings.TrimSpace(os.Getenv(v)); s != "" {
			c.KeyHint = "the key came from " + v
			return s
		}
	}
	return ""
}
