package tools

import (
	"context"
	"fmt"
	"time"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// DragParams are the parameters of drag.
type DragParams struct {
	FromIndex   *int        `json:"from_index" jsonschema:"minimum=1" jsonschema_description:"the element to drag"`
	FromX       *float64    `json:"from_x" jsonschema_description:"with from_y instead of from_index: a point of the viewport in pixels"`
	FromY       *float64    `json:"from_y"`
	ToIndex     *int        `json:"to_index" jsonschema:"minimum=1" jsonschema_description:"the element to drop on"`
	ToX         *float64    `json:"to_x" jsonschema_description:"with to_y instead of to_index"`
	ToY         *float64    `json:"to_y"`
	ByX         *float64    `json:"by_x" jsonschema_description:"with by_y instead of a place: how far, in pixels"`
	ByY         *float64    `json:"by_y"`
	Path        []DragPoint `json:"path,omitempty" jsonschema_description:"points to go through on the way"`
	HoldSeconds float64     `json:"hold_seconds,omitempty" jsonschema:"minimum=0,maximum=10" jsonschema_description:"how long to press before moving"`
}

// DragPoint is a point of the viewport in CSS pixels.
type DragPoint struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

func dragActions() []builtin {
	return []builtin{{
		registry.Spec{Name: "drag", Description: "Drag an element or from a point: to another element, to a point, by a distance, along a path. For sliders, sorting, drawing, selecting text."},
		drag,
	}}
}

func drag(ctx context.Context, p DragParams, s *browser.Session) (*registry.Result, error) {
	o := browser.DragOptions{Hold: time.Duration(p.HoldSeconds * float64(time.Second))}
	index, _, err := place(p.FromIndex, p.FromX, p.FromY)
	if err != nil {
		return nil, fmt.Errorf("drag: where from? give from_index, or from_x and from_y")
	}
	o.From.Index = index
	if index == 0 {
		o.From.X, o.From.Y = *p.FromX, *p.FromY
	}
	for _, q := range p.Path {
		o.Path = append(o.Path, browser.Place{X: q.X, Y: q.Y})
	}
	if p.ByX != nil || p.ByY != nil {
		o.To.Relative = true
		if p.ByX != nil {
			o.To.X = *p.ByX
		}
		if p.ByY != nil {
			o.To.Y = *p.ByY
		}
	} else {
		to, _, err := place(p.ToIndex, p.ToX, p.ToY)
		if err != nil {
			return nil, fmt.Errorf("drag: where to? give to_index, or to_x and to_y, or by_x and by_y")
		}
		o.To.Index = to
		if to == 0 {
			o.To.X, o.To.Y = *p.ToX, *p.ToY
		}
	}
	eff, err := s.Drag(ctx, o)
	if err != nil {
		return acted("", eff, failedTo("drag", err))
	}
	return acted("Dragged "+element(index, eff.What), eff, nil)
}
