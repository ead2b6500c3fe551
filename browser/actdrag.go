package browser

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/input"
)

// Place is an element, by its number in the page state, or a point of the
// viewport in CSS pixels.
type Place struct {
	// Index is the element; zero means the point.
	Index int
	// X and Y are the point, or with an Index how far from the element's top
	// left corner when Offset is set, and else unused: its middle is meant.
	X, Y   float64
	Offset bool
	// Relative makes X and Y of a drag's end a distance from where it begins.
	Relative bool
}

// DragOptions say how to drag.
type DragOptions struct {
	From, To Place
	// Path are further points of the viewport to go through on the way.
	Path []Place
	// Steps is the number of moves of each stretch; zero is 10.
	Steps int
	// Hold is how long the button is down before the first move; zero is
	// 50 ms. Some lists start a drag only after a while.
	Hold time.Duration
	// Modifiers are keys held down meanwhile.
	Modifiers Modifiers
}

// Drag presses the button at one place, moves in small steps, and lets go at
// another. Elements that are dragged by the browser itself (draggable=true) get
// the events of that. The source must be free to be pressed; the target may be
// covered. When nothing at all changes, the error is an *ActionError.
func (s *Session) Drag(ctx context.Context, o DragOptions) (*Effect, error) {
	t, err := s.active(ctx)
	if err != nil {
		return nil, err
	}
	from, to := &dragPoint{place: o.From}, &dragPoint{place: o.To}
	for _, p := range []*dragPoint{from, to} {
		if p.place.Index != 0 {
			if p.target, err = s.element(ctx, p.place.Index); err != nil {
				return nil, err
			}
		}
	}
	return t.drag(ctx, from, to, o)
}

// dragPoint is a place made out on the page.
type dragPoint struct {
	place     Place
	target    *actTarget // nil for a point of the viewport
	sess      *cdpSession
	x, y      float64
	what      string
	draggable bool
}

// find locates the place. The press of a drag must be received; for its end
// the middle of the element is enough, whatever covers it.
func (p *dragPoint) find(ctx context.Context, t *tab, press bool) error {
	if p.target == nil {
		var u struct {
			None      bool    `json:"none"`
			What      string  `json:"what"`
			Draggable bool    `json:"draggable"`
			Width     float64 `json:"width"`
			Height    float64 `json:"height"`
		}
		if err := t.page().do(ctx, "under", map[string]any{"x": p.place.X, "y": p.place.Y}, &u); err != nil {
			return err
		}
		if u.None && press {
			return &ActionError{
				What: fmt.Sprintf("the point %g,%g", p.place.X, p.place.Y), Reason: ReasonNotFound,
				Detail: fmt.Sprintf("lies outside the view of %gx%g; scroll first, or give a point inside it", u.Width, u.Height),
			}
		}
		p.sess, p.x, p.y, p.what, p.draggable = t.sess, p.place.X, p.place.Y, u.What, u.Draggable
		return nil
	}
	var m struct {
		aimed
		Left      float64 `json:"left"`
		Top       float64 `json:"top"`
		Draggable bool    `json:"draggable"`
	}
	op, opts := "middle", map[string]any{}
	if press && !p.place.Offset {
		op, opts = "point", map[string]any{"drag": true}
	}
	if err := p.target.do(ctx, op, opts, &m); err != nil {
		return err
	}
	p.x, p.y, p.what, p.draggable = m.X, m.Y, m.What, m.Draggable
	if p.place.Offset {
		p.x, p.y = m.Left+p.place.X, m.Top+p.place.Y
	}
	var err error
	p.sess, err = p.target.onScreen(ctx, &aimed{X: p.x, Y: p.y, What: p.what})
	return err
}

