package browser

import (
	"context"
	"net/http"
	"time"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"

	"github.com/seed-4bdb41d0/webhand/internal/urlmatch"
)

// Blocked is sent when the policy refused something a page asked for.
type Blocked struct {
	Tab  string // empty when the connection cannot be told apart by tab
	What string // "page", "frame" or "resource"
	Err  *PolicyError
}

func (Blocked) event() {}

func (e Blocked) String() string {
	s := e.What + " " + e.Err.URL + " was blocked: " + e.Err.Rule
	if e.What == "page" {
		s += "; the tab stayed where it was"
	}
	return s
}

// intercept puts the policy between one session's documents and the network:
// every request for a document is held, at every redirect, until it is judged.
// Call it while the target is paused, so that not even its first request
// passes. The calls are part of the caller's flush.
func (t *tab) intercept(sess *cdpSession, kind string) []*call {
	r := t.owner.route
	p := r.policy
	if !p.active() && r.proxyUser == nil {
		return nil
	}
	onEvent(sess, fetch.RequestPaused, func(ev fetch.EventRequestPaused) { t.judge(sess, ev) })
	params := fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: "*", ResourceType: network.ResourceTypeDocument}}}
	if r.holdsAll() {
		params.Patterns = []*fetch.RequestPattern{{URLPattern: "*"}}
	}
	if r.proxyUser != nil {
		params.HandleAuthRequests = new(true)
		onEvent(sess, fetch.AuthRequired, func(ev fetch.EventAuthRequired) { t.authenticate(sess, ev) })
	}
	calls := []*call{sess.send(fetch.CommandEnable, params)}
	if kind != "worker" && p.guardsConnections() {
		// Peer connections are made by neither request nor proxy.
		calls = append(calls, sess.send(page.CommandAddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
			Source: `delete globalThis.RTCPeerConnection; delete globalThis.webkitRTCPeerConnection`, RunImmediately: new(true),
		}))
	}
	if sess == t.sess && p.active() {
		// A page rendered ahead of its navigation would be shown without
		// another request.
		calls = append(calls, sess.send(page.CommandSetPrerenderingAllowed, page.SetPrerenderingAllowedParams{IsAllowed: false}))
	}
	return calls
}

// judge answers one held request. Looking a name up takes time, so it happens
// beside the tab's other events.
func (t *tab) judge(sess *cdpSession, ev fetch.EventRequestPaused) {
	p := t.owner.route.policy
	if ev.Request == nil {
		return
	}
	document := ev.ResourceType == network.ResourceTypeDocument
	var err *PolicyError
	if document {
		err = p.document(ev.Request.URL)
	} else {
		err = p.resource(ev.Request.URL)
	}
	if err != nil {
		t.refuse(sess, ev, err)
		return
	}
	if r := t.owner.route; !p.refusePrivate || r.proxied || r.guard != nil && !document {
		sess.send(fetch.CommandContinueRequest, fetch.ContinueRequestParams{RequestID: ev.RequestID})
		return
	}
	go func() {
		if err := p.lookUp(ev.Request.URL); err != nil {
			t.refuse(sess, ev, err)
			return
		}
		sess.send(fetch.CommandContinueRequest, fetch.ContinueRequestParams{RequestID: ev.RequestID})
	}()
}

// lookUp judges the addresses that a URL's host has now. A name that this
// machine cannot look up is left to Chrome.
func (p *policy) lookUp(raw string) *PolicyError {
	u, ok := urlmatch.ParseURL(raw)
	if !ok || u.Host == "" || u.IP.IsValid() || p.named[u.Host] && isLocalName(u.Host) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	ips, err := p.resolver.LookupNetIP(ctx, "ip", u.Host)
	if err != nil {
		return nil
	}
	for _, ip := range ips {
		if err := p.resolved(u.Host, ip); err != nil {
			err.URL = shortURL(raw)
			return err
		}
	}
	return nil
}

