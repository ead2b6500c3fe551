package dom

import (
	"strconv"
	"strings"
)

// Live returns the element's states and looks as attributes, for output that
// has only those: "checked", "disabled", "options", "background", "fill",
// "colour", "scroll" and so on. A state an attribute claims but the element no longer
// has comes with the value "false".
func (e *Element) Live() []Attr {
	var out []Attr
	add := func(name, value string) {
		if value != "" {
			out = append(out, Attr{name, value})
		}
	}
	for _, s := range liveStates {
		if e.State.Has(s.state) {
			add(s.name, "true")
		} else if _, claimed := e.Attr(s.name); claimed && s.live {
			add(s.name, "false")
		}
	}
	add("control", e.Control)
	if e.OptionCount > 0 {
		add("options", strings.Join(e.Options, "|"))
		add("option-count", strconv.Itoa(e.OptionCount))
	}
	add("fill", e.Fill)
	add("stroke", e.Stroke)
	add("points", string(appendPoints(nil, e.Points)))
	add("background", e.Background)
	add("colour", e.Colour())
	add("icon", e.Icon)
	add("hint", e.Hint)
	add("href", e.Href)
	add("src", e.Src)
	add("description", e.Description)
	add("covered-by", e.Cover)
	if e.Scroll != nil {
		add("scroll", strings.Trim(string(appendScroll(nil, *e.Scroll)), `"`))
	}
	return out
}

var liveStates = []struct {
	state State
	name  string
	live  bool // the attribute of this name may be out of date
}{
	{Disabled, "disabled", false}, {Focused, "focused", false}, {Checked, "checked", true}, {Mixed, "mixed", false},
	{Selected, "selected", true}, {ReadOnly, "readonly", true}, {Required, "required", true}, {Invalid, "invalid", false},
	{Open, "open", true}, {Scrollable, "scrollable", false}, {Covered, "covered", false}, {InView, "in-view", false},
	{OpenShadow, "shadow", false}, {ClosedShadow, "shadow-closed", false}, {CrossProcess, "cross-process", false},
}
