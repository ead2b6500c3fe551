package embed

import (
	"context"
	"fmt"
	"hash/fnv"

	"github.com/seed-4bdb41d0/webhand/memory/internal/words"
)

// lexicalVersion is part of the fingerprint: it changes with anything that
// changes a vector.
const lexicalVersion = "hashed-ngrams-1"

// The weights of the features of a text.
const (
	wordWeight   = 1.0
	bigramWeight = 0.5
	gramWeight   = 0.35
)

// Lexical is the embedder used when none is configured. It needs no model
// and no network: it hashes words, pairs of words and character grams into a
// vector. It finds texts that share words, stems or parts of words, in any
// script, and survives typing errors. It does not understand meaning: "pet"
// does not find "dog".
//
// The zero value is ready to use.
type Lexical struct {
	// Size is the length of the vectors; 0 means 512.
	Size int
}

// Info says that the vectors are lexical.
func (l Lexical) Info() Info {
	// Texts that share nothing come out below 0.12 but for one in a hundred.
	return Info{Provider: "webhand-lexical", Model: lexicalVersion, Dims: l.size(), Lexical: true, Threshold: 0.12}
}

func (l Lexical) size() int {
	if l.Size > 0 {
		return l.Size
	}
	return 512
}

// Embed never fails but for a finished context.
func (l Lexical) Embed(ctx context.Context, texts []string, _ Purpose) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, t := range texts {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("lexical embedder: %w", err)
		}
		out[i] = l.vector(t)
	}
	return out, nil
}

func (l Lexical) vector(text string) []float32 {
	v := make([]float32, l.size())
	h := fnv.New64a()
	add := func(kind byte, weight float32, parts ...string) {
		h.Reset()
		h.Write([]byte{kind})
		for _, p := range parts {
			h.Write([]byte(p))
			h.Write([]byte{0})
		}
		sum := h.Sum64()
		if sum>>63 == 1 {
			weight = -weight
		}
		v[sum%uint64(len(v))] += weight
	}
	prev := ""
	for _, tok := range words.Tokens(text) {
		add('w', wordWeight, tok)
		if prev != "" {
			add('b', bigramWeight, prev, tok)
		}
		prev = tok
		grams(tok, func(g string) { add('g', gramWeight, g) })
	}
	return v
}

// grams calls f for the 3- and 4-character pieces of a word with its borders
// marked. Short tokens, those of dense scripts among them, have none: they
// are features themselves.
func grams(tok string, f func(string)) {
	r := []rune("^" + tok + "$")
	if len(r) < 5 {
		return
	}
	for n := 3; n <= 4; n++ {
		for i := 0; i+n <= len(r); i++ {
			f(string(r[i : i+n]))
		}
	}
}
