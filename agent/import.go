package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/seed-4bdb41d0/webhand/dom"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// The history format of browser-use, as far as it is read: files with the keys
// model_output, result, state and metadata, of its versions 0.2 to 0.13.
type (
	foreignHistory struct {
		History []foreignItem `json:"history"`
	}
	foreignItem struct {
		Output *struct {
			Thinking   string `json:"thinking"`
			Evaluation string `json:"evaluation_previous_goal"`
			Memory     string `json:"memory"`
			NextGoal   string `json:"next_goal"`
			// Older versions nest the three.
			State struct {
				Evaluation string `json:"evaluation_previous_goal"`
				Memory     string `json:"memory"`
				NextGoal   string `json:"next_goal"`
			} `json:"current_state"`
			PlanItem *int              `json:"current_plan_item"`
			Plan     []string          `json:"plan_update"`
			Action   []json.RawMessage `json:"action"`
		} `json:"model_output"`
		Result []json.RawMessage `json:"result"`
		State  struct {
			URL        string            `json:"url"`
			Title      string            `json:"title"`
			Tabs       []foreignTab      `json:"tabs"`
			Elements   []*foreignElement `json:"interacted_element"`
			Screenshot string            `json:"screenshot_path"`
		} `json:"state"`
		Metadata *struct {
			Start float64 `json:"step_start_time"`
			End   float64 `json:"step_end_time"`
			Step  *int    `json:"step_number"`
		} `json:"metadata"`
		Prompt string `json:"state_message"`
	}
	foreignTab struct {
		URL      string          `json:"url"`
		Title    string          `json:"title"`
		TargetID string          `json:"target_id"`
		TabID    string          `json:"tab_id"`
		PageID   json.RawMessage `json:"page_id"`
	}
	foreignElement struct {
		Node       string            `json:"node_name"`
		Tag        string            `json:"tag_name"` // older versions
		XPath      string            `json:"x_path"`
		OldXPath   string            `json:"xpath"`
		Name       string            `json:"ax_name"`
		Attributes map[string]string `json:"attributes"`
		Bounds     *struct {
			X, Y, Width, Height float64
		} `json:"bounds"`
	}
)

// importForeign reads a browser-use history. ok is false when data is none.
// Actions keep the names and arguments they were written with, known or not;
// tools.Canonical knows what they are called here. The format holds no task and no
// model, and names screenshots by absolute paths, which are not kept.
func importForeign(data []byte) (h *History, ok bool, err error) {
	var probe struct {
		History []map[string]json.RawMessage `json:"history"`
	}
	if json.Unmarshal(data, &probe) != nil || probe.History == nil {
		return nil, false, nil
	}
	for _, item := range probe.History {
		if _, has := item["state"]; !has {
			return nil, false, nil
		}
	}
	var f foreignHistory
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, true, fmt.Errorf("%w: a browser-use history: %w", ErrFormat, err)
	}
	h = &History{Tasks: []TaskRun{{}}}
	for i, item := range f.History {
		s, err := item.step(i)
		if err != nil {
			return nil, true, fmt.Errorf("%w: a browser-use history: item %d: %w", ErrFormat, i+1, err)
		}
		h.Steps = append(h.Steps, s)
	}
	if len(h.Steps) > 0 {
		h.Started = h.Steps[0].Started
		h.Tasks[0].Started = h.Started
	}
	h.Tasks[0].Outcome = foreignOutcome(h.Steps)
	return h, true, nil
}

