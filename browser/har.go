package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/har"
	"github.com/chromedp/cdproto/network"
)

// Bounds of a recording, so that a session that runs for days fits in memory.
const (
	maxHAREntries = 20_000
	maxHARBody    = 1 << 20
)

// harLog collects the requests of a session's pages and frames.
type harLog struct {
	bodies  bool
	version string

	mu      sync.Mutex
	entries []*harEntry
	open    map[string]*harEntry
	saved   bool           // nothing more is taken in
	wg      sync.WaitGroup // bodies on their way
}

// beginHAR starts the recording anew: what was asked for until now was the
// session's own business.
func (s *Session) beginHAR(ctx context.Context) error {
	if s.har == nil {
		return nil
	}
	v, err := cdp.Call(ctx, s.b.conn.root, cdpbrowser.GetVersion, cdp.Empty{})
	if err != nil {
		return err
	}
	l := s.har
	l.mu.Lock()
	defer l.mu.Unlock()
	_, l.version, _ = strings.Cut(v.Product, "/")
	l.entries, l.open = nil, make(map[string]*harEntry)
	return nil
}

type harEntry struct {
	har.Entry
	begun cdp.MonotonicTime
	sess  *cdpSession
	id    network.RequestID
}

// recordHAR follows the requests of one session of a tab.
func (t *tab) recordHAR(sess *cdpSession) {
	l := t.owner.har
	if l == nil || t.hidden {
		return
	}
	key := func(id network.RequestID) string { return string(sess.id) + " " + string(id) }
	onEvent(sess, network.RequestWillBeSent, func(ev network.EventRequestWillBeSent) {
		if ev.Request == nil || strings.HasPrefix(ev.Request.URL, "data:") {
			return
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		if old := l.open[key(ev.RequestID)]; old != nil && ev.RedirectResponse != nil {
			old.answer(ev.RedirectResponse)
			old.Response.RedirectURL = ev.Request.URL
			old.end(ev.Timestamp, 0)
		}
		if l.saved || len(l.entries) >= maxHAREntries {
			return
		}
		e := &harEntry{begun: ev.Timestamp, sess: sess, id: ev.RequestID}
		e.Pageref = string(t.id)
		e.StartedDateTime = time.UnixMicro(int64(float64(ev.WallTime) * 1e6)).UTC().Format("2006-01-02T15:04:05.000Z")
		e.Request = harRequest(ev.Request)
		e.Response = &har.Response{HTTPVersion: "unknown", Cookies: []*har.Cookie{}, Headers: []*har.NameValuePair{}, Content: &har.Content{}, HeadersSize: -1, BodySize: -1}
		e.Cache, e.Timings = &har.Cache{}, &har.Timings{Send: 0, Wait: 0, Receive: 0}
		l.entries = append(l.entries, e)
		l.open[key(ev.RequestID)] = e
	})
	onEvent(sess, network.ResponseReceived, func(ev network.EventResponseReceived) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if e := l.open[key(ev.RequestID)]; e != nil && ev.Response != nil {
			e.answer(ev.Response)
		}
	})
	onEvent(sess, network.LoadingFinished, func(ev network.EventLoadingFinished) {
		l.mu.Lock()
		defer l.mu.Unlock()
		e := l.open[key(ev.RequestID)]
		delete(l.open, key(ev.RequestID))
		if e == nil {
			return
		}
		e.end(ev.Timestamp, int64(ev.EncodedDataLength))
		if l.bodies && !l.saved {
			l.wg.Go(func() { l.fetchBody(e) })
		}
	})
	onEvent(sess, network.DataReceived, func(ev network.EventDataReceived) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if e := l.open[key(ev.RequestID)]; e != nil {
			e.Response.Content.Size += ev.DataLength
		}
	})
	onEvent(sess, network.LoadingFailed, func(ev network.EventLoadingFailed) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if e := l.open[key(ev.RequestID)]; e != nil {
			delete(l.open, key(ev.RequestID))
			e.Response.StatusText, e.Comment = ev.ErrorText, ev.ErrorText
			e.end(ev.Timestamp, 0)
		}
	})
}

func harRequest(r *network.Request) *har.Request {
	out := &har.Request{
		Method: r.Method, URL: r.URL + r.URLFragment, HTTPVersion: "unknown", Cookies: []*har.Cookie{},
		Headers: harHeaders(r.Headers), QueryString: []*har.NameValuePair{}, HeadersSize: -1, BodySize: -1,
	}
	if u, err := url.Parse(r.URL); err == nil {
		q := u.Query()
		names := make([]string, 0, len(q))
		for name := range q {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			for _, v := range q[name] {
				out.QueryString = append(out.QueryString, &har.NameValuePair{Name: name, Value: v})
			}
		}
	}
	return out
}

