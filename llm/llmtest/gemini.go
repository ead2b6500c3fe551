package llmtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"strings"

	"github.com/seed-4bdb41d0/webhand/llm"
)

// geminiAPI is Google's generateContent API.
type geminiAPI struct{}

func (geminiAPI) key(r *http.Request) string { return r.Header.Get("X-Goog-Api-Key") }

type geminiContent struct {
	Role  string `json:"role"`
	Parts []struct {
		Text       *string `json:"text"`
		InlineData *struct {
			MIMEType string `json:"mimeType"`
			Data     string `json:"data"`
		} `json:"inlineData"`
	} `json:"parts"`
}

func (geminiAPI) parse(r *http.Request, body []byte) (*Request, error) {
	req := &Request{Protocol: "gemini", Stream: strings.Contains(r.URL.Path, ":streamGenerateContent")}
	req.Model, _, _ = strings.Cut(path.Base(r.URL.Path), ":")
	var c struct {
		System   *geminiContent  `json:"systemInstruction"`
		Contents []geminiContent `json:"contents"`
		Config   struct {
			MIME        string          `json:"responseMimeType"`
			JSONSchema  json.RawMessage `json:"responseJsonSchema"`
			Temperature *float64        `json:"temperature"`
		} `json:"generationConfig"`
	}
	if err := json.Unmarshal(body, &c); err != nil {
		return req, refuse("", "Invalid JSON payload received. %v", err)
	}
	if len(c.Contents) == 0 {
		return req, refuse("", "* GenerateContentRequest.contents: contents is not specified")
	}
	if t := c.Config.Temperature; t != nil && (*t < 0 || *t > 2) {
		return req, refuse("", "* GenerateContentRequest.generation_config.temperature: temperature must be in the range [0.0, 2.0]")
	}
	if c.System != nil {
		m, err := geminiMessage("system_instruction", llm.RoleSystem, *c.System)
		if err != nil {
			return req, err
		}
		req.Messages = append(req.Messages, m)
	}
	for i, x := range c.Contents {
		role := llm.RoleUser
		switch x.Role {
		case "model":
			role = llm.RoleAssistant
		case "user":
		default:
			return req, refuse("", "Please use a valid role: user, model.")
		}
		m, err := geminiMessage(fmt.Sprintf("contents[%d]", i), role, x)
		if err != nil {
			return req, err
		}
		req.Messages = append(req.Messages, m)
	}
	switch {
	case len(c.Config.JSONSchema) > 0 && c.Config.MIME != "application/json":
		return req, refuse("", "Function calling with a response mime type: '%s' is unsupported", c.Config.MIME)
	case len(c.Config.JSONSchema) > 0:
		req.Rung, req.Schema = llm.RungSchema, c.Config.JSONSchema
		return req, geminiSchema(c.Config.JSONSchema)
	case c.Config.MIME == "application/json":
		req.Rung = llm.RungObject
	}
	return req, nil
}

func geminiMessage(at string, role llm.Role, c geminiContent) (llm.Message, error) {
	m := llm.Message{Role: role}
	if len(c.Parts) == 0 {
		return m, refuse("", "* GenerateContentRequest.%s.parts: contents.parts must not be empty.", at)
	}
	for _, p := range c.Parts {
		switch {
		case p.InlineData != nil:
			img, err := imageOf(p.InlineData.MIMEType, p.InlineData.Data)
			if err != nil {
				return m, refuse("", "Unable to process input image: %v", err)
			}
			m.Parts = append(m.Parts, llm.Part{Image: img})
		case p.Text != nil:
			m.Parts = append(m.Parts, llm.Part{Text: *p.Text})
		default:
			return m, refuse("", "* GenerateContentRequest.%s.parts: required oneof field 'data' must have one initialized field", at)
		}
	}
	return m, nil
}