func (t *tab) drag(ctx context.Context, from, to *dragPoint, o DragOptions) (*Effect, error) {
	if err := t.front(ctx); err != nil {
		return nil, err
	}
	if o.Steps <= 0 {
		o.Steps = 10
	}
	if o.Hold <= 0 {
		o.Hold = 50 * time.Millisecond
	}
	w := t.watchEffects()
	defer w.stop()
	// The end first: making out the beginning may scroll, and then the end is
	// where it is after that.
	if !to.place.Relative {
		if err := to.find(ctx, t, false); err != nil {
			return nil, err
		}
	}
	if err := from.find(ctx, t, true); err != nil {
		return nil, err
	}
	if to.target != nil {
		if err := to.find(ctx, t, false); err != nil {
			return nil, err
		}
		x, y := from.x, from.y
		if err := from.find(ctx, t, true); err != nil {
			return nil, err
		}
		if math.Abs(from.x-x)+math.Abs(from.y-y) > 1 {
			return nil, &ActionError{
				Index: from.place.Index, What: from.what, Reason: ReasonOffScreen,
				Detail: "and " + to.what + " are not in view together; make the view bigger, or drag in stretches by coordinates",
			}
		}
	}
	if to.place.Relative {
		to.sess, to.x, to.y, to.what = from.sess, from.x+to.place.X, from.y+to.place.Y, ""
	}
	t.owner.overtake(ctx, from, to)
	if from.sess != to.sess {
		return nil, &ActionError{Index: from.place.Index, What: from.what, Reason: ReasonWrongKind, Detail: "and the place to drop it are in frames of different sites, between which nothing can be dragged"}
	}
	eff := &Effect{What: from.what}
	watch := t.page()
	if from.target != nil {
		watch = from.target
	}
	var before struct {
		Box string `json:"box"`
	}
	if err := watch.do(ctx, "dragStart", map[string]any{"x": from.x, "y": from.y, "extend": o.Modifiers&ModShift != 0}, &before); err != nil {
		return nil, err
	}
	d := &dragging{sess: from.sess, mods: int(o.Modifiers)}
	if err := d.run(ctx, from, to, o); err != nil {
		return nil, err
	}
	tr, err := watch.outcome(ctx, w)
	if err != nil {
		return nil, err
	}
	tr.State = nil
	eff.take(tr)
	w.finish(ctx, eff, tr.Leaves)
	if to.what != "" {
		eff.Notes = append(eff.Notes, "dropped on "+to.what)
	}
	if eff.nothing() {
		return eff, &ActionError{
			Index: from.place.Index, What: from.what, Reason: ReasonNoEffect,
			Detail: "was dragged and nothing on the page changed; hold longer, or drag another part of it",
		}
	}
	return eff, nil
}

// dragging is the mouse of one drag.
type dragging struct {
	sess *cdpSession
	mods int
	data jsonv2.Value // of a drag that the browser carries out itself
}

func (d *dragging) move(x, y float64, buttons int64) *call {
	ev := mouseEvent{Type: "mouseMoved", X: x, Y: y, Modifiers: d.mods, Buttons: buttons}
	if buttons != 0 {
		ev.Button = ButtonLeft
	}
	return d.sess.mouse(ev)
}

