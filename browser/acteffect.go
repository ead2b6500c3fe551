package browser

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
)

// effectWait is how long an action watches for something to come of it when
// nothing has yet.
const effectWait = 150 * time.Millisecond

// Effect is what an action was seen to do.
type Effect struct {
	// What names the element that was acted on in a few words; What of an
	// action aimed at a point is what lay there.
	What string `json:"what,omitempty"`
	// Navigated is the address the tab went to; empty when it stayed.
	Navigated string `json:"navigated,omitempty"`
	// Status is the HTTP status of the page it went to, in this tab or a new
	// one, when that is 400 or more.
	Status int `json:"status,omitempty"`
	// Failed says why the page it went to could not be opened, and Chrome's
	// own page about that is shown (a net error of Chrome).
	Failed string `json:"failed,omitempty"`
	// Loading is set when the new page was still loading at the end of the wait.
	Loading bool `json:"loading,omitempty"`
	// NewTab is the id of a tab that was opened, and whether it is now current.
	NewTab  string `json:"new_tab,omitempty"`
	Current bool   `json:"new_tab_current,omitempty"`
	// Closed is set when the tab acted on is gone.
	Closed bool `json:"closed,omitempty"`
	// Events are dialogs, downloads and the like, in their order.
	Events []Event `json:"-"`
	// Focus names the element that has the focus now; empty when none has, or
	// when it is the element itself.
	Focus string `json:"focus,omitempty"`
	// Checked is the state of a checkbox, radio button or switch afterwards.
	Checked *bool `json:"checked,omitempty"`
	// Value is what a field or list holds afterwards; nil when it has none
	// or it is a secret.
	Value *string `json:"value,omitempty"`
	// Changed says that something on the page changed.
	Changed bool `json:"changed"`
	// Expanded is "true" or "false" when the element can open and close.
	Expanded string `json:"expanded,omitempty"`
	// Notes say what else is worth knowing, in short sentences.
	Notes []string `json:"notes,omitempty"`
}

// Lines says what came of the action in short sentences, for a model.
func (e *Effect) Lines() []string {
	if e == nil {
		return nil
	}
	var out []string
	if e.Navigated != "" {
		s := "the page is now " + e.Navigated + e.refusal()
		if e.Loading {
			s += " (still loading)"
		}
		out = append(out, s)
	}
	if e.NewTab != "" {
		s := "opened tab " + e.NewTab
		if e.Current {
			s += ", which is current now" + e.refusal()
		}
		out = append(out, s)
	}
	if e.Closed {
		out = append(out, "the tab closed")
	}
	for _, ev := range e.Events {
		out = append(out, ev.String())
	}
	if e.Checked != nil {
		if *e.Checked {
			out = append(out, "it is now checked")
		} else {
			out = append(out, "it is now unchecked")
		}
	}
	switch e.Expanded {
	case "true":
		out = append(out, "it is now open")
	case "false":
		out = append(out, "it is now closed")
	}
	if e.Focus != "" {
		out = append(out, "the focus is on "+e.Focus)
	}
	return append(out, e.Notes...)
}

// refusal says that the page the action led to is not the one asked for.
func (e *Effect) refusal() string {
	switch {
	case e.Failed == notOpened:
		return " (" + notOpened + ")"
	case e.Failed != "":
		return " (it could not be opened: " + e.Failed + ")"
	case e.Status != 0:
		return fmt.Sprintf(" (the server answered HTTP %d)", e.Status)
	}
	return ""
}

// moved reports whether the page the model planned for is not the current
// one any more.
func (e *Effect) moved() bool { return e.Navigated != "" || e.Closed || e.NewTab != "" && e.Current }

