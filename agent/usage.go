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
	u.ByModel = addModels(u.ByModel, before.ByModel)
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

// add is what two runs took together.
func (u Usage) add(v Usage) Usage {
	out := u.clone()
	out.Priced = (u.Priced || u.Calls == 0) && (v.Priced || v.Calls == 0)
	out.Calls += v.Calls
	out.Failed += v.Failed
	out.Tokens = out.Tokens.Add(v.Tokens)
	out.Cost += v.Cost
	out.ByModel = addModels(out.ByModel, v.ByModel)
	return out
}

// addModels adds what was used before to each model's own.
func addModels(list, more []llm.ModelUsage) []llm.ModelUsage {
	for _, b := range more {
		i := slices.IndexFunc(list, func(x llm.ModelUsage) bool { return x.Provider == b.Provider && x.Model == b.Model })
		if i < 0 {
			list = append(list, b)
			continue
		}
		x := &list[i]
		x.Calls += b.Calls
		x.Usage = x.Usage.Add(b.Usage)
		x.Cost += b.Cost
	}
	return list
}
