package anthropic

import (
	"strings"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/internal/core"
	"github.com/seed-4bdb41d0/webhand/llm/internal/jsonout"
	"github.com/seed-4bdb41d0/webhand/llm/internal/ladder"
	"github.com/seed-4bdb41d0/webhand/llm/internal/prompt"
)

// maxMarkers is how many cache markers one request may carry.
const maxMarkers = 4

// body renders the request for the plan's rung.
func (c *Client) body(t *core.Try, stream bool) (*jsonout.Body, error) {
	req, p := t.Req, t.Plan
	msgs, err := prompt.Prepare(req, p, c.words(t))
	if err != nil {
		return nil, err
	}
	system, msgs := split(msgs)
	w := jsonout.New(prompt.Size(msgs) + prompt.Size(system) + len(t.Schema) + 1024)
	w.Open('{')
	w.StrField("model", c.cfg.Model)
	if !c.own("max_tokens") {
		w.IntField("max_tokens", c.maxTokens(req))
	}
	marks := markers(system, msgs, p)
	if len(system) > 0 {
		w.Key("system")
		w.Open('[')
		for i, m := range system {
			if err := blocks(w, m, marks[i]); err != nil {
				return nil, err
			}
		}
		w.Close(']')
	}
	w.Key("messages")
	w.Open('[')
	for i, m := range msgs {
		w.Comma()
		w.Open('{')
		w.StrField("role", string(m.Role))
		w.Key("content")
		w.Open('[')
		if err := blocks(w, m, marks[len(system)+i]); err != nil {
			return nil, err
		}
		w.Close(']')
		w.Close('}')
	}
	w.Close(']')
	c.settings(w, t)
	c.format(w, t)
	if stream {
		w.RawField("stream", []byte("true"))
	}
	w.Extra(c.extra)
	w.Close('}')
	return w.Body(), nil
}

func (c *Client) own(k string) bool { _, ok := c.extra[k]; return ok }

func (c *Client) maxTokens(req *llm.Request) int {
	n := defaultMaxTokens
	if c.cfg.MaxTokens > 0 {
		n = c.cfg.MaxTokens
	}
	if req.MaxTokens != nil {
		n = *req.MaxTokens
	}
	if b := c.cfg.ThinkingBudget; b > 0 && n <= b { // the cap counts thinking too
		n += b
	}
	return n
}

// words returns what the model must be told of the format in words.
func (c *Client) words(t *core.Try) string {
	switch t.Plan.Rung {
	case llm.RungAutoTool:
		return "Answer by calling the tool " + name(t.Req.Format) + " exactly once."
	case llm.RungPrompt:
		return prompt.Describe(t.Req.Format, t.Schema)
	}
	return ""
}

func name(f *llm.Format) string {
	if f.Name == "" {
		return "answer"
	}
	return f.Name
}

// split takes the system messages that open the conversation apart, for the
// API has a field for them. Later ones become the user's: their place matters
// more than their role. The conversation proper must begin with the user.
func split(msgs []llm.Message) (system, rest []llm.Message) {
	for len(msgs) > 0 && msgs[0].Role == llm.RoleSystem {
		system, msgs = append(system, msgs[0]), msgs[1:]
	}
	rest = make([]llm.Message, 0, len(msgs)+1)
	if len(msgs) == 0 || msgs[0].Role == llm.RoleAssistant {
		rest = append(rest, llm.User("Begin."))
	}
	for _, m := range msgs {
		if m.Role == llm.RoleSystem {
			m.Role = llm.RoleUser
		}
		rest = append(rest, m)
	}
	return system, prompt.MergeRuns(rest)
}

// markers picks the messages that carry a cache marker: the system prompt's
// end, which also covers the tools, and the last of the others.
func markers(system, msgs []llm.Message, p *ladder.Plan) []bool {
	all := append(append([]llm.Message(nil), system...), msgs...)
	out := make([]bool, len(all))
	left := maxMarkers
	mark := func(i int) {
		if left > 0 && !out[i] && all[i].CacheEnd && p.Send(ladder.CacheMarker) {
			out[i] = true
			left--
		}
	}
	for i := len(system) - 1; i >= 0 && left == maxMarkers; i-- {
		mark(i)
	}
	for i := len(all) - 1; i >= len(system); i-- {
		mark(i)
	}
	return out
}

