package export

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/agent"
	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/internal/demosite"
	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/llmtest"
	"github.com/seed-4bdb41d0/webhand/registry"
)

var update = flag.Bool("update", false, "write the golden files")

// load reads a workflow, with some of its text replaced as by
// [strings.NewReplacer].
func load(t *testing.T, name string, oldnew ...string) *agent.Workflow {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	w, err := agent.ParseWorkflow(strings.NewReader(strings.NewReplacer(oldnew...).Replace(string(raw))))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; run with -update and look at the difference\n%s", name, got)
	}
}

func TestProgramsReadWell(t *testing.T) {
	w := load(t, "shop.workflow.json")
	files, err := Go(w)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "main.go.golden", files["main.go"])
	golden(t, "go.mod.golden", files["go.mod"])
	if files, err = Playwright(w); err != nil {
		t.Fatal(err)
	}
	spec := files["order-from-the-shop.spec.ts"]
	golden(t, "spec.ts.golden", spec[bytes.Index(spec, []byte("\ntest(")):])
	if strings.Count(string(spec), "{") != strings.Count(string(spec), "}") {
		t.Error("the test's braces do not match")
	}
}

func TestWhatCannotBeWrittenIsNamedAtOnce(t *testing.T) {
	w := &agent.Workflow{Name: "x", Steps: []agent.WorkflowStep{
		{Model: &agent.ModelStep{Goal: "look around"}},
		{Do: &agent.DoStep{Action: "wait"}},
		{Do: &agent.DoStep{Action: "evaluate", Args: json.RawMessage(`{"code":"1"}`)}},
		{If: &agent.IfStep{Condition: agent.Condition{Text: "a"}, Then: []agent.WorkflowStep{{Do: &agent.DoStep{Action: "click"}}}}},
	}}
	for name, write := range map[string]func(*agent.Workflow) (map[string][]byte, error){"Go": Go, "Playwright": Playwright} {
		_, err := write(w)
		if !errors.Is(err, ErrUnsupported) {
			t.Fatalf("%s: %v", name, err)
		}
		for _, want := range []string{"step 1: it asks a model", "step 3: the action evaluate", "step 5: click without an element"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v lacks %q", name, err, want)
			}
		}
	}
}

// at finds the number of the first element whose line holds the words.
func at(req *llm.Request, words string) int {
	re := regexp.MustCompile(`(?m)^\s*\*?\[(\d+)\]<[^\n]*` + regexp.QuoteMeta(words))
	n := 0
	if m := re.FindStringSubmatch(req.Messages[len(req.Messages)-1].Text()); m != nil {
		_, _ = fmt.Sscan(m[1], &n)
	}
	return n
}

// record records an order, sign-in included.
func record(t *testing.T, ctx context.Context, site string) *agent.History {
	t.Helper()
	steps := []func(*llm.Request) string{
		func(r *llm.Request) string { return fmt.Sprintf(`{"click":{"index":%d}}`, at(r, ">Add to cart")) },
		func(*llm.Request) string { return fmt.Sprintf(`{"navigate":{"url":"%s/checkout"}}`, site) },
		func(r *llm.Request) string {
			in := func(words, text string) string {
				return fmt.Sprintf(`{"input":{"index":%d,"text":%q}}`, at(r, words), text)
			}
			return strings.Join([]string{
				in("Full name", "Ada Lovelace"), in("Email", "ada@example.com"), in("Street", "<secret>home_address</secret>"), in("Postcode", "1010 Vienna"),
				fmt.Sprintf(`{"select_dropdown":{"index":%d,"text":"Austria"}}`, at(r, "Country")),
				fmt.Sprintf(`{"click":{"index":%d}}`, at(r, "Express")), in("Delivery date", "2026-12-02"),
			}, ",")
		},
		func(r *llm.Request) string {
			return fmt.Sprintf(`{"click":{"index":%d}},{"click":{"index":%d}}`, at(r, "I accept"), at(r, "Place order"))
		},
	}
	model := &llmtest.Script{Func: func(n int, req *llm.Request) llmtest.Answer {
		action := `{"done":{"text":"ordered","success":true}}`
		if n < len(steps) {
			action = steps[n](req)
		}
		return llmtest.Text(`{"thinking":"","evaluation_previous_goal":"","memory":"","next_goal":"Order the mug","action":[` + action + `]}`)
	}}
	h, err := agent.Run(ctx, "Order a mug for ada@example.com", agent.Config{
		LLM: model, BrowserConfig: browser.Config{NoSandbox: true}, Vision: agent.Vision{See: agent.SeeNever},
		Secrets: secrets(), Start: agent.Start{URL: site + "/product/fjord-enamel-mug"},
	})
	if err != nil || len(h.Errors()) > 0 {
		t.Fatalf("recording: %v %v", err, h.Errors())
	}
	return h
}

