package browser

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
)

// Session is one agent's browser: a set of tabs with a current one, apart from
// every other session. It is safe for concurrent use, though a page can do one
// thing at a time.
type Session struct {
	b         *Browser
	cfg       Config
	log       *slog.Logger
	contextID cdp.BrowserContextID // empty: Chrome's default context
	ownsB     bool                 // Close closes the Browser too
	opened    bool                 // the start succeeded
	events    eventLog
	route     *route
	downloads *downloads
	har       *harLog // nil unless recorded
	console   consoleLog
	userAgent string // to tell targets; empty for Chrome's own
	states    pageStates

	mu      sync.Mutex
	blocked map[string]bool // refusals that were reported
	origins []string        // that tabs have shown, in order
	tabs    []*tab          // in order of appearance
	current *tab
	changed chan struct{} // closed and replaced whenever tabs or current change
	err     error         // why the session ended

	frontTab  *tab          // the tab Chrome draws, as long as
	frontSeen chan struct{} // changed is still this one

	done      chan struct{}
	closeOnce sync.Once
	closeErr  error
}

func newSession(b *Browser, cfg Config, r *route) *Session {
	s := &Session{
		b: b, cfg: cfg, log: cfg.Logger, route: r,
		changed: make(chan struct{}),
		done:    make(chan struct{}),
	}
	s.console.w = cfg.ConsoleLog
	if cfg.HAR != "" {
		s.har = &harLog{bodies: cfg.HARBodies, open: make(map[string]*harEntry)}
	}
	if r.guard != nil {
		r.guard.onBlocked(func(err *PolicyError) { s.reportBlocked(Blocked{What: "resource", Err: err}) })
	}
	return s
}

// New launches a Chrome of its own for one session, or attaches to the one at
// cfg.RemoteURL. ctx bounds the start only; Close ends session and Chrome.
func New(ctx context.Context, cfg Config) (*Session, error) {
	r, err := newRoute(cfg, Proxy{}, cfg.RemoteURL == "")
	if err != nil {
		return nil, err
	}
	b, err := start(ctx, cfg, r)
	if err != nil {
		r.close()
		return nil, err
	}
	sctx, cancel := context.WithTimeout(ctx, b.cfg.StartTimeout)
	defer cancel()
	s, err := b.newSession(sctx, cfg, r)
	if err != nil {
		_ = b.Close()
		r.close()
		return nil, err
	}
	s.ownsB = true
	return s, nil
}

// openFirstTab makes sure the session has a tab and a current one.
func (s *Session) openFirstTab(ctx context.Context) error {
	if s.contextID == "" && s.b.proc != nil {
		if ok, err := s.b.claimFirstTab(ctx, s); ok || err != nil {
			return err
		}
	}
	_, err := s.b.createTab(ctx, s, false)
	return err
}

func (s *Session) addTab(t *tab) {
	s.mu.Lock()
	s.tabs = append(s.tabs, t)
	// A tab that the current page opened is where its user looks next.
	follow := t.openerID != "" && !s.cfg.NoFollow && s.current != nil && s.current.id == t.openerID
	if s.current == nil || follow {
		s.current = t
	}
	url, _ := t.info()
	ev := TabOpened{Tab: s.shortIDLocked(t.id), URL: url, Current: s.current == t}
	if t.openerID != "" {
		ev.Opener = s.shortIDLocked(t.openerID)
	}
	s.notifyLocked()
	s.mu.Unlock()
	s.emit(ev)
}

