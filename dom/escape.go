package dom

import "unicode/utf8"

// appendText writes page text so that it cannot pass for what the renderer
// writes: an opening angle bracket that could start a tag becomes ‹, line
// breaks become spaces, and what cannot be seen goes.
func appendText(b []byte, s string) []byte {
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c != '<' && c < 0x7F {
			i++
			continue
		}
		size := 1
		var repl string
		drop := false
		switch {
		case c == '<':
			if i+1 < len(s) && tagStart(s[i+1]) {
				repl, drop = "‹", true
			}
		case c == '\n' || c == '\t' || c == '\r':
			repl, drop = " ", true
		case c < 0x20 || c == 0x7F:
			drop = true
		default:
			var r rune
			r, size = utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				repl, drop = "\uFFFD", true
			} else if invisible(r) {
				drop = true
			} else if r == 0xA0 || r == 0x2028 || r == 0x2029 || r == 0x85 {
				repl, drop = " ", true
			}
		}
		if drop {
			b = append(b, s[start:i]...)
			b = append(b, repl...)
			start = i + size
		}
		i += size
	}
	return append(b, s[start:]...)
}

func tagStart(c byte) bool {
	return isLetter(c) || c == '/' || c == '!' || c == '?'
}

// appendValue writes an attribute value: bare when it is one plain word, else
// in quotes.
func appendValue(b []byte, s string) []byte {
	bare := s != ""
	for i := 0; i < len(s) && bare; i++ {
		c := s[i]
		if !isLetter(c) && (c < '0' || c > '9') {
			switch c {
			case '.', ':', '/', '_', '-', '#', '@', '%', '+', ',', '$':
			default:
				bare = c >= utf8.RuneSelf
			}
		}
	}
	if bare {
		return appendText(b, s)
	}
	b = append(b, '"')
	from := len(b)
	b = appendText(b, s)
	for i := from; i < len(b); i++ {
		if b[i] == '"' || b[i] == '\\' {
			b = append(b, 0)
			copy(b[i+1:], b[i:])
			b[i] = '\\'
			i++
		}
	}
	return append(b, '"')
}
