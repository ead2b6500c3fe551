package openai

import (
	"slices"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/internal/core"
	"github.com/seed-4bdb41d0/webhand/llm/internal/jsonout"
	"github.com/seed-4bdb41d0/webhand/llm/internal/ladder"
	"github.com/seed-4bdb41d0/webhand/llm/internal/prompt"
)

// The request body is written here and not by go-openai, which cannot say a
// temperature of zero, a cache marker or a field of another provider's, and
// copies a screenshot several times over on the way.

// body renders the request for the plan's rung.
func (c *Client) body(t *core.Try, stream bool) (*jsonout.Body, error) {
	req, p := t.Req, t.Plan
	msgs, err := prompt.Prepare(req, p, c.words(req.Format, p.Rung, t.Schema))
	if err != nil {
		return nil, err
	}
	w := jsonout.New(prompt.Size(msgs) + len(t.Schema) + 1024)
	w.Open('{')
	w.StrField("model", c.cfg.Model)
	w.Key("messages")
	w.Open('[')
	marks := c.marks(msgs, p)
	for i, m := range msgs {
		w.Comma()
		if err := writeMessage(w, m, marks[i]); err != nil {
			return nil, err
		}
	}
	w.Close(']')
	c.settings(w, req, p)
	c.format(w, t)
	if stream {
		w.RawField("stream", []byte("true"))
		if p.Send("stream_options") {
			w.RawField("stream_options", []byte(`{"include_usage":true}`))
		}
	}
	w.Extra(c.extra)
	w.Close('}')
	return w.Body(), nil
}

// own reports whether the caller's Extra fields replace k.
func (c *Client) own(k string) bool { _, ok := c.extra[k]; return ok }

// settings writes the sampling settings that the model takes.
func (c *Client) settings(w *jsonout.Writer, req *llm.Request, p *ladder.Plan) {
	if req.Temperature != nil && !c.own("temperature") && p.Send("temperature") {
		w.FloatField("temperature", *req.Temperature)
	}
	if req.TopP != nil && !c.own("top_p") && p.Send("top_p") {
		w.FloatField("top_p", *req.TopP)
	}
	if req.Seed != nil && !c.own("seed") && p.Send("seed") {
		w.IntField("seed", *req.Seed)
	}
	if len(req.Stop) > 0 && !c.own("stop") && p.Send("stop") {
		w.StrsField("stop", req.Stop)
	}
	if req.MaxTokens != nil {
		name := c.profile.TokenParam
		if !p.Send(ladder.TokenCap) {
			name = otherCap(name)
		}
		p.Send(name)
		if !c.own(name) {
			w.IntField(name, *req.MaxTokens)
		}
	}
	if req.ReasoningEffort != "" && !c.own("reasoning_effort") && p.Send("reasoning_effort") {
		w.StrField("reasoning_effort", req.ReasoningEffort)
	}
	if req.Session != "" && c.endpoint.Name == "openai" && c.known && p.Send("prompt_cache_key") {
		w.StrField("prompt_cache_key", req.Session)
	}
}

func otherCap(name string) string {
	if name == "max_tokens" {
		return "max_completion_tokens"
	}
	return "max_tokens"
}

// format writes what the rung needs beside the messages.
func (c *Client) format(w *jsonout.Writer, t *core.Try) {
	f, p, schema := t.Req.Format, t.Plan, t.Schema
	switch p.Rung {
	case llm.RungSchema:
		w.Key("response_format")
		w.Open('{')
		w.StrField("type", "json_schema")
		w.Key("json_schema")
		w.Open('{')
		w.StrField("name", name(f))
		if t.Strict && p.Send(ladder.Strict) {
			w.RawField("strict", []byte("true"))
		}
		w.RawField("schema", schema)
		w.Close('}')
		w.Close('}')
	case llm.RungTool, llm.RungAutoTool:
		w.Key("tools")
		w.Open('[')
		w.Comma()
		w.Open('{')
		w.StrField("type", "function")
		w.Key("function")
		w.Open('{')
		w.StrField("name", name(f))
		w.StrField("description", "Gives the answer. Call it exactly once.")
		w.RawField("parameters", schema)
		w.Close('}')
		w.Close('}')
		w.Close(']')
		if p.Rung == llm.RungAutoTool {
			w.StrField("tool_choice", "auto")
			return
		}
		w.Key("tool_choice")
		w.Open('{')
		w.StrField("type", "function")
		w.Key("function")
		w.Open('{')
		w.StrField("name", name(f))
		w.Close('}')
		w.Close('}')
	case llm.RungObject:
		w.RawField("response_format", []byte(`{"type":"json_object"}`))
	}
}

func name(f *llm.Format) string {
	if f.Name == "" {
		return "answer"
	}
	return f.Name
}

// words returns what the model must be told of the format in words.
func (c *Client) words(f *llm.Format, rung string, schema []byte) string {
	blind := c.profile.SchemaBlind == llm.Yes
	switch rung {
	case llm.RungSchema:
		if blind {
			return prompt.Describe(f, schema)
		}
	case llm.RungAutoTool:
		return "Answer by calling the tool " + name(f) + " exactly once."
	case llm.RungObject, llm.RungPrompt:
		return prompt.Describe(f, schema)
	}
	return ""
}

// marks says which messages end a stretch worth caching. Anthropic, behind a
// gateway, takes four markers in all.
func (c *Client) marks(msgs []llm.Message, p *ladder.Plan) []bool {
	out := make([]bool, len(msgs))
	if c.profile.CacheMarkers != llm.Yes {
		return out
	}
	for i, left := len(msgs)-1, 4; i >= 0 && left > 0; i-- {
		if msgs[i].CacheEnd && p.Send(ladder.CacheMarker) {
			out[i] = true
			left--
		}
	}
	return out
}

func writeMessage(w *jsonout.Writer, m llm.Message, mark bool) error {
	w.Open('{')
	w.StrField("role", string(m.Role))
	w.Key("content")
	if !mark && !slices.ContainsFunc(m.Parts, func(p llm.Part) bool { return p.Image != nil }) {
		w.Str(m.Text()) // some servers take nothing but a string
		w.Close('}')
		return nil
	}
	last := -1 // the last text carries the marker: an image cannot
	for i, p := range m.Parts {
		if p.Image == nil {
			last = i
		}
	}
	w.Open('[')
	for i, p := range m.Parts {
		w.Comma()
		w.Open('{')
		if p.Image == nil {
			w.StrField("type", "text")
			w.StrField("text", p.Text)
			if mark && i == last {
				w.RawField("cache_control", []byte(`{"type":"ephemeral"}`))
			}
		} else if err := writeImage(w, p.Image); err != nil {
			return err
		}
		w.Close('}')
	}
	w.Close(']')
	w.Close('}')
	return nil
}

func writeImage(w *jsonout.Writer, img *llm.Image) error {
	mime, err := prompt.MIME(img)
	if err != nil {
		return err
	}
	w.StrField("type", "image_url")
	w.Key("image_url")
	w.Open('{')
	w.Base64Field("url", "data:"+mime+";base64,", img.Data)
	if img.Detail != "" {
		w.StrField("detail", string(img.Detail))
	}
	w.Close('}')
	return nil
}
