package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/seed-4bdb41d0/webhand/llm"
)

func nothing(context.Context) error { return nil }

// add registers actions that do nothing.
func add(r *Registry, names ...string) {
	for _, n := range names {
		r.MustAdd(Spec{Name: n, Description: "Does " + n + "."}, nothing)
	}
}

func names(r *Registry, url string) string {
	return strings.Join(r.Compile(Page{URL: url}).Names(), " ")
}

func TestDuplicateAndReplace(t *testing.T) {
	r := New()
	add(r, "a", "b", "c")
	err := r.Add(Spec{Name: "b", Description: "Again."}, nothing)
	if !errors.Is(err, ErrDuplicateAction) || !strings.Contains(err.Error(), `"b"`) || !strings.Contains(err.Error(), "Replace") {
		t.Errorf("Add: %v", err)
	}
	if err := r.AddRaw(Spec{Name: "b", Description: "Again."}, nil, func(context.Context, json.RawMessage) (*Result, error) { return nil, nil }); !errors.Is(err, ErrDuplicateAction) {
		t.Errorf("AddRaw: %v", err)
	}
	if err := r.Replace(Spec{Name: "b", Description: "New."}, func(context.Context) (string, error) { return "new", nil }); err != nil {
		t.Fatal(err)
	}
	if err := r.Replace(Spec{Name: "d", Description: "Added."}, nothing); err != nil {
		t.Fatal(err)
	}
	if got := names(r, ""); got != "a b c d" {
		t.Errorf("order %q", got)
	}
	if res, err := r.Call(t.Context(), "b", nil, Deps{}); err != nil || res.Text != "new" {
		t.Errorf("%+v %v", res, err)
	}
	if err := r.Replace(Spec{Name: "a"}, nothing); err == nil {
		t.Error("a broken Replace is accepted")
	}
	if a, ok := r.Lookup("a"); !ok || a.Spec().Description != "Does a." {
		t.Error("a broken Replace replaced")
	}
	defer func() {
		if v := recover(); v == nil || !strings.Contains(fmt.Sprint(v), "registered already") {
			t.Errorf("MustAdd: %v", v)
		}
	}()
	add(r, "a")
}

func TestVisibility(t *testing.T) {
	r := New()
	r.MustAdd(Spec{Name: "pay", Description: "Pay.", Domains: []string{"*.shop.test", "http://localhost:8080/pay/*"}}, nothing)
	add(r, "click")
	r.MustAdd(Spec{Name: "print", Description: "Print.", When: func(p Page) bool { return p.ContentType == "application/pdf" }}, nothing)
	r.MustAdd(Spec{Name: "boom", Description: "Boom.", When: func(Page) bool { panic("no page") }}, nothing)
	add(r, "done")
	for _, tt := range []struct {
		page Page
		want string
	}{
		{Page{}, "click done"},
		{Page{URL: "about:blank"}, "click done"},
		{Page{URL: "https://blog.test/?u=https://shop.test"}, "click done"},
		{Page{URL: "https://eu.shop.test/x"}, "click done pay"},
		{Page{URL: "http://localhost:8080/pay/1"}, "click done pay"},
		{Page{URL: "http://localhost:8081/pay/1"}, "click done"},
		{Page{URL: "https://shop.test/", ContentType: "application/pdf"}, "click done pay print"},
		{Page{ContentType: "application/pdf"}, "click done print"},
	} {
		if got := strings.Join(r.Compile(tt.page).Names(), " "); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.page, got, tt.want)
		}
	}
	if got := r.Compile(Page{URL: "https://shop.test"}).PagePrompt(); got != "pay: Pay. (no parameters)\n" {
		t.Errorf("PagePrompt: %q", got)
	}
	if got := r.Compile(Page{}).PagePrompt(); got != "" {
		t.Errorf("PagePrompt: %q", got)
	}
}

