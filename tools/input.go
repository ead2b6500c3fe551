package tools

import (
	"context"
	"fmt"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// InputParams are the parameters of input.
type InputParams struct {
	Index int    `json:"index" jsonschema:"minimum=1" jsonschema_description:"the field's number"`
	Text  string `json:"text" jsonschema_description:"dates as YYYY-MM-DD, times as HH:MM; a line break at the end of a single line presses Enter"`
	Clear bool   `json:"clear" jsonschema:"default=true" jsonschema_description:"false appends to what is there"`
}

// SendKeysParams are the parameters of send_keys.
type SendKeysParams struct {
	Keys string `json:"keys" jsonschema:"minLength=1" jsonschema_description:"a key (Enter, Escape, PageDown, F5), keys together (Control+A, Shift+Tab), keys one after another (Tab Tab Enter), quoted text among keys (\"hello\" Enter), or plain text"`
}

func inputActions() []builtin {
	return []builtin{{
		registry.Spec{
			Name: "input", SecretFields: []string{"text"},
			Description: "Fill a field with text, replacing what is in it. Also for dates, times, colours and sliders.",
		},
		input,
	}}
}

func keyActions() []builtin {
	return []builtin{{
		registry.Spec{
			Name: "send_keys", SecretFields: []string{"keys"},
			Description: "Press keys, or type text into what has the focus.",
		},
		sendKeys,
	}}
}

func input(ctx context.Context, p InputParams, s *browser.Session, filled registry.Placeholders) (*registry.Result, error) {
	secret := len(filled) > 0
	eff, err := s.Input(ctx, p.Index, p.Text, browser.InputOptions{Append: !p.Clear, Secret: secret})
	if err != nil {
		return acted("", eff, failedTo("input", err))
	}
	text := fmt.Sprintf("Typed %q into ", p.Text)
	switch {
	case secret:
		text = "Typed the secret into "
	case p.Text == "" && p.Clear:
		text = "Emptied "
	case !p.Clear:
		text = fmt.Sprintf("Added %q to ", p.Text)
	}
	return acted(text+element(p.Index, eff.What), eff, nil)
}

func sendKeys(ctx context.Context, p SendKeysParams, s *browser.Session, filled registry.Placeholders) (*registry.Result, error) {
	eff, err := s.SendKeys(ctx, p.Keys)
	if err != nil {
		return acted("", eff, failedTo("send_keys", err))
	}
	keys := p.Keys
	if len(filled) > 0 {
		keys = "the secret"
	}
	text := "Sent " + keys
	if eff.What != "" {
		text += " to " + eff.What
	}
	return acted(text, eff, nil)
}