// geminiKeywords are the keywords that responseJsonSchema takes, from the
// documentation of that field.
var geminiKeywords = map[string]bool{
	"$id": true, "$defs": true, "$ref": true, "$anchor": true, "type": true, "format": true, "title": true,
	"description": true, "enum": true, "items": true, "prefixItems": true, "minItems": true, "maxItems": true,
	"minimum": true, "maximum": true, "anyOf": true, "oneOf": true, "properties": true,
	"additionalProperties": true, "required": true, "propertyOrdering": true,
}

func geminiSchema(schema json.RawMessage) error {
	var root map[string]any
	if json.Unmarshal(schema, &root) != nil {
		return refuse("", "response_json_schema must be an object")
	}
	return walk("", root, func(at string, n map[string]any) error {
		for k := range n {
			if !geminiKeywords[k] {
				return refuse("", "Invalid JSON payload received. Unknown name \"%s\" at 'generation_config.response_json_schema%s': Cannot find field.", k, at)
			}
			if n["$ref"] != nil && !strings.HasPrefix(k, "$") {
				return refuse("", "response_json_schema%s: no field other than those starting with $ may be beside $ref", at)
			}
		}
		if props, ok := n["properties"].(map[string]any); n["type"] == "object" && (!ok || len(props) == 0) {
			return refuse("", "* GenerateContentRequest.generation_config.response_schema%s.properties: should be non-empty for OBJECT type", at)
		}
		return nil
	})
}

func (geminiAPI) failure(status int, code, message string) any {
	name := map[int]string{
		400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND",
		429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED",
	}[status]
	if code == "insufficient_quota" {
		message = "You exceeded your current quota, please check your plan and billing details. " + message
	}
	return map[string]any{"error": map[string]any{"code": status, "message": message, "status": name}}
}

func geminiFinish(a Answer) string {
	switch a.Finish {
	case llm.FinishLength:
		return "MAX_TOKENS"
	case llm.FinishFilter:
		return "SAFETY"
	}
	return "STOP"
}

func (geminiAPI) usage(req *Request, a Answer) map[string]any {
	u := a.usage(req.llm())
	return map[string]any{
		"promptTokenCount": u.Input, "cachedContentTokenCount": u.Cached,
		"candidatesTokenCount": u.Output - u.Reasoning, "thoughtsTokenCount": u.Reasoning, "totalTokenCount": u.Total(),
	}
}

func (p geminiAPI) chunk(req *Request, a Answer, parts []any, finish string, last bool) []byte {
	v := map[string]any{"modelVersion": req.Model}
	if a.Refusal != "" {
		v["promptFeedback"] = map[string]any{"blockReason": "PROHIBITED_CONTENT", "blockReasonMessage": a.Refusal}
	} else {
		cand := map[string]any{"index": 0, "content": map[string]any{"role": "model", "parts": parts}}
		if finish != "" {
			cand["finishReason"] = finish
		}
		v["candidates"] = []any{cand}
	}
	if last {
		v["usageMetadata"] = p.usage(req, a)
	}
	return mustJSON(v)
}

func (p geminiAPI) reply(req *Request, a Answer) []byte {
	parts := []any{}
	if a.Thinking != "" {
		parts = append(parts, map[string]any{"text": a.Thinking, "thought": true})
	}
	if a.Text != "" {
		parts = append(parts, map[string]any{"text": a.Text})
	}
	return p.chunk(req, a, parts, geminiFinish(a), true)
}

func (p geminiAPI) events(req *Request, a Answer) []string {
	var out []string
	if a.Thinking != "" {
		out = append(out, "data: "+string(p.chunk(req, a, []any{map[string]any{"text": a.Thinking, "thought": true}}, "", false)))
	}
	for _, piece := range pieces(a.Text) {
		out = append(out, "data: "+string(p.chunk(req, a, []any{map[string]any{"text": piece}}, "", false)))
	}
	return append(out, "data: "+string(p.chunk(req, a, []any{}, geminiFinish(a), true)))
}
