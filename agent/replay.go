package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/seed-4bdb41d0/webhand/dom"
)

// OnMiss says what a replay does when an action cannot be done as it was
// recorded: its element is not there, several answer to it, or it cannot be
// used.
type OnMiss string

// The policies. The zero value is MissStop.
const (
	MissStop  OnMiss = "stop"  // end with an error that says what was looked for
	MissSkip  OnMiss = "skip"  // leave the action out and go on
	MissRetry OnMiss = "retry" // look again, longer each time
	MissHeal  OnMiss = "heal"  // ask the model for this one action
)

// ReplayConfig says how a replay goes. The zero value is a good one.
type ReplayConfig struct {
	OnMiss OnMiss
	// Wait is how long an action's element is waited for; 0 is 10 s. The time
	// that passed between the actions of the recording is not.
	Wait time.Duration
	// Idle is the most that a recorded wait of so many seconds, for nothing
	// that could be seen, is repeated for; 0 is 3 s, less is not at all.
	Idle time.Duration
	// Retries is how often MissRetry looks again; 0 is 3.
	Retries int
	// Heals is the most actions that MissHeal asks the model for; 0 is 3.
	Heals int
	// Screenshots keeps a picture of the page before every step.
	Screenshots bool
	// Pause is a pause before every action, for watching.
	Pause time.Duration
}

func (c ReplayConfig) check() error {
	switch c.OnMiss {
	case "", MissStop, MissSkip, MissRetry, MissHeal:
		return nil
	}
	return fmt.Errorf("agent: Replay.OnMiss %q is none of stop, skip, retry, heal", c.OnMiss)
}

func (c ReplayConfig) withDefaults() ReplayConfig {
	orDuration(&c.Wait, 10*time.Second)
	if c.Idle == 0 {
		c.Idle = 3 * time.Second
	}
	orInt(&c.Retries, 3)
	orInt(&c.Heals, 3)
	if c.OnMiss == "" {
		c.OnMiss = MissStop
	}
	return c
}

var (
	// ErrAmbiguous is matched by the error of a replay that found several
	// elements where one was recorded. It does not guess.
	ErrAmbiguous = dom.ErrAmbiguous
	// ErrNoMatch is matched when the recorded element is not on the page.
	ErrNoMatch = dom.ErrNoMatch
	// ErrInDoubt is matched when it cannot be known whether an action took
	// effect: it was cut off, or the page did not go where it went when it was
	// recorded. Such an action is never done a second time; look at the page.
	ErrInDoubt = errors.New("agent: it is not known whether the action took effect")
)

// ReplayStatus says what became of one recorded action.
type ReplayStatus string

// The states of a replayed action.
const (
	ReplayOK      ReplayStatus = "ok"
	ReplayHealed  ReplayStatus = "healed"   // done by what the model chose instead
	ReplaySkipped ReplayStatus = "skipped"  // left out; Note says why
	ReplayFailed  ReplayStatus = "failed"   // not done
	ReplayInDoubt ReplayStatus = "in_doubt" // see ErrInDoubt
)

// ReplayResult is what a whole replay came to.
type ReplayResult string

// The results.
const (
	ReplayComplete ReplayResult = "complete" // everything that had worked was done again
	ReplayPartial  ReplayResult = "partial"  // some of it was left out
	ReplayBroken   ReplayResult = "failed"   // it ended before the end
	ReplayDoubtful ReplayResult = "in_doubt" // it ended at an action that may have been done
)

// ReplayReport says how a replay went, action by action.
type ReplayReport struct {
	Result  ReplayResult     `json:"result"`
	Actions []ReplayedAction `json:"actions"`
	Heals   int              `json:"heals,omitempty"`
	// Repaired is the recording with the healed actions in place of those that
	// could not be found any more, one revision on; nil when there are none.
	// The recording that was replayed is not changed.
	Repaired *History `json:"-"`
	// RepairedWorkflow is the same for a workflow.
	RepairedWorkflow *Workflow `json:"-"`
}

// ReplayedAction is one recorded action in a replay.
type ReplayedAction struct {
	Step   int    `json:"step"`   // as recorded
	Action int    `json:"action"` // in the step, from 1
	Name   string `json:"name"`
	// Element is the recorded element in words.
	Element string       `json:"element,omitempty"`
	Status  ReplayStatus `json:"status"`
	// Level is how the element was found again: exact, stable, path, name or
	// unique attribute; position for an action on a point; "" for none.
	Level string `json:"level,omitempty"`
	// Note is why, when Status is not ReplayOK.
	Note string `json:"note,omitempty"`
	// Candidates are the elements it may have been, when there were several.
	Candidates []string `json:"candidates,omitempty"`
	// Millis is how long it took, waiting included.
	Millis int64 `json:"ms"`
}

// ReplayError ends a replay. It matches ErrNoMatch, ErrAmbiguous, ErrInDoubt,
// or whatever the action failed with.
type ReplayError struct {
	ReplayedAction
	Err error
}

// Error names step, action and element, and says what to do.
func (e *ReplayError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "agent: replay: step %d, action %d (%s", e.Step, e.Action, e.Name)
	if e.Element != "" {
		b.WriteString(" on " + e.Element)
	}
	fmt.Fprintf(&b, "): %s", strings.TrimPrefix(e.Err.Error(), "dom: "))
	if len(e.Candidates) > 0 {
		b.WriteString("; it may be " + strings.Join(e.Candidates, " or "))
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *ReplayError) Unwrap() error { return e.Err }

// Repair is one change that healing made to a recording.
type Repair struct {
	Step   int       `json:"step"`
	Action int       `json:"action"`
	Was    Action    `json:"was"`
	Why    string    `json:"why"`             // what was wrong
	Reason string    `json:"reason"`          // the model's reason for the new one
	Model  string    `json:"model,omitempty"` // that chose it
	Time   time.Time `json:"time"`
}

// Replay does again what a history records, without a model: the initial
// actions, then every action that had worked, each as soon as its element is
// there. Elements are found by a ladder of ever weaker evidence, stay in their
// frame, and are never guessed; the level used is in the report. cfg.Vars are
// the values of the history's variables, and cfg.Secrets those of its
// placeholders; one that is missing is an error before a browser is started.
//
// The result is a history of its own whose Replay field is the report. Its
// Final repeats the recorded answer as what it is; nobody read the pages again.
// The error is a *ReplayError where the replay ended short. cfg.LLM may be nil:
// then actions that need a model, such as extract, are left out, and MissHeal is
// not possible.
func Replay(ctx context.Context, h *History, cfg Config) (*History, error) {
	p, err := newPlayer(h, cfg)
	if err != nil {
		return &History{}, err
	}
	err = p.run(ctx)
	out := p.a.History()
	out.Replay = &p.report
	if cerr := p.a.Close(); err == nil {
		err = cerr
	}
	return out, err
}
