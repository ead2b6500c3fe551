package browser

import (
	"context"
	"fmt"
	"math"
)

// ScrollOptions say what to scroll and how far. The zero value scrolls the
// page, or the box that scrolls in the middle of it, down by one view.
type ScrollOptions struct {
	// Index is an element: the box that scrolls and holds it, or is it, is
	// meant. Zero is the page.
	Index int
	// Pages is how many views to scroll, down when positive; DX, DY are
	// pixels. All zero is one view down.
	Pages  float64
	DX, DY float64
	// Sideways makes Pages count to the right.
	Sideways bool
}

// Scrolled is where a scroll ended.
type Scrolled struct {
	Effect
	DX, DY         float64 // how far it went, in pixels
	Above, Below   float64 // what is left above and below, in pixels
	Left, Right    float64 // and to both sides
	Box            string  // the box that scrolled; empty for the page
	Wheel          bool    // nothing scrolls there: the mouse wheel was turned instead
	Stuck          string  // why nothing moved, if nothing did; empty otherwise
	View, ViewWide float64 // height and width of what scrolls
}

// Scroll scrolls and says how far it went. Where nothing moves by script, the
// mouse wheel is turned there; when that changes nothing either, the error is
// an *ActionError.
func (s *Session) Scroll(ctx context.Context, o ScrollOptions) (*Scrolled, error) {
	e, err := s.elementOrPage(ctx, o.Index)
	if err != nil {
		return nil, err
	}
	return e.scroll(ctx, o)
}

// elementOrPage is element, with the page for 0.
func (s *Session) elementOrPage(ctx context.Context, index int) (*actTarget, error) {
	if index != 0 {
		return s.element(ctx, index)
	}
	t, err := s.active(ctx)
	if err != nil {
		return nil, err
	}
	return t.page(), nil
}

type scrollAnswer struct {
	What   string  `json:"what"`
	Page   bool    `json:"page"`
	DX     float64 `json:"dx"`
	DY     float64 `json:"dy"`
	Above  float64 `json:"above"`
	Below  float64 `json:"below"`
	Left   float64 `json:"left"`
	Right  float64 `json:"right"`
	View   float64 `json:"view"`
	Wide   float64 `json:"wide"`
	WantX  float64 `json:"wantX"`
	WantY  float64 `json:"wantY"`
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Frozen bool    `json:"frozen"`
}

func (e *actTarget) scroll(ctx context.Context, o ScrollOptions) (*Scrolled, error) {
	if o.Pages == 0 && o.DX == 0 && o.DY == 0 {
		o.Pages = 1
	}
	for _, v := range []float64{o.Pages, o.DX, o.DY} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("browser: scroll by %v: give a finite number", v)
		}
	}
	w := e.tab.watchEffects()
	defer w.stop()
	var a scrollAnswer
	opts := map[string]any{"pages": o.Pages, "dx": o.DX, "dy": o.DY, "sideways": o.Sideways}
	if err := e.do(ctx, "scroll", opts, &a); err != nil {
		return nil, err
	}
	if a.DX == 0 && a.DY == 0 {
		return e.wheel(ctx, w, &a)
	}
	out := a.scrolled()
	w.finish(ctx, &out.Effect, false)
	return out, nil
}

func (a *scrollAnswer) scrolled() *Scrolled {
	out := &Scrolled{
		Effect: Effect{What: a.What, Changed: a.DX != 0 || a.DY != 0},
		DX:     a.DX, DY: a.DY, Above: a.Above, Below: a.Below, Left: a.Left, Right: a.Right, View: a.View, ViewWide: a.Wide,
	}
	if !a.Page {
		out.Box = a.What
	}
	return out
}

