package llm

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// The failures of a call. Match them with errors.Is; the details are in
// [*Error], found with errors.As.
var (
	ErrRateLimit     = errors.New("rate limited")            // retry after a while
	ErrAuth          = errors.New("not authorised")          // bad or missing key
	ErrQuota         = errors.New("quota exhausted")         // paying or waiting helps, retrying does not
	ErrTimeout       = errors.New("timed out")               // the attempt's deadline passed
	ErrTruncated     = errors.New("answer truncated")        // cut at the token cap; never used in part
	ErrContextLength = errors.New("context length exceeded") // the request is too long for the model
	ErrRefusal       = errors.New("model refused")
	ErrEmpty         = errors.New("empty answer")
	ErrMalformed     = errors.New("malformed answer") // not the JSON that was asked for
	ErrServer        = errors.New("server failure")   // 5xx, broken bodies, lost connections
	ErrBadRequest    = errors.New("bad request")      // the endpoint refuses the request as it is
	ErrBudget        = errors.New("budget spent")     // a limit of the caller's own
)

// Error is a failed call. Error() never contains a key.
type Error struct {
	Kind       error         // one of the sentinels above
	Provider   string        // "openai", "anthropic", ...
	Model      string        // as requested
	Status     int           // HTTP status, 0 when there was none
	Code       string        // the provider's own error code, if any
	Param      string        // the field of the request that the provider names, if any
	RetryAfter time.Duration // how long the provider asked to wait; 0 when it did not say
	Message    string        // what the provider said, shortened
	Err        error         // the cause, if any

	// Permanent says that trying again cannot help although the kind is one
	// where it usually does, such as a host name that does not exist.
	Permanent bool
	// TokenLimit and TokensSent are what an [ErrContextLength] names: the
	// model's window and the size of the request. 0 when it does not.
	TokenLimit, TokensSent int
	// Answer is the text of an answer that could not be used, for logs.
	Answer string
	// Want is the form that a malformed answer should have had, in short.
	Want string
	// Charges is what the failed call is billed for all the same.
	Charges []Charge
}

// Error says what failed, where and why.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("llm: ")
	if e.Provider != "" {
		b.WriteString(e.Provider)
		if e.Model != "" {
			fmt.Fprintf(&b, " %s", e.Model)
		}
		b.WriteString(": ")
	}
	if e.Kind != nil {
		b.WriteString(e.Kind.Error())
	} else {
		b.WriteString("failed")
	}
	if e.Status != 0 {
		fmt.Fprintf(&b, " (status %d)", e.Status)
	}
	switch {
	case e.Message != "":
		fmt.Fprintf(&b, ": %s", e.Message)
	case e.Err != nil:
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	return b.String()
}

// Unwrap exposes the kind and the cause to errors.Is and errors.As.
func (e *Error) Unwrap() []error {
	var out []error
	if e.Kind != nil {
		out = append(out, e.Kind)
	}
	if e.Err != nil {
		out = append(out, e.Err)
	}
	return out
}

// Temporary reports whether trying the same request again may succeed.
func (e *Error) Temporary() bool {
	return !e.Permanent &&
		(e.Kind == ErrRateLimit || e.Kind == ErrTimeout || e.Kind == ErrServer || e.Kind == ErrEmpty)
}

// Timeout reports whether a deadline passed. It makes Error a net.Error-like
// value for callers that look for one.
func (e *Error) Timeout() bool { return e.Kind == ErrTimeout }
