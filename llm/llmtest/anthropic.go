package llmtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/seed-4bdb41d0/webhand/llm"
)

// anthropicAPI is Anthropic's Messages API.
type anthropicAPI struct{}

func (anthropicAPI) key(r *http.Request) string { return r.Header.Get("X-Api-Key") }

type anthropicBlock struct {
	Type   string `json:"type"`
	Text   string `json:"text"`
	Source *struct {
		Type      string `json:"type"`
		MediaType string `json:"media_type"`
		Data      string `json:"data"`
	} `json:"source"`
	CacheControl *struct {
		Type string `json:"type"`
	} `json:"cache_control"`
}

type anthropicRequest struct {
	Model     string           `json:"model"`
	MaxTokens *int             `json:"max_tokens"`
	System    []anthropicBlock `json:"system"`
	Messages  []struct {
		Role    string           `json:"role"`
		Content []anthropicBlock `json:"content"`
	} `json:"messages"`
	Temperature *float64 `json:"temperature"`
	Stream      bool     `json:"stream"`
	Thinking    *struct {
		Type   string `json:"type"`
		Budget int    `json:"budget_tokens"`
	} `json:"thinking"`
	Tools []struct {
		Name        string          `json:"name"`
		InputSchema json.RawMessage `json:"input_schema"`
	} `json:"tools"`
	ToolChoice *struct {
		Type string `json:"type"`
		Name string `json:"name"`
	} `json:"tool_choice"`
	OutputConfig *struct {
		Effort string `json:"effort"`
		Format *struct {
			Type   string          `json:"type"`
			Schema json.RawMessage `json:"schema"`
		} `json:"format"`
	} `json:"output_config"`
}

func (anthropicAPI) parse(r *http.Request, body []byte) (*Request, error) {
	req := &Request{Protocol: "anthropic"}
	if r.Header.Get("Anthropic-Version") == "" {
		return req, refuse("", "anthropic-version: header is required")
	}
	var c anthropicRequest
	if err := json.Unmarshal(body, &c); err != nil {
		return req, refuse("", "invalid JSON: %v", err)
	}
	req.Model, req.Stream = c.Model, c.Stream
	switch {
	case c.Model == "":
		return req, refuse("", "model: Field required")
	case c.MaxTokens == nil || *c.MaxTokens < 1:
		return req, refuse("", "max_tokens: Field required")
	case len(c.Messages) == 0:
		return req, refuse("", "messages: at least one message is required")
	case c.Messages[0].Role != "user":
		return req, refuse("", "messages: first message must use the \"user\" role")
	case c.Temperature != nil && (*c.Temperature < 0 || *c.Temperature > 1):
		return req, refuse("", "temperature: range: 0..1")
	}
	markers := 0
	add := func(at string, role llm.Role, list []anthropicBlock) error {
		m, n, err := anthropicMessage(at, role, list)
		markers += n
		req.Messages = append(req.Messages, m)
		return err
	}
	if len(c.System) > 0 {
		if err := add("system", llm.RoleSystem, c.System); err != nil {
			return req, err
		}
	}
	for i, m := range c.Messages {
		if m.Role != "user" && m.Role != "assistant" {
			return req, refuse("", "messages.%d.role: Input should be 'user' or 'assistant'", i)
		}
		if err := add(fmt.Sprintf("messages.%d", i), llm.Role(m.Role), m.Content); err != nil {
			return req, err
		}
	}
	if markers > 4 {
		return req, refuse("", "A maximum of 4 blocks with cache_control may be provided. Found %d.", markers)
	}
	return req, c.format(req)
}

func anthropicMessage(at string, role llm.Role, list []anthropicBlock) (m llm.Message, markers int, err error) {
	m.Role = role
	if len(list) == 0 {
		return m, 0, refuse("", "%s: all messages must have non-empty content", at)
	}
	for j, b := range list {
		if b.CacheControl != nil {
			markers++
			m.CacheEnd = true
		}
		switch {
		case b.Type == "text" && strings.TrimSpace(b.Text) == "":
			return m, markers, refuse("", "%s: text content blocks must be non-empty", at)
		case b.Type == "text":
			m.Parts = append(m.Parts, llm.Part{Text: b.Text})
		case b.Type == "image" && b.Source != nil && role == llm.RoleUser:
			img, err := imageOf(b.Source.MediaType, b.Source.Data)
			if err != nil {
				return m, markers, refuse("", "%s.content.%d.image.source.base64: %v", at, j, err)
			}
			m.Parts = append(m.Parts, llm.Part{Image: img})
		default:
			return m, markers, refuse("", "%s.content.%d: unexpected block of type '%s'", at, j, b.Type)
		}
	}
	if last := list[len(list)-1]; role == llm.RoleAssistant && strings.TrimRight(last.Text, " \n\t") != last.Text {
		return m, markers, refuse("", "messages: final assistant content cannot end with trailing whitespace")
	}
	return m, markers, nil
}

