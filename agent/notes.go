package agent

import (
	"fmt"

	"github.com/seed-4bdb41d0/webhand/memory"
)

// notes collects what the model is told in this step besides task and page.
func (w *work) notes() []string {
	a, m, number := w.run.a, w.run.a.mind, w.s.Number
	var out []string
	for _, t := range a.ctl.takeTold() {
		m.Log.Add(memory.Entry{Kind: memory.KindTask, Text: a.redact("Message from the user during the work:\n" + t)})
	}
	out = append(out, m.Notes...)
	m.Notes = nil
	if w.run.final {
		out = append(out, w.finalNote())
	} else if s := budgetNote(w.run.steps+1, a.cfg.Limits.Steps); s != "" {
		out = append(out, s)
	}
	if !a.cfg.Plan.Off && a.cfg.Planner.LLM == nil && !w.run.final {
		if s := m.Plan.nudge(number, m.Failures, a.cfg.Plan.ReplanAfter, a.cfg.Plan.ExploreAfter); s != "" {
			out = append(out, s)
		}
	}
	if !a.cfg.Stuck.Off {
		m.Stuck.saw(w.obs.page.Fingerprint)
		if s := m.Stuck.nudge(number); s != "" && !w.run.final {
			out = append(out, s)
		}
	}
	out = append(out, w.obs.notes...)
	for i := range out {
		out[i] = a.redact(out[i])
	}
	return out
}

// finalNote says why the model can only finish now.
func (w *work) finalNote() string {
	why := "This is the last step."
	if w.run.steps < w.run.a.cfg.Limits.Steps-1 {
		why = fmt.Sprintf("%d steps in a row failed, so this is the last one.", w.run.a.mind.Failures)
	}
	return why + " Only done is available. Give everything you found, say what is missing, and set success to true only if the whole task is done."
}

// budgetNote warns when three quarters of the steps are used, this one included.
func budgetNote(used, limit int) string {
	if limit <= 0 || used >= limit || used*4 < limit*3 {
		return ""
	}
	return fmt.Sprintf("%d of %d steps are used (%d%%), %d are left after this one. Go for what matters most; if it cannot all be done, finish in time with what you have.",
		used, limit, used*100/limit, limit-used)
}
