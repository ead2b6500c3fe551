package mcpserver

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/dom"
	"github.com/seed-4bdb41d0/webhand/registry"
	"github.com/seed-4bdb41d0/webhand/tools"
)

// busyWait is how long a tool waits for the one before it on the same session.
const busyWait = 30 * time.Second

// client is a connection with its browser session, if one is open.
type client struct {
	s    *Server
	conn *sdk.ServerSession
	gate chan struct{} // a page can do one thing at a time

	mu     sync.Mutex
	open   *openSession
	busy   string // the tool that holds the gate
	told   string // what the next answer has to say besides
	ended  bool
	timer  *time.Timer
	used   time.Time
	opened time.Time
}

// openSession is a browser session and what goes with it.
type openSession struct {
	id      string
	browser *browser.Session
	files   *tools.Files
	deps    registry.Deps
	release func()
	shown   *dom.Text // the page text that the client was sent last
}

// clients are the connections.
type clients struct {
	s   *Server
	mu  sync.Mutex
	all map[*sdk.ServerSession]*client
	n   int // sessions that are open or being opened
}

func (cs *clients) init(s *Server) {
	cs.s, cs.all = s, make(map[*sdk.ServerSession]*client)
}

// of returns the client of a connection, which is forgotten when that ends.
func (cs *clients) of(conn *sdk.ServerSession) *client {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	c := cs.all[conn]
	if c == nil {
		c = &client{s: cs.s, conn: conn, gate: make(chan struct{}, 1)}
		cs.all[conn] = c
		go func() {
			_ = conn.Wait()
			cs.mu.Lock()
			delete(cs.all, conn)
			cs.mu.Unlock()
			c.end()
		}()
	}
	return c
}

// list returns the clients in no order.
func (cs *clients) list() []*client {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	out := make([]*client, 0, len(cs.all))
	for _, c := range cs.all {
		out = append(out, c)
	}
	return out
}

func (cs *clients) closeAll() error {
	var errs []error
	for _, c := range cs.list() {
		errs = append(errs, c.end())
	}
	return errors.Join(errs...)
}

// reserve takes one of the places for sessions.
func (cs *clients) reserve() error {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if cs.n >= cs.s.cfg.MaxSessions {
		return fmt.Errorf("all %d browser sessions of this server are in use; close one with browser_close_session, or try again later", cs.n)
	}
	cs.n++
	return nil
}

func (cs *clients) giveBack() {
	cs.mu.Lock()
	cs.n--
	cs.mu.Unlock()
}

// hold takes the client for one tool; release gives it back.
func (c *client) hold(ctx context.Context, tool string) (release func(), err error) {
	wait := time.NewTimer(busyWait)
	defer wait.Stop()
	select {
	case c.gate <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-wait.C:
		c.mu.Lock()
		defer c.mu.Unlock()
		return nil, fmt.Errorf("the browser session is still busy with %s; wait for its answer or cancel it", c.busy)
	}
	c.mu.Lock()
	c.busy = tool
	c.mu.Unlock()
	return func() {
		c.mu.Lock()
		c.busy, c.used = "", time.Now()
		c.mu.Unlock()
		<-c.gate
		c.watch()
	}, nil
}

// session returns the browser session, opening one when there is none or it
// died. The caller holds the client.
func (c *client) session(ctx context.Context) (*openSession, error) {
	c.mu.Lock()
	o, ended := c.open, c.ended
	c.mu.Unlock()
	if ended {
		return nil, errors.New("the connection is closed")
	}
	if o != nil && o.browser.Alive() {
		return o, nil
	}
	if o != nil {
		why := o.browser.Err()
		c.close()
		c.tell(fmt.Sprintf("The browser session ended (%v); this is a new one, without its pages and logins.", why))
	}
	o, err := c.s.openSession(ctx, c.s.cfg.BrowserConfig, false)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	if c.ended {
		c.mu.Unlock()
		_ = c.s.closeSession(o)
		return nil, errors.New("the connection is closed")
	}
	o.deps = registry.Provide(registry.Provide(o.deps, c), o)
	c.open, c.opened, c.used = o, time.Now(), time.Now()
	c.mu.Unlock()
	return o, nil
}

// openSession opens a browser session with its files.
func (s *Server) openSession(ctx context.Context, cfg browser.Config, own bool) (*openSession, error) {
	if err := s.clients.reserve(); err != nil {
		return nil, err
	}
	b, release, err := s.chrome.open(ctx, cfg, own)
	if err != nil {
		s.clients.giveBack()
		return nil, fmt.Errorf("open a browser session: %w", err)
	}
	var raw [4]byte
	_, _ = rand.Read(raw[:]) // never fails
	o := &openSession{id: hex.EncodeToString(raw[:]), browser: b, release: release}
	if s.cfg.Dir != "" {
		if o.files, err = tools.OpenFiles(tools.FilesConfig{Dir: filepath.Join(s.cfg.Dir, o.id)}); err != nil {
			_ = s.closeSession(o)
			return nil, err
		}
	}
	o.deps = s.deps(b, o.files)
	return o, nil
}

// deps is what actions are injected with.
func (s *Server) deps(b *browser.Session, files *tools.Files) registry.Deps {
	d := tools.Provide(s.cfg.Deps, b)
	if files != nil {
		d = registry.Provide(d, files)
	}
	if s.cfg.LLM != nil {
		d = registry.Provide[tools.ExtractionLLM](d, s.cfg.LLM)
	}
	d = registry.Provide(d, tools.FilePaths(s.cfg.FilePaths))
	return registry.Provide[registry.SecretResolver](d, s.secrets)
}

func (s *Server) closeSession(o *openSession) error {
	err := o.browser.Close()
	if o.files != nil {
		err = errors.Join(err, o.files.Close())
	}
	o.release()
	s.clients.giveBack()
	return err
}

// close closes the browser session and reports whether there was one.
func (c *client) close() bool {
	c.mu.Lock()
	o := c.open
	c.open = nil
	if c.timer != nil {
		c.timer.Stop()
	}
	c.mu.Unlock()
	if o == nil {
		return false
	}
	if err := c.s.closeSession(o); err != nil {
		c.s.log.Warn("mcpserver: browser session not closed cleanly", "session", o.id, "err", err)
	}
	return true
}

// end closes the browser session for good.
func (c *client) end() error {
	c.mu.Lock()
	c.ended = true
	c.mu.Unlock()
	c.close()
	return nil
}

// tell adds to the next answer.
func (c *client) tell(text string) {
	c.mu.Lock()
	c.told = text
	c.mu.Unlock()
}

// say takes what was told.
func (c *client) say() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	text := c.told
	c.told = ""
	return text
}

// watch closes the browser session when it stays unused.
func (c *client) watch() {
	if c.s.cfg.Idle < 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		return
	}
	if c.timer != nil {
		c.timer.Stop()
	}
	c.timer = time.AfterFunc(c.s.cfg.Idle, c.idle)
}

func (c *client) idle() {
	select {
	case c.gate <- struct{}{}:
	default:
		return // in use; it is watched again afterwards
	}
	defer func() { <-c.gate }()
	c.mu.Lock()
	early := time.Since(c.used) < c.s.cfg.Idle
	c.mu.Unlock()
	if early {
		return
	}
	if c.close() {
		c.tell(fmt.Sprintf("The browser session was closed because it was not used for %s; this is a new one, without its pages and logins.", c.s.cfg.Idle))
	}
}
