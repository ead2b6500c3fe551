package main

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/llmtest"
)

// shop finds the address of the shop in what the model is told.
var shop = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

// scripted answers with one action a step, SHOP standing for the shop's
// address.
func scripted(actions ...string) *llmtest.Script {
	return &llmtest.Script{Func: func(n int, req *llm.Request) llmtest.Answer {
		var told strings.Builder
		for _, m := range req.Messages {
			told.WriteString(m.Text())
		}
		action := strings.ReplaceAll(actions[min(n, len(actions)-1)], "SHOP", shop.FindString(told.String()))
		return llmtest.Text(fmt.Sprintf(`{"thinking":"","evaluation_previous_goal":"","memory":"","next_goal":"","action":[%s]}`, action))
	}}
}

func testContext(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func TestStructuredOutput(t *testing.T) {
	m := scripted(`{"navigate":{"url":"SHOP/shop?q=mug"}}`, `{"done":{"data":{"offers":[]},"success":true}}`,
		`{"done":{"data":{"offers":[{"name":"Blue mug","price":9.5}]},"success":true}}`)
	var out bytes.Buffer
	if err := run(testContext(t), &out, m); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "Blue mug") || !strings.Contains(out.String(), "9.50") {
		t.Errorf("printed %q", out.String())
	}
}
