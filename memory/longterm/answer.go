package longterm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/seed-4bdb41d0/webhand/llm"
)

// ask sends a request whose answer read must be able to use. An answer it
// cannot is asked for once more, with the reason; a second one is an error
// that matches [ErrLLM].
func (m *Memory) ask(ctx context.Context, f *llm.Format, system, user string, read func(string) error) error {
	req := &llm.Request{Messages: []llm.Message{llm.System(system), llm.User(user)}, Format: f}
	var reason error
	for range 2 {
		res, err := m.cfg.LLM.Complete(ctx, req)
		answer := ""
		if err == nil {
			answer = res.Text
			if err = checkFinish(res); err == nil {
				err = read(answer)
			}
			if err == nil {
				return nil
			}
		} else if !errors.Is(err, llm.ErrMalformed) && !errors.Is(err, llm.ErrEmpty) && !errors.Is(err, llm.ErrTruncated) {
			return fmt.Errorf("%w: %w", ErrLLM, err)
		}
		reason = err
		retry := *req
		retry.Messages = append([]llm.Message(nil), req.Messages...)
		if answer != "" {
			retry.Messages = append(retry.Messages, llm.Assistant(answer))
		}
		retry.Messages = append(retry.Messages,
			llm.User("That answer could not be used: "+err.Error()+". Answer again with the JSON object alone."))
		req = &retry
	}
	return fmt.Errorf("%w: two answers could not be used, the last because: %w", ErrLLM, reason)
}

func checkFinish(res *llm.Response) error {
	if res.Finish == llm.FinishLength {
		return fmt.Errorf("%w: it ends in the middle", llm.ErrTruncated)
	}
	return nil
}

var (
	thinking = regexp.MustCompile(`(?s)<(think|thinking|thought)>.*?</(think|thinking|thought)>`)
	fence    = regexp.MustCompile("(?s)```[a-zA-Z]*\\s*\n(.*?)\n?\\s*```")
)

// stripThinking removes reasoning that a model wrote into its answer, also
// when only its end tag arrived.
func stripThinking(s string) string {
	s = thinking.ReplaceAllString(s, "")
	for _, tag := range []string{"</think>", "</thinking>", "</thought>"} {
		if i := strings.LastIndex(s, tag); i >= 0 {
			s = s[i+len(tag):]
		}
	}
	return s
}

// stripFence removes a fence around a whole text.
func stripFence(s string) string {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "```") && strings.HasSuffix(s, "```") && len(s) >= 6 {
		if i := strings.IndexByte(s, '\n'); i > 0 {
			return strings.TrimSpace(s[i+1 : len(s)-3])
		}
	}
	return s
}

// readJSON decodes the JSON value in an answer: bare, in a fence, after
// reasoning, or with prose around. Raw line breaks and tabs inside strings are
// forgiven, a value that ends in the middle is not.
func readJSON(answer string, v any) error {
	s := strings.TrimSpace(stripThinking(answer))
	if s == "" {
		return fmt.Errorf("it is empty")
	}
	candidates := []string{s}
	for _, f := range fence.FindAllStringSubmatch(s, -1) {
		candidates = append(candidates, f[1])
	}
	if i := strings.IndexAny(s, "{["); i >= 0 {
		candidates = append(candidates, s[i:])
	}
	var first error
	for _, c := range candidates {
		err := decodeFirst(escapeControls(c), v)
		if err == nil {
			return nil
		}
		if first == nil || strings.ContainsAny(c[:min(1, len(c))], "{[") {
			first = err
		}
	}
	return fmt.Errorf("it is not the JSON asked for (%v)", first)
}

// decodeFirst decodes the first JSON value of s and lets prose follow it.
func decodeFirst(s string, v any) error {
	var raw json.RawMessage
	if err := json.NewDecoder(strings.NewReader(s)).Decode(&raw); err != nil {
		return err
	}
	return json.Unmarshal(raw, v)
}

// escapeControls escapes raw control characters inside JSON strings, which
// some models write.
func escapeControls(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 }) {
		return s
	}
	var b strings.Builder
	inside, escaped := false, false
	for _, r := range s {
		switch {
		case escaped:
			escaped = false
		case inside && r == '\\':
			escaped = true
		case r == '"':
			inside = !inside
		case inside && r < 0x20:
			fmt.Fprintf(&b, `\u%04x`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// looseText is a string that a model may also write as a number.
type looseText string

func (t *looseText) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err == nil {
		*t = looseText(s)
		return nil
	}
	var n json.Number
	if err := json.Unmarshal(b, &n); err != nil {
		return err
	}
	*t = looseText(n.String())
	return nil
}
