package agent

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-4bdb41d0/webhand/tools"
)

// FirstTab is the name, in a workflow, of the tab that the run begins in. Other
// tabs have the name that new_tab of the step that opens them gives.
const FirstTab = "first"

// tabOf is the tab that an action is about, "" for the current one.
func tabOf(name string, args json.RawMessage) string {
	_, args = tools.Canonical(name, orEmpty(args))
	var a struct {
		TabID string `json:"tab_id"`
	}
	_ = json.Unmarshal(args, &a) // what is no JSON names none
	return a.TabID
}

// checkTabs reports steps about a tab that no step before them opens.
func checkTabs(at string, steps []WorkflowStep, open map[string]bool) []error {
	var errs []error
	for i, s := range steps {
		where := fmt.Sprintf("%s[%d]", at, i)
		switch {
		case s.Do != nil:
			if tab := tabOf(s.Do.Action, s.Do.Args); tab != "" && !open[tab] && !strings.Contains(tab, "{{") {
				errs = append(errs, fmt.Errorf("%w: %s.do: no step before opens the tab %q; name it in new_tab of the one that does (the tab that the run begins in is %q)",
					ErrWorkflow, where, tab, FirstTab))
			}
			if s.Do.NewTab != "" {
				open[s.Do.NewTab] = true
			}
		case s.If != nil:
			errs = append(errs, checkTabs(where+".then", s.If.Then, open)...)
			errs = append(errs, checkTabs(where+".else", s.If.Else, open)...)
		case s.Repeat != nil:
			errs = append(errs, checkTabs(where+".steps", s.Repeat.Steps, open)...)
		}
	}
	return errs
}

// firstTab is the recorded id of the tab that a run began in, "" when it cannot
// be known.
func (h *History) firstTab() string {
	opened := map[string]bool{}
	for _, s := range h.Steps {
		if len(s.Page.Tabs) > 0 {
			there := slices.DeleteFunc(slices.Clone(s.Page.Tabs), func(t Tab) bool { return opened[t.ID] })
			if i := slices.IndexFunc(there, func(t Tab) bool { return t.Current }); i >= 0 {
				return there[i].ID
			}
			if len(there) == 1 {
				return there[0].ID
			}
			return ""
		}
		for _, x := range s.Actions {
			opened[effectOf(x).NewTab] = true
		}
	}
	return ""
}

// nameFirstTab puts the name of the first tab in the place of its recorded id.
func nameFirstTab(d *DoStep, id string) {
	if id == "" || tabOf(d.Action, d.Args) != id {
		return
	}
	var args json.RawMessage
	d.Action, args = tools.Canonical(d.Action, d.Args)
	var m map[string]json.RawMessage
	_ = json.Unmarshal(args, &m) // tabOf has read it
	m["tab_id"] = json.RawMessage(`"` + FirstTab + `"`)
	d.Args, _ = encodePlain(m) // and what was read can be written
}
