package dom

import (
	"sort"
	"strconv"
	"strings"
)

// fit chooses the lines that fit the budget and writes the text. What is in
// view comes first, then what can be used, then the rest by distance; long
// runs of like siblings beyond the viewport fold first.
func (t *Text) fit(o TextOptions) {
	budget := o.Budget
	if budget == 0 {
		budget = DefaultBudget
	}
	fence := 0
	if o.Nonce != "" {
		fence = 2 * (Tokens(o.Nonce) + 6)
	}
	total := fence
	for i := range t.lines {
		total += int(t.lines[i].tokens)
	}
	if budget > 0 && total > budget {
		total = t.choose(budget-fence) + fence
	}
	t.write(o.Nonce)
	t.Tokens = total
}

// noteTokens is kept free for the line that says what was left out, and
// cutTokens for each of the notes in its place.
const (
	noteTokens = 45
	cutTokens  = 16
	maxCuts    = 8
)

// choose marks the lines to keep within budget and returns their tokens.
func (t *Text) choose(budget int) int {
	ls := t.lines
	cuts := min(maxCuts, max(0, (budget-noteTokens)/(20*cutTokens)))
	reserve := noteTokens + cuts*cutTokens
	budget -= reserve
	type cand struct {
		i    int32
		rank int64
	}
	cands := make([]cand, 0, len(ls))
	for i := range ls {
		ls[i].kept = false
		cands = append(cands, cand{int32(i), t.rank(int32(i))})
	}
	sort.Slice(cands, func(a, b int) bool {
		if cands[a].rank != cands[b].rank {
			return cands[a].rank < cands[b].rank
		}
		return cands[a].i < cands[b].i
	})
	used := 0
	for _, c := range cands {
		if ls[c.i].kept {
			continue
		}
		// A line needs the containers above it.
		cost := 0
		for k := c.i; k >= 0 && !ls[k].kept; k = ls[k].parent {
			cost += int(ls[k].tokens)
		}
		if used+cost > budget {
			if used > budget-8 {
				break
			}
			continue
		}
		for k := c.i; k >= 0 && !ls[k].kept; k = ls[k].parent {
			ls[k].kept = true
		}
		used += cost
	}
	for i := range ls {
		if !ls[i].kept {
			t.LeftOut++
			if ls[i].target {
				t.LeftOutTargets++
			}
		}
	}
	t.markCuts(cuts)
	return used + reserve
}

// cut is a run of lines that was left out, announced in its place.
type cut struct{ first, lines, targets int }

// markCuts notes the longest runs of left-out lines.
func (t *Text) markCuts(most int) {
	var runs []cut
	for i := 0; i < len(t.lines); i++ {
		if t.lines[i].kept {
			continue
		}
		c := cut{first: i}
		for ; i < len(t.lines) && !t.lines[i].kept; i++ {
			c.lines++
			if t.lines[i].target {
				c.targets++
			}
		}
		if c.lines >= 5 {
			runs = append(runs, c)
		}
	}
	sort.Slice(runs, func(a, b int) bool { return runs[a].lines > runs[b].lines })
	runs = runs[:min(len(runs), most)]
	sort.Slice(runs, func(a, b int) bool { return runs[a].first < runs[b].first })
	t.cuts = runs
}

// rank orders lines by how much the model needs them; low is first.
func (t *Text) rank(i int32) int64 {
	l := &t.lines[i]
	if l.elem < 0 {
		return -2
	}
	e := &t.page.Elements[l.elem]
	if l.note {
		return -1
	}
	dialog := int64(0)
	dist := int64(0)
	if !e.State.Has(InView) {
		switch {
		case e.Bounds.Y >= t.page.ViewH:
			dist = int64(e.Bounds.Y-t.page.ViewH) + 50
		case e.Bounds.Y+e.Bounds.H <= 0:
			dist = int64(-e.Bounds.Y-e.Bounds.H) + 200
		default:
			dist = 100
		}
	}
	var base int64
	switch {
	case l.target && dist == 0:
		base = 0
	case dist == 0:
		base = 1_000
	case l.target:
		base = 10_000 + dist
	default:
		base = 10_000 + 3*dist + 500
	}
	return base + dialog
}

// write puts the kept lines together.
func (t *Text) write(nonce string) {
	var b strings.Builder
	b.Grow(len(t.buf) + len(t.lines)*4 + 64)
	if nonce != "" {
		b.WriteString("<page-" + nonce + ">\n")
	}
	cuts := t.cuts
	for i := range t.lines {
		l := &t.lines[i]
		if !l.kept {
			if len(cuts) > 0 && cuts[0].first == i {
				for range l.depth {
					b.WriteByte(' ')
				}
				b.WriteString("<cut lines=" + strconv.Itoa(cuts[0].lines) + " targets=" + strconv.Itoa(cuts[0].targets) + ">\n")
				cuts = cuts[1:]
			}
			continue
		}
		for range l.depth {
			b.WriteByte(' ')
		}
		b.Write(t.buf[l.start:l.end])
		b.WriteByte('\n')
	}
	if t.LeftOut > 0 {
		b.WriteString("<left-out lines=" + strconv.Itoa(t.LeftOut) + " targets=" + strconv.Itoa(t.LeftOutTargets) +
			">too long to show whole; scroll, search the page or ask for a part of it\n")
	}
	if nonce != "" {
		b.WriteString("</page-" + nonce + ">\n")
	}
	t.String = strings.TrimSuffix(b.String(), "\n")
}

// Lines returns every line of the page, also those the budget left out.
func (t *Text) Lines() []Line {
	out := make([]Line, len(t.lines))
	for i := range t.lines {
		out[i] = t.line(i)
	}
	return out
}

func (t *Text) line(i int) Line {
	l := &t.lines[i]
	ln := Line{Text: string(t.buf[l.start:l.end]), Element: int(l.elem)}
	if l.elem >= 0 && l.target {
		ln.Index = t.page.Elements[l.elem].Index
	}
	return ln
}
