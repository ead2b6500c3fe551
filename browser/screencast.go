package browser

import (
	"context"
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

// castFrame is Page.screencastFrame.
type castFrame struct {
	Data      []byte `json:"data"` // base64
	SessionID int64  `json:"sessionId"`
	Metadata  struct {
		Timestamp float64 `json:"timestamp"`
	} `json:"metadata"`
}

// castTab yields one tab's frames while it is current; false ends the cast.
func (s *Session) castTab(ctx context.Context, t *tab, opts ScreencastOptions, yield func(Frame, error) bool) bool {
	frames := make(chan castFrame, 1)
	ack := func(f castFrame) {
		t.sess.send(page.CommandScreencastFrameAck, page.ScreencastFrameAckParams{SessionID: f.SessionID})
	}
	off := t.sess.on(page.ScreencastFrame.Method, func(v jsonv2.Value) {
		var f castFrame
		if json.Unmarshal(v, &f) != nil {
			return
		}
		select {
		case old := <-frames: // the newest counts
			// Chrome sends no more than two that it has heard nothing of.
			ack(old)
		default:
		}
		frames <- f
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
		case f := <-frames:
			ack(f)
			at := time.UnixMicro(int64(f.Metadata.Timestamp * 1e6))
			if !yield(Frame{Image: f.Data, Time: at, Tab: s.shortID(t)}, nil) {
				return false
			}
		case <-changed:
		case <-t.gone:
		case <-ctx.Done():
			return false
		}
	}
}
