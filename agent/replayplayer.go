package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/dom"
	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/registry"
	"github.com/seed-4bdb41d0/webhand/tools"
)

// player does recorded actions again, for a replay and for a workflow.
type player struct {
	a      *Agent
	r      *run
	cfg    ReplayConfig
	model  bool // there is one
	values map[string]any
	h      *History // what is replayed
	report ReplayReport
	tabs   map[string]string // recorded id: id now
	// opener is the action before, when it opened something that may have
	// closed again.
	opener *turn
	healed []healed
}

// noModel stands in for the model that a replay does not need.
type noModel struct{}

func (noModel) Complete(context.Context, *llm.Request) (*llm.Response, error) {
	return nil, errors.New("agent: this replay has no model; set Config.LLM")
}

// newPlayer checks everything that can be checked without a browser.
func newPlayer(h *History, cfg Config) (*player, error) {
	if h == nil || len(h.Actions()) == 0 {
		return nil, errors.New("agent: replay: the history holds no action")
	}
	if len(h.Variables) > 0 {
		var err error
		if h, err = h.parameterize(false, h.Variables...); err != nil {
			return nil, err
		}
	}
	values, err := resolveVariables(h.Variables, cfg.Vars)
	if err != nil {
		return nil, err
	}
	p, err := newBarePlayer(or(fill(values, h.Task()), "replay"), cfg)
	if err != nil {
		return nil, err
	}
	p.h, p.values = h, values
	var errs []error
	for _, s := range h.Steps {
		for i, x := range s.Actions {
			if failedThen(x) == "" && x.Name != "done" {
				if err := p.possible(x); err != nil {
					errs = append(errs, fmt.Errorf("agent: replay: step %d, action %d: %w", s.Number, i+1, err))
				}
			}
		}
	}
	if err := errors.Join(errs...); err != nil {
		_ = p.a.Close()
		return nil, err
	}
	return p, nil
}

// newBarePlayer makes the agent that plays: its browser, actions, secrets,
// approval and records are those of any run.
func newBarePlayer(task string, cfg Config) (*player, error) {
	p := &player{cfg: cfg.Replay.withDefaults(), model: cfg.LLM != nil, tabs: map[string]string{}}
	if err := cfg.Replay.check(); err != nil {
		return nil, err
	}
	if p.cfg.OnMiss == MissHeal && !p.model {
		return nil, fmt.Errorf("%w: Replay.OnMiss is heal, which asks a model", ErrNoLLM)
	}
	if cfg.State != nil {
		return nil, errors.New("agent: replay: Config.State is for runs that a model decides; leave it nil")
	}
	if !p.model {
		cfg.LLM = noModel{}
	}
	cfg.Start = Start{NoURLFromTask: true}
	cfg.Variables, cfg.Vars = nil, nil
	a, err := New(task, cfg)
	if err != nil {
		return nil, err
	}
	p.a = a
	p.r = &run{a: a}
	return p, nil
}

// secretTag finds what registry.Placeholder writes.
var secretTag = regexp.MustCompile(`<secret>([^<]+)</secret>`)

// possible reports what keeps an action from being played whatever the page:
// it is not registered, or a secret it names is not there.
func (p *player) possible(x Action) error {
	name, args := tools.Canonical(x.Name, x.Args)
	if _, ok := p.a.replayReg.Lookup(name); !ok {
		return fmt.Errorf("%w: %q; register it in Config.Tools", registry.ErrUnknownAction, x.Name)
	}
	for _, s := range secretNames(args) {
		if !p.a.secrets.Known(s) {
			return fmt.Errorf("the secret %q has no value; add it to Config.Secrets", s)
		}
	}
	return nil
}

// secretNames are the secrets that arguments name.
func secretNames(args json.RawMessage) []string {
	var out []string
	_, _ = mapStrings(orEmpty(args), func(s string) any { // what is no JSON names none
		for _, m := range secretTag.FindAllStringSubmatch(s, -1) {
			out = append(out, m[1])
		}
		return s
	})
	return out
}

