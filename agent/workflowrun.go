package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/dom"
	"github.com/seed-4bdb41d0/webhand/internal/urlmatch"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// RunWorkflow runs a workflow. inputs are its inputs by name: texts, numbers,
// booleans, lists; one that is missing or of the wrong type is an error before a
// browser is started, and so is a secret without a value, an action that is not
// registered, or a step that needs a model when cfg.LLM is nil.
//
// What the run gives is JSON in the outcome's Data, and as text in Final. The
// error is a *ReplayError where a known action could not be done; cfg.Replay
// says what happens then.
func RunWorkflow(ctx context.Context, w *Workflow, inputs map[string]any, cfg Config) (*History, error) {
	r, err := newWorkflowRun(w, inputs, cfg)
	if err != nil {
		return &History{}, err
	}
	err = r.run(ctx)
	out := r.p.a.History()
	out.Replay = &r.p.report
	if cerr := r.p.a.Close(); err == nil {
		err = cerr
	}
	return out, err
}

type workflowRun struct {
	p    *player
	w    *Workflow
	cfg  Config
	kept map[string]any
	n    int // steps of the new history so far
}

func newWorkflowRun(w *Workflow, inputs map[string]any, cfg Config) (*workflowRun, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	values, err := w.inputValues(inputs)
	if err != nil {
		return nil, err
	}
	p, err := newBarePlayer(fill(values, or(w.Description, w.Name)), cfg)
	if err != nil {
		return nil, err
	}
	p.values = values
	r := &workflowRun{p: p, w: w, cfg: cfg, kept: map[string]any{}}
	if err := r.possible("steps", w.Steps); err != nil {
		_ = p.a.Close()
		return nil, err
	}
	return r, nil
}

// possible reports steps that cannot work whatever the pages are.
func (r *workflowRun) possible(at string, steps []WorkflowStep) error {
	var errs []error
	for i, s := range steps {
		where := fmt.Sprintf("%s[%d]", at, i)
		switch {
		case s.Do != nil:
			if err := r.p.possible(s.Do.action()); err != nil {
				errs = append(errs, fmt.Errorf("agent: workflow: %s: %w", where, err))
			}
		case s.Model != nil, s.Extract != nil && s.Extract.Goal != "":
			if !r.p.model {
				errs = append(errs, fmt.Errorf("agent: workflow: %s asks a model: %w", where, ErrNoLLM))
			}
		case s.If != nil:
			if s.If.URL != "" {
				if _, err := urlmatch.Parse(s.If.URL); err != nil {
					errs = append(errs, fmt.Errorf("agent: workflow: %s: %w", where, err))
				}
			}
			errs = append(errs, r.possible(where+".then", s.If.Then), r.possible(where+".else", s.If.Else))
		case s.Repeat != nil:
			errs = append(errs, r.possible(where+".steps", s.Repeat.Steps))
		}
	}
	return errors.Join(errs...)
}

func (r *workflowRun) run(ctx context.Context) error {
	p := r.p
	if err := p.a.begin(); err != nil {
		return err
	}
	defer p.a.finish()
	err := p.a.equip(ctx)
	if err == nil {
		p.tabs[FirstTab] = currentTab(p.a.session).ID
		err = r.steps(browser.WhenLoaded(ctx), r.w.Steps)
	}
	p.end(ctx, err)
	r.mend()
	if err == nil {
		err = r.output()
	}
	p.r.close(ctx)
	return err
}

// output fills in what the run gives.
func (r *workflowRun) output() error {
	o := r.p.r.over
	data, err := encodePlain(r.kept)
	if len(r.w.Output) > 0 {
		data, err = fillJSON(r.p.values, r.w.Output)
	}
	if err != nil {
		return fmt.Errorf("agent: workflow output: %w", err)
	}
	o.Data = data
	if len(r.kept) > 0 || len(r.w.Output) > 0 {
		o.Final = string(data)
		var s string
		if json.Unmarshal(data, &s) == nil {
			o.Final = s
		}
	}
	return nil
}

