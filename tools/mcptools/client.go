package mcptools

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The waits between attempts to connect again.
const (
	firstWait = 200 * time.Millisecond
	mostWait  = 30 * time.Second
)

// ErrClosed is returned by calls after Close.
var ErrClosed = errors.New("mcptools: the client is closed")

// ErrNotConnected is matched by the errors of calls while the connection is
// lost.
var ErrNotConnected = errors.New("not connected")

// Client is a connection to one server, made again whenever it breaks. It is
// safe for concurrent use.
type Client struct {
	cfg Config
	log *slog.Logger
	sdk *sdk.Client

	mu      sync.Mutex
	session *sdk.ClientSession // nil while the connection is lost
	up      chan struct{}      // closed while it is there
	why     error              // the last failure to connect
	remote  map[string]*remote // tools by the server's names, also those that are gone
	order   []string           // of the tools that are there
	has     map[string]bool    // what the server has, whatever the filters say
	sinks   []*sink            // registries that have them

	calls   atomic.Int64
	changed chan struct{} // the list of tools changed
	broken  chan *sdk.ClientSession
	done    chan struct{} // Close was called
	stop    context.CancelFunc
	ctx     context.Context // of what is done without a caller; ends with Close
	ended   sync.WaitGroup
	once    sync.Once
	err     error
	hangUp  context.CancelFunc // of the connection; used by keep, and before it runs
}

// Connect starts or reaches the server and lists its tools. ctx bounds the
// start only; Close ends the connection, and the process if there is one.
func Connect(ctx context.Context, cfg Config) (*Client, error) {
	cfg = cfg.withDefaults()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	c := &Client{
		cfg: cfg, log: cfg.Logger.With("server", cfg.Name),
		up: make(chan struct{}), remote: make(map[string]*remote),
		changed: make(chan struct{}, 1), broken: make(chan *sdk.ClientSession), done: make(chan struct{}),
	}
	c.ctx, c.stop = context.WithCancel(context.WithoutCancel(ctx))
	c.sdk = sdk.NewClient(&sdk.Implementation{Name: "webhand", Version: "1"}, c.options())
	cs, err := c.connect(ctx)
	if err != nil {
		c.stop()
		return nil, err
	}
	c.setUp(cs)
	c.ended.Go(func() { c.keep(cs) })
	c.ended.Go(c.follow)
	return c, nil
}

// connect makes a connection and reads the list of tools.
func (c *Client) connect(ctx context.Context) (*sdk.ClientSession, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.cfg.StartTimeout, fmt.Errorf("it did not answer within %s", c.cfg.StartTimeout))
	defer cancel()
	// The stream of an SSE connection lives in the context it was made with.
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, end)
	cs, err := c.dial(life)
	if err == nil {
		if err = c.list(ctx, cs); err != nil {
			_ = cs.Close()
		}
	}
	if !stop() && err == nil {
		err = context.Cause(ctx)
		_ = cs.Close()
	}
	if err != nil {
		end()
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, fmt.Errorf("mcptools: connect to server %q: %w", c.cfg.Name, err)
	}
	c.hangUp = end
	return cs, nil
}

func (c *Client) setUp(cs *sdk.ClientSession) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session, c.why = cs, nil
	close(c.up)
}

// keep waits for the connection to break and makes it again, until Close.
func (c *Client) keep(cs *sdk.ClientSession) {
	for {
		lost, now := make(chan error, 1), cs
		go func() { lost <- now.Wait() }()
		broken := c.watch(cs, lost)
		err := cs.Close()
		c.hangUp()
		if !broken {
			c.err = err
			return
		}
		if cs = c.again(); cs == nil {
			return
		}
	}
}

// watch returns when the connection broke, or false when the client was
// closed.
func (c *Client) watch(cs *sdk.ClientSession, lost <-chan error) bool {
	for {
		select {
		case err := <-lost:
			c.forget(cs, err)
			c.log.Warn("mcptools: connection lost", "err", err)
			return true
		case x := <-c.broken: // a call found out first
			if x == cs {
				c.log.Warn("mcptools: connection lost")
				return true
			}
		case <-c.done:
			return false
		}
	}
}

