package sqlite

import (
	"encoding/binary"
	"fmt"
	"math"
)

// encodeVector writes float32 little-endian.
func encodeVector(v []float32) []byte {
	b := make([]byte, 4*len(v))
	for i, x := range v {
		binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(x))
	}
	return b
}

// decodeVector reads b into dst, which must have the right length.
func decodeVector(dst []float32, b []byte) error {
	if len(b) != 4*len(dst) {
		return fmt.Errorf("a vector has %d bytes, want %d", len(b), 4*len(dst))
	}
	for i := range dst {
		dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return nil
}

// dot is the scalar product. Eight sums in flight keep the processor busy.
func dot(a, b []float32) float32 {
	var s0, s1, s2, s3, s4, s5, s6, s7 float32
	n := len(a) &^ 7
	b = b[:len(a)]
	for i := 0; i < n; i += 8 {
		x, y := a[i:i+8:i+8], b[i:i+8:i+8]
		s0 += x[0] * y[0]
		s1 += x[1] * y[1]
		s2 += x[2] * y[2]
		s3 += x[3] * y[3]
		s4 += x[4] * y[4]
		s5 += x[5] * y[5]
		s6 += x[6] * y[6]
		s7 += x[7] * y[7]
	}
	for i := n; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return (s0 + s1 + s2 + s3) + (s4 + s5 + s6 + s7)
}

// best keeps the k highest scores seen, as a heap with the lowest on top.
type best struct {
	k    int
	hits []near
}

type near struct {
	rid   int64
	score float32
}

// lower reports whether a ranks below b; equal scores rank by age.
func (a near) lower(b near) bool {
	return a.score < b.score || a.score == b.score && a.rid > b.rid
}

func (h *best) add(n near) {
	if len(h.hits) < h.k {
		h.hits = append(h.hits, n)
		for i := len(h.hits) - 1; i > 0; {
			p := (i - 1) / 2
			if !h.hits[i].lower(h.hits[p]) {
				break
			}
			h.hits[i], h.hits[p] = h.hits[p], h.hits[i]
			i = p
		}
		return
	}
	if h.k == 0 || !h.hits[0].lower(n) {
		return
	}
	h.hits[0] = n
	for i := 0; ; {
		c := 2*i + 1
		if c >= len(h.hits) {
			return
		}
		if c+1 < len(h.hits) && h.hits[c+1].lower(h.hits[c]) {
			c++
		}
		if !h.hits[c].lower(h.hits[i]) {
			return
		}
		h.hits[i], h.hits[c] = h.hits[c], h.hits[i]
		i = c
	}
}
