// Package pagejson is the JSON form in which the example programs print a page
// state.
package pagejson

import (
	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/dom"
)

// State is a page state as inspect and drive print it.
type State struct {
	URL      string        `json:"url"`
	Title    string        `json:"title"`
	Tabs     []browser.Tab `json:"tabs"`
	Text     string        `json:"text"`
	Elements []Element     `json:"elements"`
	Missing  []string      `json:"missing,omitempty"`
	Stats    Stats         `json:"stats"`
}

// Element is one thing the page model holds, in reading order.
type Element struct {
	Index int               `json:"index"` // 0 for what is no target
	Tag   string            `json:"tag"`
	Role  string            `json:"role"`
	Name  string            `json:"name"`
	Text  string            `json:"text"`
	Value string            `json:"value,omitempty"`
	Attrs map[string]string `json:"attrs"`
	// Parent is the position in the list of what contains it, -1 at the top.
	Parent int    `json:"parent"`
	Frame  int    `json:"frame"`
	Bounds [4]int `json:"bounds"` // x, y, width, height in viewport pixels
	New    bool   `json:"new"`
}

// Stats say how big the state is and what it cost.
type Stats struct {
	Nodes    int `json:"nodes"`
	Elements int `json:"elements"`
	Chars    int `json:"chars"`
	Tokens   int `json:"tokens"`
	MS       MS  `json:"ms"`
}

// MS are times in milliseconds.
type MS struct {
	Capture float64 `json:"capture"`
	Build   float64 `json:"build"`
	Render  float64 `json:"render"`
	Total   float64 `json:"total"`
}

// Of returns the JSON form of a state.
func Of(st *browser.State) State {
	p := st.Page
	out := State{
		URL: st.URL, Title: st.Title, Tabs: st.Tabs, Text: st.Text.String, Missing: p.Missing,
		Elements: make([]Element, len(p.Elements)),
		Stats: Stats{
			Nodes: p.Nodes, Elements: len(p.Elements), Chars: len(st.Text.String), Tokens: st.Text.Tokens,
			MS: MS{ms(st.Timing.Capture), ms(st.Timing.Build), ms(st.Timing.Render), ms(st.Timing.Total)},
		},
	}
	for i := range p.Elements {
		out.Elements[i] = element(&p.Elements[i])
	}
	return out
}

func element(e *dom.Element) Element {
	attrs := make(map[string]string, len(e.Attrs))
	for _, a := range e.Attrs {
		attrs[a.Name] = a.Value
	}
	for _, a := range e.Live() {
		attrs[a.Name] = a.Value
	}
	return Element{
		Index: e.Index, Tag: e.Tag, Role: e.Role, Name: e.Name, Text: e.Text, Value: e.Value, Attrs: attrs,
		Parent: e.Parent, Frame: e.Frame, Bounds: [4]int{e.Bounds.X, e.Bounds.Y, e.Bounds.W, e.Bounds.H}, New: e.New,
	}
}

func ms(d interface{ Microseconds() int64 }) float64 { return float64(d.Microseconds()) / 1000 }
