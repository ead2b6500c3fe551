package agent

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// FormatName and FormatVersion mark a saved history.
const (
	FormatName    = "webhand-history"
	FormatVersion = 1
)

// ErrFormat is returned by [LoadHistory] for input that is no history, or one
// of a newer version.
var ErrFormat = errors.New("agent: not a history this version can read")

// envelope is the outer form of a saved history.
type envelope struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	// Task is the latest task, for people who look into the file.
	Task string `json:"task"`
	*History
}

// Save writes the history as one JSON document. File names in it are relative
// to the agent's folder. [LoadHistory] reads it back.
func (h *History) Save(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(envelope{FormatName, FormatVersion, h.Task(), h}); err != nil {
		return fmt.Errorf("agent: save history: %w", err)
	}
	return nil
}

// line is one line of the form that is written while a run goes on: a header,
// then tasks, steps and outcomes as they happen.
type line struct {
	Format  string   `json:"format,omitempty"`
	Version int      `json:"version,omitempty"`
	Header  *History `json:"header,omitempty"`
	Task    *TaskRun `json:"task_run,omitempty"`
	Step    *Step    `json:"step,omitempty"`
	Outcome *Outcome `json:"outcome,omitempty"`
	Usage   *Usage   `json:"usage,omitempty"`
}

// LoadHistory reads what [History.Save] wrote, or the file that
// Config.HistoryFile names. Of the latter the last line may be cut, as it is
// after a crash; the history then ends with the last whole step. It reads the
// histories of browser-use too.
func LoadHistory(r io.Reader) (*History, error) {
	br := bufio.NewReader(r)
	first, err := firstValue(br)
	if err != nil {
		return nil, err
	}
	var l line
	if err := json.Unmarshal(first, &l); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if l.Format != FormatName {
		if h, ok, err := importForeign(first); ok {
			return h, err
		}
		return nil, fmt.Errorf("%w: it has no \"format\": %q", ErrFormat, FormatName)
	}
	if l.Version > FormatVersion || l.Version < 1 {
		return nil, fmt.Errorf("%w: version %d, and this program knows up to %d", ErrFormat, l.Version, FormatVersion)
	}
	if l.Header != nil {
		return loadLines(br, l.Header)
	}
	h := &History{}
	if err := json.Unmarshal(first, &envelope{History: h}); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return h, nil
}

// firstValue reads one JSON value and nothing after it.
func firstValue(br *bufio.Reader) ([]byte, error) {
	text, err := br.ReadBytes('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("agent: load history: %w", err)
	}
	if json.Valid(text) && len(bytes.TrimSpace(text)) > 0 {
		return text, nil
	}
	rest, err := io.ReadAll(br)
	if err != nil {
		return nil, fmt.Errorf("agent: load history: %w", err)
	}
	text = append(text, rest...)
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, fmt.Errorf("%w: it is empty", ErrFormat)
	}
	return text, nil
}

func loadLines(br *bufio.Reader, h *History) (*History, error) {
	h.Steps = nil
	for n := 2; ; n++ {
		text, err := br.ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("agent: load history: %w", err)
		}
		cut := errors.Is(err, io.EOF)
		if strings.TrimSpace(text) == "" {
			if cut {
				return h, nil
			}
			continue
		}
		var l line
		if uerr := json.Unmarshal([]byte(text), &l); uerr != nil {
			if cut {
				return h, nil // the line that a crash cut
			}
			return nil, fmt.Errorf("%w: line %d: %w", ErrFormat, n, uerr)
		}
		h.apply(l)
		if cut {
			return h, nil
		}
	}
}

func (h *History) apply(l line) {
	if l.Task != nil {
		h.Tasks = append(h.Tasks, *l.Task)
	}
	if l.Step != nil {
		h.Steps = append(h.Steps, l.Step)
	}
	if l.Outcome != nil && len(h.Tasks) > 0 {
		h.Tasks[len(h.Tasks)-1].Outcome = *l.Outcome
	}
	if l.Usage != nil {
		h.Usage = *l.Usage
	}
}
