package browser

import (
	"context"
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
	Right   bool     `json:"right"`
	Same    bool     `json:"same"`
	Options []Option `json:"options"`
}

func (e *actTarget) selectOptions(ctx context.Context, values []string, o SelectOptions) (*Effect, error) {
	w := e.tab.watchEffects()
	defer w.stop()
	var c choice
	if err := e.do(ctx, "choose", map[string]any{"values": values, "add": o.Add}, &c); err != nil {
		return nil, err
	}
	return e.chose(ctx, w, &c)
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
	eff := &Effect{}
	eff.take(&c.trace)
	w.finish(ctx, eff, false)
	if !c.Right {
		return eff, &ActionError{Index: e.index, Reason: ReasonNoEffect, Detail: "did not keep the choice; options: " + optionTexts(c.Options)}
	}
	return eff, nil
}

func optionTexts(list []Option) string {
	var out []string
	for _, o := range list {
		s := fmt.Sprintf("%q", o.Text)
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
