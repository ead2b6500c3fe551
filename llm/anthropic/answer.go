package anthropic

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"

	api "github.com/anthropics/anthropic-sdk-go"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/internal/outcome"
	"github.com/seed-4bdb41d0/webhand/llm/internal/wire"
)

// answer turns a message into a response or a typed failure.
func (c *Client) answer(req *llm.Request, m *api.Message, raw []byte) (*llm.Response, error) {
	a := outcome.Answer{
		Provider: "anthropic", Model: cmp.Or(string(m.Model), c.cfg.Model), Raw: raw, Usage: usage(m.Usage),
	}
	a.Finish, a.Fault, a.Why = finish(m)
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

func finish(m *api.Message) (r llm.FinishReason, fault error, why string) {
	switch m.StopReason {
	case api.StopReasonEndTurn, api.StopReasonStopSequence:
		return llm.FinishStop, nil, ""
	case api.StopReasonMaxTokens:
		return llm.FinishLength, nil, ""
	case api.StopReasonModelContextWindowExceeded:
		return llm.FinishLength, llm.ErrContextLength, "the answer ran into the end of the model's window"
	case api.StopReasonToolUse:
		return llm.FinishTool, nil, ""
	case api.StopReasonRefusal:
		return llm.FinishFilter, nil, cmp.Or(m.StopDetails.Explanation, "the model refused")
	}
	return llm.FinishUnknown, nil, ""
}

// stream makes one request whose answer arrives in pieces.
func (c *Client) stream(ctx context.Context, req *llm.Request, stub api.MessageNewParams, call *wire.Call) (*llm.Response, error) {
	s := c.api.NewStreaming(ctx, stub)
	defer s.Close()
	if err := s.Err(); err != nil {
		return nil, streamError(err)
	}
	if !call.Streamed { // the endpoint does not stream and sent it whole
		var m api.Message
		if err := json.Unmarshal(call.Whole, &m); err != nil {
			return nil, err
		}
		resp, err := c.answer(req, &m, call.Raw)
		if err == nil && req.OnDelta != nil {
			req.OnDelta(resp.Text)
		}
		return resp, err
	}
	var m api.Message
	for s.Next() {
		ev := s.Current()
		if err := m.Accumulate(ev); err != nil {
			return nil, &llm.Error{Kind: llm.ErrServer, Message: "a piece of the stream does not fit: " + err.Error()}
		}
		if piece := ev.Delta.Text + ev.Delta.PartialJSON; req.OnDelta != nil && piece != "" && ev.Type == "content_block_delta" {
			req.OnDelta(piece)
		}
	}
	if err := s.Err(); err != nil {
		return nil, streamError(err)
	}
	if m.StopReason == "" {
		return nil, &llm.Error{Kind: llm.ErrServer, Code: "cut", Message: "the stream ended in the middle of the answer"}
	}
	return c.answer(req, &m, nil)
}

// streamError types an error that arrived as an event of the stream.
func streamError(err error) error {
	var e *llm.Error
	if errors.As(err, &e) {
		return e
	}
	var ae *api.Error
	if errors.As(err, &ae) {
		if e := wire.StreamError([]byte(ae.RawJSON())); e != nil {
			return e
		}
	}
	if _, tail, ok := strings.Cut(err.Error(), "received error while streaming: "); ok {
		if e := wire.StreamError([]byte(tail)); e != nil {
			return e
		}
	}
	return err
}
