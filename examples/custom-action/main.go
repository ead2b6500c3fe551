// Custom-action adds two actions to the built-in ones: one that saves what the
// model found, and one that exists on the pages of one site only.
//
//	OPENAI_API_KEY=... go run ./examples/custom-action
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/seed-4bdb41d0/webhand/agent"
	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/internal/demosite"
	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/openai"
	"github.com/seed-4bdb41d0/webhand/registry"
	"github.com/seed-4bdb41d0/webhand/tools"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	model := openai.New(openai.Config{Model: "gpt-4.1-mini", APIKey: os.Getenv("OPENAI_API_KEY"), BaseURL: os.Getenv("OPENAI_BASE_URL")})
	if err := run(ctx, os.Stdout, model); err != nil {
		fmt.Fprintln(os.Stderr, "custom-action:", err)
		stop()
		os.Exit(1)
	}
}

// Product is what the model hands over: its tags are the schema it sees.
type Product struct {
	Name  string  `json:"name" jsonschema:"minLength=1"`
	Price float64 `json:"price" jsonschema:"exclusiveMinimum=0" jsonschema_description:"in euros"`
}

func run(ctx context.Context, w io.Writer, model llm.Client) error {
	site, err := demosite.Start(ctx, demosite.Config{})
	if err != nil {
		return err
	}
	defer site.Close()

	ts := tools.New()
	// A closure holds what is the program's own.
	ts.MustAdd(registry.Spec{Name: "save_product", Description: "Save a product to the list. Use it once for each product."},
		func(_ context.Context, p Product) (string, error) {
			line, err := json.Marshal(p)
			if err != nil {
				return "", err
			}
			_, err = fmt.Fprintf(w, "saved %s\n", line)
			return "Saved " + p.Name, err
		})
	// On other pages the model does not see this action and cannot run it.
	ts.MustAdd(registry.Spec{
		Name: "count_products", Description: "Count the products that the shop's page lists.",
		Domains: []string{site.URL + "/shop*"}, ReadOnly: true,
	}, func(ctx context.Context, s *browser.Session) (string, error) {
		_, n, err := s.FindElements(ctx, "main a[href^='/product/']", nil, 1)
		return fmt.Sprintf("The page links to %d products", n), err
	})

	h, err := agent.Run(ctx, "Count the products on "+site.URL+"/shop and save the cheapest mug.",
		agent.Config{LLM: model, Tools: ts})
	if err != nil {
		return err
	}
	fmt.Fprintln(w, h.Final())
	if !h.Succeeded() {
		return errors.New("the task was not achieved")
	}
	return nil
}
