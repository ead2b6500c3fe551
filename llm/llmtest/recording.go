package llmtest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
)

// Exchange is one request and its answer in a recorded conversation.
type Exchange struct {
	// Request says which request the answer belongs to.
	Request Match `json:"request"`
	// Response is the answer. ${name} in its text is replaced by what the
	// capture of that name found in the request.
	Response Answer `json:"response"`
}

// Match recognises a request. Its zero value matches any.
type Match struct {
	// Model is the model's name.
	Model string `json:"model,omitempty"`
	// Contains are texts that all occur in the request's messages, and Lacks
	// texts that do not occur.
	Contains []string `json:"contains,omitempty"`
	Lacks    []string `json:"lacks,omitempty"`
	// LastContains are texts that all occur in the last message of the user.
	LastContains []string `json:"last_contains,omitempty"`
	// Capture finds, by regular expressions with one group, what the answer
	// refers to: the index of a button in the page, say. The last occurrence
	// in the last message of the user counts. A request in which one finds
	// nothing does not match.
	Capture map[string]string `json:"capture,omitempty"`
	// Repeat lets the exchange be used any number of times.
	Repeat bool `json:"repeat,omitempty"`
	// Sent is what was sent, for people to read; it is not compared.
	Sent string `json:"sent,omitempty"`
}

// ReadRecording reads a conversation: exchanges as JSON values one after the
// other, as the [Recorder] writes them, or as one JSON array.
func ReadRecording(r io.Reader) ([]Exchange, error) {
	dec := json.NewDecoder(bufio.NewReader(r))
	dec.DisallowUnknownFields()
	var out []Exchange
	for n := 1; ; n++ {
		var raw json.RawMessage
		err := dec.Decode(&raw)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("llmtest: recording, value %d: %w", n, err)
		}
		if raw[0] == '[' {
			var list []Exchange
			if err := strictly(raw, &list); err != nil {
				return nil, fmt.Errorf("llmtest: recording, value %d: %w", n, err)
			}
			out = append(out, list...)
			continue
		}
		var x Exchange
		if err := strictly(raw, &x); err != nil {
			return nil, fmt.Errorf("llmtest: recording, value %d: %w", n, err)
		}
		out = append(out, x)
	}
	if len(out) == 0 {
		return nil, errors.New("llmtest: the recording has no exchanges")
	}
	return out, nil
}

// strictly decodes without tolerating unknown fields: a misspelt matcher would
// match everything.
func strictly(raw json.RawMessage, v any) error {
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	dec.DisallowUnknownFields()
	return dec.Decode(v)
}

// LoadRecording reads a conversation from a file.
func LoadRecording(name string) ([]Exchange, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("llmtest: %w", err)
	}
	defer f.Close()
	return ReadRecording(f)
}

// replay hands out the exchanges of a recording.
type replay struct {
	mu   sync.Mutex
	list []*exchange
}

type exchange struct {
	Exchange
	captures map[string]*regexp.Regexp
	used     bool
}

func newReplay(list []Exchange) (*replay, error) {
	r := &replay{}
	for i, x := range list {
		e := &exchange{Exchange: x, captures: map[string]*regexp.Regexp{}}
		for name, pattern := range x.Request.Capture {
			re, err := regexp.Compile(pattern)
			if err != nil {
				return nil, fmt.Errorf("llmtest: exchange %d, capture %q: %w", i+1, name, err)
			}
			if re.NumSubexp() != 1 {
				return nil, fmt.Errorf("llmtest: exchange %d, capture %q: needs exactly one group", i+1, name)
			}
			e.captures[name] = re
		}
		r.list = append(r.list, e)
	}
	return r, nil
}

// next returns the answer of the first unused exchange that matches.
func (r *replay) next(req *Request) (Answer, string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	why := "all of it is used"
	used := 0
	for i, e := range r.list {
		if e.used {
			used++
			continue
		}
		a, miss := e.match(req)
		if miss == "" {
			e.used = !e.Request.Repeat
			return a, ""
		}
		if why == "all of it is used" {
			why = fmt.Sprintf("exchange %d %s", i+1, miss)
		}
	}
	return Answer{}, fmt.Sprintf("the recording has no answer to this request (%d of %d exchanges used): %s", used, len(r.list), why)
}

func (r *replay) unused() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, e := range r.list {
		if !e.used && !e.Request.Repeat {
			n++
		}
	}
	return n
}

// match returns the exchange's answer, or what is missing.
func (e *exchange) match(req *Request) (Answer, string) {
	m := e.Request
	if m.Model != "" && m.Model != req.Model {
		return Answer{}, fmt.Sprintf("is for model %q", m.Model)
	}
	all, last := req.Text(), req.LastUser()
	for _, s := range m.Contains {
		if !strings.Contains(all, s) {
			return Answer{}, fmt.Sprintf("wants %q in the messages", s)
		}
	}
	for _, s := range m.Lacks {
		if strings.Contains(all, s) {
			return Answer{}, fmt.Sprintf("wants no %q in the messages", s)
		}
	}
	for _, s := range m.LastContains {
		if !strings.Contains(last, s) {
			return Answer{}, fmt.Sprintf("wants %q in the last message", s)
		}
	}
	a := e.Response
	for name, re := range e.captures {
		found := re.FindAllStringSubmatch(last, -1)
		if len(found) == 0 {
			return Answer{}, fmt.Sprintf("finds no %q by %s in the last message", name, re)
		}
		a.Text = strings.ReplaceAll(a.Text, "${"+name+"}", found[len(found)-1][1])
	}
	return a, ""
}
