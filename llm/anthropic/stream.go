package anthropic

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	api "github.com/anthropics/anthropic-sdk-go"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/internal/outcome"
	"github.com/seed-4bdb41d0/webhand/llm/internal/wire"
)

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
	var sum assembly
	for s.Next() {
		if piece := sum.add(s.Current()); req.OnDelta != nil && piece != "" {
			req.OnDelta(piece)
		}
	}
	if err := s.Err(); err != nil {
		return nil, streamError(err)
	}
	if sum.message.StopReason == "" {
		return nil, &llm.Error{Kind: llm.ErrServer, Code: "cut", Message: "the stream ended in the middle of the answer"}
	}
	a := c.outcome(&sum.message, nil)
	a.Text, a.Thinking, a.Calls = sum.text.String(), sum.thinking.String(), sum.calls
	return a.Response(req)
}

// assembly puts the pieces of a stream together. The SDK's own Accumulate
// turns a tool's input that is not valid JSON into an empty object, and with
// it the answer of a model that made a small slip.
type assembly struct {
	message  api.Message
	text     strings.Builder
	thinking strings.Builder
	calls    []outcome.Call
}

// add takes an event and returns the piece of the answer in it.
func (a *assembly) add(ev api.MessageStreamEventUnion) string {
	switch ev.Type {
	case "message_start":
		a.message = ev.Message
	case "message_delta":
		a.message.StopReason, a.message.StopDetails = ev.Delta.StopReason, ev.Delta.StopDetails
		u := &a.message.Usage
		u.OutputTokens = ev.Usage.OutputTokens // the running total
		u.OutputTokensDetails = ev.Usage.OutputTokensDetails
		if ev.Usage.InputTokens > 0 {
			u.InputTokens = ev.Usage.InputTokens
			u.CacheReadInputTokens, u.CacheCreationInputTokens = ev.Usage.CacheReadInputTokens, ev.Usage.CacheCreationInputTokens
		}
	case "content_block_start":
		switch ev.ContentBlock.Type {
		case "tool_use":
			a.calls = append(a.calls, outcome.Call{Name: ev.ContentBlock.Name})
		case "text":
			a.text.WriteString(ev.ContentBlock.Text)
			return ev.ContentBlock.Text
		}
	case "content_block_delta":
		a.thinking.WriteString(ev.Delta.Thinking)
		a.text.WriteString(ev.Delta.Text)
		if n := len(a.calls); n > 0 {
			a.calls[n-1].Args += ev.Delta.PartialJSON
		}
		return ev.Delta.Text + ev.Delta.PartialJSON
	}
	return ""
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
