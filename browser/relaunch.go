package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
)

// Relaunch replaces a session that [New] made and whose Chrome died, or could
// not be reached any more, by one with the same settings: Chrome is started
// again, or attached to again at Config.RemoteURL, and the pages that the tabs
// showed are loaded by their addresses, in the same order and with the same
// one current. It is the last resort: a dropped connection to a Chrome that
// lives is made again by itself, and the session goes on.
//
// What the pages held beyond their addresses is gone, and so are logins that
// neither Config.ProfileDir nor Config.StorageFile keeps. No form is sent and
// nothing that was done is done again. Finished downloads stay where they are.
// A page that does not load is no error; its tab shows what a browser shows.
//
// The old session is closed. A session that is alive, perhaps because its
// connection could be made again, is returned itself. Errors: those of New;
// ErrClosed when the session was closed; ErrDisconnected when its Chrome is not
// its own.
func (s *Session) Relaunch(ctx context.Context) (*Session, error) {
	if err := s.decided(ctx); err != nil {
		return nil, fmt.Errorf("browser: relaunch: %w", err)
	}
	switch err := s.Err(); {
	case err == nil:
		return s, nil
	case !errors.Is(err, ErrDisconnected):
		return nil, fmt.Errorf("browser: relaunch: %w", err)
	case !s.ownsB:
		return nil, fmt.Errorf("browser: relaunch: the Chrome is not this session's alone; Launch another and open new sessions in it: %w", err)
	}
	tabs := s.Tabs()
	cfg, temp := s.cfg, s.downloads.temp
	if temp {
		cfg.DownloadDir = s.downloads.keep()
	}
	if err := s.Close(); err != nil {
		s.log.Warn("browser: relaunch: the dead Chrome was not cleaned up whole", "err", err)
	}
	n, err := New(ctx, cfg)
	if err != nil {
		if temp {
			s.downloads.forget()
		}
		return nil, err
	}
	n.cfg.DownloadDir = s.cfg.DownloadDir
	n.downloads.follow(s.downloads, temp)
	n.har.follow(s.har)
	if err := n.reopen(ctx, tabs); err != nil {
		_ = n.Close()
		return nil, fmt.Errorf("browser: relaunch: %w", err)
	}
	return n, nil
}

// decided returns when it is known whether a connection that broke is there
// again or has ended: a call fails before that.
func (s *Session) decided(ctx context.Context) error {
	for {
		if s.b.Err() != nil {
			select {
			case <-s.done:
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		s.b.waitUp(ctx)
		// A call can fail before the reader knows why.
		_, err := cdp.Call(ctx, s.b.conn.root, cdpbrowser.GetVersion, cdp.Empty{})
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err == nil || !errors.Is(err, ErrDisconnected):
			return err
		}
		wait(ctx, 5*time.Millisecond)
	}
}

// reopen loads the pages of another session's tabs.
func (s *Session) reopen(ctx context.Context, tabs []Tab) error {
	var current *tab
	for i, t := range tabs {
		url := t.URL
		if !hasStatus(url) && !strings.HasPrefix(url, "file:") {
			url = "" // made by the page that is gone, or Chrome's own
		}
		var err error
		if i > 0 {
			_, err = s.NewTab(ctx, url)
		} else if url != "" {
			_, err = s.Navigate(ctx, url)
		}
		if err != nil {
			if ctx.Err() != nil || !s.Alive() {
				return err
			}
			s.log.Info("browser: a page could not be loaded again", "url", url, "err", err)
		}
		if t.Current {
			current = s.currentTab() // nil when the page closed itself
		}
	}
	if current == nil || current == s.currentTab() {
		return nil
	}
	return s.SwitchTab(ctx, s.shortID(current))
}

// keep has the directory outlive the session that made it.
func (d *downloads) keep() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.temp = false
	return d.dir
}

// forget removes the directory that was kept for nothing.
func (d *downloads) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.list = nil
	_ = os.RemoveAll(d.dir)
}

// follow takes over what an earlier session's downloads brought; with temp the
// directory too.
func (d *downloads) follow(old *downloads, temp bool) {
	old.mu.Lock()
	list := slices.DeleteFunc(slices.Clone(old.list), func(x *Download) bool { return !x.Done })
	old.mu.Unlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.temp = d.temp || temp
	d.list = append(list, d.list...)
}

// follow puts what an earlier session recorded in front.
func (l *harLog) follow(old *harLog) {
	if l == nil || old == nil {
		return
	}
	old.mu.Lock()
	entries := slices.Clone(old.entries)
	old.mu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = append(entries, l.entries...)
}
