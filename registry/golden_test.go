package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/llm"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var dialects = []llm.Dialect{llm.Canonical, llm.OpenAIStrict, llm.Anthropic, llm.Gemini, llm.LlamaCpp}

// golden compares got with a file, or writes it.
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
		t.Fatalf("%v (run the test with -update to write it)", err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; got:\n%s", path, got)
	}
}

type address struct {
	Street string `json:"street" jsonschema:"minLength=1,maxLength=80"`
	Zip    string `json:"zip" jsonschema:"pattern=^[0-9]{4,5}$"`
}

type paging struct {
	Page int `json:"page" jsonschema:"minimum=1,maximum=99,default=1"`
}

// everything has one of each kind of field.
type everything struct {
	paging
	Name   string         `json:"name" jsonschema:"description=First, middle and last name"`
	Age    uint8          `json:"age" jsonschema:"maximum=120"`
	Score  float32        `json:"score,omitempty" jsonschema:"exclusiveMinimum=0,multipleOf=0.5"`
	Note   *string        `json:"note"`
	Kind   string         `json:"kind" jsonschema:"enum=new,enum=old" jsonschema_description:"New, or old"`
	Level  int            `json:"level,omitempty" jsonschema:"enum=1,enum=2,enum=3"`
	Due    time.Time      `json:"due"`
	Tags   []string       `json:"tags,omitempty" jsonschema:"maxItems=5,uniqueItems=true,minLength=1"`
	Home   address        `json:"home"`
	Others []address      `json:"others,omitempty" jsonschema:"minItems=2"`
	Work   *address       `json:"work"`
	Extra  map[string]int `json:"extra,omitempty"`
	Grid   [2][2]int      `json:"grid,omitzero"`
	Hidden string         `json:"-"`
	//lint:ignore U1000 unexported fields are left out
	private func() //nolint:unused // as above
}

// shapes has one action of each kind that matters to a dialect.
func shapes(t *testing.T) *Registry {
	t.Helper()
	r := New()
	r.MaxActions = 5
	r.MustAdd(Spec{Name: "everything", Description: "Has a field of every kind."}, handle[everything]())
	r.MustAdd(Spec{Name: "nothing", Description: "Takes \"nothing\" <at all>."}, func(context.Context) error { return nil })
	r.MustAdd(Spec{Name: "only_here", Description: "For one site.", Domains: []string{"shop.test"}},
		func(context.Context, bool, *int) error { return nil }, Args("sure", "count"), Doc("sure", "Whether you are sure"), Rule("count", "minimum=1"))
	foreign := `{
		"$schema": "http://json-schema.org/draft-07/schema#", "title": "Foreign", "type": "object",
		"definitions": {"point": {"type": "object", "properties": {"x": {"type": "number"}, "y": {"type": "number"}}, "required": ["x", "y"]},
			"tree": {"type": "object", "properties": {"value": {"type": "string"}, "kids": {"type": "array", "items": {"$ref": "#/definitions/tree"}}}, "required": ["value"]}},
		"properties": {
			"from": {"$ref": "#/definitions/point", "description": "Where it starts"},
			"to": {"oneOf": [{"$ref": "#/definitions/point"}, {"type": "string", "format": "uri"}]},
			"mode": {"const": "fast"},
			"when": {"type": ["string", "integer", "null"]},
			"headers": {"type": "object", "additionalProperties": {"type": "string"}},
			"any": {},
			"tree": {"$ref": "#/definitions/tree"}
		},
		"required": ["from"], "allOf": [{"required": ["from"]}]
	}`
	if err := r.AddRaw(Spec{Name: "foreign", Description: "Has a schema of its own."}, json.RawMessage(foreign),
		func(context.Context, json.RawMessage) (*Result, error) { return nil, nil }); err != nil {
		t.Fatal(err)
	}
	return r
}

// The files hold one action a line, so that a change is easy to review.
func TestGoldenDialects(t *testing.T) {
	m := shapes(t).Compile(Page{URL: "https://shop.test/"})
	for _, d := range dialects {
		b, err := m.Schema(d, struct {
			Thinking string `json:"thinking,omitempty" jsonschema_description:"Think aloud"`
			Memory   string `json:"memory"`
		}{})
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(b) {
			t.Fatalf("%s: not JSON: %s", d, b)
		}
		lines := strings.ReplaceAll(string(b), `,{"type":"object","description":`, ",\n"+`{"type":"object","description":`)
		golden(t, "shapes."+string(d)+".json", []byte(lines+"\n"))
	}
	golden(t, "shapes.text", []byte(m.Format("x", thought{}).Text))
	golden(t, "shapes.page.text", []byte(m.PagePrompt()))
}

func TestGoldenBuiltins(t *testing.T) {
	m := builtins().Compile(Page{})
	for _, d := range dialects {
		b, err := m.Schema(d, thought{})
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.ReplaceAll(string(b), `,{"type":"object","description":`, ",\n"+`{"type":"object","description":`)
		golden(t, "builtins."+string(d)+".json", []byte(lines+"\n"))
		t.Logf("%s: %d bytes, strict %v", d, len(b), m.Strict(d))
	}
	golden(t, "builtins.text", []byte(m.Prompt()))
}

