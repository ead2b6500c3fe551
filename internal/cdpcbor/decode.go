package cdpcbor

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Initial bytes and tags of the subset.
const (
	kindUint   = 0 << 5
	kindInt    = 1 << 5
	kindBytes  = 2 << 5
	kindString = 3 << 5

	initialArray  = 0x9f
	initialMap    = 0xbf
	initialTag    = 0xd8
	initialBase64 = 0xd6 // tag 22
	initialFalse  = 0xf4
	initialTrue   = 0xf5
	initialNull   = 0xf6
	initialDouble = 0xfb
	initialStop   = 0xff

	tagEnvelope = 0x18 // 24
	bytes32     = kindBytes | 26
)

// maxDepth is how deep values may be nested; Chrome's own limit is 300.
const maxDepth = 400

var errTruncated = errors.New("the message ends too early")

// reader reads values off one message.
type reader struct {
	b   []byte
	pos int
}

func (r *reader) peek() (byte, error) {
	if r.pos >= len(r.b) {
		return 0, errTruncated
	}
	return r.b[r.pos], nil
}

func (r *reader) take(n uint64) ([]byte, error) {
	if n > uint64(len(r.b)-r.pos) {
		return nil, errTruncated
	}
	out := r.b[r.pos : r.pos+int(n)]
	r.pos += int(n)
	return out, nil
}

// head reads an initial byte of the kind and the number that goes with it.
func (r *reader) head() (kind byte, n uint64, err error) {
	b, err := r.peek()
	if err != nil {
		return 0, 0, err
	}
	r.pos++
	kind, low := b&0xe0, b&0x1f
	if low < 24 {
		return kind, uint64(low), nil
	}
	if low > 27 {
		return 0, 0, fmt.Errorf("byte %#x at %d begins nothing", b, r.pos-1)
	}
	raw, err := r.take(1 << (low - 24))
	if err != nil {
		return 0, 0, err
	}
	for _, x := range raw {
		n = n<<8 | uint64(x)
	}
	return kind, n, nil
}

// envelope enters an envelope if there is one; it adds nothing to its content.
func (r *reader) envelope() error {
	if b, err := r.peek(); err != nil || b != initialTag {
		return err
	}
	n, size, err := envelopeLength(r.b[r.pos:])
	if err != nil {
		return err
	}
	if n > len(r.b)-r.pos-size {
		return errTruncated
	}
	r.pos += size
	return nil
}

// envelopeLength reads the head of an envelope: how long the content is and
// the head itself. Older Chromes leave the tag's number out.
func envelopeLength(b []byte) (n, size int, err error) {
	size = 6
	if len(b) > 1 && b[0] == initialTag && b[1] == tagEnvelope {
		b, size = b[1:], 7
	} else if len(b) == 0 || b[0] != initialTag {
		return 0, 0, errors.New("no envelope where one has to be")
	}
	if len(b) < 6 {
		return 0, 0, errTruncated
	}
	if b[1] != bytes32 {
		return 0, 0, errors.New("an envelope without its length")
	}
	l := binary.BigEndian.Uint32(b[2:])
	if l > math.MaxInt32 {
		return 0, 0, fmt.Errorf("an envelope of %d bytes", l)
	}
	return int(l), size, nil
}

// text reads a string: a piece of the message, or what UTF-16 in it says.
func (r *reader) text() ([]byte, error) {
	kind, n, err := r.head()
	if err != nil {
		return nil, err
	}
	raw, err := r.take(n)
	if err != nil {
		return nil, err
	}
	switch kind {
	case kindString:
		return raw, nil
	case kindBytes:
		return fromUTF16(raw), nil
	}
	return nil, fmt.Errorf("no string at %d", r.pos)
}

// integer reads a whole number.
func (r *reader) integer() (int64, error) {
	kind, n, err := r.head()
	switch {
	case err != nil:
		return 0, err
	case n > math.MaxInt64 || kind != kindUint && kind != kindInt:
		return 0, fmt.Errorf("no whole number at %d", r.pos)
	case kind == kindInt:
		return -1 - int64(n), nil
	}
	return int64(n), nil
}

