package browser

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/chromedp/cdproto"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// conn multiplexes flat protocol sessions over one transport. One goroutine
// reads; replies go straight to the waiting caller and events to the queue of
// their session, so a slow event handler never delays a reply.
type conn struct {
	root *cdpSession

	// callTimeout bounds a wait whose context has no deadline of its own.
	callTimeout time.Duration

	mu       sync.Mutex
	tr       chromedp.Transport
	nextID   int64
	pending  map[int64]*call
	sessions map[target.SessionID]*cdpSession
	down     error // why there is no connection at the moment
	err      error // why the connection ended for good

	// late is called when a call's time is up without an answer.
	late func(*cdpSession)
	redialer
	done chan struct{} // closed when the connection ended
}

func newConn(tr chromedp.Transport) *conn {
	c := &conn{
		tr:       tr,
		pending:  make(map[int64]*call),
		sessions: make(map[target.SessionID]*cdpSession),
		done:     make(chan struct{}),

		callTimeout: 15 * time.Second,
	}
	c.root = newCDPSession(c, "", "")
	c.sessions[""] = c.root
	go c.read(tr)
	return c
}

// configure sets what the owner of the connection wants; it reads already.
func (c *conn) configure(timeout time.Duration, late func(*cdpSession), re redialer) {
	c.mu.Lock()
	c.callTimeout, c.late, c.redialer = timeout, late, re
	c.mu.Unlock()
}

func (c *conn) read(tr chromedp.Transport) {
	for {
		msg := new(cdproto.Message)
		// The transport has no use for a context: Close unblocks Read.
		if err := tr.Read(context.Background(), msg); err != nil {
			if tr = c.reconnect(fmt.Errorf("%w: %w", ErrDisconnected, err)); tr != nil {
				continue
			}
			return
		}
		if msg.ID != 0 {
			c.mu.Lock()
			p := c.pending[msg.ID]
			delete(c.pending, msg.ID)
			c.mu.Unlock()
			if p != nil {
				p.deliver(msg)
			}
			continue
		}
		if msg.Method == "" {
			continue
		}
		c.mu.Lock()
		s := c.sessions[msg.SessionID]
		c.mu.Unlock()
		if s == nil {
			continue
		}
		// Attach and detach change the routing table itself, so they are
		// handled here, before the next message is looked at.
		switch msg.Method {
		case cdproto.EventTargetAttachedToTarget:
			c.noteAttached(s, msg.Params)
		case cdproto.EventTargetDetachedFromTarget:
			c.noteDetached(msg.Params)
		}
		s.enqueue(string(msg.Method), msg.Params)
	}
}

// noteAttached registers the new session before its first event can arrive.
func (c *conn) noteAttached(parent *cdpSession, params jsonv2.Value) {
	var ev target.EventAttachedToTarget
	if jsonv2.Unmarshal(params, &ev, chromedp.DefaultUnmarshalOptions) != nil {
		return
	}
	s := newCDPSession(c, ev.SessionID, ev.TargetInfo.TargetID)
	s.parent = parent
	c.mu.Lock()
	c.sessions[ev.SessionID] = s
	c.mu.Unlock()
}

func (c *conn) noteDetached(params jsonv2.Value) {
	var ev target.EventDetachedFromTarget
	if jsonv2.Unmarshal(params, &ev, chromedp.DefaultUnmarshalOptions) != nil {
		return
	}
	c.mu.Lock()
	s := c.sessions[ev.SessionID]
	delete(c.sessions, ev.SessionID)
	c.mu.Unlock()
	c.failCalls(ev.SessionID, errDetached)
	if s != nil {
		s.stop()
	}
}

// failCalls ends the waiting calls of one session.
func (c *conn) failCalls(id target.SessionID, err error) {
	c.mu.Lock()
	var orphans []*call
	for n, p := range c.pending {
		if p.session == id {
			orphans = append(orphans, p)
			delete(c.pending, n)
		}
	}
	c.mu.Unlock()
	for _, p := range orphans {
		p.fail(err)
	}
}

// errDetached ends the calls of a session whose target went away.
var errDetached = errors.New("browser: target went away")

