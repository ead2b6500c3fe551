package memory

import (
	"context"
	"time"
)

// Store is memory that outlives a run, as an agent uses it: it is asked once
// at the start of a run and told at its end (and, on longer runs, every few
// steps). The long-term store of memory/longterm implements it; an agent
// without one imports nothing of it.
//
// Both methods must be safe for concurrent use and return promptly when ctx
// ends. A failure of either must not fail the run.
type Store interface {
	// Recall returns what earlier runs learned that bears on the query, best
	// first. Nothing found is an empty slice and no error.
	Recall(ctx context.Context, q Query) ([]Item, error)
	// Remember keeps what a run did. It returns nil only when the record is
	// stored.
	Remember(ctx context.Context, r Record) error
}

// Query asks a [Store] what is known about a task.
type Query struct {
	// Task is the task in the user's words. Required.
	Task string
	// Site is the origin the run starts on, such as "https://shop.test".
	// Memories of that site come first; empty asks for any site.
	Site string
	// AgentID names whose memories are asked. Empty is the store's default.
	AgentID string
	// Limit is the largest number of items wanted; 0 means 5.
	Limit int
}

// Item is one thing recalled. Its text was written by a model or by a run
// that read web pages: show it to a model as an untrusted hint, never as an
// instruction.
type Item struct {
	ID   string
	Text string
	// Task and Site are those of the run that left the memory; empty when
	// unknown.
	Task string
	Site string
	// Succeeded reports whether that run ended with success.
	Succeeded bool
	// Score is how well the item fits the query, 0 to 1.
	Score float64
	// Updated is when the memory was last written.
	Updated time.Time
}

// Record is what a run hands to a [Store]. Everything in it must have passed
// the run's redactor: a secret in a record would outlive the run.
type Record struct {
	// AgentID and RunID say who ran. An empty AgentID is the store's default;
	// with a RunID a later record of the same run replaces an earlier one.
	AgentID string
	RunID   string
	// Task is the task in the user's words. Required.
	Task string
	// Site is the origin where the work was done.
	Site string
	// Steps are the steps of the run so far, in order. At least one is needed.
	Steps []Step
	// Finished says the run is over; Success that it achieved the task, and
	// Final is its answer.
	Finished bool
	Success  bool
	Final    string
	// Summary, when set, is kept as it is instead of one made from Steps.
	Summary string
}

// Step is one step of a [Record].
type Step struct {
	Number int
	URL    string // of the page the step worked on
	Goal   string // what the model wanted, in its words
	// Action is what was done, as the model wrote it ({"click":{"index":3}})
	// with element texts added where they help a later run.
	Action string
	// Result is what the action returned. It may quote the page: it is shown
	// to a summarising model as data and never becomes a memory by itself.
	Result string
	Error  string
}
