package openai

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/internal/ladder"
	"github.com/seed-4bdb41d0/webhand/llm/internal/prompt"
)

// The request body is written here and not by go-openai, which cannot say a
// temperature of zero, a cache marker or a field of another provider's, and
// copies a screenshot several times over on the way.

// writer appends JSON to a buffer.
type writer struct {
	b     []byte
	first bool
}

func (w *writer) open(c byte) { w.b = append(w.b, c); w.first = true }

func (w *writer) close(c byte) { w.b = append(w.b, c); w.first = false }

func (w *writer) comma() {
	if !w.first {
		w.b = append(w.b, ',')
	}
	w.first = false
}

func (w *writer) key(k string) {
	w.comma()
	w.str(k)
	w.b = append(w.b, ':')
}

// str appends a JSON string. Invalid UTF-8 becomes the replacement character,
// which is what the ignored error says.
func (w *writer) str(s string) { w.b, _ = jsontext.AppendQuote(w.b, s) }

func (w *writer) strField(k, v string) { w.key(k); w.str(v) }

func (w *writer) rawField(k string, v []byte) { w.key(k); w.b = append(w.b, v...) }

func (w *writer) intField(k string, v int) { w.key(k); w.b = strconv.AppendInt(w.b, int64(v), 10) }

func (w *writer) floatField(k string, v float64) {
	w.key(k)
	w.b = strconv.AppendFloat(w.b, v, 'g', -1, 64)
}

// body renders the request for the plan's rung.
func (c *Client) body(req *llm.Request, p *ladder.Plan, schema []byte, strict bool, stream bool) ([]byte, error) {
	msgs, err := prompt.Prepare(req, prompt.Options{
		Words:    c.words(req.Format, p.Rung, schema),
		NoImages: hasImages(req) && !p.Send(ladder.Images),
		Merge:    hasRuns(req) && !p.Send(ladder.RoleRuns),
		NoSystem: hasSystem(req) && !p.Send(ladder.SystemRole),
	})
	if err != nil {
		return nil, c.refuse(err.Error())
	}
	w := &writer{b: make([]byte, 0, prompt.Size(msgs)+len(schema)+1024)}
	w.open('{')
	w.strField("model", c.cfg.Model)
	w.key("messages")
	w.open('[')
	marks := c.marks(msgs, p)
	for i, m := range msgs {
		w.comma()
		if err := w.message(m, marks[i]); err != nil {
			return nil, c.refuse(err.Error())
		}
	}
	w.close(']')
	c.settings(w, req, p)
	c.format(w, req.Format, p, schema, strict)
	if stream {
		w.rawField("stream", []byte("true"))
		if p.Send("stream_options") {
			w.rawField("stream_options", []byte(`{"include_usage":true}`))
		}
	}
	for _, k := range slices.Sorted(maps.Keys(c.extra)) {
		w.rawField(k, c.extra[k])
	}
	w.close('}')
	return w.b, nil
}

// own reports whether the caller's Extra fields replace k.
func (c *Client) own(k string) bool { _, ok := c.extra[k]; return ok }

// settings writes the sampling settings that the model takes.
func (c *Client) settings(w *writer, req *llm.Request, p *ladder.Plan) {
	if req.Temperature != nil && !c.own("temperature") && p.Send("temperature") {
		w.floatField("temperature", *req.Temperature)
	}
	if req.TopP != nil && !c.own("top_p") && p.Send("top_p") {
		w.floatField("top_p", *req.TopP)
	}
	if req.Seed != nil && !c.own("seed") && p.Send("seed") {
		w.intField("seed", *req.Seed)
	}
	if len(req.Stop) > 0 && !c.own("stop") && p.Send("stop") {
		w.key("stop")
		w.open('[')
		for _, s := range req.Stop {
			w.comma()
			w.str(s)
		}
		w.close(']')
	}
	if req.MaxTokens != nil {
		name := c.profile.TokenParam
		if !p.Send(ladder.TokenCap) {
			name = otherCap(name)
		}
		p.Send(name)
		if !c.own(name) {
			w.intField(name, *req.MaxTokens)
		}
	}
	if req.ReasoningEffort != "" && !c.own("reasoning_effort") && p.Send("reasoning_effort") {
		w.strField("reasoning_effort", req.ReasoningEffort)
	}
	if req.Session != "" && c.endpoint.Name == "openai" && c.known && p.Send("prompt_cache_key") {
		w.strField("prompt_cache_key", req.Session)
	}
}

