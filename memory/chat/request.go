package chat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
)

// request is the body of a chat completion. Everything that is not about
// memory stays byte for byte as it came.
type request struct {
	fields   map[string]json.RawMessage
	messages []json.RawMessage
	said     []longterm.Message // the same as text
}

func parseRequest(raw []byte) (*request, error) {
	q := &request{}
	if err := json.Unmarshal(raw, &q.fields); err != nil || q.fields == nil {
		return nil, fmt.Errorf("the body is not a JSON object")
	}
	if m, ok := q.fields["messages"]; ok && string(m) != "null" {
		if err := json.Unmarshal(m, &q.messages); err != nil {
			return nil, fmt.Errorf("messages is not a list")
		}
	}
	for i, m := range q.messages {
		var said longterm.Message
		if err := json.Unmarshal(m, &said); err != nil {
			return nil, fmt.Errorf("messages[%d]: %w", i, err)
		}
		// Tool calls and images are not remembered, only what was said.
		q.said = append(q.said, longterm.Message{Role: said.Role, Name: said.Name, Content: plain(said)})
	}
	return q, nil
}

// text reads a string field.
func (q *request) text(name string) string {
	var s string
	_ = json.Unmarshal(q.fields[name], &s) // another kind counts as missing
	return s
}

// take reads a string field and removes it.
func (q *request) take(name string) string {
	s := q.text(name)
	delete(q.fields, name)
	return s
}

func (q *request) lastIsUser() bool {
	return len(q.said) > 0 && q.said[len(q.said)-1].Role == "user"
}

// inject puts memories before the model.
func (q *request) inject(memories []string, mode Mode, system string) error {
	var out []json.RawMessage
	add := func(v any) error {
		b, err := marshal(v)
		out = append(out, b)
		return err
	}
	if first := q.said[0].Role; first != "system" && first != "developer" {
		if err := add(map[string]string{"role": "system", "content": system}); err != nil {
			return err
		}
	}
	last := len(q.messages) - 1
	out = append(out, q.messages[:last]...)
	switch {
	case len(memories) == 0:
		out = append(out, q.messages[last])
	case mode == SystemBlock:
		if err := add(map[string]string{"role": "system", "content": block(memories)}); err != nil {
			return err
		}
		out = append(out, q.messages[last])
	default:
		b, err := rewrite(q.messages[last], memories)
		if err != nil {
			return err
		}
		out = append(out, b)
	}
	q.messages = out
	return nil
}

// rewrite returns a user message with memories before its question. Images
// and other parts stay.
func rewrite(message json.RawMessage, memories []string) (json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(message, &fields); err != nil {
		return nil, err
	}
	var content any
	var text string
	var parts []json.RawMessage
	switch {
	case json.Unmarshal(fields["content"], &text) == nil:
		content = question(memories, text)
	case json.Unmarshal(fields["content"], &parts) == nil:
		lead, err := marshal(map[string]string{"type": "text", "text": question(memories, "")})
		if err != nil {
			return nil, err
		}
		content = append([]json.RawMessage{lead}, parts...)
	default:
		return nil, fmt.Errorf("the last message's content is neither a text nor parts")
	}
	b, err := marshal(content)
	if err != nil {
		return nil, err
	}
	fields["content"] = b
	return marshal(fields)
}

func (q *request) encode() ([]byte, error) {
	if q.messages != nil {
		b, err := marshal(q.messages)
		if err != nil {
			return nil, err
		}
		q.fields["messages"] = b
	}
	return marshal(q.fields)
}

// marshal is json.Marshal without the escapes that HTML needs.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}

// maxHeard is how many bytes of an answer are listened to.
const maxHeard = 4 << 20

// listener reads the assistant's text out of a response that passes by.
type listener struct {
	stream bool
	buf    bytes.Buffer
}

func (l *listener) write(b []byte) {
	if room := maxHeard - l.buf.Len(); room > 0 {
		l.buf.Write(b[:min(room, len(b))])
	}
}

// text returns what the assistant said.
func (l *listener) text() string {
	var out strings.Builder
	read := func(b []byte) {
		var r struct {
			Choices []struct {
				Index   int
				Message struct{ Content json.RawMessage }
				Delta   struct{ Content json.RawMessage }
			}
		}
		if json.Unmarshal(b, &r) != nil {
			return
		}
		for _, c := range r.Choices {
			if c.Index != 0 {
				continue
			}
			for _, raw := range []json.RawMessage{c.Message.Content, c.Delta.Content} {
				var s string
				if json.Unmarshal(raw, &s) == nil {
					out.WriteString(s)
				}
			}
		}
	}
	if !l.stream {
		read(l.buf.Bytes())
		return out.String()
	}
	for line := range bytes.Lines(l.buf.Bytes()) {
		if data, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("data:")); ok {
			read(bytes.TrimSpace(data))
		}
	}
	return out.String()
}
