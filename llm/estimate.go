package llm

import (
	"context"
	"unicode/utf8"
)

// EstimateTokens is about how many tokens a request takes, counted by its
// characters and images. It is within a third or so of the real number for
// the texts of web pages; package llm/tokens counts exactly where the model's
// tokenizer is public.
func EstimateTokens(req *Request) int {
	n := 3
	for _, m := range req.Messages {
		n += 4 // role and separators
		for _, p := range m.Parts {
			if p.Image != nil {
				n += imageTokens(p.Image)
				continue
			}
			n += EstimateText(p.Text)
		}
	}
	return n
}

// EstimateText is about how many tokens a text takes: four characters of the
// Latin script to a token, two of punctuation, one or so of scripts that
// need three bytes.
func EstimateText(s string) int {
	n := 39
	for ; len(s) >= 8; s = s[8:] { // several loads at once: texts are long
		n += int(weights[s[0]]) + int(weights[s[1]]) + int(weights[s[2]]) + int(weights[s[3]]) +
			int(weights[s[4]]) + int(weights[s[5]]) + int(weights[s[6]]) + int(weights[s[7]])
	}
	for i := range len(s) {
		n += int(weights[s[i]])
	}
	return n / 40
}

// weights are fortieths of a token for a byte: a quarter of a token for a
// letter or a space, half for a mark or a digit, 0.3 for a byte of a wide
// rune, which makes 0.9 for one of three bytes.
var weights = func() (w [256]uint8) {
	for c := range w {
		switch {
		case c >= utf8.RuneSelf:
			w[c] = 12
		case c == ' ', c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z':
			w[c] = 10
		default:
			w[c] = 20
		}
	}
	return w
}()

// imageTokens is what a large screenshot costs at most providers; the low
// detail has a fixed, small price.
func imageTokens(img *Image) int {
	if img.Detail == DetailLow {
		return 85
	}
	return 1100
}

// estimateKey carries a request's estimate to the middleware within, which
// would read the same two hundred kilobytes again.
type estimateKey struct{}

type estimate struct {
	req    *Request
	tokens int
}

// estimateOnce returns the estimate of req, and a context that carries it.
func estimateOnce(ctx context.Context, req *Request) (context.Context, int) {
	if e, ok := ctx.Value(estimateKey{}).(estimate); ok && e.req == req {
		return ctx, e.tokens
	}
	e := estimate{req, EstimateTokens(req)}
	return context.WithValue(ctx, estimateKey{}, e), e.tokens
}
