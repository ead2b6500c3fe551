package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/llm"
)

// GroupConfig describes a [Group]. The zero value runs four agents at a time
// in one headless Chrome of the group's own.
type GroupConfig struct {
	// Browser is the Chrome that the agents share, each in a browser context of
	// its own. It is left open. Nil launches one with BrowserConfig when the
	// first agent needs it, and closes it in Wait.
	Browser       *browser.Browser
	BrowserConfig browser.Config
	// Concurrency is how many agents run at a time; 0 is 4.
	Concurrency int
	// Budget ends all runs with [ErrBudget] when the agents together have
	// spent it; zero does not.
	Budget llm.Limits
}

// Group runs many agents in one Chrome, a few at a time. The first failure that
// would meet the others too (a bad key, an exhausted quota or budget, a lost
// browser) stops all of them; one agent's failed task does not.
type Group struct {
	cfg    GroupConfig
	ctx    context.Context //nolint:containedctx // the life of the group, as in errgroup
	cancel context.CancelCauseFunc
	wg     sync.WaitGroup
	meter  llm.Meter
	budget *llm.Budget

	mu       sync.Mutex
	waiting  []func() // tasks that have no room yet, in the order of Go
	running  int
	results  []*GroupResult
	browser  *browser.Browser
	launched bool
	err      error
}

// GroupResult is what became of one task of a group.
type GroupResult struct {
	Task    string
	History *History
	Err     error
}

// NewGroup returns a group whose agents end when ctx does.
func NewGroup(ctx context.Context, cfg GroupConfig) *Group {
	orInt(&cfg.Concurrency, 4)
	g := &Group{cfg: cfg, browser: cfg.Browser, budget: llm.NewBudget(cfg.Budget)}
	g.meter.Table = cfg.Budget.Table
	g.ctx, g.cancel = context.WithCancelCause(ctx)
	return g
}

// Go starts an agent for a task as soon as there is room. cfg.Browser is set by
// the group unless it is set already. Settings that name files must differ
// between agents.
func (g *Group) Go(task string, cfg Config) {
	r := &GroupResult{Task: task, History: &History{}}
	g.wg.Add(1)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.results = append(g.results, r)
	g.waiting = append(g.waiting, func() {
		defer g.wg.Done()
		if r.Err = context.Cause(g.ctx); r.Err == nil {
			r.Err = g.one(r, cfg)
		}
		if r.Err != nil && g.ctx.Err() == nil && (fatal(r.Err) || browserGone(r.Err)) {
			g.fail(fmt.Errorf("agent: group: task %q: %w", oneLine(r.Task, 80), r.Err))
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		g.running--
		g.startLocked()
	})
	g.startLocked()
}

// startLocked starts waiting tasks in their order while there is room.
func (g *Group) startLocked() {
	for g.running < g.cfg.Concurrency && len(g.waiting) > 0 {
		task := g.waiting[0]
		g.waiting = g.waiting[1:]
		g.running++
		go task()
	}
}

func (g *Group) one(r *GroupResult, cfg Config) (err error) {
	if cfg.Browser == nil {
		b, err := g.chrome()
		if err != nil {
			return err
		}
		s, err := b.NewSession(g.ctx, cfg.BrowserConfig)
		if err != nil {
			return fmt.Errorf("agent: group: %w", err)
		}
		defer func() { err = errors.Join(err, s.Close()) }()
		cfg.Browser = s
	}
	cfg.KeepBrowser = false
	cfg.group = g
	r.History, err = Run(g.ctx, r.Task, cfg)
	return err
}

// chrome returns the shared browser, launching it for the first agent.
func (g *Group) chrome() (*browser.Browser, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.browser == nil {
		b, err := browser.Launch(g.ctx, g.cfg.BrowserConfig)
		if err != nil {
			// Whoever comes next would fail the same way.
			g.failLocked(fmt.Errorf("agent: group: %w", err))
			return nil, err
		}
		g.browser, g.launched = b, true
	}
	return g.browser, nil
}

func (g *Group) fail(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.failLocked(err)
}

func (g *Group) failLocked(err error) {
	if g.err == nil {
		g.err = err
		g.cancel(err)
	}
}

// wrap makes an agent's model count against the group.
func (g *Group) wrap(c llm.Client) llm.Client { return g.meter.Wrap(g.budget.Wrap(c)) }

// Usage is what all agents took so far.
func (g *Group) Usage() Usage { return usageOf(&g.meter, Usage{}) }

// Stop ends all runs with [ErrStopped].
func (g *Group) Stop() { g.fail(ErrStopped) }

// Wait waits for all agents and closes the group's own browser. It returns what
// became of each task, in the order of Go, and the failure that stopped the
// group, if one did. No agent may be added after it.
func (g *Group) Wait() ([]*GroupResult, error) {
	g.wg.Wait()
	g.cancel(nil)
	g.mu.Lock()
	defer g.mu.Unlock()
	err := g.err
	if g.launched {
		err = errors.Join(err, g.browser.Close())
		g.launched, g.browser = false, nil
	}
	return g.results, err
}
