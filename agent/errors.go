package agent

import (
	"errors"
	"fmt"

	"github.com/seed-4bdb41d0/webhand/llm"
)

// Errors that callers branch on.
var (
	// ErrNoTask is returned by New for a task without words.
	ErrNoTask = errors.New("agent: the task is empty; say in words what should be done")
	// ErrNoLLM is returned by New without a model.
	ErrNoLLM = errors.New("agent: Config.LLM is nil; set a model, for example openai.New(openai.Config{Model: ...})")
	// ErrMaxSteps ends a run that reached its step limit without an answer.
	ErrMaxSteps = errors.New("agent: step limit reached before the task was done")
	// ErrStopped ends a run that was stopped by Stop, a hook or an approver.
	ErrStopped = errors.New("agent: stopped")
	// ErrBudget ends a run that spent its tokens, calls, money or time. The
	// error says which. It is llm.ErrBudget.
	ErrBudget = llm.ErrBudget
	// ErrStuck ends a run that went in circles, with Stuck.StopAt.
	ErrStuck = errors.New("agent: going in circles")
	// ErrRunning is returned when a second run is started while one goes on.
	ErrRunning = errors.New("agent: already running")
	// ErrClosed is returned by a run of a closed agent.
	ErrClosed = errors.New("agent: closed")
	// ErrFinished is returned by a run when there is nothing left to do; give
	// the agent another task with AddTask.
	ErrFinished = errors.New("agent: the task is finished; add another one with AddTask")
)

// FailureError ends a run after too many steps in a row that brought nothing.
type FailureError struct {
	Steps int   // failures in a row
	Last  error // the last one
}

// Error says how many and what the last one was.
func (e *FailureError) Error() string {
	return fmt.Sprintf("agent: %d steps in a row failed, the last one: %v", e.Steps, e.Last)
}

// Unwrap returns the last failure.
func (e *FailureError) Unwrap() error { return e.Last }

// NoAnswerError is returned by [RunFor] when the run ended with an answer that
// is not the structured one.
type NoAnswerError struct {
	Final string // what the model said instead
	Err   error  // why it does not fit; nil when there was nothing to read
}

// Error quotes the answer.
func (e *NoAnswerError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("agent: the answer does not fit the type: %v", e.Err)
	}
	return fmt.Sprintf("agent: the run ended without a structured answer: %s", oneLine(e.Final, 200))
}

// Unwrap returns why the answer does not fit.
func (e *NoAnswerError) Unwrap() error { return e.Err }
