package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/seed-4bdb41d0/webhand/agent"
)

// printer tells a person or a program what happens.
type printer struct {
	out, diag io.Writer
	json      bool
	asks      bool // a person is asked on diag; nothing else may write there
}

func terminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// follow runs the agent and shows each step as it ends.
func (p *printer) follow(ctx context.Context, a *agent.Agent) error {
	stop := p.progress(a)
	defer func() { stop() }()
	for s, err := range a.Steps(ctx) {
		stop()
		if err != nil {
			return err
		}
		if err := p.step(s); err != nil {
			return err
		}
		stop = p.progress(a)
	}
	return nil
}

// progress keeps one line of a terminal current until the returned func is
// called. Anything else than a terminal gets nothing.
func (p *printer) progress(a *agent.Agent) func() {
	f, ok := p.diag.(*os.File)
	if !ok || p.asks || !terminal(f) {
		return func() {}
	}
	done, gone := make(chan struct{}), make(chan struct{})
	start := time.Now()
	go func() {
		defer close(gone)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-done:
				fmt.Fprint(f, "\r\x1b[K")
				return
			case <-tick.C:
				h := a.History()
				fmt.Fprintf(f, "\r\x1b[Kstep %d, %d s, %d tokens so far", len(h.Steps)+1, int(time.Since(start).Seconds()), h.Usage.Tokens.Total())
			}
		}
	}()
	return func() {
		select {
		case <-done:
		default:
			close(done)
			<-gone
		}
	}
}

func (p *printer) step(s *agent.Step) error {
	if p.json {
		b, err := json.Marshal(s)
		if err != nil {
			return err
		}
		_, err = p.out.Write(append(b, '\n'))
		return err
	}
	name := fmt.Sprintf("Step %d", s.Number)
	if s.Number == 0 {
		name = "Start"
	}
	goal := ""
	if s.Answer != nil {
		goal = s.Answer.NextGoal
		if goal == "" {
			goal = s.Answer.Memory
		}
	}
	fmt.Fprintf(p.out, "%s  %s\n", name, goal)
	for _, a := range s.Actions {
		what := a.ElementText
		if what == "" {
			what = short(string(a.Args), 120)
		}
		fmt.Fprintf(p.out, "    %s %s\n", a.Name, what)
		if a.Result != nil && a.Result.Error != "" {
			fmt.Fprintf(p.out, "      failed: %s\n", short(a.Result.Error, 200))
		}
	}
	if s.NotRun > 0 {
		fmt.Fprintf(p.out, "    %d more not run: %s\n", s.NotRun, s.NotRunWhy)
	}
	if s.Error != "" {
		fmt.Fprintf(p.out, "    failed: %s\n", s.Error)
	}
	return nil
}

// result shows the end: to the person, never into the JSON.
func (p *printer) result(h *agent.History) {
	w := p.out
	if p.json {
		w = p.diag
	}
	verdict := "achieved"
	if !h.Succeeded() {
		verdict = "not achieved"
	}
	u := h.Usage
	fmt.Fprintf(w, "\nResult (%s): %s\n", verdict, h.Final())
	fmt.Fprintf(w, "%d steps, %d model calls, %d tokens in (%d of them cached), %d out, %.1f s", len(h.Steps), u.Calls,
		u.Tokens.Input, u.Tokens.Cached, u.Tokens.Output, h.Duration().Seconds())
	if u.Priced {
		fmt.Fprintf(w, ", $%.4f", u.Cost)
	}
	fmt.Fprintln(w)
}

// asker asks a person about each action.
func asker(in io.Reader, diag io.Writer) agent.Approver {
	lines := bufio.NewScanner(in)
	return func(_ context.Context, p agent.Proposal) error {
		fmt.Fprintf(diag, "\nStep %d on %s\n  %s %s", p.Step, p.URL, p.Action, p.Args)
		if p.Element != "" {
			fmt.Fprintf(diag, "  (%s)", p.Element)
		}
		if p.Reason != "" {
			fmt.Fprintf(diag, "\n  why: %s", p.Reason)
		}
		fmt.Fprint(diag, "\nAllow? [y]es, [n]o, [s]top, or say what to do instead: ")
		if !lines.Scan() {
			return agent.ErrStopped
		}
		switch answer := strings.TrimSpace(lines.Text()); strings.ToLower(answer) {
		case "y", "yes":
			return nil
		case "", "n", "no":
			return agent.Deny("the user said no")
		case "s", "stop":
			return agent.ErrStopped
		default:
			return agent.DenyWithAdvice("the user said no", "The user says: "+answer)
		}
	}
}

func short(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "..."
	}
	return s
}
