// Report does a task and leaves things to look at: the history, a page that
// opens offline, and an animation.
//
//	go run ./examples/report -out dir
//	OPENAI_API_KEY=... go run ./examples/report -out dir "How many stars has the Go repository on GitHub?"
//
// Without a key it does the quickstart's task in the embedded shop with recorded
// answers. In dir there are then history.json, report.html, run.gif and the
// screenshots. -from FILE makes them from a saved history instead.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/seed-4bdb41d0/webhand/agent"
	"github.com/seed-4bdb41d0/webhand/agent/report"
	"github.com/seed-4bdb41d0/webhand/internal/demotask"
	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/providers"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "report:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, w io.Writer) error {
	fs := flag.NewFlagSet("report", flag.ContinueOnError)
	fs.SetOutput(w)
	out := fs.String("out", "", "folder for history.json, report.html, run.gif and screenshots")
	from := fs.String("from", "", "a saved history to make them from; its screenshots lie beside it")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if *out == "" {
		return errors.New("no folder; give one with -out")
	}
	if err := os.MkdirAll(*out, 0o755); err != nil {
		return err
	}
	h, err := history(ctx, w, *from, *out, strings.Join(fs.Args(), " "))
	if h == nil || len(h.Steps) == 0 {
		return err
	}
	// A run that failed is worth looking at too.
	return errors.Join(err, leave(w, *out, h))
}

// history runs the task, or loads what an earlier run left.
func history(ctx context.Context, w io.Writer, from, out, task string) (*agent.History, error) {
	if from != "" {
		f, err := os.Open(from)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		h, err := agent.LoadHistory(f)
		if err != nil {
			return nil, err
		}
		h.Dir = filepath.Dir(from)
		return h, nil
	}
	cfg := agent.Config{Dir: out, KeepPrompts: true}
	if task == "" {
		fmt.Fprintln(w, demotask.Notice)
		d, err := demotask.Start(ctx)
		if err != nil {
			return nil, err
		}
		defer d.Close()
		task, cfg.LLM = d.Text, d.LLM
	} else {
		c, choice, err := providers.FromEnv()
		if err != nil {
			return nil, err
		}
		fmt.Fprintln(w, "Model:", choice)
		cfg.LLM = llm.Retry(c, llm.RetryConfig{})
	}
	h, err := agent.Run(ctx, task, cfg)
	h.Dir = out
	fmt.Fprintf(w, "%d steps: %s\n", len(h.Steps), h.Final())
	return h, err
}

// leave writes the files, side by side.
func leave(w io.Writer, dir string, h *agent.History) error {
	var errs []error
	for _, f := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{"history.json", h.Save},
		{"report.html", func(w io.Writer) error { return report.HTML(w, h, report.HTMLOptions{}) }},
		{"run.gif", func(w io.Writer) error { return report.GIF(w, h, report.GIFOptions{}) }},
	} {
		path := filepath.Join(dir, f.name)
		file, err := os.Create(path)
		if err == nil {
			err = errors.Join(f.write(file), file.Close())
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", f.name, err))
			continue
		}
		fmt.Fprintln(w, "wrote", path)
	}
	return errors.Join(errs...)
}
