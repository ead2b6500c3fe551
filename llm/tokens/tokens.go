// Package tokens counts tokens exactly, for models whose tokenizer is public.
// It embeds the vocabularies, some megabytes of them, and is slow on long
// texts: for a decision that need not be exact use [llm.EstimateTokens].
package tokens

import (
	"fmt"
	"strings"
	"sync"

	"github.com/tiktoken-go/tokenizer"

	"github.com/seed-4bdb41d0/webhand/llm"
)

// Counter counts for one model. It is safe for concurrent use.
type Counter struct {
	mu    sync.Mutex // the codec does not say that it may be shared
	codec tokenizer.Codec
}

// For returns the counter of a model, or an error when its tokenizer is not
// public, as with Claude and Gemini.
func For(model string) (*Counter, error) {
	name := strings.ToLower(model[strings.LastIndex(model, "/")+1:])
	encoding := tokenizer.Encoding("")
	switch {
	case hasPrefix(name, "gpt-4o", "gpt-4.1", "gpt-5", "gpt-6", "gpt-oss", "chatgpt-4o", "o1", "o3", "o4"):
		encoding = tokenizer.O200kBase
	case hasPrefix(name, "gpt-4", "gpt-3.5"):
		encoding = tokenizer.Cl100kBase
	default:
		return nil, fmt.Errorf("tokens: the tokenizer of %s is not known; use llm.EstimateTokens", model)
	}
	codec, err := tokenizer.Get(encoding)
	if err != nil {
		return nil, fmt.Errorf("tokens: %w", err)
	}
	return &Counter{codec: codec}, nil
}

func hasPrefix(s string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// Text counts the tokens of a text.
func (c *Counter) Text(s string) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, err := c.codec.Count(s)
	if err != nil {
		return 0, fmt.Errorf("tokens: %w", err)
	}
	return n, nil
}

// Request counts the tokens of a request's texts, with the few that separate
// messages. Images are estimated.
func (c *Counter) Request(req *llm.Request) (int, error) {
	total := 3
	for _, m := range req.Messages {
		total += 4
		for _, p := range m.Parts {
			if p.Image != nil {
				total += llm.EstimateTokens(&llm.Request{Messages: []llm.Message{{Parts: []llm.Part{p}}}}) - 7
				continue
			}
			n, err := c.Text(p.Text)
			if err != nil {
				return 0, err
			}
			total += n
		}
	}
	return total, nil
}
