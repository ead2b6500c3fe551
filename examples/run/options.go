package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed-4bdb41d0/webhand/agent"
	"github.com/seed-4bdb41d0/webhand/agent/report"
	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/examples/internal/secretsfile"
	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/providers"
)

// options are the flags.
type options struct {
	task, url                string
	provider, model, baseURL string
	maxSteps, maxFailures    int
	timeout                  time.Duration
	tokens                   int
	vision, style            string
	allow, block             string
	secrets                  string
	conversation, history    string
	report, gif, watch       string
	dir                      string
	approve, readOnly        bool
	validate                 bool
	extend                   string
	headful                  bool
	cdp, storage             string
	json                     bool
}

func parse(args []string, diag io.Writer) (*options, error) {
	o := &options{}
	fs := flag.NewFlagSet("run", flag.ContinueOnError)
	fs.SetOutput(diag)
	fs.StringVar(&o.task, "task", "", "what to do, in plain words (or as the arguments after the flags)")
	fs.StringVar(&o.url, "url", "", "page to start on; empty is an address in the task, if there is one")
	fs.StringVar(&o.provider, "provider", "", "openai, anthropic, gemini, or an endpoint such as openrouter or ollama; empty looks at the environment")
	fs.StringVar(&o.model, "model", "", "the model's name")
	fs.StringVar(&o.baseURL, "base-url", "", "where the model's API is")
	fs.IntVar(&o.maxSteps, "max-steps", 0, "most steps (default 100)")
	fs.IntVar(&o.maxFailures, "max-failures", 0, "steps in a row that may fail (default 5)")
	fs.DurationVar(&o.timeout, "timeout", 0, "most time for the whole run; 0 is no limit")
	fs.IntVar(&o.tokens, "max-tokens", 0, "most tokens of all model calls together; 0 is no limit")
	fs.StringVar(&o.vision, "vision", "", "screenshots for the model: always, never or on_demand (default always, where the model can see)")
	fs.StringVar(&o.style, "style", "", "what the model writes besides actions: thinking, plain or flash (default thinking)")
	fs.StringVar(&o.allow, "allow", "", "URL patterns that may be opened, separated by commas; empty is all")
	fs.StringVar(&o.block, "block", "", "URL patterns that may not be opened, separated by commas")
	fs.StringVar(&o.secrets, "secrets", "", `JSON file with secrets: {"name":"value"} or {"pattern":{"name":"value"}}`)
	fs.StringVar(&o.conversation, "save-conversation", "", "folder for every model call, as text and as JSON lines")
	fs.StringVar(&o.history, "history", "", "file for the history; it is written while the run goes on")
	fs.StringVar(&o.report, "report", "", "file for the run as one HTML page that opens offline")
	fs.StringVar(&o.gif, "gif", "", "file for the run as an animation")
	fs.StringVar(&o.watch, "watch", "", "address to show the run at while it goes on, such as 127.0.0.1:8080; a loopback one")
	fs.StringVar(&o.dir, "dir", "", "folder for screenshots, files and downloads; empty is a temporary one")
	fs.BoolVar(&o.approve, "approve", false, "ask on the terminal before every action that changes something")
	fs.BoolVar(&o.readOnly, "read-only", false, "allow only actions that change nothing")
	fs.BoolVar(&o.validate, "validate", false, "let the model check its result before it counts")
	fs.StringVar(&o.extend, "extend", "", "text to add to the system prompt")
	fs.BoolVar(&o.headful, "headful", false, "show the browser")
	fs.StringVar(&o.cdp, "cdp", "", "address of a running Chrome to attach to")
	fs.StringVar(&o.storage, "storage", "", "file with cookies and storage: read at the start, written at the end")
	fs.BoolVar(&o.json, "json", false, "write one JSON object per step to stdout, and nothing else")
	if err := fs.Parse(args); err != nil {
		return nil, err
	}
	if o.task == "" {
		o.task = strings.Join(fs.Args(), " ")
	} else if fs.NArg() > 0 {
		return nil, fmt.Errorf("the task is given twice: by -task and as %q", strings.Join(fs.Args(), " "))
	}
	if strings.TrimSpace(o.task) == "" {
		return nil, errors.New(`no task; say what to do, for example -task "How many stars has the Go repository on GitHub?"`)
	}
	return o, nil
}

