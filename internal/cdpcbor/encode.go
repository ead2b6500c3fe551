package cdpcbor

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"

	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
)

// begin opens an envelope and returns where its length goes.
func begin(dst []byte) ([]byte, int) {
	dst = append(dst, initialTag, tagEnvelope, bytes32, 0, 0, 0, 0)
	return dst, len(dst)
}

// end writes the length of the envelope that began at.
func end(dst []byte, at int) ([]byte, error) {
	n := len(dst) - at
	if n > math.MaxInt32 {
		return nil, fmt.Errorf("a value of %d bytes does not fit in a message", n)
	}
	binary.BigEndian.PutUint32(dst[at-4:], uint32(n))
	return dst, nil
}

func appendHead(dst []byte, kind byte, n uint64) []byte {
	switch {
	case n < 24:
		return append(dst, kind|byte(n))
	case n <= math.MaxUint8:
		return append(dst, kind|24, byte(n))
	case n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(dst, kind|25), uint16(n))
	case n <= math.MaxUint32:
		return binary.BigEndian.AppendUint32(append(dst, kind|26), uint32(n))
	}
	return binary.BigEndian.AppendUint64(append(dst, kind|27), n)
}

func appendText(dst []byte, s string) []byte {
	return append(appendHead(dst, kindString, uint64(len(s))), s...)
}

// appendNumber writes 32-bit whole numbers as such and all others as doubles,
// as Chrome does.
func appendNumber(dst []byte, f float64) []byte {
	if i := int64(f); float64(i) == f && i >= math.MinInt32 && i <= math.MaxInt32 && !(i == 0 && math.Signbit(f)) {
		if i < 0 {
			return appendHead(dst, kindInt, uint64(-1-i))
		}
		return appendHead(dst, kindUint, uint64(i))
	}
	return binary.BigEndian.AppendUint64(append(dst, initialDouble), math.Float64bits(f))
}

// appendJSON writes the next value of d in binary form.
func appendJSON(dst []byte, d *jsonv2.Decoder, depth int) ([]byte, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("values are nested more than %d deep", maxDepth)
	}
	tok, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	switch tok.Kind() {
	case 'n':
		return append(dst, initialNull), nil
	case 't':
		return append(dst, initialTrue), nil
	case 'f':
		return append(dst, initialFalse), nil
	case '"':
		return appendText(dst, tok.String()), nil
	case '0':
		f, err := strconv.ParseFloat(tok.String(), 64)
		if err != nil {
			return nil, fmt.Errorf("number %s: %w", tok.String(), err)
		}
		return appendNumber(dst, f), nil
	case '{', '[':
		initial := byte(initialArray)
		if tok.Kind() == '{' {
			initial = initialMap
		}
		var at int
		dst, at = begin(dst)
		dst = append(dst, initial)
		for d.PeekKind() != '}' && d.PeekKind() != ']' {
			if initial == initialMap {
				key, err := d.ReadToken()
				if err != nil {
					return nil, err
				}
				dst = appendText(dst, key.String())
			}
			if dst, err = appendJSON(dst, d, depth+1); err != nil {
				return nil, err
			}
		}
		if _, err := d.ReadToken(); err != nil {
			return nil, err
		}
		return end(append(dst, initialStop), at)
	}
	return nil, errors.New("no JSON value")
}
