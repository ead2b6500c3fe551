package browser

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// Browser is one Chrome: launched by this program or attached to. It holds any
// number of sessions, each in its own browser context.
type Browser struct {
	cfg   Config
	conn  *conn
	proc  *process // nil when attached
	route *route   // of Chrome's own context, when Launch made it
	log   *slog.Logger

	mu       sync.Mutex
	sessions []*Session
	tabs     map[target.ID]*tab
	past     map[string]*Session                        // whose tabs were that are gone, by target id
	creating int                                        // Target.createTarget calls in flight
	limbo    map[target.ID]target.EventAttachedToTarget // pages seen while creating, owner unknown yet
	spare    map[target.ID]target.EventAttachedToTarget // pages a launched Chrome brought along
	lostTabs map[target.ID]*tab                         // of a broken connection that is being made again
	up       chan struct{}                              // closed when it is there again; nil while it is
	downErr  error
	closed   bool
	making   chan struct{} // a token for each tab that is being made

	closeOnce sync.Once
	closeErr  error
	gone      chan struct{} // closed when the connection ended and everything is torn down
}

// Launch starts a Chrome, or attaches to one when cfg.RemoteURL is set. ctx
// bounds the start only. Errors: *LaunchError, *ConnectError, ErrNoChrome.
func Launch(ctx context.Context, cfg Config) (*Browser, error) {
	r, err := newRoute(Config{Proxy: cfg.Proxy, Logger: cfg.Logger}, Proxy{}, cfg.RemoteURL == "")
	if err != nil {
		return nil, err
	}
	b, err := start(ctx, cfg, r)
	if err != nil {
		r.close()
		return nil, err
	}
	b.route = r
	return b, nil
}

// start launches or attaches; a launched Chrome's own context goes out by r.
func start(ctx context.Context, cfg Config, r *route) (*Browser, error) {
	cfg = cfg.withDefaults()
	sctx, cancel := context.WithTimeoutCause(ctx, cfg.StartTimeout,
		fmt.Errorf("no answer from Chrome within %s", cfg.StartTimeout))
	defer cancel()
	b := &Browser{
		cfg: cfg, log: cfg.Logger,
		tabs:  make(map[target.ID]*tab),
		limbo: make(map[target.ID]target.EventAttachedToTarget),
		spare: make(map[target.ID]target.EventAttachedToTarget),
		gone:  make(chan struct{}),

		making: make(chan struct{}, 3),
	}
	var err error
	if cfg.RemoteURL != "" {
		if err := sctx.Err(); err != nil {
			return nil, fmt.Errorf("browser: attach: %w", context.Cause(sctx))
		}
		b.conn, err = attach(sctx, cfg)
	} else {
		b.conn, b.proc, err = launch(sctx, cfg, r)
	}
	if err != nil {
		return nil, err
	}
	re := redialer{onDown: b.connectionDown, onUp: b.connectionUp}
	if b.proc == nil {
		re.redial = func(ctx context.Context) (chromedp.Transport, error) { return dial(ctx, cfg) }
	}
	b.conn.configure(cfg.CallTimeout, b.onLate, re)
	go b.watch()
	b.listen()
	if err := b.follow(sctx); err != nil {
		_ = b.Close()
		return nil, err
	}
	return b, nil
}

// listen routes what the browser itself reports.
func (b *Browser) listen() {
	root := b.conn.root
	onEvent(root, target.AttachedToTarget, b.onAttached)
	onEvent(root, target.DetachedFromTarget, func(ev target.EventDetachedFromTarget) { b.onDetached(ev.SessionID) })
	onEvent(root, target.TargetInfoChanged, func(ev target.EventTargetInfoChanged) { b.onInfo(ev.TargetInfo) })
	onEvent(root, target.TargetCrashed, func(ev target.EventTargetCrashed) {
		if t := b.tab(ev.TargetID); t != nil {
			t.crashed()
		}
	})
	onEvent(root, cdpbrowser.DownloadWillBegin, b.onDownload)
	onEvent(root, cdpbrowser.DownloadProgress, b.onDownloadProgress)
}

// follow asks for targets: pages come attached and paused, so that they are
// set up before they run.
func (b *Browser) follow(ctx context.Context) error {
	root := b.conn.root
	pages := target.Filter{{Type: "page"}}
	discover := root.send(target.CommandSetDiscoverTargets, target.SetDiscoverTargetsParams{Discover: true, Filter: pages})
	auto := root.send(target.CommandSetAutoAttach, target.SetAutoAttachParams{
		AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: new(true), Filter: pages,
	})
	if err := discover.wait(ctx, nil); err != nil {
		return fmt.Errorf("browser: start: %w", err)
	}
	if err := auto.wait(ctx, nil); err != nil {
		return fmt.Errorf("browser: start: %w", err)
	}
	return nil
}

