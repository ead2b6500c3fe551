package browser

import (
	"context"
	"fmt"
	"strings"
)

// InputOptions say how to fill a field. The zero value replaces what is in it.
type InputOptions struct {
	// Append adds at the end instead.
	Append bool
	// Secret keeps the text out of effects and errors.
	Secret bool
}

// Input types text into the field with the number index of the page state and
// reads it back. Dates, times, colours and sliders are set directly: a date is
// YYYY-MM-DD, a time HH:MM, a week YYYY-Www, a month YYYY-MM, a colour #rrggbb.
// In a field of one line, a line break presses Enter. A field that refuses, or
// that holds something else afterwards, is an *ActionError.
func (s *Session) Input(ctx context.Context, index int, text string, o InputOptions) (*Effect, error) {
	e, err := s.element(ctx, index)
	if err != nil {
		return nil, err
	}
	return e.input(ctx, text, o)
}

// fieldInfo is what the script knows about a field before it is filled.
type fieldInfo struct {
	What      string  `json:"what"`
	Kind      string  `json:"kind"`
	Type      string  `json:"type"`
	Secret    bool    `json:"secret"`
	Lines     bool    `json:"lines"`
	Max       int     `json:"max"`
	Completes bool    `json:"completes"`
	Number    bool    `json:"number"`
	Digits    int     `json:"digits"`
	Empty     bool    `json:"empty"`
	End       bool    `json:"end"`
	Focused   bool    `json:"focused"`
	Keys      bool    `json:"keys"` // it may look at each key
	X         float64 `json:"x"`
	Y         float64 `json:"y"`
}

// fillState is what a field holds after it was filled.
type fillState struct {
	Lost    bool   `json:"lost"`
	OK      string `json:"ok"`
	Linked  bool   `json:"linked"`
	Got     string `json:"got"`
	Secret  bool   `json:"secret"`
	Cut     bool   `json:"cut"`
	Max     int    `json:"max"`
	Invalid string `json:"invalid"`
	Refused bool   `json:"refused"`
	Limits  string `json:"limits"`
	// Outcome comes along when it was asked for and the field is right.
	Outcome *typed `json:"outcome"`
}

// typed is what came of typing.
type typed struct {
	trace
	Suggestions []string `json:"suggestions"`
}

// wrong reports whether the field is there and holds something else than it was
// given, for a reason that another way of filling it may get around.
func (st *fillState) wrong() bool { return st.Linked && st.OK == "" && !st.Cut && !st.Lost }

func (e *actTarget) input(ctx context.Context, text string, o InputOptions) (*Effect, error) {
	if err := e.tab.front(ctx); err != nil {
		return nil, err
	}
	w := e.tab.watchEffects()
	defer w.stop()
	var f fieldInfo
	if err := e.do(ctx, "field", map[string]any{"append": o.Append, "text": text}, &f); err != nil {
		return nil, err
	}
	if err := e.checkText(&f, text); err != nil {
		return nil, err
	}
	fill := &filling{e: e, w: w, f: f, o: o, eff: &Effect{What: f.What}}
	if f.Kind == "direct" {
		return fill.direct(ctx, text)
	}
	return fill.typed(ctx, text)
}

// checkText refuses what the field cannot hold before anything is typed.
func (e *actTarget) checkText(f *fieldInfo, text string) error {
	if f.Number && strings.Trim(text, "0123456789.,+-eE \n") != "" {
		return &ActionError{Index: e.index, What: f.What, Reason: ReasonNotFound, Detail: "takes a number only, such as 12.5"}
	}
	return nil
}

// filling is one field being filled.
type filling struct {
	e   *actTarget
	w   *effectWatch
	f   fieldInfo
	o   InputOptions
	eff *Effect
	// again types the text once more, key by key; nil when keys typed it.
	again   func() error
	outcome *typed // nil until it is known
}

// patience is how long, in milliseconds, suggestions are waited for.
func (x *filling) patience() int64 {
	if x.w.began() {
		return 0
	}
	return effectWait.Milliseconds()
}

func (x *filling) fail(r Reason, detail string) (*Effect, error) {
	return x.eff, &ActionError{Index: x.e.index, What: x.f.What, Reason: r, Detail: detail}
}

