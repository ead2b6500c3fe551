// Replay does again, without a model, what an agent did once.
//
//	go run ./examples/replay                                   # records the demo's order, then replays it
//	go run ./examples/replay -history run.json -var city=Oslo  # a saved history, with another value
//
// -var name=sample=value declares a variable: the recorded sample is replaced by
// the value. -find lists what may be one. -export go=DIR and playwright=DIR write
// programs, -workflow FILE the workflow.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/seed-4bdb41d0/webhand/agent"
	"github.com/seed-4bdb41d0/webhand/agent/export"
	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/examples/internal/secretsfile"
	"github.com/seed-4bdb41d0/webhand/internal/demotask"
	"github.com/seed-4bdb41d0/webhand/llm/providers"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "replay:", err)
		stop()
		os.Exit(1)
	}
}

// values collects repeated flags.
type values []string

func (v *values) String() string     { return strings.Join(*v, " ") }
func (v *values) Set(s string) error { *v = append(*v, s); return nil }

type options struct {
	history, miss, secrets, repaired, workflow string
	vars, export                               values
	wait                                       time.Duration
	headful, find                              bool
}

func run(ctx context.Context, args []string, w io.Writer) error {
	var o options
	fs := flag.NewFlagSet("replay", flag.ContinueOnError)
	fs.SetOutput(w)
	fs.StringVar(&o.history, "history", "", "a saved history; without one the demo is recorded first")
	fs.Var(&o.vars, "var", "name=value, or name=sample=value to declare one; may be repeated")
	fs.BoolVar(&o.find, "find", false, "list what may be a variable, and do nothing else")
	fs.StringVar(&o.miss, "on-miss", "stop", "when an action cannot be done: stop, skip, retry or heal (asks a model)")
	fs.DurationVar(&o.wait, "wait", 0, "how long to wait for an element (default 10s)")
	fs.StringVar(&o.secrets, "secrets", "", "JSON file with secrets")
	fs.StringVar(&o.repaired, "repaired", "", "file for the repaired history, if anything was healed")
	fs.StringVar(&o.workflow, "workflow", "", "file for the history as a workflow")
	fs.Var(&o.export, "export", "go=DIR or playwright=DIR: write a program that needs no webhand; may be repeated")
	fs.BoolVar(&o.headful, "headful", false, "show the browser")
	if err := fs.Parse(args); err != nil {
		return err
	}
	h, done, err := o.load(ctx, w)
	if err != nil {
		return err
	}
	defer done()
	if o.find {
		for _, v := range agent.FindVariables(h) {
			fmt.Fprintf(w, "-var %s=%q=...  (%s) %s\n", v.Name, v.Sample, v.Type, v.Description)
		}
		return nil
	}
	cfg := agent.Config{
		BrowserConfig: browser.Config{Headful: o.headful},
		Replay:        agent.ReplayConfig{OnMiss: agent.OnMiss(o.miss), Wait: o.wait},
	}
	if h, cfg.Vars, err = declare(h, o.vars); err != nil {
		return err
	}
	if err := o.write(h); err != nil {
		return err
	}
	if o.secrets != "" {
		if cfg.Secrets, err = secretsfile.Load(o.secrets); err != nil {
			return err
		}
	}
	if cfg.Replay.OnMiss == agent.MissHeal {
		if cfg.LLM, _, err = providers.FromEnv(); err != nil {
			return err
		}
	}
	return o.replay(ctx, w, h, cfg)
}

// load reads the history, or records the demo. The returned func ends what the
// demo serves.
func (o *options) load(ctx context.Context, w io.Writer) (*agent.History, func(), error) {
	if o.history != "" {
		f, err := os.Open(o.history)
		if err != nil {
			return nil, nil, err
		}
		defer f.Close()
		h, err := agent.LoadHistory(f)
		return h, func() {}, err
	}
	fmt.Fprintln(w, demotask.Notice)
	d, err := demotask.Start(ctx)
	if err != nil {
		return nil, nil, err
	}
	start := time.Now()
	h, err := agent.Run(ctx, d.Text, agent.Config{LLM: d.LLM})
	if err != nil {
		_ = d.Close()
		return nil, nil, err
	}
	fmt.Fprintf(w, "Recorded %d steps in %.1f s: %s\n\n", len(h.Steps), time.Since(start).Seconds(), h.Final())
	return h, func() { _ = d.Close() }, nil
}

// declare takes name=value and name=sample=value.
func declare(h *agent.History, list []string) (*agent.History, map[string]string, error) {
	vars := make(map[string]string)
	for _, s := range list {
		parts := strings.SplitN(s, "=", 3)
		switch len(parts) {
		case 2:
			vars[parts[0]] = parts[1]
		case 3:
			vars[parts[0]] = parts[2]
			p, err := h.Parameterize(agent.Variable{Name: parts[0], Sample: parts[1]})
			if err != nil {
				return nil, nil, err
			}
			h = p
		default:
			return nil, nil, fmt.Errorf("-var %s: want name=value or name=sample=value", s)
		}
	}
	return h, vars, nil
}

// write leaves the history in other forms.
func (o *options) write(h *agent.History) error {
	if o.workflow == "" && len(o.export) == 0 {
		return nil
	}
	wf, err := h.Workflow("recorded run")
	if err != nil {
		return err
	}
	if o.workflow != "" {
		f, err := os.Create(o.workflow)
		if err != nil {
			return err
		}
		if err := errors.Join(wf.Save(f), f.Close()); err != nil {
			return err
		}
	}
	for _, e := range o.export {
		kind, dir, _ := strings.Cut(e, "=")
		write := map[string]func(*agent.Workflow) (map[string][]byte, error){"go": export.Go, "playwright": export.Playwright}[kind]
		if write == nil || dir == "" {
			return fmt.Errorf("-export %s: want go=DIR or playwright=DIR", e)
		}
		files, err := write(wf)
		if err != nil {
			return err
		}
		if err := export.Write(dir, files); err != nil {
			return err
		}
	}
	return nil
}

func (o *options) replay(ctx context.Context, w io.Writer, h *agent.History, cfg agent.Config) error {
	start := time.Now()
	out, err := agent.Replay(ctx, h, cfg)
	if out.Replay == nil {
		return err
	}
	for _, x := range out.Replay.Actions {
		fmt.Fprintf(w, "step %d.%d  %-16s %-9s %-8s %s\n", x.Step, x.Action, x.Name, x.Status, x.Level, strings.TrimSpace(x.Element+" "+x.Note))
	}
	fmt.Fprintf(w, "%s in %.1f s, %d model calls. %s\n", out.Replay.Result, time.Since(start).Seconds(), out.Usage.Calls, out.Final())
	if r := out.Replay.Repaired; r != nil && o.repaired != "" {
		f, ferr := os.Create(o.repaired)
		if ferr != nil {
			return errors.Join(err, ferr)
		}
		err = errors.Join(err, r.Save(f), f.Close())
	}
	return err
}
