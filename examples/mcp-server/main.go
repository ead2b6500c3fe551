// Command mcp-server is a browser for MCP clients: editors, assistants, and
// agents of others.
//
//	go run ./examples/mcp-server                        standard input and output
//	go run ./examples/mcp-server -http 127.0.0.1:8931   streamable HTTP at /mcp, SSE at /sse
//
// What the browser may open is set by the flags here; clients cannot widen it.
// With the key of a language model in the environment (see -model) it also
// offers extract and whole tasks. Standard output carries the protocol and
// nothing else; what is to be said goes to standard error.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/examples/internal/secretsfile"
	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/providers"
	"github.com/seed-4bdb41d0/webhand/tools"
	"github.com/seed-4bdb41d0/webhand/tools/mcpserver"
)

// options are the command line.
type options struct {
	http, token, hosts, origins           string
	allow, block, private                 string
	model, baseURL, provider              string
	cdp, profile, exec, dir, files        string
	secrets, exclude                      string
	headful, readOnly, aliases, manageAll bool
	noModel, verbose                      bool
	idle                                  time.Duration
	maxSteps, maxSessions                 int
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "mcp-server:", err)
		os.Exit(1)
	}
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	fs := flag.NewFlagSet("mcp-server", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&o.http, "http", "", "serve over HTTP at this `address` instead of standard input and output; others than loopback need a token")
	fs.StringVar(&o.token, "token-file", "", "`file` with the token that HTTP clients send as Authorization: Bearer")
	fs.StringVar(&o.hosts, "hosts", "", "further `names` of this server, separated by commas")
	fs.StringVar(&o.origins, "origins", "", "`web pages` that may connect, such as https://app.test, separated by commas")
	fs.StringVar(&o.allow, "allow", "", "URL `patterns` that may be opened, separated by commas; empty is all")
	fs.StringVar(&o.block, "block", "", "URL `patterns` that may not be opened, separated by commas")
	fs.StringVar(&o.private, "private", "", "addresses of this machine and its network: `allow` or refuse; empty refuses them with -allow or -block")
	fs.StringVar(&o.provider, "provider", "", "`provider` of the language model, such as openai, anthropic, gemini")
	fs.StringVar(&o.model, "model", "", "language `model` for extract and tasks; empty is the one of the environment, if any")
	fs.StringVar(&o.baseURL, "base-url", "", "`address` of the model's API")
	fs.BoolVar(&o.noModel, "no-model", false, "offer nothing that needs a language model")
	fs.StringVar(&o.cdp, "cdp", "", "`address` of a running Chrome to attach to")
	fs.StringVar(&o.profile, "profile", "", "profile `folder` whose logins are used, by one client at a time; \"-\" with -cdp is the running Chrome's own")
	fs.StringVar(&o.exec, "chrome", "", "the Chrome to launch, a `file`")
	fs.BoolVar(&o.headful, "headful", false, "show the browser")
	fs.StringVar(&o.dir, "dir", "", "`folder` for the files that actions write; empty are temporary ones")
	fs.StringVar(&o.files, "files", "", "`files` that clients may read and upload, separated by commas")
	fs.StringVar(&o.secrets, "secrets", "", "JSON `file` with secrets: {\"name\":\"value\"} or {\"pattern\":{\"name\":\"value\"}}")
	fs.StringVar(&o.exclude, "exclude", "", "`actions` not to offer, separated by commas")
	fs.BoolVar(&o.readOnly, "read-only", false, "offer only what changes nothing, and going from page to page")
	fs.BoolVar(&o.aliases, "aliases", false, "list the names that other browser servers use as well")
	fs.BoolVar(&o.manageAll, "manage-all", false, "let every client see and close the sessions of all")
	fs.DurationVar(&o.idle, "idle", 0, "close a session that was not used for so long; 0 is 10 minutes, negative never")
	fs.IntVar(&o.maxSessions, "max-sessions", 0, "most browser sessions at a time; 0 is 64")
	fs.IntVar(&o.maxSteps, "max-steps", 0, "most steps of a task; 0 is 100")
	fs.BoolVar(&o.verbose, "v", false, "say more on standard error")
	if err := fs.Parse(args); err != nil {
		return o, err
	}
	if fs.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", fs.Arg(0))
	}
	return o, nil
}

