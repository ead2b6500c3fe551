// Workflow runs a workflow document, without a model unless a step asks for
// one.
//
//	go run ./examples/workflow                              # orders two mugs in the embedded shop
//	go run ./examples/workflow -f order.json -in city=Oslo
//
// -in name=value gives an input; a list is JSON. What the workflow gives is
// printed as JSON. -schema prints the JSON Schema of workflow documents.
package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/seed-4bdb41d0/webhand/agent"
	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/examples/internal/secretsfile"
	"github.com/seed-4bdb41d0/webhand/internal/demosite"
	"github.com/seed-4bdb41d0/webhand/llm/providers"
)

//go:embed order.workflow.json
var order []byte

// today is the shop's date; the workflow's default delivery date comes after it.
var today = time.Date(2026, 11, 27, 10, 0, 0, 0, time.UTC)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "workflow:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out, diag io.Writer) error {
	fs := flag.NewFlagSet("workflow", flag.ContinueOnError)
	fs.SetOutput(diag)
	file := fs.String("f", "", "the workflow document; without one an order in the embedded shop")
	secrets := fs.String("secrets", "", "JSON file with secrets")
	headful := fs.Bool("headful", false, "show the browser")
	miss := fs.String("on-miss", "stop", "when an action cannot be done: stop, skip, retry or heal (asks a model)")
	schema := fs.Bool("schema", false, "print the JSON Schema of workflow documents")
	inputs := map[string]any{}
	fs.Func("in", "name=value, an input; may be repeated", func(s string) error {
		name, value, ok := strings.Cut(s, "=")
		if !ok {
			return errors.New("want name=value")
		}
		inputs[name] = value
		return nil
	})
	if err := fs.Parse(args); err != nil {
		return err
	}
	if *schema {
		_, err := out.Write(agent.WorkflowSchema())
		return err
	}
	doc := order
	if *file == "" {
		site, err := demosite.Start(ctx, demosite.Config{Today: today})
		if err != nil {
			return err
		}
		defer site.Close()
		inputs["site"] = site.URL
		fmt.Fprintln(diag, "No document is given: this orders in a small shop that this program serves.")
	} else {
		var err error
		if doc, err = os.ReadFile(*file); err != nil {
			return err
		}
	}
	w, err := agent.ParseWorkflow(bytes.NewReader(doc))
	if err != nil {
		return err
	}
	cfg := agent.Config{
		BrowserConfig: browser.Config{Headful: *headful},
		Replay:        agent.ReplayConfig{OnMiss: agent.OnMiss(*miss)},
		Hooks: agent.Hooks{StepEnd: func(_ context.Context, s *agent.Step) error {
			for _, a := range s.Actions {
				fmt.Fprintf(diag, "step %d  %s %s\n", s.Number, a.Name, a.ElementText)
			}
			return nil
		}},
	}
	// Only steps that ask a model need one; a run without it says which do.
	if c, _, err := providers.FromEnv(); err == nil {
		cfg.LLM = c
	}
	if *secrets != "" {
		if cfg.Secrets, err = secretsfile.Load(*secrets); err != nil {
			return err
		}
	}
	h, err := agent.RunWorkflow(ctx, w, inputs, cfg)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, string(h.Outcome().Data))
	return nil
}
