package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/seed-4bdb41d0/webhand/agent"
	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// Config sets up a [Server]. The zero value serves the built-in actions in a
// headless Chrome that is launched when it is first needed, without anything
// that needs a language model.
type Config struct {
	// Browser is the Chrome that sessions are opened in. It is left open. Nil
	// launches one with BrowserConfig, or attaches to its RemoteURL, as long
	// as there are sessions.
	Browser *browser.Browser
	// BrowserConfig describes Chrome and every session in it: viewport,
	// policy, storage. Its CallTimeout also bounds a whole look at a page.
	BrowserConfig browser.Config
	// Profile works in Chrome's own context, with the logins of its profile,
	// instead of a context of its own for each connection. Every connection
	// then launches, or attaches to, the Chrome of BrowserConfig by itself, so
	// a launched one with a UserDataDir takes one connection at a time.
	Profile bool

	// Tools are the actions that are served, besides the server's own tools.
	// Nil is tools.New. The registry is cloned.
	Tools *registry.Registry
	// Deps are the caller's own objects for actions that ask for them by type.
	Deps registry.Deps
	// LLM reads pages for the extract tool and decides in run_task. Without
	// one neither is offered.
	LLM llm.Client
	// Agent is what the agents of run_task start from: prompt, limits, vision,
	// memory. LLM, browser, tools and secrets are set by the server where they
	// are not set here.
	Agent agent.Config
	// MaxSteps is the most steps of a run_task, whatever the client asks for.
	// Zero is 100.
	MaxSteps int
	// ReadOnly offers only what changes nothing, and going from page to page.
	ReadOnly bool
	// Approve is asked before every action that is not marked read-only, also
	// those of run_task, by several clients at a time. Its error refuses the
	// action and is told to the client. Nil allows all but actions marked Spec.NeedsApproval, which then
	// are refused.
	Approve func(ctx context.Context, action string, args json.RawMessage) error

	// Dir is a folder in which every session gets one for the files that its
	// actions write. It is kept. Empty are temporary folders, which end with
	// their session.
	Dir string
	// FilePaths are files of this machine that clients may read and upload.
	FilePaths []string
	// Secrets are values that clients may use by name and never see.
	Secrets []registry.Secret

	// Idle is how long a session may be unused before it is closed. Zero is 10
	// minutes, negative keeps it as long as its connection.
	Idle time.Duration
	// MaxSessions is the most sessions at a time. Zero is 64.
	MaxSessions int
	// ManageAll lets every client see and close the sessions of all. Otherwise
	// each has its own only.
	ManageAll bool
	// ListAliases lists the names that other browser servers use for the same
	// tools as well. They are understood anyway.
	ListAliases bool

	// Token is what clients over HTTP send as "Authorization: Bearer ...".
	// Without one every program of this machine may connect.
	Token string
	// Hosts are further names under which the server is addressed over HTTP.
	// Loopback names and addresses always are.
	Hosts []string
	// Origins are web pages that may connect, such as "https://app.test".
	Origins []string

	// Version is told to clients. Empty is "1".
	Version string
	// Logger hears of what goes wrong. Nil is silent.
	Logger *slog.Logger
}

// minToken is the length in characters below which a token is a mistake.
const minToken = 8

func (c Config) withDefaults() Config {
	if c.MaxSteps <= 0 {
		c.MaxSteps = 100
	}
	if c.Idle == 0 {
		c.Idle = 10 * time.Minute
	}
	if c.MaxSessions <= 0 {
		c.MaxSessions = 64
	}
	if c.Version == "" {
		c.Version = "1"
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Agent.LLM == nil {
		c.Agent.LLM = c.LLM
	}
	if c.LLM == nil {
		c.LLM = c.Agent.LLM
	}
	return c
}

func (c Config) check() error {
	var errs []error
	if c.Token != "" && len(c.Token) < minToken {
		errs = append(errs, fmt.Errorf("mcpserver: Config.Token has fewer than %d characters", minToken))
	}
	if c.Profile && c.Browser != nil {
		errs = append(errs, errors.New("mcpserver: Config.Profile opens browsers of its own; leave Config.Browser nil and set BrowserConfig.UserDataDir or RemoteURL"))
	}
	if c.Agent.Browser != nil || c.Agent.State != nil {
		errs = append(errs, errors.New("mcpserver: Config.Agent.Browser and State belong to one run; leave them nil"))
	}
	if err := c.BrowserConfig.Policy.Check(); err != nil {
		errs = append(errs, fmt.Errorf("mcpserver: Config.BrowserConfig: %w", err))
	}
	return errors.Join(errs...)
}
