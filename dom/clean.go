package dom

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// invisible reports runes that draw nothing, or nothing readable: controls,
// zero-width and direction marks, private use (icon fonts).
func invisible(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7F && r < 0xA0, r == 0xAD:
		return true
	case r >= 0x200B && r <= 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x2060 && r <= 0x2069, r == 0xFEFF:
		return true
	case r >= 0xE000 && r <= 0xF8FF, r >= 0xF0000, r >= 0xFFF9 && r <= 0xFFFB:
		return true
	}
	return false
}

// clean makes page text one line: white space collapses, what cannot be seen
// goes. Text that is clean already is returned as it is.
func clean(s string) string {
	ok := true
	space := true
	for _, r := range s {
		if r == ' ' {
			if space {
				ok = false
				break
			}
			space = true
			continue
		}
		if invisible(r) || unicode.IsSpace(r) {
			ok = false
			break
		}
		space = false
	}
	if ok && !(space && s != "") {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	space = false
	for _, r := range s {
		if unicode.IsSpace(r) {
			space = b.Len() > 0
			continue
		}
		if invisible(r) {
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// cutRunes shortens s to at most n bytes at a rune boundary, with an ellipsis.
func cutRunes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