// blocks writes the parts of a message. The marker goes to the last block,
// whatever it is: an image can carry one here.
func blocks(w *jsonout.Writer, m llm.Message, mark bool) error {
	for i, p := range m.Parts {
		text := p.Text
		if p.Image == nil && m.Role == llm.RoleAssistant {
			if text = strings.TrimRight(text, " \t\r\n"); text == "" {
				continue // the API refuses trailing white space there
			}
		}
		w.Comma()
		w.Open('{')
		if p.Image != nil {
			mime, err := prompt.MIME(p.Image)
			if err != nil {
				return err
			}
			w.StrField("type", "image")
			w.Key("source")
			w.Open('{')
			w.StrField("type", "base64")
			w.StrField("media_type", mime)
			w.Base64Field("data", "", p.Image.Data)
			w.Close('}')
		} else {
			w.StrField("type", "text")
			w.StrField("text", text)
		}
		if mark && i == len(m.Parts)-1 {
			w.RawField("cache_control", []byte(`{"type":"ephemeral"}`))
		}
		w.Close('}')
	}
	return nil
}

func (c *Client) settings(w *jsonout.Writer, t *core.Try) {
	req, p := t.Req, t.Plan
	thinks := c.cfg.ThinkingBudget > 0
	if req.Temperature != nil && !thinks && !c.own("temperature") && p.Send("temperature") {
		w.FloatField("temperature", *req.Temperature)
	}
	if req.TopP != nil && !thinks && !c.own("top_p") && p.Send("top_p") {
		w.FloatField("top_p", *req.TopP)
	}
	if req.Seed != nil {
		p.Send("seed") // there is none; the note says so
	}
	if len(req.Stop) > 0 && !c.own("stop_sequences") && p.Send("stop_sequences") {
		w.StrsField("stop_sequences", req.Stop)
	}
	if thinks && !c.own("thinking") && p.Send("thinking") {
		w.Key("thinking")
		w.Open('{')
		w.StrField("type", "enabled")
		w.IntField("budget_tokens", c.cfg.ThinkingBudget)
		w.Close('}')
	}
	if req.Session != "" && !c.own("metadata") && p.Send("metadata") {
		w.Key("metadata")
		w.Open('{')
		w.StrField("user_id", req.Session)
		w.Close('}')
	}
}

// format writes what the rung needs beside the messages, and the effort, which
// shares a field with the schema.
func (c *Client) format(w *jsonout.Writer, t *core.Try) {
	effort := t.Req.ReasoningEffort
	if effort == "minimal" {
		effort = "low" // the lowest there is
	}
	if effort != "" && !t.Plan.Send("effort") {
		effort = ""
	}
	schema := t.Plan.Rung == llm.RungSchema
	if (schema || effort != "") && !c.own("output_config") {
		w.Key("output_config")
		w.Open('{')
		if effort != "" {
			w.StrField("effort", effort)
		}
		if schema {
			w.Key("format")
			w.Open('{')
			w.StrField("type", "json_schema")
			w.RawField("schema", t.Schema)
			w.Close('}')
		}
		w.Close('}')
	}
	if t.Plan.Rung != llm.RungTool && t.Plan.Rung != llm.RungAutoTool {
		return
	}
	w.Key("tools")
	w.Open('[')
	w.Comma()
	w.Open('{')
	w.StrField("name", name(t.Req.Format))
	w.StrField("description", "Gives the answer. Call it exactly once.")
	w.RawField("input_schema", t.Schema)
	w.Close('}')
	w.Close(']')
	w.Key("tool_choice")
	w.Open('{')
	if t.Plan.Rung == llm.RungAutoTool {
		w.StrField("type", "auto")
	} else {
		w.StrField("type", "tool")
		w.StrField("name", name(t.Req.Format))
	}
	w.RawField("disable_parallel_tool_use", []byte("true"))
	w.Close('}')
}
