package agent

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/internal/schema"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// WorkflowFormat and WorkflowVersion mark a workflow document.
const (
	WorkflowFormat  = "webhand-workflow"
	WorkflowVersion = 1
)

// ErrWorkflow is matched by errors about what a workflow document says.
var ErrWorkflow = errors.New("agent: workflow")

// Workflow is a run written down: actions that are known, and steps that ask a
// model where they are not. It is made from a history with [History.Workflow] or
// written by hand; docs/workflows.md describes it, and [WorkflowSchema] is its
// JSON Schema. {{name}} in any text stands for an input or for what an earlier
// step kept.
type Workflow struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	// Inputs are what a run is given.
	Inputs []Variable `json:"inputs,omitempty"`
	// Secrets are the names of the secrets that its actions use.
	Secrets []string       `json:"secrets,omitempty"`
	Steps   []WorkflowStep `json:"steps"`
	// Output is what a run gives: JSON with placeholders. Without it a run
	// gives everything that its steps kept.
	Output json.RawMessage `json:"output,omitempty"`
}

// WorkflowStep is one step: exactly one of its kinds is set.
type WorkflowStep struct {
	// Name says what the step is for.
	Name    string       `json:"name,omitempty"`
	Do      *DoStep      `json:"do,omitempty"`
	Model   *ModelStep   `json:"model,omitempty"`
	Extract *ExtractStep `json:"extract,omitempty"`
	If      *IfStep      `json:"if,omitempty"`
	Repeat  *RepeatStep  `json:"repeat,omitempty"`
}

// DoStep is an action without a model.
type DoStep struct {
	Action string          `json:"action"`
	Args   json.RawMessage `json:"args,omitempty"`
	// Element is what the action is about, in place of its index. By hand,
	// role and name are enough.
	Element *Element `json:"element,omitempty"`
	// Elements are further ones by the parameter that names them, such as
	// to_index.
	Elements map[string]Element `json:"elements,omitempty"`
	// LeadsTo is the page that the action goes to. When the page stays, the
	// action is in doubt and the run ends.
	LeadsTo string `json:"leads_to,omitempty"`
	// Opens marks an action that opens a menu: it is repeated once when what it
	// opened has closed before the next one.
	Opens bool `json:"opens,omitempty"`
	// NewTab is a name for the tab that the action opens, by which the tab_id of
	// a later switch or close may call it.
	NewTab string `json:"new_tab,omitempty"`
}

// ModelStep gives a model a task on the page that the run has come to.
type ModelStep struct {
	Goal string `json:"goal"`
	// MaxSteps is the most steps; 0 is 10.
	MaxSteps int `json:"max_steps,omitempty"`
	// As keeps the model's answer under a name.
	As string `json:"as,omitempty"`
}

// ExtractStep reads something off the page: by a CSS selector without a model,
// or by a goal with one.
type ExtractStep struct {
	As string `json:"as"`
	// Selector is a CSS selector; the text of the first element that answers to
	// it is kept, or its attribute, or with All those of all as a list.
	Selector  string `json:"selector,omitempty"`
	Attribute string `json:"attribute,omitempty"`
	All       bool   `json:"all,omitempty"`
	// Pattern keeps what the first group of a regular expression finds in the
	// text.
	Pattern string `json:"pattern,omitempty"`
	// Goal says in words what to read, and Schema is the JSON Schema of the
	// answer.
	Goal   string          `json:"goal,omitempty"`
	Schema json.RawMessage `json:"schema,omitempty"`
}

// Condition is true when everything that is set holds.
type Condition struct {
	Text     string `json:"text,omitempty"`     // the page shows it
	Gone     string `json:"gone,omitempty"`     // the page does not show it
	Selector string `json:"selector,omitempty"` // an element answers to it and is shown
	URL      string `json:"url,omitempty"`      // a pattern as in registry.Spec.Domains
	// Equals are two texts, with placeholders.
	Equals []string `json:"equals,omitempty"`
	// Within is how many seconds the page is given to show it; 0 asks at once.
	Within float64 `json:"within,omitempty"`
	// Not turns the whole around.
	Not bool `json:"not,omitempty"`
}

// IfStep takes one of two ways.
type IfStep struct {
	Condition
	Then []WorkflowStep `json:"then"`
	Else []WorkflowStep `json:"else,omitempty"`
}

// RepeatStep does its steps once for each item of a list.
type RepeatStep struct {
	// Over is a list, or the placeholder of one.
	Over json.RawMessage `json:"over"`
	// As names the item in the steps; its position is {{name_number}}, from 1.
	As    string         `json:"as"`
	Steps []WorkflowStep `json:"steps"`
}