// trace is what the acting script saw after an action.
type trace struct {
	Lost    bool   `json:"lost"`
	Blocked string `json:"blocked"`
	By      string `json:"by"`
	ByRef   int    `json:"byRef"`
	Changed bool   `json:"changed"`
	Leaves  bool   `json:"leaves"`
	Linked  bool   `json:"linked"`
	State   *struct {
		Tag      string  `json:"tag"`
		Type     string  `json:"type"`
		Checked  *bool   `json:"checked"`
		Value    *string `json:"value"`
		Expanded string  `json:"expanded"`
	} `json:"state"`
	Focus         string `json:"focus"`
	FocusIsTarget bool   `json:"focusIsTarget"`
	URL           string `json:"url"`
	After         bool   `json:"after"`
	Right         bool   `json:"right"`
}

// effectWatch sees what an action does outside the document.
type effectWatch struct {
	t      *tab
	sub    *eventSub
	seq    int
	loader cdp.LoaderID
	url    string
}

// front makes sure that the tab is the one Chrome draws: a page in the
// background answers mouse events late or never.
func (t *tab) front(ctx context.Context) error {
	t.stir(ctx)
	s := t.owner
	s.mu.Lock()
	known := s.frontTab == t && s.frontSeen == s.changed
	changed := s.changed
	s.mu.Unlock()
	if known {
		return nil
	}
	if _, err := cdp.Call(ctx, t.sess, page.BringToFront, cdp.Empty{}); err != nil {
		return err
	}
	s.mu.Lock()
	if s.changed == changed {
		s.frontTab, s.frontSeen = t, changed
	}
	s.mu.Unlock()
	return nil
}

func (t *tab) watchEffects() *effectWatch {
	w := &effectWatch{t: t, sub: t.owner.events.subscribe()}
	t.mu.Lock()
	w.seq, w.loader, w.url = t.nav.seq, t.life.loader, t.url
	t.mu.Unlock()
	return w
}

func (w *effectWatch) stop() { w.t.owner.events.unsubscribe(w.sub) }

// began reports whether a navigation, a new tab, a dialog or a download began.
func (w *effectWatch) began() bool {
	t := w.t
	t.mu.Lock()
	nav := t.nav.seq != w.seq || t.life.loader != w.loader || t.url != w.url || t.err != nil
	t.mu.Unlock()
	if nav {
		return true
	}
	l := &t.owner.events
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(w.sub.queue) > 0
}

// leaving reports whether the main frame has, or is about to get, another
// document, after a key was pressed. Enter and Space may have submitted a form
// or followed a link, which only the page knows at once.
func (w *effectWatch) leaving(ctx context.Context, last stroke) bool {
	w.t.mu.Lock()
	left := w.t.life.loader != w.loader || w.t.nav.loader != "" || !w.t.nav.requested.IsZero() || w.t.err != nil
	w.t.mu.Unlock()
	if left || last.key.code != "Enter" && last.key.code != "Space" {
		return left
	}
	var a struct {
		Leaving bool `json:"leaving"`
	}
	err := w.t.page().do(ctx, "leaving", nil, &a)
	return a.Leaving || err != nil && isGoneFrame(err)
}

// await returns when something outside the document began or d passed.
func (w *effectWatch) await(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		w.t.mu.Lock()
		changed := w.t.changed
		w.t.mu.Unlock()
		if w.began() {
			return true
		}
		select {
		case <-changed:
		case <-w.sub.wake:
		case <-timer.C:
			return w.began()
		case <-ctx.Done():
			return false
		}
	}
}

