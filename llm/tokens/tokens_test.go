package tokens_test

import (
	"strings"
	"testing"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/tokens"
)

func TestCountsAsTheModelDoes(t *testing.T) {
	c, err := tokens.For("openai/gpt-4.1-mini")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{"": 0, "hello world": 2} {
		if got, err := c.Text(text); err != nil || got != want {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
	if _, err := tokens.For("claude-sonnet-4-5"); err == nil {
		t.Error("a tokenizer for Claude")
	}
}

// TestEstimateIsNearTheCount holds what llm.EstimateTokens says of itself.
func TestEstimateIsNearTheCount(t *testing.T) {
	c, err := tokens.For("gpt-4.1")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		strings.Repeat("Add to cart. Free delivery for orders over 50 euro, and returns within thirty days. ", 40),
		strings.Repeat("[12]<button aria-expanded=false>Menu\n\t[13]<a href=/products/lamp-3>Desk lamp, 39.90\n", 40),
		strings.Repeat(`{"memory":"The form is filled","action":[{"input":{"index":4,"text":"Oslo"}}]}`, 40),
		strings.Repeat("Größe wählen und in den Warenkorb legen. ", 40),
		strings.Repeat("カートに追加する。送料無料。", 40),
	} {
		req := &llm.Request{Messages: []llm.Message{llm.User(text)}}
		exact, err := c.Request(req)
		if err != nil {
			t.Fatal(err)
		}
		if got := llm.EstimateTokens(req); got < exact*3/5 || got > exact*8/5 {
			t.Errorf("%.30q...: estimate %d, exact %d", text, got, exact)
		}
	}
}
