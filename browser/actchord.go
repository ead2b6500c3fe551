package browser

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// stroke is one thing to do at the keyboard: a chord of keys, or text.
type stroke struct {
	mods []string // names of modifier keys, in the order they were given
	key  keyDef
	name string
	text string // typed when there is no key
}

func (s stroke) String() string {
	if s.text != "" {
		return fmt.Sprintf("%q", s.text)
	}
	return strings.Join(append(append([]string(nil), s.mods...), s.name), "+")
}

// parseKeys reads what to do at the keyboard:
//
//	Enter, Tab, ArrowDown, F5       a key by its name, or an alias of it
//	Control+A, Shift+Tab, Control++ keys held together; + itself is a key
//	Tab Tab Enter                   keys one after another, apart by spaces
//	"text" Enter                    quoted text among keys
//	anything else                   text, typed as it is
func parseKeys(s string) ([]stroke, error) {
	if s == "" {
		return nil, fmt.Errorf("browser: no keys given; name keys such as Enter or Control+A, or give text to type")
	}
	if s == " " {
		return []stroke{{key: namedKeys["Space"], name: "Space"}}, nil
	}
	words, ok := splitKeys(strings.TrimSpace(s))
	if !ok || len(words) == 0 {
		return []stroke{{text: s}}, nil
	}
	var out []stroke
	named := false
	for _, w := range words {
		if strings.HasPrefix(w, `"`) && len(w) > 1 {
			out = append(out, stroke{text: unquoteKeys(w)})
			continue
		}
		st, isKey, bad := parseChord(w)
		if bad != "" {
			return nil, fmt.Errorf("browser: %q names no key: %s; known are Enter, Tab, Escape, Backspace, Delete, Home, End, PageUp, PageDown, ArrowUp, ArrowDown, ArrowLeft, ArrowRight, Space, F1 to F12, Insert, and characters", w, bad)
		}
		if !isKey {
			return []stroke{{text: s}}, nil
		}
		named = named || utf8.RuneCountInString(w) > 1
		out = append(out, st)
	}
	if !named {
		// Letters apart by spaces are text.
		for _, st := range out {
			if st.text == "" {
				return []stroke{{text: s}}, nil
			}
		}
	}
	return out, nil
}

// splitKeys cuts at spaces outside of quotes; false when a quote stays open.
func splitKeys(s string) ([]string, bool) {
	var out []string
	var cur strings.Builder
	quoted := false
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quoted && c == '\\' && i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '\\'):
			cur.WriteByte(c)
			i++
			cur.WriteByte(s[i])
		case c == '"' && (quoted || cur.Len() == 0):
			quoted = !quoted
			cur.WriteByte(c)
			if !quoted && i+1 < len(s) && s[i+1] != ' ' {
				return nil, false
			}
		case c == ' ' && !quoted:
			if cur.Len() > 0 {
				out = append(out, cur.String())
				cur.Reset()
			}
		default:
			cur.WriteByte(c)
		}
	}
	if cur.Len() > 0 {
		out = append(out, cur.String())
	}
	return out, !quoted
}

func unquoteKeys(w string) string {
	w = strings.TrimSuffix(strings.TrimPrefix(w, `"`), `"`)
	return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(w)
}

// parseChord reads one chord. isKey is false for what is only text; bad says
// what is wrong with something that can only be meant as keys.
func parseChord(w string) (st stroke, isKey bool, bad string) {
	parts := strings.Split(w, "+")
	if w == "+" {
		parts = []string{"+"}
	} else if strings.HasSuffix(w, "++") {
		parts = append(strings.Split(strings.TrimSuffix(w, "++"), "+"), "+")
	}
	for i, p := range parts[:len(parts)-1] {
		m, ok := canonicalKey(p)
		if !ok || modifierOf[m] == 0 && m != "ControlOrMeta" {
			// "1+1" and "a+b" are text; "Controll+A" is a slip.
			if i == 0 {
				return stroke{}, false, ""
			}
			return stroke{}, false, fmt.Sprintf("%q is no modifier", p)
		}
		st.mods = append(st.mods, m)
	}
	last := parts[len(parts)-1]
	name, ok := canonicalKey(last)
	switch {
	case ok && name == "ControlOrMeta":
		st.name, st.key = name, namedKeys["Control"]
	case ok && utf8.RuneCountInString(name) > 1:
		st.name, st.key = name, namedKeys[name]
	case utf8.RuneCountInString(last) == 1 || ok:
		if ok {
			last = name
		}
		r, _ := utf8.DecodeRuneInString(last)
		def, shift, known := keyOf(r)
		if !known {
			if len(st.mods) > 0 {
				return stroke{}, false, "no key of the keyboard types it alone"
			}
			return stroke{}, false, ""
		}
		st.name, st.key = last, def
		if shift && len(st.mods) == 0 {
			// A lone capital or "+" is typed with Shift by whoever types it.
			st.mods = nil
		}
	case len(st.mods) > 0:
		return stroke{}, false, fmt.Sprintf("%q is none", last)
	default:
		return stroke{}, false, ""
	}
	return st, true, ""
}

// canonicalKey returns the name of a key for a name or alias in any case.
func canonicalKey(s string) (string, bool) {
	if _, ok := namedKeys[s]; ok {
		return s, true
	}
	low := strings.ToLower(s)
	if a, ok := keyAliases[low]; ok {
		return a, true
	}
	for name := range namedKeys {
		if strings.ToLower(name) == low {
			return name, true
		}
	}
	return "", false
}
