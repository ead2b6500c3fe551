package dom

import (
	"strconv"
	"strings"
)

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
	for _, k := range m.kids[i+1] {
		if m.c.records[k].tag == "" {
			return m.c.records[k].text
		}
		return m.firstText(k)
	}
	return ""
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

// nest runs f with a longer prefix for its further lines.
func (m *marker) nest(prefix string, f func()) {
	old := m.prefix
	m.prefix += prefix
	f()
	m.prefix = old
}

func (m *marker) quote(i int32) {
	if m.flat > 0 {
		m.children(i)
		return
	}
	m.lines(2)
	m.nest("> ", func() {
		m.blank = max(m.blank, 1)
		m.children(i)
	})
	m.lines(2)
}

func (m *marker) list(i int32, ordered bool) {
	if m.flat > 0 {
		m.children(i)
		return
	}
	top := m.prefix == "" || m.blank != 1
	if top && !m.atItem && strings.TrimSpace(m.prefix) == m.prefix {
		m.lines(2)
	} else {
		m.atItem = false
		m.lines(1)
	}
	n := atoi(m.attr(i, "start"))
	if n == 0 {
		n = 1
	}
	for _, k := range m.kids[i+1] {
		if m.c.records[k].tag != "li" {
			m.node(k)
			continue
		}
		mark := "- "
		if ordered {
			mark = strconv.Itoa(n) + ". "
			n++
		}
		before := len(m.out)
		m.lines(1)
		m.flush()
		m.out = append(m.out, mark...)
		m.started, m.space, m.atItem = false, false, true
		start := len(m.out)
		m.nest(strings.Repeat(" ", len(mark)), func() { m.children(k) })
		if len(m.out) == start {
			m.out = m.out[:before] // an item without words
			m.blank = max(m.blank, 1)
		}
		m.atItem = false
		m.lines(1)
	}
	m.lines(1)
	if m.prefix == "" {
		m.lines(2)
	}
}

func (m *marker) frame(i int32) {
	m.lines(2)
	if id := m.attr(i, ".foreign"); id != "" {
		if c := m.frames[id]; c != nil {
			m.document(c)
		}
	}
	m.children(i)
	m.lines(2)
}

// raw writes preformatted text as it is.
func (m *marker) raw(s string) {
	for k, line := range strings.Split(s, "\n") {
		if k > 0 {
			m.out = append(m.out, '\n')
			m.out = append(m.out, m.prefix...)
		}
		m.out = appendVisible(m.out, strings.TrimSuffix(line, "\r"), false)
	}
	m.started = true
}

func (m *marker) preformatted(i int32) {
	if m.flat > 0 {
		m.children(i)
		return
	}
	m.lines(2)
	m.flush()
	lang := codeLanguage(m.attr(i, "class"))
	for _, k := range m.kids[i+1] {
		if lang == "" && m.c.records[k].tag == "code" {
			lang = codeLanguage(m.attr(k, "class"))
		}
	}
	saved := m.out
	m.out = nil
	m.pre++
	m.children(i)
	m.pre--
	body := strings.Trim(string(m.out), "\n")
	m.out = saved
	fence := "```"
	for strings.Contains(body, fence) {
		fence += "`"
	}
	m.out = append(m.out, fence+lang+"\n"+m.prefix+body+"\n"+m.prefix+fence...)
	m.started = true
	m.atItem = false
	m.lines(2)
}

func codeLanguage(class string) string {
	for t := range strings.FieldsSeq(class) {
		for _, p := range []string{"language-", "lang-", "highlight-source-"} {
			if l, ok := strings.CutPrefix(t, p); ok {
				return l
			}
		}
	}
	return ""
}
