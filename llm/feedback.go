package llm

import (
	"errors"
	"strings"
)

// Feedback is the one line that tells the model what was wrong with its answer
// and what to do instead. It is empty for failures that are not the model's
// doing, such as a rate limit: there is nothing it could do better.
func Feedback(err error) string {
	var e *Error
	if !errors.As(err, &e) {
		return ""
	}
	var s string
	switch e.Kind {
	case ErrMalformed:
		s = "Your answer was not usable: " + e.Message + ". Answer with one JSON object and nothing else"
	case ErrTruncated:
		s = "Your answer was cut off at the token limit and was not used. Answer again, much shorter, with fewer actions"
	case ErrEmpty:
		s = "Your answer was empty. Answer with one JSON object"
	default:
		return ""
	}
	if e.Want != "" {
		s += ", in the form " + e.Want
	}
	return strings.Join(strings.Fields(s), " ") + "."
}
