package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
)

// Download is a file that a page sent.
type Download struct {
	ID       string `json:"id"`
	Tab      string `json:"tab,omitempty"` // whose page began it; empty when it cannot be told
	URL      string `json:"url"`
	Name     string `json:"name"`           // the file's name, made safe and unique
	Path     string `json:"path,omitempty"` // where it is, once it is done
	Received int64  `json:"received"`       // bytes so far
	Total    int64  `json:"total,omitempty"`
	Done     bool   `json:"done,omitempty"`  // it ended, well or not
	Error    string `json:"error,omitempty"` // why there is no file
}

// DownloadStarted is sent when a download began (Browser.downloadWillBegin).
type DownloadStarted struct{ Download }

// DownloadFinished is sent when a download ended; Path or Error is set.
type DownloadFinished struct{ Download }

func (DownloadStarted) event()  {}
func (DownloadFinished) event() {}

func (e DownloadStarted) String() string { return fmt.Sprintf("download of %s began", e.Name) }

func (e DownloadFinished) String() string {
	if e.Error != "" {
		return fmt.Sprintf("download of %s failed: %s", e.Name, e.Error)
	}
	return fmt.Sprintf("downloaded %s (%d bytes) to %s", e.Name, e.Received, e.Path)
}

// downloads are those of one session. Chrome writes into incoming under names
// of its own; a file that is whole is moved to dir under a name that is free.
type downloads struct {
	dir      string
	temp     bool // dir is ours to remove
	incoming string
	limit    int64

	mu      sync.Mutex
	list    []*Download
	byGUID  map[string]*Download
	changed chan struct{}
	closed  bool
	writers sync.WaitGroup // who may still make files
}

// defaultMaxDownload is the size limit of a download when none is set.
const defaultMaxDownload = 1 << 30

// openDownloads makes the directories, private to this user.
func openDownloads(cfg Config) (*downloads, error) {
	d := &downloads{
		dir: cfg.DownloadDir, limit: cfg.MaxDownloadSize,
		byGUID: make(map[string]*Download), changed: make(chan struct{}),
	}
	if d.limit <= 0 {
		d.limit = defaultMaxDownload
	}
	if cfg.NoDownloads {
		return d, nil
	}
	var err error
	if d.dir == "" {
		d.temp = true
		d.dir, err = os.MkdirTemp("", "webhand-downloads-")
	} else if err = os.MkdirAll(d.dir, 0o700); err == nil {
		d.dir, err = filepath.Abs(d.dir)
	}
	if err == nil {
		d.incoming, err = os.MkdirTemp(d.dir, ".incoming-")
	}
	if err != nil {
		return nil, fmt.Errorf("browser: download directory: %w", err)
	}
	return d, nil
}

// enter says that a file is about to be made, and false when it is too late;
// after true, call d.writers.Done.
func (d *downloads) enter() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.closed {
		d.writers.Add(1)
	}
	return !d.closed
}

