package browser

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// cdpSession is one flat protocol session: the browser itself (root), a page,
// a cross-site frame or a worker. It satisfies cdp.Session, so that typed
// commands run on it with cdp.Call.
//
// Events are handled by one goroutine per session, in order. A handler may
// send commands and wait for their answers: answers do not pass the queue.
type cdpSession struct {
	conn     *conn
	id       target.SessionID
	targetID target.ID
	parent   *cdpSession // the session that reported this one; nil for root

	// timeout bounds a wait whose context has no deadline of its own; zero is
	// the parent's, and the root's is the connection's.
	timeout atomic.Int64

	mu       sync.Mutex
	handlers map[string][]*handler
	queue    []queuedEvent
	wake     chan struct{} // has room for one token
	stopped  bool

	done chan struct{} // closed when the target is gone and its events are handled
}

var _ cdp.Session = (*cdpSession)(nil)

type handler struct{ fn func(jsonv2.Value) }

type queuedEvent struct {
	method string
	params jsonv2.Value
}

func newCDPSession(c *conn, id target.SessionID, tid target.ID) *cdpSession {
	s := &cdpSession{
		conn: c, id: id, targetID: tid,
		handlers: make(map[string][]*handler),
		wake:     make(chan struct{}, 1),
		done:     make(chan struct{}),
	}
	go s.dispatch()
	return s
}

// limit is the timeout that holds for the session.
func (s *cdpSession) limit() time.Duration {
	for ; s != nil; s = s.parent {
		if d := s.timeout.Load(); d > 0 {
			return time.Duration(d)
		}
	}
	return 0
}

// Call sends a command and waits for its answer or the end of ctx.
func (s *cdpSession) Call(ctx context.Context, method string, params, result any) error {
	return s.send(method, params).wait(ctx, result)
}

// send writes a command and returns at once; use it to pipeline.
func (s *cdpSession) send(method string, params any) *call {
	return s.conn.send(s, method, params)
}

// on calls fn for every event of the method until off is called.
func (s *cdpSession) on(method string, fn func(jsonv2.Value)) (off func()) {
	h := &handler{fn: fn}
	s.mu.Lock()
	s.handlers[method] = append(s.handlers[method], h)
	s.mu.Unlock()
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		hs := s.handlers[method]
		for i := range hs {
			if hs[i] == h {
				// A fresh slice: dispatch may be ranging over the old one.
				s.handlers[method] = append(append([]*handler(nil), hs[:i]...), hs[i+1:]...)
				return
			}
		}
	}
}

// onEvent is on with a typed payload. A payload that does not decode (a
// Chrome newer than the protocol package) is dropped: no state may depend on
// one event alone.
func onEvent[E any](s *cdpSession, ev cdp.Event[E], fn func(E)) (off func()) {
	return s.on(ev.Method, func(raw jsonv2.Value) {
		var e E
		if len(raw) > 0 && jsonv2.Unmarshal(raw, &e, chromedp.DefaultUnmarshalOptions) != nil {
			return
		}
		fn(e)
	})
}

// Subscribe implements cdp.Session: events are buffered without limit until
// cancel is called or the session ends.
func (s *cdpSession) Subscribe(method string) (<-chan jsonv2.Value, func()) {
	out := make(chan jsonv2.Value)
	in := make(chan struct{}, 1)
	quit := make(chan struct{})
	var mu sync.Mutex
	var buf []jsonv2.Value
	off := s.on(method, func(v jsonv2.Value) {
		mu.Lock()
		buf = append(buf, v)
		mu.Unlock()
		select {
		case in <- struct{}{}:
		default:
		}
	})
	go func() {
		defer close(out)
		defer off()
		for {
			mu.Lock()
			batch := buf
			buf = nil
			mu.Unlock()
			for _, v := range batch {
				select {
				case out <- v:
				case <-quit:
					return
				}
			}
			if len(batch) > 0 {
				continue
			}
			select {
			case <-in:
			case <-quit:
				return
			case <-s.done:
				return
			}
		}
	}()
	return out, sync.OnceFunc(func() { close(quit) })
}

func (s *cdpSession) enqueue(method string, params jsonv2.Value) {
	s.mu.Lock()
	// Events nobody asked for are dropped before they queue up; attach and
	// detach always have their handlers by then.
	if s.stopped || len(s.handlers[method]) == 0 {
		s.mu.Unlock()
		return
	}
	s.queue = append(s.queue, queuedEvent{method, params})
	s.mu.Unlock()
	s.signal()
}

func (s *cdpSession) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// stop ends the session after its queued events are handled.
func (s *cdpSession) stop() {
	s.mu.Lock()
	s.stopped = true
	s.mu.Unlock()
	s.signal()
}

func (s *cdpSession) dispatch() {
	defer close(s.done)
	for {
		s.mu.Lock()
		batch := s.queue
		s.queue = nil
		stopped := s.stopped
		s.mu.Unlock()
		if len(batch) == 0 {
			if stopped {
				return
			}
			<-s.wake
			continue
		}
		for _, ev := range batch {
			s.mu.Lock()
			hs := s.handlers[ev.method]
			s.mu.Unlock()
			for _, h := range hs {
				h.fn(ev.params)
			}
		}
	}
}