//go:embed workflow.schema.json
var workflowSchema []byte

// WorkflowSchema returns the JSON Schema of workflow documents.
func WorkflowSchema() json.RawMessage { return slices.Clone(workflowSchema) }

var workflowValidator = sync.OnceValues(func() (*schema.Validator, error) { return schema.RawValidator(workflowSchema) })

type workflowEnvelope struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	*Workflow
}

// ParseWorkflow reads a workflow document and checks it: against its schema, and
// that every placeholder stands for something. Errors match ErrWorkflow and name
// the place.
func ParseWorkflow(r io.Reader) (*Workflow, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("agent: read workflow: %w", err)
	}
	value, err := schema.ParseValue(data)
	if err != nil {
		return nil, fmt.Errorf("%w: not JSON: %w", ErrWorkflow, err)
	}
	v, err := workflowValidator()
	if err != nil {
		return nil, fmt.Errorf("agent: workflow schema: %w", err)
	}
	if problems := v.Check(value); len(problems) > 0 {
		var errs []error
		for _, p := range problems[:min(len(problems), 8)] {
			errs = append(errs, fmt.Errorf("%w: %s", ErrWorkflow, p))
		}
		return nil, errors.Join(errs...)
	}
	w := &Workflow{}
	if err := json.Unmarshal(data, &workflowEnvelope{Workflow: w}); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrWorkflow, err)
	}
	return w, w.check()
}

// Save writes the workflow as a document that [ParseWorkflow] reads.
func (w *Workflow) Save(out io.Writer) error {
	if err := w.check(); err != nil {
		return err
	}
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(workflowEnvelope{WorkflowFormat, WorkflowVersion, w}); err != nil {
		return fmt.Errorf("agent: save workflow: %w", err)
	}
	return nil
}

// check reports what the schema cannot say.
func (w *Workflow) check() error {
	errs := []error{}
	if err := checkVariables(w.Inputs); err != nil {
		errs = append(errs, fmt.Errorf("%w: inputs: %w", ErrWorkflow, err))
	}
	known := map[string]bool{}
	for _, v := range w.Inputs {
		known[v.Name] = true
	}
	if len(w.Steps) == 0 {
		errs = append(errs, fmt.Errorf("%w: it has no steps", ErrWorkflow))
	}
	errs = append(errs, checkSteps("steps", w.Steps, known)...)
	errs = append(errs, checkTabs("steps", w.Steps, map[string]bool{FirstTab: true})...)
	errs = append(errs, unknownNames("output", string(w.Output), known)...)
	return errors.Join(errs...)
}

