// Inspect prints what a model would see of a page.
//
//	inspect -url https://example.com            the text
//	inspect -url U -json                        the text and the page model
//	inspect -url U -json -n 20                  and what it costs: min and median
//	inspect -url U -markdown                    the content as Markdown
//	inspect -url U -schema openai-strict        the actions of the page
//	inspect -url U -screenshot f.png            a screenshot with numbered boxes
//	inspect -pages dir                          a line for each saved page of a folder
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/dom"
	"github.com/seed-4bdb41d0/webhand/examples/internal/pagejson"
	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/registry"
	"github.com/seed-4bdb41d0/webhand/tools"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "inspect:", err)
		os.Exit(1)
	}
}

type options struct {
	url, cdp, schema, shot, find, pages string
	json, markdown, full                bool
	n                                   int
	text                                dom.TextOptions
}

func parse(args []string) (options, error) {
	var o options
	fs := flag.NewFlagSet("inspect", flag.ContinueOnError)
	fs.StringVar(&o.url, "url", "", "page to look at; with -cdp empty is the tab that is open")
	fs.BoolVar(&o.json, "json", false, "print the state as JSON")
	fs.IntVar(&o.n, "n", 1, "look so many times and report min and median")
	fs.StringVar(&o.schema, "schema", "", "print the action model for the page in a dialect: canonical, openai-strict, anthropic, gemini, llama.cpp")
	fs.BoolVar(&o.markdown, "markdown", false, "print the content as Markdown")
	fs.StringVar(&o.cdp, "cdp", "", "address of a running Chrome to attach to")
	fs.StringVar(&o.shot, "screenshot", "", "write a screenshot with numbered boxes to this file (.png or .jpg)")
	fs.BoolVar(&o.full, "full", false, "the whole page instead of what is near the viewport")
	fs.IntVar(&o.text.Budget, "budget", 0, "most tokens of the text; 0 is the default, negative no limit")
	fs.BoolVar(&o.text.InteractiveOnly, "interactive", false, "only what can be used")
	boxes := fs.Bool("boxes", false, "show the box of every element")
	fs.StringVar(&o.text.Landmark, "landmark", "", "only the part with this role, tag or name")
	fs.StringVar(&o.find, "find", "", "print only lines that match this regular expression")
	fs.StringVar(&o.pages, "pages", "", "folder of saved pages (.html) to look at one after the other, served on loopback")
	if err := fs.Parse(args); err != nil {
		return o, err
	}
	if *boxes {
		o.text.Boxes = dom.BoxesOn
	}
	if o.url == "" && o.cdp == "" && o.pages == "" {
		return o, errors.New("give -url, -pages, or -cdp for a page that is open")
	}
	o.n = max(o.n, 1)
	return o, nil
}

func run(ctx context.Context, args []string, out io.Writer) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	var find *regexp.Regexp
	if o.find != "" {
		if find, err = regexp.Compile(o.find); err != nil {
			return err
		}
	}
	cfg := browser.Config{RemoteURL: o.cdp}
	if o.pages != "" {
		// Saved pages are looked at as saved, not with what the net has today.
		cfg.Policy = browser.Policy{AllowResources: []string{"127.0.0.1"}, Private: browser.AccessAllow}
	}
	s, err := browser.New(ctx, cfg)
	if err != nil {
		return err
	}
	defer s.Close()
	if o.url != "" {
		if _, err := s.Navigate(ctx, o.url); err != nil {
			return err
		}
	}
	switch {
	case o.pages != "":
		return lookAtPages(ctx, s, o, out)
	case o.schema != "":
		return printSchema(ctx, s, o.schema, out)
	case o.markdown:
		md, err := s.Markdown(ctx, dom.MarkdownOptions{})
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(out, md)
		return err
	}
	return look(ctx, s, o, find, out)
}

// printSchema prints the compiled action model for the page.
func printSchema(ctx context.Context, s *browser.Session, dialect string, out io.Writer) error {
	known := []llm.Dialect{llm.Canonical, llm.OpenAIStrict, llm.Anthropic, llm.Gemini, llm.LlamaCpp}
	if !slices.Contains(known, llm.Dialect(dialect)) {
		return fmt.Errorf("unknown dialect %q; there are %v", dialect, known)
	}
	page, err := tools.PageOf(s)(ctx)
	if err != nil {
		return err
	}
	return writeSchema(tools.New().Compile(page), llm.Dialect(dialect), out)
}

func writeSchema(m *registry.Model, d llm.Dialect, out io.Writer) error {
	text, err := m.Schema(d, nil)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, string(text))
	return err
}

// report is the JSON of a state, with what repeated looks cost.
type report struct {
	pagejson.State
	Repeat *repeat `json:"repeat,omitempty"`
}

type repeat struct {
	N      int         `json:"n"`
	Min    pagejson.MS `json:"min"`
	Median pagejson.MS `json:"median"`
}

// look captures the state, as often as asked.
func look(ctx context.Context, s *browser.Session, o options, find *regexp.Regexp, out io.Writer) error {
	so := browser.StateOptions{Full: o.full, Text: o.text, Fresh: true}
	if o.shot != "" {
		so.Screenshot, so.Marks = true, true
		if strings.HasSuffix(o.shot, ".jpg") || strings.HasSuffix(o.shot, ".jpeg") {
			so.Image.JPEG = 85
		}
	}
	st, times, err := states(ctx, s, so, o.n)
	if err != nil {
		return err
	}
	if o.shot != "" {
		if err := os.WriteFile(o.shot, st.Screenshot, 0o644); err != nil {
			return err
		}
	}
	if o.json {
		r := report{State: pagejson.Of(st)}
		if o.n > 1 {
			r.Repeat = &repeat{N: o.n, Min: at(times, 0), Median: at(times, o.n/2)}
			r.Stats.MS = r.Repeat.Median
		}
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		return enc.Encode(r)
	}
	if find != nil {
		for _, m := range st.Text.Find(find, 0) {
			fmt.Fprintln(out, m.Text)
		}
		return nil
	}
	fmt.Fprintln(out, st.Text.String)
	if o.n > 1 {
		lo, mid := at(times, 0), at(times, o.n/2)
		fmt.Fprintf(os.Stderr, "%d looks, %d tokens: min %.1f ms, median %.1f ms (capture %.1f, build %.1f, render %.1f)\n",
			o.n, st.Text.Tokens, lo.Total, mid.Total, mid.Capture, mid.Build, mid.Render)
	}
	return nil
}

// states looks n times and returns the last state and what each took.
func states(ctx context.Context, s *browser.Session, so browser.StateOptions, n int) (st *browser.State, times []pagejson.MS, err error) {
	for range n {
		if st, err = s.State(ctx, so); err != nil {
			return nil, nil, err
		}
		times = append(times, pagejson.Of(st).Stats.MS)
	}
	return st, times, nil
}

// at returns the times at a rank, each on its own.
func at(times []pagejson.MS, rank int) pagejson.MS {
	pick := func(f func(pagejson.MS) float64) float64 {
		vs := make([]float64, len(times))
		for i, t := range times {
			vs[i] = f(t)
		}
		slices.Sort(vs)
		return vs[rank]
	}
	return pagejson.MS{
		Capture: pick(func(m pagejson.MS) float64 { return m.Capture }),
		Build:   pick(func(m pagejson.MS) float64 { return m.Build }),
		Render:  pick(func(m pagejson.MS) float64 { return m.Render }),
		Total:   pick(func(m pagejson.MS) float64 { return m.Total }),
	}
}