func TestExcludeOnlyClone(t *testing.T) {
	r := New()
	add(r, "a", "b", "c", "done")
	r.Exclude("b", "later", "nothing_like_it")
	add(r, "later")
	if got := names(r, ""); got != "a c done" {
		t.Errorf("Exclude: %q", got)
	}
	if _, err := r.Call(t.Context(), "b", nil, Deps{}); !errors.Is(err, ErrNotAvailable) {
		t.Errorf("an excluded action runs: %v", err)
	}
	if _, err := r.Compile(Page{}).Decode([]byte(`"b"`)); !errors.Is(err, ErrNotAvailable) {
		t.Errorf("an excluded action decodes: %v", err)
	}
	if _, err := r.Call(t.Context(), "x", nil, Deps{}); !errors.Is(err, ErrUnknownAction) {
		t.Errorf("unknown: %v", err)
	}
	c := r.Clone()
	c.Only("done", "b", "dnoe")
	if got := names(c, ""); got != "done" {
		t.Errorf("Only: %q", got)
	}
	if err := c.Check(Deps{}); !errors.Is(err, ErrUnknownAction) || !strings.Contains(err.Error(), `"dnoe"`) {
		t.Errorf("Check: %v", err)
	}
	c.Only("a")
	if got := names(c, ""); got != "" {
		t.Errorf("a second Only widens: %q", got)
	}
	add(c, "own")
	if got := names(r, ""); got != "a c done" {
		t.Errorf("the clone changed its source: %q", got)
	}
	if _, err := c.Compile(Page{}).Schema(llm.Canonical, nil); !errors.Is(err, ErrNoActions) {
		t.Errorf("a schema of nothing: %v", err)
	}
	var all []string
	for a := range r.All() {
		all = append(all, a.Name())
	}
	if fmt.Sprint(all) != "[a c done]" {
		t.Errorf("All: %v", all)
	}
	for range r.All() {
		break // must not go on
	}
}

// Providers cache prompts and grammars by their bytes.
func TestSameSetSameBytes(t *testing.T) {
	r := builtins()
	r.MustAdd(Spec{Name: "pay", Description: "Pay.", Domains: []string{"*.shop.test"}}, nothing)
	r.MustAdd(Spec{Name: "post", Description: "Post.", Domains: []string{"*.blog.test"}}, nothing)
	add(r, "last")
	shop, shop2 := r.Compile(Page{URL: "https://a.shop.test/"}), r.Compile(Page{URL: "https://b.shop.test/x"})
	if shop != shop2 {
		t.Error("equal sets do not share a Model")
	}
	for _, d := range dialects {
		schemaOf := func(m *Model) string {
			t.Helper()
			b, err := m.Schema(d, thought{})
			if err != nil {
				t.Fatal(err)
			}
			return string(b)
		}
		base, at, blog := schemaOf(r.Compile(Page{})), schemaOf(shop), schemaOf(r.Compile(Page{URL: "https://blog.test"}))
		common := base[:strings.LastIndex(base, `]}}},"required"`)]
		if !strings.HasPrefix(at, common) || !strings.HasPrefix(blog, common) {
			t.Errorf("%s: the unrestricted actions are not a common prefix", d)
		}
		if schemaOf(r.Clone().Compile(Page{URL: "https://shop.test"})) != at {
			t.Errorf("%s: a clone renders other bytes", d)
		}
	}
	before := r.Compile(Page{})
	r.MaxActions = 3
	if b, err := r.Compile(Page{}).Schema(llm.Canonical, nil); err != nil || !bytes.Contains(b, []byte(`"minItems":1,"maxItems":3`)) {
		t.Errorf("MaxActions does not reach the schema: %v", err)
	}
	r.MaxActions = 0
	if r.Compile(Page{}) != before {
		t.Error("the first model is forgotten")
	}
}

