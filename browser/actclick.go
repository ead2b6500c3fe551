package browser

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
)

// Modifiers are keys held down during a click or a key press.
type Modifiers int

// The modifier keys, as the protocol counts them.
const (
	ModAlt   Modifiers = 1
	ModCtrl  Modifiers = 2
	ModMeta  Modifiers = 4
	ModShift Modifiers = 8
)

// ClickOptions say how to click. The zero value is one left click.
type ClickOptions struct {
	Button    Button
	Count     int           // 2 is a double click; zero is 1
	Modifiers Modifiers     // keys held down meanwhile
	Hold      time.Duration // how long the button stays down
}

func (o ClickOptions) plain() bool {
	return (o.Button == "" || o.Button == ButtonLeft) && o.Count <= 1 && o.Modifiers == 0
}

// Click clicks the element with the number index of the page state, with real
// mouse events at a point where it receives them. An element that cannot be
// clicked, or a checkbox or radio button that did not change, is an
// *ActionError.
func (s *Session) Click(ctx context.Context, index int, o ClickOptions) (*Effect, error) {
	e, err := s.element(ctx, index)
	if err != nil {
		return nil, err
	}
	return e.click(ctx, o)
}

// aimed is where to send the mouse for an element.
type aimed struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	What   string  `json:"what"`
	Kind   string  `json:"kind"`
	Via    string  `json:"via"`
	Toggle string  `json:"toggle"`
	Before *bool   `json:"before"`
	Remote bool    `json:"remote"`
	Option bool    `json:"option"`
	Stir   bool    `json:"stir"` // X and Y are where the pointer has to be moved first
}

// hoverPause is how long the pointer rests before it presses, when hovering
// changed what lies under it.
const hoverPause = 30 * time.Millisecond

// How often a press is aimed again when it would have missed.
const (
	aims       = 4
	aimsMoving = 20 // at what does not stay in place
)

func (e *actTarget) click(ctx context.Context, o ClickOptions) (*Effect, error) {
	if err := e.tab.front(ctx); err != nil {
		return nil, err
	}
	if o.Count <= 0 {
		o.Count = 1
	}
	w := e.tab.watchEffects()
	defer w.stop()
	eff := &Effect{}
	settle := true
	life := 15*time.Second + o.Hold // of what watches in the page
	var last *aimed
	for attempt := 1; ; attempt++ {
		p := &aimed{}
		if err := e.do(ctx, "point", map[string]any{"click": true, "guard": true, "first": attempt == 1, "settle": settle, "life": life.Milliseconds()}, p); err != nil {
			return nil, err
		}
		if p.Stir {
			if sess := e.session(); sess != nil {
				_ = await(ctx, []*call{sess.mouse(mouseEvent{Type: "mouseMoved", X: p.X + 1, Y: p.Y})})
			}
			continue
		}
		if p.Option {
			return e.chooseOption(ctx, w)
		}
		eff.What = p.What
		sess, err := e.onScreen(ctx, p)
		if err != nil {
			return nil, err
		}
		if err := await(ctx, sess.press(ctx, p.X, p.Y, o.Button, o.Count, int(o.Modifiers), o.Hold)); err != nil && !isGoneFrame(err) {
			return nil, fmt.Errorf("browser: click %s: %w", p.What, err)
		}
		tr, err := e.outcome(ctx, w)
		if err != nil {
			return nil, err
		}
		if tr.Blocked == "" {
			eff.take(tr)
			w.finish(ctx, eff, tr.Leaves)
			return e.judgeClick(eff, p, tr, o)
		}
		// Nothing was pressed: hovering changed what is under the pointer,
		// or the page moved in between.
		moves := last != nil && (last.X != p.X || last.Y != p.Y)
		if attempt >= aims && !moves || attempt == aimsMoving {
			f := &fault{Reason: "covered", What: p.What, By: tr.By, ByRef: tr.ByRef}
			switch {
			case tr.Blocked == "stale":
				f = &fault{Reason: "stale", What: p.What}
			case moves:
				f = &fault{Reason: "moving", What: p.What}
			}
			return nil, e.refuse(f)
		}
		if tr.Blocked == "hover" {
			settle = false
		}
		last = p
		if err := sleep(ctx, hoverPause); err != nil {
			return nil, err
		}
	}
}

// outcome asks the script what it saw. A document that is gone by then was
// left by what was done, which the effects tell.
func (e *actTarget) outcome(ctx context.Context, w *effectWatch) (*trace, error) {
	wait := effectWait
	if w.began() {
		wait = 0
	}
	tr := &trace{}
	octx, cancel := context.WithCancel(ctx)
	defer cancel()
	if wait > 0 {
		// What happens outside the document ends the wait inside it.
		go func() {
			if w.await(octx, effectWait) && octx.Err() == nil {
				_ = e.do(octx, "wake", nil, nil)
			}
		}()
	}
	err := e.do(ctx, "pointed", map[string]any{"wait": wait.Milliseconds()}, tr)
	if err != nil {
		if ctx.Err() == nil && isGoneFrame(err) {
			return &trace{Leaves: true, Changed: true}, nil
		}
		return nil, err
	}
	if tr.Lost {
		return &trace{Leaves: true, Changed: true}, nil
	}
	return tr, nil
}

