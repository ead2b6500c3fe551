package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// decodeCall registers one handler and decodes a call of it.
func decodeCall(t *testing.T, r *Registry, s Spec, fn any, args string) *Call {
	t.Helper()
	s.Name, s.Description = "act", "Acts."
	if err := r.Add(s, fn); err != nil {
		t.Fatal(err)
	}
	c, err := r.Compile(Page{URL: "https://shop.test/"}).Decode(json.RawMessage(`{"act":` + args + `}`))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestRunResults(t *testing.T) {
	shared := &Result{Text: "t", Effects: []string{"e"}}
	for _, tt := range []struct {
		name string
		fn   any
		want Result
		is   error
	}{
		{"nothing", func(context.Context) error { return nil }, Result{}, nil},
		{"text", func(context.Context) (string, error) { return "x", nil }, Result{Text: "x"}, nil},
		{"result", func(context.Context) (*Result, error) { return shared, nil }, *shared, nil},
		{"error", func(context.Context) error { return os.ErrNotExist }, Result{Error: "file does not exist"}, os.ErrNotExist},
		{"text and error", func(context.Context) (string, error) { return "x", os.ErrNotExist }, Result{Text: "x", Error: "file does not exist"}, os.ErrNotExist},
		{"result and error", func(context.Context) (*Result, error) { return shared, os.ErrNotExist }, Result{Text: "t", Error: "file does not exist"}, os.ErrNotExist},
		{"an error of its own", func(context.Context) (*Result, error) { return &Result{Error: "no such option"}, nil }, Result{Error: "no such option"}, nil},
		{"only a Go error in the result", func(context.Context) (*Result, error) { return &Result{Err: os.ErrExist}, nil }, Result{Error: "file already exists"}, os.ErrExist},
		{"an error without words", func(context.Context) error { return errors.New("") }, Result{Error: "act failed"}, nil},
		{"a cancelled sub-call", func(context.Context) error { return context.Canceled }, Result{Error: "context canceled"}, context.Canceled},
		{"panic", func(context.Context) error { panic("index out of luck") }, Result{Error: "act failed inside: index out of luck. Try another way."}, nil},
		{"panic with an error", func(context.Context) error { panic(os.ErrClosed) }, Result{Error: "act failed inside: file already closed. Try another way."}, os.ErrClosed},
		{"the goroutine ends", func(context.Context) error { runtime.Goexit(); return nil }, Result{Error: "act failed inside: the handler ended its goroutine. Try another way."}, nil},
	} {
		r := New()
		var log bytes.Buffer
		r.Logger = slog.New(slog.NewTextHandler(&log, nil))
		res, err := decodeCall(t, r, Spec{}, tt.fn, "{}").Run(t.Context(), Deps{})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if res.Text != tt.want.Text || res.Error != tt.want.Error || (res.Error != "") != (res.Err != nil) {
			t.Errorf("%s: %+v, want %+v", tt.name, res, tt.want)
		}
		if tt.is != nil && !errors.Is(res.Err, tt.is) {
			t.Errorf("%s: %v is not %v", tt.name, res.Err, tt.is)
		}
		if !strings.HasPrefix(tt.name, "panic") {
			continue
		}
		var p *PanicError
		if !errors.As(res.Err, &p) || !strings.Contains(string(p.Stack), "run_test.go") || !strings.Contains(log.String(), "run_test.go") {
			t.Errorf("%s: the stack is not in the error and the log: %v, %s", tt.name, res.Err, &log)
		}
	}
	if shared.Error != "" || shared.Err != nil {
		t.Errorf("the handler's own result was changed: %+v", shared)
	}
}

func TestRunStopsAtTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		c := decodeCall(t, New(), Spec{Timeout: 5 * time.Second}, func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, "{}")
		res, err := c.Run(t.Context(), Deps{})
		if err != nil || res.Error != "act did not finish within 5s: action timed out" || !errors.Is(res.Err, ErrTimeout) {
			t.Errorf("%+v %v", res, err)
		}
		if d := time.Since(start); d != 5*time.Second {
			t.Errorf("took %s", d)
		}
		c = decodeCall(t, New(), Spec{Timeout: 5 * time.Second}, func(ctx context.Context) error {
			<-ctx.Done()
			return fmt.Errorf("waiting for the button: %w", context.Cause(ctx))
		}, "{}")
		res, err = c.Run(t.Context(), Deps{})
		if err != nil || !strings.Contains(res.Error, "within 5s: action timed out (waiting for the button") || !errors.Is(res.Err, ErrTimeout) {
			t.Errorf("%+v %v", res, err)
		}
	})
}

