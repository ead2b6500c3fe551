package llm

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
)

// ExtractJSON returns the JSON object or array that a model's text holds: the
// text itself when it is JSON, or what an enclosing fence, a thinking block or
// prose surrounds. Small slips (trailing commas, raw newlines in strings,
// typographic quotes, brackets left open at the end) are mended.
//
// Never hand it an answer that was cut at the token cap: what is missing from
// such an answer cannot be known. A text that ends in the middle of a string
// or a number is refused for that reason.
//
// The error is an [*Error] of kind [ErrMalformed] or [ErrEmpty].
func ExtractJSON(text string) (json.RawMessage, error) { return ReadJSON(text, nil) }

// ReadJSON is [ExtractJSON] for an answer whose shape is known. Knowing it, it
// picks the right value among several, and adds or removes an envelope: a bare
// list of actions, one action alone, a list of one answer, a call spelt as
// {"name": ..., "arguments": ...}, a field that holds its JSON as a string.
//
// What it returns is JSON that looks like the shape. Whether it is valid is
// for the caller's own strict decoder to say.
func ReadJSON(text string, f *Format) (json.RawMessage, error) {
	r := reader{format: f}
	return r.read(text, 0)
}

// maxRead bounds the texts that are searched and mended. Longer ones have to
// be JSON as they are.
const maxRead = 256 << 10

type reader struct {
	format *Format
	shape  *shape
	loaded bool
}

// want returns the shape asked for, or nil.
func (r *reader) want() *shape {
	if !r.loaded {
		r.loaded = true
		r.shape = shapeOf(r.format)
	}
	return r.shape
}

func (r *reader) read(text string, depth int) (json.RawMessage, error) {
	s := strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	if s == "" {
		return nil, &Error{Kind: ErrEmpty, Message: "the answer has no text", Want: r.example()}
	}
	// The text as it is comes first: a string inside it may hold fences,
	// thinking tags and braces that mean nothing here.
	if v, ok := whole(s); ok {
		if inner, ok := unquote(v); ok && depth < 3 {
			return r.read(inner, depth+1)
		}
		if isContainer(v) {
			return r.envelope(v, depth), nil
		}
	}
	if len(s) > maxRead {
		return nil, r.malformed(text, "not JSON")
	}
	best, cut := r.search(s)
	if best == nil {
		reason := "no JSON object in it"
		if cut != "" {
			reason = cut
		}
		return nil, r.malformed(text, reason)
	}
	return r.envelope(best, depth), nil
}

// search looks for the value in what is left of the text without its thinking
// block, then in the whole text.
func (r *reader) search(s string) (best json.RawMessage, cut string) {
	score := 0
	stripped := stripThinking(s)
	for _, variant := range []string{stripFence(stripped), stripped, s} {
		v, n, c := r.scan(variant)
		if v != nil && (best == nil || n > score) {
			best, score = v, n
		}
		if cut == "" {
			cut = c
		}
		if best != nil && (r.want() == nil || score > 0) {
			break
		}
		if stripped == "" { // all of it is thought: nothing in there is an answer
			return nil, "it ends inside the thinking"
		}
	}
	return best, cut
}

// scan walks over the brackets of s that may open a value, takes what parses,
// mends what nearly does, and returns the best of all.
func (r *reader) scan(s string) (best json.RawMessage, score int, cut string) {
	// Each try may read to the end, so a hostile text could cost its square.
	work := 4 * maxRead
	for i := 0; i < len(s) && work > 0; i++ {
		if s[i] != '{' && s[i] != '[' {
			continue
		}
		work -= len(s) - i
		v, end, reason := valueAt(s, i)
		if v == nil {
			if cut == "" {
				cut = reason
			}
			continue
		}
		got := r.score(v)
		if best == nil || got > score {
			best, score = v, got
		}
		i = end - 1
	}
	return best, score, cut
}

