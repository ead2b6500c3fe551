package dom

import "strings"

// table writes a data table as one, and the content of one that only lays
// the page out as blocks.
func (m *marker) table(i int32) {
	if m.flat > 0 {
		m.children(i)
		return
	}
	var rows [][]int32
	var caption int32 = -1
	nested := false
	m.tableRows(i, &rows, &caption, &nested)
	wide := 0
	for _, r := range rows {
		wide = max(wide, len(r))
	}
	role := firstToken(m.attr(i, "role"))
	if nested || wide < 2 && len(rows) > 0 && m.blocksIn(rows) || role == "presentation" || role == "none" {
		m.lines(2)
		m.children(i)
		m.lines(2)
		return
	}
	if len(rows) == 0 {
		m.children(i)
		return
	}
	m.lines(2)
	if caption >= 0 {
		if s := m.inline(caption); s != "" {
			m.lead()
			m.out = append(m.out, s...)
			m.lines(2)
		}
	}
	for n, r := range rows {
		m.lines(1)
		m.flush()
		m.out = append(m.out, '|')
		cells := 0
		for _, c := range r {
			m.out = append(m.out, ' ')
			m.out = append(m.out, m.flatten(c, cellFlat)...)
			m.out = append(m.out, " |"...)
			cells++
			for span := atoi(m.attr(c, "colspan")); span > 1 && cells < wide; span-- {
				m.out = append(m.out, "  |"...)
				cells++
			}
		}
		for ; cells < wide; cells++ {
			m.out = append(m.out, "  |"...)
		}
		m.started = true
		m.atItem = false
		if n == 0 {
			m.lines(1)
			m.flush()
			m.out = append(m.out, '|')
			m.out = append(m.out, strings.Repeat(" --- |", wide)...)
			m.started = true
		}
	}
	m.lines(2)
}

// tableRows collects the cells of every row, and sees whether the table holds
// another.
func (m *marker) tableRows(i int32, rows *[][]int32, caption *int32, nested *bool) {
	for _, k := range m.kids[i+1] {
		switch m.c.records[k].tag {
		case "tr":
			var cells []int32
			for _, c := range m.kids[k+1] {
				if t := m.c.records[c].tag; t == "td" || t == "th" {
					cells = append(cells, c)
					if m.holds(c, "table") {
						*nested = true
					}
				}
			}
			if len(cells) > 0 {
				*rows = append(*rows, cells)
			}
		case "caption":
			*caption = k
		case "":
		default:
			m.tableRows(k, rows, caption, nested)
		}
	}
}

func (m *marker) holds(i int32, tag string) bool {
	for _, k := range m.kids[i+1] {
		if m.c.records[k].tag == tag || m.holds(k, tag) {
			return true
		}
	}
	return false
}

func (m *marker) blocksIn(rows [][]int32) bool {
	for _, r := range rows {
		for _, c := range r {
			if m.hasBlocks(c) {
				return true
			}
		}
	}
	return false
}
