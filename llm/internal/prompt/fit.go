package prompt

import (
	"fmt"

	"github.com/seed-4bdb41d0/webhand/llm"
)

// Complete fills what a description leaves open from the table of models.
func Complete(d llm.Description) llm.Description {
	m, ok := llm.Models().Lookup(d.Provider, d.Model)
	if !ok {
		return d
	}
	if d.ContextWindow == 0 {
		d.ContextWindow = m.Context
	}
	if d.Vision == llm.Unknown {
		d.Vision = m.Vision
	}
	return d
}

// Fits refuses a request that is certainly too long for the model, so that no
// request is spent on finding out. What might just fit is sent.
func Fits(req *llm.Request, d llm.Description) error {
	if d.ContextWindow <= 0 {
		return nil
	}
	if most(req) <= d.ContextWindow {
		return nil
	}
	n := llm.EstimateTokens(req)
	// Texts differ by a factor of two in characters per token, and the
	// estimate stands in the middle.
	if sure := n * 2 / 3; sure > d.ContextWindow {
		return &llm.Error{
			Kind: llm.ErrContextLength, TokenLimit: d.ContextWindow, TokensSent: n,
			Message: fmt.Sprintf("the request is about %d tokens and the model takes %d; not sent", n, d.ContextWindow),
		}
	}
	return nil
}

// most is more than any estimate of the request, at no cost.
func most(req *llm.Request) int {
	n := 3
	for _, m := range req.Messages {
		n += 4
		for _, p := range m.Parts {
			n += len(p.Text)/2 + 1
			if p.Image != nil {
				n += 2000
			}
		}
	}
	return n
}
