package browser

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ariaList is what a list of the page's own making shows.
type ariaList struct {
	What     string   `json:"what"`
	Open     bool     `json:"open"`
	Multiple bool     `json:"multiple"`
	Field    bool     `json:"field"` // it is typed into
	Menu     bool     `json:"menu"`
	Expanded string   `json:"expanded"`
	Options  []Option `json:"options"`
}

// openWait is how long a list may take to open.
const openWait = 600 * time.Millisecond

// openList reads the options, opening the list when it is closed.
func (e *actTarget) openList(ctx context.Context) (l *ariaList, opened bool, err error) {
	l = &ariaList{}
	if err := e.do(ctx, "ariaList", nil, l); err != nil || l.Open {
		return l, false, err
	}
	if err := e.do(ctx, "ariaMark", nil, nil); err != nil {
		return nil, false, err
	}
	if _, err := e.click(ctx, ClickOptions{}); err != nil {
		return nil, false, err
	}
	fresh := map[string]any{"fresh": true, "wait": openWait.Milliseconds()}
	if err := e.do(ctx, "ariaList", fresh, l); err != nil || l.Open {
		return l, true, err
	}
	// Some open by key only.
	sess, err := e.onScreen(ctx, &aimed{})
	if err != nil {
		return nil, false, err
	}
	k := &keyboard{sess: sess}
	k.press(namedKeys["ArrowDown"], 0)
	if err := k.flush(ctx); err != nil {
		return nil, false, err
	}
	if err := e.do(ctx, "ariaList", fresh, l); err != nil {
		return nil, false, err
	}
	if !l.Open && !l.Field {
		return nil, false, &ActionError{Index: e.index, What: l.What, Reason: ReasonWrongKind, Detail: "opened no list of options; look at the page again, or use click"}
	}
	return l, true, nil
}

// selectAria chooses in a list of the page's own making, with the mouse.
func (e *actTarget) selectAria(ctx context.Context, values []string, w *effectWatch) (*Effect, error) {
	eff := &Effect{}
	for _, v := range values {
		l, _, err := e.openList(ctx)
		if err != nil {
			return nil, err
		}
		eff.What = l.What
		if err := e.pickAria(ctx, l, v); err != nil {
			return eff, err
		}
		if w.began() {
			break
		}
	}
	eff.Changed = true
	w.finish(ctx, eff, false)
	return eff, nil
}

type ariaPick struct {
	At       int    `json:"at"`
	Selected bool   `json:"selected"`
	Text     string `json:"text"`
}

// pickAria clicks the option that a word means and looks whether it shows.
func (e *actTarget) pickAria(ctx context.Context, l *ariaList, value string) error {
	p, err := e.findAria(ctx, l, value)
	if err != nil {
		return err
	}
	if p.Selected && !l.Menu {
		return nil
	}
	option := &actTarget{tab: e.tab, frame: e.frame, stash: p.At + 1}
	if _, err := option.click(ctx, ClickOptions{}); err != nil {
		var ae *ActionError
		if errors.As(err, &ae) {
			ae.Index, ae.What = e.index, fmt.Sprintf("the option %q", p.Text)
		}
		return err
	}
	if l.Menu {
		return nil // a command; what it did is seen on the page
	}
	var c struct {
		OK     bool   `json:"ok"`
		Linked bool   `json:"linked"`
		Now    string `json:"now"`
		Open   bool   `json:"open"`
	}
	if err := e.do(ctx, "ariaChosen", map[string]any{"at": p.At, "text": p.Text, "wait": 2 * effectWait.Milliseconds()}, &c); err != nil {
		if ctx.Err() == nil && isGoneFrame(err) {
			return nil
		}
		return err
	}
	if !c.OK && c.Linked {
		return &ActionError{
			Index: e.index, What: l.What, Reason: ReasonNoEffect,
			Detail: fmt.Sprintf("the option %q was clicked and does not show as chosen; it now shows %q", p.Text, c.Now),
		}
	}
	return nil
}

// findAria looks for an option in the open list, then further down in it, and
// then by typing, as lists that load while one types want it.
func (e *actTarget) findAria(ctx context.Context, l *ariaList, value string) (*ariaPick, error) {
	p := &ariaPick{}
	err := e.do(ctx, "ariaPick", map[string]any{"value": value}, p)
	all := l.Options
	for n := 0; isNotFound(err) && n < 50; n++ {
		var more struct {
			More bool `json:"more"`
		}
		if merr := e.do(ctx, "ariaMore", nil, &more); merr != nil || !more.More {
			break
		}
		next := &ariaList{}
		if lerr := e.do(ctx, "ariaList", map[string]any{"fresh": true}, next); lerr != nil {
			break
		}
		all = mergeOptions(all, next.Options)
		err = e.do(ctx, "ariaPick", map[string]any{"value": value}, p)
	}
	if isNotFound(err) && l.Field {
		if _, ierr := e.input(ctx, value, InputOptions{}); ierr == nil {
			next := &ariaList{}
			if lerr := e.do(ctx, "ariaList", map[string]any{"fresh": true, "wait": openWait.Milliseconds()}, next); lerr == nil {
				all = mergeOptions(all, next.Options)
				err = e.do(ctx, "ariaPick", map[string]any{"value": value}, p)
			}
		}
	}
	var ae *ActionError
	if errors.As(err, &ae) {
		switch ae.Reason {
		case ReasonNotFound:
			ae.What, ae.Detail = l.What, fmt.Sprintf("has no option %q; options: %s", value, optionTexts(all))
		case ReasonAmbiguous:
			ae.What, ae.Detail = l.What, fmt.Sprintf("has more than one option %q; click the one that is meant; options: %s", value, optionTexts(all))
		case ReasonDisabled:
			ae.What, ae.Detail, ae.By = fmt.Sprintf("%s: the option %q", l.What, value), "options: "+optionTexts(all), ""
		}
	}
	return p, err
}

func isNotFound(err error) bool {
	var ae *ActionError
	return errors.As(err, &ae) && ae.Reason == ReasonNotFound
}

func mergeOptions(a, b []Option) []Option {
	have := make(map[string]bool, len(a))
	for _, o := range a {
		have[o.Text] = true
	}
	for _, o := range b {
		if !have[o.Text] {
			a = append(a, o)
		}
	}
	return a
}