func (d *dragging) run(ctx context.Context, from, to *dragPoint, o DragOptions) error {
	fail := func(err error) error {
		if err == nil || isGoneFrame(err) {
			return nil
		}
		return fmt.Errorf("browser: drag %s: %w", from.what, err)
	}
	grabbed := make(chan jsonv2.Value, 1)
	if from.draggable {
		// The browser's own drag would wait for a window system; its events
		// are sent instead.
		off := d.sess.on(string("Input.dragIntercepted"), func(raw jsonv2.Value) {
			var ev struct {
				Data jsonv2.Value `json:"data"`
			}
			if jsonv2.Unmarshal(raw, &ev) == nil {
				select {
				case grabbed <- ev.Data:
				default:
				}
			}
		})
		defer off()
		if _, err := cdp.Call(ctx, d.sess, input.SetInterceptDrags, input.SetInterceptDragsParams{Enabled: true}); err != nil {
			return fail(err)
		}
		defer d.sess.send(input.CommandSetInterceptDrags, input.SetInterceptDragsParams{})
	}
	if err := await(ctx, []*call{d.move(from.x, from.y, 0)}); err != nil {
		return fail(err)
	}
	if err := sleep(ctx, hoverPause); err != nil {
		return fail(err)
	}
	press := mouseEvent{Type: "mousePressed", X: from.x, Y: from.y, Button: ButtonLeft, Buttons: 1, ClickCount: 1, Modifiers: d.mods}
	if err := await(ctx, []*call{d.sess.mouse(press)}); err != nil {
		return fail(err)
	}
	// Whatever happens, the button does not stay down.
	released := false
	defer func() {
		if !released {
			d.sess.mouse(mouseEvent{Type: "mouseReleased", X: to.x, Y: to.y, Button: ButtonLeft, ClickCount: 1, Modifiers: d.mods})
		}
	}()
	if err := sleep(ctx, o.Hold); err != nil {
		return fail(err)
	}
	stops := append(append([]Place(nil), o.Path...), Place{X: to.x, Y: to.y})
	x, y := from.x, from.y
	for _, p := range stops {
		for n := 1; n <= o.Steps; n++ {
			f := float64(n) / float64(o.Steps)
			if err := d.step(ctx, x+(p.X-x)*f, y+(p.Y-y)*f, grabbed); err != nil {
				return fail(err)
			}
		}
		x, y = p.X, p.Y
	}
	// A last small move where it ends: some pages act on the move, not the
	// release. Then a rest, for what follows the pointer softly.
	if err := d.step(ctx, to.x, to.y, grabbed); err != nil {
		return fail(err)
	}
	if err := sleep(ctx, hoverPause); err != nil {
		return fail(err)
	}
	if d.data != nil {
		if err := d.event(ctx, "drop", to.x, to.y); err != nil {
			return fail(err)
		}
	}
	released = true
	return fail(await(ctx, []*call{d.sess.mouse(mouseEvent{Type: "mouseReleased", X: to.x, Y: to.y, Button: ButtonLeft, ClickCount: 1, Modifiers: d.mods})}))
}

// step moves the pointer, as a mouse or, once the browser took the element up,
// as its drag.
func (d *dragging) step(ctx context.Context, x, y float64, grabbed <-chan jsonv2.Value) error {
	if d.data != nil {
		return d.event(ctx, "dragOver", x, y)
	}
	if err := await(ctx, []*call{d.move(x, y, 1)}); err != nil {
		return err
	}
	select {
	case d.data = <-grabbed:
		return d.event(ctx, "dragEnter", x, y)
	default:
		return nil
	}
}

func (d *dragging) event(ctx context.Context, kind string, x, y float64) error {
	return d.sess.send(input.CommandDispatchDragEvent, map[string]any{
		"type": kind, "x": x, "y": y, "data": d.data, "modifiers": d.mods,
	}).wait(ctx, nil)
}

// overtake moves the end of a drag from one item of a list or grid to another
// beyond the middle of that: an item makes way for one that has passed its
// middle, and on the middle itself it may or may not.
func (s *Session) overtake(ctx context.Context, from, to *dragPoint) {
	if from.place.Index == 0 || to.place.Index == 0 || from.place.Offset || to.place.Offset {
		return
	}
	st := s.wholePage(ctx)
	if st == nil {
		return
	}
	a, b := st.Page.At(from.place.Index), st.Page.At(to.place.Index)
	if a == nil || b == nil || a == b || a.Parent != b.Parent || a.Tag != b.Tag {
		return
	}
	past := func(from, to float64, size, other int) float64 {
		if size > 2*other || other > 2*size || math.Abs(to-from) < float64(size)/2 {
			return to
		}
		return to + math.Copysign(float64(size)/4, to-from)
	}
	to.x = past(from.x, to.x, b.Bounds.W, a.Bounds.W)
	to.y = past(from.y, to.y, b.Bounds.H, a.Bounds.H)
}