func (s *Session) removeTab(t *tab) {
	url, _ := t.info()
	ev := TabClosed{URL: url}
	s.mu.Lock()
	ev.Tab = s.shortIDLocked(t.id)
	for i := range s.tabs {
		if s.tabs[i] == t {
			s.tabs = append(s.tabs[:i:i], s.tabs[i+1:]...)
			break
		}
	}
	if s.current == t {
		s.current = nil
		// Back to the opener when it is still there, else to the newest tab.
		for _, x := range s.tabs {
			if x.id == t.openerID {
				s.current = x
			}
		}
		if s.current == nil && len(s.tabs) > 0 {
			s.current = s.tabs[len(s.tabs)-1]
		}
	}
	if s.current != nil {
		ev.Current = s.shortIDLocked(s.current.id)
	}
	s.notifyLocked()
	s.mu.Unlock()
	s.emit(ev)
}

func (s *Session) notifyLocked() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// lost ends the session because Chrome is gone.
func (s *Session) lost(err error) {
	s.mu.Lock()
	first := s.err == nil
	if first {
		s.err = err
	}
	s.mu.Unlock()
	if first && !errors.Is(err, ErrClosed) {
		s.emit(ConnectionLost{Err: err})
	}
	s.finish()
}

func (s *Session) finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.done:
	default:
		close(s.done)
		s.notifyLocked()
		s.events.close()
	}
}

// Alive reports whether the session can still be used.
func (s *Session) Alive() bool {
	select {
	case <-s.done:
		return false
	default:
		return true
	}
}

// Done is closed when the session ended, by Close or with its Chrome.
func (s *Session) Done() <-chan struct{} { return s.done }

// Err says why the session ended; nil while it lives.
func (s *Session) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Close closes the session's tabs, and Chrome too when New launched it.
// Calling it again returns the same result.
func (s *Session) Close() error {
	s.closeOnce.Do(func() {
		var saveErr error
		if s.cfg.StorageFile != "" && s.Alive() && s.opened {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			saveErr = s.saveStorage(ctx)
			cancel()
		}
		if s.har != nil && s.opened {
			saveErr = errors.Join(saveErr, s.har.save(s.cfg.HAR))
		}
		s.mu.Lock()
		if s.err == nil {
			s.err = ErrClosed
		}
		s.mu.Unlock()
		defer func() { s.closeErr = errors.Join(saveErr, s.closeErr) }()
		cut := s.downloads.underWay()
		if s.ownsB {
			s.closeErr = s.b.Close()
		} else {
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			s.closeTabs(ctx)
			cancel()
		}
		s.b.removeSession(s)
		s.finish()
		s.route.close()
		s.downloads.close(cut && s.b.runs())
	})
	return s.closeErr
}

// closeTabs closes what this session opened and nothing else.
func (s *Session) closeTabs(ctx context.Context) {
	if s.contextID != "" {
		_, _ = cdp.Call(ctx, s.b.conn.root, target.DisposeBrowserContext, target.DisposeBrowserContextParams{BrowserContextID: s.contextID})
	}
	s.mu.Lock()
	tabs := append([]*tab(nil), s.tabs...)
	s.mu.Unlock()
	for _, t := range tabs {
		if s.contextID == "" {
			_, _ = cdp.Call(ctx, s.b.conn.root, target.CloseTarget, target.CloseTargetParams{TargetID: t.id})
		}
		select {
		case <-t.gone:
		case <-ctx.Done():
		}
	}
}

// currentTab is the current tab as it is, nil when the last was closed.
func (s *Session) currentTab() *tab {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

// active returns the current tab, opening one when the last was closed and
// opening its page again when it crashed.
func (s *Session) active(ctx context.Context) (*tab, error) { return s.activeTab(ctx, true) }

// activeTab is active; a caller that is about to go elsewhere does not have a
// crashed page loaded again.
func (s *Session) activeTab(ctx context.Context, reload bool) (*tab, error) {
	s.b.waitUp(ctx)
	s.mu.Lock()
	t, err := s.current, s.err
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if t == nil {
		var err error
		if t, err = s.b.createTab(ctx, s, false); err != nil {
			return nil, err
		}
	}
	err = t.waitReady(ctx)
	if errors.Is(err, ErrCrashed) {
		err = t.revive(ctx, reload)
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}
