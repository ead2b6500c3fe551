// Run carries out a task in a browser, with every main setting of the agent as
// a flag.
//
//	go run ./examples/run -task "The cheapest blue mug" -url https://shop.example -model gpt-4.1-mini
//
// The model is picked from the environment (OPENAI_API_KEY, ANTHROPIC_API_KEY,
// GEMINI_API_KEY, LLM_MODEL and their like) unless -provider, -model or
// -base-url say otherwise. With -json each step is one JSON object on a line of
// stdout, and nothing else is written there; what happens and the result go to
// stderr. The exit status is 0 when the task was achieved, 2 when it was not,
// and 1 when the run failed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/seed-4bdb41d0/webhand/agent"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errNotAchieved):
		fmt.Fprintln(os.Stderr, "run:", err)
		os.Exit(2)
	default:
		fmt.Fprintln(os.Stderr, "run:", err)
		os.Exit(1)
	}
}

var errNotAchieved = errors.New("the task was not achieved")

func run(ctx context.Context, args []string, in io.Reader, out, diag io.Writer) error {
	o, err := parse(args, diag)
	if err != nil {
		return err
	}
	cfg, err := o.config(in, diag)
	if err != nil {
		return err
	}
	update, end, err := o.show(diag)
	if err != nil {
		return err
	}
	defer end()
	var a *agent.Agent
	cfg.Hooks.StepEnd = func(context.Context, *agent.Step) error { update(a.History()); return nil }
	cfg.Hooks.Done = func(_ context.Context, h *agent.History) error { update(h); return nil }
	if a, err = agent.New(o.task, cfg); err != nil {
		return err
	}
	show := &printer{out: out, diag: diag, json: o.json, asks: o.approve}
	runErr := show.follow(ctx, a)
	h := a.History()
	// The files are written before the agent's own folder goes away.
	if err := errors.Join(o.write(h), a.Close()); err != nil {
		runErr = errors.Join(runErr, err)
	}
	if runErr != nil {
		return runErr
	}
	show.result(h)
	if !h.Succeeded() {
		return errNotAchieved
	}
	return nil
}
