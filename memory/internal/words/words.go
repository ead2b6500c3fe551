// Package words cuts text into the tokens that keyword search and the lexical
// embedder share: folded, lightly stemmed words without stop words, and
// single characters and pairs of them for scripts that write no spaces.
package words

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxRunes is where a word is cut; nobody searches for the tail of a longer one.
const maxRunes = 64

// Tokens returns the tokens of s in order, repeats included. Text that
// consists of stop words alone keeps them.
func Tokens(s string) []string {
	var out, stops []string
	Split(s, func(w string, dense bool) {
		if dense {
			out = append(out, w)
			return
		}
		if _, ok := stopWords[w]; ok {
			stops = append(stops, w)
			return
		}
		out = append(out, Stem(w))
	})
	if len(out) == 0 {
		return stops
	}
	return out
}

// Unique returns the distinct tokens of s in order of first appearance, at
// most limit of them.
func Unique(s string, limit int) []string {
	seen := make(map[string]bool)
	var out []string
	for _, t := range Tokens(s) {
		if seen[t] {
			continue
		}
		seen[t] = true
		out = append(out, t)
		if len(out) == limit {
			break
		}
	}
	return out
}

// Split calls f for every raw word of s, folded but not stemmed. Runs of a
// script without spaces arrive as single characters and as pairs, with dense
// true.
func Split(s string, f func(word string, dense bool)) {
	var word, run []rune
	flushWord := func() {
		if len(word) > 0 {
			f(string(word[:min(len(word), maxRunes)]), false)
			word = word[:0]
		}
	}
	flushRun := func() {
		for i := range run {
			f(string(run[i]), true)
			if i+1 < len(run) {
				f(string(run[i:i+2]), true)
			}
		}
		run = run[:0]
	}
	for _, r := range Fold(s) {
		switch {
		case isDense(r):
			flushWord()
			run = append(run, r)
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r) && len(word) > 0:
			flushRun()
			word = append(word, r)
		case unicode.Is(unicode.So, r): // emoji and other signs people search for
			flushWord()
			flushRun()
			f(string(r), true)
		case r == '\'' || r == '’':
			// "don't" and "dont" are one word; a possessive s is stemmed off.
		default:
			flushWord()
			flushRun()
		}
	}
	flushWord()
	flushRun()
}

// Fold lower-cases s, unifies compatibility forms and drops the accents of
// alphabetic scripts.
func Fold(s string) string {
	ascii := true
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			ascii = false
			break
		}
	}
	if ascii {
		return strings.ToLower(s)
	}
	s = strings.ToLower(norm.NFKC.String(strings.ToValidUTF8(s, " ")))
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range norm.NFD.String(s) {
		// Only the general accents go: the voicing marks of kana and the
		// vowel signs of Indic scripts make different words.
		if r >= 0x300 && r <= 0x36f {
			continue
		}
		b.WriteRune(r)
	}
	return norm.NFC.String(b.String())
}

// isDense reports whether r belongs to a script that separates no words.
func isDense(r rune) bool {
	return r >= 0x0e00 && (r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana,
		unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Bopomofo))
}
