package dom

import "strings"

// inline returns the content of i as one line.
func (m *marker) inline(i int32) string { return m.flatten(i, 1) }

func (m *marker) flatten(i int32, kind int) string {
	saved := *m
	m.out, m.blank, m.space, m.started, m.atItem = nil, 0, false, false, false
	m.flat += kind
	m.children(i)
	s := string(m.out)
	inner := m.frames
	*m = saved
	m.frames = inner
	return strings.TrimSpace(s)
}

// lead writes what is due before inline content.
func (m *marker) lead() {
	m.flush()
	if m.space && m.started {
		m.out = append(m.out, ' ')
	}
	m.space = false
	m.started = true
	m.atItem = false
}

func (m *marker) link(i int32) {
	href := m.attr(i, ".href")
	if m.hasBlocks(i) && m.flat == 0 {
		m.blockLink(i, href)
		return
	}
	inner := m.inline(i)
	if m.o.NoLinks || href == "" || strings.HasPrefix(href, "javascript:") {
		if inner != "" {
			m.lead()
			m.out = append(m.out, inner...)
		}
		return
	}
	if inner == "" {
		if inner = m.altOf(i); inner == "" {
			return
		}
	}
	m.lead()
	m.out = append(m.out, '[')
	m.out = append(m.out, inner...)
	m.out = append(m.out, "]("...)
	m.out = append(m.out, linkTarget(href)...)
	m.out = append(m.out, ')')
}

// linkTarget keeps an address byte for byte; one that would end the link
// early is put in angle brackets.
func linkTarget(href string) string {
	if strings.ContainsAny(href, "() ") {
		return "<" + href + ">"
	}
	return href
}

// hasBlocks reports whether element i holds paragraphs of its own.
func (m *marker) hasBlocks(i int32) bool {
	for _, k := range m.kids[i+1] {
		switch m.c.records[k].tag {
		case "h1", "h2", "h3", "h4", "h5", "h6", "p", "ul", "ol", "table", "blockquote", "pre":
			return true
		case "div", "article", "section":
			if m.hasBlocks(k) {
				return true
			}
		}
	}
	return false
}

// blockLink writes a link around paragraphs: its first line carries it.
func (m *marker) blockLink(i int32, href string) {
	m.lines(2)
	if m.o.NoLinks || href == "" {
		m.children(i)
		m.lines(2)
		return
	}
	title := ""
	for _, k := range m.kids[i+1] {
		if title = m.flatten(k, 1); title != "" {
			break
		}
	}
	if title != "" && len(title) < 200 && !strings.Contains(title, "](") {
		m.lead()
		m.out = append(m.out, "["+title+"]("+linkTarget(href)+")"...)
		m.lines(1)
		first := true
		for _, k := range m.kids[i+1] {
			if first && m.flatten(k, 1) != "" {
				first = false
				continue
			}
			m.node(k)
		}
	} else {
		m.children(i)
		m.lines(1)
		m.lead()
		m.out = append(m.out, "<"+href+">"...)
	}
	m.lines(2)
}

func (m *marker) altOf(i int32) string {
	for _, k := range m.kids[i+1] {
		if m.c.records[k].tag == "img" {
			if a := clean(m.attr(k, "alt")); a != "" {
				return a
			}
		}
		if m.c.records[k].tag != "" {
			if a := m.altOf(k); a != "" {
				return a
			}
		}
	}
	return ""
}

func (m *marker) image(i int32) {
	if !m.o.Images {
		return
	}
	src := m.attr(i, ".src")
	if src == "" || strings.HasPrefix(src, "data:") {
		return
	}
	m.lead()
	m.out = append(m.out, "!["+clean(m.attr(i, "alt"))+"]("+linkTarget(src)+")"...)
}

func (m *marker) wrap(i int32, mark string) {
	if m.hasBlocks(i) {
		m.children(i)
		return
	}
	inner := m.inline(i)
	if inner == "" {
		m.space = true
		return
	}
	if mark == "`" && strings.Contains(inner, "`") {
		mark = "``"
	}
	// White space inside the element belongs outside the marks.
	if first := m.firstText(i); first != "" && (first[0] == ' ' || first[0] == '\n') {
		m.space = true
	}
	m.lead()
	m.out = append(m.out, mark...)
	m.out = append(m.out, inner...)
	m.out = append(m.out, mark...)
	if last := m.lastText(i); last != "" && (last[len(last)-1] == ' ' || last[len(last)-1] == '\n') {
		m.space = true
	}
}

func (m *marker) firstText(i int32) string {
	ks := m.kids[i+1]
	if len(ks) == 0 {
		return ""
	}
	if k := ks[0]; m.c.records[k].tag != "" {
		return m.firstText(k)
	}
	return m.c.records[ks[0]].text
}

func (m *marker) lastText(i int32) string {
	ks := m.kids[i+1]
	if len(ks) == 0 {
		return ""
	}
	k := ks[len(ks)-1]
	if m.c.records[k].tag == "" {
		return m.c.records[k].text
	}
	return m.lastText(k)
}
