package browser

import (
	"context"
	"time"

	"github.com/chromedp/cdproto/input"
)

// Button is a mouse button.
type Button string

// The mouse buttons; the zero value is the left one.
const (
	ButtonLeft   Button = "left"
	ButtonRight  Button = "right"
	ButtonMiddle Button = "middle"
)

func (b Button) mask() int64 {
	switch b {
	case ButtonRight:
		return 2
	case ButtonMiddle:
		return 4
	}
	return 1
}

// mouseEvent is Input.dispatchMouseEvent. The typed command leaves out wheel
// deltas that are zero, and Chrome refuses a wheel event without both.
type mouseEvent struct {
	Type       string   `json:"type"`
	X          float64  `json:"x"`
	Y          float64  `json:"y"`
	Modifiers  int      `json:"modifiers"`
	Button     Button   `json:"button"`
	Buttons    int64    `json:"buttons"`
	ClickCount int      `json:"clickCount"`
	DeltaX     *float64 `json:"deltaX,omitempty"`
	DeltaY     *float64 `json:"deltaY,omitempty"`
}

func (s *cdpSession) mouse(ev mouseEvent) *call {
	if ev.Button == "" {
		ev.Button = "none"
	}
	return s.send(input.CommandDispatchMouseEvent, ev)
}

// press sends move, press and release so that they travel together; with hold
// it waits between press and release.
func (s *cdpSession) press(ctx context.Context, x, y float64, button Button, count, modifiers int, hold time.Duration) []*call {
	if button == "" {
		button = ButtonLeft
	}
	calls := []*call{s.mouse(mouseEvent{Type: "mouseMoved", X: x, Y: y, Modifiers: modifiers})}
	for n := 1; n <= count; n++ {
		ev := mouseEvent{Type: "mousePressed", X: x, Y: y, Button: button, Buttons: button.mask(), ClickCount: n, Modifiers: modifiers}
		calls = append(calls, s.mouse(ev))
		if hold > 0 {
			// The release is sent even when ctx ends: a button must not stay down.
			_ = sleep(ctx, hold)
		}
		ev.Type, ev.Buttons = "mouseReleased", 0
		calls = append(calls, s.mouse(ev))
	}
	return calls
}

// await waits for all of the answers. A dialog that opens keeps its events
// from being answered until it is closed, which is not an error.
func await(ctx context.Context, calls []*call) error {
	var first error
	for _, c := range calls {
		if err := c.wait(ctx, nil); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// sleep waits for d or the end of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
