package agent

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/seed-4bdb41d0/webhand/llm"
)

// withDefaults fills in what is zero.
func (c Config) withDefaults() Config {
	if c.ID == "" {
		if c.State != nil && c.State.AgentID != "" {
			c.ID = c.State.AgentID
		} else {
			c.ID = randomID()
		}
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Extraction == nil {
		c.Extraction = c.LLM
	}
	orInt(&c.Limits.Steps, 100)
	orInt(&c.Limits.Failures, 5)
	orInt(&c.Limits.Actions, 10)
	orInt(&c.Limits.RateLimits, 10)
	if c.Limits.Relaunches == 0 {
		c.Limits.Relaunches = 1
	}
	orDuration(&c.Limits.RetryDelay, 10*time.Second)
	orDuration(&c.Limits.LLM, 90*time.Second)
	orDuration(&c.Limits.Step, 180*time.Second)
	if c.Limits.InputTokens <= 0 {
		c.Limits.InputTokens = 128_000
		if w := llm.Describe(c.LLM).ContextWindow; w > 0 {
			c.Limits.InputTokens = min(c.Limits.InputTokens, w*3/4)
		}
	}
	if c.Prompt.Style == "" {
		c.Prompt.Style = StyleThinking
	}
	if c.Vision.See == "" {
		c.Vision.See = SeeAlways
		if llm.Describe(c.LLM).Vision == llm.No {
			c.Vision.See = SeeNever
		}
	}
	if c.Plan.ReplanAfter == 0 {
		c.Plan.ReplanAfter = 3
	}
	if c.Plan.ExploreAfter == 0 {
		c.Plan.ExploreAfter = 5
	}
	if c.Prompt.Style == StyleFlash {
		c.Plan.Off = true
	}
	orInt(&c.Planner.Every, 1)
	orInt(&c.Stuck.Window, 20)
	orInt(&c.Memory.Limit, 5)
	if c.Memory.Every == 0 {
		c.Memory.Every = 10
	}
	orInt(&c.Check.Loops, 3)
	return c
}

func orInt(v *int, def int) {
	if *v <= 0 {
		*v = def
	}
}

func orDuration(v *time.Duration, def time.Duration) {
	if *v <= 0 {
		*v = def
	}
}

// check reports what cannot work, all of it at once.
func (c Config) check() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf("agent: "+format, args...)) }
	if c.LLM == nil {
		errs = append(errs, ErrNoLLM)
	}
	switch c.Prompt.Style {
	case "", StyleThinking, StylePlain, StyleFlash:
	default:
		bad("Prompt.Style %q is none of thinking, plain, flash", c.Prompt.Style)
	}
	switch c.Vision.See {
	case "", SeeAlways, SeeNever, SeeOnDemand:
	default:
		bad("Vision.See %q is none of always, never, on_demand", c.Vision.See)
	}
	if s := c.Vision.Size; (s.X != 0 || s.Y != 0) && (s.X < 100 || s.Y < 100) {
		bad("Vision.Size %dx%d is too small to see anything; want at least 100x100", s.X, s.Y)
	}
	if c.Limits.HistoryItems > 0 && c.Limits.HistoryItems < 4 {
		bad("Limits.HistoryItems is %d; want 0 for all, or at least 4", c.Limits.HistoryItems)
	}
	if c.Browser != nil && c.KeepBrowser {
		bad("KeepBrowser is about a browser the agent launches; the one in Browser is left open anyway")
	}
	if c.Start.URL != "" && len(c.Start.Actions) > 0 {
		bad("Start has both URL and Actions; put a navigate action first instead of URL")
	}
	if b := c.Limits.Budget; b.Cost < 0 || b.Tokens < 0 || b.Calls < 0 || b.Time < 0 {
		bad("Limits.Budget is negative")
	}
	return errors.Join(errs...)
}

func randomID() string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
