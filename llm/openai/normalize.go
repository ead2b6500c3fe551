package openai

import (
	"encoding/json"
	"errors"
	"math"
	"strings"

	api "github.com/sashabaranov/go-openai"
)

// The types below read a completion whatever an endpoint makes of it:
// arguments as an object, content as parts, a finish reason that is null,
// token counts as floats. go-openai refuses the whole answer over any of them.

type loose struct {
	ID      any            `json:"id"`
	Model   any            `json:"model"`
	Choices []looseChoice  `json:"choices"`
	Usage   map[string]any `json:"usage"`
}

type looseChoice struct {
	Message      *looseMessage   `json:"message"`
	Delta        *looseMessage   `json:"delta"`
	Text         any             `json:"text"`
	FinishReason any             `json:"finish_reason"`
	Error        json.RawMessage `json:"error"`
}

type looseMessage struct {
	Role             any             `json:"role"`
	Content          json.RawMessage `json:"content"`
	Refusal          any             `json:"refusal"`
	ReasoningContent any             `json:"reasoning_content"`
	Reasoning        any             `json:"reasoning"`
	ToolCalls        []looseCall     `json:"tool_calls"`
	FunctionCall     *looseFunction  `json:"function_call"`
}

type looseCall struct {
	Index    any            `json:"index"`
	ID       any            `json:"id"`
	Function *looseFunction `json:"function"`
}

type looseFunction struct {
	Name      any             `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// normalize rewrites a completion, or a chunk of one, so that go-openai can
// decode it.
func normalize(body []byte) ([]byte, error) {
	var in loose
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, err
	}
	type choice struct {
		Message      *api.ChatCompletionMessage           `json:"message,omitempty"`
		Delta        *api.ChatCompletionStreamChoiceDelta `json:"delta,omitempty"`
		FinishReason string                               `json:"finish_reason"`
	}
	out := struct {
		ID      string     `json:"id"`
		Model   string     `json:"model"`
		Choices []choice   `json:"choices"`
		Usage   *api.Usage `json:"usage,omitempty"`
	}{ID: str(in.ID), Model: str(in.Model), Choices: []choice{}, Usage: in.usage()}
	for _, c := range in.Choices {
		if len(c.Error) > 0 && string(c.Error) != "null" {
			return nil, errors.New("the upstream provider failed: " + string(c.Error))
		}
		n := choice{FinishReason: str(c.FinishReason)}
		if m := c.Message; m != nil {
			n.Message = m.message()
		} else if c.Delta == nil {
			n.Message = &api.ChatCompletionMessage{Role: "assistant", Content: str(c.Text)}
		}
		if d := c.Delta; d != nil {
			m := d.message()
			n.Delta = &api.ChatCompletionStreamChoiceDelta{
				Role: m.Role, Content: m.Content, Refusal: m.Refusal,
				ReasoningContent: m.ReasoningContent, ToolCalls: m.ToolCalls, FunctionCall: m.FunctionCall,
			}
		}
		out.Choices = append(out.Choices, n)
	}
	return json.Marshal(out)
}

func (m *looseMessage) message() *api.ChatCompletionMessage {
	text, thinking := content(m.Content)
	if s := str(m.ReasoningContent); s != "" {
		thinking += s
	} else {
		thinking += str(m.Reasoning)
	}
	out := &api.ChatCompletionMessage{Role: str(m.Role), Content: text, Refusal: str(m.Refusal), ReasoningContent: thinking}
	for _, tc := range m.ToolCalls {
		if tc.Function == nil {
			continue
		}
		n := api.ToolCall{ID: str(tc.ID), Type: api.ToolTypeFunction, Function: *tc.Function.call()}
		if f, ok := tc.Index.(float64); ok {
			i := int(f)
			n.Index = &i
		}
		out.ToolCalls = append(out.ToolCalls, n)
	}
	if m.FunctionCall != nil {
		out.FunctionCall = m.FunctionCall.call()
	}
	return out
}

func (f *looseFunction) call() *api.FunctionCall {
	out := &api.FunctionCall{Name: str(f.Name)}
	if s, ok := unquoted(f.Arguments); ok {
		out.Arguments = s
	} else if string(f.Arguments) != "null" {
		out.Arguments = string(f.Arguments)
	}
	return out
}

// content reads a message's content: a string, or parts of text and thought.
func content(raw json.RawMessage) (text, thinking string) {
	if len(raw) == 0 {
		return "", ""
	}
	if s, ok := unquoted(raw); ok {
		return s, ""
	}
	var parts []struct {
		Type     string          `json:"type"`
		Text     string          `json:"text"`
		Content  string          `json:"content"`
		Thinking json.RawMessage `json:"thinking"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		if raw[0] == '{' { // the wanted object itself, not its text
			return string(raw), ""
		}
		return "", ""
	}
	for _, p := range parts {
		switch p.Type {
		case "thinking", "reasoning":
			t, _ := content(p.Thinking)
			thinking += t + p.Text
		default:
			text += p.Text + p.Content
		}
	}
	return text, thinking
}

// usage reads the token counts in the spellings of several providers.
func (l *loose) usage() *api.Usage {
	if l.Usage == nil {
		return nil
	}
	sub := func(k string) map[string]any { m, _ := l.Usage[k].(map[string]any); return m }
	prompt := first(l.Usage, "prompt_tokens", "input_tokens")
	answer := first(l.Usage, "completion_tokens", "output_tokens")
	cached := first(sub("prompt_tokens_details"), "cached_tokens")
	if cached == 0 {
		cached = first(l.Usage, "prompt_cache_hit_tokens", "cached_tokens", "cache_read_input_tokens")
	}
	thought := first(sub("completion_tokens_details"), "reasoning_tokens")
	return &api.Usage{
		PromptTokens: prompt, CompletionTokens: answer, TotalTokens: prompt + answer,
		PromptTokensDetails:     &api.PromptTokensDetails{CachedTokens: min(cached, prompt)},
		CompletionTokensDetails: &api.CompletionTokensDetails{ReasoningTokens: min(thought, answer)},
	}
}

func first(m map[string]any, keys ...string) int {
	for _, k := range keys {
		if f, ok := m[k].(float64); ok && f > 0 && f < math.MaxInt32 {
			return int(f)
		}
	}
	return 0
}

func str(v any) string {
	s, _ := v.(string)
	return s
}

func unquoted(raw json.RawMessage) (string, bool) {
	var s string
	if !strings.HasPrefix(string(raw), `"`) || json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}
