package llmtest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/seed-4bdb41d0/webhand/llm"
)

// refusal is a broken rule and the field that broke it.
type refusal struct{ param, reason string }

func (r *refusal) Error() string { return r.reason }

func refuse(param, format string, args ...any) error {
	return &refusal{param, fmt.Sprintf(format, args...)}
}

func withParam(v any, param string) any {
	if m, ok := v.(map[string]any); ok && param != "" {
		if e, ok := m["error"].(map[string]any); ok {
			e["param"] = param
		}
	}
	return v
}

// openAI is the chat completions API, with Azure's paths and key header.
type openAI struct{ azure bool }

func (p openAI) key(r *http.Request) string {
	if k := r.Header.Get("Api-Key"); p.azure && k != "" {
		return k
	}
	k, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return k
}

type chatRequest struct {
	Model    string `json:"model"`
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
	ResponseFormat *struct {
		Type       string `json:"type"`
		JSONSchema *struct {
			Name   string          `json:"name"`
			Strict bool            `json:"strict"`
			Schema json.RawMessage `json:"schema"`
		} `json:"json_schema"`
	} `json:"response_format"`
	Tools []struct {
		Type     string `json:"type"`
		Function struct {
			Name       string          `json:"name"`
			Strict     bool            `json:"strict"`
			Parameters json.RawMessage `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
	ToolChoice  json.RawMessage `json:"tool_choice"`
	Stream      bool            `json:"stream"`
	Temperature *float64        `json:"temperature"`
	TopP        *float64        `json:"top_p"`
	MaxTokens   *int            `json:"max_tokens"`
	MaxComplete *int            `json:"max_completion_tokens"`
}

func (p openAI) parse(r *http.Request, body []byte) (*Request, error) {
	req := &Request{Protocol: "openai"}
	if p.azure {
		req.Protocol = "azure"
		if !strings.Contains(r.URL.Path, "/v1/") && r.URL.Query().Get("api-version") == "" {
			return req, refuse("api-version", "Missing required query parameter: api-version")
		}
	}
	if r.Method != http.MethodPost {
		return req, refuse("", "Method %s is not allowed", r.Method)
	}
	var c chatRequest
	if err := json.Unmarshal(body, &c); err != nil {
		return req, refuse("", "We could not parse the JSON body of your request: %v", err)
	}
	req.Model, req.Stream = c.Model, c.Stream
	if c.Model == "" {
		return req, refuse("model", "you must provide a model parameter")
	}
	if len(c.Messages) == 0 {
		return req, refuse("messages", "Invalid 'messages': empty array")
	}
	for i, m := range c.Messages {
		msg, err := chatMessage(i, m.Role, m.Content)
		if err != nil {
			return req, err
		}
		req.Messages = append(req.Messages, msg)
	}
	if err := c.settings(); err != nil {
		return req, err
	}
	return req, c.format(req)
}

// settings checks the sampling settings by OpenAI's ranges.
func (c *chatRequest) settings() error {
	if t := c.Temperature; t != nil && (*t < 0 || *t > 2) {
		return refuse("temperature", "Invalid 'temperature': must be between 0 and 2")
	}
	if t := c.TopP; t != nil && (*t < 0 || *t > 1) {
		return refuse("top_p", "Invalid 'top_p': must be between 0 and 1")
	}
	if c.MaxTokens != nil && c.MaxComplete != nil {
		return refuse("max_tokens", "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.")
	}
	reasoning := thinkingModel(c.Model)
	if reasoning && c.MaxTokens != nil {
		return refuse("max_tokens", "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.")
	}
	if t := c.Temperature; reasoning && t != nil && *t != 1 {
		return refuse("temperature", "Unsupported value: 'temperature' does not support %v with this model. Only the default (1) value is supported.", *t)
	}
	return nil
}

func thinkingModel(model string) bool {
	for _, p := range []string{"o1", "o3", "o4", "gpt-5", "gpt-6"} {
		if strings.HasPrefix(model, p) {
			return true
		}
	}
	return false
}

// format reads how a structured answer is asked for, and checks it.
func (c *chatRequest) format(req *Request) error {
	if f := c.ResponseFormat; f != nil {
		switch f.Type {
		case "text":
		case "json_object":
			req.Rung = llm.RungObject
			if !strings.Contains(strings.ToLower(req.Text()), "json") {
				return refuse("messages", "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.")
			}
		case "json_schema":
			req.Rung = llm.RungSchema
			if f.JSONSchema == nil {
				return refuse("response_format.json_schema", "Missing required parameter: 'response_format.json_schema'.")
			}
			req.Name, req.Schema = f.JSONSchema.Name, f.JSONSchema.Schema
			if err := checkName("response_format.json_schema.name", req.Name); err != nil {
				return err
			}
			if f.JSONSchema.Strict {
				if err := CheckStrict(req.Schema); err != nil {
					return refuse("response_format", "Invalid schema for response_format '%s': %v", req.Name, err)
				}
			}
		default:
			return refuse("response_format", "Invalid value: '%s'. Supported values are: 'json_object', 'json_schema', and 'text'.", f.Type)
		}
	}
	if len(c.Tools) == 0 {
		if len(c.ToolChoice) > 0 {
			return refuse("tool_choice", "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.")
		}
		return nil
	}
	return c.tools(req)
}

func (c *chatRequest) tools(req *Request) error {
	fn := c.Tools[0].Function
	req.Name, req.Schema, req.Rung = fn.Name, fn.Parameters, llm.RungAutoTool
	if c.Tools[0].Type != "function" {
		return refuse("tools[0].type", "Invalid value: '%s'. Supported values are: 'function'.", c.Tools[0].Type)
	}
	if err := checkName("tools[0].function.name", fn.Name); err != nil {
		return err
	}
	var root struct {
		Type any `json:"type"`
	}
	if json.Unmarshal(fn.Parameters, &root) != nil || root.Type != "object" {
		return refuse("tools[0].function.parameters", "Invalid schema for function '%s': schema must be a JSON Schema of 'type: \"object\"', got 'type: %q'.", fn.Name, root.Type)
	}
	if fn.Strict {
		if err := CheckStrict(fn.Parameters); err != nil {
			return refuse("tools[0].function.parameters", "Invalid schema for function '%s': %v", fn.Name, err)
		}
	}
	var choice struct {
		Type     string `json:"type"`
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	switch s := string(c.ToolChoice); {
	case s == "" || s == `"auto"`:
	case s == `"required"`:
		req.Rung = llm.RungTool
	case json.Unmarshal(c.ToolChoice, &choice) == nil && choice.Function.Name == fn.Name:
		req.Rung = llm.RungTool
	default:
		return refuse("tool_choice", "Invalid value for 'tool_choice': %s", s)
	}
	return nil
}

func checkName(param, s string) error {
	if s == "" || len(s) > 64 || strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" {
		return refuse(param, "Invalid '%s': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]{1,64}$'.", param)
	}
	return nil
}

func chatMessage(i int, role string, content json.RawMessage) (llm.Message, error) {
	at := fmt.Sprintf("messages[%d]", i)
	m := llm.Message{Role: llm.Role(role)}
	switch role {
	case "developer":
		m.Role = llm.RoleSystem
	case "system", "user", "assistant":
	default:
		return m, refuse(at+".role", "Invalid value: '%s'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.", role)
	}
	var text string
	if json.Unmarshal(content, &text) == nil {
		m.Parts = []llm.Part{{Text: text}}
		return m, nil
	}
	var parts []struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		ImageURL *struct {
			URL    string     `json:"url"`
			Detail llm.Detail `json:"detail"`
		} `json:"image_url"`
	}
	if err := json.Unmarshal(content, &parts); err != nil || len(parts) == 0 {
		return m, refuse(at+".content", "Invalid type for '%s.content': expected one of a string or array of objects.", at)
	}
	for j, p := range parts {
		switch {
		case p.Type == "text":
			m.Parts = append(m.Parts, llm.Part{Text: p.Text})
		case p.Type == "image_url" && p.ImageURL != nil && m.Role == llm.RoleUser:
			img, err := dataURL(p.ImageURL.URL)
			if err != nil {
				return m, refuse(fmt.Sprintf("%s.content[%d].image_url", at, j), "Invalid image: %v", err)
			}
			img.Detail = p.ImageURL.Detail
			m.Parts = append(m.Parts, llm.Part{Image: img})
		default:
			return m, refuse(fmt.Sprintf("%s.content[%d].type", at, j), "Invalid content part of type '%s' for role '%s'", p.Type, role)
		}
	}
	return m, nil
}

func dataURL(s string) (*llm.Image, error) {
	head, data, ok := strings.Cut(s, ";base64,")
	mime, isData := strings.CutPrefix(head, "data:")
	if !ok || !isData {
		return nil, fmt.Errorf("expected a base64 data URL, got %.40q", s)
	}
	return imageOf(mime, data)
}

// imageOf decodes an image and checks that it is what it says.
func imageOf(mime, data string) (*llm.Image, error) {
	b, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return nil, fmt.Errorf("the data is not base64: %w", err)
	}
	if got := http.DetectContentType(b); got != mime {
		return nil, fmt.Errorf("the data is %s, not %s", got, mime)
	}
	return &llm.Image{MIME: mime, Data: b}, nil
}

func (openAI) failure(_ int, code, message string) any {
	return map[string]any{"error": map[string]any{"message": message, "type": "invalid_request_error", "param": nil, "code": code}}
}

func openAIFinish(req *Request, a Answer) string {
	switch a.Finish {
	case llm.FinishLength:
		return "length"
	case llm.FinishFilter:
		return "content_filter"
	case llm.FinishTool:
		return "tool_calls"
	case "", llm.FinishStop:
		if req.Rung == llm.RungTool || req.Rung == llm.RungAutoTool {
			return "tool_calls"
		}
		return "stop"
	}
	return string(a.Finish)
}

func (openAI) usage(req *Request, a Answer) map[string]any {
	u := a.usage(req.llm())
	return map[string]any{
		"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Total(),
		"prompt_tokens_details":     map[string]any{"cached_tokens": u.Cached},
		"completion_tokens_details": map[string]any{"reasoning_tokens": u.Reasoning},
	}
}

func (p openAI) reply(req *Request, a Answer) []byte {
	msg := map[string]any{"role": "assistant", "content": a.Text}
	if a.Thinking != "" {
		msg["reasoning_content"] = a.Thinking
	}
	switch {
	case a.Refusal != "":
		msg["content"], msg["refusal"] = nil, a.Refusal
	case req.Rung == llm.RungTool || req.Rung == llm.RungAutoTool:
		msg["content"] = nil
		msg["tool_calls"] = []any{map[string]any{
			"id": "call_1", "type": "function",
			"function": map[string]any{"name": req.Name, "arguments": a.Text},
		}}
	}
	return mustJSON(map[string]any{
		"id": "chatcmpl-test", "object": "chat.completion", "created": 1, "model": req.Model,
		"choices": []any{map[string]any{"index": 0, "message": msg, "finish_reason": openAIFinish(req, a)}},
		"usage":   p.usage(req, a),
	})
}

func (p openAI) events(req *Request, a Answer) []string {
	var out []string
	chunk := func(delta map[string]any, finish any) {
		out = append(out, "data: "+string(mustJSON(map[string]any{
			"id": "chatcmpl-test", "object": "chat.completion.chunk", "created": 1, "model": req.Model,
			"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}},
		})))
	}
	chunk(map[string]any{"role": "assistant"}, nil)
	if a.Thinking != "" {
		chunk(map[string]any{"reasoning_content": a.Thinking}, nil)
	}
	if a.Refusal != "" {
		chunk(map[string]any{"refusal": a.Refusal}, nil)
	}
	tool := req.Rung == llm.RungTool || req.Rung == llm.RungAutoTool
	for i, piece := range pieces(a.Text) {
		if !tool {
			chunk(map[string]any{"content": piece}, nil)
			continue
		}
		fn := map[string]any{"arguments": piece}
		call := map[string]any{"index": 0, "function": fn}
		if i == 0 {
			call["id"], call["type"], fn["name"] = "call_1", "function", req.Name
		}
		chunk(map[string]any{"tool_calls": []any{call}}, nil)
	}
	chunk(map[string]any{}, openAIFinish(req, a))
	out = append(out, "data: "+string(mustJSON(map[string]any{
		"id": "chatcmpl-test", "object": "chat.completion.chunk", "model": req.Model, "choices": []any{}, "usage": p.usage(req, a),
	})))
	return append(out, "data: [DONE]")
}

// pieces cuts a text into some parts, between runes.
func pieces(s string) []string {
	var out []string
	r := []rune(s)
	for n := max(1, len(r)/4); len(r) > n; r = r[n:] {
		out = append(out, string(r[:n]))
	}
	return append(out, string(r))
}

func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("llmtest: " + err.Error())
	}
	return b
}