// direct sets a date, time, colour or slider by its own setter.
func (x *filling) direct(ctx context.Context, text string) (*Effect, error) {
	var st fillState
	if err := x.e.do(ctx, "direct", map[string]any{"text": text, "wait": x.patience()}, &st); err != nil {
		return nil, err
	}
	if st.Refused {
		detail := "takes " + formatOf(x.f.Type)
		if st.Limits != "" {
			detail += " " + st.Limits
		}
		if x.o.Secret {
			return x.fail(ReasonNotFound, detail)
		}
		return x.fail(ReasonNotFound, fmt.Sprintf("%s, not %q; it still holds %q", detail, text, st.Got))
	}
	x.outcome = st.Outcome
	if st.OK == "" && st.Linked {
		if x.o.Secret {
			return x.fail(ReasonNoEffect, "was set and the page changed it")
		}
		return x.fail(ReasonNoEffect, fmt.Sprintf("was set to %q and the page made it %q", text, st.Got))
	}
	return x.end(ctx)
}

func formatOf(kind string) string {
	switch kind {
	case "date":
		return "a date as YYYY-MM-DD"
	case "time":
		return "a time as HH:MM"
	case "datetime-local":
		return "date and time as YYYY-MM-DDTHH:MM"
	case "month":
		return "a month as YYYY-MM"
	case "week":
		return "a week as YYYY-Www"
	case "color":
		return "a colour as #rrggbb"
	}
	return "a number"
}

func (x *filling) typed(ctx context.Context, text string) (*Effect, error) {
	sess, err := x.e.onScreen(ctx, &aimed{X: x.f.X, Y: x.f.Y, What: x.f.What})
	if err != nil {
		return nil, err
	}
	k := &keyboard{sess: sess}
	if !x.f.Focused {
		if err := x.clickIn(ctx, sess); err != nil {
			return nil, err
		}
	}
	if x.f.End {
		k.press(namedKeys["End"], 0)
	}
	if n := len([]rune(text)); x.f.Digits > 1 && n > 1 && n <= x.f.Digits && !strings.Contains(text, "\n") {
		return x.digits(ctx, k, text)
	}
	// Breaks at the end of a single line are presses of Enter, after the text
	// was read back.
	body, enters := text, 0
	if !x.f.Lines {
		body = strings.TrimRight(text, "\r\n")
		enters = strings.Count(text[len(body):], "\n")
	}
	nl := breakLine
	switch {
	case x.f.Kind == "rich":
		nl = breakSoft
	case !x.f.Lines:
		nl = breakKey
	}
	if body == "" && !x.o.Append && !x.f.Empty {
		k.press(namedKeys["Backspace"], 0)
	}
	limit := plainLimit
	switch {
	case x.f.Keys:
		limit = keyLimit
	case waitsItself(ctx):
		limit = 1 // a replay, which knows that the field took the text before
	}
	inserted := k.text(body, nl, limit)
	flush := func() error {
		if err := k.flush(ctx); err != nil && !isGoneFrame(err) {
			return fmt.Errorf("browser: type into %s: %w", x.f.What, err)
		}
		return nil
	}
	if err := flush(); err != nil {
		return nil, err
	}
	if inserted && !x.o.Append && len(body) <= keyLimit {
		x.again = func() error {
			if err := x.e.do(ctx, "caret", nil, nil); err != nil {
				return err
			}
			k.text(body, nl, keyLimit)
			return flush()
		}
	}
	if nl != breakKey || !strings.Contains(body, "\n") {
		if eff, err := x.verify(ctx, body, enters == 0); err != nil {
			return eff, err
		}
	}
	if enters > 0 {
		for range enters {
			k.press(namedKeys["Enter"], 0)
		}
		if err := k.flush(ctx); err != nil && !isGoneFrame(err) {
			return nil, fmt.Errorf("browser: press Enter in %s: %w", x.f.What, err)
		}
	}
	return x.end(ctx)
}

// clickIn gives the keyboard to a field that script cannot focus.
func (x *filling) clickIn(ctx context.Context, sess *cdpSession) error {
	if x.f.X != 0 || x.f.Y != 0 {
		if err := await(ctx, sess.press(ctx, x.f.X, x.f.Y, ButtonLeft, 1, 0, 0)); err != nil && !isGoneFrame(err) {
			return fmt.Errorf("browser: click into %s: %w", x.f.What, err)
		}
	}
	var c struct {
		Focused bool `json:"focused"`
		End     bool `json:"end"`
	}
	if err := x.e.do(ctx, "caret", map[string]any{"append": x.o.Append}, &c); err != nil {
		return err
	}
	if !c.Focused {
		_, err := x.fail(ReasonNoEffect, "does not take the focus; click it, look at the page again and type into what opens")
		return err
	}
	x.f.End = c.End
	return nil
}

