package registry

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

type saveParams struct {
	Title string `json:"title" jsonschema:"minLength=1"`
	Likes int    `json:"likes" jsonschema:"minimum=0,default=0"`
}

// cart is a context object of a user's own.
type cart struct{ items []string }

func (c *cart) Save(_ context.Context, p saveParams) (string, error) {
	c.items = append(c.items, p.Title)
	return "saved " + p.Title, nil
}

type pageURL string

type handlerConfig struct{ limit int }

// must registers one action and calls it.
func callOne(t *testing.T, fn any, args any, deps Deps, named ...Arg) *Result {
	t.Helper()
	r := New()
	if err := r.Add(Spec{Name: "act", Description: "Acts."}, fn, named...); err != nil {
		t.Fatal(err)
	}
	if err := r.Check(deps); err != nil {
		t.Fatal(err)
	}
	res, err := r.Call(t.Context(), "act", args, deps)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestHandlerForms(t *testing.T) {
	c := &cart{}
	deps := Provide(Deps{}, c)
	deps = Provide(deps, pageURL("https://x.test"))
	deps = Provide(deps, handlerConfig{7})
	deps = Provide(deps, func() int { return 42 })
	deps = Provide[io.Writer](deps, io.Discard)
	deps = Provide(deps, Page{URL: "https://page.test"})
	params := map[string]any{"title": "t"}
	for _, tt := range []struct {
		name string
		fn   any
		args any
		arg  []Arg
		want string
	}{
		{"nothing but a context", func(context.Context) error { return nil }, nil, nil, ""},
		{"params by value", func(_ context.Context, p saveParams) (string, error) { return fmt.Sprint(p), nil }, params, nil, "{t 0}"},
		{"params by pointer", func(_ context.Context, p *saveParams) (string, error) { return fmt.Sprint(*p), nil }, saveParams{Title: "x", Likes: 3}, nil, "{x 3}"},
		{"anonymous params", func(_ context.Context, p struct {
			Seconds int `json:"seconds" jsonschema:"default=3"`
		}) (string, error) {
			return fmt.Sprint(p.Seconds), nil
		}, nil, nil, "3"},
		{"untagged params by value", func(_ context.Context, p struct{ N int }) (string, error) { return fmt.Sprint(p.N), nil }, `{"N":4}`, nil, "4"},
		{"empty params", func(_ context.Context, _ struct{}) (string, error) { return "ok", nil }, nil, nil, "ok"},
		{"empty params by pointer", func(_ context.Context, p *struct{}) (string, error) { return fmt.Sprint(p != nil), nil }, nil, nil, "true"},
		{"a dependency and no params", func(_ context.Context, c *cart) (string, error) { return fmt.Sprint(len(c.items)), nil }, nil, nil, "0"},
		{"dependencies in any order", func(_ context.Context, p saveParams, w io.Writer, u pageURL, f func() int, c *cart, h handlerConfig) (string, error) {
			return fmt.Sprint(p.Title, w != nil, u, f(), c != nil, h.limit), nil
		}, params, nil, "ttruehttps://x.test42 true 7"},
		{"dependencies in another order", func(_ context.Context, p *saveParams, h handlerConfig, c *cart, u pageURL) (string, error) {
			return fmt.Sprint(p.Title, h.limit, c != nil, u), nil
		}, params, nil, "t7 truehttps://x.test"},
		{"the page and all dependencies", func(_ context.Context, p Page, d Deps) (string, error) {
			_, ok := get[*cart](d)
			return fmt.Sprint(p.URL, ok), nil
		}, nil, nil, "https://page.testtrue"},
		{"result", func(context.Context) (*Result, error) { return &Result{Text: "r", Memory: "m"}, nil }, nil, nil, "r"},
		{"nil result", func(context.Context) (*Result, error) { return nil, nil }, nil, nil, ""},
		{"method", c.Save, params, nil, "saved t"},
		{"Func", Func(c.Save), params, nil, "saved t"},
		{"Func with a result", Func(func(_ context.Context, p *saveParams) (*Result, error) { return &Result{Text: p.Title}, nil }), params, nil, "t"},
		{"Func1", Func1(func(_ context.Context, p saveParams, u pageURL) (string, error) { return p.Title + string(u), nil }), params, nil, "thttps://x.test"},
		{"plain parameters", func(_ context.Context, n int, s string, b bool) (string, error) { return fmt.Sprint(n, s, b), nil },
			map[string]any{"n": 1, "s": "x", "b": true}, []Arg{Args("n", "s", "b")}, "1xtrue"},
		{"plain parameters, defaults", func(_ context.Context, n int, f float64, l []string, p *int, c *cart) (string, error) {
			return fmt.Sprint(n, f, l, p == nil, c != nil), nil
		}, nil, []Arg{
			Args("n", "f"), Args("l", "p"), Default("n", 3), Doc("n", "a number, or two"), Default("f", 0.5),
			Default("l", []string{"a"}), Rule("n", "minimum=0"),
		}, "3 0.5 [a] true true"},
		{"plain struct", func(_ context.Context, p saveParams, n int) (string, error) { return fmt.Sprint(p, n), nil },
			`{"p":{"title":"x"},"n":2}`, []Arg{Args("p", "n")}, "{x 0} 2"},
	} {
		args := tt.args
		if s, ok := args.(string); ok {
			args = []byte(s)
		}
		if res := callOne(t, tt.fn, args, deps, tt.arg...); res.Text != tt.want || res.Error != "" {
			t.Errorf("%s: %q %q, want %q", tt.name, res.Text, res.Error, tt.want)
		}
	}
}

// Every mistake is found when the program starts, and says what to write.
func TestRegistrationMistakes(t *testing.T) {
	ok := func(context.Context) error { return nil }
	spec := func(f func(*Spec)) Spec {
		s := Spec{Name: "act", Description: "Acts."}
		if f != nil {
			f(&s)
		}
		return s
	}
	type tagged struct {
		A int `json:"a"`
	}
	var nilFunc func(context.Context) error
	for _, tt := range []struct {
		name string
		spec Spec
		fn   any
		args []Arg
		want []string
	}{
		{"nil handler", spec(nil), nil, nil, []string{"nil", "not a func"}},
		{"no func", spec(nil), 3, nil, []string{"int", "not a func"}},
		{"nil func", spec(nil), nilFunc, nil, []string{"nil func"}},
		{"empty Handler", spec(nil), Handler{}, nil, []string{"not a func"}},
		{"no parameters", spec(nil), func() error { return nil }, nil, []string{"context.Context", "func(ctx"}},
		{"no context", spec(nil), func(p saveParams) error { return nil }, nil, []string{"context.Context"}},
		{"two contexts", spec(nil), func(_, _ context.Context) error { return nil }, nil, []string{"parameter 2", "one context"}},
		{"variadic", spec(nil), func(context.Context, ...string) error { return nil }, nil, []string{"parameter 2", "...string", "slice"}},
		{"plain parameter", spec(nil), func(_ context.Context, p saveParams, s string) error { return nil }, nil, []string{"parameter 3 (string)", "registry.Args"}},
		{"plain second parameter", spec(nil), func(_ context.Context, n int) error { return nil }, nil, []string{"parameter 2 (int)", "params struct", "registry.Args"}},
		{"unnamed list", spec(nil), func(_ context.Context, l []string) error { return nil }, nil, []string{"parameter 2 ([]string)"}},
		{"any", spec(nil), func(_ context.Context, v any) error { return nil }, nil, []string{"parameter 2", "too wide"}},
		{"error as dependency", spec(nil), func(_ context.Context, v error) error { return nil }, nil, []string{"parameter 2", "too wide"}},
		{"pointer to pointer", spec(nil), func(_ context.Context, v **cart) error { return nil }, nil, []string{"parameter 2", "pointer to a pointer"}},
		{"the same type twice", spec(nil), func(_ context.Context, a, b *cart) error { return nil }, nil, []string{"parameter 3 (*registry.cart)", "twice"}},
		{"params after a dependency", spec(nil), func(_ context.Context, c *cart, p tagged) error { return nil }, nil, []string{"parameter 3 (registry.tagged)", "right after the context"}},
		{"untagged struct", spec(nil), func(_ context.Context, c struct1) error { return nil }, nil, []string{"parameter 2 (registry.struct1)", "json tags", "pointer"}},
		{"hidden fields only", spec(nil), func(_ context.Context, c handlerConfig) error { return nil }, nil, []string{"parameter 2", "take a pointer"}},
		{"time as params", spec(nil), func(_ context.Context, at time.Time) error { return nil }, nil, []string{"parameter 2 (time.Time)"}},
		{"no result", spec(nil), func(context.Context) {}, nil, []string{"returns nothing", "(string, error)"}},
		{"no error", spec(nil), func(context.Context) string { return "" }, nil, []string{"string, not error"}},
		{"three results", spec(nil), func(context.Context) (string, int, error) { return "", 0, nil }, nil, []string{"3 values"}},
		{"other result", spec(nil), func(context.Context) (map[string]any, error) { return nil, nil }, nil, []string{"map[string]interface {}", "*registry.Result"}},
		{"result by value", spec(nil), func(context.Context) (Result, error) { return Result{}, nil }, nil, []string{"by value", "*registry.Result"}},
		{"recursive params", spec(nil), func(_ context.Context, p struct {
			T tree `json:"t"`
		}) error {
			return nil
		}, nil, []string{"t.kids", "recursive"}},
		{"func in params", spec(nil), func(_ context.Context, p struct{ F func() }) error { return nil }, nil, []string{"F", "JSON"}},
		{"any in params", spec(nil), func(_ context.Context, p struct{ V any }) error { return nil }, nil, []string{"V", "AddRaw"}},
		{"default above maximum", spec(nil), func(_ context.Context, p struct {
			N int `json:"n" jsonschema:"default=99,maximum=10"`
		}) error {
			return nil
		}, nil, []string{"default", "n: must be at most 10"}},

		{"empty name", spec(func(s *Spec) { s.Name = "" }), ok, nil, []string{"name"}},
		{"upper-case name", spec(func(s *Spec) { s.Name = "goBack" }), ok, nil, []string{"goBack", "lower-case"}},
		{"name with a dash", spec(func(s *Spec) { s.Name = "go-back" }), ok, nil, []string{"lower-case"}},
		{"long name", spec(func(s *Spec) { s.Name = strings.Repeat("a", 65) }), ok, nil, []string{"64"}},
		{"no description", spec(func(s *Spec) { s.Description = " " }), ok, nil, []string{"Description"}},
		{"negative timeout", spec(func(s *Spec) { s.Timeout = -time.Second }), ok, nil, []string{"Timeout", "-1s"}},
		{"empty domains", spec(func(s *Spec) { s.Domains = []string{} }), ok, nil, []string{"Domains", "nowhere"}},
		{"never matching domain", spec(func(s *Spec) { s.Domains = []string{"example.com", "yahoo.*"} }), ok, nil, []string{"yahoo.*", "star"}},
		{"over-wide domain", spec(func(s *Spec) { s.Domains = []string{"*.com"} }), ok, nil, []string{"*.com", "everybody"}},
		{"unknown secret field", spec(func(s *Spec) { s.SecretFields = []string{"titel"} }), func(_ context.Context, p saveParams) error { return nil }, nil, []string{"SecretFields", `"titel"`}},
		{"secret into a number", spec(func(s *Spec) { s.SecretFields = []string{"likes"} }), func(_ context.Context, p saveParams) error { return nil }, nil, []string{"likes", "no text"}},
		{"defaults of another type", spec(func(s *Spec) { s.Defaults = 3 }), func(_ context.Context, p saveParams) error { return nil }, nil, []string{"Defaults", "int", "saveParams"}},
		{"defaults without params", spec(func(s *Spec) { s.Defaults = saveParams{} }), ok, nil, []string{"Defaults", "no params"}},
		{"nil defaults", spec(func(s *Spec) { s.Defaults = (*saveParams)(nil) }), func(_ context.Context, p saveParams) error { return nil }, nil, []string{"Defaults"}},
		{"a default twice", spec(func(s *Spec) { s.Defaults = saveParams{Likes: 3} }), func(_ context.Context, p saveParams) error { return nil }, nil, []string{"likes", "two defaults"}},
		{"a default against its limit", spec(func(s *Spec) { s.Defaults = tagless{L: []string{"x"}} }), func(_ context.Context, p tagless) error { return nil }, nil, []string{"l: must have at least 2 items"}},

		{"Doc without Args", spec(nil), func(context.Context, int) error { return nil }, []Arg{Doc("n", "x")}, []string{"registry.Args is missing"}},
		{"too few parameters", spec(nil), func(context.Context, int) error { return nil }, []Arg{Args("a", "b")}, []string{"names 2", "has 1"}},
		{"a name twice", spec(nil), func(_ context.Context, a, b int) error { return nil }, []Arg{Args("a", "a")}, []string{`"a" twice`}},
		{"a name that is no name", spec(nil), func(context.Context, int) error { return nil }, []Arg{Args("a b")}, []string{`"a b"`}},
		{"a dash as a name", spec(nil), func(context.Context, int) error { return nil }, []Arg{Args("-,")}, []string{"Arg0", `"-"`}},
		{"Args names a dependency", spec(nil), func(_ context.Context, c io.Reader, n int) error { return nil }, []Arg{Args("n")}, []string{"parameter 2 (io.Reader)", `"n"`}},
		{"Doc of another name", spec(nil), func(context.Context, int) error { return nil }, []Arg{Args("a"), Doc("b", "x")}, []string{`registry.Doc("b")`, "a"}},
		{"Default of another type", spec(nil), func(context.Context, int) error { return nil }, []Arg{Args("a"), Default("a", "3")}, []string{"string is not int"}},
		{"Default nil", spec(nil), func(context.Context, int) error { return nil }, []Arg{Args("a"), Default("a", nil)}, []string{"not int"}},
		{"Default of a pointer", spec(nil), func(context.Context, *int) error { return nil }, []Arg{Args("a"), Default("a", 3)}, []string{"optional already"}},
		{"Default against a rule", spec(nil), func(context.Context, int) error { return nil }, []Arg{Args("a"), Default("a", 3), Rule("a", "maximum=2")}, []string{"a: must be at most 2"}},
		{"Rule with a typo", spec(nil), func(context.Context, int) error { return nil }, []Arg{Args("a"), Rule("a", "max=2")}, []string{`"max=2"`}},
		{"Defaults and Args", spec(func(s *Spec) { s.Defaults = 3 }), func(context.Context, int) error { return nil }, []Arg{Args("a")}, []string{"registry.Default"}},
	} {
		r := New()
		err := r.Add(tt.spec, tt.fn, tt.args...)
		if err == nil {
			t.Errorf("%s: no error", tt.name)
			continue
		}
		if tt.spec.Name == "act" {
			tt.want = append(tt.want, `registry: action "act": `)
		}
		for _, w := range tt.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %q lacks %q", tt.name, err, w)
			}
		}
		if n := len(r.Compile(Page{}).Names()); n != 0 {
			t.Errorf("%s: %d actions are registered all the same", tt.name, n)
		}
	}
}