// The reference spends 17 kB on its 24 actions.
func TestBuiltinsStayUnder14kB(t *testing.T) {
	b, err := builtins().Compile(Page{}).Schema(llm.Canonical, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(b) >= 14_000 {
		t.Errorf("%d bytes", len(b))
	}
	t.Logf("%d bytes", len(b))
}

// rules walks a rendered schema and reports what a provider would refuse.
func rules(d llm.Dialect, strict bool, v any, path string) []string {
	var out []string
	m, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	banned := map[llm.Dialect][]string{
		llm.OpenAIStrict: {"default", "minLength", "maxLength", "uniqueItems", "oneOf", "allOf", "not", "if", "patternProperties", "const", "$schema", "title"},
		llm.Anthropic: {"default", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength",
			"maxItems", "uniqueItems", "pattern", "oneOf", "not", "if", "$schema"},
		llm.Gemini:   {"$schema", "$ref", "$defs", "$id", "const", "additionalProperties", "default", "oneOf", "allOf", "not", "pattern", "title"},
		llm.LlamaCpp: {"$ref", "$defs", "not", "if", "default", "$schema"},
	}
	for _, k := range banned[d] {
		if _, has := m[k]; has {
			out = append(out, path+": "+k)
		}
	}
	props, _ := m["properties"].(map[string]any)
	if m["type"] == "object" {
		var required []string
		if list, ok := m["required"].([]any); ok {
			for _, r := range list {
				required = append(required, r.(string))
			}
		}
		if strict && d != llm.Gemini && d != llm.LlamaCpp && m["additionalProperties"] != false {
			out = append(out, path+": is open")
		}
		if d == llm.Gemini && len(props) == 0 {
			out = append(out, path+": is empty")
		}
		for name := range props {
			if d == llm.OpenAIStrict && !slices.Contains(required, name) {
				out = append(out, path+"."+name+": is not required")
			}
		}
	}
	if d == llm.Gemini {
		if _, isList := m["type"].([]any); isList {
			out = append(out, path+": several types")
		}
	}
	if d == llm.Anthropic {
		if n, ok := m["minItems"].(float64); ok && n > 1 {
			out = append(out, path+": minItems above 1")
		}
	}
	for name, p := range props {
		out = append(out, rules(d, strict, p, path+"."+name)...)
	}
	for _, k := range []string{"items", "additionalProperties"} {
		out = append(out, rules(d, strict, m[k], path+"."+k)...)
	}
	if list, ok := m["anyOf"].([]any); ok {
		for _, a := range list {
			out = append(out, rules(d, strict, a, path+"|")...)
		}
	}
	if defs, ok := m["$defs"].(map[string]any); ok {
		for name, def := range defs {
			out = append(out, rules(d, strict, def, path+"$"+name)...)
		}
	}
	return out
}

// A provider answers 400 to a keyword it does not know, whatever it means.
func TestDialectsHoldTheirRules(t *testing.T) {
	strict := shapes(t)
	strict.Exclude("foreign")
	for name, r := range map[string]*Registry{"builtins": builtins(), "shapes": strict, "foreign": shapes(t)} {
		m := r.Compile(Page{URL: "https://shop.test/"})
		for _, d := range dialects[1:] {
			b, err := m.Schema(d, thought{})
			if err != nil {
				t.Fatal(err)
			}
			var v any
			if err := json.Unmarshal(b, &v); err != nil {
				t.Fatal(err)
			}
			for _, broken := range rules(d, m.Strict(d), v, "") {
				t.Errorf("%s, %s: %s", name, d, broken)
			}
		}
	}
}

// What a dialect makes a model write, decoding must take: null for everything
// optional where all is required, text for what has no schema, placeholders.
func TestAnswersOfEachDialect(t *testing.T) {
	m := shapes(t).Compile(Page{URL: "https://shop.test/"})
	full := `{"everything":{"page":null,"name":"n","age":3,"score":null,"note":null,"kind":"new","level":null,"due":"2026-01-02T03:04:05Z",` +
		`"tags":null,"home":{"street":"s","zip":"12345"},"others":null,"work":null,"extra":%s,"grid":null}}`
	for in, want := range map[string]string{
		strings.ReplaceAll(full, "%s", "null"): `{"name":"n","age":3,"note":null,"kind":"new","due":"2026-01-02T03:04:05Z","home":{"street":"s","zip":"12345"},"work":null}`,
		strings.ReplaceAll(full, "%s", `"{\"a\":\"1\"}"`): `{"name":"n","age":3,"note":null,"kind":"new","due":"2026-01-02T03:04:05Z",` +
			`"home":{"street":"s","zip":"12345"},"work":null,"extra":{"a":1}}`,
		`{"foreign":{"from":{"x":1,"y":2},"to":null,"mode":null,"when":null,"headers":null,"any":null,"tree":null}}`: `{"from":{"x":1,"y":2},"when":null,"any":null}`,
		`{"foreign":{"from":{"x":1,"y":2},"to":{"x":"1","y":2},"headers":"{\"a\":\"b\"}","any":"[1]","tree":{"value":"v","kids":["{\"value\":\"w\",\"kids\":null}"]}}}`: `{"from":{"x":1,"y":2},` +
			`"to":{"x":1,"y":2},"headers":{"a":"b"},"any":"[1]","tree":{"value":"v","kids":[{"value":"w"}]}}`,
		`{"foreign":{"from":{"x":1,"y":2},"tree":{"value":"v","kids":[{"value":"w","kids":null}]}}}`: `{"from":{"x":1,"y":2},"tree":{"value":"v","kids":[{"value":"w"}]}}`,
		`{"nothing":{"_unused":"x"}}`:              `{}`,
		`{"only_here":{"sure":true,"count":null}}`: `{"sure":true,"count":null}`,
	} {
		c, err := m.Decode(json.RawMessage(in))
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		var got, wanted any
		if json.Unmarshal(c.Args, &got) != nil || json.Unmarshal([]byte(want), &wanted) != nil || !reflect.DeepEqual(got, wanted) {
			t.Errorf("%s:\n got %s\nwant %s", in, c.Args, want)
		}
	}
}
