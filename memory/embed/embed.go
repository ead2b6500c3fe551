// Package embed turns text into vectors for memory search: the interface an
// embedder implements, and the offline default, [Lexical].
package embed

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// Purpose says what a text is embedded for. Some models want to know.
type Purpose int

// The purposes.
const (
	Document Purpose = iota // a text to be found
	Question                // a text to find others with
)

// Embedder turns texts into vectors of one length.
//
// Embed returns one vector per text, in order; it must be safe for concurrent
// use and return promptly when ctx ends. Vectors need not be normalised.
type Embedder interface {
	Embed(ctx context.Context, texts []string, p Purpose) ([][]float32, error)
	Info() Info
}

// Info describes an embedder and the space of its vectors.
type Info struct {
	// Provider and Model name the space: vectors of different models do not
	// compare even when they are equally long.
	Provider string
	Model    string
	// Dims is the length of the vectors; 0 when it is not known before the
	// first call.
	Dims int
	// Lexical says that closeness means shared words and not shared meaning.
	Lexical bool
	// Threshold is the similarity below which two texts have nothing to do
	// with each other; 0 means 0.1.
	Threshold float64
}

// Fingerprint identifies the space of vectors of the given length.
func (i Info) Fingerprint(dims int) string {
	return fmt.Sprintf("%s|%s|%d|l2", i.Provider, i.Model, dims)
}

// ErrVectors reports an embedder whose answer cannot be used: vectors missing,
// of several lengths, or with values that are not numbers.
var ErrVectors = errors.New("embedder returned unusable vectors")

// All embeds texts and returns their vectors scaled to length one. A vector
// count or length that does not fit is an error that matches [ErrVectors];
// dims 0 accepts any length as long as all are equal.
func All(ctx context.Context, e Embedder, texts []string, p Purpose, dims int) ([][]float32, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	vs, err := e.Embed(ctx, texts, p)
	if err != nil {
		return nil, err
	}
	if len(vs) != len(texts) {
		return nil, fmt.Errorf("%w: %d for %d texts", ErrVectors, len(vs), len(texts))
	}
	for i, v := range vs {
		if len(v) == 0 || len(v) != len(vs[0]) {
			return nil, fmt.Errorf("%w: number %d has length %d, the first has %d", ErrVectors, i, len(v), len(vs[0]))
		}
		if dims != 0 && len(v) != dims {
			return nil, fmt.Errorf("%w: length %d, want %d", ErrVectors, len(v), dims)
		}
		if vs[i], err = normalised(v); err != nil {
			return nil, fmt.Errorf("number %d: %w", i, err)
		}
	}
	return vs, nil
}

// normalised returns v at length one; the zero vector stays zero.
func normalised(v []float32) ([]float32, error) {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		return nil, fmt.Errorf("%w: a value is not a finite number", ErrVectors)
	}
	out := make([]float32, len(v))
	if sum == 0 {
		return out, nil
	}
	scale := 1 / math.Sqrt(sum)
	for i, x := range v {
		out[i] = float32(float64(x) * scale)
	}
	return out, nil
}
