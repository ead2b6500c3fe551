package longterm

import (
	"fmt"
	"strings"
	"unicode"
)

// maxID is the length of an id in bytes beyond which it is refused.
const maxID = 256

// Scope says whose memories a call is about. Several ids narrow it: a memory
// is in scope when it has all of them. At least one is required.
type Scope struct {
	UserID  string `json:"user_id,omitempty"`
	AgentID string `json:"agent_id,omitempty"`
	RunID   string `json:"run_id,omitempty"`
}

// IsZero reports whether the scope names nobody.
func (s Scope) IsZero() bool { return s == Scope{} }

// Contains reports whether everything in t is also in s: t has every id
// that s names.
func (s Scope) Contains(t Scope) bool {
	return (s.UserID == "" || s.UserID == t.UserID) &&
		(s.AgentID == "" || s.AgentID == t.AgentID) &&
		(s.RunID == "" || s.RunID == t.RunID)
}

// Check returns the scope with surrounding space trimmed from its ids. The
// error matches [ErrNoScope] when there is no id, and [ErrInvalidID] when one
// contains white space or control characters or is longer than 256 bytes.
func (s Scope) Check() (Scope, error) {
	for _, f := range []struct {
		name string
		v    *string
	}{{"user_id", &s.UserID}, {"agent_id", &s.AgentID}, {"run_id", &s.RunID}} {
		given := *f.v != ""
		*f.v = strings.TrimSpace(*f.v)
		if given && *f.v == "" {
			return s, fmt.Errorf("%w: %s is blank; leave it out or name somebody", ErrInvalidID, f.name)
		}
		if len(*f.v) > maxID {
			return s, fmt.Errorf("%w: %s has %d bytes, at most %d", ErrInvalidID, f.name, len(*f.v), maxID)
		}
		if strings.ContainsFunc(*f.v, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
			return s, fmt.Errorf("%w: %s %q contains white space; use an id without it", ErrInvalidID, f.name, *f.v)
		}
	}
	if s.IsZero() {
		return s, ErrNoScope
	}
	return s, nil
}
