package dom

import "strings"

// MarkdownOptions say what [Markdown] keeps. The zero value is the whole
// content with links and without images.
type MarkdownOptions struct {
	// NoLinks writes the words of links only.
	NoLinks bool
	// Images writes pictures as ![alternative text](address).
	Images bool
	// Main drops what frames the content: navigation, banners, footers,
	// asides, search.
	Main bool
}

// Markdown extracts the content of a page as Markdown: headings, lists,
// tables, links with absolute addresses as the document spells their escapes,
// code, and what is in shadow roots and frames. What cannot be seen is not in
// it. The captures must come from a walk with [WalkOptions.Markdown].
func Markdown(top *Capture, frames map[string]*Capture, o MarkdownOptions) string {
	m := &marker{o: o, frames: frames, placed: make(map[*Capture]bool)}
	m.document(top)
	return strings.TrimRight(strings.TrimLeft(string(m.out), "\n"), "\n ")
}

// marker writes Markdown.
type marker struct {
	o      MarkdownOptions
	frames map[string]*Capture
	out    []byte
	placed map[*Capture]bool

	c    *Capture
	kids [][]int32

	prefix  string // of every further line: quotes and list indentation
	blank   int    // line ends to write before the next text
	space   bool   // a space is due before the next text
	started bool   // the line has text
	flat    int    // inside a cell, link or heading: everything on one line
	pre     int    // inside preformatted text
	atItem  bool   // right behind a list mark, where the first line begins
}

func (m *marker) document(c *Capture) {
	if m.placed[c] {
		return // a frame is in one place only
	}
	m.placed[c] = true
	oldC, oldKids := m.c, m.kids
	m.c = c
	m.kids = make([][]int32, len(c.records)+1)
	counts := make([]int32, len(c.records)+1)
	for i := range c.records {
		counts[c.records[i].parent+1]++
	}
	flat := make([]int32, len(c.records))
	at := 0
	for i, n := range counts {
		m.kids[i] = flat[at : at : at+int(n)]
		at += int(n)
	}
	for i := range c.records {
		p := c.records[i].parent + 1
		m.kids[p] = append(m.kids[p], int32(i))
	}
	m.children(-1)
	m.c, m.kids = oldC, oldKids
}

func (m *marker) children(i int32) {
	for _, k := range m.kids[i+1] {
		m.node(k)
	}
}

func (m *marker) attr(i int32, name string) string {
	r := &m.c.records[i]
	for k := r.attr0; k < r.attr1; k++ {
		if m.c.attrs[k].Name == name {
			return m.c.attrs[k].Value
		}
	}
	return ""
}

// lines asks for at least n line ends before the next text.
func (m *marker) lines(n int) {
	if m.flat > 0 {
		m.space = true
		return
	}
	if m.atItem {
		return
	}
	m.blank = max(m.blank, n)
	m.space = false
}

// text writes collapsed text.
func (m *marker) text(s string) {
	for len(s) > 0 {
		i := strings.IndexAny(s, " \t\n\r\f\u00a0")
		if i == 0 {
			m.space = true
			_, s = cutSpace(s)
			continue
		}
		if i < 0 {
			i = len(s)
		}
		m.word(s[:i])
		s = s[i:]
	}
}

func cutSpace(s string) (n int, rest string) {
	for n < len(s) {
		switch s[n] {
		case ' ', '\t', '\n', '\r', '\f':
			n++
			continue
		case 0xC2:
			if n+1 < len(s) && s[n+1] == 0xA0 {
				n += 2
				continue
			}
		}
		break
	}
	return n, s[max(n, 1):]
}

func (m *marker) word(s string) {
	m.flush()
	if m.space && m.started {
		m.out = append(m.out, ' ')
	}
	m.space = false
	m.out = appendVisible(m.out, s, m.flat > 0 && m.inCell())
	m.started = true
	m.atItem = false
}

// inCell reports whether pipes need escaping.
func (m *marker) inCell() bool { return m.flat >= cellFlat }

// cellFlat is what a table cell adds to flat, so that it can be told from a
// link or a heading.
const cellFlat = 1 << 10

