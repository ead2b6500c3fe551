package browser

import (
	"context"
	"fmt"
	"iter"
	"sync"
)

// Event is something that happened in a session: one of [Navigated],
// [TabOpened], [TabClosed], [Crashed], [Hung], [DialogOpened],
// [DownloadStarted], [DownloadFinished], [FileChooserOpened], [Blocked],
// [CaptchaFound], [ConsoleError] and [ConnectionLost]. Tab fields hold the id
// that [Session.SwitchTab] takes.
type Event interface {
	// String says the event in one line, fit for a model to read.
	String() string
	event()
}

// Navigated is sent when a tab's main frame has another address
// (Page.frameNavigated, Page.navigatedWithinDocument).
type Navigated struct {
	Tab    string
	URL    string
	Status int // HTTP status of the document; 0 when there is none
	// SameDocument is set when only the address changed, by a fragment or by
	// the history API.
	SameDocument bool
	// Error is set when the address could not be opened and Chrome shows its
	// error page, such as net::ERR_CONNECTION_REFUSED.
	Error string
}

// TabOpened is sent when a page opened a tab, or the session did.
type TabOpened struct {
	Tab     string
	URL     string // empty while the tab has not been told where to go
	Opener  string // the tab whose page opened it; empty for the session's own
	Current bool   // the session follows it: it is now the current tab
}

// TabClosed is sent when a tab is gone.
type TabClosed struct {
	Tab     string
	URL     string
	Current string // the tab that is current now; empty when none is left
}

// Crashed is sent when a tab's renderer died (Target.targetCrashed). The next
// call on the tab opens its address again in a new renderer.
type Crashed struct {
	Tab string
	URL string
}

// Hung is sent when a tab's page did not answer, because its script never
// ends.
type Hung struct {
	Tab string
	URL string
	// Replaced is the tab that took the place of the hung one, empty when
	// stopping the script was enough.
	Replaced string
}

// DialogOpened is sent when a page opened a JavaScript dialog
// (Page.javascriptDialogOpening), after it was answered.
type DialogOpened struct {
	Dialog
	Accepted bool
	Text     string // what was typed into a prompt
}

// FileChooserOpened is sent when a page asked for files
// (Page.fileChooserOpened). No window opens; the files are set on the input.
type FileChooserOpened struct {
	Tab      string
	Multiple bool
}

// ConsoleError is sent for errors in the page's console when
// [Config.Console] is set.
type ConsoleError struct {
	Tab  string
	Text string
	URL  string // the script's
	Line int    // counted from 1; 0 when unknown
}

// ConnectionLost is sent when the connection to Chrome ended by itself.
type ConnectionLost struct {
	Err error
	// Reconnected is set when a new connection took its place and the tabs
	// are usable again.
	Reconnected bool
}

func (Navigated) event()         {}
func (TabOpened) event()         {}
func (TabClosed) event()         {}
func (Crashed) event()           {}
func (Hung) event()              {}
func (DialogOpened) event()      {}
func (FileChooserOpened) event() {}
func (ConsoleError) event()      {}
func (ConnectionLost) event()    {}

func (e Navigated) String() string {
	switch {
	case e.Error != "":
		return fmt.Sprintf("tab %s could not open %s: %s", e.Tab, e.URL, e.Error)
	case e.SameDocument:
		return fmt.Sprintf("tab %s is at %s (same document)", e.Tab, e.URL)
	case e.Status != 0 && e.Status != 200:
		return fmt.Sprintf("tab %s went to %s (HTTP %d)", e.Tab, e.URL, e.Status)
	}
	return fmt.Sprintf("tab %s went to %s", e.Tab, e.URL)
}

func (e TabOpened) String() string {
	s := "tab " + e.Tab + " opened"
	if e.URL != "" && e.URL != "about:blank" {
		s += " at " + e.URL
	}
	if e.Opener != "" {
		s += " by tab " + e.Opener
	}
	if e.Current {
		s += " and is current"
	}
	return s
}

func (e TabClosed) String() string {
	s := "tab " + e.Tab + " closed"
	if e.Current != "" {
		s += "; tab " + e.Current + " is current"
	}
	return s
}

func (e Crashed) String() string { return fmt.Sprintf("tab %s crashed at %s", e.Tab, e.URL) }

func (e Hung) String() string {
	if e.Replaced == "" {
		return fmt.Sprintf("the page of tab %s at %s did not answer; its script was stopped", e.Tab, e.URL)
	}
	return fmt.Sprintf("the page of tab %s at %s did not answer; tab %s took its place", e.Tab, e.URL, e.Replaced)
}

