package gemini

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"google.golang.org/genai"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/internal/outcome"
	"github.com/seed-4bdb41d0/webhand/llm/internal/wire"
)

// answer turns a response into our own or a typed failure.
func (c *Client) answer(req *llm.Request, r *genai.GenerateContentResponse, raw []byte) (*llm.Response, error) {
	a := outcome.Answer{Provider: "gemini", Model: cmp.Or(r.ModelVersion, c.cfg.Model), Raw: raw, Usage: usage(r.UsageMetadata)}
	if f := r.PromptFeedback; f != nil && f.BlockReason != "" {
		return nil, a.Fail(llm.ErrRefusal, cmp.Or(f.BlockReasonMessage, "the prompt was blocked: "+string(f.BlockReason)))
	}
	if len(r.Candidates) == 0 || r.Candidates[0] == nil {
		return nil, a.Fail(llm.ErrEmpty, "the answer has no candidates")
	}
	cand := r.Candidates[0]
	a.Finish, a.Fault = finish(cand.FinishReason)
	if cand.FinishReason != genai.FinishReasonStop {
		a.Why = cmp.Or(cand.FinishMessage, "the model stopped with "+string(cand.FinishReason))
	}
	if cand.Content != nil {
		for _, p := range cand.Content.Parts {
			switch {
			case p == nil:
			case p.Thought:
				a.Thinking += p.Text
			case p.FunctionCall != nil:
				args, err := json.Marshal(p.FunctionCall.Args)
				if err != nil {
					return nil, err
				}
				a.Calls = append(a.Calls, outcome.Call{Name: p.FunctionCall.Name, Args: string(args)})
			default:
				a.Text += p.Text
			}
		}
	}
	return a.Response(req)
}

// usage counts thoughts into the output and tool prompts into the input, as
// the bill does.
func usage(u *genai.GenerateContentResponseUsageMetadata) llm.Usage {
	if u == nil {
		return llm.Usage{}
	}
	return llm.Usage{
		Input:     int(u.PromptTokenCount + u.ToolUsePromptTokenCount),
		Cached:    int(u.CachedContentTokenCount),
		Output:    int(u.CandidatesTokenCount + u.ThoughtsTokenCount),
		Reasoning: int(u.ThoughtsTokenCount),
	}
}

func finish(r genai.FinishReason) (llm.FinishReason, error) {
	switch r {
	case genai.FinishReasonStop:
		return llm.FinishStop, nil
	case genai.FinishReasonMaxTokens:
		return llm.FinishLength, nil
	case genai.FinishReasonSafety, genai.FinishReasonRecitation, genai.FinishReasonBlocklist,
		genai.FinishReasonProhibitedContent, genai.FinishReasonSPII, genai.FinishReasonLanguage:
		return llm.FinishFilter, nil
	case genai.FinishReasonMalformedFunctionCall, genai.FinishReasonUnexpectedToolCall:
		return llm.FinishUnknown, llm.ErrMalformed
	}
	return llm.FinishUnknown, nil
}

// stream makes one request whose answer arrives in pieces.
func (c *Client) stream(ctx context.Context, req *llm.Request, stub []*genai.Content, call *wire.Call) (*llm.Response, error) {
	sum := &genai.GenerateContentResponse{}
	all := &genai.Candidate{Content: &genai.Content{}}
	for r, err := range c.api.Models.GenerateContentStream(ctx, c.cfg.Model, stub, nil) {
		if err != nil {
			return nil, streamError(err)
		}
		sum.ModelVersion = cmp.Or(r.ModelVersion, sum.ModelVersion)
		if r.UsageMetadata != nil {
			sum.UsageMetadata = r.UsageMetadata
		}
		if r.PromptFeedback != nil {
			sum.PromptFeedback = r.PromptFeedback
		}
		if len(r.Candidates) == 0 {
			continue
		}
		cand := r.Candidates[0]
		sum.Candidates = []*genai.Candidate{all}
		all.FinishReason = cmp.Or(cand.FinishReason, all.FinishReason)
		all.FinishMessage = cmp.Or(cand.FinishMessage, all.FinishMessage)
		if cand.Content == nil {
			continue
		}
		for _, p := range cand.Content.Parts {
			all.Content.Parts = append(all.Content.Parts, p)
			if req.OnDelta != nil && p != nil && !p.Thought && p.Text != "" {
				req.OnDelta(p.Text)
			}
		}
	}
	if !call.Streamed && call.Whole != nil { // the endpoint does not stream and sent it whole
		var r genai.GenerateContentResponse
		if err := json.Unmarshal(call.Whole, &r); err != nil {
			return nil, err
		}
		resp, err := c.answer(req, &r, call.Raw)
		if err == nil && req.OnDelta != nil {
			req.OnDelta(resp.Text)
		}
		return resp, err
	}
	if len(sum.Candidates) > 0 && all.FinishReason == "" {
		return nil, &llm.Error{Kind: llm.ErrServer, Code: "cut", Message: "the stream ended in the middle of the answer"}
	}
	return c.answer(req, sum, nil)
}

// streamError types an error that arrived as a piece of the stream.
func streamError(err error) error {
	var e *llm.Error
	if errors.As(err, &e) {
		return e
	}
	var ae genai.APIError
	if errors.As(err, &ae) {
		body, mErr := json.Marshal(map[string]any{"error": map[string]any{"code": ae.Code, "message": ae.Message, "status": ae.Status}})
		if mErr == nil {
			if e := wire.StreamError(body); e != nil {
				return e
			}
		}
	}
	return err
}
