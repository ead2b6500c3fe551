package words

import "strings"

// Stem takes the common English endings off a folded word so that its forms
// meet: "likes", "liked" and "liking" become one token. It is light on
// purpose: a wrong join costs precision, a missed one is caught by the
// character grams of the lexical embedder.
func Stem(w string) string {
	n := len(w)
	if n < 4 || w[0] >= 0x80 || w[n-1] < 'a' || w[n-1] > 'z' {
		return w
	}
	switch {
	case strings.HasSuffix(w, "ies") && n > 4:
		w = w[:n-3] + "y"
	case strings.HasSuffix(w, "sses"), strings.HasSuffix(w, "xes"), strings.HasSuffix(w, "zes"),
		strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "shes"):
		w = w[:n-2]
	case strings.HasSuffix(w, "ss"), strings.HasSuffix(w, "us"), strings.HasSuffix(w, "is"):
	case strings.HasSuffix(w, "s"):
		w = w[:n-1]
	case strings.HasSuffix(w, "ing") && n > 5 && hasVowel(w[:n-3]):
		w = undouble(w[:n-3])
	case strings.HasSuffix(w, "ied") && n > 4:
		w = w[:n-3] + "y"
	case strings.HasSuffix(w, "ed") && n > 4 && hasVowel(w[:n-2]):
		w = undouble(w[:n-2])
	case strings.HasSuffix(w, "ly") && n > 5:
		w = w[:n-2]
	}
	if n = len(w); n > 3 && w[n-1] == 'e' {
		w = w[:n-1]
	}
	return w
}

func hasVowel(s string) bool { return strings.ContainsAny(s, "aeiouy") }

// undouble turns "runn" into "run" and leaves "tell" and "miss" alone.
func undouble(s string) string {
	n := len(s)
	if n > 2 && s[n-1] == s[n-2] && !strings.ContainsRune("aeioulsz", rune(s[n-1])) {
		return s[:n-1]
	}
	return s
}

// stopWords say nothing about what a text is about.
var stopWords = func() map[string]struct{} {
	m := make(map[string]struct{})
	for w := range strings.FieldsSeq(`a about am an and any are as at be been but by can could did do does
		for from had has have he her his how i if in into is it its me my no not of on or our s she should
		so t than that the their them then there these they this those to us was we were what when where
		which who whom whose why will with would you your`) {
		m[w] = struct{}{}
	}
	return m
}()
