package registry

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// What callers branch on. Match them with errors.Is.
var (
	// ErrUnknownAction: no action of that name is registered.
	ErrUnknownAction = errors.New("unknown action")
	// ErrNotAvailable: the action exists, but not for this page, or it was
	// excluded.
	ErrNotAvailable = errors.New("action is not available on this page")
	// ErrDuplicateAction: the name is taken; Replace means it.
	ErrDuplicateAction = errors.New("action is registered already")
	// ErrMissingDep: a handler asks for a dependency that Deps does not hold.
	ErrMissingDep = errors.New("dependency not provided")
	// ErrNoActions: no action is available, so there is nothing to choose from.
	ErrNoActions = errors.New("no action is available on this page")
	// ErrMalformed: what the model wrote is not one action.
	ErrMalformed = errors.New("not an action")
	// ErrTooManyActions: the model wrote more actions than a step may hold.
	ErrTooManyActions = errors.New("too many actions in one step")
	// ErrTimeout is the cause of a result whose action passed its deadline.
	ErrTimeout = errors.New("action timed out")
	// ErrAbandoned is the cause of a result whose handler did not stop when its
	// context ended. Its goroutine may still be running.
	ErrAbandoned = errors.New("handler ignored the end of its context and was abandoned")
	// ErrNotStarted is matched by what Run returns when the handler was not
	// called, so that nothing can have happened.
	ErrNotStarted = errors.New("not started")
)

// maxMessage bounds, in characters, what a refused answer says to the model.
const maxMessage = 300

// ParamError reports every parameter of an action that does not fit its
// schema. Its text is meant for the model: at most 300 characters.
type ParamError struct {
	Action string
	Fields []FieldError
}

// FieldError is one parameter and what is wrong with it.
type FieldError struct {
	Field   string // "index", "items[0].name"; empty for the params as a whole
	Problem string // "must be at least 1, got 0"
}

// Error lists the fields.
func (e *ParamError) Error() string {
	head := "invalid parameters for " + e.Action + ": "
	parts := make([]string, 0, len(e.Fields))
	for _, f := range e.Fields {
		if f.Field == "" {
			parts = append(parts, f.Problem)
			continue
		}
		parts = append(parts, f.Field+" "+f.Problem)
	}
	text := head + strings.Join(parts, "; ")
	if utf8.RuneCountInString(text) <= maxMessage {
		return text
	}
	for n := len(parts) - 1; n > 0; n-- { // whole fields first, then a count
		text = fmt.Sprintf("%s%s; and %d more", head, strings.Join(parts[:n], "; "), len(parts)-n)
		if utf8.RuneCountInString(text) <= maxMessage {
			return text
		}
	}
	return shorten(head+parts[0], maxMessage)
}

// PanicError is the cause of a result whose handler panicked.
type PanicError struct {
	Action string
	Value  any
	Stack  []byte
}

// Error says what happened without the stack.
func (e *PanicError) Error() string {
	return fmt.Sprintf("action %s panicked: %v", e.Action, e.Value)
}

// Unwrap exposes a panic value that is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// shorten cuts a text to at most n characters.
func shorten(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}
