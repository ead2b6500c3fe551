// Package jsonout writes request bodies. The providers' SDKs copy a screenshot
// several times over on the way to the wire and lose the order of a schema's
// properties, which is the order in which a model writes them; here each byte
// is written once, in the order given.
package jsonout

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Writer appends JSON to a buffer.
type Writer struct {
	b     []byte
	cuts  []cut
	first bool
}

// New returns a writer with room for size bytes.
func New(size int) *Writer { return &Writer{b: make([]byte, 0, size)} }

// Body returns what has been written.
func (w *Writer) Body() *Body { return &Body{text: w.b, cuts: w.cuts} }

// Open begins an object or a list.
func (w *Writer) Open(c byte) { w.b = append(w.b, c); w.first = true }

// Close ends an object or a list.
func (w *Writer) Close(c byte) { w.b = append(w.b, c); w.first = false }

// Comma begins an element of a list.
func (w *Writer) Comma() {
	if !w.first {
		w.b = append(w.b, ',')
	}
	w.first = false
}

// Key begins a field of an object.
func (w *Writer) Key(k string) {
	w.Comma()
	w.Str(k)
	w.b = append(w.b, ':')
}

// Str appends a string. Invalid UTF-8 becomes the replacement character, which
// is all that the ignored error says.
func (w *Writer) Str(s string) { w.b, _ = jsontext.AppendQuote(w.b, s) }

// StrField appends a field that is a string.
func (w *Writer) StrField(k, v string) { w.Key(k); w.Str(v) }

// RawField appends a field that is JSON already.
func (w *Writer) RawField(k string, v []byte) { w.Key(k); w.b = append(w.b, v...) }

// IntField appends a field that is an integer.
func (w *Writer) IntField(k string, v int) {
	w.Key(k)
	w.b = strconv.AppendInt(w.b, int64(v), 10)
}

// FloatField appends a field that is a number.
func (w *Writer) FloatField(k string, v float64) {
	w.Key(k)
	w.b = strconv.AppendFloat(w.b, v, 'g', -1, 64)
}

// StrsField appends a field that is a list of strings.
func (w *Writer) StrsField(k string, v []string) {
	w.Key(k)
	w.Open('[')
	for _, s := range v {
		w.Comma()
		w.Str(s)
	}
	w.Close(']')
}

// Base64Field appends a field that is data in base64 behind a prefix that
// needs no escaping. The data is kept, and must not change.
func (w *Writer) Base64Field(k, prefix string, data []byte) {
	w.Key(k)
	w.b = append(w.b, '"')
	w.b = append(w.b, prefix...)
	w.cuts = append(w.cuts, cut{len(w.b), data})
	w.b = append(w.b, '"')
}

// Extra appends a caller's own fields, in the order of their names.
func (w *Writer) Extra(fields map[string]json.RawMessage) {
	for _, k := range slices.Sorted(maps.Keys(fields)) {
		w.RawField(k, fields[k])
	}
}

// Fields renders a caller's own fields once.
func Fields(extra map[string]any) (map[string]json.RawMessage, error) {
	out := make(map[string]json.RawMessage, len(extra))
	for k, v := range extra {
		raw, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("Config.Extra[%q]: %w", k, err)
		}
		out[k] = raw
	}
	return out, nil
}
