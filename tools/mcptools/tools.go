package mcptools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-4bdb41d0/webhand/registry"
)

// Tool is a tool of the server.
type Tool struct {
	Name        string // the server's name for it
	Description string
	Schema      json.RawMessage // of its parameters, as the server gave it
	// What the server says about it; see Config.Untrusted.
	ReadOnly, Destructive, Idempotent bool
}

// remote is a tool by its name; what is behind it may change.
type remote struct {
	name string

	mu    sync.Mutex
	tool  offered
	there bool
}

// offered is a tool as it is offered at the moment.
type offered struct {
	Tool
	params     json.RawMessage // of the action
	wrapped    bool            // the arguments are in a field of their own
	repeatable bool            // it may be called again when its fate is not known
	err        error           // why it cannot be an action
}

func (r *remote) now() (offered, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tool, r.there
}

func (r *remote) present() bool {
	_, there := r.now()
	return there
}

// sink is a registry that has the tools.
type sink struct {
	reg   *registry.Registry
	names map[string]string // action by tool
}

// ToolError is a tool that did not become an action.
type ToolError struct {
	Server, Tool string
	Err          error
}

// Error names the tool and why.
func (e *ToolError) Error() string {
	return fmt.Sprintf("mcptools: tool %q of server %q: %v", e.Tool, e.Server, e.Err)
}

// Unwrap returns why.
func (e *ToolError) Unwrap() error { return e.Err }

// Tools lists what the server offers at the moment and the filters let
// through.
func (c *Client) Tools() []Tool {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make([]Tool, 0, len(c.order))
	for _, name := range c.order {
		t, _ := c.remote[name].now()
		out = append(out, t.Tool)
	}
	return out
}

