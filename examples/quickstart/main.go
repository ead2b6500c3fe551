// Quickstart carries out a task in words in a real Chrome and prints each step,
// the result, and what it took.
//
//	go run ./examples/quickstart
//	OPENAI_API_KEY=... go run ./examples/quickstart "How many stars has the Go repository on GitHub?"
//
// With a key it works on the real web with that model; OPENAI_BASE_URL and
// OPENAI_MODEL choose another endpoint and model. Without one it serves a small
// shop from inside the program and replays recorded answers of a model, through
// the same client and in the same Chrome.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/seed-4bdb41d0/webhand/agent"
	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/openai"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, strings.Join(os.Args[1:], " ")); err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, task string) error {
	if os.Getenv("OPENAI_API_KEY") == "" {
		return demo(ctx, w, task)
	}
	if task == "" {
		task = "How many stars has the Go repository on GitHub?"
	}
	model := os.Getenv("OPENAI_MODEL")
	if model == "" {
		model = "gpt-4.1-mini"
	}
	cfg := agent.Config{LLM: llm.Retry(openai.New(openai.Config{
		Model: model, BaseURL: os.Getenv("OPENAI_BASE_URL"), APIKey: os.Getenv("OPENAI_API_KEY"),
	}), llm.RetryConfig{})}
	return work(ctx, w, task, cfg)
}

// work runs the task and prints what happens.
func work(ctx context.Context, w io.Writer, task string, cfg agent.Config) error {
	fmt.Fprintf(w, "Task: %s\n\n", task)
	start := time.Now()
	a, err := agent.New(task, cfg)
	if err != nil {
		return err
	}
	defer a.Close()
	for step, err := range a.Steps(ctx) {
		if err != nil {
			return err
		}
		printStep(w, step)
	}
	h := a.History()
	verdict := "finished"
	if !h.Succeeded() {
		verdict = "not achieved"
	}
	fmt.Fprintf(w, "\nResult (%s): %s\n", verdict, h.Final())
	u := h.Usage.Tokens
	fmt.Fprintf(w, "%d steps, %d tokens (%d in, %d out), %.1f s\n", len(h.Steps), u.Total(), u.Input, u.Output, time.Since(start).Seconds())
	if !h.Succeeded() {
		return fmt.Errorf("the task was not achieved (%s)", h.Outcome().End)
	}
	return nil
}

// printStep shows a step in a few lines.
func printStep(w io.Writer, s *agent.Step) {
	name := fmt.Sprintf("Step %d", s.Number)
	if s.Number == 0 {
		name = "Start"
	}
	goal := ""
	if s.Answer != nil {
		goal = s.Answer.NextGoal
	}
	fmt.Fprintf(w, "%s  %s\n", name, goal)
	for _, a := range s.Actions {
		what := a.ElementText
		if what == "" {
			what = string(a.Args)
		}
		fmt.Fprintf(w, "    %s %s\n", a.Name, what)
		if a.Result != nil && a.Result.Error != "" {
			fmt.Fprintf(w, "      failed: %s\n", a.Result.Error)
		}
	}
	if s.Error != "" {
		fmt.Fprintf(w, "    failed: %s\n", s.Error)
	}
}
