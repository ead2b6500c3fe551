package browser

import (
	"strings"
	"testing"
)

// benchPage has something of every kind and enough around it to be a page.
var benchPage = `<form id=f onsubmit="return false"><button id=b onclick="c.textContent=+c.textContent+1">add</button><output id=c>0</output>
	<input id=i aria-label=name><select id=s><option>one<option>two</select><button id=n type=button>does nothing</button></form>` +
	strings.Repeat(`<section><h2>Heading</h2><p>Some <a href="#x">text</a> of a page</p></section>`, 200)

func benchSession(b *testing.B) *Session {
	s := newTestSession(b)
	srv := serve(b, map[string]string{"/": benchPage})
	if _, err := s.Navigate(testContext(b), srv.URL); err != nil {
		b.Fatal(err)
	}
	return s
}

func BenchmarkClick(b *testing.B) {
	s := benchSession(b)
	e := find(b, s, "#b")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := e.click(b.Context(), ClickOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkClickWithoutEffect waits for an effect that does not come.
func BenchmarkClickWithoutEffect(b *testing.B) {
	s := benchSession(b)
	e := find(b, s, "#n")
	for b.Loop() {
		if _, err := e.click(b.Context(), ClickOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkType50(b *testing.B) {
	s := benchSession(b)
	e := find(b, s, "#i")
	text := strings.Repeat("Type fifty! ", 5)[:50]
	b.ReportAllocs()
	for b.Loop() {
		if _, err := e.input(b.Context(), text, InputOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSelect(b *testing.B) {
	s := benchSession(b)
	e := find(b, s, "#s")
	n := 0
	for b.Loop() {
		n++
		if _, err := e.selectOptions(b.Context(), []string{[]string{"one", "two"}[n%2]}, SelectOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkScroll(b *testing.B) {
	s := benchSession(b)
	t, err := s.active(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	for b.Loop() {
		n++
		if _, err := t.page().scroll(b.Context(), ScrollOptions{Pages: float64(1 - n%2*2)}); err != nil && n > 1 {
			b.Fatal(err)
		}
	}
}
