package llmtest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/internal/outcome"
)

// Script is an [llm.Client] that answers from a list and records what it was
// asked. It is safe for concurrent use. A request beyond the end of the list
// fails with [llm.ErrBadRequest]; set Loop to start over instead.
//
// The answers pass the same reading as those of a real provider: a fence is
// taken off, an answer that finished by [llm.FinishLength] is
// [llm.ErrTruncated], text that is not JSON is [llm.ErrMalformed].
type Script struct {
	// Answers are given in their order.
	Answers []Answer
	// Func, when set, answers instead of the list. n counts from 0.
	Func func(n int, req *llm.Request) Answer
	// Loop starts the list over at its end.
	Loop bool
	// Model is the name that answers carry; empty means "script".
	Model string

	mu       sync.Mutex
	requests []*llm.Request
}

// NewScript returns a script that answers with the given texts.
func NewScript(texts ...string) *Script {
	s := &Script{}
	for _, t := range texts {
		s.Answers = append(s.Answers, Text(t))
	}
	return s
}

// Requests returns the requests so far. They are copies down to the parts of
// their messages; images are shared.
func (s *Script) Requests() []*llm.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Last returns the newest request, or nil.
func (s *Script) Last() *llm.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.requests) == 0 {
		return nil
	}
	return s.requests[len(s.requests)-1]
}

// Calls counts the requests so far.
func (s *Script) Calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests)
}

// Describe implements [llm.Describer].
func (s *Script) Describe() llm.Description {
	return llm.Description{Provider: "llmtest", Model: s.model()}
}

func (s *Script) model() string {
	if s.Model == "" {
		return "script"
	}
	return s.Model
}

// Complete implements [llm.Client].
func (s *Script) Complete(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if len(req.Messages) == 0 {
		return nil, &llm.Error{Kind: llm.ErrBadRequest, Provider: "llmtest", Model: s.model(), Permanent: true, Message: "the request has no messages"}
	}
	n := s.record(req)
	a, ok := s.answer(n, req)
	if !ok {
		return nil, &llm.Error{
			Kind: llm.ErrBadRequest, Provider: "llmtest", Model: s.model(), Permanent: true,
			Message: fmt.Sprintf("the script has %d answers and this is request %d", len(s.Answers), n+1),
		}
	}
	if err := wait(ctx, a.Delay); err != nil {
		return nil, err
	}
	if a.Err != nil {
		return nil, a.Err
	}
	if a.Fault != nil {
		return nil, a.Fault.err(s.model())
	}
	if a.Finish == "" {
		a.Finish = llm.FinishStop
	}
	o := outcome.Answer{
		Provider: "llmtest", Model: s.model(), Text: a.Text, Thinking: a.Thinking,
		Refusal: a.Refusal, Finish: a.Finish, Usage: a.usage(req),
	}
	resp, err := o.Response(req)
	if err == nil && req.OnDelta != nil {
		req.OnDelta(resp.Text)
	}
	return resp, err
}

func (s *Script) answer(n int, req *llm.Request) (Answer, bool) {
	switch {
	case s.Func != nil:
		return s.Func(n, req), true
	case s.Loop && len(s.Answers) > 0:
		return s.Answers[n%len(s.Answers)], true
	case n < len(s.Answers):
		return s.Answers[n], true
	}
	return Answer{}, false
}

func (s *Script) record(req *llm.Request) int {
	c := *req
	c.Messages = slices.Clone(req.Messages)
	for i := range c.Messages {
		c.Messages[i].Parts = slices.Clone(c.Messages[i].Parts)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, &c)
	return len(s.requests) - 1
}

// wait waits for d or until ctx ends.
func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
