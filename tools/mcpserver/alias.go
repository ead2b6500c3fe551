package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-4bdb41d0/webhand/registry"
	"github.com/seed-4bdb41d0/webhand/tools"
)

// alias is a name that other browser servers use for a tool of this one.
type alias struct {
	name   string            // ours
	rename map[string]string // parameters, theirs: ours
	drop   []string          // parameters that mean nothing here
}

var aliases = map[string]alias{
	"browser_get_state":            {name: "browser_state", rename: map[string]string{"include_screenshot": "screenshot"}},
	"browser_type":                 {name: "browser_input"},
	"browser_extract_content":      {name: "browser_extract"},
	"browser_get_html":             {name: "browser_html"},
	"retry_with_browser_use_agent": {name: "run_task", drop: []string{"model"}}, // the server's operator pays for it
}

// translate lets calls by other names through under ours.
func (s *Server) translate(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if call, ok := req.(*sdk.CallToolRequest); ok && call.Params != nil {
			call.Params.Name, call.Params.Arguments = s.ours(call.Params.Name, call.Params.Arguments)
		}
		return next(ctx, method, req)
	}
}

// ours is a call under the name and with the parameters of today.
func (s *Server) ours(name string, args json.RawMessage) (string, json.RawMessage) {
	if a, ok := aliases[name]; ok {
		return a.name, rewrite(args, func(m map[string]json.RawMessage) {
			for from, to := range a.rename {
				if v, given := m[from]; given {
					delete(m, from)
					m[to] = v
				}
			}
			for _, k := range a.drop {
				delete(m, k)
			}
		})
	}
	switch name {
	case "browser_click":
		return name, theirClick(args)
	case "browser_close":
		if !bytes.Contains(args, []byte(`"tab_id"`)) {
			return "browser_close_session", args
		}
	}
	if _, known := s.own.Lookup(name); known {
		return name, args
	}
	bare := strings.TrimPrefix(name, prefix)
	if _, known := s.own.Lookup(prefix + bare); known {
		return prefix + bare, args
	}
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	action, modern := tools.Canonical(bare, args)
	if _, known := s.reg.Lookup(action); known {
		return toolName(action), modern
	}
	return name, args
}

// theirClick spells a click as the action does: a point counts more than a
// number, and a new tab is what Control makes of a click on a link.
func theirClick(args json.RawMessage) json.RawMessage {
	if !bytes.Contains(args, []byte(`"coordinate_x"`)) && !bytes.Contains(args, []byte(`"new_tab"`)) {
		return args
	}
	given := func(m map[string]json.RawMessage, k string) bool { return len(m[k]) > 0 && string(m[k]) != "null" }
	return rewrite(args, func(m map[string]json.RawMessage) {
		if given(m, "coordinate_x") && given(m, "coordinate_y") {
			delete(m, "index")
		}
		if v, ok := m["new_tab"]; ok {
			delete(m, "new_tab")
			if string(v) == "true" && !given(m, "modifiers") {
				m["modifiers"] = json.RawMessage(`["Control"]`)
			}
		}
	})
}

// rewrite changes the arguments of a call; what is no object stays as it is.
func rewrite(args json.RawMessage, change func(map[string]json.RawMessage)) json.RawMessage {
	var m map[string]json.RawMessage
	if json.Unmarshal(args, &m) != nil || m == nil {
		return args
	}
	change(m)
	out, err := json.Marshal(m)
	if err != nil {
		return args
	}
	return out
}

// addAliases offers the other names as tools of their own.
func (s *Server) addAliases(add func(*sdk.Tool, sdk.ToolHandler) error) error {
	offered := make(map[string]*registry.Action)
	for a := range s.own.All() {
		offered[a.Name()] = a
	}
	for a := range s.reg.All() {
		offered[toolName(a.Name())] = a
	}
	for _, theirs := range slices.Sorted(maps.Keys(aliases)) {
		a := aliases[theirs]
		x, ok := offered[a.name]
		if !ok {
			continue
		}
		schema := x.ParamsSchema()
		for from, to := range a.rename {
			schema = bytes.Replace(schema, []byte(`"`+to+`":`), []byte(`"`+from+`":`), 1)
		}
		t := &sdk.Tool{Name: theirs, Description: "Another name of " + a.name + ".", InputSchema: schema, Annotations: annotations(x)}
		// translate puts our name in its place before this is asked.
		if err := add(t, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return nil, errors.New("mcpserver: the name was not translated")
		}); err != nil {
			return err
		}
	}
	return nil
}