// wheel turns the mouse wheel where nothing scrolls by script: pages that draw
// their own view listen for it, and lists that load more at their end.
func (e *actTarget) wheel(ctx context.Context, w *effectWatch, a *scrollAnswer) (*Scrolled, error) {
	if err := e.tab.front(ctx); err != nil {
		return nil, err
	}
	sess, err := e.onScreen(ctx, &aimed{X: a.X, Y: a.Y, What: a.What})
	if err != nil {
		return nil, err
	}
	calls := []*call{
		sess.mouse(mouseEvent{Type: "mouseMoved", X: a.X, Y: a.Y}),
		sess.mouse(mouseEvent{Type: "mouseWheel", X: a.X, Y: a.Y, DeltaX: &a.WantX, DeltaY: &a.WantY}),
	}
	if err := await(ctx, calls); err != nil && !isGoneFrame(err) {
		return nil, fmt.Errorf("browser: turn the wheel: %w", err)
	}
	var b struct {
		scrollAnswer
		Changed bool `json:"changed"`
		Lost    bool `json:"lost"`
	}
	if err := e.do(ctx, "scrolledBy", map[string]any{"wait": effectWait.Milliseconds()}, &b); err != nil {
		if ctx.Err() != nil || !isGoneFrame(err) {
			return nil, err
		}
		b.Changed = true
	}
	out := b.scrolled()
	out.Wheel = true
	end, atEnd := endOf(a)
	if !out.Changed {
		out.Stuck = end
		// What is at its end does not move. Whatever else happens on the page
		// then is not of this scroll's doing, unless the box itself grew: a
		// list that loads more.
		out.Changed = b.Changed && (!atEnd || b.Lost || b.grewFrom(a))
	}
	w.finish(ctx, &out.Effect, false)
	if out.nothing() {
		return out, &ActionError{Index: e.index, What: a.What, Reason: ReasonNoEffect, Detail: end}
	}
	return out, nil
}

// grewFrom reports whether there is more or less to scroll than there was.
func (a *scrollAnswer) grewFrom(before *scrollAnswer) bool {
	return math.Abs(a.Above+a.Below-before.Above-before.Below) >= 1 ||
		math.Abs(a.Left+a.Right-before.Left-before.Right) >= 1
}

// endOf says why nothing moved, and whether that is because what scrolls is at
// the end it was asked to go to.
func endOf(a *scrollAnswer) (why string, atEnd bool) {
	switch {
	case a.Above+a.Below+a.Left+a.Right < 1:
		return "does not scroll: all of it is shown; something inside it may, give its number", false
	case a.Frozen:
		return "did not scroll", false
	case a.WantY > 0 && a.Below < 1:
		return "is at its bottom already", true
	case a.WantY < 0 && a.Above < 1:
		return "is at its top already", true
	case a.WantX > 0 && a.Right < 1:
		return "is at its right end already", true
	case a.WantX < 0 && a.Left < 1:
		return "is at its left end already", true
	}
	return "did not scroll", false
}

// ScrollToElement brings an element into view.
func (s *Session) ScrollToElement(ctx context.Context, index int) (*Scrolled, error) {
	e, err := s.element(ctx, index)
	if err != nil {
		return nil, err
	}
	var a scrollAnswer
	if err := e.do(ctx, "intoView", nil, &a); err != nil {
		return nil, err
	}
	return a.scrolled(), nil
}

// FoundText is where ScrollToText found its text.
type FoundText struct {
	Text  string `json:"text"`  // around the hit
	In    string `json:"in"`    // the element that holds it
	Count int    `json:"count"` // how often it is on the page
	// Index is the number of the element, or of the nearest around it that
	// has one; 0 when none has.
	Index int `json:"index"`
}

// ScrollToText brings the nth place (counted from 1) where the page shows a
// text into view. Case and white space do not count. A text that is nowhere
// shown is an *ActionError.
func (s *Session) ScrollToText(ctx context.Context, text string, nth int) (*FoundText, error) {
	t, err := s.active(ctx)
	if err != nil {
		return nil, err
	}
	if nth < 1 {
		nth = 1
	}
	found := 0
	for _, e := range t.documents() {
		var f struct {
			Count int    `json:"count"`
			Text  string `json:"text"`
			In    string `json:"in"`
			Ref   int    `json:"ref"`
		}
		if err := e.do(ctx, "findText", map[string]any{"text": text, "nth": nth - found}, &f); err != nil {
			if isGoneFrame(err) && ctx.Err() == nil {
				continue
			}
			return nil, err
		}
		if nth-found <= f.Count && f.Text != "" {
			return &FoundText{Text: f.Text, In: f.In, Count: found + f.Count, Index: e.indexOf(f.Ref)}, nil
		}
		found += f.Count
	}
	err = &ActionError{Reason: ReasonNotFound, Detail: fmt.Sprintf("the text %q is not shown on the page; try fewer words, or scroll: some pages load more", text)}
	if found > 0 {
		err = &ActionError{Reason: ReasonNotFound, Detail: fmt.Sprintf("the text %q is shown in %d place(s) only; give a smaller nth", text, found)}
	}
	return nil, err
}

// documents returns the documents of a tab that need a call each: the page and
// the frames that live in other processes, in no particular order but the page
// first.
func (t *tab) documents() []*actTarget {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := []*actTarget{{tab: t, frame: t.main}}
	for id, f := range t.frames {
		if p := t.frames[f.parent]; id != t.main && p != nil && p.sess != f.sess {
			out = append(out, &actTarget{tab: t, frame: id})
		}
	}
	return out
}
