// Package ladder finds out, once per endpoint and model, how an answer of a
// given shape can be had and which settings the endpoint takes.
//
// An endpoint that refuses a method moves the ladder one rung down; one that
// refuses a setting has that setting left out. Either costs the one refused
// request and is remembered as long as the ladder lives.
package ladder

import (
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/seed-4bdb41d0/webhand/llm"
)

// Settings that a request can do without. A provider asks [Plan.Send] before
// it puts one in.
const (
	Images      = "images"
	SystemRole  = "system role"
	RoleRuns    = "several messages of one role in a row"
	TokenCap    = "token cap under its usual name"
	Strict      = "strict"
	CacheMarker = "cache_control"
)

// Ladder is safe for concurrent use.
type Ladder struct {
	mu     sync.Mutex
	rungs  []string
	at     int
	proven bool // the present rung has given an answer
	misses int  // unusable answers in a row on an unproven rung
	drop   map[string]bool
}

// New returns a ladder of the given rungs that starts at start, or at the top
// when start is empty or unknown. The names in without are never sent.
func New(rungs []string, start string, without ...string) *Ladder {
	l := &Ladder{rungs: rungs, drop: map[string]bool{}}
	if i := slices.Index(rungs, start); i > 0 {
		l.at = i
	}
	for _, s := range without {
		l.drop[s] = true
	}
	return l
}

// Plan is how one request is to be made.
type Plan struct {
	Rung string // empty when plain text is wanted
	drop map[string]bool
	sent map[string]bool
	miss map[string]bool
}

// Send reports whether the request may carry the setting, and notes it.
func (p *Plan) Send(setting string) bool {
	if p.drop[setting] {
		p.miss[setting] = true
		return false
	}
	p.sent[setting] = true
	return true
}

// Left lists the settings that the request asked for and that were left out.
func (p *Plan) Left() []string { return slices.Sorted(maps.Keys(p.miss)) }

func (l *Ladder) plan(format bool) *Plan {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := &Plan{drop: maps.Clone(l.drop), sent: map[string]bool{}, miss: map[string]bool{}}
	if format {
		p.Rung = l.rungs[l.at]
	}
	return p
}

// Run makes requests by do until one is not refused. What do returns must be
// an [*llm.Error] for the ladder to learn from it.
func (l *Ladder) Run(format bool, do func(*Plan) (*llm.Response, error)) (*llm.Response, error) {
	var notes []string
	// Each refusal takes away a rung or a setting, so this ends; the bound is
	// for concurrent callers that keep overtaking each other.
	for range 32 {
		p := l.plan(format)
		resp, err := do(p)
		if err == nil {
			l.good(p)
			resp.Rung = p.Rung
			for _, s := range p.Left() {
				notes = append(notes, "the endpoint does not take "+s+"; left out")
			}
			resp.Notes = append(notes, resp.Notes...)
			return resp, nil
		}
		var e *llm.Error
		if !errors.As(err, &e) {
			return nil, err
		}
		note, moved := l.refused(p, e)
		if !moved {
			l.missed(p, e)
			return nil, err
		}
		notes = append(notes, note+": "+e.Message)
	}
	return nil, &llm.Error{Kind: llm.ErrBadRequest, Message: "the endpoint refuses every form of the request"}
}

// good remembers that the plan's rung works.
func (l *Ladder) good(p *Plan) {
	if p.Rung == "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.rungs[l.at] == p.Rung {
		l.proven, l.misses = true, 0
	}
}

// missed counts unusable answers on a rung that has never given a good one: a
// server that ignores a method it does not know answers in prose for ever.
// The second one moves the ladder down, for later calls and at no cost.
func (l *Ladder) missed(p *Plan, e *llm.Error) {
	if p.Rung == "" || (e.Kind != llm.ErrMalformed && e.Kind != llm.ErrEmpty) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.proven || l.rungs[l.at] != p.Rung {
		return
	}
	if l.misses++; l.misses >= 2 && l.at < len(l.rungs)-1 {
		l.at++
		l.misses = 0
	}
}

// refused learns from a refusal and reports whether another request makes
// sense.
func (l *Ladder) refused(p *Plan, e *llm.Error) (note string, moved bool) {
	if setting := refusedSetting(p, e); setting != "" {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.drop[setting] = true
		return "the endpoint refuses " + setting, true
	}
	if p.Rung == "" {
		return "", false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	skip := refusesRung(p.Rung, e, l.proven && l.rungs[l.at] == p.Rung)
	switch {
	case skip == 0:
		return "", false
	case l.rungs[l.at] != p.Rung:
		return "another call found that the endpoint refuses " + p.Rung, true
	case l.at == len(l.rungs)-1:
		return "", false
	}
	l.at = min(l.at+skip, len(l.rungs)-1)
	l.proven, l.misses = false, 0
	return "the endpoint refuses " + p.Rung, true
}
