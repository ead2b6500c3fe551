package export

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/seed-4bdb41d0/webhand/agent"
	"github.com/seed-4bdb41d0/webhand/tools"
)

// args are the arguments of all actions that can be written.
type args struct {
	URL       string          `json:"url"`
	NewTab    bool            `json:"new_tab"`
	Text      string          `json:"text"`
	Texts     []string        `json:"texts"`
	Clear     *bool           `json:"clear"`
	Keys      string          `json:"keys"`
	Path      string          `json:"path"`
	Query     string          `json:"query"`
	Engine    string          `json:"engine"`
	TabID     string          `json:"tab_id"`
	Down      *bool           `json:"down"`
	Pages     float64         `json:"pages"`
	Pixels    float64         `json:"pixels"`
	To        string          `json:"to"`
	Direction string          `json:"direction"`
	Button    string          `json:"button"`
	Count     int             `json:"count"`
	Seconds   *float64        `json:"seconds"`
	Gone      string          `json:"gone"`
	Selector  string          `json:"selector"`
	Quiet     bool            `json:"quiet"`
	X         *float64        `json:"coordinate_x"`
	Modifiers json.RawMessage `json:"modifiers"`
}

// nothing are actions that only look, which a program does not need to.
var nothing = map[string]bool{
	"screenshot": true, "dropdown_options": true, "search_page": true, "find_elements": true, "find_text": true, "extract": true, "read_file": true,
}

// read takes an action as it is called today, with its arguments.
func read(d *agent.DoStep) (name string, a args, err error) {
	name, raw := tools.Canonical(d.Action, d.Args)
	if len(raw) > 0 {
		err = json.Unmarshal(raw, &a)
	}
	return name, a, err
}

func (g *goWriter) do(d *agent.DoStep) {
	name, a, err := read(d)
	if err != nil {
		g.unsupported(fmt.Sprintf("the arguments of %s: %v", d.Action, err))
		return
	}
	e := goElement(d.Element)
	if d.Element == nil && needsElement(name) {
		g.unsupported(name + " without an element")
		return
	}
	switch name {
	case "navigate":
		if a.NewTab {
			g.unsupported("navigate in a new tab")
			return
		}
		g.line("s.open(%q)", a.URL)
	case "search":
		g.line("s.open(%q)", searchURL(a))
	case "click":
		switch {
		case a.Count > 1 || a.Button != "" && a.Button != "left" || len(a.Modifiers) > 4:
			g.unsupported("click with another button, twice, or with keys held")
		case d.NewTab != "":
			g.line("s.clickOpening(%s, %q)", e, d.NewTab)
		default:
			g.line("s.click(%s, %q)", e, d.LeadsTo)
		}
	case "hover":
		g.line("s.hover(%s)", e)
	case "input":
		if a.Clear != nil && !*a.Clear {
			g.unsupported("input that appends")
			return
		}
		g.line("s.input(%s, %q)", e, a.Text)
	case "select_dropdown":
		for _, t := range append(a.Texts, a.Text) {
			if t != "" {
				g.line("s.choose(%s, %q)", e, t)
			}
		}
	case "upload_file":
		g.line("s.upload(%s, %q)", e, a.Path)
	case "send_keys":
		keys, ok := goKeys(a.Keys)
		if !ok {
			g.unsupported("send_keys " + strconv.Quote(a.Keys))
			return
		}
		g.line("s.keys(%s)", keys)
	case "scroll":
		g.line("s.script(%q)", scrollJS(a))
	case "go_back":
		g.line("s.back()")
	case "go_forward":
		g.line("s.forward()")
	case "reload":
		g.line("s.reload()")
	case "switch":
		g.line("s.switchTab(%q)", a.TabID)
	case "wait":
		g.line("s.waitFor(%s, %s)", goCondition(agent.Condition{Text: a.Text, Gone: a.Gone, Selector: a.Selector}), seconds(secondsOf(a)))
	default:
		if nothing[name] {
			g.line("// %s only looks", name)
			return
		}
		g.unsupported("the action " + name)
	}
}

func needsElement(name string) bool {
	switch name {
	case "click", "hover", "input", "select_dropdown", "upload_file":
		return true
	}
	return false
}

func secondsOf(a args) float64 {
	if a.Seconds == nil {
		return 3
	}
	return *a.Seconds
}

func searchURL(a args) string {
	q := url.QueryEscape(a.Query)
	if strings.Contains(a.Query, "{{") {
		q = a.Query // filled in later
	}
	switch a.Engine {
	case "google":
		return "https://www.google.com/search?udm=14&q=" + q
	case "bing":
		return "https://www.bing.com/search?q=" + q
	}
	return "https://duckduckgo.com/?q=" + q
}

func scrollJS(a args) string {
	switch {
	case a.To == "top":
		return "scrollTo(0, 0)"
	case a.To == "bottom":
		return "scrollTo(0, document.documentElement.scrollHeight)"
	}
	sign := 1.0
	if a.Down != nil && !*a.Down || a.Direction == "up" || a.Direction == "left" {
		sign = -1
	}
	by := fmt.Sprintf("%g * innerHeight", sign*max(a.Pages, 0.1))
	if a.Pages == 0 {
		by = fmt.Sprintf("%g * innerHeight", sign)
	}
	if a.Pixels > 0 {
		by = fmt.Sprintf("%g", sign*a.Pixels)
	}
	if a.Direction == "left" || a.Direction == "right" {
		return "scrollBy(" + by + ", 0)"
	}
	return "scrollBy(0, " + by + ")"
}

// keyNames are the keys that programs may press, with their names in chromedp's
// kb package. Playwright has the same names as webhand.
var keyNames = map[string]string{
	"Enter": "\r", "Tab": "\t", "Escape": "\u001b", "Backspace": "\b", "Delete": "\u007f", "Space": " ",
	"ArrowDown": "\u0301", "ArrowLeft": "\u0302", "ArrowRight": "\u0303", "ArrowUp": "\u0304",
	"End": "\u0305", "Home": "\u0306", "PageDown": "\u0307", "PageUp": "\u0308",
}

// goKeys writes keys by name, or a text.
func goKeys(keys string) (string, bool) {
	var out []string
	for _, k := range strings.Fields(keys) {
		code, ok := keyNames[k]
		if !ok {
			if strings.Contains(keys, "+") || len(out) > 0 {
				return "", false
			}
			return strconv.Quote(keys), true
		}
		out = append(out, strconv.QuoteToASCII(code))
	}
	return strings.Join(out, ", "), len(out) > 0
}
