package agent

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/seed-4bdb41d0/webhand/dom"
)

// Element is an element as a history keeps it: what it was, where it was on the
// picture, and what it is found again by.
type Element struct {
	// Index is its number in the recorded run. It means nothing in another.
	Index int `json:"index,omitempty"`
	// Bounds is its box when it was acted on, [x, y, width, height] in viewport
	// pixels.
	Bounds *[4]int `json:"bounds,omitempty"`
	dom.Identity
}

// words is the element for people: its role and its name.
func (e Element) words() string {
	w := or(e.Role, e.Tag)
	if e.Name != "" {
		w += " " + strconv.Quote(oneLine(e.Name, 80))
	}
	return w
}

// indexParams are the parameters by which actions name elements.
var indexParams = []string{"index", "from_index", "to_index"}

// indices are the elements that arguments name, by parameter. The parameters of
// one action come in a fixed order.
func indices(args json.RawMessage) (params []string, numbers []int) {
	var m map[string]json.RawMessage
	if json.Unmarshal(args, &m) != nil {
		return nil, nil
	}
	for _, p := range indexParams {
		var n int
		if json.Unmarshal(m[p], &n) == nil && n > 0 {
			params, numbers = append(params, p), append(numbers, n)
		}
	}
	return params, numbers
}

// identify fills in what the elements of an action are found again by. What is
// known from the look at the page stays where an element cannot be identified
// any more.
func (a *Agent) identify(ctx context.Context, o *observation, x *Action) {
	params, numbers := indices(x.Args)
	for i, p := range params {
		id, err := a.session.Identify(ctx, numbers[i])
		if err != nil {
			a.log.Debug("element not identified", "index", numbers[i], "err", err)
			continue
		}
		e := Element{Index: numbers[i], Bounds: a.boundsOf(o, numbers[i]), Identity: id}
		raw, err := json.Marshal(e)
		if err != nil {
			continue
		}
		if i == 0 {
			x.Element = raw
			x.ElementText = or(x.ElementText, e.words())
			continue
		}
		if x.Elements == nil {
			x.Elements = make(map[string]json.RawMessage)
		}
		x.Elements[p] = raw
	}
}

// boundsOf is the element's box on the picture the step was decided by, or now
// when there is none.
func (a *Agent) boundsOf(o *observation, index int) *[4]int {
	var e *dom.Element
	if o != nil && o.state != nil {
		e = o.state.Page.At(index)
	}
	if st := a.session.LastState(); e == nil && st != nil {
		e = st.Page.At(index)
	}
	if e == nil {
		return nil
	}
	return &[4]int{e.Bounds.X, e.Bounds.Y, e.Bounds.W, e.Bounds.H}
}

// elements are the recorded elements of an action by the parameter that named
// them. Elements of other programs' histories, which lack some of it, are read
// as far as they go.
func (x Action) elements() map[string]Element {
	out := make(map[string]Element)
	params, _ := indices(x.Args)
	read := func(param string, raw json.RawMessage) {
		var e Element
		if len(raw) > 0 && json.Unmarshal(raw, &e) == nil && (e.Tag != "" || e.Name != "" || len(e.Unique) > 0) {
			out[param] = e
		}
	}
	if len(params) > 0 {
		read(params[0], x.Element)
	}
	for _, p := range slices.Sorted(maps.Keys(x.Elements)) {
		read(p, x.Elements[p])
	}
	return out
}
