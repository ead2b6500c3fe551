package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-4bdb41d0/webhand/registry"
	"github.com/seed-4bdb41d0/webhand/tools"
)

// prefix begins the name of every tool about the browser.
const prefix = "browser_"

// toolName is the name under which an action is served.
func toolName(action string) string {
	switch action {
	case "switch":
		return "browser_switch_tab"
	case "close":
		return "browser_close_tab"
	}
	return prefix + action
}

// harmless are actions that cannot do damage by themselves, though the page
// changes. Clients ask people less often about such tools.
var harmless = map[string]bool{
	"navigate": true, "search": true, "go_back": true, "go_forward": true, "reload": true, "wait": true, "scroll": true,
	"find_text": true, "hover": true, "switch": true,
}

// addTools offers the actions and the server's own tools.
func (s *Server) addTools() error {
	taken := make(map[string]bool)
	add := func(t *sdk.Tool, h sdk.ToolHandler) error {
		if taken[t.Name] {
			return fmt.Errorf("mcpserver: two tools are named %q: rename the action of Config.Tools: %w", t.Name, registry.ErrDuplicateAction)
		}
		taken[t.Name] = true
		s.mcp.AddTool(t, h)
		return nil
	}
	if err := s.prepareOwn(); err != nil {
		return err
	}
	for a := range s.own.All() {
		t := &sdk.Tool{Name: a.Name(), Description: a.Spec().Description, InputSchema: a.ParamsSchema(), Annotations: annotations(a)}
		if err := add(t, s.ownHandler(a)); err != nil {
			return err
		}
	}
	for a := range s.reg.All() {
		t := &sdk.Tool{Name: toolName(a.Name()), Description: a.Spec().Description, Annotations: annotations(a)}
		var asks bool
		t.InputSchema, asks = a.ParamsSchema(), false
		if !a.Spec().ReadOnly {
			t.InputSchema, asks = withState(a.ParamsSchema())
		}
		if err := add(t, s.actionHandler(a, asks)); err != nil {
			return err
		}
	}
	if s.cfg.ListAliases {
		return s.addAliases(add)
	}
	return nil
}

func annotations(a *registry.Action) *sdk.ToolAnnotations {
	spec := a.Spec()
	out := &sdk.ToolAnnotations{ReadOnlyHint: spec.ReadOnly, IdempotentHint: spec.ReadOnly}
	if harmless[spec.Name] && !spec.NeedsApproval {
		out.DestructiveHint = new(false)
	}
	return out
}

// actionHandler runs an action in the client's session.
func (s *Server) actionHandler(a *registry.Action, asks bool) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		args, look := arguments(req), false
		var err error
		if asks {
			if args, look, err = takeState(args); err != nil {
				return s.failed(err), nil
			}
		}
		_, args = tools.Canonical(a.Name(), args)
		c := s.clients.of(req.Session)
		release, err := c.hold(ctx, req.Params.Name)
		if err != nil {
			return s.failed(err), nil
		}
		defer release()
		if err := s.permit(ctx, a, args); err != nil {
			return s.failed(err), nil
		}
		o, err := c.session(ctx)
		if err != nil {
			return s.failed(err), nil
		}
		res, err := s.reg.Call(ctx, a.Name(), args, o.deps)
		if err != nil {
			return s.failed(err), nil
		}
		out := s.answer(c, res)
		if look && !out.IsError {
			st, err := s.look(ctx, o, stateParams{Mode: "diff"})
			if err != nil {
				out.Content = append(out.Content, &sdk.TextContent{Text: "The page cannot be read: " + err.Error()})
				return out, nil
			}
			out.Content = append(out.Content, s.answer(c, st).Content...)
		}
		return out, nil
	}
}

// ownHandler runs one of the server's own tools.
func (s *Server) ownHandler(a *registry.Action) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		c := s.clients.of(req.Session)
		deps := registry.Provide(registry.Provide(registry.Deps{}, c), progressOf(req))
		if aboutPage[a.Name()] {
			release, err := c.hold(ctx, a.Name())
			if err != nil {
				return s.failed(err), nil
			}
			defer release()
		}
		res, err := s.own.Call(ctx, a.Name(), arguments(req), deps)
		if err != nil {
			return s.failed(err), nil
		}
		return s.answer(c, res), nil
	}
}

// arguments are the parameters of a call; none are an empty object.
func arguments(req *sdk.CallToolRequest) json.RawMessage {
	if raw := req.Params.Arguments; len(raw) > 0 && string(raw) != "null" {
		return raw
	}
	return json.RawMessage("{}")
}

// permit asks whether an action may run.
func (s *Server) permit(ctx context.Context, a *registry.Action, args json.RawMessage) error {
	spec := a.Spec()
	if spec.ReadOnly && !spec.NeedsApproval {
		return nil
	}
	if s.cfg.Approve == nil {
		if spec.NeedsApproval {
			return fmt.Errorf("%s needs a person's approval and this server has nobody to ask", spec.Name)
		}
		return nil
	}
	if err := s.cfg.Approve(ctx, spec.Name, args); err != nil {
		return fmt.Errorf("%s was refused: %w", spec.Name, err)
	}
	return nil
}

// answer is a result as MCP sends it.
func (s *Server) answer(c *client, res *registry.Result) *sdk.CallToolResult {
	var lines []string
	add := func(text string) {
		if text = strings.TrimRight(text, "\n"); text != "" {
			lines = append(lines, text)
		}
	}
	add(res.Error)
	add(res.Text)
	for _, e := range res.Effects {
		add("- " + e)
	}
	for _, path := range res.Attachments {
		add("file: " + path)
	}
	if aboutSession(res) {
		add(c.say())
	}
	if len(lines) == 0 && len(res.Images) == 0 {
		lines = []string{"done"}
	}
	out := &sdk.CallToolResult{IsError: res.Error != ""}
	if len(lines) > 0 {
		out.Content = append(out.Content, &sdk.TextContent{Text: s.secrets.Redact(strings.Join(lines, "\n"))})
	}
	for _, img := range res.Images {
		mime := img.MIME
		if mime == "" {
			mime = "image/png"
		}
		out.Content = append(out.Content, &sdk.ImageContent{Data: img.Data, MIMEType: mime})
	}
	if data, ok := res.Metadata[structured]; ok {
		out.StructuredContent = data
	}
	return out
}

// Keys of the metadata by which the server's own tools say more than a text.
const (
	structured = "structured_content"
	general    = "not about the session"
)

// aboutSession reports whether a result is of the client's own session, so
// that news about that belong to it.
func aboutSession(res *registry.Result) bool { return res.Metadata[general] == nil }

// failed is an error as MCP sends it, for the model to read.
func (s *Server) failed(err error) *sdk.CallToolResult {
	text := err.Error()
	if errors.Is(err, context.Canceled) {
		text = "cancelled"
	}
	for _, p := range []string{"registry: ", "mcpserver: ", "browser: "} {
		text = strings.TrimPrefix(text, p)
	}
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: s.secrets.Redact(text)}}}
}
