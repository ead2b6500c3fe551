package dom

import (
	"strconv"
	"strings"
)

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