// score says how much of the wanted shape v has. Without a shape, an object is
// better than a list: prose is full of [1].
func (r *reader) score(v json.RawMessage) int {
	if w := r.want(); w != nil {
		return w.score(v)
	}
	if v[0] == '{' {
		return 1
	}
	return 0
}

// valueAt reads the JSON value that starts at s[i], mending it when it must.
// When there is none, reason says why if that is worth saying.
func valueAt(s string, i int) (v json.RawMessage, end int, reason string) {
	dec := json.NewDecoder(strings.NewReader(s[i:]))
	var raw json.RawMessage
	if dec.Decode(&raw) == nil {
		return raw, i + int(dec.InputOffset()), ""
	}
	if !opensJSON(s[i:]) {
		return nil, 0, ""
	}
	span, balanced := spanOf(s[i:])
	if !balanced {
		if why := endsCut(s[i:]); why != "" {
			return nil, 0, why
		}
	}
	fixed, err := mend(span)
	if err != nil {
		return nil, 0, ""
	}
	return fixed, i + len(span), ""
}

var opening = regexp.MustCompile(`^(\{\s*(["'“”‘’}]|[A-Za-z_]\w*\s*:)|\[\s*[\[{"'“”\]\d-])`)

// opensJSON tells a value with slips in it from braces in prose.
func opensJSON(s string) bool { return opening.MatchString(s) }

func whole(s string) (json.RawMessage, bool) {
	b := []byte(s)
	if !json.Valid(b) {
		return nil, false
	}
	return b, true
}

func isContainer(v json.RawMessage) bool {
	v = bytes.TrimSpace(v)
	return len(v) > 0 && (v[0] == '{' || v[0] == '[')
}

// unquote undoes one level of double encoding.
func unquote(v json.RawMessage) (string, bool) {
	var s string
	if len(v) == 0 || v[0] != '"' || json.Unmarshal(v, &s) != nil {
		return "", false
	}
	return s, true
}

var (
	thinkBlock = regexp.MustCompile(`(?is)<(think|thinking|thought|reasoning|reflection)>.*?</(?:think|thinking|thought|reasoning|reflection)>`)
	thinkEnd   = regexp.MustCompile(`(?is)^.*</(?:think|thinking|thought|reasoning)>`)
	thinkOpen  = regexp.MustCompile(`(?is)^\s*<(?:think|thinking|thought|reasoning)>.*$`)
	// The channels of gpt-oss, when a server passes them through.
	channelEnd = regexp.MustCompile(`(?is)^.*<\|channel\|>final.*?<\|message\|>`)
	fence      = regexp.MustCompile("(?s)^\\s*```[a-zA-Z0-9_-]*[ \t]*\r?\n?(.*?)\r?\n?[ \t]*```\\s*$")
)

// stripThinking removes what a model thought aloud before its answer.
func stripThinking(s string) string {
	s = channelEnd.ReplaceAllString(s, "")
	s = thinkBlock.ReplaceAllString(s, "")
	s = thinkEnd.ReplaceAllString(s, "") // the opening tag is often in the prompt
	s = thinkOpen.ReplaceAllString(s, "")
	return strings.TrimSpace(s)
}

// stripFence removes a fence that encloses all of s.
func stripFence(s string) string {
	if m := fence.FindStringSubmatch(s); m != nil {
		return m[1]
	}
	return s
}

// malformed is the error for a text without a usable value.
func (r *reader) malformed(text, reason string) *Error {
	return &Error{Kind: ErrMalformed, Message: reason + ": " + quoteStart(text), Answer: text, Want: r.example()}
}

func (r *reader) example() string {
	if w := r.want(); w != nil {
		return w.example()
	}
	return ""
}

// quoteStart quotes the first 200 characters of a text on one line.
func quoteStart(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "?")), " ")
	if r := []rune(s); len(r) > 200 {
		s = string(r[:200]) + "..."
	}
	return "\"" + s + "\""
}