// What the user provided is asked under the action's deadline, too.
func TestRunBoundsWhatIsProvided(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := decodeCall(t, New(), Spec{Timeout: 5 * time.Second, Domains: []string{"shop.test"}}, nothing, "{}")
		slow := PageFunc(func(ctx context.Context) (Page, error) { <-ctx.Done(); return Page{}, ctx.Err() })
		if res, err := c.Run(t.Context(), Provide(Deps{}, slow)); err != nil || !errors.Is(res.Err, ErrTimeout) {
			t.Errorf("%+v %v", res, err)
		}
		bad := PageFunc(func(context.Context) (Page, error) { panic("no tab") })
		var p *PanicError
		if res, err := c.Run(t.Context(), Provide(Deps{}, bad)); err != nil || !errors.As(res.Err, &p) {
			t.Errorf("%+v %v", res, err)
		}
	})
}

// A registry's Timeout and Grace hold for a handler that looks at nothing.
func TestRunAbandonsADeafHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		r := New()
		r.Timeout, r.Grace, r.Logger = 10*time.Second, time.Second, slog.New(slog.NewTextHandler(&log, nil))
		release := make(chan struct{})
		c := decodeCall(t, r, Spec{}, func(context.Context) error { <-release; return nil }, "{}")
		start := time.Now()
		res, err := c.Run(t.Context(), Deps{})
		if err != nil || !errors.Is(res.Err, ErrAbandoned) || !errors.Is(res.Err, ErrTimeout) || !strings.Contains(res.Error, "abandoned") {
			t.Errorf("%+v %v", res, err)
		}
		if d := time.Since(start); d != 11*time.Second {
			t.Errorf("took %s", d)
		}
		if !strings.Contains(log.String(), "abandoned") {
			t.Errorf("log: %s", &log)
		}

		start = time.Now()
		ctx, cancel := context.WithTimeoutCause(t.Context(), 3*time.Second, errors.New("user stopped"))
		defer cancel()
		_, err = c.Run(ctx, Deps{})
		if err == nil || !strings.Contains(err.Error(), "user stopped") || !errors.Is(err, ErrAbandoned) {
			t.Errorf("%v", err)
		}
		if d := time.Since(start); d != 4*time.Second {
			t.Errorf("took %s", d)
		}
		close(release)
	})
}

// A handler that finishes within the grace keeps its result.
func TestRunKeepsALateResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := decodeCall(t, New(), Spec{Timeout: time.Second}, func(ctx context.Context) (string, error) {
			<-ctx.Done()
			time.Sleep(time.Second)
			return "late", nil
		}, "{}")
		if res, err := c.Run(t.Context(), Deps{}); err != nil || res.Text != "late" || res.Error != "" {
			t.Errorf("%+v %v", res, err)
		}
	})
}

