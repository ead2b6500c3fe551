package openai

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	api "github.com/sashabaranov/go-openai"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/internal/wire"
)

// stream makes one request whose answer arrives in pieces.
func (c *Client) stream(ctx context.Context, req *llm.Request, stub api.ChatCompletionRequest, call *wire.Call) (*llm.Response, error) {
	s, err := c.api.CreateChatCompletionStream(ctx, stub)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if !call.Streamed { // the endpoint does not stream and sent it whole
		var r api.ChatCompletionResponse
		if err := json.Unmarshal(call.Whole, &r); err != nil {
			return nil, err
		}
		resp, err := c.answer(req, &r, call)
		if err == nil && req.OnDelta != nil {
			req.OnDelta(resp.Text)
		}
		return resp, err
	}
	sum := &assembly{onDelta: req.OnDelta}
	for {
		line, err := s.RecvRaw()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if err := sum.add(line); err != nil {
			return nil, err
		}
	}
	// go-openai ends a cut stream and a whole one alike. Only a finish reason
	// or the end mark says that nothing is missing.
	if sum.finish == "" && !call.Done {
		return nil, &llm.Error{Kind: llm.ErrServer, Code: "cut", Message: "the stream ended in the middle of the answer"}
	}
	return c.answer(req, sum.whole(), call)
}

// assembly puts the pieces of a stream together.
type assembly struct {
	onDelta  func(string)
	model    string
	text     strings.Builder
	thinking strings.Builder
	refusal  strings.Builder
	calls    []*api.ToolCall
	finish   api.FinishReason
	usage    api.Usage
}

func (a *assembly) add(line []byte) error {
	if e := wire.StreamError(line); e != nil {
		return e
	}
	body, err := normalize(line)
	if err != nil {
		return &llm.Error{Kind: llm.ErrServer, Message: "a piece of the stream is not a completion: " + err.Error()}
	}
	var r api.ChatCompletionStreamResponse
	if err := json.Unmarshal(body, &r); err != nil {
		return &llm.Error{Kind: llm.ErrServer, Message: "a piece of the stream is not a completion: " + err.Error()}
	}
	if r.Model != "" {
		a.model = r.Model
	}
	if r.Usage != nil {
		a.usage = *r.Usage
	}
	if len(r.Choices) == 0 { // the last piece carries the usage only
		return nil
	}
	ch := r.Choices[0]
	if ch.FinishReason != "" && ch.FinishReason != api.FinishReasonNull {
		a.finish = ch.FinishReason
	}
	d := ch.Delta
	a.text.WriteString(d.Content)
	a.thinking.WriteString(d.ReasoningContent)
	a.refusal.WriteString(d.Refusal)
	piece := d.Content
	for _, tc := range d.ToolCalls {
		a.call(tc)
		piece += tc.Function.Arguments
	}
	if fc := d.FunctionCall; fc != nil {
		a.call(api.ToolCall{Function: *fc})
		piece += fc.Arguments
	}
	if a.onDelta != nil && piece != "" {
		a.onDelta(piece)
	}
	return nil
}

// call adds a piece of a tool call: by its index, or to the last one when the
// endpoint does not count.
func (a *assembly) call(tc api.ToolCall) {
	var to *api.ToolCall
	switch i := slices.IndexFunc(a.calls, func(x *api.ToolCall) bool {
		return x.Index != nil && tc.Index != nil && *x.Index == *tc.Index
	}); {
	case i >= 0:
		to = a.calls[i]
	case tc.Index == nil && tc.Function.Name == "" && len(a.calls) > 0:
		to = a.calls[len(a.calls)-1]
	default:
		to = &api.ToolCall{Index: tc.Index}
		a.calls = append(a.calls, to)
	}
	if to.Function.Name == "" {
		to.Function.Name = tc.Function.Name
	}
	to.Function.Arguments += tc.Function.Arguments
}

func (a *assembly) whole() *api.ChatCompletionResponse {
	m := api.ChatCompletionMessage{
		Role: "assistant", Content: a.text.String(),
		ReasoningContent: a.thinking.String(), Refusal: a.refusal.String(),
	}
	for _, tc := range a.calls {
		m.ToolCalls = append(m.ToolCalls, *tc)
	}
	return &api.ChatCompletionResponse{
		Model: a.model, Usage: a.usage,
		Choices: []api.ChatCompletionChoice{{Message: m, FinishReason: a.finish}},
	}
}
