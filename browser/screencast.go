package browser

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"iter"
	"time"

	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/page"
)

// Frame is one picture of a screencast.
type Frame struct {
	Image []byte    // JPEG
	Time  time.Time // when the page looked like that
	Tab   string
}

// ScreencastOptions say how large frames are. The zero value is 1280 pixels
// wide at most with quality 60.
type ScreencastOptions struct {
	MaxWidth, MaxHeight int
	Quality             int // of JPEG, 1 to 100
}

// Screencast yields pictures of the current tab as its page changes, until ctx
// ends or the loop breaks (Page.startScreencast). It goes over to another tab
// when that becomes current. A still page yields nothing: play frames by their
// Time. One error, the session's, ends it.
func (s *Session) Screencast(ctx context.Context, opts ScreencastOptions) iter.Seq2[Frame, error] {
	if opts.MaxWidth <= 0 {
		opts.MaxWidth = 1280
	}
	if opts.MaxHeight <= 0 {
		opts.MaxHeight = 4 * opts.MaxWidth
	}
	if opts.Quality <= 0 {
		opts.Quality = 60
	}
	return func(yield func(Frame, error) bool) {
		for ctx.Err() == nil {
			t, err := s.active(ctx)
			if err != nil {
				if ctx.Err() == nil {
					yield(Frame{}, err)
				}
				return
			}
			if !s.castTab(ctx, t, opts, yield) {
				return
			}
		}
	}
}

// castTab yields one tab's frames while it is current; false ends the cast.
func (s *Session) castTab(ctx context.Context, t *tab, opts ScreencastOptions, yield func(Frame, error) bool) bool {
	frames := make(chan jsonv2.Value, 1)
	off := t.sess.on(page.ScreencastFrame.Method, func(v jsonv2.Value) {
		select {
		case <-frames: // the newest counts
		default:
		}
		frames <- v
	})
	defer off()
	start := t.sess.send(page.CommandStartScreencast, page.StartScreencastParams{
		Format: page.StartScreencastFormatJpeg, Quality: new(int64(opts.Quality)),
		MaxWidth: int64(opts.MaxWidth), MaxHeight: int64(opts.MaxHeight), EveryNthFrame: 1,
	})
	if err := start.wait(ctx, nil); err != nil && !isGone(err) {
		if ctx.Err() == nil {
			yield(Frame{}, fmt.Errorf("browser: screencast: %w", err))
		}
		return false
	}
	defer t.sess.send(page.CommandStopScreencast, nil)
	for {
		s.mu.Lock()
		current, changed := s.current == t, s.changed
		s.mu.Unlock()
		if !current || t.failed() != nil {
			return s.Alive()
		}
		select {
		case v := <-frames:
			var ev struct {
				Data      string `json:"data"`
				SessionID int64  `json:"sessionId"`
				Metadata  struct {
					Timestamp float64 `json:"timestamp"`
				} `json:"metadata"`
			}
			if json.Unmarshal(v, &ev) != nil {
				continue
			}
			t.sess.send(page.CommandScreencastFrameAck, page.ScreencastFrameAckParams{SessionID: ev.SessionID})
			img, err := base64.StdEncoding.DecodeString(ev.Data)
			if err != nil {
				continue
			}
			f := Frame{Image: img, Time: time.UnixMicro(int64(ev.Metadata.Timestamp * 1e6)), Tab: s.shortID(t)}
			if !yield(f, nil) {
				return false
			}
		case <-changed:
		case <-t.gone:
		case <-ctx.Done():
			return false
		}
	}
}
