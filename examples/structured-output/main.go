// Structured-output asks for an answer that is a Go value: the type argument is
// the schema that the model has to fill.
//
//	OPENAI_API_KEY=... go run ./examples/structured-output
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/seed-4bdb41d0/webhand/agent"
	"github.com/seed-4bdb41d0/webhand/internal/demosite"
	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/openai"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	model := openai.New(openai.Config{Model: "gpt-4.1-mini", APIKey: os.Getenv("OPENAI_API_KEY"), BaseURL: os.Getenv("OPENAI_BASE_URL")})
	if err := run(ctx, os.Stdout, model); err != nil {
		fmt.Fprintln(os.Stderr, "structured-output:", err)
		stop()
		os.Exit(1)
	}
}

// Offer is one product.
type Offer struct {
	Name  string  `json:"name"`
	Price float64 `json:"price" jsonschema:"minimum=0" jsonschema_description:"in euros"`
}

// Offers is the answer.
type Offers struct {
	Offers []Offer `json:"offers" jsonschema:"minItems=1,maxItems=3"`
}

func run(ctx context.Context, w io.Writer, model llm.Client) error {
	site, err := demosite.Start(ctx, demosite.Config{})
	if err != nil {
		return err
	}
	defer site.Close()
	answer, _, err := agent.RunFor[Offers](ctx, "Which are the first three mugs on "+site.URL+"/shop?q=mug, and what do they cost?",
		agent.Config{LLM: model})
	if err != nil {
		return err
	}
	for _, o := range answer.Offers {
		fmt.Fprintf(w, "%-30s %8.2f\n", o.Name, o.Price)
	}
	return nil
}