func (r *workflowRun) steps(ctx context.Context, steps []WorkflowStep) error {
	for _, s := range steps {
		if err := r.p.a.checkpoint(ctx); err != nil {
			return err
		}
		if err := r.step(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

func (r *workflowRun) step(ctx context.Context, s WorkflowStep) error {
	switch {
	case s.If != nil:
		ok, err := r.holds(ctx, s.If.Condition)
		switch {
		case err != nil:
			return fmt.Errorf("agent: workflow: condition %q: %w", s.Name, err)
		case ok:
			return r.steps(ctx, s.If.Then)
		}
		return r.steps(ctx, s.If.Else)
	case s.Repeat != nil:
		return r.repeat(ctx, s.Repeat)
	case s.Model != nil:
		return r.model(ctx, s.Model)
	}
	r.n++
	return r.p.inStep(ctx, r.n, &Answer{NextGoal: s.Name}, func(ctx context.Context, w *work) error {
		if s.Extract != nil {
			return r.extract(ctx, w, s)
		}
		return r.p.playAction(ctx, turn{w: w, Action: s.Do.action(), do: s.Do, rep: &ReplayedAction{Step: r.n, Action: 1}})
	})
}

func (r *workflowRun) keep(name string, v any) {
	if name != "" {
		r.kept[name], r.p.values[name] = v, v
	}
}

func (r *workflowRun) repeat(ctx context.Context, s *RepeatStep) error {
	raw, err := fillJSON(r.p.values, s.Over)
	if err != nil {
		return fmt.Errorf("agent: workflow: repeat: %w", err)
	}
	var list []any
	if err := json.Unmarshal(raw, &list); err != nil {
		return fmt.Errorf("agent: workflow: repeat goes over %s, which is no list", oneLine(string(raw), 80))
	}
	for i, item := range list {
		r.p.values[s.As], r.p.values[s.As+"_number"] = item, strconv.Itoa(i+1)
		if err := r.steps(ctx, s.Steps); err != nil {
			return fmt.Errorf("item %d of %d (%s): %w", i+1, len(list), oneLine(valueText(item), 60), err)
		}
	}
	return nil
}

// holds asks whether a condition is true now, or becomes true within its time.
func (r *workflowRun) holds(ctx context.Context, c Condition) (bool, error) {
	v := r.p.values
	ok := true
	if len(c.Equals) == 2 {
		ok = fill(v, c.Equals[0]) == fill(v, c.Equals[1])
	}
	if c.Within == 0 {
		if _, err := r.p.a.session.WaitStable(ctx); err != nil {
			return false, err
		}
	}
	limit := time.Duration(c.Within * float64(time.Second))
	if ok && (c.Text != "" || c.Gone != "" || c.Selector != "") {
		err := r.p.a.session.WaitFor(ctx, browser.WaitCondition{Text: fill(v, c.Text), Gone: fill(v, c.Gone), Selector: fill(v, c.Selector)}, max(limit, 10*time.Millisecond))
		var ae *browser.ActionError
		switch {
		case errors.As(err, &ae):
			ok = false
		case err != nil:
			return false, err
		}
	}
	if ok && c.URL != "" {
		pat, err := urlmatch.Parse(fill(v, c.URL))
		if err != nil {
			return false, err
		}
		u, parsed := urlmatch.ParseURL(currentURL(r.p.a.session))
		ok = parsed && pat.MatchURL(u)
	}
	return ok != c.Not, nil
}

// extract reads something off the page and keeps it.
func (r *workflowRun) extract(ctx context.Context, w *work, s WorkflowStep) error {
	rep := ReplayedAction{Step: r.n, Action: 1, Name: "extract", Status: ReplayOK}
	start := time.Now()
	v, err := r.read(ctx, w, s.Extract)
	rep.Millis = time.Since(start).Milliseconds()
	if err != nil {
		rep.Status, rep.Note = ReplayFailed, r.p.a.redact(oneLine(err.Error(), maxErrorText))
		r.p.report.Actions = append(r.p.report.Actions, rep)
		return &ReplayError{ReplayedAction: rep, Err: err}
	}
	r.p.report.Actions = append(r.p.report.Actions, rep)
	r.keep(s.Extract.As, v)
	return nil
}

func (r *workflowRun) read(ctx context.Context, w *work, e *ExtractStep) (any, error) {
	if e.Selector != "" {
		return r.readSelector(ctx, w, e)
	}
	args := map[string]any{"query": fill(r.p.values, e.Goal)}
	if len(e.Schema) > 0 {
		args["output_schema"] = string(e.Schema)
	}
	raw, err := encodePlain(args)
	if err != nil {
		return nil, err
	}
	call, err := r.p.a.replayReg.Compile(r.p.page()).Decode(rawCall("extract", raw))
	if err != nil {
		return nil, err
	}
	res, err := w.runCall(ctx, call)
	if err != nil {
		return nil, err
	}
	if res.Error != "" {
		return nil, errors.Join(errors.New(res.Error), res.Err)
	}
	return extracted(res), nil
}

// resultTag is how the extract action frames what it read.
var resultTag = regexp.MustCompile(`(?s)<result>\n?(.*?)\n?</result>`)

// extracted is what an extraction read: its data, or its text without the
// frame.
func extracted(res *registry.Result) any {
	if m, ok := res.Metadata["extraction_result"].(map[string]any); ok && m["data"] != nil {
		var v any
		if b, err := encodePlain(m["data"]); err == nil && json.Unmarshal(b, &v) == nil {
			return v
		}
	}
	if m := resultTag.FindStringSubmatch(res.Text); m != nil {
		return strings.TrimSpace(m[1])
	}
	return res.Text
}

// readSelector waits for a selector and reads what answers to it.
func (r *workflowRun) readSelector(ctx context.Context, w *work, e *ExtractStep) (any, error) {
	sel := fill(r.p.values, e.Selector)
	if err := r.p.a.session.WaitFor(ctx, browser.WaitCondition{Selector: sel}, r.p.cfg.Wait); err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, fmt.Errorf("%w: nothing answers to the selector %s", dom.ErrNoMatch, sel)
	}
	query, err := json.Marshal([]string{sel, e.Attribute})
	if err != nil {
		return nil, err
	}
	found, err := browser.Evaluate[[]string](ctx, r.p.a.session, `(([s, a]) => [...document.querySelectorAll(s)].map((e) => a ? e.getAttribute(a) || "" : (e.value || e.innerText || e.textContent || "").trim()))(`+string(query)+`)`)
	if err != nil {
		return nil, err
	}
	if e.Pattern != "" {
		re, err := regexp.Compile(e.Pattern)
		if err != nil {
			return nil, err
		}
		for i, s := range found {
			m := re.FindStringSubmatch(s)
			if m == nil {
				return nil, fmt.Errorf("%q has nothing that matches %s", oneLine(s, 80), e.Pattern)
			}
			found[i] = m[len(m)-1]
		}
	}
	w.s.Actions = append(w.s.Actions, Action{Name: "extract", Args: json.RawMessage(query), Result: &registry.Result{Text: strings.Join(found, "\n")}})
	w.moved = true
	if !e.All {
		if len(found) == 0 {
			return nil, fmt.Errorf("%w: nothing in the page itself answers to the selector %s", dom.ErrNoMatch, sel)
		}
		return found[0], nil
	}
	list := make([]any, len(found))
	for i, s := range found {
		list[i] = s
	}
	return list, nil
}

// model gives a part of the work to an agent of its own in the same session.
func (r *workflowRun) model(ctx context.Context, m *ModelStep) error {
	p := r.p
	cfg := r.cfg
	cfg.Browser, cfg.KeepBrowser = p.a.session, false
	cfg.Start = Start{NoURLFromTask: true}
	cfg.State, cfg.HistoryFile, cfg.Variables, cfg.Vars = nil, "", nil, nil
	cfg.Dir = p.a.folder.path
	cfg.Limits.Steps = m.MaxSteps
	if m.MaxSteps == 0 {
		cfg.Limits.Steps = 10
	}
	rep := ReplayedAction{Step: r.n + 1, Action: 1, Name: "model", Status: ReplayOK}
	start := time.Now()
	h, err := Run(browser.WhenQuiet(ctx), fill(p.values, m.Goal), cfg)
	for _, s := range h.Steps {
		r.n++
		s.Number = r.n
		p.a.commit(s, newNonce())
	}
	p.a.before = p.a.before.add(h.Usage)
	rep.Millis = time.Since(start).Milliseconds()
	if err == nil && !h.Succeeded() {
		err = fmt.Errorf("the model did not achieve it: %s", oneLine(h.Final(), 200))
	}
	if err != nil {
		rep.Status, rep.Note = ReplayFailed, p.a.redact(oneLine(err.Error(), maxErrorText))
		p.report.Actions = append(p.report.Actions, rep)
		return &ReplayError{ReplayedAction: rep, Err: err}
	}
	p.report.Actions = append(p.report.Actions, rep)
	if data := h.Outcome().Data; len(data) > 0 {
		var v any
		if json.Unmarshal(data, &v) == nil {
			r.keep(m.As, v)
			return nil
		}
	}
	r.keep(m.As, h.Final())
	return nil
}
