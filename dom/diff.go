package dom

import (
	"strconv"
	"strings"
)

// Diff tells next as a difference from prev: lines that are gone begin with
// "- ", new ones with "+ ", and runs of unchanged lines are counted. It is ok
// only when it is worth it: both texts are of the same page and fewer than
// three in ten lines changed.
func Diff(prev, next *Text) (text string, ok bool) {
	if prev == nil || next == nil || prev.page == nil || next.page == nil || prev.page.URL != next.page.URL {
		return "", false
	}
	if len(prev.page.docs) == 0 || len(next.page.docs) == 0 || prev.page.docs[0] != next.page.docs[0] {
		return "", false
	}
	a, b := strings.Split(unmark(prev.String), "\n"), strings.Split(next.String, "\n")
	plain := strings.Split(unmark(next.String), "\n")
	limit := 3 * max(len(a), len(b)) / 10
	if limit == 0 {
		limit = 1
	}
	ops, changed := editScript(a, plain, 2*limit)
	if ops == nil || changed > 2*limit {
		return "", false
	}
	var out strings.Builder
	same := 0
	flush := func() {
		if same > 0 {
			out.WriteString("<same lines=")
			out.WriteString(strconv.Itoa(same))
			out.WriteString(">\n")
			same = 0
		}
	}
	n := 0
	for _, op := range ops {
		switch op.kind {
		case 0:
			same++
		case '-':
			flush()
			out.WriteString("- " + a[op.line] + "\n")
			n++
		case '+':
			flush()
			out.WriteString("+ " + b[op.line] + "\n")
			n++
		}
	}
	flush()
	if n >= limit*2 {
		return "", false
	}
	return strings.TrimSuffix(out.String(), "\n"), true
}

// unmark takes the marks of new elements away, which say nothing a second
// time.
func unmark(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	start := true
	for i := 0; i < len(s); i++ {
		if start && s[i] == '*' && i+1 < len(s) && s[i+1] == '[' {
			start = false
			continue
		}
		if s[i] == '\n' {
			start = true
		} else if s[i] != ' ' {
			start = false
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

type edit struct {
	kind byte // 0 same, '-' or '+'
	line int
}

// editScript is Myers' difference algorithm, given up beyond limit edits.
func editScript(a, b []string, limit int) ([]edit, int) {
	// Equal ends need no search.
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	x, y := a[head:len(a)-tail], b[head:len(b)-tail]
	mid, n := myers(x, y, limit)
	if mid == nil && n > limit {
		return nil, n
	}
	out := make([]edit, 0, len(b)+n)
	for i := range head {
		out = append(out, edit{0, i})
	}
	for _, e := range mid {
		out = append(out, edit{e.kind, e.line + head})
	}
	for i := len(b) - tail; i < len(b); i++ {
		out = append(out, edit{0, i})
	}
	return out, n
}

func myers(a, b []string, limit int) ([]edit, int) {
	n, m := len(a), len(b)
	most := min(n+m, limit)
	off := most + 1
	v := make([]int, 2*most+3)
	var trace [][]int
	for d := 0; d <= most; d++ {
		trace = append(trace, append([]int(nil), v...))
		for k := -d; k <= d; k += 2 {
			var x int
			if k == -d || k != d && v[off+k-1] < v[off+k+1] {
				x = v[off+k+1]
			} else {
				x = v[off+k-1] + 1
			}
			y := x - k
			for x < n && y < m && a[x] == b[y] {
				x, y = x+1, y+1
			}
			v[off+k] = x
			if x >= n && y >= m {
				return backtrack(trace, a, b, off), d
			}
		}
	}
	if n+m == 0 {
		return []edit{}, 0
	}
	return nil, limit + 1
}

func backtrack(trace [][]int, a, b []string, off int) []edit {
	x, y := len(a), len(b)
	var rev []edit
	for d := len(trace) - 1; d >= 0; d-- {
		v := trace[d]
		k := x - y
		var pk int
		if k == -d || k != d && v[off+k-1] < v[off+k+1] {
			pk = k + 1
		} else {
			pk = k - 1
		}
		px := v[off+pk]
		py := px - pk
		if d == 0 {
			px, py = 0, 0
		}
		for x > px && y > py {
			x, y = x-1, y-1
			rev = append(rev, edit{0, y})
		}
		if d == 0 {
			break
		}
		if x == px {
			rev = append(rev, edit{'+', y - 1})
		} else {
			rev = append(rev, edit{'-', x - 1})
		}
		x, y = px, py
	}
	for i, j := 0, len(rev)-1; i < j; i, j = i+1, j-1 {
		rev[i], rev[j] = rev[j], rev[i]
	}
	return rev
}
