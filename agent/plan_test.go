package agent

import "testing"

func ptr(i int) *int { return &i }

func planOf(items ...string) *plan {
	p := &plan{}
	p.update(&Answer{PlanUpdate: items}, 1)
	return p
}

func TestPlanMoves(t *testing.T) {
	for _, tt := range []struct {
		name  string
		moves []int
		want  string
	}{
		{"new", nil, "[>] 1. a\n[ ] 2. b\n[ ] 3. c"},
		{"forward", []int{2}, "[x] 1. a\n[>] 2. b\n[ ] 3. c"},
		{"two at once", []int{3}, "[x] 1. a\n[x] 2. b\n[>] 3. c"},
		{"back has one current item", []int{3, 2}, "[x] 1. a\n[>] 2. b\n[ ] 3. c"},
		{"below the first", []int{-4}, "[>] 1. a\n[ ] 2. b\n[ ] 3. c"},
		{"past the last finishes it", []int{9}, "[x] 1. a\n[x] 2. b\n[x] 3. c"},
	} {
		p := planOf("a", "b", "c")
		for _, m := range tt.moves {
			p.update(&Answer{PlanItem: ptr(m)}, 2)
		}
		if got := p.text(); got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

func TestPlanUpdateReplacesAndEmptyKeeps(t *testing.T) {
	p := planOf("a", "b")
	p.update(&Answer{PlanUpdate: []string{}}, 2)
	if len(p.Items) != 2 {
		t.Error("an empty list, which strict schemas make of no change, dropped the plan")
	}
	p.update(&Answer{PlanUpdate: []string{"x", "y", "z"}, PlanItem: ptr(2)}, 3)
	if got := p.text(); got != "[x] 1. x\n[>] 2. y\n[ ] 3. z" {
		t.Errorf("got\n%s", got)
	}
	p.update(nil, 4)
	if !planOf().finished() && len(planOf().Items) != 0 {
		t.Error("a plan out of nothing")
	}
}

func TestExplorationNudgeBacksOff(t *testing.T) {
	p := &plan{}
	var at []int
	for step := 1; step <= 30; step++ {
		if p.nudge(step, 0, 3, 5) != "" {
			at = append(at, step)
		}
	}
	if len(at) != 3 || at[0] != 5 || at[1] != 10 || at[2] != 20 {
		t.Errorf("nudged at %v, want 5, 10, 20", at)
	}
	for step := 1; step <= 40; step++ {
		if (&plan{}).nudge(step, 9, -1, -1) != "" {
			t.Fatal("turned off, and still nudging")
		}
	}
}

func TestReplanNudge(t *testing.T) {
	p := planOf("a", "b")
	if p.nudge(4, 2, 3, 5) != "" {
		t.Error("nudged at 2 failures of 3")
	}
	if p.nudge(5, 3, 3, 5) == "" {
		t.Error("not nudged at 3 failures")
	}
	if p.nudge(6, 4, 3, 5) != "" {
		t.Error("nudged again on the next step")
	}
	p.update(&Answer{PlanUpdate: []string{"other"}}, 7)
	if p.nudge(8, 3, 3, 5) == "" {
		t.Error("not nudged after a new plan that failed too")
	}
}
