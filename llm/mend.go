package llm

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/kaptinlin/jsonrepair"
)

// maxDepth bounds the nesting of a text given to the repair library, which
// recurses: a stack overflow cannot be recovered from.
const maxDepth = 200

var errNotMendable = errors.New("cannot be mended")

// mend repairs a text that is nearly a JSON object or list.
func mend(s string) (json.RawMessage, error) {
	if len(s) > maxRead || depthOf(s) > maxDepth {
		return nil, errNotMendable
	}
	out, err := jsonrepair.Repair(s)
	if err != nil {
		return nil, err
	}
	out = strings.TrimSpace(out)
	if !json.Valid([]byte(out)) || !isContainer(json.RawMessage(out)) {
		return nil, errNotMendable
	}
	return json.RawMessage(out), nil
}

// depthOf is the most brackets open at once, strings not told apart: an upper
// bound is what is needed.
func depthOf(s string) int {
	depth, most := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '{', '[', '(':
			depth++
			most = max(most, depth)
		case '}', ']', ')':
			depth = max(0, depth-1)
		}
	}
	return most
}

// cursor follows the strings and brackets of JSON that may have slips in it.
type cursor struct {
	depth int
	quote rune // the quote that closes the open string, 0 outside strings
	esc   bool
}

// step takes the next rune and reports whether it closed the outermost bracket.
func (c *cursor) step(r rune) bool {
	if c.quote != 0 {
		switch {
		case c.esc:
			c.esc = false
		case r == '\\':
			c.esc = true
		case r == c.quote:
			c.quote = 0
		}
		return false
	}
	switch r {
	case '"':
		c.quote = '"'
	case '“':
		c.quote = '”'
	case '{', '[':
		c.depth++
	case '}', ']':
		c.depth--
		return c.depth == 0
	}
	return false
}

// spanOf returns the part of s from its first bracket to the one that closes
// it, and whether there is one. Without, it is all of s up to a closing fence.
func spanOf(s string) (string, bool) {
	var c cursor
	for i, r := range s {
		if c.step(r) {
			return s[:i+utf8.RuneLen(r)], true
		}
	}
	return untilFence(s), false
}

func untilFence(s string) string {
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(s), "```"))
}

// endsCut says why an unbalanced text is one that was cut short, and "" when
// only closing brackets are missing.
func endsCut(s string) string {
	s = untilFence(s)
	var c cursor
	for _, r := range s {
		c.step(r)
	}
	if c.quote != 0 {
		return "it ends in the middle of a string"
	}
	switch s[len(s)-1] {
	case '}', ']', '"':
		return ""
	}
	if strings.HasSuffix(s, "”") {
		return ""
	}
	return "it ends in the middle of a value"
}
