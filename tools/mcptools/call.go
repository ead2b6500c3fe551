package mcptools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-4bdb41d0/webhand/registry"
)

// token marks the progress of a call. It names the tool, since a notification
// may come after the answer.
func (c *Client) token(tool string) string { return fmt.Sprintf("%d %s", c.calls.Add(1), tool) }

func toolOf(token any) string {
	_, tool, _ := strings.Cut(fmt.Sprint(token), " ")
	return tool
}

// run is the handler of a tool's action.
func (c *Client) run(ctx context.Context, r *remote, args json.RawMessage) (*registry.Result, error) {
	t, there := r.now()
	if !there {
		return nil, fmt.Errorf("server %s does not offer %s any more; use another action", c.cfg.Name, r.name)
	}
	args, err := t.unwrap(args)
	if err != nil {
		return nil, err
	}
	token := c.token(r.name)
	for attempt := 0; ; attempt++ {
		cs, err := c.connected(ctx)
		if err != nil {
			return nil, err
		}
		p := &sdk.CallToolParams{Name: r.name, Arguments: args}
		p.SetProgressToken(token)
		res, err := cs.CallTool(ctx, p)
		switch {
		case err == nil:
			return c.result(r, res), nil
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case !lost(err):
			return nil, fmt.Errorf("%s of server %s: %w", r.name, c.cfg.Name, err)
		}
		c.forget(cs, err)
		select {
		case c.broken <- cs:
		case <-c.done:
			return nil, ErrClosed
		case <-time.After(time.Second): // keep noticed by itself
		}
		if attempt > 0 || !t.repeatable {
			return nil, fmt.Errorf("the connection to server %s broke while %s ran; it may have had its effect: %w (%w)", c.cfg.Name, r.name, ErrNotConnected, err)
		}
	}
}
