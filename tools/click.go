package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// ClickParams are the parameters of click: an index, or a point.
type ClickParams struct {
	Index       *int     `json:"index" jsonschema:"minimum=1" jsonschema_description:"the element's number"`
	X           *float64 `json:"coordinate_x" jsonschema:"minimum=0" jsonschema_description:"with coordinate_y instead of index: a point of the viewport in pixels"`
	Y           *float64 `json:"coordinate_y" jsonschema:"minimum=0"`
	Button      string   `json:"button" jsonschema:"enum=left,enum=right,enum=middle,default=left"`
	Count       int      `json:"count" jsonschema:"minimum=1,maximum=3,default=1" jsonschema_description:"2 is a double click"`
	Modifiers   []string `json:"modifiers,omitempty" jsonschema:"enum=Alt,enum=Control,enum=Meta,enum=Shift" jsonschema_description:"keys held down"`
	HoldSeconds float64  `json:"hold_seconds,omitempty" jsonschema:"minimum=0,maximum=20" jsonschema_description:"press and hold"`
}

// HoverParams are the parameters of hover.
type HoverParams struct {
	Index *int     `json:"index" jsonschema:"minimum=1"`
	X     *float64 `json:"coordinate_x" jsonschema:"minimum=0"`
	Y     *float64 `json:"coordinate_y" jsonschema:"minimum=0"`
}

func clickActions() []builtin {
	return []builtin{{
		registry.Spec{
			Name:        "click",
			Description: "Click an element by its number, or a point of the page. For lists use select_dropdown, for file fields upload_file.",
		},
		click,
	}}
}

var errNoTarget = errors.New("give index, or coordinate_x and coordinate_y")

// place tells an index from a point.
func place(index *int, x, y *float64) (i int, at bool, err error) {
	switch {
	case index != nil && *index > 0:
		return *index, false, nil
	case x != nil && y != nil:
		return 0, true, nil
	case x != nil || y != nil:
		return 0, false, errors.New("a point needs both coordinate_x and coordinate_y")
	}
	return 0, false, errNoTarget
}

func modifiers(names []string) browser.Modifiers {
	var m browser.Modifiers
	for _, n := range names {
		switch n {
		case "Alt":
			m |= browser.ModAlt
		case "Control":
			m |= browser.ModCtrl
		case "Meta":
			m |= browser.ModMeta
		case "Shift":
			m |= browser.ModShift
		}
	}
	return m
}

func click(ctx context.Context, p ClickParams, s *browser.Session) (*registry.Result, error) {
	index, at, err := place(p.Index, p.X, p.Y)
	if err != nil {
		return nil, fmt.Errorf("click: %w", err)
	}
	o := browser.ClickOptions{
		Button: browser.Button(p.Button), Count: p.Count, Modifiers: modifiers(p.Modifiers),
		Hold: time.Duration(p.HoldSeconds * float64(time.Second)),
	}
	if at {
		eff, err := s.ClickAt(ctx, *p.X, *p.Y, o)
		if err != nil {
			return acted("", eff, failedTo("click", err))
		}
		return acted(fmt.Sprintf("%s at %g,%g on %s", clickWord(p), *p.X, *p.Y, eff.What), eff, nil)
	}
	eff, err := s.Click(ctx, index, o)
	if ae, ok := wrongKind(err); ok && strings.Contains(ae.Detail, "select_dropdown") {
		// A list opens nothing that a model could see: show what is in it.
		if list, lerr := s.Options(ctx, index); lerr == nil {
			return nil, &toldError{fmt.Sprintf("click: %s; its options are: %s", err, optionWords(list)), err}
		}
	}
	if err != nil {
		return acted("", eff, failedTo("click", err))
	}
	return acted(clickWord(p)+" "+element(index, eff.What), eff, nil)
}

func wrongKind(err error) (*browser.ActionError, bool) {
	var ae *browser.ActionError
	ok := errors.As(err, &ae) && ae.Reason == browser.ReasonWrongKind
	return ae, ok
}

func clickWord(p ClickParams) string {
	word := "Clicked"
	switch {
	case p.Count == 2:
		word = "Double-clicked"
	case p.Count == 3:
		word = "Triple-clicked"
	case p.Button == "right":
		word = "Right-clicked"
	case p.Button == "middle":
		word = "Middle-clicked"
	case p.HoldSeconds > 0:
		word = fmt.Sprintf("Pressed for %g s", p.HoldSeconds)
	}
	if len(p.Modifiers) > 0 {
		word = strings.Join(p.Modifiers, "+") + "+" + strings.ToLower(word[:1]) + word[1:]
	}
	return word
}

func hover(ctx context.Context, p HoverParams, s *browser.Session) (*registry.Result, error) {
	index, at, err := place(p.Index, p.X, p.Y)
	if err != nil {
		return nil, fmt.Errorf("hover: %w", err)
	}
	if at {
		eff, err := s.HoverAt(ctx, *p.X, *p.Y)
		if err != nil {
			return acted("", eff, failedTo("hover", err))
		}
		return acted(fmt.Sprintf("Moved the pointer to %g,%g on %s", *p.X, *p.Y, eff.What), eff, nil)
	}
	eff, err := s.Hover(ctx, index)
	if err != nil {
		return acted("", eff, failedTo("hover", err))
	}
	return acted("Moved the pointer over "+element(index, eff.What), eff, nil)
}
