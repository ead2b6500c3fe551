package memory

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-4bdb41d0/webhand/llm"
)

const (
	comfortablePage = 8000 // tokens of page text that are given up before anything older
	minimalPage     = 800  // a page in fewer tokens says nothing
	minimalRead     = 300
	keptSteps       = 3 // the last steps, which a model cannot do without
)

// Fit makes the blocks fit into limit tokens and says in short phrases what it
// left out. It gives up, in this order: pictures, page text beyond a
// comfortable size, contents shown once, hints of earlier runs, old steps (never
// the first or the last three), and page text down to a minimum. Rules, tasks,
// summary and notes stay. The blocks given are not changed.
//
// A result that is still over the limit holds nothing more that can go.
func Fit(blocks []Block, limit int) (kept []Block, cut []string) {
	over := Total(blocks) - limit
	if over <= 0 {
		return blocks, nil
	}
	f := fitter{blocks: slices.Clone(blocks), over: over}
	f.images()
	f.shrink(KindPage, comfortablePage, "page text")
	f.shrink(KindRead, minimalRead, "contents read before")
	f.drop(KindHint, "hints of earlier runs")
	f.steps()
	f.shrink(KindPage, minimalPage, "page text")
	f.drop(KindRead, "contents read before")
	return f.blocks, f.cut
}

type fitter struct {
	blocks []Block
	over   int
	cut    []string
}

func (f *fitter) say(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	if !slices.Contains(f.cut, s) {
		f.cut = append(f.cut, s)
	}
}

func (f *fitter) images() {
	// The last block holds the screenshot of now; older pictures go first.
	for i := range f.blocks {
		for len(f.blocks[i].Images) > 0 && f.over > 0 {
			before := f.blocks[i].Tokens()
			f.blocks[i].Images = f.blocks[i].Images[1:]
			f.over -= before - f.blocks[i].Tokens()
			f.say("pictures")
		}
	}
}

func (f *fitter) shrink(kind Kind, floor int, what string) {
	for i := range f.blocks {
		b := &f.blocks[i]
		if f.over <= 0 || b.Kind != kind {
			continue
		}
		have := llm.EstimateText(b.Text)
		want := max(have-f.over, floor)
		if want >= have {
			continue
		}
		if b.Shrink != nil {
			b.Text = b.Shrink(want)
		} else {
			b.Text = Shorten(b.Text, want)
		}
		f.over -= have - llm.EstimateText(b.Text)
		f.say("part of the %s", what)
	}
}

func (f *fitter) drop(kind Kind, what string) {
	for i := 0; i < len(f.blocks) && f.over > 0; {
		if f.blocks[i].Kind != kind {
			i++
			continue
		}
		f.over -= f.blocks[i].Tokens()
		f.blocks = slices.Delete(f.blocks, i, i+1)
		f.say("the %s", what)
	}
}

// steps removes the oldest steps but the first, and leaves a line in their
// place.
func (f *fitter) steps() {
	var at []int
	for i, b := range f.blocks {
		if b.Kind == KindStep {
			at = append(at, i)
		}
	}
	if f.over <= 0 || len(at) <= keptSteps+1 {
		return
	}
	n := 0
	for _, i := range at[1 : len(at)-keptSteps] {
		if f.over <= 0 {
			break
		}
		f.over -= f.blocks[i].Tokens()
		n++
	}
	first := at[1]
	note := Block{Kind: KindStep, Text: omitted(n)}
	f.over += note.Tokens()
	f.blocks = slices.Replace(f.blocks, first, first+n, note)
	f.say("%d old steps", n)
}

func omitted(n int) string { return fmt.Sprintf("[%d earlier steps are not shown]", n) }

// Shorten cuts whole lines out of the middle of s until it costs at most the
// given number of tokens, and says so where they were. A single line is cut
// within.
func Shorten(s string, tokens int) string {
	if llm.EstimateText(s) <= tokens {
		return s
	}
	lines := strings.Split(s, "\n")
	if len(lines) < 4 {
		return shortenLine(s, tokens)
	}
	const note = 12
	budget := max(tokens-note, 0)
	head, tail := 0, len(lines)
	// Two thirds from the beginning, one from the end.
	for used := 0; head < tail; head++ {
		used += llm.EstimateText(lines[head]) + 1
		if used > budget*2/3 {
			break
		}
	}
	for used := 0; tail > head; tail-- {
		used += llm.EstimateText(lines[tail-1]) + 1
		if used > budget/3 {
			break
		}
	}
	if head == 0 && tail == len(lines) {
		return shortenLine(s, tokens)
	}
	mid := fmt.Sprintf("[... %d lines left out ...]", tail-head)
	return strings.Join(slices.Concat(lines[:head], []string{mid}, lines[tail:]), "\n")
}

func shortenLine(s string, tokens int) string {
	r := []rune(s)
	n := tokens * 2 // runes; most scripts take fewer than half a token for one
	for n > 0 && n < len(r) && llm.EstimateText(string(r[:n*2/3]))+llm.EstimateText(string(r[len(r)-n/3:]))+14 > tokens {
		n = n * 9 / 10
	}
	if n >= len(r) {
		n = len(r) * 9 / 10
	}
	return fmt.Sprintf("%s [... %d characters left out ...] %s", string(r[:n*2/3]), len(r)-n*2/3-n/3, string(r[len(r)-n/3:]))
}
