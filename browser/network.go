package browser

import (
	"context"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
)

// netState is what is known of a tab's requests while somebody watches them.
// The Network domain is off otherwise: its events are many and most are
// never looked at. Guarded by tab.mu, except users and on.
type netState struct {
	usersMu sync.Mutex
	users   int
	on      *call // that turned it on for the page's own session; nil before the first watch

	inflight map[string]time.Time // counted requests by id, when they began
	started  int                  // how many counted requests ever began
	last     time.Time            // when the last counted one began or ended
	status   map[cdp.LoaderID]int // HTTP status of main documents
	failure  map[cdp.LoaderID]string
}

// stalledAfter is when a request no longer counts as loading: a long poll or a
// server that never answers must not hold a page up.
const stalledAfter = 2 * time.Second

// countsAsLoading tells requests that bring content the page waits for from
// those that go on for ever or change nothing.
func countsAsLoading(kind string) bool {
	switch kind {
	case "Document", "Script", "Stylesheet", "XHR", "Fetch":
		return true
	}
	return false
}

// The parts of the events that are looked at; whole ones are costly to decode.
type requestEvent struct {
	RequestID string       `json:"requestId"`
	LoaderID  cdp.LoaderID `json:"loaderId"`
	FrameID   cdp.FrameID  `json:"frameId"`
	Type      string       `json:"type"`
	ErrorText string       `json:"errorText"`
	Response  struct {
		Status   int    `json:"status"`
		MimeType string `json:"mimeType"`
	} `json:"response"`
}

func eventOf(method string) cdp.Event[requestEvent] { return cdp.Event[requestEvent]{Method: method} }

// watchNetwork follows the requests of one session of the tab.
func (t *tab) watchNetwork(sess *cdpSession) {
	onEvent(sess, eventOf(network.RequestWillBeSent.Method), func(ev requestEvent) {
		if !countsAsLoading(ev.Type) {
			return
		}
		t.update(func() {
			if t.net.inflight == nil {
				t.net.inflight = make(map[string]time.Time)
			}
			if _, again := t.net.inflight[ev.RequestID]; !again { // a redirect keeps its id
				t.net.started++
			}
			t.net.last = time.Now()
			t.net.inflight[ev.RequestID] = t.net.last
		})
	})
	onEvent(sess, eventOf(network.ResponseReceived.Method), func(ev requestEvent) {
		stream := ev.Response.MimeType == "text/event-stream"
		if !stream && (ev.Type != "Document" || ev.FrameID != t.main) {
			return
		}
		t.update(func() {
			if stream {
				delete(t.net.inflight, ev.RequestID)
				return
			}
			t.net.setStatus(ev.LoaderID, ev.Response.Status)
		})
	})
	end := func(ev requestEvent) {
		t.update(func() {
			if ev.ErrorText != "" && ev.Type == "Document" {
				if t.net.failure == nil || len(t.net.failure) > 8 {
					t.net.failure = make(map[cdp.LoaderID]string)
				}
				t.net.failure[cdp.LoaderID(ev.RequestID)] = ev.ErrorText
			}
			if _, ok := t.net.inflight[ev.RequestID]; ok {
				delete(t.net.inflight, ev.RequestID)
				t.net.last = time.Now()
			}
		})
	}
	onEvent(sess, eventOf(network.LoadingFinished.Method), end)
	onEvent(sess, eventOf(network.LoadingFailed.Method), end)
}

// setStatus remembers a document's HTTP status; call it under tab.mu.
func (n *netState) setStatus(loader cdp.LoaderID, status int) {
	if n.status == nil || len(n.status) > 8 {
		n.status = make(map[cdp.LoaderID]int)
	}
	n.status[loader] = status
}

// busyFor is how long the network is going to count as busy at least; zero
// when it is quiet. Call it under tab.mu.
func (n *netState) busyFor(now time.Time, quiet time.Duration) time.Duration {
	var longest time.Duration
	for _, began := range n.inflight {
		if left := stalledAfter - now.Sub(began); left > longest {
			longest = left
		}
	}
	if longest == 0 && !n.last.IsZero() {
		longest = max(0, quiet-now.Sub(n.last))
	}
	return longest
}

// networkOn waits until the page's process has the Network domain on. A
// navigation that overtakes this takes the next document to a process that is
// told too late, when its scripts have asked for things already. A page that
// does not answer is not waited for.
func (t *tab) networkOn(ctx context.Context) {
	t.net.usersMu.Lock()
	on := t.net.on
	t.net.usersMu.Unlock()
	if on != nil {
		waitChange(ctx, on.ch, 300*time.Millisecond)
	}
}

// watchRequests turns the Network domain on until the returned func is called.
func (t *tab) watchRequests() (off func()) {
	n := &t.net
	n.usersMu.Lock()
	defer n.usersMu.Unlock()
	n.users++
	if n.users == 1 {
		t.update(func() { n.inflight, n.last = nil, time.Time{} })
		for _, s := range t.sessions() {
			c := t.enableNetwork(s)
			if s == t.sess {
				n.on = c
			}
		}
	}
	return sync.OnceFunc(func() {
		n.usersMu.Lock()
		defer n.usersMu.Unlock()
		n.users--
		if n.users == 0 {
			for _, s := range t.sessions() {
				s.send(network.CommandDisable, nil)
			}
		}
	})
}

// joinNetwork lets a new frame session take part in a watch that goes on.
func (t *tab) joinNetwork(sess *cdpSession) {
	t.net.usersMu.Lock()
	defer t.net.usersMu.Unlock()
	if t.net.users > 0 {
		t.enableNetwork(sess)
	}
}

// enableNetwork turns the events of one session on. It keeps no bodies unless
// they are recorded: Chrome would hold up to 100 MB of them.
func (t *tab) enableNetwork(s *cdpSession) *call {
	if t.owner.har != nil && t.owner.har.bodies {
		return s.send(network.CommandEnable, network.EnableParams{
			MaxTotalBufferSize: new(int64(20 << 20)), MaxResourceBufferSize: new(int64(maxHARBody)),
		})
	}
	return s.send(network.CommandEnable, network.EnableParams{
		MaxTotalBufferSize: new(int64(0)), MaxResourceBufferSize: new(int64(0)), MaxPostDataSize: new(int64(0)),
	})
}

// networkStaysOn reports whether something needs the Network domain all the
// time: extra headers go with it, and a recording must miss nothing.
func (s *Session) networkStaysOn() bool { return s.har != nil || len(s.cfg.ExtraHeaders) > 0 }

// sessions are the page's own and those of its cross-site frames.
func (t *tab) sessions() []*cdpSession {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := []*cdpSession{t.sess}
	seen := map[*cdpSession]bool{t.sess: true}
	for _, f := range t.frames {
		if f.sess != nil && !seen[f.sess] {
			seen[f.sess] = true
			out = append(out, f.sess)
		}
	}
	return out
}
