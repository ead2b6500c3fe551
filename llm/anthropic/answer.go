package anthropic

import (
	"cmp"

	api "github.com/anthropics/anthropic-sdk-go"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/internal/outcome"
)

// answer turns a message into a response or a typed failure.
func (c *Client) answer(req *llm.Request, m *api.Message, raw []byte) (*llm.Response, error) {
	a := c.outcome(m, raw)
	for _, b := range m.Content {
		switch b.Type {
		case "text":
			a.Text += b.Text
		case "thinking":
			a.Thinking += b.Thinking
		case "tool_use":
			a.Calls = append(a.Calls, outcome.Call{Name: b.Name, Args: string(b.Input)})
		}
	}
	return a.Response(req)
}

// outcome is what a message says apart from its content.
func (c *Client) outcome(m *api.Message, raw []byte) *outcome.Answer {
	a := &outcome.Answer{
		Provider: "anthropic", Model: cmp.Or(string(m.Model), c.cfg.Model), Raw: raw, Usage: usage(m.Usage),
	}
	a.Finish, a.Why, a.Fault = finish(m)
	return a
}

// usage counts cached tokens into the input, as Anthropic does not.
func usage(u api.Usage) llm.Usage {
	return llm.Usage{
		Input:      int(u.InputTokens + u.CacheReadInputTokens + u.CacheCreationInputTokens),
		Cached:     int(u.CacheReadInputTokens),
		CacheWrite: int(u.CacheCreationInputTokens),
		Output:     int(u.OutputTokens),
		Reasoning:  int(u.OutputTokensDetails.ThinkingTokens),
	}
}

func finish(m *api.Message) (r llm.FinishReason, why string, fault error) {
	switch m.StopReason {
	case api.StopReasonEndTurn, api.StopReasonStopSequence:
		return llm.FinishStop, "", nil
	case api.StopReasonMaxTokens:
		return llm.FinishLength, "", nil
	case api.StopReasonModelContextWindowExceeded:
		return llm.FinishLength, "the answer ran into the end of the model's window", llm.ErrContextLength
	case api.StopReasonToolUse:
		return llm.FinishTool, "", nil
	case api.StopReasonRefusal:
		return llm.FinishFilter, cmp.Or(m.StopDetails.Explanation, "the model refused"), nil
	}
	return llm.FinishUnknown, "", nil
}
