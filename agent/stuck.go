package agent

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// stuck notices a run that goes in circles: the same action on the same element
// of the same page again and again, or a page that does not change under what
// is done to it. It says so at rising thresholds and never blocks anything
// itself.
type stuck struct {
	Window int      `json:"window"`
	Keys   []string `json:"keys,omitempty"`
	// Page is the fingerprint seen last, Same how many times in a row actions
	// left it as it was.
	Page string `json:"page,omitempty"`
	Same int    `json:"same,omitempty"`
	// Said is the level of the last nudge, At its step.
	Said int `json:"said,omitempty"`
	At   int `json:"at,omitempty"`
	// acted is whether something was done since the last page was seen.
	Acted bool `json:"acted,omitempty"`
}

// The thresholds of the nudges, and how many steps pass before one is repeated.
const (
	repeatSome = 5
	repeatMany = 8
	repeatFar  = 12
	stillPages = 5
	coolDown   = 3
)

// actionKey names what an action does and on what: its name, its target's
// identity, what it was given, and the page it was given on. It is "" for
// actions whose repetition means nothing.
func actionKey(name string, args json.RawMessage, element, page string) string {
	switch name {
	case "wait", "done", "go_back":
		return ""
	}
	var m map[string]any
	dec := json.NewDecoder(bytes.NewReader(args))
	dec.UseNumber()
	if dec.Decode(&m) != nil {
		m = nil
	}
	for k, v := range m {
		if v == nil {
			delete(m, k)
		}
	}
	var what string
	switch name {
	case "search":
		what = fmt.Sprint(m["engine"]) + " " + words(fmt.Sprint(m["query"]))
		page = "" // the same search is the same from every page
	case "navigate":
		what = fmt.Sprint(m["url"])
		page = ""
	default:
		if element != "" {
			delete(m, "index")
		}
		if s, ok := m["text"].(string); ok {
			m["text"] = strings.ToLower(strings.TrimSpace(s))
		}
		b, err := json.Marshal(m) // keys sorted
		if err != nil {
			b = args
		}
		what = element + " " + string(b)
	}
	sum := sha256.Sum256([]byte(name + "\x00" + page + "\x00" + what))
	return hex.EncodeToString(sum[:6])
}

// words are the distinct words of a text in alphabetical order: the same search
// in another word order is the same search.
func words(s string) string {
	list := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	slices.Sort(list)
	return strings.Join(slices.Compact(list), " ")
}

// did records an action that was run.
func (s *stuck) did(key string) {
	s.Acted = true
	if key == "" {
		return
	}
	s.Keys = append(s.Keys, key)
	if n := len(s.Keys) - s.Window; n > 0 {
		s.Keys = slices.Delete(s.Keys, 0, n)
	}
}

// saw records the page at the start of a step. Only actions in between make an
// unchanged page count: a model that did not answer says nothing about it.
func (s *stuck) saw(fingerprint string) {
	switch {
	case fingerprint != s.Page:
		s.Same = 0
	case s.Acted:
		s.Same++
	}
	s.Page, s.Acted = fingerprint, false
}

// repeats is the highest count of one action in the window.
func (s *stuck) repeats() int {
	count, most := map[string]int{}, 0
	for _, k := range s.Keys {
		count[k]++
		most = max(most, count[k])
	}
	return most
}

func (s *stuck) level() int {
	r := s.repeats()
	switch {
	case r >= repeatFar:
		return 3
	case r >= repeatMany:
		return 2
	case r >= repeatSome || s.Same >= stillPages:
		return 1
	}
	return 0
}

// nudge returns what to tell the model, if anything. A level is said at once
// when it is reached and again after a few steps while it lasts.
func (s *stuck) nudge(step int) string {
	level := s.level()
	if level == 0 {
		s.Said = 0
		return ""
	}
	if level <= s.Said && step < s.At+coolDown {
		return ""
	}
	s.Said, s.At = level, step
	var parts []string
	switch r := s.repeats(); {
	case r >= repeatFar:
		parts = append(parts, fmt.Sprintf("You have done the same thing %d times in the last %d actions. It seems not to work. Take a clearly different way: another page, another element, search, or the address bar; if there is none, say what you have and what stopped you.", r, len(s.Keys)))
	case r >= repeatMany:
		parts = append(parts, fmt.Sprintf("You have done the same thing %d times. Is it still bringing you nearer to the goal? If not, try another way.", r))
	case r >= repeatSome:
		parts = append(parts, fmt.Sprintf("You have done the same thing %d times. If that is on purpose and it gets on, go on; else think again about how to reach the goal.", r))
	}
	if s.Same >= stillPages {
		parts = append(parts, fmt.Sprintf("The page has not changed over the last %d steps, whatever you did. Your actions may have no effect here.", s.Same))
	}
	return strings.Join(parts, "\n")
}
