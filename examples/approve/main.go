// Approve asks before every action that changes something. Saying no is an
// answer like any other: the model reads the reason and looks for another way.
//
//	OPENAI_API_KEY=... go run ./examples/approve
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/seed-4bdb41d0/webhand/agent"
	"github.com/seed-4bdb41d0/webhand/internal/demosite"
	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/openai"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	model := openai.New(openai.Config{Model: "gpt-4.1-mini", APIKey: os.Getenv("OPENAI_API_KEY"), BaseURL: os.Getenv("OPENAI_BASE_URL")})
	if err := run(ctx, os.Stdin, os.Stdout, model); err != nil {
		fmt.Fprintln(os.Stderr, "approve:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, in io.Reader, w io.Writer, model llm.Client) error {
	site, err := demosite.Start(ctx, demosite.Config{})
	if err != nil {
		return err
	}
	defer site.Close()
	answers := bufio.NewScanner(in)
	h, err := agent.Run(ctx, "Open "+site.URL+"/help and tell how long delivery takes.", agent.Config{
		LLM: model,
		Approve: func(_ context.Context, p agent.Proposal) error {
			fmt.Fprintf(w, "%s wants to %s %s\nallow? [y/N] ", p.URL, p.Action, p.Args)
			if answers.Scan() && strings.EqualFold(strings.TrimSpace(answers.Text()), "y") {
				return nil
			}
			return agent.Deny("the user said no")
		},
	})
	if err != nil {
		return err
	}
	fmt.Fprintln(w, h.Final())
	if !h.Succeeded() {
		return errors.New("the task was not achieved")
	}
	return nil
}
