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

func TestCustomActions(t *testing.T) {
	m := scripted(`{"navigate":{"url":"SHOP/help"}}`, `{"count_products":{}}`, `{"navigate":{"url":"SHOP/shop"}}`, `{"count_products":{}}`,
		`{"save_product":{"name":"Mug","price":9.5}}`, `{"save_product":{"name":"Mug","price":0}}`, `{"done":{"text":"saved it"}}`)
	var out bytes.Buffer
	if err := run(testContext(t), &out, m); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); got != "saved {\"name\":\"Mug\",\"price\":9.5}\nsaved it\n" {
		t.Errorf("printed %q", got)
	}
	asked := m.Requests()
	last := func(n int) string { ms := asked[n].Messages; return ms[len(ms)-1].Text() }
	for n, want := range map[int]string{2: "not available", 4: "products", 6: "price"} {
		all := ""
		for _, msg := range asked[n].Messages {
			all += msg.Text()
		}
		if !strings.Contains(all, want) {
			t.Errorf("request %d does not say %q:\n%s", n, want, last(n))
		}
	}
}
