package longterm

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"

	"github.com/seed-4bdb41d0/webhand/llm"
)

// seeImages turns every message into plain text: images are described where
// Config.Vision asks for it, and left out otherwise.
func (m *Memory) seeImages(ctx context.Context, a *adding) error {
	kept := a.messages[:0]
	for _, msg := range a.messages {
		if msg.hasImage() && msg.Role != "system" && m.cfg.Vision {
			text, err := m.describe(ctx, msg)
			if err != nil {
				return err
			}
			msg = Message{Role: msg.Role, Name: msg.Name, Content: m.redact(text)}
		} else if msg.Parts != nil {
			if msg.hasImage() {
				a.warnings = append(a.warnings, "an image was left out; set Config.Vision to have it described")
			}
			msg = Message{Role: msg.Role, Name: msg.Name, Content: msg.text()}
			if msg.Content == "" {
				continue
			}
		}
		kept = append(kept, msg)
	}
	a.messages = kept
	return nil
}

func (m *Memory) describe(ctx context.Context, msg Message) (string, error) {
	if m.cfg.Describe != nil {
		text, err := m.cfg.Describe(ctx, msg)
		if err != nil {
			return "", fmt.Errorf("%w: %w", ErrVision, err)
		}
		return text, nil
	}
	if m.cfg.LLM == nil {
		return "", fmt.Errorf("%w: %w: set Config.LLM or Config.Describe", ErrVision, ErrNoLLM)
	}
	ask := llm.Message{Role: llm.RoleUser, Parts: []llm.Part{{Text: visionPrompt}}}
	for _, p := range msg.Parts {
		if p.ImageURL == "" {
			ask.Parts = append(ask.Parts, llm.Part{Text: p.Text})
			continue
		}
		img, err := decodeImage(p.ImageURL)
		if err != nil {
			return "", fmt.Errorf("%w: %w", ErrVision, err)
		}
		img.Detail = m.cfg.VisionDetail
		if p.Detail != "" {
			img.Detail = llm.Detail(p.Detail)
		}
		ask.Parts = append(ask.Parts, llm.Part{Image: img})
	}
	res, err := m.cfg.LLM.Complete(ctx, &llm.Request{Messages: []llm.Message{ask}})
	if err != nil {
		return "", fmt.Errorf("%w: %w: %w", ErrVision, ErrLLM, err)
	}
	text := strings.TrimSpace(stripThinking(res.Text))
	if text == "" {
		return "", fmt.Errorf("%w: the model answered nothing", ErrVision)
	}
	return text, nil
}

// decodeImage reads a data URL (RFC 2397).
func decodeImage(s string) (*llm.Image, error) {
	rest, ok := strings.CutPrefix(s, "data:")
	if !ok {
		return nil, fmt.Errorf("%.80q is an address and nothing is downloaded here: give the image as a data URL, or set Config.Describe", s)
	}
	head, body, ok := strings.Cut(rest, ",")
	if !ok {
		return nil, fmt.Errorf("a data URL has no comma")
	}
	mime, isBase64 := strings.CutSuffix(head, ";base64")
	if !strings.HasPrefix(mime, "image/") {
		return nil, fmt.Errorf("a data URL of type %.40q is not an image", mime)
	}
	decode := func(s string) ([]byte, error) {
		text, err := url.PathUnescape(s)
		return []byte(text), err
	}
	if isBase64 {
		decode = base64.StdEncoding.DecodeString
	}
	data, err := decode(body)
	if err != nil {
		return nil, fmt.Errorf("a data URL is broken: %w", err)
	}
	return &llm.Image{MIME: mime, Data: data}, nil
}