// forget makes calls wait for the next connection.
func (c *Client) forget(cs *sdk.ClientSession, why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session == cs {
		c.session, c.why, c.up = nil, why, make(chan struct{})
	}
}

// again connects until it works; nil means that the client was closed.
func (c *Client) again() *sdk.ClientSession {
	for wait := firstWait; ; wait = min(2*wait, mostWait) {
		select {
		case <-time.After(wait):
		case <-c.done:
			return nil
		}
		cs, err := c.connect(c.ctx)
		if err == nil {
			c.log.Info("mcptools: connected again")
			c.setUp(cs)
			return cs
		}
		c.mu.Lock()
		c.why = err
		c.mu.Unlock()
		c.log.Warn("mcptools: cannot connect again", "err", err, "next_try_in", min(2*wait, mostWait))
	}
}

// follow reads the list of tools again when the server says that it changed.
func (c *Client) follow() {
	for {
		select {
		case <-c.changed:
		case <-c.done:
			return
		}
		c.mu.Lock()
		cs := c.session
		c.mu.Unlock()
		if cs == nil {
			continue // it is read anyway when the connection is back
		}
		ctx, cancel := context.WithTimeout(c.ctx, c.cfg.StartTimeout)
		if err := c.list(ctx, cs); err != nil && c.ctx.Err() == nil {
			c.log.Warn("mcptools: the changed list of tools cannot be read", "err", err)
		}
		cancel()
	}
}

// connected returns the session, waiting a while for one that is lost.
func (c *Client) connected(ctx context.Context) (*sdk.ClientSession, error) {
	wait := time.NewTimer(c.cfg.ReconnectWait)
	defer wait.Stop()
	for {
		c.mu.Lock()
		cs, up, why := c.session, c.up, c.why
		c.mu.Unlock()
		if cs != nil {
			return cs, nil
		}
		select {
		case <-up:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-c.done:
			return nil, ErrClosed
		case <-wait.C:
			return nil, fmt.Errorf("server %s is %w (%w); it is tried again, go on without it", c.cfg.Name, ErrNotConnected, why)
		}
	}
}

// Close ends the connection and, for a command, the process. Actions that are
// registered stay and then say that the client is closed.
func (c *Client) Close() error {
	c.once.Do(func() {
		c.stop()
		close(c.done)
		c.ended.Wait()
		c.mu.Lock()
		c.session = nil
		c.mu.Unlock()
	})
	if c.err != nil {
		return fmt.Errorf("mcptools: close server %q: %w", c.cfg.Name, c.err)
	}
	return nil
}

// options are what the client tells servers and hears from them.
func (c *Client) options() *sdk.ClientOptions {
	o := &sdk.ClientOptions{
		Logger:       c.log,
		Capabilities: &sdk.ClientCapabilities{},
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) {
			select {
			case c.changed <- struct{}{}:
			default: // it is about to be read
			}
		},
		ProgressNotificationHandler: func(_ context.Context, req *sdk.ProgressNotificationClientRequest) {
			p := req.Params
			c.log.Info("mcptools: progress", "tool", toolOf(p.ProgressToken), "progress", p.Progress, "total", p.Total, "message", p.Message)
		},
		//lint:ignore SA1019 servers of today use it
		LoggingMessageHandler: func(_ context.Context, req *sdk.LoggingMessageRequest) {
			c.log.Debug("mcptools: the server says", "level", string(req.Params.Level), "message", req.Params.Data)
		},
	}
	if c.cfg.Elicit != nil {
		o.ElicitationHandler = c.elicit
		o.Capabilities.Elicitation = &sdk.ElicitationCapabilities{Form: &sdk.FormElicitationCapabilities{}, URL: &sdk.URLElicitationCapabilities{}}
	}
	if c.cfg.Sample != nil {
		//lint:ignore SA1019 servers of today use it
		o.CreateMessageHandler = c.sample
	}
	return o
}