func (c *anthropicRequest) format(req *Request) error {
	thinks := c.Thinking != nil && c.Thinking.Type == "enabled"
	if thinks && (c.Thinking.Budget < 1024 || c.Thinking.Budget >= *c.MaxTokens) {
		return refuse("", "thinking.enabled.budget_tokens: must be at least 1024 and less than max_tokens")
	}
	if thinks && c.Temperature != nil && *c.Temperature != 1 {
		return refuse("", "`temperature` may only be set to 1 when thinking is enabled.")
	}
	if o := c.OutputConfig; o != nil && o.Format != nil {
		req.Rung, req.Schema = llm.RungSchema, o.Format.Schema
		if err := closedSchema(o.Format.Schema); err != nil {
			return refuse("", "output_config.format.schema: %v", err)
		}
	}
	if len(c.Tools) == 0 {
		if c.ToolChoice != nil {
			return refuse("", "tool_choice: may only be specified while providing tools")
		}
		return nil
	}
	t := c.Tools[0]
	req.Rung, req.Name, req.Schema = llm.RungAutoTool, t.Name, t.InputSchema
	if err := checkName("tools.0.custom.name", t.Name); err != nil {
		return err
	}
	var root map[string]any
	if json.Unmarshal(t.InputSchema, &root) != nil || root["type"] != "object" {
		return refuse("", "tools.0.custom.input_schema.type: Input should be 'object'")
	}
	for _, k := range []string{"anyOf", "oneOf", "allOf"} {
		if root[k] != nil {
			return refuse("", "tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level")
		}
	}
	if ch := c.ToolChoice; ch != nil && (ch.Type == "tool" || ch.Type == "any") {
		req.Rung = llm.RungTool
		if thinks {
			return refuse("", "Thinking may not be enabled when tool_choice forces tool use.")
		}
		if ch.Type == "tool" && ch.Name != t.Name {
			return refuse("", "tool_choice: tool '%s' not found in provided tools", ch.Name)
		}
	}
	return nil
}

// closedSchema checks what Anthropic's own enforcement of schemas asks for.
func closedSchema(schema json.RawMessage) error {
	var root map[string]any
	if json.Unmarshal(schema, &root) != nil {
		return fmt.Errorf("not an object")
	}
	return walk("", root, func(at string, n map[string]any) error {
		if n["type"] == "object" && n["additionalProperties"] != false {
			return fmt.Errorf("for 'object' type, 'additionalProperties' must be explicitly set to false (at %q)", at)
		}
		for _, k := range []string{"minimum", "maximum", "minLength", "maxLength", "multipleOf"} {
			if n[k] != nil {
				return fmt.Errorf("property '%s' is not supported (at %q)", k, at)
			}
		}
		return nil
	})
}