func TestOneAndNoAction(t *testing.T) {
	r := New()
	if _, err := r.Compile(Page{}).Schema(llm.OpenAIStrict, thought{}); !errors.Is(err, ErrNoActions) {
		t.Errorf("none: %v", err)
	}
	add(r, "done")
	b, err := r.Compile(Page{}).Schema(llm.OpenAIStrict, nil)
	want := `{"type":"object","properties":{"action":{"type":"array","description":"What to do next, in this order.","minItems":1,"items":` +
		`{"type":"object","description":"Does done.","properties":{"done":{"type":"object","properties":{},"required":[],"additionalProperties":false}},` +
		`"required":["done"],"additionalProperties":false}}},"required":["action"],"additionalProperties":false}`
	if err != nil || string(b) != want {
		t.Errorf("%v\n got %s\nwant %s", err, b, want)
	}
}

func TestEnvelopeMistakes(t *testing.T) {
	r := New()
	add(r, "done")
	m := r.Compile(Page{})
	for name, tt := range map[string]struct {
		envelope any
		want     string
	}{
		"no struct": {3, "not a struct"},
		"its own union": {struct {
			Action string `json:"action"`
		}{}, `"action"`},
		"any": {struct{ V any }{}, "V"},
	} {
		if _, err := m.Schema(llm.Canonical, tt.envelope); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := m.Schema("klingon", nil); err == nil || !strings.Contains(err.Error(), "klingon") {
		t.Errorf("unknown dialect: %v", err)
	}
	if a, err := m.Schema(llm.Canonical, &thought{}); err != nil {
		t.Error(err)
	} else if b, _ := m.Schema(llm.Canonical, thought{}); string(a) != string(b) {
		t.Error("a pointer to the envelope renders otherwise")
	}
}

// A request that a provider cannot enforce says so once, and which action it is.
func TestStrict(t *testing.T) {
	var log bytes.Buffer
	r := New()
	r.Logger = slog.New(slog.NewTextHandler(&log, nil))
	add(r, "done")
	r.MustAdd(Spec{Name: "head", Description: "Maps.", Domains: []string{"map.test"}}, handle[struct {
		H map[string]string `json:"h"`
	}]())
	if err := r.AddRaw(Spec{Name: "raw", Description: "Raw.", Domains: []string{"raw.test"}}, []byte(`{"type":"object","properties":{"a":{}},"not":{"required":["b"]}}`),
		func(context.Context, json.RawMessage) (*Result, error) { return nil, nil }); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		url string
		d   llm.Dialect
		is  bool
	}{
		{"", llm.OpenAIStrict, true},
		{"", llm.Anthropic, true},
		{"https://map.test", llm.Canonical, true},
		{"https://map.test", llm.OpenAIStrict, false},
		{"https://map.test", llm.Anthropic, false},
		{"https://map.test", llm.Gemini, false},
		{"https://map.test", llm.LlamaCpp, true},
		{"https://raw.test", llm.OpenAIStrict, false},
		{"https://raw.test", llm.LlamaCpp, false},
	} {
		m := r.Compile(Page{URL: tt.url})
		if got := m.Strict(tt.d); got != tt.is {
			t.Errorf("%s %s: strict %v", tt.url, tt.d, got)
		}
		if got := m.Format("x", nil).Strict(tt.d); got != tt.is {
			t.Errorf("%s %s: Format strict %v", tt.url, tt.d, got)
		}
		for range 2 {
			if _, err := m.Schema(tt.d, nil); err != nil {
				t.Fatal(err)
			}
			if _, err := m.Schema(tt.d, thought{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := strings.Count(log.String(), `dialect=openai-strict reason="action head holds an object with free keys"`); n != 1 {
		t.Errorf("said %d times:\n%s", n, &log)
	}
	if !strings.Contains(log.String(), "action raw holds the keyword not") {
		t.Errorf("log:\n%s", &log)
	}
	if builtins().Compile(Page{}).Strict(llm.Anthropic) {
		t.Error("24 actions are within Anthropic's ceilings")
	}
	deep := New()
	deep.MustAdd(Spec{Name: "deep", Description: "Deep."}, handle[struct {
		A struct {
			B struct {
				C struct {
					D struct {
						E struct {
							F struct {
								G struct {
									H int `json:"h"`
								} `json:"g"`
							} `json:"f"`
						} `json:"e"`
					} `json:"d"`
				} `json:"c"`
			} `json:"b"`
		} `json:"a"`
	}]())
	if deep.Compile(Page{}).Strict(llm.OpenAIStrict) {
		t.Error("eleven levels are within OpenAI's ceiling of ten")
	}
}

// A nil registry is empty; it never panics but where a program asks for it.
func TestNilAndZeroRegistry(t *testing.T) {
	var nilReg *Registry
	for name, r := range map[string]*Registry{"nil": nilReg, "zero": {}, "clone of nil": nilReg.Clone()} {
		if got := len(r.Compile(Page{URL: "https://x.test"}).Names()); got != 0 {
			t.Errorf("%s: %d actions", name, got)
		}
		m := r.Compile(Page{})
		if _, err := m.Decode([]byte(`{"x":{}}`)); !errors.Is(err, ErrUnknownAction) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := r.Call(t.Context(), "x", nil, Deps{}); !errors.Is(err, ErrUnknownAction) {
			t.Errorf("%s: %v", name, err)
		}
		if err := r.Check(Deps{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for range r.All() {
			t.Errorf("%s: All yields", name)
		}
		if r.Lint() != nil || m.Prompt() != "" || m.PagePrompt() != "" {
			t.Errorf("%s: says something", name)
		}
		r.Exclude("x")
		r.Only("x")
	}
	if err := nilReg.Add(Spec{Name: "a", Description: "A."}, nothing); err == nil || !strings.Contains(err.Error(), "registry.New") {
		t.Errorf("Add to nil: %v", err)
	}
	var zero Registry
	if err := zero.Add(Spec{Name: "a", Description: "A."}, nothing); err != nil || names(&zero, "") != "a" {
		t.Errorf("Add to the zero Registry: %v", err)
	}
}

func TestConcurrentUse(t *testing.T) {
	r := New()
	var wg sync.WaitGroup
	var mu sync.Mutex
	dups := 0
	for g := range 4 {
		wg.Go(func() {
			for i := range 25 {
				err := r.Add(Spec{Name: fmt.Sprintf("shared_%d", i), Description: "Shared."}, nothing)
				if errors.Is(err, ErrDuplicateAction) {
					mu.Lock()
					dups++
					mu.Unlock()
				} else if err != nil {
					t.Error(err)
				}
				add(r, fmt.Sprintf("own_%d_%d", g, i))
				m := r.Compile(Page{})
				if _, err := m.Schema(llm.OpenAIStrict, nil); err != nil {
					t.Error(err)
				}
				r.Clone().Exclude("x")
				r.Lint()
			}
		})
	}
	wg.Wait()
	if n := len(r.Compile(Page{}).Names()); n != 125 || dups != 75 {
		t.Errorf("%d actions, %d refused, want 125 and 75", n, dups)
	}
}

// The step that runs keeps the model that it was compiled with.
func TestChangeDuringARun(t *testing.T) {
	r := New()
	r.MustAdd(Spec{Name: "act", Description: "Old."}, func(context.Context) (string, error) { return "old", nil })
	old := r.Compile(Page{})
	call, err := old.Decode([]byte(`"act"`))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Replace(Spec{Name: "act", Description: "New."}, func(context.Context) (string, error) { return "new", nil }); err != nil {
		t.Fatal(err)
	}
	r.Exclude("act")
	if res, err := call.Run(t.Context(), Deps{}); err != nil || res.Text != "old" {
		t.Errorf("%+v %v", res, err)
	}
	if c, err := old.Decode([]byte(`"act"`)); err != nil || c.Spec().Description != "Old." {
		t.Errorf("%v", err)
	}
	if got := names(r, ""); got != "" {
		t.Errorf("the next step still has %q", got)
	}
}

func TestActionsAreCopies(t *testing.T) {
	domains := []string{"a.test"}
	r := New()
	r.MustAdd(Spec{Name: "act", Description: "Acts.", Domains: domains}, func(context.Context, *cart) error { return nil })
	domains[0] = "b.test"
	a, _ := r.Lookup("act")
	a.Spec().Domains[0] = "c.test"
	if got := a.Spec().Domains[0]; got != "a.test" || names(r, "https://a.test") != "act" {
		t.Errorf("domains %q", got)
	}
	if fmt.Sprint(a.Requires()) != "[*registry.cart]" || !a.Restricted() || a.Name() != "act" {
		t.Errorf("%v %v", a.Requires(), a.Restricted())
	}
	if got := string(a.ParamsSchema()); got != `{"type":"object","properties":{},"additionalProperties":false}` {
		t.Errorf("ParamsSchema: %s", got)
	}
	foreign := json.RawMessage(`{ "type":"object", "title":"kept" }`)
	if err := r.AddRaw(Spec{Name: "raw", Description: "Raw."}, foreign, func(context.Context, json.RawMessage) (*Result, error) { return nil, nil }); err != nil {
		t.Fatal(err)
	}
	if a, _ := r.Lookup("raw"); string(a.ParamsSchema()) != string(foreign) {
		t.Errorf("ParamsSchema: %s", a.ParamsSchema())
	}
}

func TestLongDescription(t *testing.T) {
	long := strings.Repeat("é\"<>\n", 2000)
	r := New()
	r.MustAdd(Spec{Name: "act", Description: long}, nothing)
	b, err := r.Compile(Page{}).Schema(llm.Canonical, nil)
	if err != nil {
		t.Fatal(err)
	}
	var v struct {
		Properties struct {
			Action struct{ Items struct{ Description string } }
		}
	}
	if err := json.Unmarshal(b, &v); err != nil || v.Properties.Action.Items.Description != long {
		t.Errorf("the description changed: %v", err)
	}
	if got := fmt.Sprint(r.Lint()); !strings.Contains(got, "10000 characters") {
		t.Errorf("Lint: %s", got)
	}
}

func TestLint(t *testing.T) {
	r := New()
	r.MustAdd(Spec{Name: "do", Description: "Save the current page into the list of pages."}, handle[struct {
		Title string `json:"title" jsonschema_description:"Title"`
		Items []struct {
			X int `json:"x"`
		} `json:"items" jsonschema_description:"Items"`
		Upper int `jsonschema_description:"Upper"`
	}]())
	r.MustAdd(Spec{Name: "save", Description: "Save the current page into the list of the pages!"}, nothing)
	r.MustAdd(Spec{Name: "other", Description: "Something else entirely."}, nothing)
	for i := range 38 {
		r.MustAdd(Spec{Name: fmt.Sprintf("limited_%d", i), Description: fmt.Sprintf("Number %d.", i), Domains: []string{"x.test"}}, nothing)
	}
	r.Exclude("other", "savee")
	want := []string{
		"do: the name says nothing about what it does",
		"do.items.x: no description; add jsonschema_description (or registry.Doc)",
		"do.Upper: models write lower-case names; add a json tag",
		`save: its description is nearly that of "do"; say what sets them apart`,
		`Exclude("savee") matches no action; did you mean "save"?`,
	}
	check := func(want []string) {
		t.Helper()
		var got []string
		for _, a := range r.Lint() {
			got = append(got, a.String())
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	check(want)
	r.MustAdd(Spec{Name: "one_more", Description: "One more for the site.", Domains: []string{"x.test", "y.test"}}, nothing)
	check(append(append(want[:4:4], "41 actions can be available on one page; models choose worse from more than 40: limit some to their pages with Domains or When"), want[4]))
}
