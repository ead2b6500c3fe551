package agent

import (
	"slices"

	"github.com/seed-4bdb41d0/webhand/memory"
)

// mind is what the loop knows and changes: everything that must survive for
// the run to go on elsewhere. Only the loop's goroutine touches it.
type mind struct {
	Task string `json:"task"`
	// Pending is set while Task is not finished.
	Pending bool `json:"pending"`
	// Number is the last step that was finished.
	Number int `json:"number"`
	// Failures counts steps in a row that brought nothing.
	Failures int `json:"failures,omitempty"`
	// Doubt is set when the last step ended with a failed action after others
	// that succeeded: it counts as a failure if the page then is still Before.
	Doubt  bool   `json:"doubt,omitempty"`
	Before string `json:"before,omitempty"`
	// URL is the page at the end of the last step.
	URL   string       `json:"url,omitempty"`
	Log   memory.Log   `json:"log"`
	Plan  plan         `json:"plan,omitzero"`
	Stuck stuck        `json:"stuck,omitzero"`
	Meter memory.Meter `json:"meter,omitzero"`
	// Downloads are files the run brought in, besides those configured.
	Downloads []string `json:"downloads,omitempty"`
	// Notes are told to the model in the next step.
	Notes []string `json:"notes,omitempty"`
	// WantShot is set when the model asked for a screenshot.
	WantShot bool `json:"want_screenshot,omitempty"`
	// Sent counts results that a check sent back to work.
	Sent int `json:"sent_back,omitempty"`
}

// clone copies a mind so that the original may go on.
func (m *mind) clone() *mind {
	c := *m
	c.Log = *m.Log.Clone()
	c.Plan.Items = slices.Clone(m.Plan.Items)
	c.Stuck.Keys = slices.Clone(m.Stuck.Keys)
	c.Downloads = slices.Clone(m.Downloads)
	c.Notes = slices.Clone(m.Notes)
	return &c
}

// newTask begins a task: what belonged to the last one is forgotten, what was
// learned stays.
func (m *mind) newTask(text string, window int) {
	m.Task, m.Pending = text, true
	m.Failures, m.Doubt, m.Before, m.Sent = 0, false, "", 0
	m.Plan = plan{}
	m.Stuck = stuck{Window: window}
}