// walk visits every schema of a schema.
func walk(at string, n map[string]any, visit func(string, map[string]any) error) error {
	if err := visit(at, n); err != nil {
		return err
	}
	for _, k := range []string{"properties", "$defs"} {
		m, _ := n[k].(map[string]any)
		for name, v := range m {
			if s, ok := v.(map[string]any); ok {
				if err := walk(at+"/"+k+"/"+name, s, visit); err != nil {
					return err
				}
			}
		}
	}
	if s, ok := n["items"].(map[string]any); ok {
		if err := walk(at+"/items", s, visit); err != nil {
			return err
		}
	}
	for _, k := range []string{"anyOf", "oneOf", "allOf"} {
		list, _ := n[k].([]any)
		for _, v := range list {
			if s, ok := v.(map[string]any); ok {
				if err := walk(at+"/"+k, s, visit); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (anthropicAPI) failure(status int, code, message string) any {
	typ := "invalid_request_error"
	switch {
	case status == 401:
		typ = "authentication_error"
	case status == 403:
		typ = "permission_error"
	case status == 404:
		typ = "not_found_error"
	case status == 413:
		typ = "request_too_large"
	case status == 429:
		typ = "rate_limit_error"
	case status == 529:
		typ = "overloaded_error"
	case status >= 500:
		typ = "api_error"
	}
	if code == "insufficient_quota" { // Anthropic says so in words
		message += " Your credit balance is too low to access the Anthropic API."
	}
	return map[string]any{"type": "error", "error": map[string]any{"type": typ, "message": message}, "request_id": "req_test"}
}

func anthropicStop(req *Request, a Answer) string {
	switch a.Finish {
	case llm.FinishLength:
		return "max_tokens"
	case llm.FinishFilter:
		return "refusal"
	}
	if a.Refusal != "" {
		return "refusal"
	}
	if req.Rung == llm.RungTool || req.Rung == llm.RungAutoTool {
		return "tool_use"
	}
	return "end_turn"
}

// input is the answer as a tool's input: JSON where it is JSON, a string
// otherwise, as models that encode twice send it.
func input(text string) any {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return text
}

func (anthropicAPI) usage(req *Request, a Answer) map[string]any {
	u := a.usage(req.llm())
	return map[string]any{
		"input_tokens": u.Input - u.Cached - u.CacheWrite, "cache_read_input_tokens": u.Cached,
		"cache_creation_input_tokens": u.CacheWrite, "output_tokens": u.Output,
		"output_tokens_details": map[string]any{"thinking_tokens": u.Reasoning},
	}
}

func (p anthropicAPI) reply(req *Request, a Answer) []byte {
	content := []any{}
	if a.Thinking != "" {
		content = append(content, map[string]any{"type": "thinking", "thinking": a.Thinking, "signature": "s"})
	}
	switch {
	case a.Refusal != "":
	case req.Rung == llm.RungTool || req.Rung == llm.RungAutoTool:
		content = append(content, map[string]any{"type": "tool_use", "id": "toolu_1", "name": req.Name, "input": input(a.Text)})
	case a.Text != "":
		content = append(content, map[string]any{"type": "text", "text": a.Text})
	}
	return mustJSON(map[string]any{
		"id": "msg_test", "type": "message", "role": "assistant", "model": req.Model, "content": content,
		"stop_reason": anthropicStop(req, a), "stop_sequence": nil, "stop_details": anthropicDetails(a),
		"usage": p.usage(req, a),
	})
}

func anthropicDetails(a Answer) any {
	if a.Refusal == "" {
		return nil
	}
	return map[string]any{"type": "refusal", "explanation": a.Refusal}
}

func (p anthropicAPI) events(req *Request, a Answer) []string {
	var out []string
	event := func(typ string, fields map[string]any) {
		fields["type"] = typ
		out = append(out, "event: "+typ+"\ndata: "+string(mustJSON(fields)))
	}
	usage := p.usage(req, a)
	event("message_start", map[string]any{"message": map[string]any{
		"id": "msg_test", "type": "message", "role": "assistant", "model": req.Model, "content": []any{}, "stop_reason": nil, "usage": usage,
	}})
	i := 0
	block := func(start map[string]any, deltas ...map[string]any) {
		event("content_block_start", map[string]any{"index": i, "content_block": start})
		for _, d := range deltas {
			event("content_block_delta", map[string]any{"index": i, "delta": d})
		}
		event("content_block_stop", map[string]any{"index": i})
		i++
	}
	if a.Thinking != "" {
		block(map[string]any{"type": "thinking", "thinking": "", "signature": ""}, map[string]any{"type": "thinking_delta", "thinking": a.Thinking})
	}
	var deltas []map[string]any
	tool := req.Rung == llm.RungTool || req.Rung == llm.RungAutoTool
	for _, piece := range pieces(a.Text) {
		if tool {
			deltas = append(deltas, map[string]any{"type": "input_json_delta", "partial_json": piece})
		} else {
			deltas = append(deltas, map[string]any{"type": "text_delta", "text": piece})
		}
	}
	switch {
	case a.Refusal != "":
	case tool:
		block(map[string]any{"type": "tool_use", "id": "toolu_1", "name": req.Name, "input": map[string]any{}}, deltas...)
	default:
		block(map[string]any{"type": "text", "text": ""}, deltas...)
	}
	event("message_delta", map[string]any{
		"delta": map[string]any{"stop_reason": anthropicStop(req, a), "stop_sequence": nil, "stop_details": anthropicDetails(a)},
		"usage": usage,
	})
	event("message_stop", map[string]any{})
	return out
}
