package words

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTokens(t *testing.T) {
	tests := []struct {
		name, in string
		want     []string
	}{
		{"forms of a word meet", "likes liked liking like", []string{"lik", "lik", "lik", "lik"}},
		{"stop words go", "Where do I live?", []string{"liv"}},
		{"stop words alone stay", "who am I", []string{"who", "am", "i"}},
		{"accents", "Café CRÈME", []string{"caf", "crem"}},
		{"full width", "ＡＢＣ１", []string{"abc1"}},
		{"apostrophes", "Anna's dog doesn’t bite", []string{"anna", "dog", "doesnt", "bit"}},
		{"Chinese in single characters and pairs", "我爱川菜", []string{"我", "我爱", "爱", "爱川", "川", "川菜", "菜"}},
		{"Japanese keeps its voicing marks", "が", []string{"が"}},
		{"Korean", "서울", []string{"서", "서울", "울"}},
		{"mixed", "住在Hefei市", []string{"住", "住在", "在", "hefei", "市"}},
		{"search operators are plain words", `foo* OR "bar`, []string{"foo", "bar"}},
		{"emoji", "I ❤ tea", []string{"❤", "tea"}},
		{"nothing", " .,;! ", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Tokens(tt.in); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("Tokens(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestStem(t *testing.T) {
	for in, want := range map[string]string{
		"running": "run", "boxes": "box", "allergies": "allergy", "bus": "bus", "analysis": "analysis",
		"glass": "glass", "classes": "class", "telling": "tell", "quickly": "quick", "tried": "try",
		"2024s": "2024", "be": "be", "king": "king", "überes": "überes",
	} {
		if got := Stem(in); got != want {
			t.Errorf("Stem(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestUniqueStopsAtTheLimit(t *testing.T) {
	if got := Unique("tea tea milk sugar", 2); !reflect.DeepEqual(got, []string{"tea", "milk"}) {
		t.Errorf("got %q", got)
	}
}

func FuzzTokens(f *testing.F) {
	for _, s := range []string{"", "plain words", "我爱川菜", "\xff\xfe", "a\u0301\u0301", "NEAR(a b)", strings.Repeat("x", 500)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, tok := range Tokens(s) {
			if tok == "" || !utf8.ValidString(tok) || strings.ContainsAny(tok, " \"'*:()\x00") {
				t.Fatalf("token %q of %q is not safe to quote", tok, s)
			}
			if utf8.RuneCountInString(tok) > maxRunes {
				t.Fatalf("token of %d runes", utf8.RuneCountInString(tok))
			}
		}
	})
}
