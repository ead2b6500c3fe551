package dom

import "unicode/utf8"

// Tokens estimates how many tokens a model's tokenizer makes of s. It errs on
// the high side (see TestTokensAreNotUnderestimated), so that a budget kept by
// it is kept by the model's own count. It allocates nothing.
func Tokens(s string) int {
	n, i := 0, 0
	for i < len(s) {
		c := s[i]
		switch {
		case c == ' ':
			// One space belongs to the word after it, a run is one more.
			j := i + 1
			for j < len(s) && s[j] == ' ' {
				j++
			}
			if j-i > 1 {
				n++
			}
			i = j
		case isLetter(c):
			j := i + 1
			// A word: up to a change from lower to upper case.
			for j < len(s) && isLetter(s[j]) && !(isUpper(s[j]) && !isUpper(s[j-1])) {
				j++
			}
			n += wordTokens(s[i:j])
			i = j
		case c >= '0' && c <= '9':
			j := i + 1
			for j < len(s) && s[j] >= '0' && s[j] <= '9' {
				j++
			}
			n += (j - i + 2) / 3
			i = j
		case c == '\n' || c == '\t' || c == '\r':
			j := i + 1
			for j < len(s) && (s[j] == '\n' || s[j] == '\t' || s[j] == '\r' || s[j] == ' ') {
				j++
			}
			n++
			i = j
			if j < len(s) && s[j-1] == ' ' && j-i > 0 {
				n++
			}
		case c < utf8.RuneSelf:
			j := i + 1
			for j < len(s) && isPunct(s[j]) {
				j++
			}
			n += (j - i + 1) / 2
			i = j
		default:
			r, size := utf8.DecodeRuneInString(s[i:])
			n += runeTokens(r)
			i += size
		}
	}
	return n
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isUpper(c byte) bool  { return c >= 'A' && c <= 'Z' }
func isPunct(c byte) bool {
	return c > ' ' && c < 0x7F && !isLetter(c) && (c < '0' || c > '9')
}

// wordTokens guesses the pieces of a word of ASCII letters. Words of a
// language are one piece up to some eight letters; what has no vowels or is
// in capitals is cut finer.
func wordTokens(w string) int {
	vowels, upper := 0, 0
	for i := 0; i < len(w); i++ {
		switch w[i] | 0x20 {
		case 'a', 'e', 'i', 'o', 'u', 'y':
			vowels++
		}
		if isUpper(w[i]) {
			upper++
		}
	}
	switch {
	case len(w) <= 2:
		return 1
	case upper > 1:
		return (len(w) + 1) / 2
	case vowels*5 < len(w):
		return (len(w) + 1) / 2
	case len(w) <= 5:
		return 1
	case len(w) <= 9:
		return 2
	default:
		return (len(w) + 3) / 4
	}
}

func runeTokens(r rune) int {
	switch {
	case r < 0x250: // accented Latin
		return 1
	case r >= 0x1F000:
		return 3
	case r >= 0x2E80 && r < 0xD7B0: // CJK, Hangul
		return 2
	case r >= 0x400 && r < 0x530, r >= 0x370 && r < 0x400, r >= 0x590 && r < 0x700:
		return 1
	default:
		return 2
	}
}
