package mcptools

import (
	"context"
	"encoding/json"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-4bdb41d0/webhand/llm"
)

// elicit passes a server's question to the hook.
func (c *Client) elicit(ctx context.Context, req *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
	p := req.Params
	q := Question{Server: c.cfg.Name, Message: p.Message, URL: p.URL}
	if p.RequestedSchema != nil {
		b, err := json.Marshal(p.RequestedSchema)
		if err != nil {
			return nil, fmt.Errorf("mcptools: question of server %q: %w", c.cfg.Name, err)
		}
		q.Schema = b
	}
	a, err := c.cfg.Elicit(ctx, q)
	if err != nil {
		return nil, err
	}
	if !a.Accept {
		return &sdk.ElicitResult{Action: "decline"}, nil
	}
	return &sdk.ElicitResult{Action: "accept", Content: a.Content}, nil
}

// sample passes a server's wish for a model to the hook.
//
//lint:ignore SA1019 servers of today use it
func (c *Client) sample(ctx context.Context, req *sdk.CreateMessageRequest) (*sdk.CreateMessageResult, error) {
	p := req.Params
	ask := &llm.Request{Stop: p.StopSequences}
	if p.MaxTokens > 0 {
		ask.MaxTokens = new(int(p.MaxTokens))
	}
	if p.Temperature > 0 {
		ask.Temperature = &p.Temperature
	}
	if p.SystemPrompt != "" {
		ask.Messages = append(ask.Messages, llm.Message{Role: llm.RoleSystem, Parts: []llm.Part{{Text: p.SystemPrompt}}})
	}
	for _, m := range p.Messages {
		role := llm.RoleUser
		if m.Role == "assistant" {
			role = llm.RoleAssistant
		}
		var part llm.Part
		switch x := m.Content.(type) {
		case *sdk.TextContent:
			part.Text = x.Text
		case *sdk.ImageContent:
			part.Image = &llm.Image{MIME: x.MIMEType, Data: x.Data}
		default:
			return nil, fmt.Errorf("mcptools: server %q asks a model about %T, which it cannot be given", c.cfg.Name, m.Content)
		}
		ask.Messages = append(ask.Messages, llm.Message{Role: role, Parts: []llm.Part{part}})
	}
	res, err := c.cfg.Sample(ctx, ask)
	if err != nil {
		return nil, err
	}
	why := "endTurn"
	if res.Finish == llm.FinishLength {
		why = "maxTokens"
	}
	//lint:ignore SA1019 servers of today use it
	return &sdk.CreateMessageResult{Content: &sdk.TextContent{Text: res.Text}, Model: res.Model, Role: "assistant", StopReason: why}, nil
}
