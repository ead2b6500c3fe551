package llm_test

import (
	"math"
	"strings"
	"testing"

	"github.com/seed-4bdb41d0/webhand/llm"
)

func TestModelsAreFoundByEveryNameTheyHave(t *testing.T) {
	for _, tt := range []struct {
		provider, model string
		input           float64
	}{
		{"openai", "gpt-4.1-mini", 0.4}, {"openai", "gpt-4.1-mini-2025-04-14", 0.4}, {"azure", "gpt-4.1", 2},
		{"openrouter", "openai/gpt-4.1", 2}, {"anthropic", "claude-sonnet-4-5-20250929", 3}, {"anthropic", "claude-sonnet-4-20250514", 3},
		{"bedrock", "us.anthropic.claude-haiku-4-5-20251001-v1:0", 1}, {"gemini", "models/gemini-2.5-flash", 0.3}, {"gemini", "gemini-2.5-flash-preview-09-2025", 0.3},
		{"xai", "grok-4-0709", 3}, {"ollama", "llama3.3:70b", 0}, {"openrouter", "deepseek/deepseek-r1:free", 0},
	} {
		m, ok := llm.Models().Lookup(tt.provider, tt.model)
		if !ok || m.Input != tt.input {
			t.Errorf("%s %s: %+v, %v; want %v", tt.provider, tt.model, m, ok, tt.input)
		}
	}
	for _, name := range []string{"", "gpt", "my-model", "gpt-4.1-mini-tuned-by-me"} {
		if m, ok := llm.Models().Lookup("openai", name); ok {
			t.Errorf("%q is taken for %+v", name, m)
		}
	}
}

func TestTableIsSound(t *testing.T) {
	table := llm.Models()
	if len(table.Date) != len("2026-01-02") || len(table.Models) < 100 {
		t.Fatalf("date %q, %d models", table.Date, len(table.Models))
	}
	for name, m := range table.Models {
		if m.Input < 0 || m.Output < 0 || m.Cached > m.Input || m.Output > 1000 || strings.ToLower(name) != name || m.Context < 0 || (m.Long == nil) != (m.LongOver == 0) {
			t.Errorf("%s: %+v", name, m)
		}
	}
}

func TestCost(t *testing.T) {
	m := llm.Model{Input: 10, Cached: 1, CacheWrite: 12, Output: 50, LongOver: 1000, Long: &llm.Model{Input: 20, Output: 100}}
	for _, tt := range []struct {
		use  llm.Usage
		want float64
	}{
		{llm.Usage{Input: 1000, Cached: 500, CacheWrite: 100, Output: 10, Reasoning: 5}, (400*10 + 500*1 + 100*12 + 10*50) / 1e6},
		{llm.Usage{Input: 1001, Cached: 1, Output: 1}, (1001*20 + 100) / 1e6},
		{llm.Usage{}, 0},
	} {
		if got := m.Cost(tt.use); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("%+v costs %v, want %v", tt.use, got, tt.want)
		}
	}
}

func TestTableCanBeReplaced(t *testing.T) {
	own, err := llm.ReadModels(strings.NewReader(`{"date":"2030-01-01","models":{"mine":{"input":1,"output":2,"vision":true}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if m, ok := own.Lookup("openai", "mine"); !ok || m.Vision != llm.Yes {
		t.Errorf("%+v, %v", m, ok)
	}
	with := llm.Models().With(map[string]llm.Model{"gpt-4.1": {Input: 99}})
	if m, _ := with.Lookup("", "gpt-4.1"); m.Input != 99 {
		t.Errorf("%+v", m)
	}
	if m, _ := llm.Models().Lookup("", "gpt-4.1"); m.Input == 99 {
		t.Error("the embedded table changed")
	}
}

func TestEstimate(t *testing.T) {
	for _, tt := range []struct {
		text      string
		low, high int
	}{
		{"", 0, 0},
		{strings.Repeat("The quick brown fox jumps over the lazy dog. ", 100), 700, 1300},
		{strings.Repeat(`[12]<button aria-expanded=false>Menu `, 100), 800, 1700},
		{strings.Repeat("漢字かな", 100), 300, 700},
	} {
		if got := llm.EstimateText(tt.text); got < tt.low || got > tt.high {
			t.Errorf("%.20q...: %d, want %d to %d", tt.text, got, tt.low, tt.high)
		}
	}
}
