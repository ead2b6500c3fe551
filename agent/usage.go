package agent

import (
	"slices"

	"github.com/seed-4bdb41d0/webhand/llm"
)

// Usage is what model calls took.
type Usage struct {
	Calls  int       `json:"calls"`
	Failed int       `json:"failed,omitempty"` // calls of them
	Tokens llm.Usage `json:"tokens"`
	// Cost is in US dollars, by the table of prices of package llm or
	// Limits.Budget.Table. Priced is false when a model was used that the table
	// does not know; Cost then lacks it.
	Cost    float64          `json:"cost"`
	Priced  bool             `json:"priced"`
	ByModel []llm.ModelUsage `json:"by_model,omitempty"`
}

// usageOf reads a meter and adds what was used before.
func usageOf(m *llm.Meter, before Usage) Usage {
	u := Usage{Tokens: m.Usage().Add(before.Tokens), ByModel: m.ByModel()}
	u.Calls, u.Failed = m.Calls()
	u.Calls += before.Calls
	u.Failed += before.Failed
	u.Cost, u.Priced = m.Cost()
	u.Cost += before.Cost
	u.Priced = u.Priced && (before.Priced || before.Calls == 0)
	for _, b := range before.ByModel {
		i := slices.IndexFunc(u.ByModel, func(x llm.ModelUsage) bool { return x.Provider == b.Provider && x.Model == b.Model })
		if i < 0 {
			u.ByModel = append(u.ByModel, b)
			continue
		}
		x := &u.ByModel[i]
		x.Calls += b.Calls
		x.Usage = x.Usage.Add(b.Usage)
		x.Cost += b.Cost
	}
	return u
}

func (u Usage) clone() Usage {
	u.ByModel = slices.Clone(u.ByModel)
	return u
}

func minus(a, b llm.Usage) llm.Usage {
	return llm.Usage{
		Input: a.Input - b.Input, Cached: a.Cached - b.Cached, CacheWrite: a.CacheWrite - b.CacheWrite,
		Output: a.Output - b.Output, Reasoning: a.Reasoning - b.Reasoning,
	}
}
