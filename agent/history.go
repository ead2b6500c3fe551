package agent

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// History is the record of an agent's work: every step that was started, in
// order, whatever became of it, and how each task ended. Everything in it has
// passed the redactor, so it holds no secret in plain text (a screenshot may
// show one).
type History struct {
	AgentID string    `json:"agent_id"`
	Model   string    `json:"model,omitempty"`
	Started time.Time `json:"started"`
	// Tasks are the first task and the follow-ups, in order.
	Tasks []TaskRun `json:"tasks"`
	Steps []*Step   `json:"steps"`
	// Variables are what may differ from run to run; {{name}} in the arguments
	// of actions stands for their values.
	Variables []Variable `json:"variables,omitempty"`
	// Revision counts the repairs of a recording; Repairs says what they were.
	Revision int      `json:"revision,omitempty"`
	Repairs  []Repair `json:"repairs,omitempty"`
	// Replay says how a replay went; nil for a run that a model decided.
	Replay *ReplayReport `json:"replay,omitempty"`
	// Usage is what all model calls took, those for planning, extraction,
	// judging and summaries included.
	Usage Usage `json:"usage"`
	// Dir is the folder that the relative names in the history (screenshots,
	// files) are relative to. It is not saved.
	Dir string `json:"-"`
}

// TaskRun is one task given to the agent and how it ended.
type TaskRun struct {
	Task string `json:"task"`
	// FirstStep is the index in Steps where the task begins.
	FirstStep int       `json:"first_step"`
	Started   time.Time `json:"started"`
	Outcome   Outcome   `json:"outcome"`
}

// End says how a run ended.
type End string

// The ends of a run. The zero value means that it has not ended.
const (
	EndDone     End = "done"      // the model finished it, with success or without
	EndMaxSteps End = "max_steps" // the step limit
	EndFailures End = "failures"  // too many failures in a row
	EndStopped  End = "stopped"   // Stop, a hook, or an approver
	EndCanceled End = "canceled"  // the context ended
	EndBudget   End = "budget"    // tokens, money, calls or time ran out
	EndStuck    End = "stuck"     // a hard stop for going in circles
	EndError    End = "error"     // nothing could be done, such as a bad key or a lost browser
)

// Outcome is the result of one task.
type Outcome struct {
	End End `json:"end,omitempty"`
	// Success is what the model said of its own result; only with EndDone.
	Success bool `json:"success,omitempty"`
	// Final is the answer. When the run ended without one, it is a plain
	// account of what is known, and Success is false.
	Final string `json:"final,omitempty"`
	// Data is the structured answer, when one was asked for.
	Data        json.RawMessage `json:"data,omitempty"`
	Attachments []string        `json:"attachments,omitempty"`
	Error       string          `json:"error,omitempty"`
	Judgement   *Judgement      `json:"judgement,omitempty"`
	Ended       time.Time       `json:"ended,omitzero"`
}

// Status says what became of a step.
type Status string

// The states of a step.
const (
	StepOK          Status = "ok"          // at least one action succeeded
	StepFailed      Status = "failed"      // no action succeeded
	StepInterrupted Status = "interrupted" // stopped or cancelled before it ended
)

// Step is one turn of the loop, as it is kept.
type Step struct {
	// Number counts from 1; 0 is the initial actions, which no model chose.
	Number  int       `json:"step"`
	Status  Status    `json:"status"`
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended"`
	// Page is the page as the model saw it, before the actions.
	Page Page `json:"page"`
	// Answer is what the model wrote; nil when there was no usable answer.
	Answer  *Answer  `json:"answer,omitempty"`
	Actions []Action `json:"actions,omitempty"`
	// NotRun counts the actions at the end of the answer that were not run,
	// and NotRunWhy says why.
	NotRun    int    `json:"not_run,omitempty"`
	NotRunWhy string `json:"not_run_why,omitempty"`
	// Error is why the step failed or was interrupted, in one line.
	Error string `json:"error,omitempty"`
	// Err is the error behind Error while the program that ran it lives.
	Err error `json:"-"`
	// Notes are what the model was told in this step besides page and task.
	Notes []string `json:"notes,omitempty"`
	// Model is the model that answered, as its provider names it.
	Model  string    `json:"model,omitempty"`
	Usage  llm.Usage `json:"usage"`
	Timing Timing    `json:"timing"`
	// overhead is what the loop itself took, exactly, for the benchmarks.
	overhead time.Duration
	// Prompt is the text that was sent, only when Config.KeepPrompts is set.
	Prompt []llm.Message `json:"prompt,omitempty"`
}

// Page is what a history keeps of a page.
type Page struct {
	URL   string `json:"url"`
	Title string `json:"title,omitempty"`
	Tabs  []Tab  `json:"tabs,omitempty"`
	// Screenshot is a file name relative to the agent's folder.
	Screenshot string `json:"screenshot,omitempty"`
	// Fingerprint is equal for pages that look the same to the model.
	Fingerprint string `json:"fingerprint,omitempty"`
	// Text is what the model saw, only when Config.KeepPrompts is set.
	Text string `json:"text,omitempty"`
}

// Tab is an open tab.
type Tab struct {
	ID      string `json:"id"`
	URL     string `json:"url"`
	Title   string `json:"title,omitempty"`
	Current bool   `json:"current,omitempty"`
}

