package browser

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
)

// Navigation is what opening a page came to.
type Navigation struct {
	URL      string `json:"url"`                // where the tab ended, after redirects
	Status   int    `json:"status,omitempty"`   // HTTP status of the document; 0 when unknown
	Download bool   `json:"download,omitempty"` // the address was a download; the page stayed
	// Loading is set when the page was still loading at the end of the wait;
	// it is usable all the same.
	Loading bool `json:"loading,omitempty"`
}

// Navigate opens rawURL in the current tab and waits until its document is
// there and the page is quiet, but no longer than Config.ReadyTimeout after
// the document. A host without a scheme gets https, a loopback host http.
// Errors: *NavigationError, the context's, ErrClosed, ErrDisconnected.
func (s *Session) Navigate(ctx context.Context, rawURL string) (*Navigation, error) {
	target, err := completeURL(rawURL)
	if err != nil {
		return nil, &NavigationError{URL: rawURL, Err: err}
	}
	t, err := s.active(ctx)
	if err != nil {
		return nil, err
	}
	res, err := cdp.Call(ctx, t.sess, page.Navigate, page.NavigateParams{URL: target})
	if err != nil {
		return nil, &NavigationError{URL: target, Err: err}
	}
	if res.IsDownload {
		u, _ := t.info()
		return &Navigation{URL: u, Download: true}, nil
	}
	if res.ErrorText != "" {
		return nil, &NavigationError{URL: target, Text: res.ErrorText}
	}
	return t.settle(ctx, res.LoaderID)
}

// settle waits for the document of a navigation that began with loader, or of
// whatever replaced it, and for its quiet.
func (t *tab) settle(ctx context.Context, loader cdp.LoaderID) (*Navigation, error) {
	nav := &Navigation{}
	if loader != "" {
		committed := func() bool {
			f := t.frames[t.main]
			return f != nil && (f.loader == loader || t.life.loader != "" && t.life.loader != loader && f.loader == t.life.loader) && t.life.dom
		}
		if err := t.waitFor(ctx, committed); err != nil {
			u, _ := t.info()
			return nil, &NavigationError{URL: u, Err: fmt.Errorf("waiting for the document: %w", err)}
		}
		rctx, cancel := context.WithTimeout(ctx, t.owner.cfg.ReadyTimeout)
		err := t.waitFor(rctx, func() bool { return t.life.load })
		cancel()
		if err != nil {
			if ctx.Err() != nil || isGone(err) {
				return nil, &NavigationError{URL: nav.URL, Err: err}
			}
			nav.Loading = true
		}
	}
	nav.URL, _ = t.info()
	if err := t.callInFrame(ctx, t.main, `() => { const e = performance.getEntriesByType('navigation')[0]; return e && e.responseStatus || 0 }`, &nav.Status); err != nil && ctx.Err() != nil {
		return nil, &NavigationError{URL: nav.URL, Err: err}
	}
	return nav, nil
}

// Back goes to the previous page of the current tab's history.
func (s *Session) Back(ctx context.Context) (*Navigation, error) { return s.travel(ctx, -1) }

// Forward goes to the next page of the current tab's history.
func (s *Session) Forward(ctx context.Context) (*Navigation, error) { return s.travel(ctx, +1) }

// ErrNoHistory is returned by Back and Forward at the end of the history.
var ErrNoHistory = errors.New("browser: no page to go to in the tab's history")

func (s *Session) travel(ctx context.Context, delta int64) (*Navigation, error) {
	t, err := s.active(ctx)
	if err != nil {
		return nil, err
	}
	h, err := cdp.Call(ctx, t.sess, page.GetNavigationHistory, cdp.Empty{})
	if err != nil {
		return nil, err
	}
	i := h.CurrentIndex + delta
	if i < 0 || i >= int64(len(h.Entries)) {
		return nil, ErrNoHistory
	}
	t.mu.Lock()
	before := t.life.loader
	beforeURL := t.url
	t.mu.Unlock()
	entry := h.Entries[i]
	if _, err := cdp.Call(ctx, t.sess, page.NavigateToHistoryEntry, page.NavigateToHistoryEntryParams{EntryID: entry.ID}); err != nil {
		return nil, &NavigationError{URL: entry.URL, Err: err}
	}
	// A new document, or the same one at another address.
	if err := t.waitFor(ctx, func() bool {
		return t.life.loader != before && t.life.dom || t.url != beforeURL && t.life.loader == before
	}); err != nil {
		return nil, &NavigationError{URL: entry.URL, Err: err}
	}
	t.mu.Lock()
	loader := t.life.loader
	t.mu.Unlock()
	if loader == before {
		loader = ""
	}
	return t.settle(ctx, loader)
}

// Reload loads the current page again.
func (s *Session) Reload(ctx context.Context) (*Navigation, error) {
	t, err := s.active(ctx)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	before := t.life.loader
	t.mu.Unlock()
	if _, err := cdp.Call(ctx, t.sess, page.Reload, page.ReloadParams{}); err != nil {
		return nil, err
	}
	if err := t.waitFor(ctx, func() bool { return t.life.loader != before }); err != nil {
		return nil, fmt.Errorf("browser: reload: %w", err)
	}
	t.mu.Lock()
	loader := t.life.loader
	t.mu.Unlock()
	return t.settle(ctx, loader)
}

// completeURL checks an address and adds the scheme that a person would mean.
func completeURL(raw string) (string, error) {
	raw = strings.TrimSpace(raw)
	if raw == "" {
		return "", errors.New("the address is empty")
	}
	if u, err := url.Parse(raw); err == nil && u.Scheme != "" && (u.Host != "" || u.Opaque != "" && !looksLikePort(u.Opaque) || u.Scheme == "file" || u.Scheme == "about") {
		return raw, nil
	}
	u, err := url.Parse("https://" + raw)
	if err != nil || u.Host == "" || strings.ContainsAny(u.Host, " \t\n") {
		return "", errors.New("not an address: give a full URL such as https://example.com/")
	}
	host := u.Hostname()
	if ip := net.ParseIP(host); host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback() {
		u.Scheme = "http"
	}
	return u.String(), nil
}

// looksLikePort tells "localhost:3000/x", which parses as scheme and opaque
// part, from "data:..." or "about:blank".
func looksLikePort(opaque string) bool {
	digits := 0
	for digits < len(opaque) && opaque[digits] >= '0' && opaque[digits] <= '9' {
		digits++
	}
	return digits > 0 && (digits == len(opaque) || strings.ContainsRune("/?#", rune(opaque[digits])))
}
