package embed

import (
	"context"
	"errors"
	"math"
	"testing"
)

func similarity(t *testing.T, a, b string) float64 {
	t.Helper()
	vs, err := All(context.Background(), Lexical{}, []string{a, b}, Document, 512)
	if err != nil {
		t.Fatal(err)
	}
	var dot float64
	for i := range vs[0] {
		dot += float64(vs[0][i]) * float64(vs[1][i])
	}
	return dot
}

func TestLexicalFindsWordsAndNotMeaning(t *testing.T) {
	tests := []struct {
		name, a, b string
		least      float64
		most       float64
	}{
		{"itself", "I love hiking in the Alps", "I love hiking in the Alps", 0.999, 1.001},
		{"inflection", "She loves long hikes", "hiking is what she loved", 0.3, 1},
		{"typing error", "allergic to peanuts", "alergic to peanut", 0.4, 1},
		{"Chinese", "我喜欢吃川菜", "川菜", 0.3, 1},
		{"paraphrase is not understood", "has a dog", "owns a pet", -0.2, 0.2},
		{"other subject", "likes jasmine tea", "works as a carpenter", -0.2, 0.2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := similarity(t, tt.a, tt.b); got < tt.least || got > tt.most {
				t.Errorf("similarity %.3f, want %.2f to %.2f", got, tt.least, tt.most)
			}
		})
	}
}

type fixed struct{ vs [][]float32 }

func (f fixed) Embed(context.Context, []string, Purpose) ([][]float32, error) { return f.vs, nil }
func (f fixed) Info() Info                                                    { return Info{} }

func TestAllRefusesUnusableVectors(t *testing.T) {
	nan := float32(math.NaN())
	for name, vs := range map[string][][]float32{
		"too few":     {{1, 0}},
		"uneven":      {{1, 0}, {1}},
		"empty":       {{}, {}},
		"not numbers": {{nan, 0}, {1, 0}},
		"wrong dims":  {{1, 0, 0}, {1, 0, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := All(context.Background(), fixed{vs}, []string{"a", "b"}, Document, 2); !errors.Is(err, ErrVectors) {
				t.Errorf("got %v, want ErrVectors", err)
			}
		})
	}
}

func TestFingerprintTellsSpacesApart(t *testing.T) {
	a := Info{Provider: "p", Model: "m"}
	b := Info{Provider: "p", Model: "n"}
	if a.Fingerprint(768) == b.Fingerprint(768) || a.Fingerprint(768) == a.Fingerprint(512) {
		t.Error("different spaces share a fingerprint")
	}
}

func BenchmarkLexical(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_, _ = Lexical{}.Embed(context.Background(), []string{"Prefers window seats on morning flights from Oslo to Bergen, pays with the company card"}, Document)
	}
}
