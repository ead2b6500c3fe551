package agent

import (
	"bytes"
	_ "embed"
	"fmt"
	"reflect"
	"strings"
	"text/template"
)

// The names of the fences around text that web sites wrote. The prompt, the
// renderer of past steps and the one of the page share them.
const (
	fencePage   = "page"
	fenceResult = "result"
	fenceRead   = "read"
)

//go:embed prompts/system.tmpl
var systemText string

var systemTemplate = template.Must(template.New("system").Parse(systemText))

// promptField is a field of the answer, as schema and prompt describe it.
type promptField struct{ Name, Text string }

// answerFields reads the fields of an envelope from its tags.
func answerFields(envelope any) []promptField {
	return fieldsOf(reflect.TypeOf(envelope))
}

func fieldsOf(t reflect.Type) []promptField {
	var out []promptField
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			out = append(out, fieldsOf(f.Type)...)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		out = append(out, promptField{name, f.Tag.Get("jsonschema_description")})
	}
	return out
}

// systemPrompt is the message that stays the same through the whole run.
func (c Config) systemPrompt() (string, error) {
	text := strings.ReplaceAll(c.Prompt.Override, "{max_actions}", fmt.Sprint(c.Limits.Actions))
	if text == "" {
		var b bytes.Buffer
		err := systemTemplate.Execute(&b, map[string]any{
			"Page": fencePage, "Result": fenceResult, "Read": fenceRead,
			"Format":     pageFormat,
			"See":        string(c.Vision.See),
			"Marks":      !c.Vision.NoMarks,
			"MaxActions": c.Limits.Actions,
			"ReadOnly":   c.ReadOnly,
			"Plan":       !c.Plan.Off,
			"Summaries":  !c.Compaction.Off,
			"Fields":     answerFields(c.Prompt.Style.fields(!c.Plan.Off)),
		})
		if err != nil {
			return "", fmt.Errorf("agent: system prompt: %w", err)
		}
		text = strings.TrimSpace(b.String())
	}
	if c.Prompt.Extend != "" {
		text += "\n\n" + c.Prompt.Extend
	}
	return text, nil
}

// fence puts text that web sites wrote between tags that carry the nonce of
// this call. Whatever in the text looks like the nonce loses it.
func fence(name, nonce, text string) string {
	text = strings.ReplaceAll(text, nonce, strings.Repeat("_", len(nonce)))
	return fmt.Sprintf("<%s-%s>\n%s\n</%s-%s>", name, nonce, strings.TrimRight(text, "\n"), name, nonce)
}
