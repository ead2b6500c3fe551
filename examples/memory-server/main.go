// Command memory-server serves one memory file on one port: HTTP routes,
// a page to look through it, MCP over SSE and HTTP, and an OpenAI-compatible
// chat proxy.
//
//	go run ./examples/memory-server
//
// It listens on 127.0.0.1:8765. Without a language model it stores texts as
// they are and its search finds shared words. With OPENAI_API_KEY in the
// environment (and optionally OPENAI_BASE_URL) it extracts facts and serves the
// chat proxy; with -embed-model it searches by meaning, which sends the texts
// of memories to that endpoint.
//
// With -stdio CLIENT/USER it is an MCP server on standard input and output
// instead.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	llmopenai "github.com/seed-4bdb41d0/webhand/llm/openai"
	"github.com/seed-4bdb41d0/webhand/memory/chat"
	"github.com/seed-4bdb41d0/webhand/memory/embed/openai"
	"github.com/seed-4bdb41d0/webhand/memory/longterm"
	"github.com/seed-4bdb41d0/webhand/memory/mcp"
	"github.com/seed-4bdb41d0/webhand/memory/rest"
	"github.com/seed-4bdb41d0/webhand/memory/serve"
	"github.com/seed-4bdb41d0/webhand/memory/sqlite"
	"github.com/seed-4bdb41d0/webhand/memory/web"
)

// options are the command line.
type options struct {
	addr, db, model, embedModel, stdio, keys, hosts string
	additive, knownOnly                             bool
}

func main() {
	var o options
	flag.StringVar(&o.addr, "addr", "127.0.0.1:8765", "`address` to listen on; others than loopback need -keys")
	flag.StringVar(&o.db, "db", "", "memory `file` (default webhand/memory.db in the user's configuration directory)")
	flag.StringVar(&o.model, "model", "gpt-4.1-mini", "language `model` behind OPENAI_API_KEY")
	flag.StringVar(&o.embedModel, "embed-model", "", "embedding `model`; its endpoint reads every memory")
	flag.StringVar(&o.stdio, "stdio", "", "serve MCP on standard input and output for `CLIENT/USER`")
	flag.StringVar(&o.keys, "keys", "", "`file` with one key a line: SECRET admin, or SECRET USER")
	flag.StringVar(&o.hosts, "hosts", "", "further `names` of this server, separated by commas")
	flag.BoolVar(&o.additive, "additive", false, "only ever add memories")
	flag.BoolVar(&o.knownOnly, "known-clients", false, "refuse MCP clients that are not registered")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "memory-server:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) (err error) {
	// Standard output is the protocol's with -stdio; everything said goes to standard error.
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	if o.db == "" {
		dir, err := os.UserConfigDir()
		if err != nil {
			return fmt.Errorf("no configuration directory, name a file with -db: %w", err)
		}
		o.db = filepath.Join(dir, "webhand", "memory.db")
	}
	cfg := longterm.Config{Logger: log}
	key, base := os.Getenv("OPENAI_API_KEY"), os.Getenv("OPENAI_BASE_URL")
	if key != "" || base != "" {
		cfg.LLM = llmopenai.New(llmopenai.Config{Model: o.model, APIKey: key, BaseURL: base})
	}
	if o.additive {
		cfg.Pipeline = longterm.Additive
	}
	if o.embedModel != "" {
		if cfg.Embedder, err = openai.New(openai.Config{APIKey: key, BaseURL: base, Model: o.embedModel}); err != nil {
			return err
		}
	}
	mem, err := sqlite.Open(ctx, o.db, cfg)
	if errors.Is(err, longterm.ErrEmbedderMismatch) {
		return fmt.Errorf("%w: start once with the embedder it was written with, or remove %s", err, o.db)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, mem.Close()) }()

	if o.stdio != "" {
		client, user, ok := strings.Cut(o.stdio, "/")
		if !ok {
			return fmt.Errorf("-stdio wants CLIENT/USER, such as claude/anna")
		}
		srv, err := mcp.New(mcp.Config{Memory: mem, Verbatim: !mem.HasLLM(), KnownOnly: o.knownOnly, Logger: log})
		if err != nil {
			return err
		}
		return srv.Stdio(ctx, client, user)
	}
	rules, err := readRules(o)
	if err != nil {
		return err
	}
	h, err := handler(mem, rules, o, key, base, log)
	if err != nil {
		return err
	}
	ln, err := serve.Listen(o.addr, rules)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, `memory in %s, search is %s
  page    http://%[3]s/ui/
  routes  http://%[3]s/docs
  MCP     http://%[3]s/mcp/CLIENT/sse/USER and /mcp/CLIENT/http/USER
`, o.db, mem.Mode(), ln.Addr())
	if mem.HasLLM() {
		fmt.Fprintf(os.Stderr, "  chat    http://%s/v1/chat/completions\n", ln.Addr())
	} else {
		fmt.Fprintln(os.Stderr, "  no language model: texts are stored as they are, and there is no chat proxy (set OPENAI_API_KEY)")
	}
	return serve.Run(ctx, ln, h)
}

// handler puts all servers on one port.
func handler(mem *longterm.Memory, rules serve.Rules, o options, key, base string, log *slog.Logger) (http.Handler, error) {
	api, err := rest.New(rest.Config{Memory: mem, Rules: rules, Verbatim: !mem.HasLLM(), HostedPaths: true, Logger: log})
	if err != nil {
		return nil, err
	}
	tools, err := mcp.New(mcp.Config{Memory: mem, Rules: rules, Verbatim: !mem.HasLLM(), KnownOnly: o.knownOnly, Logger: log})
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/", api)
	mux.Handle("/ui/", web.Handler("/ui/", rules))
	mux.Handle("/mcp/", tools)
	mux.Handle("/access/", tools)
	if mem.HasLLM() {
		c, err := chat.New(chat.Config{Memory: mem, StoreAnswers: true, OnError: func(err error) { log.Warn("chat", "err", err) }})
		if err != nil {
			return nil, err
		}
		if base == "" {
			base = "https://api.openai.com/v1"
		}
		proxy, err := c.Handler(chat.Upstream{BaseURL: base, APIKey: key, Rules: rules})
		if err != nil {
			return nil, err
		}
		mux.Handle("/v1/chat/completions", proxy)
		mux.Handle("/v1/models", proxy)
	}
	return mux, nil
}

// readRules reads the file of keys.
func readRules(o options) (serve.Rules, error) {
	var r serve.Rules
	if o.hosts != "" {
		r.Hosts = strings.Split(o.hosts, ",")
	}
	if o.keys == "" {
		return r, nil
	}
	b, err := os.ReadFile(o.keys)
	if err != nil {
		return r, err
	}
	n := 0
	for line := range strings.Lines(string(b)) {
		n++
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0:
		case len(fields) == 2 && fields[1] == "admin":
			r.Keys = append(r.Keys, serve.Key{Name: "admin", Secret: fields[0], Admin: true})
		case len(fields) == 2:
			r.Keys = append(r.Keys, serve.Key{Name: fields[1], Secret: fields[0], UserID: fields[1]})
		default:
			return r, fmt.Errorf("%s: line %d is not SECRET admin or SECRET USER", o.keys, n)
		}
	}
	if len(r.Keys) == 0 {
		return r, fmt.Errorf("%s holds no keys", o.keys)
	}
	return r, r.Check()
}