func (c *conn) session(id target.SessionID) *cdpSession {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sessions[id]
}

// send writes a command without waiting for its answer, so that several
// commands travel in one flush; call.wait collects the answer.
func (c *conn) send(s *cdpSession, method string, params any) *call {
	p := &call{method: method, session: s.id, conn: c, limit: s.limit(), ch: make(chan struct{})}
	msg := &cdproto.Message{SessionID: s.id, Method: cdproto.MethodType(method)}
	if params != nil {
		raw, ok := params.(jsonv2.Value)
		if !ok {
			var err error
			raw, err = jsonv2.Marshal(params, chromedp.DefaultMarshalOptions)
			if err != nil {
				p.fail(fmt.Errorf("browser: %s: encode params: %w", method, err))
				return p
			}
		}
		msg.Params = raw
	}
	c.mu.Lock()
	if err := c.err; err != nil || c.down != nil {
		if err == nil {
			err = c.down
		}
		c.mu.Unlock()
		p.fail(err)
		return p
	}
	tr := c.tr
	c.nextID++
	p.id = c.nextID
	msg.ID = p.id
	c.pending[p.id] = p
	c.mu.Unlock()
	if err := tr.Write(context.Background(), msg); err != nil {
		c.forget(p)
		p.fail(fmt.Errorf("%w: %w", ErrDisconnected, err))
	}
	return p
}

func (c *conn) forget(p *call) {
	c.mu.Lock()
	delete(c.pending, p.id)
	c.mu.Unlock()
}

// shutdown ends the connection once: every waiting call gets err.
func (c *conn) shutdown(err error) {
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	c.err = err
	pending, sessions, tr := c.pending, c.sessions, c.tr
	c.pending = map[int64]*call{}
	c.sessions = map[target.SessionID]*cdpSession{}
	c.mu.Unlock()
	_ = tr.Close()
	for _, p := range pending {
		p.fail(err)
	}
	for _, s := range sessions {
		s.stop()
	}
	close(c.done)
}

// lost returns why the connection ended, nil while it lives.
func (c *conn) lost() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// call is one command on its way.
type call struct {
	id      int64
	method  string
	session target.SessionID
	conn    *conn
	limit   time.Duration // of a wait without a deadline; zero is the connection's

	once sync.Once
	ch   chan struct{} // closed when the answer is there
	msg  *cdproto.Message
	err  error
}

func (p *call) deliver(msg *cdproto.Message) {
	p.once.Do(func() { p.msg = msg; close(p.ch) })
}

func (p *call) fail(err error) {
	p.once.Do(func() { p.err = err; close(p.ch) })
}

// wait returns when the answer is there or ctx ends; a late answer is dropped.
func (p *call) wait(ctx context.Context, result any) error {
	select {
	case <-p.ch:
	default:
		p.conn.mu.Lock()
		limit, late := p.conn.callTimeout, p.conn.late
		p.conn.mu.Unlock()
		if p.limit > 0 {
			limit = p.limit
		}
		if _, ok := ctx.Deadline(); !ok {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeoutCause(ctx, limit,
				fmt.Errorf("no answer from Chrome within %s: %w", limit, context.DeadlineExceeded))
			defer cancel()
		}
		select {
		case <-p.ch:
		case <-ctx.Done():
			p.conn.forget(p)
			if late != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
				if s := p.conn.session(p.session); s != nil && s != p.conn.root {
					late(s)
				}
			}
			return fmt.Errorf("browser: %s: %w", p.method, context.Cause(ctx))
		}
	}
	if p.err != nil {
		return p.err
	}
	if e := p.msg.Error; e != nil {
		return &ProtocolError{Method: p.method, Code: e.Code, Message: e.Message}
	}
	if result == nil || len(p.msg.Result) == 0 {
		return nil
	}
	if raw, ok := result.(*jsonv2.Value); ok {
		*raw = p.msg.Result
		return nil
	}
	if err := jsonv2.Unmarshal(p.msg.Result, result, chromedp.DefaultUnmarshalOptions); err != nil {
		return fmt.Errorf("browser: %s: decode answer: %w", p.method, err)
	}
	return nil
}