// finish fills the effect: it waits for a navigation that began to arrive,
// for at most three seconds, and for one that is due for effectWait.
func (w *effectWatch) finish(ctx context.Context, e *Effect, due bool) {
	t := w.t
	if due {
		w.await(ctx, effectWait)
	}
	if w.began() {
		nctx, cancel := context.WithTimeout(ctx, 3*time.Second)
		err := t.waitFor(nctx, func() bool {
			return !t.nav.loading(time.Now()) && (t.life.loader == "" || t.life.dom)
		})
		cancel()
		e.Loading = err != nil && t.failed() == nil
	}
	s := t.owner
	t.mu.Lock()
	url, loader, gone := t.url, t.life.loader, t.err != nil
	t.mu.Unlock()
	switch {
	case gone:
		e.Closed = true
	case loader != w.loader:
		e.Navigated = url
		e.answered(ctx, t)
	case url != w.url:
		e.Navigated = url
	default:
		e.Loading = false
	}
	t.mu.Lock()
	asked := t.nav.seq != w.seq
	t.mu.Unlock()
	w.collect(e)
	if asked && e.Navigated == "" && !e.Closed && len(e.Events) == 0 && e.NewTab == "" {
		// A navigation that ended without a document is a download, which is
		// told of a moment later, or an answer without content.
		w.hear(ctx, e, time.Now().Add(effectWait), func() bool { return len(e.Events) > 0 })
	}
	w.hear(ctx, e, time.Now().Add(downloadWait), func() bool { return !e.downloading() })
	if e.NewTab != "" {
		s.mu.Lock()
		now := s.current
		e.Current = now != nil && s.shortIDLocked(now.id) == e.NewTab
		s.mu.Unlock()
		if e.Current {
			now.arrive(ctx)
			e.answered(ctx, now)
			// A tab that shows a PDF keeps it as a download.
			w.collect(e)
			w.hear(ctx, e, time.Now().Add(downloadWait), func() bool { return !e.downloading() })
		}
	}
}

// answered notes that the document a tab has now is not what was asked for.
func (e *Effect) answered(ctx context.Context, t *tab) {
	if !waitsItself(ctx) {
		t.waitReported(ctx)
	}
	if failed := t.errorPage(); failed != nil {
		e.Failed = failed.Text
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if st := t.net.status[t.life.loader]; st >= http.StatusBadRequest {
		e.Status = st
	}
}

// downloadWait is how long an action waits for a download that it began.
const downloadWait = 10 * time.Second

// hear collects events until done or the deadline.
func (w *effectWatch) hear(ctx context.Context, e *Effect, deadline time.Time, done func() bool) {
	timer := time.NewTimer(time.Until(deadline))
	defer timer.Stop()
	for !done() {
		select {
		case _, open := <-w.sub.wake:
			w.collect(e)
			if !open {
				return
			}
		case <-timer.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// collect takes the events so far into the effect.
func (w *effectWatch) collect(e *Effect) {
	for _, ev := range w.t.owner.events.drain(w.sub) {
		switch ev := ev.(type) {
		case TabOpened:
			e.NewTab, e.Current = ev.Tab, ev.Current
		case Navigated, TabClosed:
			// Said apart; another tab's is not this action's.
		case DownloadFinished:
			e.Events = slices.DeleteFunc(e.Events, func(x Event) bool {
				b, ok := x.(DownloadStarted)
				return ok && b.ID == ev.ID
			})
			e.Events = append(e.Events, ev)
		default:
			e.Events = append(e.Events, ev)
		}
	}
}

// downloading reports whether a download began and did not end yet.
func (e *Effect) downloading() bool {
	return slices.ContainsFunc(e.Events, func(x Event) bool { _, ok := x.(DownloadStarted); return ok })
}

// arrive waits, for at most three seconds, until a new tab shows the document
// it was opened for.
func (t *tab) arrive(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	if t.waitReady(ctx) != nil {
		return
	}
	_ = t.waitFor(ctx, func() bool { return !t.nav.loading(time.Now()) && t.life.dom })
}

// take copies what the script saw into the effect.
func (e *Effect) take(tr *trace) {
	e.Changed = e.Changed || tr.Changed
	if tr.State != nil {
		e.Value, e.Checked, e.Expanded = tr.State.Value, tr.State.Checked, tr.State.Expanded
	}
	if !tr.FocusIsTarget {
		e.Focus = tr.Focus
	}
}

// nothing reports whether nothing at all was seen to come of the action.
func (e *Effect) nothing() bool {
	return !e.Changed && e.Navigated == "" && e.NewTab == "" && !e.Closed && len(e.Events) == 0
}

// String joins the lines.
func (e *Effect) String() string {
	if e == nil {
		return ""
	}
	return fmt.Sprintf("%s: %s", e.What, strings.Join(e.Lines(), "; "))
}
