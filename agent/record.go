package agent

import (
	"context"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// commit keeps a finished step: redacted as a whole, then in the history, the
// file, and the prompt of the steps to come. From here on nothing changes it.
func (a *Agent) commit(s *Step, nonce string) {
	err := s.Err
	// Titles and texts are pieces of a whole captured page; kept as they are
	// they would hold all of it for as long as the history lives.
	redact(func(t string) string { return strings.Clone(a.redact(t)) }, s)
	s.Err = err
	m := a.mind
	m.Number = s.Number
	if a.session != nil {
		m.URL = strings.Clone(currentURL(a.session))
	}
	e, reads := entry(s, nonce)
	m.Log.Add(e)
	for _, r := range reads {
		m.Log.AddRead(r)
	}
	m.Log.Limit(a.cfg.Limits.HistoryItems)
	usage := usageOf(&a.meter, a.before)
	a.mu.Lock()
	a.hist.Steps = append(a.hist.Steps, s)
	a.hist.Usage = usage
	if a.hist.Model == "" {
		a.hist.Model = s.Model
	}
	a.saved = a.savable(m)
	a.mu.Unlock()
	a.journal.write(line{Step: s, Usage: &usage})
}

// savable is a copy of a mind fit to leave the process.
func (a *Agent) savable(m *mind) *mind {
	c := m.clone()
	redact(a.redact, c)
	return c
}

// commitOutcome keeps how the task ended.
func (a *Agent) commitOutcome(o Outcome) {
	m := a.mind
	if o.End == EndDone {
		m.Pending = false
	}
	usage := usageOf(&a.meter, a.before)
	a.mu.Lock()
	if n := len(a.hist.Tasks); n > 0 {
		a.hist.Tasks[n-1].Outcome = o
	}
	a.hist.Usage = usage
	a.saved = a.savable(m)
	a.mu.Unlock()
	a.journal.write(line{Outcome: &o, Usage: &usage})
}

// report tells logs and metrics about a finished step.
func (a *Agent) report(ctx context.Context, s *Step) {
	names := make([]string, 0, len(s.Actions))
	for _, x := range s.Actions {
		names = append(names, x.Name)
		failed := x.Result != nil && x.Result.Error != ""
		a.tel.acts.Add(ctx, 1, metric.WithAttributes(attribute.String("action", x.Name), attribute.Bool("failed", failed)))
	}
	a.tel.steps.Add(ctx, 1, metric.WithAttributes(attribute.String("status", string(s.Status))))
	for what, ms := range map[string]int64{"step": s.Timing.Total, "capture": s.Timing.Observe, "actions": s.Timing.Act} {
		a.tel.took.Record(ctx, float64(ms)/1000, metric.WithAttributes(attribute.String("what", what)))
	}
	goal := ""
	if s.Answer != nil {
		goal = or(s.Answer.NextGoal, s.Answer.Memory)
	}
	attrs := []any{"step", s.Number, "status", string(s.Status), "url", s.Page.URL, "goal", oneLine(goal, 200), "actions", names,
		"ms", s.Timing.Total, "model_ms", s.Timing.Model, "tokens", s.Usage.Total()}
	if s.Error != "" {
		attrs = append(attrs, "err", s.Error)
	}
	a.log.InfoContext(ctx, "step", attrs...)
}
