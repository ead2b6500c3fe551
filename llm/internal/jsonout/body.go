package jsonout

import (
	"encoding/base64"
	"io"
)

// Body is a finished request body. Images in it are not copied: they are
// encoded while the body is read.
type Body struct {
	text []byte
	cuts []cut
}

// cut is data that goes, in base64, between two bytes of the text.
type cut struct {
	at   int
	data []byte
}

// Len is the number of bytes that a reader of the body yields.
func (b *Body) Len() int64 {
	n := int64(len(b.text))
	for _, c := range b.cuts {
		n += int64(base64.StdEncoding.EncodedLen(len(c.data)))
	}
	return n
}

// Reader returns a reader of the body from its start.
func (b *Body) Reader() io.ReadCloser { return &bodyReader{text: b.text, cuts: b.cuts} }

type bodyReader struct {
	text  []byte
	pos   int // in text
	cuts  []cut
	off   int    // in the data of the first cut
	spill []byte // encoded, and did not fit
	quad  [4]byte
}

func (r *bodyReader) Close() error { return nil }

func (r *bodyReader) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		m := r.fill(p[n:])
		if m == 0 {
			break
		}
		n += m
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// fill puts the next bytes of one kind into p, and none at the end.
func (r *bodyReader) fill(p []byte) int {
	if len(r.spill) > 0 {
		n := copy(p, r.spill)
		r.spill = r.spill[n:]
		return n
	}
	end := len(r.text)
	if len(r.cuts) > 0 {
		end = r.cuts[0].at
	}
	if r.pos < end {
		n := copy(p, r.text[r.pos:end])
		r.pos += n
		return n
	}
	if len(r.cuts) == 0 {
		return 0
	}
	data := r.cuts[0].data[r.off:]
	if len(data) == 0 {
		r.cuts, r.off = r.cuts[1:], 0
		return r.fill(p)
	}
	if len(p) < 4 {
		k := min(3, len(data))
		base64.StdEncoding.Encode(r.quad[:], data[:k])
		r.off += k
		r.spill = r.quad[:]
		return r.fill(p)
	}
	k := min(len(data), len(p)/4*3)
	base64.StdEncoding.Encode(p, data[:k])
	r.off += k
	return base64.StdEncoding.EncodedLen(k)
}
