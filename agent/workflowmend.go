package agent

import (
	"encoding/json"
	"slices"
)

// mend makes the repaired workflow, if anything was healed: a copy with the new
// actions in place of those that could not be done any more.
func (r *workflowRun) mend() {
	if len(r.p.healed) == 0 {
		return
	}
	b, err := json.Marshal(r.w)
	c := &Workflow{}
	if err == nil {
		err = json.Unmarshal(b, c)
	}
	if err != nil {
		r.p.a.log.Warn("repaired workflow not made", "err", err)
		return
	}
	c.Steps = r.mended(r.w.Steps, c.Steps)
	redact(r.p.a.redact, c)
	r.p.report.RepairedWorkflow = c
}

// mended walks a list of steps and its copy side by side.
func (r *workflowRun) mended(steps, cp []WorkflowStep) []WorkflowStep {
	var out []WorkflowStep
	for i, s := range steps {
		c := cp[i]
		switch {
		case s.If != nil:
			c.If.Then, c.If.Else = r.mended(s.If.Then, c.If.Then), r.mended(s.If.Else, c.If.Else)
		case s.Repeat != nil:
			c.Repeat.Steps = r.mended(s.Repeat.Steps, c.Repeat.Steps)
		case s.Do != nil:
			k := slices.IndexFunc(r.p.healed, func(h healed) bool { return h.do == s.Do })
			if k < 0 {
				break
			}
			for _, x := range r.p.healed[k].actions {
				out = append(out, workflowStep(s.Name, x, len(out)+1))
			}
			continue
		}
		out = append(out, c)
	}
	return out
}
