package mcptools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/seed-4bdb41d0/webhand/llm"
)

// Transport is how a server at a URL is spoken to.
type Transport string

// The transports. The zero value tries streamable HTTP and then SSE.
const (
	StreamableHTTP Transport = "http" // since protocol version 2025-03-26
	SSE            Transport = "sse"  // of protocol version 2024-11-05
)

// Config describes a server and what of it becomes actions. Name, and one of
// Command and URL, are required.
type Config struct {
	// Name is the server's name in logs and errors. With an underscore it
	// begins the names of its actions, unless NoPrefix is set.
	Name string
	// NoPrefix leaves the names of tools as they are, as far as actions may be
	// named so.
	NoPrefix bool

	// Command starts the server as a process: program and arguments. It is
	// spoken to over its standard input and output; what it writes to standard
	// error is logged.
	Command []string
	// Env is added to the environment of the process, "KEY=value".
	Env []string
	// Dir is the directory of the process. Empty is the current one.
	Dir string

	// URL is where a server listens.
	URL string
	// Transport says how. Empty tries streamable HTTP and then SSE.
	Transport Transport
	// Header is sent with every request to the host of URL, such as
	// Authorization, and not to hosts that it redirects to.
	Header http.Header
	// HTTPClient makes the requests. Nil is one without a time limit.
	HTTPClient *http.Client

	// Only lists the tools to take, by the server's names for them. Empty
	// takes all.
	Only []string
	// Exclude lists tools not to take.
	Exclude []string
	// Domains are URL patterns: on other pages the actions are neither shown
	// nor run. Nil is every page.
	Domains []string
	// ToolDomains are Domains of single tools, by the server's names for them.
	ToolDomains map[string][]string
	// Untrusted believes nothing the server says about its tools: none counts
	// as read-only, and every one needs approval. Otherwise a tool that says
	// it is read-only is, and one that says it is destructive needs approval.
	Untrusted bool

	// Timeout bounds one call. Zero is the registry's.
	Timeout time.Duration
	// StartTimeout bounds connecting and the list of tools. Zero is 30 s.
	StartTimeout time.Duration
	// ReconnectWait is how long a call waits for a lost connection to come
	// back. Zero is 15 s.
	ReconnectWait time.Duration
	// MaxText is the most characters of one result; what is beyond is cut.
	// Zero is 50,000.
	MaxText int

	// Elicit answers questions that the server has for a person. Nil refuses
	// them, and tells the server beforehand.
	Elicit func(ctx context.Context, q Question) (Answer, error)
	// Sample lets the server use a model, such as a client's Complete. Look at
	// what it asks before it is answered. Nil refuses, and tells the server
	// beforehand.
	Sample func(ctx context.Context, req *llm.Request) (*llm.Response, error)

	// Logger hears of progress, changes and broken connections. Nil is silent.
	Logger *slog.Logger
}

// Question is something that a server asks a person.
type Question struct {
	Server  string // Config.Name
	Message string
	// Schema is the JSON Schema of the answer, an object of plain fields.
	// Empty when URL is set.
	Schema json.RawMessage
	// URL is a page to open instead of a form to fill.
	URL string
}

// Answer is what a person answers. The zero value declines.
type Answer struct {
	Accept  bool
	Content map[string]any // of the form
}

const (
	defaultStart = 30 * time.Second
	defaultWait  = 15 * time.Second
	defaultText  = 50_000
)

func (c Config) withDefaults() Config {
	if c.StartTimeout <= 0 {
		c.StartTimeout = defaultStart
	}
	if c.ReconnectWait <= 0 {
		c.ReconnectWait = defaultWait
	}
	if c.MaxText <= 0 {
		c.MaxText = defaultText
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	c.Command, c.Env = slices.Clone(c.Command), slices.Clone(c.Env)
	c.Header = c.Header.Clone()
	return c
}

func (c Config) check() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf("mcptools: "+format, args...)) }
	if c.Name == "" {
		bad("Config.Name is not set")
	}
	switch {
	case len(c.Command) > 0 && c.URL != "":
		bad("server %q: Config.Command and URL are both set", c.Name)
	case len(c.Command) == 0 && c.URL == "":
		bad("server %q: neither Config.Command nor URL is set", c.Name)
	case c.URL != "":
		if u, err := url.Parse(c.URL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			bad("server %q: Config.URL %q is no http or https address", c.Name, c.URL)
		}
	}
	if !slices.Contains([]Transport{"", StreamableHTTP, SSE}, c.Transport) {
		bad("server %q: Config.Transport is %q; want http, sse or nothing", c.Name, c.Transport)
	}
	if c.Domains != nil && len(c.Domains) == 0 {
		bad("server %q: Config.Domains is empty, not nil: the tools would be available nowhere", c.Name)
	}
	return errors.Join(errs...)
}
