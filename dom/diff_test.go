package dom

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func textOf(s string) *Text {
	return &Text{String: s, page: &Page{URL: "u", docs: []string{"d"}}}
}

func TestDiffSaysWhatChanged(t *testing.T) {
	var lines []string
	for i := range 20 {
		lines = append(lines, "line "+string(rune('a'+i)))
	}
	prev := strings.Join(lines, "\n")
	lines[5] = "[7]<button>New"
	got, ok := Diff(textOf(prev), textOf(strings.Join(lines, "\n")))
	want := "<same lines=5>\n- line f\n+ [7]<button>New\n<same lines=14>"
	if !ok || got != want {
		t.Errorf("got %v\n%s\nwant\n%s", ok, got, want)
	}
	if got, ok := Diff(textOf(prev), textOf(prev)); !ok || got != "<same lines=20>" {
		t.Errorf("no change: %v %s", ok, got)
	}
	if _, ok := Diff(textOf(prev), textOf("all\nelse")); ok {
		t.Error("a difference as long as the page is no help")
	}
	other := textOf(prev)
	other.page.URL = "v"
	if _, ok := Diff(textOf(prev), other); ok {
		t.Error("another page is no difference")
	}
	// A mark of the state before is no change.
	if got, ok := Diff(textOf("*[1]<a>x\nb\nc\nd"), textOf("[1]<a>x\nb\nc\nd")); !ok || got != "<same lines=4>" {
		t.Errorf("marks: %v %s", ok, got)
	}
}

// The edit script turns one list into the other, whatever they are.
func TestEditScriptIsRight(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		mk := func() []string {
			out := make([]string, r.IntN(12))
			for i := range out {
				out[i] = string(rune('a' + r.IntN(4)))
			}
			return out
		}
		a, b := mk(), mk()
		ops, n := editScript(a, b, 100)
		i, got, edits := 0, []string{}, 0
		for _, op := range ops {
			switch op.kind {
			case 0:
				if a[i] != b[op.line] {
					t.Fatalf("%v -> %v: same line differs", a, b)
				}
				got = append(got, a[i])
				i++
			case '-':
				if op.line != i {
					t.Fatalf("%v -> %v: removes %d at %d", a, b, op.line, i)
				}
				i++
				edits++
			case '+':
				got = append(got, b[op.line])
				edits++
			}
		}
		if strings.Join(got, "") != strings.Join(b, "") || i != len(a) || edits != n {
			t.Fatalf("%v -> %v: %v (%d edits)", a, b, ops, n)
		}
	}
}
