package llm

import (
	"context"
	"slices"
	"strings"
	"sync"
)

// Meter adds up what the calls through its clients use and cost. Each run has
// a meter of its own around the clients it shares with others, so that no call
// is counted twice and none for somebody else. The zero value is ready.
type Meter struct {
	// Table holds the prices; nil means the embedded one.
	Table *ModelTable

	mu    sync.Mutex
	calls int
	fails int
	spent map[modelKey]*ModelUsage
}

type modelKey struct{ provider, model string }

// ModelUsage is what one model used and cost.
type ModelUsage struct {
	Provider string `json:"provider"`
	Model    string `json:"model"`
	Calls    int    `json:"calls"`
	Usage    Usage  `json:"usage"`
	// Cost is in US dollars. Priced says whether the model's price is known;
	// without, Cost is 0 and says nothing.
	Cost   float64 `json:"cost"`
	Priced bool    `json:"priced"`
}

// Wrap returns a client whose calls are counted.
func (m *Meter) Wrap(c Client) Client { return &metered{wrapped{c}, m} }

type metered struct {
	wrapped
	meter *Meter
}

func (w *metered) Complete(ctx context.Context, req *Request) (*Response, error) {
	resp, err := w.Client.Complete(ctx, req)
	w.meter.add(resp, err)
	return resp, err
}

func (m *Meter) table() *ModelTable {
	if m.Table != nil {
		return m.Table
	}
	return Models()
}

func (m *Meter) add(resp *Response, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	if err != nil {
		m.fails++
	}
	if m.spent == nil {
		m.spent = map[modelKey]*ModelUsage{}
	}
	for _, c := range Charges(resp, err) {
		k := modelKey{c.Provider, c.Model}
		u := m.spent[k]
		if u == nil {
			u = &ModelUsage{Provider: c.Provider, Model: c.Model}
			m.spent[k] = u
		}
		u.Calls++
		u.Usage = u.Usage.Add(c.Usage)
		price, ok := m.table().Lookup(c.Provider, c.Model)
		u.Priced = ok
		u.Cost += price.Cost(c.Usage) // by call: long ones have another price
	}
}

// Calls counts the calls so far, and those of them that failed.
func (m *Meter) Calls() (all, failed int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.calls, m.fails
}

// Usage is the sum over all models.
func (m *Meter) Usage() Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	var u Usage
	for _, x := range m.spent {
		u = u.Add(x.Usage)
	}
	return u
}

// Cost is the sum over all models in US dollars. known is false when the price
// of one of them is not in the table; the sum then lacks it.
func (m *Meter) Cost() (dollars float64, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	known = true
	for _, x := range m.spent {
		dollars += x.Cost
		known = known && x.Priced
	}
	return dollars, known
}

// ByModel lists the models used, the most expensive first.
func (m *Meter) ByModel() []ModelUsage {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make([]ModelUsage, 0, len(m.spent))
	for _, x := range m.spent {
		out = append(out, *x)
	}
	slices.SortFunc(out, func(a, b ModelUsage) int {
		switch {
		case a.Cost > b.Cost:
			return -1
		case a.Cost < b.Cost:
			return 1
		}
		return strings.Compare(a.Provider+"/"+a.Model, b.Provider+"/"+b.Model)
	})
	return out
}
