package openai

import (
	"bytes"
	"encoding/json"
	"strings"

	api "github.com/sashabaranov/go-openai"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/internal/outcome"
	"github.com/seed-4bdb41d0/webhand/llm/internal/wire"
)

// answer turns a whole completion into a response or a typed failure.
func (c *Client) answer(req *llm.Request, r *api.ChatCompletionResponse, call *wire.Call) (*llm.Response, error) {
	a := outcome.Answer{
		Provider: c.endpoint.Name, Model: r.Model, Raw: call.Raw,
		Usage: usage(r.Usage, call.Raw),
	}
	if a.Model == "" {
		a.Model = c.cfg.Model
	}
	if len(r.Choices) == 0 {
		return nil, a.Fail(llm.ErrEmpty, "the answer has no choices; is BaseURL a chat completions API?")
	}
	ch := r.Choices[0]
	a.Finish, a.Fault = finish(string(ch.FinishReason))
	a.Text = ch.Message.Content
	for _, part := range ch.Message.MultiContent {
		a.Text += part.Text
	}
	a.Thinking = ch.Message.ReasoningContent
	a.Refusal = ch.Message.Refusal
	for _, tc := range ch.Message.ToolCalls {
		a.Calls = append(a.Calls, outcome.Call{Name: tc.Function.Name, Args: tc.Function.Arguments})
	}
	if fc := ch.Message.FunctionCall; fc != nil {
		a.Calls = append(a.Calls, outcome.Call{Name: fc.Name, Args: fc.Arguments})
	}
	return a.Response(req)
}

func usage(u api.Usage, raw []byte) llm.Usage {
	out := llm.Usage{Input: u.PromptTokens, Output: u.CompletionTokens}
	if d := u.PromptTokensDetails; d != nil {
		out.Cached = d.CachedTokens
	}
	if d := u.CompletionTokensDetails; d != nil {
		out.Reasoning = d.ReasoningTokens
	}
	// go-openai has no field for tokens written to a prompt cache, which
	// gateways report for Anthropic's models.
	if bytes.Contains(raw, []byte("cache_write_tokens")) || bytes.Contains(raw, []byte("cache_creation_input_tokens")) {
		var x struct {
			Usage struct {
				Created int `json:"cache_creation_input_tokens"`
				Details struct {
					Written int `json:"cache_write_tokens"`
				} `json:"prompt_tokens_details"`
			} `json:"usage"`
		}
		if json.Unmarshal(raw, &x) == nil {
			out.CacheWrite = max(x.Usage.Created, x.Usage.Details.Written)
		}
	}
	return out
}

// finish normalises the reasons that endpoints give. fault is set for those
// that mean the answer cannot be used although nobody says error.
func finish(s string) (r llm.FinishReason, fault error) {
	switch strings.ToLower(s) {
	case "stop", "eos", "end_turn", "stop_sequence", "completed", "complete":
		return llm.FinishStop, nil
	case "length", "max_tokens", "model_length", "max_output_tokens", "max_tokens_reached":
		return llm.FinishLength, nil
	case "tool_calls", "function_call", "tool_use":
		return llm.FinishTool, nil
	case "content_filter", "safety", "refusal", "sensitive":
		return llm.FinishFilter, nil
	case "error", "insufficient_system_resource", "aborted", "abort":
		return llm.FinishUnknown, llm.ErrServer
	}
	return llm.FinishUnknown, nil
}
