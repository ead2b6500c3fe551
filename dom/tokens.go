package dom

import "unicode/utf8"

// Tokens estimates how many tokens a model's tokenizer makes of s. It errs on
// the high side (see TestTokensAreNotUnderestimated), so that a budget kept by
// it is kept by the model's own count. It allocates nothing.
func Tokens(s string) int { return (tenths(s) + 9) / 10 }

// tenths counts in tenths of a token.
func tenths[T string | []byte](s T) int {
	n, i := 0, 0
	for i < len(s) {
		c := s[i]
		switch {
		case c == ' ':
			// One space belongs to the word after it, a run is one more, and
			// numbers take none.
			j := i + 1
			for j < len(s) && s[j] == ' ' {
				j++
			}
			if j-i > 1 {
				n += 10
			}
			if j < len(s) && isDigit(s[j]) {
				n += 10
			}
			i = j
		case isLetter(c):
			j := i + 1
			// A word: up to a change from lower to upper case.
			for j < len(s) && isLetter(s[j]) && !(isUpper(s[j]) && !isUpper(s[j-1])) {
				j++
			}
			mixed := i > 0 && isDigit(s[i-1]) || j < len(s) && isDigit(s[j])
			n += word(s[i:j], mixed)
			i = j
		case isDigit(c):
			j := i + 1
			for j < len(s) && isDigit(s[j]) {
				j++
			}
			n += (j - i + 2) / 3 * 10
			i = j
		case c == '\n' || c == '\t' || c == '\r':
			j := i + 1
			for j < len(s) && (s[j] == '\n' || s[j] == '\t' || s[j] == '\r' || s[j] == ' ') {
				j++
			}
			n += 10
			if s[j-1] == ' ' && j-i > 2 {
				n += 10
			}
			i = j
		case c < utf8.RuneSelf:
			j := i + 1
			for j < len(s) && isPunct(s[j]) {
				j++
			}
			if j-i <= 2 {
				n += 10
			} else {
				n += (j - i) * 8
			}
			i = j
		default:
			r, size := decodeRune(s[i:])
			n += runeTenths(r)
			i += size
		}
	}
	return n
}

func decodeRune[T string | []byte](s T) (rune, int) {
	var b [utf8.UTFMax]byte
	k := copy(b[:], s[:min(len(s), utf8.UTFMax)])
	return utf8.DecodeRune(b[:k])
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isUpper(c byte) bool  { return c >= 'A' && c <= 'Z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isPunct(c byte) bool  { return c > ' ' && c < 0x7F && !isLetter(c) && !isDigit(c) }

// word guesses the pieces of a run of ASCII letters. What reads like a word of
// a language is one piece up to some eight letters; a code is cut every two.
func word[T string | []byte](w T, mixed bool) int {
	if len(w) == 1 {
		return 10
	}
	vowels, upper, run, longest, rare := 0, 0, 0, 0, 0
	for i := 0; i < len(w); i++ {
		switch w[i] | 0x20 {
		case 'a', 'e', 'i', 'o', 'u', 'y':
			vowels++
			run = 0
		case 'j', 'q', 'x', 'z':
			rare++
			run++
		default:
			run++
		}
		longest = max(longest, run)
		if isUpper(w[i]) {
			upper++
		}
	}
	if mixed {
		return max(10, len(w)*7)
	}
	odd := upper > 1 && len(w) > 3 || vowels*6 < len(w) || longest > 4 || rare*5 > len(w) || len(w) > 24
	switch {
	case odd:
		return max(10, len(w)*6)
	case len(w) <= 5:
		return 10
	case len(w) <= 8:
		return 13
	case len(w) <= 12:
		return 18
	}
	return len(w) * 2
}

func runeTenths(r rune) int {
	switch {
	case r < 0x250: // accented Latin
		return 12
	case r >= 0x370 && r < 0x530: // Greek, Cyrillic
		return 5
	case r >= 0x590 && r < 0x700, r >= 0x900 && r < 0xE80: // Hebrew, Arabic, Indic, Thai
		return 8
	case r >= 0x1E00 && r < 0x1F00: // Vietnamese
		return 12
	case r >= 0x2010 && r < 0x2028: // dashes, quotes, ellipsis
		return 10
	case r >= 0x3000 && r < 0x3100, r >= 0xAC00 && r < 0xD7B0: // kana, Hangul
		return 11
	case r >= 0x4E00 && r < 0xA000, r >= 0xFF00 && r < 0xFFF0: // Chinese characters
		return 15
	}
	return 30
}
