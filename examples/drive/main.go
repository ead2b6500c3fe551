// Drive is a model in a pipe: it reads one JSON object per line from stdin,
// exactly what a model would answer, carries it out in a browser, and writes
// one line of JSON per input.
//
//	{"action":[{"click":{"index":3}}]}    runs actions
//	{"state":true}                        looks at the page
//
// Each answer is {"results":[...],"not_run":n,"state":{...}}; a line that
// cannot be read is answered with {"error":"..."} and the session goes on.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/examples/internal/pagejson"
	"github.com/seed-4bdb41d0/webhand/examples/internal/secretsfile"
	"github.com/seed-4bdb41d0/webhand/registry"
	"github.com/seed-4bdb41d0/webhand/tools"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdin, os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "drive:", err)
		os.Exit(1)
	}
}

// maxLine bounds one line of input.
const maxLine = 16 << 20

func run(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	fs := flag.NewFlagSet("drive", flag.ContinueOnError)
	url := fs.String("url", "", "page to open first")
	allow := fs.String("allow", "", "URL patterns that may be opened, separated by commas; empty is all")
	headful := fs.Bool("headful", false, "show the browser")
	cdp := fs.String("cdp", "", "address of a running Chrome to attach to")
	noState := fs.Bool("no-state", false, "answer actions without the page state")
	files := fs.String("files", "", "folder for the actions that work with files; empty is a temporary one")
	secrets := fs.String("secrets", "", "JSON file with secrets: {\"name\":\"value\"} or {\"pattern\":{\"name\":\"value\"}}")
	if err := fs.Parse(args); err != nil {
		return err
	}
	cfg := browser.Config{Headful: *headful, RemoteURL: *cdp}
	if *allow != "" {
		cfg.Policy.Allow = strings.Split(*allow, ",")
	}
	d := &driver{noState: *noState, tools: tools.New()}
	if *allow != "" {
		d.tools.Exclude("evaluate") // scripts of the page's own rank
	}
	if err := d.provide(*files, *secrets); err != nil {
		return err
	}
	defer d.files.Close()
	s, err := browser.New(ctx, cfg)
	if err != nil {
		return err
	}
	defer s.Close()
	d.session = s
	d.deps = registry.Provide(tools.Provide(registry.Deps{}, s), d.files)
	if d.secrets != nil {
		d.deps = registry.Provide[registry.SecretResolver](d.deps, d.secrets)
	}
	if *url != "" {
		if _, err := s.Navigate(ctx, *url); err != nil {
			return err
		}
	}
	return d.serve(ctx, in, out)
}

// driver answers lines.
type driver struct {
	session *browser.Session
	tools   *registry.Registry
	deps    registry.Deps
	files   *tools.Files
	secrets *registry.Secrets
	noState bool
}

// provide sets up what the actions need besides the browser.
func (d *driver) provide(dir, secrets string) error {
	var err error
	if d.files, err = tools.OpenFiles(tools.FilesConfig{Dir: dir}); err != nil {
		return err
	}
	// Whoever writes the lines reads pages himself.
	d.tools.Exclude("extract")
	if secrets == "" {
		return nil
	}
	list, err := secretsfile.Load(secrets)
	if err != nil {
		return err
	}
	if d.secrets, err = registry.NewSecrets(list...); err != nil {
		return err
	}
	// JavaScript could read a secret back from the page.
	d.tools.Exclude("evaluate")
	return nil
}

// answer is one line of output.
type answer struct {
	Error   string             `json:"error,omitempty"`
	Results []*registry.Result `json:"results"`
	NotRun  int                `json:"not_run"`
	Why     string             `json:"not_run_reason,omitempty"`
	State   *pagejson.State    `json:"state,omitempty"`
}

func (d *driver) serve(ctx context.Context, in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 64<<10), maxLine)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" {
			continue
		}
		reply, err := d.answer(ctx, []byte(line))
		if err != nil {
			return err
		}
		if err := d.write(enc, out, reply); err != nil {
			return err
		}
	}
	return lines.Err()
}

// write encodes an answer; with secrets, their values do not get out.
func (d *driver) write(enc *json.Encoder, out io.Writer, reply any) error {
	if d.secrets == nil {
		return enc.Encode(reply)
	}
	text, err := json.Marshal(reply)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, d.secrets.Redact(string(text)))
	return err
}

type failure struct {
	Error string `json:"error"`
}

// answer carries out one line. Its error ends the session.
func (d *driver) answer(ctx context.Context, line []byte) (any, error) {
	var in struct {
		Action json.RawMessage `json:"action"`
		State  bool            `json:"state"`
	}
	switch line = bytes.TrimSpace(line); {
	case bytes.HasPrefix(line, []byte("[")): // the list alone, as models answer now and then
		in.Action = line
	case json.Valid(line) && !bytes.HasPrefix(line, []byte("{")):
		return failure{`not a JSON object; give {"action":[...]} or {"state":true}`}, nil
	default:
		if err := json.Unmarshal(line, &in); err != nil {
			return failure{fmt.Sprintf("not a JSON object: %v", err)}, nil
		}
	}
	if len(in.Action) == 0 && !in.State {
		return failure{`give {"action":[...]} or {"state":true}`}, nil
	}
	a := answer{Results: []*registry.Result{}}
	if len(in.Action) > 0 {
		calls, left, bad := d.decode(in.Action)
		if bad != nil && len(calls) == 0 {
			return failure{bad.Error()}, nil
		}
		results, why, err := tools.RunBatch(ctx, calls, d.deps, tools.BatchOptions{Session: d.session})
		if err != nil && (ctx.Err() != nil || !d.session.Alive()) {
			return nil, err
		}
		if err != nil {
			a.Error = err.Error()
		}
		a.Results = append(a.Results, results...)
		a.NotRun, a.Why = len(calls)-len(results)+left, why
		if bad != nil && why == "" && err == nil {
			a.Why = bad.Error()
		}
	}
	if d.noState && !in.State {
		return a, nil
	}
	st, err := d.session.State(ctx, browser.StateOptions{})
	if err != nil {
		if ctx.Err() != nil || !d.session.Alive() {
			return nil, err
		}
		a.Error = strings.TrimSpace(a.Error + " " + err.Error())
		return a, nil
	}
	view := pagejson.Of(st)
	a.State = &view
	return a, nil
}

// decode reads the actions before the first that is wrong, and says how many
// were not read.
func (d *driver) decode(action json.RawMessage) (calls []*registry.Call, left int, err error) {
	page, err := tools.PageOf(d.session)(context.Background())
	if err != nil {
		return nil, 0, err
	}
	calls, err = d.tools.Compile(page).DecodeList(action)
	if err != nil {
		var all []json.RawMessage
		if json.Unmarshal(action, &all) == nil {
			left = len(all) - len(calls)
		}
	}
	return calls, left, err
}
