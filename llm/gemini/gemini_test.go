package gemini_test

import (
	"testing"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/gemini"
	"github.com/seed-4bdb41d0/webhand/llm/llmtest"
)

func TestConformance(t *testing.T) {
	llmtest.TestProvider(t, true, func(s llmtest.Settings) llm.Client {
		return gemini.New(gemini.Config{
			Model: "gemini-2.5-flash", APIKey: s.Key(), BaseURL: s.Server.Gemini(),
			Timeout: s.Timeout, Stall: s.Stall, Stream: s.Stream,
		})
	})
}