func (f foreignItem) step(i int) (*Step, error) {
	s := &Step{Number: i + 1, Status: StepFailed, Page: Page{URL: f.State.URL, Title: f.State.Title}}
	if m := f.Metadata; m != nil {
		if m.Step != nil {
			s.Number = *m.Step
		}
		s.Started, s.Ended = unixSeconds(m.Start), unixSeconds(m.End)
		s.Timing.Total = s.Ended.Sub(s.Started).Milliseconds()
	}
	for _, t := range f.State.Tabs {
		s.Page.Tabs = append(s.Page.Tabs, Tab{ID: or(or(t.TargetID, t.TabID), strings.Trim(string(t.PageID), `"`)), URL: t.URL, Title: t.Title})
	}
	var actions []json.RawMessage
	if o := f.Output; o != nil {
		s.Answer = &Answer{
			Thinking: o.Thinking, Evaluation: or(o.Evaluation, o.State.Evaluation), Memory: or(o.Memory, o.State.Memory),
			NextGoal: or(o.NextGoal, o.State.NextGoal), PlanItem: o.PlanItem, PlanUpdate: o.Plan, Actions: o.Action,
		}
		actions = o.Action
	}
	var results []*registry.Result
	for _, raw := range f.Result {
		r, err := foreignResult(raw)
		if err != nil {
			return nil, err
		}
		results = append(results, r)
		if r.Error == "" {
			s.Status = StepOK
		} else if s.Error == "" && len(actions) == 0 {
			s.Error = r.Error
		}
	}
	for k, raw := range actions {
		x, err := foreignAction(raw)
		if err != nil {
			return nil, err
		}
		// Results are in the order of actions; those that were not run have
		// none.
		if k >= len(results) {
			s.NotRun++
			continue
		}
		x.Result = results[k]
		if k < len(f.State.Elements) && f.State.Elements[k] != nil {
			x.Element, x.ElementText = f.State.Elements[k].record()
		}
		s.Actions = append(s.Actions, x)
	}
	return s, nil
}

func unixSeconds(f float64) time.Time {
	if f <= 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(f * 1000)).UTC()
}

// foreignAction takes {"name": {args}} apart. Keys without a value, as older
// versions write, are no action.
func foreignAction(raw json.RawMessage) (Action, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		return Action{}, fmt.Errorf("action %s: %w", oneLine(string(raw), 80), err)
	}
	var x Action
	for name, args := range m {
		if args = bytes.TrimSpace(args); string(args) == "null" && len(m) > 1 {
			continue
		}
		if x.Name != "" {
			return Action{}, fmt.Errorf("action %s has more than one name", oneLine(string(raw), 80))
		}
		x.Name, x.Args = name, args
	}
	return x, nil
}

func foreignResult(raw json.RawMessage) (*registry.Result, error) {
	var r struct {
		registry.Result
		Success *bool `json:"success"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return nil, fmt.Errorf("result: %w", err)
	}
	r.Result.Success = r.Success != nil && *r.Success
	r.Result.Images = nil // pictures are in another form there, and shown once only
	return &r.Result, nil
}

// record is the element in our form. Its hashes are of another making and are
// not kept: such an element is found by place, name and attributes.
func (f *foreignElement) record() (json.RawMessage, string) {
	tag := strings.ToLower(or(f.Node, f.Tag))
	e := Element{Identity: dom.Identity{
		Tag: tag, Name: f.Name, Path: strings.Trim(or(f.XPath, f.OldXPath), "/"), Unique: dom.UniqueAttributes(tag, f.Attributes),
	}}
	if b := f.Bounds; b != nil {
		e.Bounds = &[4]int{int(b.X), int(b.Y), int(b.Width), int(b.Height)}
	}
	raw, err := json.Marshal(e)
	if err != nil {
		return nil, ""
	}
	return raw, e.words()
}

// foreignOutcome is what the last step says about the end.
func foreignOutcome(steps []*Step) Outcome {
	if len(steps) == 0 {
		return Outcome{}
	}
	last := steps[len(steps)-1]
	for _, x := range last.Actions {
		if x.Result != nil && x.Result.Done {
			return Outcome{End: EndDone, Success: x.Result.Success, Final: x.Result.Text, Attachments: x.Result.Attachments, Ended: last.Ended}
		}
	}
	return Outcome{}
}
