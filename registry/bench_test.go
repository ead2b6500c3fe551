package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/seed-4bdb41d0/webhand/llm"
)

// limitedBuiltins has, besides the 24, five actions for some pages.
func limitedBuiltins() *Registry {
	r := builtins()
	for i := range 5 {
		r.MustAdd(Spec{Name: fmt.Sprintf("site_%d", i), Description: fmt.Sprintf("For site %d.", i), Domains: []string{fmt.Sprintf("*.site%d.test", i)}}, nothing)
	}
	return r
}

func BenchmarkCompileCached(b *testing.B) {
	r := limitedBuiltins()
	p := Page{URL: "https://www.site3.test/path/to/page?query=1"}
	r.Compile(p)
	b.ReportAllocs()
	for b.Loop() {
		r.Compile(p)
	}
}

// cold measures the first Compile and Schema of a registry: a clone has no
// models yet, and its actions are made to forget their renderings.
func cold(b *testing.B, r *Registry, p Page) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		for a := range r.All() {
			a.union.Clear()
		}
		c := r.Clone()
		b.StartTimer()
		if _, err := c.Compile(p).Schema(llm.OpenAIStrict, thought{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCompileAndRenderCold(b *testing.B) {
	cold(b, limitedBuiltins(), Page{URL: "https://site3.test"})
}

func BenchmarkRegisterBuiltins(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		builtins()
	}
}

func BenchmarkDecode(b *testing.B) {
	m := limitedBuiltins().Compile(Page{})
	for name, in := range map[string]string{
		"click": `{"click":{"index":17}}`,
		"input": `{"input":{"index":17,"text":"some words to type","clear":false}}`,
		"none":  `{"go_back":{}}`,
		"wrong": `{"click":{"index":0,"how":"up"}}`,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := m.Decode(json.RawMessage(in)); (err != nil) != (name == "wrong") {
					b.Fatal(err)
				}
			}
		})
	}
}

// The reflective call alone: params, injection, call, result.
func BenchmarkDispatch(b *testing.B) {
	r := New()
	r.MustAdd(Spec{Name: "act", Description: "Acts."}, func(_ context.Context, p indexParams, c *cart, u pageURL) (string, error) { return "done", nil })
	deps := Provide(Provide(Deps{}, &cart{}), pageURL("x"))
	c, err := r.Compile(Page{}).Decode([]byte(`{"act":{"index":1}}`))
	if err != nil {
		b.Fatal(err)
	}
	params := c.params.Load()
	done := make(chan outcome, 1)
	b.ReportAllocs()
	for b.Loop() {
		c.params.Store(params)
		in, err := c.prepare(b.Context(), deps)
		if err != nil {
			b.Fatal(err)
		}
		c.invoke(b.Context(), in, done)
		c.normalise(<-done, nil)
	}
}

// A whole Run: with its goroutine, deadline and channel besides.
func BenchmarkRun(b *testing.B) {
	r := New()
	r.MustAdd(Spec{Name: "act", Description: "Acts."}, func(_ context.Context, p indexParams, c *cart) (string, error) { return "done", nil })
	deps := Provide(Deps{}, &cart{})
	c, err := r.Compile(Page{}).Decode([]byte(`{"act":{"index":1}}`))
	if err != nil {
		b.Fatal(err)
	}
	params := c.params.Load()
	b.ReportAllocs()
	for b.Loop() {
		c.params.Store(params)
		if _, err := c.Run(b.Context(), deps); err != nil {
			b.Fatal(err)
		}
	}
}

// thousand has 1,000 actions, 900 of them for some page.
func thousand() *Registry {
	r := New()
	for i := range 1000 {
		s := Spec{Name: fmt.Sprintf("action_%d", i), Description: fmt.Sprintf("Does thing number %d.", i)}
		if i >= 100 {
			s.Domains = []string{fmt.Sprintf("*.site%d.test", i%300)}
		}
		r.MustAdd(s, handle[inputParams]())
	}
	return r
}

func TestThousandActions(t *testing.T) {
	a, b := thousand(), thousand()
	p := Page{URL: "https://www.site7.test/x"}
	m := a.Compile(p)
	if n := len(m.Names()); n != 103 {
		t.Errorf("%d actions are available", n)
	}
	one, err := m.Schema(llm.OpenAIStrict, thought{})
	if err != nil {
		t.Fatal(err)
	}
	two, err := b.Compile(Page{URL: "https://site7.test/y"}).Schema(llm.OpenAIStrict, thought{})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(one, two) {
		t.Error("equal sets render other bytes")
	}
	if a.Compile(Page{URL: "https://site7.test"}) != m || a.Compile(Page{URL: "https://site8.test"}) == m {
		t.Error("the cache mixes sets")
	}
}

func BenchmarkThousandCold(b *testing.B) { cold(b, thousand(), Page{URL: "https://site7.test"}) }

// All 1,000 at once, as without any restriction.
func BenchmarkThousandColdAll(b *testing.B) {
	r := New()
	for i := range 1000 {
		r.MustAdd(Spec{Name: fmt.Sprintf("action_%d", i), Description: "Does it."}, handle[inputParams]())
	}
	cold(b, r, Page{})
}

func BenchmarkThousandCached(b *testing.B) {
	r := thousand()
	p := Page{URL: "https://site7.test"}
	b.ReportAllocs()
	for b.Loop() {
		r.Compile(p)
	}
}