func TestRunEndsWithItsContext(t *testing.T) {
	stop := errors.New("user stopped")
	ran := false
	c := decodeCall(t, New(), Spec{}, func(ctx context.Context) error { ran = true; return nil }, "{}")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	if res, err := c.Run(ctx, Deps{}); !errors.Is(err, stop) || !errors.Is(err, ErrNotStarted) || res != nil || ran {
		t.Errorf("%+v %v, ran %v", res, err, ran)
	}
	ctx, cancel = context.WithCancelCause(t.Context())
	limited := decodeCall(t, New(), Spec{Domains: []string{"shop.test"}}, func(context.Context) error { ran = true; return nil }, "{}")
	for _, pageErr := range []error{nil, errors.New("no tab")} { // the end comes while the page is asked
		page := PageFunc(func(context.Context) (Page, error) { cancel(stop); return Page{URL: "http://shop.test/"}, pageErr })
		if res, err := limited.Run(ctx, Provide(Deps{}, page)); !errors.Is(err, stop) || !errors.Is(err, ErrNotStarted) || res != nil || ran {
			t.Errorf("%+v %v, ran %v", res, err, ran)
		}
		ctx, cancel = context.WithCancelCause(t.Context())
	}
	c = decodeCall(t, New(), Spec{}, func(ctx context.Context) error { cancel(stop); <-ctx.Done(); return ctx.Err() }, "{}")
	if res, err := c.Run(ctx, Deps{}); !errors.Is(err, stop) || errors.Is(err, ErrNotStarted) || res != nil {
		t.Errorf("%+v %v", res, err)
	}
	for _, bad := range []*Call{nil, {}, {Name: "act", Args: []byte("{}")}} {
		if _, err := bad.Run(t.Context(), Deps{}); err == nil {
			t.Error("a call that Decode did not make runs")
		}
		bad.Spec()
	}
}

// A page may change between the model's choice and its execution.
func TestRunAsksThePageAgain(t *testing.T) {
	ran := 0
	r := New()
	c := decodeCall(t, r, Spec{Domains: []string{"*.shop.test"}, When: func(p Page) bool { return p.Title != "closed" }},
		func(context.Context) error { ran++; return nil }, "{}")
	page := Page{URL: "https://eu.shop.test/x"}
	var pageErr error
	deps := Provide(Deps{}, PageFunc(func(context.Context) (Page, error) { return page, pageErr }))
	if res, err := c.Run(t.Context(), deps); err != nil || res.Error != "" || ran != 1 {
		t.Errorf("on its page: %+v %v", res, err)
	}
	for name, set := range map[string]func(){
		"another page":    func() { page = Page{URL: "https://blog.test/?x=shop.test"} },
		"condition":       func() { page = Page{URL: "https://shop.test", Title: "closed"} },
		"no page":         func() { page = Page{} },
		"unreadable page": func() { pageErr = errors.New("tab is gone") },
	} {
		page, pageErr = Page{URL: "https://shop.test"}, nil
		set()
		res, err := c.Run(t.Context(), deps)
		if err != nil || !errors.Is(res.Err, ErrNotAvailable) || ran != 1 {
			t.Errorf("%s: %+v %v, ran %d", name, res, err, ran)
		}
		if pageErr != nil && !strings.Contains(res.Error, "tab is gone") {
			t.Errorf("%s: %s", name, res.Error)
		}
		if _, err := r.Call(t.Context(), "act", nil, deps); !errors.Is(err, ErrNotAvailable) {
			t.Errorf("Call, %s: %v", name, err)
		}
	}
	if res, err := c.Run(t.Context(), Deps{}); err != nil || !errors.Is(res.Err, ErrNotAvailable) || ran != 1 {
		t.Errorf("nobody knows the page: %+v %v", res, err)
	}
}

// Each run has params of its own, however often a call runs.
func TestRunTwice(t *testing.T) {
	type params struct {
		L []string `json:"l"`
	}
	c := decodeCall(t, New(), Spec{}, func(_ context.Context, p *params) (string, error) {
		p.L[0] += "!"
		return p.L[0], nil
	}, `{"l":["x"]}`)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if res, err := c.Run(t.Context(), Deps{}); err != nil || res.Text != "x!" {
				t.Errorf("%+v %v", res, err)
			}
		})
	}
	wg.Wait()
	if string(c.Args) != `{"l":["x"]}` {
		t.Errorf("Args changed: %s", c.Args)
	}
}

