package agent

import (
	"maps"
	"sync"

	"github.com/seed-4bdb41d0/webhand/llm"
)

// Usage is what model calls took.
type Usage struct {
	Calls  int       `json:"calls"`
	Tokens llm.Usage `json:"tokens"`
	// Cost is in US dollars, or in the unit of Limits.Price. Models that the
	// table of prices does not know count as nothing; see Unpriced.
	Cost float64 `json:"cost,omitempty"`
	// Unpriced counts calls whose price is not known.
	Unpriced int                   `json:"unpriced,omitempty"`
	ByModel  map[string]ModelUsage `json:"by_model,omitempty"`
}

// ModelUsage is what the calls of one model took.
type ModelUsage struct {
	Calls  int       `json:"calls"`
	Tokens llm.Usage `json:"tokens"`
	Cost   float64   `json:"cost,omitempty"`
}

func (u Usage) clone() Usage {
	u.ByModel = maps.Clone(u.ByModel)
	return u
}

// tally counts the calls of every client that the agent uses.
type tally struct {
	price func(llm.Charge) float64 // nil: the table of package llm

	mu sync.Mutex
	u  Usage
}

func (t *tally) count(resp *llm.Response, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range llm.Charges(resp, err) {
		t.add(c)
	}
}

func (t *tally) add(c llm.Charge) {
	cost, known := t.cost(c)
	if !known {
		t.u.Unpriced++
	}
	t.u.Calls++
	t.u.Tokens = t.u.Tokens.Add(c.Usage)
	t.u.Cost += cost
	if t.u.ByModel == nil {
		t.u.ByModel = map[string]ModelUsage{}
	}
	m := t.u.ByModel[c.Model]
	m.Calls++
	m.Tokens = m.Tokens.Add(c.Usage)
	m.Cost += cost
	t.u.ByModel[c.Model] = m
}

func (t *tally) cost(c llm.Charge) (float64, bool) {
	if t.price != nil {
		return t.price(c), true
	}
	m, ok := llm.Models().Lookup(c.Provider, c.Model)
	if !ok {
		return 0, false
	}
	return m.Cost(c.Usage), true
}

func (t *tally) usage() Usage {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.u.clone()
}

func (t *tally) tokens() llm.Usage {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.u.Tokens
}

func minus(a, b llm.Usage) llm.Usage {
	return llm.Usage{
		Input: a.Input - b.Input, Cached: a.Cached - b.Cached, CacheWrite: a.CacheWrite - b.CacheWrite,
		Output: a.Output - b.Output, Reasoning: a.Reasoning - b.Reasoning,
	}
}