// verify reads the field back and, when it is not right, sets the value in
// the way a framework's own setter cannot miss. With last, nothing is typed
// after it.
func (x *filling) verify(ctx context.Context, text string, last bool) (*Effect, error) {
	opts := map[string]any{"text": text, "append": x.o.Append}
	if last {
		opts["wait"] = x.patience()
	}
	var st fillState
	err := x.e.do(ctx, "filled", opts, &st)
	if err == nil && st.wrong() && x.again != nil {
		// Some fields count on every key.
		if err = x.again(); err == nil {
			err = x.e.do(ctx, "filled", opts, &st)
		}
	}
	if err == nil && st.wrong() {
		err = x.e.do(ctx, "put", opts, &st)
	}
	if err != nil {
		if ctx.Err() == nil && isGoneFrame(err) {
			return nil, nil // typing left the page, which the effects tell
		}
		return nil, err
	}
	x.outcome = st.Outcome
	quote := func(s string) string {
		if st.Secret || x.o.Secret {
			return "something else"
		}
		return fmt.Sprintf("%q", s)
	}
	switch {
	case st.Lost || !st.Linked:
		x.eff.Notes = append(x.eff.Notes, "the field is not on the page any more")
	case st.Cut:
		return x.fail(ReasonNoEffect, fmt.Sprintf("takes at most %d characters and now holds %s; give a shorter text", st.Max, quote(st.Got)))
	case st.OK == "" && st.Got == "" && !st.Secret:
		return x.fail(ReasonNoEffect, "did not keep the text and is empty; look at what the page says about it, or click it and use send_keys")
	case st.OK == "":
		return x.fail(ReasonNoEffect, "did not keep the text; it now holds "+quote(st.Got)+"; look at what the page says about it")
	case st.OK == "formatted" && !st.Secret && !x.o.Secret:
		x.eff.Notes = append(x.eff.Notes, fmt.Sprintf("the page shows it as %q", st.Got))
	}
	if st.Invalid != "" {
		x.eff.Notes = append(x.eff.Notes, "the page calls it invalid: "+st.Invalid)
	}
	return nil, nil
}

// digits types into a row of boxes of one character each.
func (x *filling) digits(ctx context.Context, k *keyboard, text string) (*Effect, error) {
	var row struct {
		Value string `json:"value"`
	}
	all := []rune(text)
	for i, r := range all {
		k.text(string(r), breakLine, keyLimit)
		if err := k.flush(ctx); err != nil {
			return nil, fmt.Errorf("browser: type into %s: %w", x.f.What, err)
		}
		opts := map[string]any{"next": i + 1}
		if i == len(all)-1 {
			opts["want"] = text
		}
		if err := x.e.do(ctx, "digit", opts, &row); err != nil {
			if isGoneFrame(err) && ctx.Err() == nil {
				return x.end(ctx) // the last digit submits
			}
			return nil, err
		}
	}
	if !strings.HasPrefix(row.Value, text) {
		got := fmt.Sprintf("%q", row.Value)
		if x.o.Secret {
			got = "something else"
		}
		return x.fail(ReasonNoEffect, "is a row of boxes that now holds "+got)
	}
	x.eff.Notes = append(x.eff.Notes, fmt.Sprintf("one character went into each of %d boxes", len(all)))
	return x.end(ctx)
}

// end collects what came of the typing.
func (x *filling) end(ctx context.Context) (*Effect, error) {
	tr := x.outcome
	if tr == nil {
		tr = &typed{}
		if err := x.e.do(ctx, "typed", map[string]any{"wait": x.patience()}, tr); err != nil {
			if ctx.Err() != nil || !isGoneFrame(err) {
				return nil, err
			}
			tr.Leaves = true
		}
	}
	x.eff.take(&tr.trace)
	x.eff.Changed = true
	if x.o.Secret || x.f.Secret {
		x.eff.Value = nil
	}
	x.w.finish(ctx, x.eff, tr.Leaves || tr.Lost)
	if len(tr.Suggestions) > 0 {
		x.eff.Notes = append(x.eff.Notes, "suggestions are shown: "+strings.Join(tr.Suggestions, " | ")+"; choose one by clicking it if the field needs that")
	}
	return x.eff, nil
}
