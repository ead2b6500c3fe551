package longterm

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Message is one turn of a conversation to remember from. Its content is a
// text, or parts of text and images.
type Message struct {
	Role string // "user", "assistant", "system", "tool", ...
	Name string // who speaks, when the role does not say
	// Content is the text. With Parts it must be empty.
	Content string
	Parts   []Part
}

// Part is a piece of a message: a text or an image.
type Part struct {
	Text string
	// ImageURL is a data URL, or the address of an image. Addresses are handed
	// to Config.Describe as they are; this package downloads nothing.
	ImageURL string
	Detail   string // "auto", "low", "high"; empty is Config.VisionDetail
}

// Text returns the conversation that consists of one user message.
func Text(s string) []Message { return []Message{{Role: "user", Content: s}} }

// wirePart is a part as chat APIs write it.
type wirePart struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	ImageURL *struct {
		URL    string `json:"url"`
		Detail string `json:"detail,omitempty"`
	} `json:"image_url,omitempty"`
}

// UnmarshalJSON reads the content as a string, as a list of parts, or as one
// part, the forms chat APIs use.
func (m *Message) UnmarshalJSON(b []byte) error {
	var w struct {
		Role    string          `json:"role"`
		Name    string          `json:"name"`
		Content json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(b, &w); err != nil {
		return fmt.Errorf("%w: want {\"role\":...,\"content\":...}: %v", ErrInvalidMessages, err)
	}
	*m = Message{Role: w.Role, Name: w.Name}
	trimmed := strings.TrimSpace(string(w.Content))
	switch {
	case trimmed == "" || trimmed == "null":
		return nil
	case trimmed[0] == '"':
		return json.Unmarshal(w.Content, &m.Content)
	case trimmed[0] == '{':
		return m.addPart(w.Content)
	case trimmed[0] == '[':
		var parts []json.RawMessage
		if err := json.Unmarshal(w.Content, &parts); err != nil {
			return fmt.Errorf("%w: content: %v", ErrInvalidMessages, err)
		}
		m.Parts = []Part{}
		for _, p := range parts {
			if err := m.addPart(p); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("%w: content is neither a string nor parts", ErrInvalidMessages)
}

func (m *Message) addPart(b []byte) error {
	var p wirePart
	if err := json.Unmarshal(b, &p); err != nil {
		return fmt.Errorf("%w: content part: %v", ErrInvalidMessages, err)
	}
	switch p.Type {
	case "text", "input_text":
		m.Parts = append(m.Parts, Part{Text: p.Text})
	case "image_url":
		if p.ImageURL == nil || p.ImageURL.URL == "" {
			return fmt.Errorf("%w: an image_url part has no url", ErrInvalidMessages)
		}
		m.Parts = append(m.Parts, Part{ImageURL: p.ImageURL.URL, Detail: p.ImageURL.Detail})
	case "":
		return fmt.Errorf("%w: a content part has no type", ErrInvalidMessages)
	}
	// Audio, files and other kinds hold nothing to remember as text.
	return nil
}

// MarshalJSON writes the message as chat APIs do.
func (m Message) MarshalJSON() ([]byte, error) {
	w := struct {
		Role    string `json:"role"`
		Name    string `json:"name,omitempty"`
		Content any    `json:"content"`
	}{m.Role, m.Name, m.Content}
	if m.Parts != nil {
		parts := make([]wirePart, 0, len(m.Parts))
		for _, p := range m.Parts {
			if p.ImageURL == "" {
				parts = append(parts, wirePart{Type: "text", Text: p.Text})
				continue
			}
			wp := wirePart{Type: "image_url"}
			wp.ImageURL = &struct {
				URL    string `json:"url"`
				Detail string `json:"detail,omitempty"`
			}{p.ImageURL, p.Detail}
			parts = append(parts, wp)
		}
		w.Content = parts
	}
	return json.Marshal(w)
}

// text returns the text of the message without its images.
func (m Message) text() string {
	if m.Parts == nil {
		return m.Content
	}
	var out []string
	for _, p := range m.Parts {
		if p.ImageURL == "" && p.Text != "" {
			out = append(out, p.Text)
		}
	}
	return strings.Join(out, " ")
}

func (m Message) hasImage() bool {
	for _, p := range m.Parts {
		if p.ImageURL != "" {
			return true
		}
	}
	return false
}

// ParseMessages reads the messages of a request: a string, one message, or a
// list of messages.
func ParseMessages(b []byte) ([]Message, error) {
	trimmed := strings.TrimSpace(string(b))
	if trimmed == "" || trimmed == "null" {
		return nil, fmt.Errorf("%w: none given", ErrInvalidMessages)
	}
	switch trimmed[0] {
	case '"':
		var s string
		if err := json.Unmarshal(b, &s); err != nil {
			return nil, fmt.Errorf("%w: %v", ErrInvalidMessages, err)
		}
		return Text(s), nil
	case '{':
		var m Message
		if err := json.Unmarshal(b, &m); err != nil {
			return nil, invalidMessages(err)
		}
		return []Message{m}, nil
	case '[':
		var ms []Message
		if err := json.Unmarshal(b, &ms); err != nil {
			return nil, invalidMessages(err)
		}
		return ms, nil
	}
	return nil, fmt.Errorf("%w: want a string, a message or a list of messages", ErrInvalidMessages)
}

func invalidMessages(err error) error {
	if errors.Is(err, ErrInvalidMessages) {
		return err
	}
	return fmt.Errorf("%w: %v", ErrInvalidMessages, err)
}

// transcript writes messages as lines "role: content", leaving out roles that
// keep rejects.
func transcript(ms []Message, keep func(role string) bool) string {
	var b strings.Builder
	for _, m := range ms {
		if !keep(m.Role) || m.Content == "" {
			continue
		}
		who := m.Role
		if m.Name != "" {
			who += " (" + m.Name + ")"
		}
		fmt.Fprintf(&b, "%s: %s\n", who, m.Content)
	}
	return b.String()
}