func TestAddRawRuns(t *testing.T) {
	r := New()
	var got string
	fn := func(_ context.Context, args json.RawMessage) (*Result, error) {
		got = string(args)
		return &Result{Text: "ok"}, nil
	}
	add := func(name, params string) {
		t.Helper()
		if err := r.AddRaw(Spec{Name: name, Description: "Raw."}, json.RawMessage(params), fn); err != nil {
			t.Fatal(err)
		}
	}
	add("none", ``)
	add("null", `null`)
	add("bare", `{"type":"object"}`)
	add("point", `{"type":"object","properties":{"x":{"type":"integer","default":3},"o":{"type":"string"},"n":{"type":["string","null"]}},"required":["x"]}`)
	add("map", `{"type":"object","properties":{"h":{"type":"object"}},"additionalProperties":true}`)
	add("lookahead", `{"type":"object","properties":{"s":{"type":"string","pattern":"^(?!x)"}}}`)
	add("all", `{"type":"object","properties":{"a":{"type":"string"}},"allOf":[{"properties":{"b":{"type":"string"}}}]}`)
	for _, tt := range []struct{ name, args, want string }{
		{"none", `{}`, `{}`},
		{"none", `{"x":1}`, "error: x unknown field"},
		{"null", `{}`, `{}`},
		{"bare", `{"x":1}`, "error: x unknown field"},
		{"point", `{"x":"7","o":null,"n":null}`, `{"x":7,"n":null}`},
		{"point", `{}`, "error: x is required"}, // the default is the server's to apply
		{"point", `{"x":1,"y":2}`, "error: y unknown field"},
		{"map", `{"h":{"a":{"b":[1,2]}},"z":1}`, `{"h":{"a":{"b":[1,2]}},"z":1}`},
		{"map", `{"h":"{\"a\":1}"}`, `{"h":{"a":1}}`},
		{"lookahead", `{"s":"x"}`, `{"s":"x"}`},
		{"all", `{"a":"x","b":"y"}`, `{"a":"x","b":"y"}`},
		{"all", `{"b":3}`, "error: b must be string"},
	} {
		got = ""
		res, err := r.Call(t.Context(), tt.name, []byte(tt.args), Deps{})
		if want, isErr := strings.CutPrefix(tt.want, "error: "); isErr {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s %s: %v, want %q", tt.name, tt.args, err, want)
			}
			continue
		}
		if err != nil || res.Text != "ok" || got != tt.want {
			t.Errorf("%s %s: got %s, %v, want %s", tt.name, tt.args, got, err, tt.want)
		}
	}
	for name, params := range map[string]string{
		"no JSON":      `{`,
		"a list":       `[]`,
		"a string":     `{"type":"string"}`,
		"a union":      `{"type":"object","anyOf":[{"required":["a"]},{"required":["b"]}]}`,
		"anything":     `true`,
		"remote":       `{"type":"object","properties":{"a":{"$ref":"https://x.test/s.json"}}}`,
		"no such type": `{"type":"object","properties":{"a":{"type":"strin"}}}`,
	} {
		if err := r.AddRaw(Spec{Name: "bad", Description: "Bad."}, json.RawMessage(params), fn); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if err := r.AddRaw(Spec{Name: "bad", Description: "Bad."}, nil, nil); err == nil {
		t.Error("a nil handler is accepted")
	}
	if err := r.AddRaw(Spec{Name: "bad", Description: "Bad.", Defaults: 1}, nil, fn); err == nil {
		t.Error("Spec.Defaults is accepted")
	}
}

// One action calls another, through the registry and with the same dependencies.
func TestActionsCallActions(t *testing.T) {
	r := New()
	r.MustAdd(Spec{Name: "inner", Description: "Inner."}, func(_ context.Context, n int) (string, error) { return fmt.Sprint(n + 1), nil }, Args("n"))
	r.MustAdd(Spec{Name: "outer", Description: "Outer."}, func(ctx context.Context, d Deps) (*Result, error) {
		return r.Call(ctx, "inner", map[string]int{"n": 1}, d)
	})
	if res, err := r.Call(t.Context(), "outer", nil, Deps{}); err != nil || res.Text != "2" {
		t.Errorf("%+v %v", res, err)
	}
}