// AddTo registers every tool as an action and returns the names of the
// actions. Tools that cannot be actions are left out, and the error joins a
// [*ToolError] for each, and for each name in the filters that the server does
// not have; the other tools are registered all the same. A name that is taken
// gets a number.
//
// The registry is kept up to date as long as the client lives: tools that come
// later are added, those that change are replaced, and those that are gone are
// hidden where the server says that its list may change. An agent works with a
// copy of its registry that is made when the agent is: it loses tools, too, but
// does not get new ones.
func (c *Client) AddTo(r *registry.Registry) ([]string, error) {
	if r == nil {
		return nil, errors.New("mcptools: the registry is nil")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &sink{reg: r, names: make(map[string]string)}
	var names []string
	var errs []error
	for _, tool := range c.order {
		name, err := c.put(s, c.remote[tool], false)
		if err != nil {
			errs = append(errs, &ToolError{c.cfg.Name, tool, err})
			continue
		}
		names = append(names, name)
	}
	asked := slices.Concat(c.cfg.Only, c.cfg.Exclude, slices.Sorted(maps.Keys(c.cfg.ToolDomains)))
	for _, name := range asked {
		if !c.has[name] {
			errs = append(errs, &ToolError{c.cfg.Name, name, errors.New("the server has no tool of that name")})
		}
	}
	c.sinks = append(c.sinks, s)
	return names, errors.Join(errs...)
}

// put registers a tool, or what became of it.
func (c *Client) put(s *sink, r *remote, replace bool) (string, error) {
	t, _ := r.now()
	if t.err != nil {
		return "", t.err
	}
	spec := c.spec(t)
	if c.mayChange() {
		spec.When = func(registry.Page) bool { return r.present() }
	}
	run := func(ctx context.Context, args json.RawMessage) (*registry.Result, error) { return c.run(ctx, r, args) }
	if name, ok := s.names[r.name]; ok && replace {
		spec.Name = name
		return name, s.reg.ReplaceRaw(spec, t.params, run)
	}
	base := c.actionName(r.name)
	for n := 1; n < 100; n++ {
		spec.Name = numbered(base, n)
		err := s.reg.AddRaw(spec, t.params, run)
		if errors.Is(err, registry.ErrDuplicateAction) {
			continue
		}
		if err == nil {
			s.names[r.name] = spec.Name
		}
		return spec.Name, err
	}
	return "", fmt.Errorf("the name %s and all that resemble it are taken: %w", base, registry.ErrDuplicateAction)
}

func (c *Client) mayChange() bool {
	if c.session == nil {
		return true // it is not known
	}
	res := c.session.InitializeResult()
	return res != nil && res.Capabilities != nil && res.Capabilities.Tools != nil && res.Capabilities.Tools.ListChanged
}

// spec describes a tool to the model and to the loop.
func (c *Client) spec(t offered) registry.Spec {
	s := registry.Spec{
		Description: strings.TrimSpace(t.Description), Timeout: c.cfg.Timeout, Domains: c.cfg.Domains,
		ReadOnly: t.ReadOnly, NeedsApproval: t.Destructive,
	}
	if s.Description == "" {
		s.Description = fmt.Sprintf("The tool %s of the server %s.", t.Name, c.cfg.Name)
	}
	s.Description = cut(s.Description, maxDescription)
	if d, ok := c.cfg.ToolDomains[t.Name]; ok {
		s.Domains = d
	}
	if c.cfg.Untrusted {
		s.ReadOnly, s.NeedsApproval = false, true
	}
	return s
}

// maxDescription bounds, in characters, what a server says about a tool.
const maxDescription = 4000

// list reads all tools, page by page, and brings the registries up to date.
func (c *Client) list(ctx context.Context, cs *sdk.ClientSession) error {
	var order []string
	found, has := make(map[string]offered), make(map[string]bool)
	for t, err := range cs.Tools(ctx, nil) {
		if err != nil {
			return fmt.Errorf("list tools: %w", err)
		}
		if len(has) >= maxTools {
			return fmt.Errorf("list tools: the server has more than %d", maxTools)
		}
		if t == nil {
			continue
		}
		if has[t.Name] = true; !c.wanted(t.Name) {
			continue
		}
		if _, twice := found[t.Name]; !twice {
			order = append(order, t.Name)
		}
		found[t.Name] = c.offer(t)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, r := range c.remote {
		if _, ok := found[name]; !ok {
			r.mu.Lock()
			r.there = false
			r.mu.Unlock()
		}
	}
	for _, name := range order {
		r, known := c.remote[name]
		if !known {
			r = &remote{name: name}
			c.remote[name] = r
		}
		old, _ := r.now()
		r.mu.Lock()
		r.tool, r.there = found[name], true
		r.mu.Unlock()
		if known && same(old, found[name]) {
			continue
		}
		for _, s := range c.sinks {
			if _, err := c.put(s, r, true); err != nil {
				c.log.Warn("mcptools: a tool that changed is no action", "tool", name, "err", err)
			}
		}
	}
	c.order, c.has = order, has
	return nil
}

// maxTools bounds the list of a server that never ends.
const maxTools = 10_000

func (c *Client) wanted(name string) bool {
	return (len(c.cfg.Only) == 0 || slices.Contains(c.cfg.Only, name)) && !slices.Contains(c.cfg.Exclude, name)
}

func same(a, b offered) bool {
	return a.Description == b.Description && string(a.params) == string(b.params) &&
		a.ReadOnly == b.ReadOnly && a.Destructive == b.Destructive && (a.err == nil) == (b.err == nil)
}

// offer reads a tool of the protocol.
func (c *Client) offer(t *sdk.Tool) offered {
	out := offered{Tool: Tool{Name: t.Name, Description: t.Description}}
	if a := t.Annotations; a != nil {
		out.ReadOnly, out.Idempotent = a.ReadOnlyHint, a.IdempotentHint
		// The protocol's default is destructive; only what a server says counts.
		out.Destructive = !a.ReadOnlyHint && a.DestructiveHint != nil && *a.DestructiveHint
	}
	out.repeatable = !c.cfg.Untrusted && (out.ReadOnly || out.Idempotent)
	if out.Description == "" {
		out.Description = t.Title
	}
	if t.InputSchema != nil {
		if out.Schema, out.err = json.Marshal(t.InputSchema); out.err != nil {
			return out
		}
	}
	out.params, out.wrapped, out.err = paramsOf(out.Schema)
	return out
}