func secrets() []registry.Secret {
	return []registry.Secret{registry.NewSecret("home_address", "12 St James's Square")}
}

// shop is a demo site of its own.
func shop(t *testing.T, ctx context.Context) *demosite.Server {
	t.Helper()
	site, err := demosite.Start(ctx, demosite.Config{Today: time.Date(2026, 11, 27, 10, 0, 0, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { site.Close() })
	return site
}

// order is the recorded order as a workflow with two inputs, which reads the
// order's number at the end.
func order(t *testing.T, ctx context.Context, site string) *agent.Workflow {
	t.Helper()
	h, err := record(t, ctx, site).Parameterize(agent.Variable{Name: "email", Type: agent.TypeEmail, Sample: "ada@example.com"}, agent.Variable{Name: "country", Sample: "Austria"})
	if err != nil {
		t.Fatal(err)
	}
	w, err := h.Workflow("Order a mug")
	if err != nil {
		t.Fatal(err)
	}
	w.Steps = append(w.Steps, agent.WorkflowStep{Extract: &agent.ExtractStep{As: "number", Selector: "#order-number"}})
	w.Output = json.RawMessage(`{"order":"{{number}}","for":"{{email}}"}`)
	return w
}

func TestTheProgramBuildsAndOrders(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	site := shop(t, ctx)
	w := order(t, ctx, site.URL)
	bin := program(t, ctx, w)

	run := func(env []string, args ...string) (string, string, int) {
		cmd := exec.CommandContext(ctx, bin, args...)
		cmd.Env = append(os.Environ(), env...)
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		err := cmd.Run()
		var ee *exec.ExitError
		if err != nil && !errors.As(err, &ee) {
			t.Fatal(err)
		}
		return out.String(), errs.String(), cmd.ProcessState.ExitCode()
	}
	secret := []string{"HOME_ADDRESS=12 St James's Square"}

	// What is missing is said before a browser is started.
	if _, msg, code := run(secret, "-country", "Norway"); code != 2 || !strings.Contains(msg, "-email is required") {
		t.Errorf("without an input: status %d, %s", code, msg)
	}
	if _, msg, code := run(nil, "-email", "a@b.test", "-country", "Norway"); code != 2 || !strings.Contains(msg, "HOME_ADDRESS is required") {
		t.Errorf("without a secret: status %d, %s", code, msg)
	}

	before := len(site.Site.Orders())
	out, msg, code := run(secret, "-email", "grace@example.org", "-country", "Norway", "-wait", "40s")
	var got struct{ Order, For string }
	if code != 0 || json.Unmarshal([]byte(out), &got) != nil || got.For != "grace@example.org" {
		t.Fatalf("status %d\n%s\n%s", code, out, msg)
	}
	orders := site.Site.Orders()
	last := orders[len(orders)-1]
	if len(orders) != before+1 || last.Number != got.Order || last.Email != "grace@example.org" || last.Country != "Norway" || last.Address != "12 St James's Square" || last.Shipping != "express" {
		t.Errorf("order %+v, printed %+v", last, got)
	}

	// A step that fails is named by its number, and nothing is done after it.
	_, msg, code = run(secret, "-email", "grace@example.org", "-country", "Atlantis", "-wait", "15s")
	if code != 1 || !regexp.MustCompile(`step \d+ \(.*\): 0 options are Atlantis`).MatchString(msg) || len(site.Site.Orders()) != len(orders) {
		t.Errorf("a failing step: status %d, %s", code, msg)
	}
}

// A shop that takes things into the cart by script got no order from a program
// that went on to the checkout at once: leaving the page called the request back.
func TestTheProgramWaitsForWhatAClickAsks(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	shop := newSlowShop(t)
	out, err := exec.CommandContext(ctx, program(t, ctx, shop.workflow(t)), "-wait", "40s").CombinedOutput()
	if told := shop.told(); err != nil || !strings.Contains(string(out), "Checkout") || !slices.Equal(told, []string{"added"}) {
		t.Errorf("%v, the server saw %q\n%s", err, told, out)
	}
}

// slowShop answers what its button asks after a while, and notices when the
// request is called back before.
type slowShop struct {
	url  string
	mu   sync.Mutex
	seen []string
}

func newSlowShop(t *testing.T) *slowShop {
	t.Helper()
	s := &slowShop{}
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `<!doctype html><button onclick="fetch('/add', { method: 'POST' })">Add</button>`)
	})
	mux.HandleFunc("/add", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // so that the connection's end is noticed
		select {
		case <-r.Context().Done():
			s.saw("called back")
		case <-time.After(700 * time.Millisecond):
			s.saw("added")
		}
	})
	mux.HandleFunc("/checkout", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, `<!doctype html><h1>Checkout</h1>`) })
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	s.url = srv.URL
	return s
}

