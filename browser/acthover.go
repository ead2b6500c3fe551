package browser

import (
	"context"
	"fmt"
)

// Hover moves the pointer over the element with the number index of the page
// state and leaves it there.
func (s *Session) Hover(ctx context.Context, index int) (*Effect, error) {
	e, err := s.element(ctx, index)
	if err != nil {
		return nil, err
	}
	return e.hover(ctx)
}

func (e *actTarget) hover(ctx context.Context) (*Effect, error) {
	if err := e.tab.front(ctx); err != nil {
		return nil, err
	}
	w := e.tab.watchEffects()
	defer w.stop()
	p := &aimed{}
	if err := e.do(ctx, "point", map[string]any{"hover": true}, p); err != nil {
		return nil, err
	}
	sess, err := e.onScreen(ctx, p)
	if err != nil {
		return nil, err
	}
	eff := &Effect{What: p.What}
	return eff, e.rest(ctx, sess, p.X, p.Y, w, eff)
}

// HoverAt moves the pointer to a point of the viewport, in CSS pixels.
func (s *Session) HoverAt(ctx context.Context, x, y float64) (*Effect, error) {
	t, err := s.active(ctx)
	if err != nil {
		return nil, err
	}
	if err := t.front(ctx); err != nil {
		return nil, err
	}
	w := t.watchEffects()
	defer w.stop()
	eff, err := t.under(ctx, x, y)
	if err != nil {
		return nil, err
	}
	return eff, t.page().rest(ctx, t.sess, x, y, w, eff)
}

// rest moves the pointer and sees what comes of it.
func (e *actTarget) rest(ctx context.Context, sess *cdpSession, x, y float64, w *effectWatch, eff *Effect) error {
	// Two moves: a page that follows the pointer needs a step to see.
	calls := []*call{
		sess.mouse(mouseEvent{Type: "mouseMoved", X: x - 1, Y: y}),
		sess.mouse(mouseEvent{Type: "mouseMoved", X: x, Y: y}),
	}
	if err := await(ctx, calls); err != nil && !isGoneFrame(err) {
		return fmt.Errorf("browser: hover %s: %w", eff.What, err)
	}
	tr, err := e.outcome(ctx, w)
	if err != nil {
		return err
	}
	tr.State, tr.Focus = nil, ""
	eff.take(tr)
	w.finish(ctx, eff, false)
	if eff.nothing() {
		eff.Notes = append(eff.Notes, "nothing on the page changed but what style sheets do")
	}
	return nil
}
