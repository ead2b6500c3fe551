package secondrun

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/agent"
	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/internal/demosite"
	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/llmtest"
	"github.com/seed-4bdb41d0/webhand/memory/longterm"
	"github.com/seed-4bdb41d0/webhand/memory/sqlite"
)

// shopper is a model that looks for a teapot: through the shop's front door,
// or straight to an address that a hint of an earlier run names.
func shopper(base string) *llmtest.Script {
	hinted := regexp.MustCompile(`http://[^\s"}]+/product/orchard-teapot`)
	say := func(goal, action string) llmtest.Answer {
		return llmtest.Text(fmt.Sprintf(`{"evaluation_previous_goal":"fine","memory":"looking for the teapot","next_goal":%q,"action":[%s]}`, goal, action))
	}
	return &llmtest.Script{Func: func(_ int, req *llm.Request) llmtest.Answer {
		page := req.Messages[len(req.Messages)-1].Text()
		hints := ""
		for _, m := range req.Messages {
			if _, after, ok := strings.Cut(m.Text(), "Hints that earlier runs left behind"); ok {
				hints = after
			}
		}
		switch {
		case strings.Contains(page, "Read the reviews"):
			return say("answer", `{"done":{"text":"The Orchard Teapot costs 42 euro","success":true}}`)
		case hinted.MatchString(hints):
			return say("open the product", fmt.Sprintf(`{"navigate":{"url":%q}}`, hinted.FindString(hints)))
		case strings.Contains(page, "/shop?category=Kitchen&q=teapot"):
			return say("open the teapot", fmt.Sprintf(`{"navigate":{"url":%q}}`, base+"/product/orchard-teapot"))
		case strings.Contains(page, base+"/shop"):
			return say("look in the kitchen", fmt.Sprintf(`{"navigate":{"url":%q}}`, base+"/shop?category=Kitchen&q=teapot"))
		}
		return say("open the shop", fmt.Sprintf(`{"navigate":{"url":%q}}`, base+"/shop"))
	}}
}

// TestSecondRunNeedsFewerModelCalls has an agent do one task twice in real
// Chrome on the demo shop, with a memory file between the runs and nothing
// else.
func TestSecondRunNeedsFewerModelCalls(t *testing.T) {
	if _, err := browser.FindChrome(); err != nil {
		t.Skip("there is no Chrome on this machine")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	defer cancel()
	site, err := demosite.Start(ctx, demosite.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer site.Close()
	path := filepath.Join(t.TempDir(), "memory.db")
	run := func() (calls int) {
		t.Helper()
		mem, err := sqlite.Open(ctx, path, longterm.Config{})
		if err != nil {
			t.Fatal(err)
		}
		defer mem.Close()
		model := shopper(site.URL)
		h, err := agent.Run(ctx, "Find the price of the Orchard Teapot in the shop at "+site.URL, agent.Config{
			LLM: model, Memory: agent.LongTerm{Store: mem}, BrowserConfig: browser.Config{NoSandbox: true},
		})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(h.Final(), "42 euro") {
			t.Fatalf("the run ended with %q after %d model calls", h.Final(), model.Calls())
		}
		return model.Calls()
	}
	first := run()
	second := run()
	t.Logf("model calls: %d, then %d", first, second)
	if second >= first {
		t.Errorf("the second run took %d model calls, the first %d", second, first)
	}
}