// flush writes the line ends that are due.
func (m *marker) flush() {
	if m.blank == 0 || m.flat > 0 {
		return
	}
	if len(m.out) > 0 && !(len(m.out) == 0) {
		for k := range m.blank {
			m.out = append(m.out, '\n')
			if k < m.blank-1 {
				m.out = append(m.out, strings.TrimRight(m.prefix, " ")...)
			} else {
				m.out = append(m.out, m.prefix...)
			}
		}
	} else {
		m.out = append(m.out, m.prefix...)
	}
	m.blank = 0
	m.started = false
	m.space = false
}

// appendVisible drops what draws nothing and, in a cell, escapes pipes.
func appendVisible(b []byte, s string, cell bool) []byte {
	for _, r := range s {
		if r != '\t' && r != '\n' && invisible(r) {
			continue
		}
		if cell && r == '|' {
			b = append(b, '\\')
		}
		b = append(b, string(r)...)
	}
	return b
}

func (m *marker) node(i int32) {
	r := &m.c.records[i]
	if r.tag == "" {
		if m.pre > 0 {
			m.raw(r.text)
		} else {
			m.text(r.text)
		}
		return
	}
	if m.o.Main && m.framing(i, r) {
		return
	}
	switch r.tag {
	case "br":
		if m.pre > 0 {
			m.raw("\n")
		} else {
			m.lines(1)
		}
	case "hr":
		m.lines(2)
		if m.flat == 0 {
			m.word("---")
			m.lines(2)
		}
	case "h1", "h2", "h3", "h4", "h5", "h6":
		m.heading(i, int(r.tag[1]-'0'))
	case "a":
		m.link(i)
	case "img":
		m.image(i)
	case "b", "strong":
		m.wrap(i, "**")
	case "em", "i":
		m.wrap(i, "*")
	case "s", "del":
		m.wrap(i, "~~")
	case "code", "kbd", "samp":
		if m.pre > 0 {
			m.children(i)
		} else {
			m.wrap(i, "`")
		}
	case "pre":
		m.preformatted(i)
	case "ul", "ol", "menu":
		m.list(i, r.tag == "ol")
	case "blockquote":
		m.quote(i)
	case "table":
		m.table(i)
	case "dt":
		m.lines(1)
		m.wrap(i, "**")
	case "dd":
		m.lines(1)
		m.nest("  ", func() {
			m.atItem = false
			m.children(i)
		})
	case "input", "select", "textarea":
		if v := m.attr(i, ".value"); v != "" {
			m.space = true
			m.text(v)
			m.space = true
		}
	case "button":
		m.space = true
		m.children(i)
		m.space = true
	case "iframe", "frame":
		m.frame(i)
	case "span", "label", "sup", "sub":
		m.children(i)
	case "p", "dl", "article", "section", "figure", "details", "dialog":
		m.lines(2)
		m.children(i)
		m.lines(2)
	default:
		m.lines(1)
		m.children(i)
		m.lines(1)
	}
}

// framing reports what stands around the content.
func (m *marker) framing(i int32, r *record) bool {
	switch r.tag {
	case "nav", "footer", "aside":
		return true
	case "header":
		return r.parent < 0 || m.topLevel(r.parent)
	}
	switch firstToken(m.attr(i, "role")) {
	case "navigation", "banner", "contentinfo", "complementary", "search":
		return true
	}
	return false
}

// topLevel reports that no main or article is around element i.
func (m *marker) topLevel(i int32) bool {
	for ; i >= 0; i = m.c.records[i].parent {
		switch m.c.records[i].tag {
		case "main", "article", "section":
			return false
		}
	}
	return true
}

func (m *marker) heading(i int32, level int) {
	m.lines(2)
	inner := m.inline(i)
	if inner == "" {
		return
	}
	m.flush()
	if m.flat == 0 {
		m.out = append(m.out, strings.Repeat("#", level)...)
		m.out = append(m.out, ' ')
	}
	m.out = append(m.out, inner...)
	m.started = true
	m.lines(2)
}
