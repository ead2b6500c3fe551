package chat

import (
	"context"
	"fmt"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/memory/longterm"
)

// Client returns a client that talks to next with the memories of a scope.
// Requests are copied and never changed. A conversation whose last message is
// not the user's is passed on as it is.
func (c *Chat) Client(next llm.Client, s longterm.Scope) (llm.Client, error) {
	s, err := s.Check()
	if err != nil {
		return nil, fmt.Errorf("chat: %w", err)
	}
	return llm.ClientFunc(func(ctx context.Context, req *llm.Request) (*llm.Response, error) {
		return c.complete(ctx, next, s, req)
	}), nil
}

func (c *Chat) complete(ctx context.Context, next llm.Client, s longterm.Scope, req *llm.Request) (*llm.Response, error) {
	if len(req.Messages) == 0 || req.Messages[len(req.Messages)-1].Role != llm.RoleUser {
		return next.Complete(ctx, req)
	}
	said := make([]longterm.Message, len(req.Messages))
	for i, m := range req.Messages {
		said[i] = longterm.Message{Role: string(m.Role), Content: m.Text()}
	}
	memories, err := c.recall(ctx, s, said)
	if err != nil {
		return nil, err
	}
	if !c.cfg.StoreAnswers {
		c.remember(ctx, s, said, "")
	}
	out := *req
	out.Messages = nil
	if req.Messages[0].Role != llm.RoleSystem {
		out.Messages = append(out.Messages, llm.System(c.cfg.System))
	}
	last := len(req.Messages) - 1
	out.Messages = append(out.Messages, req.Messages[:last]...)
	asked := req.Messages[last]
	switch {
	case len(memories) == 0:
	case c.cfg.Mode == SystemBlock:
		out.Messages = append(out.Messages, llm.System(block(memories)))
	default:
		asked = llm.Message{Role: asked.Role, CacheEnd: asked.CacheEnd, Parts: []llm.Part{{Text: question(memories, asked.Text())}}}
		for _, p := range req.Messages[last].Parts {
			if p.Image != nil {
				asked.Parts = append(asked.Parts, p)
			}
		}
	}
	out.Messages = append(out.Messages, asked)
	res, err := next.Complete(ctx, &out)
	if c.cfg.StoreAnswers && err == nil {
		c.remember(ctx, s, said, res.Text)
	}
	return res, err
}
