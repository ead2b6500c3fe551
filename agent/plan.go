package agent

import (
	"fmt"
	"slices"
	"strings"
)

// PlanStatus is where a plan item stands.
type PlanStatus string

// The states of a plan item.
const (
	PlanPending PlanStatus = "pending"
	PlanCurrent PlanStatus = "current"
	PlanDone    PlanStatus = "done"
)

// PlanItem is one line of a plan.
type PlanItem struct {
	Text   string     `json:"text"`
	Status PlanStatus `json:"status"`
}

const maxPlanItems = 20

// plan is the model's plan for the current task.
type plan struct {
	Items []PlanItem `json:"items,omitempty"`
	// Made is the step at which it was written; 0 without a plan.
	Made int `json:"made,omitempty"`
	// Asked is the step at which the model was last asked for a plan, and
	// Wait how many steps pass before it is asked again.
	Asked int `json:"asked,omitempty"`
	Wait  int `json:"wait,omitempty"`
}

// update applies what an answer says about the plan. An empty list changes
// nothing: it is what strict schemas make of "no change".
func (p *plan) update(a *Answer, step int) {
	if a == nil {
		return
	}
	if len(a.PlanUpdate) > 0 {
		p.set(a.PlanUpdate, step)
	}
	if a.PlanItem != nil && len(p.Items) > 0 {
		p.moveTo(*a.PlanItem)
	}
}

func (p *plan) set(items []string, step int) {
	items = items[:min(len(items), maxPlanItems)]
	p.Items = make([]PlanItem, len(items))
	for i, s := range items {
		p.Items[i] = PlanItem{Text: oneLine(s, 200), Status: PlanPending}
	}
	p.Items[0].Status = PlanCurrent
	p.Made, p.Asked, p.Wait = step, 0, 0
}

// moveTo makes item i (from 1, as it is shown) the only current one. Everything
// before it counts as done, everything after it as pending, so a plan that goes
// back has one current item too. One past the end finishes the plan.
func (p *plan) moveTo(i int) {
	i = min(max(i, 1), len(p.Items)+1)
	for k := range p.Items {
		switch {
		case k+1 < i:
			p.Items[k].Status = PlanDone
		case k+1 == i:
			p.Items[k].Status = PlanCurrent
		default:
			p.Items[k].Status = PlanPending
		}
	}
}

func (p *plan) finished() bool {
	return len(p.Items) > 0 && !slices.ContainsFunc(p.Items, func(i PlanItem) bool { return i.Status != PlanDone })
}

// text renders the plan as the model reads it.
func (p *plan) text() string {
	if len(p.Items) == 0 {
		return ""
	}
	marks := map[PlanStatus]string{PlanDone: "[x]", PlanCurrent: "[>]", PlanPending: "[ ]"}
	var b strings.Builder
	for i, item := range p.Items {
		fmt.Fprintf(&b, "%s %d. %s\n", marks[item.Status], i+1, item.Text)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// nudge returns the advice about planning that this step needs, if any: make a
// new plan after replanAfter failures in a row, make one at all after
// exploreAfter steps without. Each is said once and then, while nothing
// changes, after twice as many steps each time. Numbers below 1 turn it off.
func (p *plan) nudge(step, failures, replanAfter, exploreAfter int) string {
	has := len(p.Items) > 0
	switch {
	case has && replanAfter > 0 && failures >= replanAfter:
		if !p.due(step, replanAfter) {
			return ""
		}
		return fmt.Sprintf("The last %d steps failed. The plan may not fit the site: write a new one in plan_update that goes another way.", failures)
	case !has && exploreAfter > 0 && step >= exploreAfter:
		if !p.due(step, exploreAfter) {
			return ""
		}
		return fmt.Sprintf("%d steps without a plan. If the task needs more than a few further steps, write a plan in plan_update; if not, finish it.", step-1)
	}
	return ""
}

func (p *plan) due(step, wait int) bool {
	if p.Asked > 0 && step < p.Asked+p.Wait {
		return false
	}
	p.Asked = step
	p.Wait = max(p.Wait*2, wait)
	return true
}

// oneLine folds white space and cuts s at n runes.
func oneLine(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