// Action is a call that was run, or refused, with what came of it.
type Action struct {
	Name string          `json:"name"`
	Args json.RawMessage `json:"args,omitempty"`
	// Element is the element that the action named by index, in the form that
	// a replay finds it by. Empty for actions without one.
	// It is the JSON of an [Element].
	Element json.RawMessage `json:"element,omitempty"`
	// Elements are the further ones, by the parameter that names them, such as
	// the to_index of a drag.
	Elements map[string]json.RawMessage `json:"elements,omitempty"`
	// ElementText is the element in a few words, for people.
	ElementText string           `json:"element_text,omitempty"`
	Result      *registry.Result `json:"result"`
	// Millis is how long it took.
	Millis int64 `json:"ms"`
	// Match says how a replay found the element again; see [ReplayedAction].
	Match string `json:"match,omitempty"`
}

// Timing says where the time of a step went, in milliseconds.
type Timing struct {
	Observe int64 `json:"observe"`        // reading the page, screenshot included
	Model   int64 `json:"model"`          // the model's answer, waits for rate limits included
	Act     int64 `json:"act"`            // running the actions
	Held    int64 `json:"held,omitempty"` // paused, or waiting for a person's approval
	Total   int64 `json:"total"`
}

// Overhead is what the loop itself took in milliseconds: the whole step without
// reading the page, the model, the actions and waiting for people.
func (t Timing) Overhead() int64 { return max(t.Total-t.Observe-t.Model-t.Act-t.Held, 0) }

// last returns the latest task.
func (h *History) last() *TaskRun {
	if h == nil || len(h.Tasks) == 0 {
		return &TaskRun{}
	}
	return &h.Tasks[len(h.Tasks)-1]
}

// Outcome returns how the latest task ended.
func (h *History) Outcome() Outcome { return h.last().Outcome }

// Final is the answer of the latest task, "" while there is none. Whether the
// model claims success is [History.Succeeded]; the answer of a task that did not
// end with done is an account of what is known.
func (h *History) Final() string { return h.last().Outcome.Final }

// Succeeded reports whether the latest task ended with the model's done and its
// claim of success, and no judge that was asked disagreed.
func (h *History) Succeeded() bool {
	o := h.last().Outcome
	return o.End == EndDone && o.Success && (o.Judgement == nil || o.Judgement.Verdict)
}

// Done reports whether the model finished the latest task, with success or
// without.
func (h *History) Done() bool { return h.last().Outcome.End == EndDone }

// Task is the latest task in the user's words.
func (h *History) Task() string { return h.last().Task }

// TaskSteps returns the steps of the latest task.
func (h *History) TaskSteps() []*Step {
	if len(h.Tasks) == 0 {
		return h.Steps
	}
	return h.Steps[min(h.last().FirstStep, len(h.Steps)):]
}

// Errors lists what went wrong, one entry a failed step or action, in order.
func (h *History) Errors() []string {
	var out []string
	for _, s := range h.Steps {
		if s.Error != "" {
			out = append(out, s.Error)
		}
		for _, a := range s.Actions {
			if a.Result != nil && a.Result.Error != "" {
				out = append(out, a.Name+": "+a.Result.Error)
			}
		}
	}
	return out
}

// URLs lists the addresses visited, in order, without immediate repeats.
func (h *History) URLs() []string {
	var out []string
	for _, s := range h.Steps {
		if s.Page.URL != "" && (len(out) == 0 || out[len(out)-1] != s.Page.URL) {
			out = append(out, s.Page.URL)
		}
	}
	return out
}

// ActionNames lists the names of all actions in order.
func (h *History) ActionNames() []string {
	var out []string
	for _, a := range h.Actions() {
		out = append(out, a.Name)
	}
	return out
}

// Actions lists all actions in order, those with the given names only when any
// are given.
func (h *History) Actions(names ...string) []Action {
	var out []Action
	for _, s := range h.Steps {
		for _, a := range s.Actions {
			if len(names) == 0 || slices.Contains(names, a.Name) {
				out = append(out, a)
			}
		}
	}
	return out
}

// Extracted lists the texts that actions returned, in order.
func (h *History) Extracted() []string {
	var out []string
	for _, a := range h.Actions() {
		if a.Result != nil && a.Result.Text != "" {
			out = append(out, a.Result.Text)
		}
	}
	return out
}

// Answers lists what the model wrote, one per step that had an answer.
func (h *History) Answers() []*Answer {
	var out []*Answer
	for _, s := range h.Steps {
		if s.Answer != nil {
			out = append(out, s.Answer)
		}
	}
	return out
}

// Screenshots lists the names of the screenshots, relative to the agent's
// folder.
func (h *History) Screenshots() []string {
	var out []string
	for _, s := range h.Steps {
		if s.Page.Screenshot != "" {
			out = append(out, s.Page.Screenshot)
		}
	}
	return out
}

// Duration is the time that all steps took together.
func (h *History) Duration() time.Duration {
	var d time.Duration
	for _, s := range h.Steps {
		d += s.Ended.Sub(s.Started)
	}
	return d
}

// snapshot copies what the loop goes on changing. The steps themselves never
// change once they are in.
func (h *History) snapshot() *History {
	c := *h
	c.Tasks = slices.Clone(h.Tasks)
	c.Steps = slices.Clone(h.Steps)
	c.Usage = h.Usage.clone()
	return &c
}
