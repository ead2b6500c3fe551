package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Option is one choice of a list.
type Option struct {
	Text     string `json:"text"`
	Value    string `json:"value"` // of a native list
	Group    string `json:"group,omitempty"`
	Selected bool   `json:"selected,omitempty"`
	Disabled bool   `json:"disabled,omitempty"`
}

// OptionList is a list and its choices.
type OptionList struct {
	What     string   `json:"what"`
	Native   bool     `json:"native"`   // a select element
	Multiple bool     `json:"multiple"` // takes several choices
	Options  []Option `json:"options"`
}

// Options lists the choices of the list with the number index of the page
// state: a select element, or an ARIA listbox, combobox or menu.
func (s *Session) Options(ctx context.Context, index int) (*OptionList, error) {
	e, err := s.element(ctx, index)
	if err != nil {
		return nil, err
	}
	return e.options(ctx)
}

func (e *actTarget) options(ctx context.Context) (*OptionList, error) {
	var l OptionList
	if err := e.do(ctx, "options", nil, &l); err != nil {
		return nil, err
	}
	if l.Native {
		return &l, nil
	}
	a, opened, err := e.openList(ctx)
	if err != nil {
		return nil, err
	}
	l.What, l.Multiple, l.Options = a.What, a.Multiple, a.Options
	if opened {
		// Put it back as it was; a list that stays open is said.
		_, _ = e.click(ctx, ClickOptions{})
	}
	return &l, nil
}

// SelectOptions say how to choose.
type SelectOptions struct {
	// Add keeps what is selected already, in a list of several.
	Add bool
}

// Select chooses by value, text, or text without regard to case and spaces,
// in a native list or an ARIA one, and looks whether the choice stays. An
// option that is not there, disabled, or ambiguous is an *ActionError that
// lists the options.
func (s *Session) Select(ctx context.Context, index int, values []string, o SelectOptions) (*Effect, error) {
	e, err := s.element(ctx, index)
	if err != nil {
		return nil, err
	}
	return e.selectOptions(ctx, values, o)
}

type choice struct {
	trace
	What    string   `json:"what"`
	Same    bool     `json:"same"`
	Options []Option `json:"options"`
}

func (e *actTarget) selectOptions(ctx context.Context, values []string, o SelectOptions) (*Effect, error) {
	if len(values) == 0 {
		return nil, &ActionError{Index: e.index, Reason: ReasonNotFound, Detail: "say in text which option to choose"}
	}
	w := e.tab.watchEffects()
	defer w.stop()
	var c choice
	err := e.do(ctx, "choose", map[string]any{"values": values, "add": o.Add}, &c)
	var ae *ActionError
	if errors.As(err, &ae) && ae.fault == "not-list" {
		return e.selectAria(ctx, values, w)
	}
	if err != nil {
		return nil, err
	}
	eff, err := e.chose(ctx, w, &c)
	if err != nil && len(values) == 1 && !o.Add && !eff.moved() {
		return e.chooseByKeys(ctx, values, w)
	}
	return eff, err
}

// chooseOption is a click on an option of a native list.
func (e *actTarget) chooseOption(ctx context.Context, w *effectWatch) (*Effect, error) {
	var c choice
	if err := e.do(ctx, "choose", map[string]any{"values": []string{}, "add": true, "toggle": true}, &c); err != nil {
		return nil, err
	}
	return e.chose(ctx, w, &c)
}

func (e *actTarget) chose(ctx context.Context, w *effectWatch, c *choice) (*Effect, error) {
	eff := &Effect{What: c.What}
	eff.take(&c.trace)
	w.finish(ctx, eff, false)
	switch {
	case !c.Right && !eff.moved():
		return eff, &ActionError{
			Index: e.index, What: c.What, Reason: ReasonNoEffect,
			Detail: "did not keep the choice: the page changed it back; options: " + optionTexts(c.Options),
		}
	case c.Same:
		eff.Notes = append(eff.Notes, "it was chosen already")
	case !c.Linked:
		eff.Notes = append(eff.Notes, "the list is not on the page any more")
	}
	return eff, nil
}

// chooseByKeys chooses with the arrow keys, for a page that takes a choice
// only from the keyboard or the mouse.
func (e *actTarget) chooseByKeys(ctx context.Context, values []string, w *effectWatch) (*Effect, error) {
	if err := e.tab.front(ctx); err != nil {
		return nil, err
	}
	var to struct {
		Steps   int  `json:"steps"`
		Target  int  `json:"target"`
		Focused bool `json:"focused"`
	}
	if err := e.do(ctx, "keysTo", map[string]any{"values": values}, &to); err != nil {
		return nil, err
	}
	sess, err := e.onScreen(ctx, &aimed{})
	if err != nil {
		return nil, err
	}
	k := &keyboard{sess: sess}
	key := "ArrowDown"
	if to.Steps < 0 {
		key, to.Steps = "ArrowUp", -to.Steps
	}
	if to.Focused && to.Steps <= maxArrows {
		for range to.Steps {
			k.press(namedKeys[key], 0)
		}
		if err := k.flush(ctx); err != nil && !isGoneFrame(err) {
			return nil, fmt.Errorf("browser: choose by keys: %w", err)
		}
	}
	var c choice
	if err := e.do(ctx, "chosenByKeys", map[string]any{"target": to.Target}, &c); err != nil {
		if ctx.Err() != nil || !isGoneFrame(err) {
			return nil, err
		}
		c.Right, c.Linked = true, true
	}
	return e.chose(ctx, w, &c)
}

// maxArrows is how far a choice is walked to.
const maxArrows = 500

// refuseOption says why an option cannot be chosen, and which there are.
func (e *ActionError) refuseOption(f *fault, asked string, list []Option) {
	all := "options: " + optionTexts(list)
	switch f.Reason {
	case "disabled":
		if f.Option != "" {
			e.Reason, e.By = ReasonDisabled, ""
			e.Detail = ""
			e.What += fmt.Sprintf(": the option %q", f.Option)
			e.Detail = all
		}
	case "ambiguous":
		e.Reason, e.Detail = ReasonAmbiguous, fmt.Sprintf("has more than one option %q; give its value; %s", asked, withValues(list))
	case "single":
		e.Reason, e.Detail = ReasonWrongKind, "takes one choice only; give one text"
	case "not-found":
		e.Reason, e.Detail = ReasonNotFound, fmt.Sprintf("has no option %q; %s", asked, all)
	}
}

// maxListed is how many options an error lists.
const maxListed = 40

func optionTexts(list []Option) string { return listOptions(list, false) }
func withValues(list []Option) string  { return "options: " + listOptions(list, true) }

func listOptions(list []Option, values bool) string {
	if len(list) == 0 {
		return "none"
	}
	var out []string
	for i, o := range list {
		if i == maxListed {
			out = append(out, fmt.Sprintf("and %d more", len(list)-i))
			break
		}
		s := fmt.Sprintf("%q", o.Text)
		if values && o.Value != "" {
			s += fmt.Sprintf(" (value %q)", o.Value)
		}
		if o.Selected {
			s += " (selected)"
		}
		if o.Disabled {
			s += " (disabled)"
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}
