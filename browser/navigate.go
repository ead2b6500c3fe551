package browser

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
)

// Navigation is what opening a page came to.
type Navigation struct {
	URL      string `json:"url"`                // where the tab ended, after redirects
	Status   int    `json:"status,omitempty"`   // HTTP status of the document; 0 when unknown
	Download bool   `json:"download,omitempty"` // the address was a download; the page stayed
	// Loading is set when the page was still loading at the end of the wait;
	// it is usable all the same. Reason says what went on.
	Loading bool   `json:"loading,omitempty"`
	Reason  string `json:"reason,omitempty"`
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
	if err := s.route.policy.document(target); err != nil {
		return nil, &NavigationError{URL: shortURL(target), Err: err}
	}
	t, err := s.activeTab(ctx, false)
	if err != nil {
		return nil, err
	}
	t.takeRefused()
	files := len(s.Downloads())
	a := t.watchLoading()
	defer a.stop()
	nctx, cancel := t.navigateContext(ctx)
	defer cancel()
	res, err := cdp.Call(nctx, t.sess, page.Navigate, page.NavigateParams{URL: target})
	if err != nil {
		if nctx.Err() != nil {
			t.sess.send(page.CommandStopLoading, nil)
		}
		return nil, &NavigationError{URL: target, Err: err}
	}
	if res.IsDownload {
		s.downloads.waitBegun(ctx, files)
		u, _ := t.info()
		return &Navigation{URL: u, Download: true}, nil
	}
	if res.ErrorText != "" {
		if err := t.takeRefused(); err != nil {
			return nil, &NavigationError{URL: target, Err: err}
		}
		if res.ErrorText == errAborted {
			if nav := t.noContent(ctx, res.LoaderID); nav != nil {
				return nav, nil
			}
		}
		return nil, &NavigationError{URL: target, Text: res.ErrorText}
	}
	if res.LoaderID == "" { // the same document at another fragment
		return t.settle(ctx, a)
	}
	if err := t.waitCommit(nctx, a.loader, res.LoaderID); err != nil {
		return nil, &NavigationError{URL: target, Err: err}
	}
	return t.settle(ctx, a)
}

// errAborted is Chrome's word for a navigation that led to no document.
const errAborted = "net::ERR_ABORTED"

// navigateContext bounds the wait for a document to begin to arrive.
func (t *tab) navigateContext(ctx context.Context) (context.Context, context.CancelFunc) {
	d := t.owner.cfg.NavigateTimeout
	return context.WithTimeoutCause(ctx, d, fmt.Errorf("no document came within %s: %w", d, context.DeadlineExceeded))
}

// noContent recognises an answer that by its status leaves the page as it was
// (204, 205), which Chrome reports as an aborted navigation.
func (t *tab) noContent(ctx context.Context, loader cdp.LoaderID) *Navigation {
	// The network's account of it follows the answer.
	wctx, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
	defer cancel()
	_ = t.waitFor(wctx, func() bool { return t.net.failure[loader] != "" })
	t.mu.Lock()
	defer t.mu.Unlock()
	if st := t.net.status[loader]; st == http.StatusNoContent || st == http.StatusResetContent {
		return &Navigation{URL: t.url, Status: st, Reason: "the server answered without content; the page stayed"}
	}
	return nil
}

// waitCommit returns when the main frame has the document of loader, or
// another one that took its place; before is the document it had.
func (t *tab) waitCommit(ctx context.Context, before, loader cdp.LoaderID) error {
	err := t.waitFor(ctx, func() bool {
		return t.refused != nil || t.life.loader != "" && (t.life.loader == loader || t.life.loader != before)
	})
	if refused := t.takeRefused(); refused != nil {
		return refused
	}
	return err
}

// settle waits for the quiet of the document that the tab has now: twice
// Config.ReadyTimeout for it to be parsed and once for it to be quiet.
func (t *tab) settle(ctx context.Context, a *activity) (*Navigation, error) {
	ready := t.owner.cfg.ReadyTimeout
	dctx, cancel := context.WithTimeout(ctx, 2*ready)
	err := t.waitFor(dctx, func() bool { return t.life.dom })
	cancel()
	u, _ := t.info()
	if err != nil && (ctx.Err() != nil || isGone(err)) {
		return nil, &NavigationError{URL: u, Err: fmt.Errorf("waiting for the document: %w", err)}
	}
	if err == nil {
		if nav, ok := t.loaded(ctx, ready); ok && ctx.Err() == nil {
			return nav, nil
		}
	}
	deadline := time.Now()
	if err == nil {
		deadline = deadline.Add(ready)
	}
	settled, err := a.waitUntil(ctx, deadline)
	u, _ = t.info()
	if err != nil {
		return nil, &NavigationError{URL: u, Err: err}
	}
	t.waitReported(ctx)
	t.mu.Lock()
	status, known := t.net.status[t.life.loader]
	t.mu.Unlock()
	if !known && hasStatus(u) && (settled.Navigated || !settled.Began) {
		sctx, cancel := context.WithTimeout(ctx, 2*time.Second)
		status = t.documentStatus(sctx)
		cancel()
	}
	return &Navigation{URL: u, Status: status, Loading: settled.Loading, Reason: settled.Reason}, nil
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
	a := t.watchLoading()
	defer a.stop()
	entry := h.Entries[i]
	t.takeRefused()
	t.mu.Lock()
	beforeURL := t.url
	t.mu.Unlock()
	nctx, cancel := t.navigateContext(ctx)
	defer cancel()
	if _, err := cdp.Call(nctx, t.sess, page.NavigateToHistoryEntry, page.NavigateToHistoryEntryParams{EntryID: entry.ID}); err != nil {
		return nil, &NavigationError{URL: entry.URL, Err: err}
	}
	// A new document, or the same one at another address.
	err = t.waitFor(nctx, func() bool { return t.refused != nil || t.life.loader != a.loader || t.url != beforeURL })
	if refused := t.takeRefused(); refused != nil {
		err = refused
	}
	if err != nil {
		return nil, &NavigationError{URL: entry.URL, Err: err}
	}
	return t.settle(ctx, a)
}

// Reload loads the current page again.
func (s *Session) Reload(ctx context.Context) (*Navigation, error) {
	t, err := s.active(ctx)
	if err != nil {
		return nil, err
	}
	a := t.watchLoading()
	defer a.stop()
	t.takeRefused()
	u, _ := t.info()
	nctx, cancel := t.navigateContext(ctx)
	defer cancel()
	if _, err := cdp.Call(nctx, t.sess, page.Reload, page.ReloadParams{}); err != nil {
		return nil, &NavigationError{URL: u, Err: err}
	}
	err = t.waitFor(nctx, func() bool { return t.refused != nil || t.life.loader != a.loader })
	if refused := t.takeRefused(); refused != nil {
		err = refused
	}
	if err != nil {
		return nil, &NavigationError{URL: u, Err: err}
	}
	return t.settle(ctx, a)
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