// judgeClick compares the outcome with what a click should have done.
func (e *actTarget) judgeClick(eff *Effect, p *aimed, tr *trace, o ClickOptions) (*Effect, error) {
	if p.Toggle != "" && o.plain() && !eff.moved() && tr.State != nil {
		eff.Checked = &tr.After
		if !tr.Right {
			now := "unchecked"
			if tr.After {
				now = "checked"
			}
			err := &ActionError{Index: e.index, What: p.What, Reason: ReasonNoEffect, Detail: "was clicked and is still " + now + "; look at what the page says, it may want something else first"}
			for _, ev := range eff.Events {
				err.Detail += "; " + ev.String()
			}
			return eff, err
		}
		if p.Toggle == "radio" && p.Before != nil && *p.Before {
			eff.Notes = append(eff.Notes, "it was already selected")
		}
	}
	if p.Via != "" {
		eff.Notes = append(eff.Notes, "clicked through its label "+p.Via)
	}
	if eff.nothing() && eff.Focus == "" && p.Toggle == "" {
		eff.Notes = append(eff.Notes, "nothing on the page changed")
	}
	return eff, nil
}

// session is the one that the events of e's frame go to, nil when the frame is
// gone.
func (e *actTarget) session() *cdpSession {
	e.tab.mu.Lock()
	defer e.tab.mu.Unlock()
	if f := e.tab.frames[e.frame]; f != nil {
		return f.sess
	}
	return nil
}

// onScreen returns the session to send mouse events to. A frame of another
// process is first brought into view in the pages around it, where something
// may cover it.
func (e *actTarget) onScreen(ctx context.Context, p *aimed) (*cdpSession, error) {
	t := e.tab
	sess := e.session()
	if sess == nil {
		return nil, e.stale()
	}
	if sess == t.sess {
		return sess, nil
	}
	x, y := p.X, p.Y
	for cur := sess; cur != t.sess; {
		owner, err := t.frameOwner(ctx, cur)
		if err != nil {
			return nil, err
		}
		var up aimed
		if err := owner.do(ctx, "frameAim", map[string]any{"x": x, "y": y}, &up); err != nil {
			var ae *ActionError
			if errors.As(err, &ae) {
				ae.Index, ae.What = e.index, p.What
			}
			return nil, err
		}
		x, y = up.X, up.Y
		t.mu.Lock()
		of := t.frames[owner.frame]
		t.mu.Unlock()
		if of == nil {
			return nil, e.stale()
		}
		cur = of.sess
	}
	return sess, nil
}

// frameOwner returns the frame element that holds the cross-process frame
// whose session is given.
func (t *tab) frameOwner(ctx context.Context, sess *cdpSession) (*actTarget, error) {
	t.mu.Lock()
	var id, parent cdp.FrameID
	var psess *cdpSession
	if f := t.frames[cdp.FrameID(sess.targetID)]; f != nil {
		id, parent = f.id, f.parent
		if pf := t.frames[parent]; pf != nil {
			psess = pf.sess
		}
	}
	t.mu.Unlock()
	if psess == nil {
		return nil, &ActionError{Reason: ReasonStale}
	}
	own, err := cdp.Call(ctx, psess, dom.GetFrameOwner, dom.GetFrameOwnerParams{FrameID: id})
	if err != nil {
		return nil, err
	}
	return t.node(ctx, parent, own.BackendNodeID)
}

// node resolves a backend node id into a target in its frame's own world.
func (t *tab) node(ctx context.Context, frame cdp.FrameID, id cdp.BackendNodeID) (*actTarget, error) {
	sess, world, err := t.world(ctx, frame)
	if err != nil {
		return nil, err
	}
	res, err := cdp.Call(ctx, sess, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: id, ExecutionContextID: world})
	if err != nil {
		return nil, err
	}
	return &actTarget{tab: t, frame: frame, obj: res.Object.ObjectID}, nil
}

// ClickAt clicks at a point of the viewport, in CSS pixels, whatever lies
// there. The effect says what it was.
func (s *Session) ClickAt(ctx context.Context, x, y float64, o ClickOptions) (*Effect, error) {
	t, err := s.active(ctx)
	if err != nil {
		return nil, err
	}
	if err := t.front(ctx); err != nil {
		return nil, err
	}
	if o.Count <= 0 {
		o.Count = 1
	}
	w := t.watchEffects()
	defer w.stop()
	eff, err := t.under(ctx, x, y)
	if err != nil {
		return nil, err
	}
	if err := await(ctx, t.sess.press(ctx, x, y, o.Button, o.Count, int(o.Modifiers), o.Hold)); err != nil && !isGoneFrame(err) {
		return nil, fmt.Errorf("browser: click at %g,%g: %w", x, y, err)
	}
	tr, err := t.page().outcome(ctx, w)
	if err != nil {
		return nil, err
	}
	eff.take(tr)
	w.finish(ctx, eff, tr.Leaves)
	if eff.nothing() && eff.Focus == "" {
		eff.Notes = append(eff.Notes, "nothing on the page changed")
	}
	return eff, nil
}

// under names what lies at a point and starts watching what comes of a press
// there. A point outside the viewport is an *ActionError.
func (t *tab) under(ctx context.Context, x, y float64) (*Effect, error) {
	var u struct {
		None   bool    `json:"none"`
		What   string  `json:"what"`
		Width  float64 `json:"width"`
		Height float64 `json:"height"`
	}
	if err := t.page().do(ctx, "under", map[string]any{"x": x, "y": y, "arm": true}, &u); err != nil {
		return nil, err
	}
	if u.None {
		return nil, &ActionError{
			What: fmt.Sprintf("the point %g,%g", x, y), Reason: ReasonNotFound,
			Detail: fmt.Sprintf("lies outside the view of %gx%g; scroll first, or give a point inside it", u.Width, u.Height),
		}
	}
	return &Effect{What: u.What}, nil
}
