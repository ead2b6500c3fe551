package mcpserver

import (
	"context"
	"sync"
	"time"

	"github.com/seed-4bdb41d0/webhand/browser"
)

// linger is how long a launched Chrome is kept after its last session.
const linger = 30 * time.Second

// chrome is the browser that sessions are opened in, for as long as there are
// any.
type chrome struct {
	cfg Config

	mu     sync.Mutex
	b      *browser.Browser // launched or attached to by us
	users  int
	last   *time.Timer
	closed bool
}

func newChrome(cfg Config) *chrome { return &chrome{cfg: cfg} }

// open opens a session. With own it has a browser context of its own in any
// case. release has to be called when the session is closed.
func (c *chrome) open(ctx context.Context, cfg browser.Config, own bool) (s *browser.Session, release func(), err error) {
	if c.cfg.Profile && !own {
		s, err = browser.New(ctx, cfg)
		return s, func() {}, err
	}
	b, release, err := c.use(ctx)
	if err != nil {
		return nil, nil, err
	}
	if s, err = b.NewSession(ctx, cfg); err != nil {
		release()
		return nil, nil, err
	}
	return s, release, nil
}

// use returns a Chrome that lives.
func (c *chrome) use(ctx context.Context) (*browser.Browser, func(), error) {
	if c.cfg.Browser != nil {
		return c.cfg.Browser, func() {}, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, nil, browser.ErrClosed
	}
	if c.b != nil && c.b.Err() != nil {
		_ = c.b.Close() // it died; its sessions are gone with it
		c.b = nil
	}
	if c.b == nil {
		cfg := c.cfg.BrowserConfig
		cfg.Storage, cfg.StorageFile = nil, "" // of sessions
		b, err := browser.Launch(ctx, cfg)
		if err != nil {
			return nil, nil, err
		}
		c.b, c.users = b, 0
	}
	if c.last != nil {
		c.last.Stop()
		c.last = nil
	}
	c.users++
	b := c.b
	return b, sync.OnceFunc(func() { c.release(b) }), nil
}

func (c *chrome) release(b *browser.Browser) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.b != b {
		return
	}
	if c.users--; c.users > 0 || c.closed {
		return
	}
	c.last = time.AfterFunc(linger, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.b == b && c.users == 0 {
			_ = b.Close()
			c.b = nil
		}
	})
}

func (c *chrome) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	if c.last != nil {
		c.last.Stop()
	}
	if c.b == nil {
		return nil
	}
	err := c.b.Close()
	c.b = nil
	return err
}
