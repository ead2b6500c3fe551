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
	nav, err := s.navigate(ctx, target)
	if errors.Is(err, ErrHung) {
		// The page that was there did not let go; another tab took its place.
		nav, err = s.navigate(ctx, target)
	}
	return nav, err
}

func (s *Session) navigate(ctx context.Context, target string) (*Navigation, error) {
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
	if !waitsItself(ctx) { // the load event alone is waited for then
		t.networkOn(nctx)
	}
	before := t.mark()
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
			return t.aborted(ctx, target, res.LoaderID, before)
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

// navigateContext bounds the wait for a document to begin to arrive. A page
// that keeps the tab from going on is found out on the way.
func (t *tab) navigateContext(ctx context.Context) (context.Context, context.CancelFunc) {
	d := t.owner.cfg.NavigateTimeout
	ctx, cancel := context.WithTimeoutCause(ctx, d, fmt.Errorf("no document came within %s: %w", d, context.DeadlineExceeded))
	doubt := time.AfterFunc(min(d/4, 3*time.Second), t.suspect)
	return ctx, func() { doubt.Stop(); cancel() }
}

// navMark is a moment in the navigations of a tab.
type navMark struct {
	commits, kept int
	begun         cdp.LoaderID
}

func (t *tab) mark() navMark {
	t.mu.Lock()
	defer t.mu.Unlock()
	return navMark{commits: t.nav.commits, kept: t.kept, begun: t.nav.begun}
}

// aborted tells what a navigation came to that led to no document: an answer
// that by its status leaves the page as it was (204, 205) is no failure.
func (t *tab) aborted(ctx context.Context, target string, loader cdp.LoaderID, before navMark) (*Navigation, error) {
	// The network's account of it follows the answer.
	wctx, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
	defer cancel()
	_ = t.waitFor(wctx, func() bool { return t.net.failure[loader] != "" || t.kept != before.kept })
	empty := t.withoutContent(loader)
	t.mu.Lock()
	defer t.mu.Unlock()
	if empty {
		return &Navigation{URL: t.url, Status: t.net.status[loader], Reason: "the server answered without content; the page stayed"}, nil
	}
	if t.kept != before.kept {
		return nil, &NavigationError{URL: target, Text: "the page asked whether to leave it and was answered no"}
	}
	return nil, &NavigationError{URL: target, Text: errAborted}
}

// outcome waits for what a navigation comes to that was asked for without an
// answer of its own: through the history, or a reload.
func (t *tab) outcome(ctx, nctx context.Context, target string, a *activity, before navMark, files int) (*Navigation, error) {
	err := t.waitFor(nctx, func() bool {
		return t.refused != nil || t.nav.commits != before.commits || t.kept != before.kept ||
			t.nav.begun != before.begun && t.net.failure[t.nav.begun] == errAborted
	})
	if refused := t.takeRefused(); refused != nil {
		err = refused
	}
	if err != nil {
		return nil, &NavigationError{URL: target, Err: err}
	}
	now := t.mark()
	if now.commits != before.commits {
		return t.settle(ctx, a)
	}
	if now.kept == before.kept && !t.withoutContent(now.begun) && t.owner.downloads.waitBegun(ctx, files) {
		u, _ := t.info()
		return &Navigation{URL: u, Download: true}, nil
	}
	return t.aborted(ctx, target, now.begun, before)
}

// withoutContent reports whether a document's status says that there is none.
func (t *tab) withoutContent(loader cdp.LoaderID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	st := t.net.status[loader]
	return st == http.StatusNoContent || st == http.StatusResetContent
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
			if err := t.errorPage(); err != nil {
				return nil, err
			}
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
	if err := t.errorPage(); err != nil {
		return nil, err
	}
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

// notOpened is said when Chrome was not heard about the reason.
const notOpened = "it could not be opened"

// errorPage says that the tab ended at Chrome's own page about an address that
// could not be opened.
func (t *tab) errorPage() *NavigationError {
	t.mu.Lock()
	defer t.mu.Unlock()
	f := t.frames[t.main]
	if f == nil || !f.failed {
		return nil
	}
	text := t.net.failure[f.loader]
	if text == "" {
		text = notOpened
	}
	return &NavigationError{URL: f.url, Text: text}
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
	files, before := len(s.Downloads()), t.mark()
	nctx, cancel := t.navigateContext(ctx)
	defer cancel()
	if _, err := cdp.Call(nctx, t.sess, page.NavigateToHistoryEntry, page.NavigateToHistoryEntryParams{EntryID: entry.ID}); err != nil {
		return nil, &NavigationError{URL: entry.URL, Err: err}
	}
	return t.outcome(ctx, nctx, entry.URL, a, before, files)
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
	files, before := len(s.Downloads()), t.mark()
	nctx, cancel := t.navigateContext(ctx)
	defer cancel()
	if _, err := cdp.Call(nctx, t.sess, page.Reload, page.ReloadParams{}); err != nil {
		return nil, &NavigationError{URL: u, Err: err}
	}
	return t.outcome(ctx, nctx, u, a, before, files)
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
	if scheme, rest, ok := strings.Cut(raw, "://"); ok && !strings.ContainsAny(scheme, "/?#") {
		return "", fmt.Errorf("no host in %s://%.40s", scheme, rest)
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