func (e DialogOpened) String() string {
	did := "dismissed"
	if e.Accepted {
		did = "accepted"
	}
	s := fmt.Sprintf("%s dialog %q was %s", e.Kind, e.Message, did)
	if e.Text != "" {
		s += fmt.Sprintf(" with %q", e.Text)
	}
	return s
}

func (e FileChooserOpened) String() string {
	return fmt.Sprintf("the page of tab %s asks for a file", e.Tab)
}

func (e ConsoleError) String() string {
	return fmt.Sprintf("console error: %s (%s:%d)", e.Text, e.URL, e.Line)
}

func (e ConnectionLost) String() string {
	if e.Reconnected {
		return fmt.Sprintf("the connection to Chrome was lost and is there again: %v", e.Err)
	}
	return fmt.Sprintf("the connection to Chrome was lost: %v", e.Err)
}

// maxPendingEvents bounds what TakeEvents can return: a page that opens
// dialogs without end must not fill the memory.
const maxPendingEvents = 200

// eventLog keeps what happened since the last look and feeds subscribers.
type eventLog struct {
	mu      sync.Mutex
	pending []Event
	subs    map[*eventSub]bool
	closed  bool
}

type eventSub struct {
	queue []Event
	wake  chan struct{}
}

func (l *eventLog) add(ev Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	l.pending = appendEvent(l.pending, ev)
	for s := range l.subs {
		s.queue = appendEvent(s.queue, ev)
		select {
		case s.wake <- struct{}{}:
		default:
		}
	}
}

// appendEvent keeps the newest; a page that rewrites its address in a loop
// leaves one event.
func appendEvent(queue []Event, ev Event) []Event {
	if n, ok := ev.(Navigated); ok && n.SameDocument && len(queue) > 0 {
		if last, ok := queue[len(queue)-1].(Navigated); ok && last.SameDocument && last.Tab == n.Tab {
			queue[len(queue)-1] = ev
			return queue
		}
	}
	queue = append(queue, ev)
	if over := len(queue) - maxPendingEvents; over > 0 {
		queue = append(queue[:0], queue[over:]...)
	}
	return queue
}

// close wakes the subscribers for the last time.
func (l *eventLog) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	l.closed = true
	for s := range l.subs {
		close(s.wake)
	}
}

// TakeEvents returns what happened since it was last called, oldest first, and
// at most the newest 200. It is meant for one reader, such as an agent that
// reports effects; any number of others can use Events.
func (s *Session) TakeEvents() []Event {
	s.events.mu.Lock()
	defer s.events.mu.Unlock()
	out := s.events.pending
	s.events.pending = nil
	return out
}

// Events yields what happens from this call on, until ctx ends, the loop
// breaks or the session ends. It can be ranged over once. A reader that falls
// behind loses the oldest events beyond 200.
func (s *Session) Events(ctx context.Context) iter.Seq[Event] {
	sub := s.events.subscribe()
	stop := context.AfterFunc(ctx, func() { s.events.unsubscribe(sub) })
	return func(yield func(Event) bool) {
		defer stop()
		defer s.events.unsubscribe(sub)
		for {
			for _, ev := range s.events.drain(sub) {
				if !yield(ev) {
					return
				}
			}
			select {
			case _, open := <-sub.wake:
				if !open {
					for _, ev := range s.events.drain(sub) {
						if !yield(ev) {
							return
						}
					}
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

func (l *eventLog) subscribe() *eventSub {
	l.mu.Lock()
	defer l.mu.Unlock()
	sub := &eventSub{wake: make(chan struct{}, 1)}
	if l.closed {
		close(sub.wake)
		return sub
	}
	if l.subs == nil {
		l.subs = make(map[*eventSub]bool)
	}
	l.subs[sub] = true
	return sub
}

func (l *eventLog) unsubscribe(sub *eventSub) {
	l.mu.Lock()
	delete(l.subs, sub)
	l.mu.Unlock()
}

func (l *eventLog) drain(sub *eventSub) []Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := sub.queue
	sub.queue = nil
	return out
}

func (s *Session) emit(ev Event) {
	s.log.Debug("browser: event", "event", ev)
	s.events.add(ev)
}

// emit sends an event of this tab; what a hidden one does is nobody's business.
func (t *tab) emit(ev Event) {
	if !t.hidden {
		t.owner.emit(ev)
	}
}

// shortID is the id a caller knows a tab by.
func (s *Session) shortID(t *tab) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shortIDLocked(t.id)
}