// json appends the next value as JSON.
func (r *reader) json(dst []byte, depth int) ([]byte, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("values are nested more than %d deep", maxDepth)
	}
	if err := r.envelope(); err != nil {
		return nil, err
	}
	b, err := r.peek()
	if err != nil {
		return nil, err
	}
	switch b {
	case initialMap:
		return r.list(dst, depth, '{', '}')
	case initialArray:
		return r.list(dst, depth, '[', ']')
	case initialFalse:
		r.pos++
		return append(dst, "false"...), nil
	case initialTrue:
		r.pos++
		return append(dst, "true"...), nil
	case initialNull:
		r.pos++
		return append(dst, "null"...), nil
	case initialDouble:
		r.pos++
		raw, err := r.take(8)
		if err != nil {
			return nil, err
		}
		return appendDouble(dst, math.Float64frombits(binary.BigEndian.Uint64(raw))), nil
	case initialBase64:
		r.pos++
		kind, n, err := r.head()
		if err != nil {
			return nil, err
		}
		raw, err := r.take(n)
		if err != nil || kind != kindBytes {
			return nil, errors.Join(err, errors.New("a tag for bytes without bytes"))
		}
		dst = append(dst, '"')
		dst = base64.StdEncoding.AppendEncode(dst, raw)
		return append(dst, '"'), nil
	}
	if kind := b & 0xe0; kind == kindString || kind == kindBytes {
		s, err := r.text()
		if err != nil {
			return nil, err
		}
		return appendString(dst, s), nil
	}
	kind, n, err := r.head()
	if err != nil {
		return nil, err
	}
	switch kind {
	case kindUint:
		return strconv.AppendUint(dst, n, 10), nil
	case kindInt:
		if n > math.MaxInt64 {
			return nil, errors.New("a number below the least one")
		}
		return strconv.AppendInt(dst, -1-int64(n), 10), nil
	}
	return nil, fmt.Errorf("byte %#x at %d begins no value", b, r.pos)
}

// list appends a map or an array.
func (r *reader) list(dst []byte, depth int, open, end byte) ([]byte, error) {
	r.pos++
	dst = append(dst, open)
	for first := true; ; first = false {
		b, err := r.peek()
		if err != nil {
			return nil, err
		}
		if b == initialStop {
			r.pos++
			return append(dst, end), nil
		}
		if !first {
			dst = append(dst, ',')
		}
		if open == '{' {
			key, err := r.text()
			if err != nil {
				return nil, err
			}
			dst = append(appendString(dst, key), ':')
		}
		if dst, err = r.json(dst, depth+1); err != nil {
			return nil, err
		}
	}
}

// appendDouble writes a number so that whole ones can be read as such.
func appendDouble(dst []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(dst, "null"...)
	}
	format := byte('f')
	if a := math.Abs(f); a != 0 && (a < 1e-6 || a >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(dst, f, format, -1, 64)
}

const hexDigits = "0123456789abcdef"

// appendString writes a JSON string. What is not UTF-8 becomes U+FFFD.
func appendString(dst, s []byte) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			if c, size := utf8.DecodeRune(s[i:]); c != utf8.RuneError || size > 1 {
				i += size
				continue
			}
		}
		dst = append(dst, s[from:i]...)
		switch {
		case c >= utf8.RuneSelf:
			dst = utf8.AppendRune(dst, utf8.RuneError)
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		i++
		from = i
	}
	dst = append(dst, s[from:]...)
	return append(dst, '"')
}

// fromUTF16 reads UTF-16, little endian. A half without its other half becomes
// U+FFFD.
func fromUTF16(b []byte) []byte {
	out := make([]byte, 0, len(b))
	unit := func(i int) uint16 { return binary.LittleEndian.Uint16(b[i:]) }
	for i := 0; i+1 < len(b); i += 2 {
		c := rune(unit(i))
		if utf16.IsSurrogate(c) {
			low := rune(0)
			if i+3 < len(b) {
				low = rune(unit(i + 2))
			}
			if c = utf16.DecodeRune(c, low); c != utf8.RuneError {
				i += 2
			}
		}
		out = utf8.AppendRune(out, c)
	}
	return out
}
