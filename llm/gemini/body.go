package gemini

import (
	"strings"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/internal/core"
	"github.com/seed-4bdb41d0/webhand/llm/internal/jsonout"
	"github.com/seed-4bdb41d0/webhand/llm/internal/prompt"
)

// body renders the request for the plan's rung.
func (c *Client) body(t *core.Try) (*jsonout.Body, error) {
	words := ""
	if r := t.Plan.Rung; r == llm.RungObject || r == llm.RungPrompt {
		words = prompt.Describe(t.Req.Format, t.Schema)
	}
	msgs, err := prompt.Prepare(t.Req, t.Plan, words)
	if err != nil {
		return nil, err
	}
	system, msgs := split(msgs)
	w := jsonout.New(prompt.Size(msgs) + prompt.Size(system) + len(t.Schema) + 1024)
	w.Open('{')
	if len(system) > 0 {
		w.Key("systemInstruction")
		w.Open('{')
		w.Key("parts")
		w.Open('[')
		for _, m := range system {
			if err := parts(w, m); err != nil {
				return nil, err
			}
		}
		w.Close(']')
		w.Close('}')
	}
	w.Key("contents")
	w.Open('[')
	for _, m := range msgs {
		w.Comma()
		w.Open('{')
		role := "user"
		if m.Role == llm.RoleAssistant {
			role = "model"
		}
		w.StrField("role", role)
		w.Key("parts")
		w.Open('[')
		if err := parts(w, m); err != nil {
			return nil, err
		}
		w.Close(']')
		w.Close('}')
	}
	w.Close(']')
	if _, own := c.extra["generationConfig"]; !own {
		w.Key("generationConfig")
		w.Open('{')
		c.settings(w, t)
		w.Close('}')
	}
	w.Extra(c.extra)
	w.Close('}')
	return w.Body(), nil
}

// split takes the system messages that open the conversation apart. The API
// has no such role within it.
func split(msgs []llm.Message) (system, rest []llm.Message) {
	for len(msgs) > 0 && msgs[0].Role == llm.RoleSystem {
		system, msgs = append(system, msgs[0]), msgs[1:]
	}
	if len(msgs) == 0 {
		return system, []llm.Message{llm.User("Begin.")}
	}
	for _, m := range msgs {
		if m.Role == llm.RoleSystem {
			m.Role = llm.RoleUser
		}
		rest = append(rest, m)
	}
	return system, prompt.MergeRuns(rest)
}

func parts(w *jsonout.Writer, m llm.Message) error {
	for _, p := range m.Parts {
		w.Comma()
		w.Open('{')
		if p.Image != nil {
			mime, err := prompt.MIME(p.Image)
			if err != nil {
				return err
			}
			w.Key("inlineData")
			w.Open('{')
			w.StrField("mimeType", mime)
			w.Base64Field("data", "", p.Image.Data)
			w.Close('}')
		} else {
			w.StrField("text", p.Text)
		}
		w.Close('}')
	}
	return nil
}

func (c *Client) settings(w *jsonout.Writer, t *core.Try) {
	req, p := t.Req, t.Plan
	if req.Temperature != nil && p.Send("temperature") {
		w.FloatField("temperature", *req.Temperature)
	}
	if req.TopP != nil && p.Send("top_p") {
		w.FloatField("topP", *req.TopP)
	}
	if req.Seed != nil && p.Send("seed") {
		w.IntField("seed", *req.Seed)
	}
	if req.MaxTokens != nil {
		w.IntField("maxOutputTokens", *req.MaxTokens)
	}
	if len(req.Stop) > 0 && p.Send("stop") {
		w.StrsField("stopSequences", req.Stop)
	}
	if r := resolution(req.Messages); r != "" {
		w.StrField("mediaResolution", r)
	}
	if req.ReasoningEffort != "" && p.Send("thinking") {
		c.thinking(w, req.ReasoningEffort)
	}
	switch p.Rung {
	case llm.RungSchema:
		w.StrField("responseMimeType", "application/json")
		w.RawField("responseJsonSchema", t.Schema)
	case llm.RungObject:
		w.StrField("responseMimeType", "application/json")
	}
}

// thinking asks for an effort: by a level from Gemini 3 on, before that by a
// number of tokens.
func (c *Client) thinking(w *jsonout.Writer, effort string) {
	w.Key("thinkingConfig")
	w.Open('{')
	defer w.Close('}')
	if !strings.Contains(c.cfg.Model, "gemini-2") {
		w.StrField("thinkingLevel", effort)
		return
	}
	budget := -1 // the model decides
	switch effort {
	case "minimal":
		budget = 512
	case "low":
		budget = 1024
	case "medium":
		budget = 8192
	case "high":
		budget = 24576
	}
	w.IntField("thinkingBudget", budget)
}

// resolution is the detail that the images ask for, which this API takes for
// the whole request: the highest of them wins.
func resolution(msgs []llm.Message) string {
	var low, high bool
	for _, m := range msgs {
		for _, p := range m.Parts {
			if p.Image == nil {
				continue
			}
			switch p.Image.Detail {
			case llm.DetailLow:
				low = true
			case llm.DetailHigh:
				high = true
			default:
				return ""
			}
		}
	}
	switch {
	case high:
		return "MEDIA_RESOLUTION_HIGH"
	case low:
		return "MEDIA_RESOLUTION_LOW"
	}
	return ""
}
