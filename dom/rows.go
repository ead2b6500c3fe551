package dom

import "strconv"

// item writes `- text`, or lets the lines of what is in it stand for it.
func (r *renderer) item(i int32, e *Element) {
	if worthTelling(e, e.Above+e.Below) {
		r.open1(i, e.Tag)
		return
	}
	words := i + 1 // end of the texts it begins with
	for words < e.end && r.p.Elements[words].IsText() && (words == i+1 || !r.p.Elements[words].brk) {
		words++
	}
	if words == i+1 && r.branch(i, e) {
		return
	}
	if words == i+1 || r.boxes {
		if w := stateWord(e); w != "" && e.end > i+1 {
			r.open1(i, e.Tag)
		}
		return
	}
	r.begin(i, false)
	r.buf = append(r.buf, "- "...)
	if w := stateWord(e); w != "" {
		r.buf = append(r.buf, '<')
		r.buf = append(r.buf, w...)
		r.buf = append(r.buf, '>')
	}
	r.texts(i+1, words)
	if words < e.end {
		r.finish(false)
		r.container(i)
		r.skip = words
		return
	}
	r.skip = e.end
	if e.Tag == "dt" && e.end < int32(len(r.p.Elements)) {
		// A term and its one word or line of explanation read as one.
		if d := &r.p.Elements[e.end]; d.Tag == "dd" && d.Parent == e.Parent && d.Index == 0 && r.leafText(e.end, d) && len(d.Text) < 200 {
			if b := r.buf[len(r.buf)-1]; b != ':' {
				r.buf = append(r.buf, ':')
			}
			r.buf = append(r.buf, ' ')
			r.texts(e.end+1, d.end)
			r.skip = d.end
		}
	}
	r.finish(false)
	r.last = -1
}

// branch writes an item that is a target with a list below it, the list
// indented below the target.
func (r *renderer) branch(i int32, e *Element) bool {
	if i+1 >= e.end {
		return false
	}
	head := &r.p.Elements[i+1]
	if head.Index == 0 || head.end >= e.end || r.hasInner(i+1, head) {
		return false
	}
	for j := head.end; j < e.end; j++ {
		if c := &r.p.Elements[j]; listing(c) && c.Parent == int(i) {
			r.target(i+1, head)
			r.container(i)
			return true
		}
	}
	return false
}

// row writes the cells of a row that are only text on one line; targets in
// the row follow below it.
func (r *renderer) row(i int32, e *Element) {
	if r.boxes {
		return
	}
	start := len(r.lines)
	n, targets := 0, 0
	r.begin(i, false)
	r.buf = append(r.buf, '|')
	for j := i + 1; j < e.end; j++ {
		c := &r.p.Elements[j]
		if c.Parent != int(i) {
			continue
		}
		if b := r.buf[len(r.buf)-1]; b != ' ' {
			r.buf = append(r.buf, ' ')
		}
		k := r.cell(j, c)
		targets += k
		n++
		if c.end < e.end {
			r.buf = append(r.buf, " |"...)
		}
	}
	if n == 0 {
		r.buf = r.buf[:r.lines[start].start]
		r.lines = r.lines[:start]
		return
	}
	for len(r.buf) > 0 && r.buf[len(r.buf)-1] == ' ' {
		r.buf = r.buf[:len(r.buf)-1]
	}
	r.finish(false)
	r.last = -1
	if targets == 0 {
		r.skip = e.end
		return
	}
	r.container(i)
	r.targets(i+1, e.end, -1)
	r.skip = e.end
	r.closeTop()
}

// cell writes the words of one cell and counts the targets in it.
func (r *renderer) cell(j int32, c *Element) (targets int) {
	first := true
	until := j
	for k := j; k < c.end; k++ {
		x := &r.p.Elements[k]
		if k > j && x.Index != 0 || k == j && x.Index != 0 {
			targets++
			if !first {
				r.buf = append(r.buf, ' ')
			}
			first = false
			r.buf = append(r.buf, '[')
			r.buf = strconv.AppendInt(r.buf, int64(x.Index), 10)
			r.buf = append(r.buf, ']')
			until = x.end
			continue
		}
		if k < until {
			continue
		}
		words := ""
		if x.IsText() {
			words = x.Text
		} else if x.Tag == "img" {
			words = x.Name
		}
		if words == "" {
			continue
		}
		if !first {
			r.buf = append(r.buf, ' ')
		}
		first = false
		r.buf = appendText(r.buf, words)
	}
	return targets
}

// targets writes the targets from i to end but the one at but, each on a line.
func (r *renderer) targets(i, end, but int32) {
	for j := i; j < end; j++ {
		x := &r.p.Elements[j]
		if x.Index == 0 || j == but {
			continue
		}
		r.target(j, x)
		if r.skip > j {
			j = r.skip - 1
		} else if len(r.open) > 0 && r.lines[r.open[len(r.open)-1].line].elem == j {
			r.closeTop()
		}
	}
}
