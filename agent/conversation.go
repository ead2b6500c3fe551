package agent

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/seed-4bdb41d0/webhand/llm"
)

// conversation writes every model call to a folder: conversation_<agent>_<step>.txt
// for people, with all calls of that step, and conversation_<agent>.jsonl for
// programs, a call a line.
type conversation struct {
	dir, id string
	redact  func(string) string
	log     *slog.Logger

	mu     sync.Mutex
	step   int
	schema string // the last one written; it rarely changes
}

// callRecord is one call of a model.
type callRecord struct {
	Purpose  string
	Model    string
	Took     time.Duration
	Request  *llm.Request
	Response *llm.Response
	Err      error
}

// callLine is its form in the JSON lines. Pictures are left out but for their
// size.
type callLine struct {
	Time     time.Time       `json:"time"`
	Step     int             `json:"step"`
	Purpose  string          `json:"purpose"`
	Model    string          `json:"model,omitempty"`
	Millis   int64           `json:"ms"`
	Messages []callMessage   `json:"messages"`
	Format   string          `json:"format,omitempty"`
	Schema   json.RawMessage `json:"schema,omitempty"` // only when it is not the one before
	Answer   string          `json:"answer,omitempty"`
	Thinking string          `json:"thinking,omitempty"`
	Finish   string          `json:"finish,omitempty"`
	Rung     string          `json:"rung,omitempty"`
	Usage    *llm.Usage      `json:"usage,omitempty"`
	Error    string          `json:"error,omitempty"`
}

type callMessage struct {
	Role   llm.Role `json:"role"`
	Text   string   `json:"text"`
	Images []string `json:"images,omitempty"`
}

func openConversation(dir, id string, redact func(string) string, log *slog.Logger) (*conversation, error) {
	if dir == "" {
		return nil, nil //nolint:nilnil // nil writes nothing
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("agent: conversation folder: %w", err)
	}
	return &conversation{dir: dir, id: id, redact: redact, log: log}, nil
}

// at names the step that the next calls belong to.
func (c *conversation) at(step int) {
	if c != nil {
		c.mu.Lock()
		c.step = step
		c.mu.Unlock()
	}
}

// write appends a call. A folder that cannot be written costs a log line and
// nothing else.
func (c *conversation) write(r callRecord) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.line(r)
	redact(c.redact, &l)
	text := l.text()
	data, err := json.Marshal(l)
	if err == nil {
		err = appendFile(filepath.Join(c.dir, "conversation_"+c.id+".jsonl"), append(data, '\n'))
	}
	if err == nil {
		err = appendFile(filepath.Join(c.dir, fmt.Sprintf("conversation_%s_%d.txt", c.id, l.Step)), []byte(text))
	}
	if err != nil {
		c.log.Warn("conversation not written", "err", err)
	}
}

func (c *conversation) line(r callRecord) callLine {
	l := callLine{Time: time.Now(), Step: c.step, Purpose: r.Purpose, Model: r.Model, Millis: r.Took.Milliseconds()}
	for _, m := range r.Request.Messages {
		cm := callMessage{Role: m.Role, Text: m.Text()}
		for _, p := range m.Parts {
			if p.Image != nil {
				cm.Images = append(cm.Images, fmt.Sprintf("%s, %d bytes", p.Image.MIME, len(p.Image.Data)))
			}
		}
		l.Messages = append(l.Messages, cm)
	}
	if f := r.Request.Format; f != nil {
		l.Format = f.Name
		if s, err := f.Schema(llm.Canonical); err == nil && string(s) != c.schema {
			c.schema, l.Schema = string(s), append(json.RawMessage(nil), s...)
		}
	}
	if r.Response != nil {
		l.Answer, l.Thinking = r.Response.Text, r.Response.Thinking
		l.Finish, l.Rung = string(r.Response.Finish), r.Response.Rung
		u := r.Response.Usage
		l.Usage = &u
		l.Model = or(r.Response.Model, l.Model)
	}
	if r.Err != nil {
		l.Error = r.Err.Error()
		if e := asLLM(r.Err); e != nil && l.Answer == "" {
			l.Answer = e.Answer
		}
	}
	return l
}

// text is the call for people.
func (l callLine) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "==== %s, step %d, %s, %s, %d ms\n", l.Time.Format(time.RFC3339), l.Step, l.Purpose, l.Model, l.Millis)
	for _, m := range l.Messages {
		fmt.Fprintf(&b, "\n---- %s\n%s\n", m.Role, m.Text)
		for _, i := range m.Images {
			fmt.Fprintf(&b, "[picture: %s]\n", i)
		}
	}
	b.WriteString("\n---- answer\n")
	if l.Thinking != "" {
		fmt.Fprintf(&b, "(thought) %s\n", l.Thinking)
	}
	answer := l.Answer
	var v any
	if json.Unmarshal([]byte(answer), &v) == nil {
		if pretty, err := json.MarshalIndent(json.RawMessage(answer), "", "  "); err == nil {
			answer = string(pretty)
		}
	}
	b.WriteString(answer)
	b.WriteByte('\n')
	if l.Error != "" {
		fmt.Fprintf(&b, "FAILED: %s\n", l.Error)
	}
	b.WriteByte('\n')
	return b.String()
}

func appendFile(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}