// harHeaders keeps what identifies a person out of the file.
func harHeaders(h network.Headers) []*har.NameValuePair {
	names := make([]string, 0, len(h))
	for name := range h {
		names = append(names, name)
	}
	slices.Sort(names)
	out := make([]*har.NameValuePair, 0, len(h))
	for _, name := range names {
		value := fmt.Sprint(h[name])
		switch strings.ToLower(name) {
		case "authorization", "proxy-authorization", "cookie", "set-cookie":
			value = "[redacted]"
		}
		out = append(out, &har.NameValuePair{Name: name, Value: value})
	}
	return out
}

// answer fills in a response; call it under the log's lock.
func (e *harEntry) answer(r *network.Response) {
	e.Response.Status, e.Response.StatusText = r.Status, r.StatusText
	e.Response.Headers = harHeaders(r.Headers)
	e.Response.Content.MimeType = r.MimeType
	if r.Protocol != "" {
		e.Response.HTTPVersion, e.Request.HTTPVersion = r.Protocol, r.Protocol
	}
	e.ServerIPAddress = strings.Trim(r.RemoteIPAddress, "[]")
	if r.Timing != nil {
		e.Timings.Send = max(0, r.Timing.SendEnd-r.Timing.SendStart)
		e.Timings.Wait = max(0, r.Timing.ReceiveHeadersEnd-r.Timing.SendEnd)
	}
}

func (e *harEntry) end(at cdp.MonotonicTime, size int64) {
	e.Time = max(0, float64(at-e.begun)*1000)
	e.Timings.Receive = max(0, e.Time-e.Timings.Send-e.Timings.Wait)
	e.Response.BodySize = size
}

func (l *harLog) fetchBody(e *harEntry) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	res, err := cdp.Call(ctx, e.sess, network.GetResponseBody, network.GetResponseBodyParams{RequestID: e.id})
	if err != nil || len(res.Body) > maxHARBody {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	e.Response.Content.Size = int64(len(res.Body))
	e.Response.Content.Text = []byte(res.Body)
}

// save writes the file; a reader finds all of it or none.
func (l *harLog) save(path string) error {
	l.mu.Lock()
	l.saved = true
	l.mu.Unlock()
	l.wg.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	type content struct {
		Size     int64  `json:"size"`
		MimeType string `json:"mimeType"`
		Text     string `json:"text,omitempty"`
		Encoding string `json:"encoding,omitempty"`
	}
	type response struct {
		*har.Response
		Content content `json:"content"`
	}
	type entry struct {
		*har.Entry
		Response response `json:"response"`
	}
	var pages []*har.Page
	entries := make([]entry, 0, len(l.entries))
	for _, e := range l.entries {
		if !slices.ContainsFunc(pages, func(p *har.Page) bool { return p.ID == e.Pageref }) {
			pages = append(pages, &har.Page{StartedDateTime: e.StartedDateTime, ID: e.Pageref, Title: e.Request.URL, PageTimings: &har.PageTimings{}})
		}
		c := content{Size: e.Response.Content.Size, MimeType: e.Response.Content.MimeType, Text: string(e.Response.Content.Text)}
		if !utf8.ValidString(c.Text) {
			raw, _ := json.Marshal([]byte(c.Text)) // base64
			c.Text, c.Encoding = strings.Trim(string(raw), `"`), "base64"
		}
		entries = append(entries, entry{&e.Entry, response{e.Response, c}})
	}
	raw, err := json.MarshalIndent(map[string]any{"log": map[string]any{
		"version": "1.2", "creator": har.Creator{Name: "webhand", Version: moduleVersion()},
		"browser": har.Creator{Name: "Chrome", Version: l.version}, "pages": pages, "entries": entries,
	}}, "", " ")
	if err != nil {
		return fmt.Errorf("browser: HAR: %w", err)
	}
	if err := writeFileAtomic(path, raw); err != nil {
		return fmt.Errorf("browser: HAR: %w", err)
	}
	return nil
}

func moduleVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == "github.com/seed-4bdb41d0/webhand" {
				return m.Version
			}
		}
	}
	return "devel"
}

// writeFileAtomic writes a file that only this user can read, through another
// one that takes its name.
func writeFileAtomic(path string, raw []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-")
	if err != nil {
		return err
	}
	_, err = f.Write(raw)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
