package browser

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	cdpio "github.com/chromedp/cdproto/io"
	"github.com/chromedp/cdproto/network"
)

// pdfID begins the ids of downloads that are PDFs a tab shows.
const pdfID = "pdf-"

// savePDF keeps a PDF that a tab shows as a download: its text is not in the
// page. The bytes come through Chrome (Network.loadNetworkResource), with its
// cookies and mostly from its cache, in pieces.
func (t *tab) savePDF(f *cdp.Frame) {
	s := t.owner
	name := "document.pdf"
	if u, err := url.Parse(f.URL); err == nil {
		if base := path.Base(u.Path); base != "/" && base != "." {
			name = base
		}
	}
	if !strings.HasSuffix(strings.ToLower(name), ".pdf") {
		name += ".pdf"
	}
	id := pdfID + string(f.LoaderID)
	s.downloads.mu.Lock()
	known := s.downloads.byGUID[id] != nil
	s.downloads.mu.Unlock()
	if known || !s.downloads.enter() {
		return
	}
	x := s.beginDownload(id, s.shortID(t), f.URL, name)
	go func() {
		defer s.downloads.writers.Done()
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		defer cancel()
		go func() {
			select {
			case <-s.done:
				cancel()
			case <-ctx.Done():
			}
		}()
		part := filepath.Join(s.downloads.incoming, id)
		n, err := t.fetchTo(ctx, f.ID, f.URL, part, s.downloads.limit)
		s.endDownload(x, part, n, err)
	}()
}

// fetchTo loads an address as the page would and writes it to a file.
func (t *tab) fetchTo(ctx context.Context, frame cdp.FrameID, address, file string, limit int64) (n int64, err error) {
	res, err := cdp.Call(ctx, t.sess, network.LoadNetworkResource, network.LoadNetworkResourceParams{
		FrameID: frame, URL: address, Options: &network.LoadNetworkResourceOptions{IncludeCredentials: true},
	})
	if err != nil {
		return 0, err
	}
	if r := res.Resource; r == nil || !r.Success || r.Stream == "" {
		if r != nil && r.HTTPStatusCode >= 400 {
			return 0, fmt.Errorf("the server answered %d", int(r.HTTPStatusCode))
		}
		return 0, errors.New("it could not be loaded again")
	}
	handle := res.Resource.Stream
	defer t.sess.send(cdpio.CommandClose, cdpio.CloseParams{Handle: handle})
	out, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return 0, err
	}
	defer func() {
		if cerr := out.Close(); err == nil {
			err = cerr
		}
	}()
	for {
		var raw jsonv2.Value
		if err := t.sess.Call(ctx, cdpio.CommandRead, cdpio.ReadParams{Handle: handle, Size: 1 << 20}, &raw); err != nil {
			return n, err
		}
		var piece struct {
			Base64Encoded bool   `json:"base64Encoded"`
			Data          string `json:"data"`
			EOF           bool   `json:"eof"`
		}
		if err := json.Unmarshal(raw, &piece); err != nil {
			return n, err
		}
		data := []byte(piece.Data)
		if piece.Base64Encoded {
			if data, err = base64.StdEncoding.DecodeString(piece.Data); err != nil {
				return n, err
			}
		}
		if n += int64(len(data)); n > limit {
			return n, fmt.Errorf("it is larger than %d bytes", limit)
		}
		if _, err := out.Write(data); err != nil {
			return n, err
		}
		if piece.EOF {
			return n, nil
		}
	}
}