// failedThen is why an action did not work when it was recorded; "" if it did.
func failedThen(x Action) string {
	if x.Result == nil {
		return "no result was recorded"
	}
	return x.Result.Error
}

// run plays the whole history.
func (p *player) run(ctx context.Context) error {
	if err := p.a.begin(); err != nil {
		return err
	}
	defer p.a.finish()
	err := p.a.equip(ctx)
	if err == nil {
		err = p.playAll(browser.WhenLoaded(ctx))
	}
	p.end(ctx, err)
	p.r.close(ctx)
	return err
}

func (p *player) playAll(ctx context.Context) error {
	for _, s := range p.h.Steps {
		if len(s.Actions) == 0 {
			continue
		}
		if err := p.a.checkpoint(ctx); err != nil {
			return err
		}
		if err := p.playStep(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// playStep plays the actions of one recorded step as one step of the new
// history.
func (p *player) playStep(ctx context.Context, rec *Step) error {
	return p.inStep(ctx, rec.Number, rec.Answer, func(ctx context.Context, w *work) error {
		for i, x := range rec.Actions {
			x.Args = p.shortened(x)
			t := turn{w: w, Action: x, tabs: rec.Page.Tabs, rep: &ReplayedAction{Step: rec.Number, Action: i + 1}}
			if err := p.playAction(ctx, t); err != nil {
				if w.s.NotRun = len(rec.Actions) - i - 1; w.s.NotRun > 0 {
					w.s.NotRunWhy = "the replay ended"
				}
				return err
			}
		}
		return nil
	})
}

// shortened are the arguments of a recorded action, in which a wait for nothing
// that could be seen takes no longer than is configured. What a recording waited
// for because of a slow model or page is waited for by its elements.
func (p *player) shortened(x Action) json.RawMessage {
	var m map[string]json.RawMessage
	var seconds float64
	if x.Name != "wait" || json.Unmarshal(x.Args, &m) != nil || json.Unmarshal(m["seconds"], &seconds) != nil {
		return x.Args
	}
	for _, until := range []string{"text", "selector", "gone", "quiet"} {
		switch string(m[until]) {
		case "", "null", `""`, "false":
		default:
			return x.Args
		}
	}
	most := max(0, p.cfg.Idle).Seconds()
	if seconds <= most {
		return x.Args
	}
	m["seconds"] = json.RawMessage(strconv.FormatFloat(most, 'f', -1, 64))
	args, err := encodePlain(m)
	if err != nil {
		return x.Args
	}
	return args
}

// inStep runs f as one step of the history that is being written, whatever
// happens in it.
func (p *player) inStep(ctx context.Context, number int, said *Answer, f func(context.Context, *work) error) error {
	a := p.a
	s := &Step{Number: number, Started: time.Now(), Status: StepOK}
	if said != nil {
		s.Answer = &Answer{Memory: fill(p.values, said.Memory), NextGoal: fill(p.values, said.NextGoal)}
	}
	before := a.meter.Usage()
	sctx, clock := startClock(ctx, a.cfg.Limits.Step)
	a.clock = clock
	w := &work{run: p.r, s: s, nonce: newNonce()}
	w.obs = p.glance(sctx, number)
	s.Page = w.obs.page
	if h := a.cfg.Hooks.StepStart; h != nil {
		a.hook("StepStart", func() error { return h(ctx, number) })
	}
	err := f(sctx, w)
	s.Timing.Held = clock.end().Milliseconds()
	s.Usage = minus(a.meter.Usage(), before)
	s.Ended = time.Now()
	s.Timing.Total = s.Ended.Sub(s.Started).Milliseconds()
	s.Timing.Act = s.Timing.Total - s.Timing.Observe - s.Timing.Model - s.Timing.Held
	s.Err = err
	switch {
	case err == nil && w.failedLast && !w.moved:
		s.Status = StepFailed
	case err != nil && ctx.Err() != nil:
		s.Status, s.Error = StepInterrupted, a.redact(oneLine(err.Error(), maxErrorText))
	case err != nil:
		s.Status, s.Error = StepFailed, a.redact(oneLine(err.Error(), maxErrorText))
	}
	a.commit(s, w.nonce)
	a.report(ctx, s)
	if h := a.cfg.Hooks.StepEnd; h != nil {
		a.hook("StepEnd", func() error { return h(ctx, s) })
	}
	return err
}

// glance is the little that a replay looks at before a step: where it is, and
// a picture when one is wanted.
func (p *player) glance(ctx context.Context, number int) *observation {
	o := &observation{state: &browser.State{Page: &dom.Page{}}}
	for _, t := range p.a.session.Tabs() {
		o.page.Tabs = append(o.page.Tabs, Tab{ID: t.ID, URL: t.URL, Title: t.Title, Current: t.Current})
		if t.Current {
			o.page.URL, o.page.Title = t.URL, t.Title
		}
	}
	if !p.cfg.Screenshots || blank(o.page.URL) {
		return o
	}
	shot, err := p.a.session.Screenshot(ctx, browser.ScreenshotOptions{})
	if err == nil {
		o.page.Screenshot, err = p.a.folder.saveScreenshot(number, shot)
	}
	if err != nil {
		p.a.log.Warn("screenshot not kept", "step", number, "err", err)
	}
	return o
}

// end decides the outcome from the report.
func (p *player) end(ctx context.Context, err error) {
	rep := &p.report
	var done, left int
	for _, x := range rep.Actions {
		switch x.Status {
		case ReplayOK, ReplayHealed:
			done++
		case ReplaySkipped:
			if x.Note != noteFailedThen && x.Name != "done" {
				left++
			}
		}
	}
	rep.Result = ReplayComplete
	var re *ReplayError
	switch {
	case errors.As(err, &re) && re.Status == ReplayInDoubt:
		rep.Result = ReplayDoubtful
	case err != nil:
		rep.Result = ReplayBroken
	case left > 0:
		rep.Result = ReplayPartial
	}
	if err != nil {
		p.r.end(outcomeOf(ctx, err), err)
	} else {
		p.r.over = &Outcome{End: EndDone, Success: rep.Result == ReplayComplete}
	}
	p.r.over.Final = p.account(done, left)
	p.mend()
}

// account says what the replay did. The recorded answer is quoted as such: it
// tells what an earlier run saw.
func (p *player) account(done, left int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Replayed %s", count(done, "action"))
	if left > 0 {
		fmt.Fprintf(&b, ", left out %d", left)
	}
	if n := p.report.Heals; n > 0 {
		fmt.Fprintf(&b, ", %d of them healed", n)
	}
	b.WriteByte('.')
	if p.h != nil && p.h.Final() != "" {
		b.WriteString("\nThe recorded run answered (not read again): " + p.h.Final())
	}
	return b.String()
}

// mend makes the repaired recording, if anything was healed.
func (p *player) mend() {
	if p.h == nil || len(p.healed) == 0 {
		return
	}
	c, err := p.h.copy()
	if err != nil {
		p.a.log.Warn("repaired recording not made", "err", err)
		return
	}
	// From the back, so that positions stay true.
	for _, r := range slices.Backward(p.healed) {
		i := slices.IndexFunc(c.Steps, func(s *Step) bool { return s.Number == r.repair.Step })
		if i < 0 || r.repair.Action > len(c.Steps[i].Actions) {
			continue
		}
		s := c.Steps[i]
		at := r.repair.Action - 1
		s.Actions = slices.Replace(s.Actions, at, at+1, r.actions...)
	}
	for _, r := range p.healed {
		c.Repairs = append(c.Repairs, r.repair)
	}
	redact(p.a.redact, c)
	c.Revision++
	p.report.Repaired = c
}

// rawCall is an action as a model writes it.
func rawCall(name string, args json.RawMessage) json.RawMessage {
	b, err := encodePlain(map[string]json.RawMessage{name: orEmpty(args)})
	if err != nil {
		return nil
	}
	return b
}