// struct1 may be params that lack their tags, or a configuration.
type struct1 struct{ Limit int }

type tree struct {
	Kids []tree `json:"kids"`
}

type tagless struct {
	L []string `json:"l" jsonschema:"minItems=2"`
}

func TestSpecDefaults(t *testing.T) {
	type deep struct {
		N int `json:"n"`
	}
	type params struct {
		L []string          `json:"l"`
		M map[string]string `json:"m"`
		D deep              `json:"d"`
		S string            `json:"s"`
	}
	r := New()
	var got params
	r.MustAdd(Spec{Name: "act", Description: "Acts.", Defaults: &params{L: []string{"a"}, M: map[string]string{"k": "v"}, D: deep{7}}},
		func(_ context.Context, p params) error { got = p; return nil })
	for _, args := range []string{`{"s":"x"}`, `{"s":"x","l":null,"m":null,"d":null}`} {
		got = params{}
		if _, err := r.Call(t.Context(), "act", []byte(args), Deps{}); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got) != "{[a] map[k:v] {7} x}" {
			t.Errorf("%s: %v", args, got)
		}
		got.L[0], got.M["k"] = "changed", "changed" // must not reach the next run
	}
	if _, err := r.Call(t.Context(), "act", []byte(`{}`), Deps{}); err == nil || !strings.Contains(err.Error(), "s is required") {
		t.Errorf("without s: %v", err)
	}
}