// watch tears everything down when the connection ends, whoever ended it.
func (b *Browser) watch() {
	<-b.conn.done
	b.mu.Lock()
	sessions := append([]*Session(nil), b.sessions...)
	tabs := b.tabs
	b.tabs = map[target.ID]*tab{}
	b.mu.Unlock()
	err := b.conn.lost()
	for _, t := range tabs {
		t.setGone(err)
	}
	for _, s := range sessions {
		s.lost(err)
	}
	if b.proc != nil {
		// A Chrome without its pipe exits by itself; one that hangs is killed.
		if perr := b.proc.stop(5 * time.Second); perr != nil {
			b.log.Warn("browser: clean up", "err", perr)
		}
	}
	close(b.gone)
}

// Done is closed when Chrome is gone or the connection to it is lost.
func (b *Browser) Done() <-chan struct{} { return b.conn.done }

// Err says why the connection ended; nil while it lives.
func (b *Browser) Err() error { return b.conn.lost() }

// Close ends the sessions, and Chrome itself when this program launched it. An
// attached Chrome keeps running with the tabs it had. Close waits until no
// process and no temporary directory is left.
func (b *Browser) Close() error {
	b.closeOnce.Do(func() {
		b.mu.Lock()
		b.closed = true
		sessions := append([]*Session(nil), b.sessions...)
		b.mu.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if b.proc != nil {
			// Chrome answers or just goes; either way the pipe ends.
			if _, err := cdp.Call(ctx, b.conn.root, cdpbrowser.Close, cdp.Empty{}); err == nil {
				select {
				case <-b.proc.exited:
				case <-ctx.Done():
				}
			}
		} else {
			for _, s := range sessions {
				s.closeTabs(ctx)
			}
		}
		b.conn.shutdown(ErrClosed)
		<-b.gone
		if b.proc != nil {
			b.closeErr = b.proc.removeDir()
		}
		b.route.close()
	})
	return b.closeErr
}

// runs reports whether Chrome may still be there: one that was attached to
// lives on.
func (b *Browser) runs() bool {
	if b.proc == nil {
		return true
	}
	select {
	case <-b.proc.exited:
		return false
	default:
		return true
	}
}

// NewSession opens an isolated session: its own browser context with its own
// cookies, cache, tabs and downloads. Only the session settings of cfg count.
// A Policy or Proxy that the browser was launched with holds where cfg has
// none.
func (b *Browser) NewSession(ctx context.Context, cfg Config) (*Session, error) {
	cfg.Isolated = true
	if cfg.Policy.IsZero() {
		cfg.Policy = b.cfg.Policy
	}
	r, err := newRoute(cfg, b.cfg.Proxy, b.proc != nil)
	if err != nil {
		return nil, err
	}
	s, err := b.newSession(ctx, cfg, r)
	if err != nil {
		r.close()
		return nil, err
	}
	return s, nil
}

// newSession opens a session that goes out by r, which it owns from then on
// unless it fails.
func (b *Browser) newSession(ctx context.Context, cfg Config, r *route) (*Session, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("browser: new session: %w", context.Cause(ctx))
	}
	cfg = cfg.withDefaults()
	s := newSession(b, cfg, r)
	stored, err := cfg.storageToLoad()
	if err != nil {
		return nil, err
	}
	if s.downloads, err = openDownloads(cfg); err != nil {
		return nil, err
	}
	if cfg.Isolated {
		res, err := cdp.Call(ctx, b.conn.root, target.CreateBrowserContext, target.CreateBrowserContextParams{
			// A remote Chrome's context must live through a lost connection.
			DisposeOnDetach: new(b.proc != nil), ProxyServer: r.server, ProxyBypassList: r.bypass,
		})
		if err != nil {
			s.downloads.close(false)
			return nil, fmt.Errorf("browser: new session: %w", err)
		}
		s.contextID = res.BrowserContextID
	}
	// Before the session is known: from then on its pages are set up by
	// these settings, on another goroutine.
	if err := s.prepare(ctx); err != nil {
		_ = s.Close()
		return nil, err
	}
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		_ = s.Close()
		return nil, ErrClosed
	}
	b.sessions = append(b.sessions, s)
	b.mu.Unlock()
	err = s.openFirstTab(ctx)
	if err == nil {
		err = s.restore(ctx, stored)
	}
	if err == nil {
		err = s.beginHAR(ctx)
	}
	if err != nil {
		_ = s.Close()
		return nil, fmt.Errorf("browser: new session: %w", err)
	}
	s.opened = true
	return s, nil
}

func (b *Browser) removeSession(s *Session) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, x := range b.past {
		if x == s {
			delete(b.past, id)
		}
	}
	for i := range b.sessions {
		if b.sessions[i] == s {
			b.sessions = append(b.sessions[:i:i], b.sessions[i+1:]...)
			return
		}
	}
}

// isGone reports whether err means that the target or Chrome is no more.
func isGone(err error) bool {
	return errors.Is(err, ErrDisconnected) || errors.Is(err, ErrClosed) || errors.Is(err, errDetached) ||
		errors.Is(err, ErrNoTab) || errors.Is(err, ErrCrashed) || errors.Is(err, ErrHung)
}
