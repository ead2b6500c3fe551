package anthropic_test

import (
	"testing"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/anthropic"
	"github.com/seed-4bdb41d0/webhand/llm/llmtest"
)

func TestConformance(t *testing.T) {
	for _, start := range []string{"", llm.RungSchema} {
		t.Run(start, func(t *testing.T) {
			llmtest.TestProvider(t, true, func(s llmtest.Settings) llm.Client {
				return anthropic.New(anthropic.Config{
					Model: "claude-sonnet-4-5", APIKey: s.Key(), BaseURL: s.Server.Anthropic(), Start: start,
					Timeout: s.Timeout, Stall: s.Stall, Stream: s.Stream,
				})
			})
		})
	}
}