// config turns the flags into settings.
func (o *options) config(in io.Reader, diag io.Writer) (agent.Config, error) {
	client, err := o.client(diag)
	if err != nil {
		return agent.Config{}, err
	}
	cfg := agent.Config{
		LLM:             llm.Retry(client, llm.RetryConfig{}),
		Start:           agent.Start{URL: o.url},
		Limits:          agent.Limits{Steps: o.maxSteps, Failures: o.maxFailures, Run: o.timeout, Budget: llm.Limits{Tokens: o.tokens}},
		Vision:          agent.Vision{See: agent.See(o.vision)},
		Prompt:          agent.Prompt{Style: agent.Style(o.style), Extend: o.extend},
		Check:           agent.Check{Validate: o.validate},
		ReadOnly:        o.readOnly,
		ConversationDir: o.conversation,
		HistoryFile:     o.history,
		Dir:             o.dir,
		// Files are written after the run, so its folder has to outlive it.
		KeepBrowser: true,
		KeepPrompts: o.report != "" || o.watch != "",
		BrowserConfig: browser.Config{
			Headful: o.headful, RemoteURL: o.cdp, StorageFile: o.storage,
			Policy: browser.Policy{Allow: list(o.allow), Block: list(o.block)},
		},
	}
	if o.secrets != "" {
		if cfg.Secrets, err = secretsfile.Load(o.secrets); err != nil {
			return agent.Config{}, err
		}
	}
	if o.approve {
		cfg.Approve = asker(in, diag)
	}
	return cfg, nil
}

// client picks the model.
func (o *options) client(diag io.Writer) (llm.Client, error) {
	if o.provider == "" && o.model == "" && o.baseURL == "" {
		c, choice, err := providers.FromEnv()
		if err == nil {
			fmt.Fprintln(diag, "Model:", choice)
		}
		return c, err
	}
	cfg := providers.Config{Provider: o.provider, Model: o.model, BaseURL: o.baseURL}
	if o.baseURL != "" {
		// A client does not send the usual key to another address by itself;
		// who names the address on the command line means it.
		cfg.APIKey = os.Getenv(keyVariable(o.provider))
	}
	return providers.New(cfg)
}

func keyVariable(provider string) string {
	switch provider {
	case "anthropic", "claude":
		return "ANTHROPIC_API_KEY"
	case "gemini", "google":
		return "GEMINI_API_KEY"
	case "azure":
		return "AZURE_OPENAI_API_KEY"
	}
	return "OPENAI_API_KEY"
}

// write leaves the files that the flags ask for.
func (o *options) write(h *agent.History) error {
	return errors.Join(
		o.writeHistory(h),
		writeFile(o.report, func(w io.Writer) error { return report.HTML(w, h, report.HTMLOptions{}) }),
		writeFile(o.gif, func(w io.Writer) error { return report.GIF(w, h, report.GIFOptions{}) }),
	)
}

func writeFile(name string, write func(io.Writer) error) error {
	if name == "" {
		return nil
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// show serves the run at o.watch while it goes on. The returned funcs show what
// there is, and end it.
func (o *options) show(diag io.Writer) (update func(*agent.History), end func() error, err error) {
	if o.watch == "" {
		return func(*agent.History) {}, func() error { return nil }, nil
	}
	host, _, err := net.SplitHostPort(o.watch)
	if ip := net.ParseIP(host); err != nil || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, nil, fmt.Errorf("-watch %s: want a loopback address with a port, such as 127.0.0.1:8080", o.watch)
	}
	l, err := net.Listen("tcp", o.watch)
	if err != nil {
		return nil, nil, err
	}
	live := report.NewLive(report.HTMLOptions{})
	srv := &http.Server{Handler: live, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = srv.Serve(l) }() // ends with Close
	fmt.Fprintf(diag, "Watch at http://%s/\n", l.Addr())
	return live.Update, srv.Close, nil
}

func (o *options) writeHistory(h *agent.History) error {
	if o.history == "" {
		return nil
	}
	// While the run went on the file grew line by line; now it becomes one
	// document, whole or not at all.
	f, err := os.CreateTemp(filepath.Dir(o.history), ".history-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := errors.Join(h.Save(f), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), o.history)
}

func list(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, ",")
}