func otherCap(name string) string {
	if name == "max_tokens" {
		return "max_completion_tokens"
	}
	return "max_tokens"
}

// format writes what the rung needs beside the messages.
func (c *Client) format(w *writer, f *llm.Format, p *ladder.Plan, schema []byte, strict bool) {
	switch p.Rung {
	case llm.RungSchema:
		w.key("response_format")
		w.open('{')
		w.strField("type", "json_schema")
		w.key("json_schema")
		w.open('{')
		w.strField("name", name(f))
		if strict && p.Send(ladder.Strict) {
			w.rawField("strict", []byte("true"))
		}
		w.rawField("schema", schema)
		w.close('}')
		w.close('}')
	case llm.RungTool, llm.RungAutoTool:
		w.key("tools")
		w.open('[')
		w.comma()
		w.open('{')
		w.strField("type", "function")
		w.key("function")
		w.open('{')
		w.strField("name", name(f))
		w.strField("description", "Gives the answer. Call it exactly once.")
		w.rawField("parameters", schema)
		w.close('}')
		w.close('}')
		w.close(']')
		if p.Rung == llm.RungAutoTool {
			w.strField("tool_choice", "auto")
			return
		}
		w.key("tool_choice")
		w.open('{')
		w.strField("type", "function")
		w.key("function")
		w.open('{')
		w.strField("name", name(f))
		w.close('}')
		w.close('}')
	case llm.RungObject:
		w.rawField("response_format", []byte(`{"type":"json_object"}`))
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

func (w *writer) message(m llm.Message, mark bool) error {
	w.open('{')
	w.strField("role", string(m.Role))
	w.key("content")
	if !mark && !slices.ContainsFunc(m.Parts, func(p llm.Part) bool { return p.Image != nil }) {
		w.str(m.Text()) // some servers take nothing but a string
		w.close('}')
		return nil
	}
	last := -1 // the last text carries the marker: an image cannot
	for i, p := range m.Parts {
		if p.Image == nil {
			last = i
		}
	}
	w.open('[')
	for i, p := range m.Parts {
		w.comma()
		w.open('{')
		if p.Image == nil {
			w.strField("type", "text")
			w.strField("text", p.Text)
			if mark && i == last {
				w.rawField("cache_control", []byte(`{"type":"ephemeral"}`))
			}
		} else if err := w.image(p.Image); err != nil {
			return err
		}
		w.close('}')
	}
	w.close(']')
	w.close('}')
	return nil
}

func (w *writer) image(img *llm.Image) error {
	if len(img.Data) == 0 {
		return fmt.Errorf("an image of type %q has no data", img.MIME)
	}
	mime := img.MIME
	if mime == "" {
		mime = http.DetectContentType(img.Data)
	}
	if !strings.HasPrefix(mime, "image/") {
		return fmt.Errorf("an image of type %q is not an image", mime)
	}
	w.strField("type", "image_url")
	w.key("image_url")
	w.open('{')
	w.key("url")
	w.b = append(w.b, `"data:`...)
	w.b = append(w.b, mime...)
	w.b = append(w.b, ";base64,"...)
	w.b = base64.StdEncoding.AppendEncode(w.b, img.Data)
	w.b = append(w.b, '"')
	if img.Detail != "" {
		w.strField("detail", string(img.Detail))
	}
	w.close('}')
	return nil
}

func hasImages(req *llm.Request) bool {
	for _, m := range req.Messages {
		for _, p := range m.Parts {
			if p.Image != nil {
				return true
			}
		}
	}
	return false
}

func hasSystem(req *llm.Request) bool {
	return slices.ContainsFunc(req.Messages, func(m llm.Message) bool { return m.Role == llm.RoleSystem })
}

func hasRuns(req *llm.Request) bool {
	for i := 1; i < len(req.Messages); i++ {
		if req.Messages[i].Role == req.Messages[i-1].Role {
			return true
		}
	}
	return false
}

// marshalExtra renders the caller's own fields once.
func marshalExtra(extra map[string]any) (map[string]json.RawMessage, error) {
	out := make(map[string]json.RawMessage, len(extra))
	for k, v := range extra {
		raw, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("Config.Extra[%q]: %w", k, err)
		}
		out[k] = raw
	}
	return out, nil
}
