package openai_test

import (
	"testing"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/llmtest"
	"github.com/seed-4bdb41d0/webhand/llm/openai"
)

func TestConformance(t *testing.T) {
	for _, start := range []string{llm.RungSchema, llm.RungTool, llm.RungObject} {
		t.Run(start, func(t *testing.T) {
			llmtest.TestProvider(t, true, func(s llmtest.Settings) llm.Client {
				return openai.New(openai.Config{
					Model: "gpt-4.1-mini", APIKey: s.Key(), BaseURL: s.Server.OpenAI(),
					Timeout: s.Timeout, Stall: s.Stall, Stream: s.Stream,
					Profile: openai.Profile{Start: start},
				})
			})
		})
	}
}

func TestConformanceOnAzure(t *testing.T) {
	llmtest.TestProvider(t, true, func(s llmtest.Settings) llm.Client {
		return openai.New(openai.Config{
			Model: "gpt-4.1-mini", APIKey: s.Key(), BaseURL: s.Server.Azure(), Azure: openai.Azure{Deployment: "mine"},
			Timeout: s.Timeout, Stall: s.Stall, Stream: s.Stream,
		})
	})
}