// refuse ends a held request. A document of a tab is answered with 204, which
// leaves the tab on the page it had; all else fails.
func (t *tab) refuse(sess *cdpSession, ev fetch.EventRequestPaused, err *PolicyError) {
	what := "resource"
	if ev.ResourceType == network.ResourceTypeDocument {
		what = "frame"
		if ev.FrameID == t.main {
			what = "page"
		}
	}
	if what != "page" {
		sess.send(fetch.CommandFailRequest, fetch.FailRequestParams{RequestID: ev.RequestID, ErrorReason: network.ErrorReasonBlockedByClient})
		t.owner.reportBlocked(Blocked{Tab: t.owner.shortID(t), What: what, Err: err})
		return
	}
	t.update(func() { t.refused = err })
	sess.send(fetch.CommandFulfillRequest, fetch.FulfillRequestParams{RequestID: ev.RequestID, ResponseCode: http.StatusNoContent})
	t.emit(Blocked{Tab: t.owner.shortID(t), What: what, Err: err})
	t.closeIfNeverUsed()
}

// closeIfNeverUsed closes a tab that a page opened only to be refused.
func (t *tab) closeIfNeverUsed() {
	t.mu.Lock()
	f := t.frames[t.main]
	unused := t.openerID != "" && (f == nil || f.url == "" || isBlank(f.url))
	t.mu.Unlock()
	if unused {
		t.sess.send(page.CommandClose, nil)
	}
}

// reportBlocked sends an event once for each host and rule: a page can ask for
// the same picture a thousand times.
func (s *Session) reportBlocked(ev Blocked) {
	host := ev.Err.URL
	if u, ok := urlmatch.ParseURL(host); ok && u.Host != "" {
		host = u.Host
	}
	key := ev.What + " " + host + " " + ev.Err.Rule
	s.mu.Lock()
	known := s.blocked[key]
	if s.blocked == nil || len(s.blocked) > 500 {
		s.blocked = make(map[string]bool)
	}
	s.blocked[key] = true
	s.mu.Unlock()
	if !known {
		s.emit(ev)
	}
}

// authenticate answers a proxy that asks who we are, and nobody else.
func (t *tab) authenticate(sess *cdpSession, ev fetch.EventAuthRequired) {
	answer := &fetch.AuthChallengeResponse{Response: fetch.AuthChallengeResponseResponseDefault}
	if u := t.owner.route.proxyUser; u != nil && ev.AuthChallenge != nil && ev.AuthChallenge.Source == fetch.AuthChallengeSourceProxy {
		pw, _ := u.Password()
		answer = &fetch.AuthChallengeResponse{
			Response: fetch.AuthChallengeResponseResponseProvideCredentials, Username: u.Username(), Password: pw,
		}
	}
	sess.send(fetch.CommandContinueWithAuth, fetch.ContinueWithAuthParams{RequestID: ev.RequestID, AuthChallengeResponse: answer})
}

// checkShown judges what the main frame shows in spite of all: documents that
// need no request (blob:, data:, a service worker's answer) and addresses that
// a script gave itself. It reports whether the page may stay.
func (t *tab) checkShown(raw string) bool {
	p := t.owner.route.policy
	if !p.active() {
		return true
	}
	err := p.document(raw)
	t.mu.Lock()
	if err == nil {
		t.lastGood = raw
		t.mu.Unlock()
		return true
	}
	back := t.lastGood
	if back == "" || time.Since(t.sentBack) < 5*time.Second {
		back = "about:blank" // it goes astray again at once
	}
	t.sentBack = time.Now()
	t.refused = err
	t.notifyLocked()
	t.mu.Unlock()
	t.emit(Blocked{Tab: t.owner.shortID(t), What: "page", Err: err})
	if back == "about:blank" && t.openerID != "" {
		t.sess.send(page.CommandClose, nil)
	} else {
		t.sess.send(page.CommandNavigate, page.NavigateParams{URL: back})
	}
	return false
}

// takeRefused returns and forgets what the policy refused last.
func (t *tab) takeRefused() *PolicyError {
	t.mu.Lock()
	defer t.mu.Unlock()
	err := t.refused
	t.refused = nil
	return err
}