func TestDeps(t *testing.T) {
	var buf bytes.Buffer
	needsWriter := func(_ context.Context, w io.Writer) error { _, err := io.WriteString(w, "x"); return err }
	r := New()
	r.MustAdd(Spec{Name: "write", Description: "Writes."}, needsWriter)
	r.MustAdd(Spec{Name: "query", Description: "Queries."}, func(context.Context, *sql.DB) error { return nil })
	r.MustAdd(Spec{Name: "limited", Description: "For a page.", Domains: []string{"x.test"}}, func(context.Context) error { return nil })

	err := r.Check(Deps{})
	if !errors.Is(err, ErrMissingDep) {
		t.Fatalf("Check: %v", err)
	}
	for _, want := range []string{`action "write" requires io.Writer`, `action "query" requires *sql.DB: dependency not provided`, `action "limited" requires registry.PageFunc`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("Check: %q lacks %q", err, want)
		}
	}
	if _, err := r.Call(t.Context(), "query", nil, Deps{}); !errors.Is(err, ErrMissingDep) {
		t.Errorf("Call: %v", err)
	}
	r.Exclude("query")
	deps := Provide(Deps{}, &buf) // by the interface that it implements
	deps = Provide(deps, Page{URL: "https://x.test"})
	if err := r.Check(deps); err != nil {
		t.Errorf("Check: %v", err)
	}
	if res, err := r.Call(t.Context(), "write", nil, deps); err != nil || res.Error != "" || buf.String() != "x" {
		t.Errorf("Call: %+v %v, wrote %q", res, err, &buf)
	}
	both := Provide(deps, &strings.Builder{})
	err = r.Check(both)
	if err == nil || !strings.Contains(err.Error(), "*bytes.Buffer, *strings.Builder all implement it; say which with Provide[io.Writer]") {
		t.Errorf("two candidates: %v", err)
	}
	if err := r.Check(Provide[io.Writer](both, &buf)); err != nil {
		t.Errorf("said which: %v", err)
	}
	if err := r.Check(deps); err != nil { // Provide did not change its receiver
		t.Errorf("Check: %v", err)
	}
	if err := r.Check(Provide[*bytes.Buffer](deps, nil)); !errors.Is(err, ErrMissingDep) {
		t.Errorf("a nil pointer counts as provided: %v", err)
	}
}
