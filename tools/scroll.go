package tools

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// ScrollParams are the parameters of scroll.
type ScrollParams struct {
	Down   bool    `json:"down" jsonschema:"default=true" jsonschema_description:"false scrolls up"`
	Pages  float64 `json:"pages" jsonschema:"exclusiveMinimum=0,maximum=50,default=1" jsonschema_description:"how many screenfuls; 0.5 is half"`
	Index  *int    `json:"index" jsonschema:"minimum=0" jsonschema_description:"scroll the box that holds this element; 0 or none is the page"`
	Pixels float64 `json:"pixels,omitempty" jsonschema:"minimum=0,maximum=100000" jsonschema_description:"instead of pages"`
	Way    string  `json:"direction,omitempty" jsonschema:"enum=up,enum=down,enum=left,enum=right" jsonschema_description:"instead of down, for sideways"`
	To     string  `json:"to,omitempty" jsonschema:"enum=top,enum=bottom,enum=element" jsonschema_description:"an end of the box or page, or the element with the index itself"`
}

// FindTextParams are the parameters of find_text.
type FindTextParams struct {
	Text string `json:"text" jsonschema:"minLength=1"`
	Nth  int    `json:"nth" jsonschema:"minimum=1,default=1" jsonschema_description:"which place, when it is there more than once"`
}

func scrollActions() []builtin {
	return []builtin{{
		registry.Spec{Name: "scroll", ReadOnly: true, Description: "Scroll the page, a box in it, or an element into view."},
		scroll,
	}}
}

func findActions() []builtin {
	return []builtin{{
		registry.Spec{Name: "find_text", ReadOnly: true, Description: "Scroll to a text of the page."},
		findText,
	}}
}

func scroll(ctx context.Context, p ScrollParams, s *browser.Session) (*registry.Result, error) {
	index := 0
	if p.Index != nil {
		index = *p.Index
	}
	if p.To == "element" {
		if index == 0 {
			return nil, errors.New("scroll: to=element needs the element's index")
		}
		at, err := s.ScrollToElement(ctx, index)
		if err != nil {
			return nil, failedTo("scroll", err)
		}
		return scrolled(fmt.Sprintf("Scrolled [%d] into view", index), at), nil
	}
	o := scrollOptions(p)
	o.Index = index
	at, err := s.Scroll(ctx, o)
	if err != nil {
		return nil, failedTo("scroll", err)
	}
	return scrolled(scrollWords(at), at), nil
}

func scrollOptions(p ScrollParams) browser.ScrollOptions {
	way := p.Way
	if way == "" {
		way = "down"
		if !p.Down {
			way = "up"
		}
	}
	sign := 1.0
	if way == "up" || way == "left" {
		sign = -1
	}
	o := browser.ScrollOptions{Sideways: way == "left" || way == "right"}
	switch {
	case p.To == "top":
		o.DY = -1e7
	case p.To == "bottom":
		o.DY = 1e7
	case p.Pixels > 0 && o.Sideways:
		o.DX = sign * p.Pixels
	case p.Pixels > 0:
		o.DY = sign * p.Pixels
	default:
		o.Pages = sign * p.Pages
	}
	return o
}

func scrollWords(at *browser.Scrolled) string {
	if at.Wheel && at.DX == 0 && at.DY == 0 {
		text := "Nothing moved"
		if at.Stuck != "" {
			text += ": " + at.What + " " + at.Stuck
		}
		text += "; the mouse wheel was turned there"
		if at.Changed {
			text += ", and the page changed meanwhile"
		}
		return text
	}
	var parts []string
	say := func(d float64, plus, minus string) {
		if d > 0 {
			parts = append(parts, fmt.Sprintf("%s by %.0f px", plus, d))
		} else if d < 0 {
			parts = append(parts, fmt.Sprintf("%s by %.0f px", minus, -d))
		}
	}
	say(at.DY, "down", "up")
	say(at.DX, "right", "left")
	text := "Scrolled " + strings.Join(parts, " and ")
	if at.Box != "" {
		text += " in " + at.Box
	}
	return text
}

func scrolled(text string, at *browser.Scrolled) *registry.Result {
	res := &registry.Result{Text: text, Effects: at.Lines()}
	left := func(px float64) string { return fmt.Sprintf("%.1f", px/math.Max(1, at.View)) }
	switch {
	case at.Below < 1 && at.Above < 1:
	case at.Below < 1:
		res.Effects = append(res.Effects, "this is the bottom, "+left(at.Above)+" pages above")
	case at.Above < 1:
		res.Effects = append(res.Effects, "this is the top, "+left(at.Below)+" pages below")
	default:
		res.Effects = append(res.Effects, left(at.Above)+" pages above, "+left(at.Below)+" below")
	}
	return res
}

func findText(ctx context.Context, p FindTextParams, s *browser.Session) (*registry.Result, error) {
	f, err := s.ScrollToText(ctx, p.Text, p.Nth)
	if err != nil {
		return nil, failedTo("find_text", err)
	}
	text := fmt.Sprintf("Scrolled to %q in %s", p.Text, element(f.Index, f.In))
	if f.Count > 1 {
		text += fmt.Sprintf(" (place %d of %d)", p.Nth, f.Count)
	}
	return &registry.Result{Text: text}, nil
}
