package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
)

// journal writes a history to a file while it grows, one line a step, each in
// one write: a program that dies loses at most the step it was in.
type journal struct {
	mu   sync.Mutex
	f    *os.File
	buf  []byte
	dead error // the first failure; nothing is written after it
	// found says that the file held an earlier part of the history.
	found bool
}

// openJournal starts a file for h, or goes on with the one that is there when
// resume is set.
func openJournal(path string, h *History, resume bool) (*journal, error) {
	flags := os.O_CREATE | os.O_RDWR | os.O_APPEND
	if !resume {
		flags |= os.O_TRUNC
	}
	f, err := os.OpenFile(path, flags, 0o600)
	if err != nil {
		return nil, fmt.Errorf("agent: history file: %w", err)
	}
	if err := dropCutLine(f); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("agent: history file: %w", err)
	}
	j := &journal{f: f}
	info, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("agent: history file: %w", err)
	}
	if j.found = info.Size() > 0; !j.found {
		head := *h
		head.Tasks, head.Steps = nil, nil
		j.write(line{Format: FormatName, Version: FormatVersion, Header: &head})
		for i := range h.Tasks {
			j.write(line{Task: &h.Tasks[i]})
		}
		for _, s := range h.Steps {
			j.write(line{Step: s})
		}
	}
	return j, nil
}

// dropCutLine removes the end of a file that a crash left without a newline, so
// that what is appended starts on a line of its own.
func dropCutLine(f *os.File) error {
	data, err := io.ReadAll(f)
	if err != nil || len(data) == 0 || data[len(data)-1] == '\n' {
		return err
	}
	return f.Truncate(int64(bytes.LastIndexByte(data, '\n') + 1))
}

func (j *journal) write(l line) {
	if j == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.dead != nil {
		return
	}
	b, err := json.Marshal(l)
	if err == nil {
		j.buf = append(append(j.buf[:0], b...), '\n')
		_, err = j.f.Write(j.buf)
	}
	if err != nil {
		j.dead = fmt.Errorf("agent: history file: %w", err)
	}
}

// close ends the file and returns the first failure, if there was one.
func (j *journal) close() error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	err := j.f.Sync()
	if cerr := j.f.Close(); err == nil {
		err = cerr
	}
	if j.dead != nil {
		return j.dead
	}
	if err != nil {
		return fmt.Errorf("agent: history file: %w", err)
	}
	return nil
}