// underWay reports whether a download has not ended.
func (d *downloads) underWay() bool {
	if d == nil {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.underWayLocked()
}

func (d *downloads) underWayLocked() bool {
	return slices.ContainsFunc(d.list, func(x *Download) bool { return !x.Done })
}

// close removes what is the session's own, once nobody writes any more. With
// cut, a Chrome that goes on running was just told to give a download up: it
// may yet make the directory again, and a file in it.
func (d *downloads) close(cut bool) {
	if d == nil || d.incoming == "" {
		return
	}
	d.mu.Lock()
	d.closed = true
	dir := d.incoming
	if d.temp {
		dir = d.dir
	}
	d.mu.Unlock()
	d.writers.Wait()
	until := time.Now()
	if cut {
		until = until.Add(cutWait)
	}
	for giveUp := until.Add(time.Second); time.Now().Before(giveUp); time.Sleep(20 * time.Millisecond) {
		if os.RemoveAll(dir) == nil && !time.Now().Before(until) {
			return
		}
	}
}

// cutWait is how long Chrome is watched that had to give a download up.
const cutWait = 300 * time.Millisecond

// abandonDownloads ends the downloads under way, of which nothing will be heard.
func (s *Session) abandonDownloads(why error) {
	d := s.downloads
	d.mu.Lock()
	var open []*Download
	for guid, x := range d.byGUID {
		if !x.Done && !strings.HasPrefix(guid, pdfID) {
			open = append(open, x)
		}
	}
	d.mu.Unlock()
	for _, x := range open {
		s.endDownload(x, "", 0, why)
	}
}

// allowDownloads tells Chrome where the session's downloads go.
func (s *Session) allowDownloads(ctx context.Context) error {
	params := cdpbrowser.SetDownloadBehaviorParams{
		Behavior: cdpbrowser.SetDownloadBehaviorBehaviorAllowAndName, BrowserContextID: s.contextID,
		DownloadPath: s.downloads.incoming, EventsEnabled: new(true),
	}
	if s.cfg.NoDownloads {
		params.Behavior, params.DownloadPath = cdpbrowser.SetDownloadBehaviorBehaviorDeny, ""
	}
	if _, err := cdp.Call(ctx, s.b.conn.root, cdpbrowser.SetDownloadBehavior, params); err != nil {
		return fmt.Errorf("browser: allow downloads: %w", err)
	}
	return nil
}

// Downloads lists the session's downloads, oldest first.
func (s *Session) Downloads() []Download {
	d := s.downloads
	d.mu.Lock()
	defer d.mu.Unlock()
	out := make([]Download, 0, len(d.list))
	for _, x := range d.list {
		out = append(out, *x)
	}
	return out
}

// WaitDownloads returns when no download is under way, or with the context's
// error, or that of a session that ended, and what there is.
func (s *Session) WaitDownloads(ctx context.Context) ([]Download, error) {
	d := s.downloads
	for {
		d.mu.Lock()
		ch, busy := d.changed, d.underWayLocked()
		d.mu.Unlock()
		if !busy && !errors.Is(s.Err(), ErrClosed) {
			return s.Downloads(), nil
		}
		select {
		case <-ch:
		case <-s.done:
			return s.Downloads(), s.Err()
		case <-ctx.Done():
			return s.Downloads(), fmt.Errorf("browser: wait for downloads: %w", context.Cause(ctx))
		}
	}
}

// waitBegun returns when there are more than n downloads, and false when none
// came; Chrome's account of one follows the navigation that turned out to be it.
func (d *downloads) waitBegun(ctx context.Context, n int) bool {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	for {
		d.mu.Lock()
		ch, begun := d.changed, len(d.list) > n
		d.mu.Unlock()
		if begun {
			return true
		}
		select {
		case <-ch:
		case <-ctx.Done():
			return false
		}
	}
}

func (d *downloads) notifyLocked() {
	close(d.changed)
	d.changed = make(chan struct{})
}

// begin adds a download and sends its event.
func (s *Session) beginDownload(guid, tab, url, name string) *Download {
	d := s.downloads
	x := &Download{ID: guid, Tab: tab, URL: shortURL(url), Name: safeFileName(name)}
	d.mu.Lock()
	d.list = append(d.list, x)
	d.byGUID[guid] = x
	d.notifyLocked()
	ev := DownloadStarted{*x}
	d.mu.Unlock()
	s.emit(ev)
	return x
}

// endDownload moves a whole file to its name, or says why there is none.
func (s *Session) endDownload(x *Download, part string, size int64, failure error) {
	d := s.downloads
	var path string
	if failure == nil {
		path, failure = d.settle(part, x.Name)
	}
	if failure != nil && part != "" {
		_ = os.Remove(part)
	}
	d.mu.Lock()
	x.Done, x.Path = true, path
	if failure != nil {
		x.Error = failure.Error()
	} else {
		x.Name = filepath.Base(path)
		if size > 0 {
			x.Received = size
		} else if st, err := os.Stat(path); err == nil {
			x.Received = st.Size()
		}
	}
	d.notifyLocked()
	ev := DownloadFinished{*x}
	d.mu.Unlock()
	s.emit(ev)
}

func (d *downloads) settle(part, name string) (string, error) {
	if !d.enter() {
		return "", ErrClosed
	}
	defer d.writers.Done()
	if _, err := os.Stat(part); err != nil {
		return "", errors.New("the file is not on this machine; is Chrome running elsewhere?")
	}
	path, err := claimFile(d.dir, name)
	if err != nil {
		return "", err
	}
	if err := os.Rename(part, path); err != nil {
		_ = os.Remove(path)
		return "", err
	}
	return path, nil
}

// onDownload takes part in the events of the whole browser.
func (b *Browser) onDownload(ev cdpbrowser.EventDownloadWillBegin) {
	s, t := b.ownerOfFrame(ev.FrameID)
	if s == nil {
		return
	}
	tab := ""
	if t != nil {
		tab = s.shortID(t)
	}
	x := s.beginDownload(ev.GUID, tab, ev.URL, ev.SuggestedFilename)
	if s.cfg.NoDownloads {
		s.endDownload(x, "", 0, errors.New("downloads are turned off"))
	}
}

func (b *Browser) onDownloadProgress(ev cdpbrowser.EventDownloadProgress) {
	s, x := b.downloadByGUID(ev.GUID)
	if x == nil {
		return
	}
	d := s.downloads
	d.mu.Lock()
	x.Received, x.Total = int64(ev.ReceivedBytes), max(0, int64(ev.TotalBytes))
	over := x.Received > d.limit || x.Total > d.limit
	done := x.Done
	d.notifyLocked()
	d.mu.Unlock()
	part := filepath.Join(d.incoming, filepath.Base(ev.GUID))
	switch {
	case done:
	case over:
		b.conn.root.send(cdpbrowser.CommandCancelDownload, cdpbrowser.CancelDownloadParams{GUID: ev.GUID, BrowserContextID: s.contextID})
		s.endDownload(x, part, 0, fmt.Errorf("it is larger than %d bytes", d.limit))
	case ev.State == cdpbrowser.DownloadProgressStateCompleted:
		s.endDownload(x, part, 0, nil)
	case ev.State == cdpbrowser.DownloadProgressStateCanceled:
		s.endDownload(x, part, 0, errors.New("it was cancelled or the connection broke"))
	}
}

func (b *Browser) downloadByGUID(guid string) (*Session, *Download) {
	b.mu.Lock()
	sessions := append([]*Session(nil), b.sessions...)
	b.mu.Unlock()
	for _, s := range sessions {
		s.downloads.mu.Lock()
		x := s.downloads.byGUID[guid]
		s.downloads.mu.Unlock()
		if x != nil {
			return s, x
		}
	}
	return nil, nil
}

// ownerOfFrame finds the session and tab that a frame belongs to. A tab that a
// download opened and closed again is not known any more: with one session
// there is no doubt whose it was.
func (b *Browser) ownerOfFrame(id cdp.FrameID) (*Session, *tab) {
	b.mu.Lock()
	tabs := make([]*tab, 0, len(b.tabs))
	for _, t := range b.tabs {
		tabs = append(tabs, t)
	}
	sessions := append([]*Session(nil), b.sessions...)
	if s := b.past[string(id)]; s != nil {
		sessions = []*Session{s}
	}
	b.mu.Unlock()
	for _, t := range tabs {
		t.mu.Lock()
		mine := t.main == id || t.frames[id] != nil
		t.mu.Unlock()
		if mine {
			return t.owner, t
		}
	}
	if len(sessions) == 1 {
		return sessions[0], nil
	}
	return nil, nil
}