func checkSteps(at string, steps []WorkflowStep, known map[string]bool) []error {
	var errs []error
	bad := func(where, format string, args ...any) {
		errs = append(errs, fmt.Errorf("%w: %s: %s", ErrWorkflow, where, fmt.Sprintf(format, args...)))
	}
	keep := func(where, name string) {
		if name != "" && !variableName.MatchString(name) {
			bad(where, "as is %q; want a letter, then letters, digits and underscores", name)
		}
		if name != "" {
			known[name] = true
		}
	}
	for i, s := range steps {
		where := fmt.Sprintf("%s[%d]", at, i)
		kinds := 0
		text := ""
		switch {
		case s.Do != nil:
			b, _ := encodePlain(s.Do)
			text, where = string(b), where+".do"
			if s.Do.Action == "done" {
				bad(where, "done is for models; a workflow ends with its last step")
			}
		case s.Model != nil:
			text, where = s.Model.Goal, where+".model"
		case s.Extract != nil:
			where += ".extract"
			text = s.Extract.Goal + s.Extract.Selector
			if (s.Extract.Goal == "") == (s.Extract.Selector == "") {
				bad(where, "want either goal or selector")
			}
			if _, err := regexp.Compile(s.Extract.Pattern); err != nil {
				bad(where, "pattern: %v", err)
			}
		case s.If != nil:
			b, _ := encodePlain(s.If.Condition)
			text, where = string(b), where+".if"
			if n := len(s.If.Equals); n != 0 && n != 2 {
				bad(where, "equals wants two texts, got %d", n)
			}
		case s.Repeat != nil:
			text, where = string(s.Repeat.Over), where+".repeat"
		}
		for _, set := range []bool{s.Do != nil, s.Model != nil, s.Extract != nil, s.If != nil, s.Repeat != nil} {
			kinds += boolInt(set)
		}
		if kinds != 1 {
			bad(where, "want exactly one of do, model, extract, if, repeat")
			continue
		}
		errs = append(errs, unknownNames(where, text, known)...)
		switch {
		case s.Model != nil:
			keep(where, s.Model.As)
		case s.Extract != nil:
			keep(where, s.Extract.As)
		case s.If != nil:
			errs = append(errs, checkSteps(where+".then", s.If.Then, known)...)
			errs = append(errs, checkSteps(where+".else", s.If.Else, known)...)
		case s.Repeat != nil:
			keep(where, s.Repeat.As)
			known[s.Repeat.As+"_number"] = true
			errs = append(errs, checkSteps(where+".steps", s.Repeat.Steps, known)...)
		}
	}
	return errs
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// unknownNames reports placeholders that stand for nothing at their place.
func unknownNames(where, text string, known map[string]bool) []error {
	var errs []error
	for _, m := range placeholders.FindAllStringSubmatch(text, -1) {
		name, _, _ := strings.Cut(m[1], ".")
		if !known[name] {
			errs = append(errs, fmt.Errorf("%w: %s: %s stands for nothing here; declare it in inputs, or keep it in an earlier step", ErrWorkflow, where, m[0]))
		}
	}
	return errs
}

// action is the step as a recorded action.
func (d *DoStep) action() Action {
	e := browser.Effect{Navigated: d.LeadsTo, NewTab: d.NewTab}
	if d.Opens {
		e.Expanded = "true"
	}
	x := Action{Name: d.Action, Args: orEmpty(d.Args), Result: &registry.Result{Metadata: map[string]any{"effect": &e}}}
	if d.Element == nil {
		return x
	}
	x.ElementText = d.Element.words()
	x.Element, _ = json.Marshal(d.Element) // of plain fields
	if params, _ := indices(x.Args); len(params) == 0 {
		var m map[string]json.RawMessage
		if json.Unmarshal(x.Args, &m) == nil {
			m["index"] = json.RawMessage("1") // replaced by the one of the element
			x.Args, _ = encodePlain(m)
		}
	}
	for p, el := range d.Elements {
		if x.Elements == nil {
			x.Elements = make(map[string]json.RawMessage)
		}
		x.Elements[p], _ = json.Marshal(el)
	}
	return x
}

// Workflow turns what a history did into a workflow: every action that worked,
// in order, with the history's variables as inputs. Extractions become steps for
// a model. The recorded values of variables are not in it.
func (h *History) Workflow(name string) (*Workflow, error) {
	if len(h.Variables) > 0 {
		var err error
		if h, err = h.parameterize(false, h.Variables...); err != nil {
			return nil, err
		}
	}
	w := &Workflow{Name: name, Description: h.Task(), Inputs: slices.Clone(h.Variables)}
	for i := range w.Inputs {
		w.Inputs[i].Sample = ""
	}
	first := h.firstTab()
	for _, s := range h.Steps {
		goal := ""
		if s.Answer != nil {
			goal = oneLine(s.Answer.NextGoal, 200)
		}
		for _, x := range s.Actions {
			if x.Name == "done" || failedThen(x) != "" {
				continue
			}
			ws := workflowStep(goal, x, len(w.Steps)+1)
			if ws.Do != nil {
				nameFirstTab(ws.Do, first)
			}
			w.Steps = append(w.Steps, ws)
			for _, s := range secretNames(x.Args) {
				if !slices.Contains(w.Secrets, s) {
					w.Secrets = append(w.Secrets, s)
				}
			}
		}
	}
	return w, w.check()
}

func workflowStep(goal string, x Action, n int) WorkflowStep {
	if x.Name == "extract" {
		var args struct {
			Query  string `json:"query"`
			Schema string `json:"output_schema"`
		}
		if json.Unmarshal(x.Args, &args) == nil && args.Query != "" {
			e := &ExtractStep{As: fmt.Sprintf("extracted_%d", n), Goal: args.Query}
			if json.Valid([]byte(args.Schema)) && args.Schema != "" {
				e.Schema = json.RawMessage(args.Schema)
			}
			return WorkflowStep{Name: goal, Extract: e}
		}
	}
	eff := effectOf(x)
	d := &DoStep{Action: x.Name, Args: bytes.Clone(x.Args), Opens: eff.Expanded == "true" || x.Name == "hover", NewTab: eff.NewTab}
	if leavesPage(x) {
		d.LeadsTo = eff.Navigated
	}
	var e Element
	if len(x.Element) > 0 && json.Unmarshal(x.Element, &e) == nil && e.Tag != "" {
		d.Element = &e
	}
	for p, raw := range x.Elements {
		var e Element
		if json.Unmarshal(raw, &e) == nil {
			if d.Elements == nil {
				d.Elements = make(map[string]Element)
			}
			d.Elements[p] = e
		}
	}
	return WorkflowStep{Name: goal, Do: d}
}
