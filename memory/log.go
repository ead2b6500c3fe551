package memory

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/seed-4bdb41d0/webhand/llm"
)

// Entry is one thing that stays in the prompt: a task or a finished step.
type Entry struct {
	// Kind is KindTask or KindStep.
	Kind Kind `json:"kind"`
	// Step is the number of the step, and 0 for a task.
	Step int `json:"step,omitempty"`
	// Text is what the model reads. It never changes once it is added.
	Text string `json:"text"`
	// Detail is what only a summarising model reads in addition, such as
	// contents that the prompt showed once.
	Detail string `json:"detail,omitempty"`
}

// Read is content that the next prompt shows once.
type Read struct {
	Text   string      `json:"text,omitempty"`
	Images []llm.Image `json:"images,omitempty"`
}

// Log is the memory of one run. The zero value is an empty log. It is not safe
// for concurrent use.
type Log struct {
	entries []Entry
	reads   []Read
	summary Summary
	omitted int // steps dropped by Limit since the first one kept
	retry   int // no compaction before this step, because the last one failed
}

// Summary stands for steps that were folded into a text by a model.
type Summary struct {
	Text string `json:"text,omitempty"`
	// From and To are the numbers of the first and last step it covers.
	From int `json:"from,omitempty"`
	To   int `json:"to,omitempty"`
	// Folds counts how often steps were folded into it.
	Folds int `json:"folds,omitempty"`
	// At is the step at which that happened last.
	At int `json:"at,omitempty"`
}

// Add appends an entry.
func (l *Log) Add(e Entry) { l.entries = append(l.entries, e) }

// AddRead shows content in the next prompt, and only there.
func (l *Log) AddRead(r Read) {
	if r.Text != "" || len(r.Images) > 0 {
		l.reads = append(l.reads, r)
	}
}

// Reads returns the contents to show in the next prompt. They stay until
// [Log.ClearReads], because a prompt may have to be sent again.
func (l *Log) Reads() []Read { return l.reads }

// ClearReads forgets the contents that were shown.
func (l *Log) ClearReads() { l.reads = nil }

// Entries returns the entries in order. The slice must not be changed.
func (l *Log) Entries() []Entry { return l.entries }

// Summary returns the folded steps.
func (l *Log) Summary() Summary { return l.summary }

// Steps counts the steps that are still there in full.
func (l *Log) Steps() int {
	n := 0
	for _, e := range l.entries {
		if e.Kind == KindStep {
			n++
		}
	}
	return n
}

// Tokens estimates what the log costs in each prompt, reads not counted.
func (l *Log) Tokens() int { return Total(l.Blocks()) }

// Blocks renders the log in the order of the prompt: the first task, then
// everything else as it came, with the summary in place of the steps it covers.
func (l *Log) Blocks() []Block {
	out := make([]Block, 0, len(l.entries)+2)
	folded := l.summary.Text == "" && l.omitted == 0
	firstStep := true
	for _, e := range l.entries {
		if e.Kind == KindStep && !firstStep && !folded {
			out = append(out, l.gap()...)
			folded = true
		}
		out = append(out, Block{Kind: e.Kind, Text: e.Text})
		if e.Kind == KindStep {
			firstStep = false
		}
	}
	if !folded {
		out = append(out, l.gap()...)
	}
	return out
}

// gap is what stands between the first step and the last ones.
func (l *Log) gap() []Block {
	var out []Block
	if l.summary.Text != "" {
		out = append(out, Block{Kind: KindSummary, Text: fmt.Sprintf(
			"Summary of steps %d to %d, written by a model and not verified. Do not report anything as done on its word alone.\n%s",
			l.summary.From, l.summary.To, l.summary.Text)})
	}
	if l.omitted > 0 {
		out = append(out, Block{Kind: KindSummary, Text: omitted(l.omitted)})
	}
	return out
}

// Limit forgets old steps once there are more than n, so that the first and
// the last n/2 remain. Forgetting many at once and rarely keeps the beginning
// of the prompt the same for most steps. n below 4 does nothing.
func (l *Log) Limit(n int) {
	steps := l.Steps()
	if n < 4 || steps <= n {
		return
	}
	drop := steps - 1 - n/2
	kept := l.entries[:0:0]
	seen := 0
	for _, e := range l.entries {
		if e.Kind == KindStep {
			seen++
			if seen > 1 && seen <= 1+drop {
				continue
			}
		}
		kept = append(kept, e)
	}
	l.entries = kept
	l.omitted += drop
}

// logState is the JSON form of a Log.
type logState struct {
	Entries []Entry `json:"entries,omitempty"`
	Reads   []Read  `json:"reads,omitempty"`
	Summary Summary `json:"summary,omitzero"`
	Omitted int     `json:"omitted,omitempty"`
	Retry   int     `json:"retry,omitempty"`
}

// MarshalJSON keeps everything, so that a run can go on elsewhere.
func (l *Log) MarshalJSON() ([]byte, error) {
	return json.Marshal(logState{l.entries, l.reads, l.summary, l.omitted, l.retry})
}

// UnmarshalJSON restores what [Log.MarshalJSON] wrote.
func (l *Log) UnmarshalJSON(data []byte) error {
	var s logState
	if err := json.Unmarshal(data, &s); err != nil {
		return fmt.Errorf("memory: read log: %w", err)
	}
	*l = Log{s.Entries, s.Reads, s.Summary, s.Omitted, s.Retry}
	return nil
}

// Clone returns a copy that later changes of l do not touch. It costs little:
// entries never change.
func (l *Log) Clone() *Log {
	c := *l
	c.entries = slices.Clip(l.entries)
	c.reads = slices.Clip(l.reads)
	return &c
}
