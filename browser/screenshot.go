package browser

import (
	"context"
	"encoding/base64"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/page"
)

// ScreenshotOptions say what to capture. The zero value is the viewport of the
// current tab as PNG.
type ScreenshotOptions struct {
	FullPage bool // the whole page, not only the viewport
	JPEG     int  // quality 1 to 100; zero is PNG
}

// Screenshot captures the current tab (Page.captureScreenshot).
func (s *Session) Screenshot(ctx context.Context, opts ScreenshotOptions) ([]byte, error) {
	t, err := s.active(ctx)
	if err != nil {
		return nil, err
	}
	return t.screenshot(ctx, opts)
}

// presentWait is how long after a screenshot was asked for the frame that it
// shows is on display, as a rule: it begins with the next refresh of the 60 a
// second and is shown with the one after that. Chrome copies what is shown once
// the page's main thread has heard of it, which a walk would hold up by all that
// it takes. Much later a walk would run into the encoding of the picture.
const presentWait = 30 * time.Millisecond

func (t *tab) screenshot(ctx context.Context, opts ScreenshotOptions) ([]byte, error) {
	params := page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng, OptimizeForSpeed: new(true)}
	if opts.JPEG > 0 {
		params.Format, params.Quality = page.CaptureScreenshotFormatJpeg, new(int64(opts.JPEG))
	}
	if opts.FullPage {
		params.CaptureBeyondViewport = new(true)
		m, err := cdp.Call(ctx, t.sess, page.GetLayoutMetrics, cdp.Empty{})
		if err != nil {
			return nil, fmt.Errorf("browser: screenshot: %w", err)
		}
		if c := m.CSSContentSize; c != nil {
			params.Clip = &page.Viewport{Width: c.Width, Height: c.Height, Scale: 1}
		}
	}
	// A tab in the background draws no frames, and its screenshot would hang.
	front := t.sess.send(page.CommandBringToFront, nil)
	var raw jsonv2.Value
	shot := t.sess.send(page.CommandCaptureScreenshot, params)
	if err := front.wait(ctx, nil); err != nil {
		return nil, fmt.Errorf("browser: screenshot: %w", err)
	}
	if err := shot.wait(ctx, &raw); err != nil {
		return nil, fmt.Errorf("browser: screenshot: %w", err)
	}
	var res struct {
		Data string `json:"data"`
	}
	if err := jsonv2.Unmarshal(raw, &res); err != nil {
		return nil, fmt.Errorf("browser: screenshot: decode answer: %w", err)
	}
	img, err := base64.StdEncoding.DecodeString(res.Data)
	if err != nil {
		return nil, fmt.Errorf("browser: screenshot: decode answer: %w", err)
	}
	return img, nil
}
