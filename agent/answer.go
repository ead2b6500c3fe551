package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/seed-4bdb41d0/webhand/llm"
)

// Style is how much a model is asked to write besides its actions.
type Style string

// The styles of an answer. The zero value is StyleThinking.
const (
	StyleThinking Style = "thinking" // thoughts, evaluation, memory, goal, plan
	StylePlain    Style = "plain"    // the same without thoughts, for models that think by themselves
	StyleFlash    Style = "flash"    // memory and actions only: the fewest tokens
)

// Answer is what a model wrote in one step.
type Answer struct {
	Thinking   string `json:"thinking,omitempty"`
	Evaluation string `json:"evaluation_previous_goal,omitempty"`
	Memory     string `json:"memory,omitempty"`
	NextGoal   string `json:"next_goal,omitempty"`
	// PlanItem is the plan item the model says it works on, and PlanUpdate a
	// new plan that replaces the old one. Nil means that it said nothing.
	PlanItem   *int     `json:"current_plan_item,omitempty"`
	PlanUpdate []string `json:"plan_update,omitempty"`
	// Actions are the single-key objects {"name": {args}} as they were written.
	Actions []json.RawMessage `json:"action"`
}

// The envelopes: the fields of an answer besides its actions, in the order in
// which a model writes them. Their tags are the only source of what schema and
// prompt say about them.
type (
	flashFields struct {
		Memory string `json:"memory" jsonschema_description:"One to three short sentences: what is done, what was found, what comes next."`
	}
	plainFields struct {
		Evaluation string `json:"evaluation_previous_goal" jsonschema_description:"One sentence: did the last actions do what they were for? Say success, failure or uncertain, and on what evidence."`
		Memory     string `json:"memory" jsonschema_description:"One to three short sentences: what is done, what was found, what must not be forgotten. Count repeated work."`
		NextGoal   string `json:"next_goal" jsonschema_description:"One sentence: what the actions of this step are for."`
	}
	thinkingFields struct {
		Thinking string `json:"thinking" jsonschema_description:"Reason about the page, your past steps and the task before you decide."`
		plainFields
	}
	planFields struct {
		PlanItem   *int     `json:"current_plan_item" jsonschema_description:"Number of the plan item you work on. Null without a plan."`
		PlanUpdate []string `json:"plan_update,omitempty" jsonschema_description:"A new plan that replaces the old one: 3 to 10 short items. Null to keep the plan."`
	}
)

type (
	thinkingPlan struct {
		thinkingFields
		planFields
	}
	plainPlan struct {
		plainFields
		planFields
	}
)

// fields returns the envelope of a style. Flash has no plan.
func (s Style) fields(plan bool) any {
	switch {
	case s == StyleFlash:
		return flashFields{}
	case s == StylePlain && plan:
		return plainPlan{}
	case s == StylePlain:
		return plainFields{}
	case plan:
		return thinkingPlan{}
	}
	return thinkingFields{}
}

// errNoAction is the failure of an answer that asks for nothing.
var errNoAction = errors.New(`your answer held no action; "action" needs at least one, such as {"action":[{"wait":{"seconds":1}}]}`)

// parseAnswer reads what a model wrote. Text fields of a wrong type are taken
// as text, unknown ones ignored: only the actions decide what happens, and each
// is decoded strictly later. The error is an *llm.Error of kind ErrMalformed or
// ErrEmpty, or errNoAction.
func parseAnswer(text string, f *llm.Format) (*Answer, error) {
	raw, err := llm.ReadJSON(text, f)
	if err != nil {
		return nil, err
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, &llm.Error{Kind: llm.ErrMalformed, Message: "not a JSON object", Answer: text, Want: `{"action":[{...}]}`}
	}
	a := &Answer{
		Thinking:   looseText(m["thinking"]),
		Evaluation: looseText(m["evaluation_previous_goal"]),
		Memory:     looseText(m["memory"]),
		NextGoal:   looseText(m["next_goal"]),
	}
	var n *float64
	if json.Unmarshal(m["current_plan_item"], &n) == nil && n != nil {
		i := int(*n)
		a.PlanItem = &i
	}
	a.PlanUpdate = looseList(m["plan_update"])
	list := m["action"]
	if list == nil {
		list = m["actions"]
	}
	for _, x := range looseArray(list) {
		if !emptyAction(x) {
			a.Actions = append(a.Actions, x)
		}
	}
	if len(a.Actions) == 0 {
		return a, errNoAction
	}
	return a, nil
}

func looseArray(raw json.RawMessage) []json.RawMessage {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return nil
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		return list
	}
	if raw[0] == '{' || raw[0] == '"' {
		return []json.RawMessage{raw}
	}
	return nil
}

func emptyAction(raw json.RawMessage) bool {
	s := string(bytes.TrimSpace(raw))
	return s == "" || s == "null" || s == `""` || strings.Join(strings.Fields(s), "") == "{}"
}

// looseText takes any JSON value as text.
func looseText(raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return strings.TrimSpace(s)
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return ""
	}
	return b.String()
}

// looseList takes a list of anything, or one text with a line an item.
func looseList(raw json.RawMessage) []string {
	var out []string
	for _, x := range looseArray(raw) {
		for _, s := range strings.Split(looseText(x), "\n") {
			if s = strings.TrimSpace(s); s != "" {
				out = append(out, s)
			}
		}
	}
	return out
}