func run(ctx context.Context, args []string, in io.ReadCloser, out, stderr io.Writer) (err error) {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	cfg, err := o.config(stderr)
	if err != nil {
		return err
	}
	s, err := mcpserver.New(cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if o.http == "" {
		return s.Stdio(ctx, in, out)
	}
	ln, err := s.Listen(o.http)
	if err != nil {
		return err
	}
	fmt.Fprintf(stderr, "streamable HTTP at http://%[1]s/mcp, SSE at http://%[1]s/sse\n", ln.Addr())
	return s.Serve(ctx, ln)
}

func list(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, ",")
}

func (o options) config(stderr io.Writer) (mcpserver.Config, error) {
	level := slog.LevelWarn
	if o.verbose {
		level = slog.LevelDebug
	}
	cfg := mcpserver.Config{
		Logger:    slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level})),
		Tools:     tools.New(),
		ReadOnly:  o.readOnly,
		Dir:       o.dir,
		FilePaths: list(o.files),
		Idle:      o.idle, MaxSessions: o.maxSessions, MaxSteps: o.maxSteps,
		ManageAll: o.manageAll, ListAliases: o.aliases,
		Hosts: list(o.hosts), Origins: list(o.origins),
	}
	cfg.BrowserConfig = browser.Config{ExecPath: o.exec, Headful: o.headful, RemoteURL: o.cdp}
	cfg.BrowserConfig.Policy = browser.Policy{Allow: list(o.allow), Block: list(o.block)}
	switch o.private {
	case "":
	case "allow":
		cfg.BrowserConfig.Policy.Private = browser.AccessAllow
	case "refuse":
		cfg.BrowserConfig.Policy.Private = browser.AccessRefuse
	default:
		return cfg, fmt.Errorf("-private is allow or refuse, not %q", o.private)
	}
	if o.profile != "" {
		cfg.Profile = true
		if o.profile != "-" {
			cfg.BrowserConfig.UserDataDir = o.profile
		} else if o.cdp == "" {
			return cfg, errors.New("-profile - needs -cdp")
		}
	}
	for _, name := range list(o.exclude) {
		if _, ok := cfg.Tools.Lookup(name); !ok {
			return cfg, fmt.Errorf("-exclude: there is no action %q", name)
		}
		cfg.Tools.Exclude(name)
	}
	var err error
	if cfg.Token, err = o.readToken(); err != nil {
		return cfg, err
	}
	if o.secrets != "" {
		if cfg.Secrets, err = secretsfile.Load(o.secrets); err != nil {
			return cfg, err
		}
	}
	cfg.LLM, err = o.llm(stderr)
	return cfg, err
}

func (o options) readToken() (string, error) {
	if o.token == "" {
		return "", nil
	}
	b, err := os.ReadFile(o.token)
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(b))
	if token == "" {
		return "", fmt.Errorf("%s is empty", o.token)
	}
	return token, nil
}

// llm is the model that was asked for, or that of the environment; nil
// without one.
func (o options) llm(stderr io.Writer) (llm.Client, error) {
	if o.noModel {
		return nil, nil
	}
	if o.model != "" || o.provider != "" || o.baseURL != "" {
		return providers.New(providers.Config{Provider: o.provider, Model: o.model, BaseURL: o.baseURL})
	}
	m, choice, err := providers.FromEnv()
	if err != nil {
		fmt.Fprintln(stderr, "no language model, so no extract and no tasks:", err)
		return nil, nil
	}
	fmt.Fprintln(stderr, "language model:", choice)
	return m, nil
}