func (s *slowShop) saw(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, what)
}

func (s *slowShop) told() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

// workflow adds something and goes on to the checkout.
func (s *slowShop) workflow(t *testing.T) *agent.Workflow {
	t.Helper()
	w, err := agent.ParseWorkflow(strings.NewReader(strings.ReplaceAll(`{"format": "webhand-workflow", "version": 1, "name": "Add", "steps": [
		{"do": {"action": "navigate", "args": {"url": "SITE/"}}},
		{"do": {"action": "click", "element": {"role": "button", "name": "Add"}}},
		{"do": {"action": "navigate", "args": {"url": "SITE/checkout"}}},
		{"extract": {"as": "title", "selector": "h1"}}
	], "output": {"title": "{{title}}"}}`, "SITE", s.url)))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// A program does what running its workflow does.
func TestTheProgramDoesEveryKindOfStep(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	w := everyKind(t)
	h, err := agent.RunWorkflow(ctx, w, map[string]any{"products": []any{"sold", "mug"}, "email": "a@b.test"}, agent.Config{
		BrowserConfig: browser.Config{NoSandbox: true}, Secrets: []registry.Secret{registry.NewSecret("shop-password", "pa55")},
	})
	if err != nil || !strings.Contains(h.Final(), "WH-77") {
		t.Errorf("the workflow: %v, %s", err, h.Final())
	}
	bin := program(t, ctx, w)
	run := func(products, wait string) (string, error) {
		cmd := exec.CommandContext(ctx, bin, "-products", products, "-email", "a@b.test", "-wait", wait)
		cmd.Env = append(os.Environ(), "SHOP_PASSWORD=pa55")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	out, err := run(`["sold","mug"]`, "40s")
	if err != nil || !strings.Contains(out, `"order": "WH-77"`) || !strings.Contains(out, `"city": "Vienna"`) {
		t.Errorf("%v\n%s", err, out)
	}
	// Two that stand elsewhere are not the two there were.
	if out, err := run(`["moved"]`, "2s"); err == nil || !strings.Contains(out, "step 4 ") || !strings.Contains(out, "2 elements answer to it alike") {
		t.Errorf("%v\n%s", err, out)
	}
}

// everyKind is the long workflow of the golden files, for a shop that has what
// it needs: twins, a frame, a password, a list, keys, another tab.
func everyKind(t *testing.T) *agent.Workflow {
	t.Helper()
	mux := http.NewServeMux()
	page := func(pattern, body string) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, "<!doctype html><meta charset=utf-8><main>"+body+"</main>")
		})
	}
	page("/product/mug", `<form action="/added"><button>Add to cart</button></form><div><form action="/wrong"><button>Add to cart</button></form></div>`)
	page("/product/moved", `<p><button>Add to cart</button></p><div><button>Add to cart</button></div>`)
	page("/product/sold", `<h1>Sold out</h1>`)
	page("/frame", `<label>Email "private" <input id=email name=email oninput="top.document.querySelector('#echo').textContent = value"></label>`)
	page("/added", `<iframe src="/frame"></iframe><p id=echo></p><input type=password name=password><select name=country><option>Norway<option>Austria</select>
		<div style="height: 4000px"></div><button>First</button><button onclick="setTimeout(() => { total.textContent = 'Total 12' }, 300)">Second</button><p id=total></p>
		<a href="/terms" target=_blank>Terms</a>
		<form action="/order/WH-77" onsubmit="if (document.querySelector('[name=password]').value !== 'pa55') return false"><button>Place order</button></form>`)
	page("/terms", `<h1>Terms</h1>`)
	page("/order/WH-77", `<p id=order-number>Your number is WH-77.</p>`)
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return load(t, "shop.workflow.json", "https://shop.test", srv.URL)
}

// program writes the program of a workflow and builds it.
func program(t *testing.T, ctx context.Context, w *agent.Workflow) string {
	t.Helper()
	files, err := Go(w)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := Write(dir, files); err != nil {
		t.Fatal(err)
	}
	return build(t, ctx, dir)
}

// build builds a written program with nothing but what is in the module cache.
func build(t *testing.T, ctx context.Context, dir string) string {
	t.Helper()
	bin := filepath.Join(dir, "program")
	for _, args := range [][]string{{"build", "-o", bin, "."}} {
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "GONOSUMDB=*", "GONOSUMCHECK=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	return bin
}
