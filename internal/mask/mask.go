// Package mask replaces text in every string that a value holds, however deep:
// the way secrets are taken out of what is kept, logged or sent.
package mask

import (
	"bytes"
	"encoding/json"
	"reflect"
	"time"
)

// Strings replaces in place, in every string that v holds: fields, slices, maps
// and their keys, and JSON texts, whatever is exported. v must be a pointer.
//
// Bytes are left alone, and so are errors.
func Strings(replace func(string) string, v any) {
	rv := reflect.ValueOf(v)
	if rv.Kind() == reflect.Pointer && !rv.IsNil() {
		w := &walker{replace: replace, seen: make(map[visit]bool)}
		w.walk(rv)
	}
}

// walker goes through a value once, even where it holds itself.
type walker struct {
	replace func(string) string
	seen    map[visit]bool
}

type visit struct {
	at  uintptr
	typ reflect.Type
}

// again reports whether a pointer or map was walked before.
func (w *walker) again(v reflect.Value) bool {
	at := visit{v.Pointer(), v.Type()}
	if w.seen[at] {
		return true
	}
	w.seen[at] = true
	return false
}

var (
	rawType  = reflect.TypeFor[json.RawMessage]()
	timeType = reflect.TypeFor[time.Time]()
	errType  = reflect.TypeFor[error]()
)

func (w *walker) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if s := w.replace(v.String()); s != v.String() && v.CanSet() {
			v.SetString(s)
		}
	case reflect.Pointer:
		if !v.IsNil() && !w.again(v) {
			w.walk(v.Elem())
		}
	case reflect.Struct:
		if v.Type() == timeType {
			return
		}
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Type != errType {
				w.walk(v.Field(i))
			}
		}
	case reflect.Slice:
		if v.Type() == rawType {
			if v.CanSet() && v.Len() > 0 {
				v.SetBytes(w.inJSON(v.Bytes()))
			}
			return
		}
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range v.Len() {
			w.walk(v.Index(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			w.walk(v.Index(i))
		}
	case reflect.Map:
		if !v.IsNil() && !w.again(v) {
			w.inMap(v)
		}
	case reflect.Interface:
		if v.IsNil() || !v.CanSet() {
			return
		}
		c := reflect.New(v.Elem().Type()).Elem()
		c.Set(v.Elem())
		w.walk(c)
		v.Set(c)
	}
}

func (w *walker) inMap(v reflect.Value) {
	for _, k := range v.MapKeys() {
		c := reflect.New(v.Type().Elem()).Elem()
		c.Set(v.MapIndex(k))
		w.walk(c)
		nk := k
		if k.Kind() == reflect.String {
			if s := w.replace(k.String()); s != k.String() {
				v.SetMapIndex(k, reflect.Value{})
				nk = reflect.ValueOf(s).Convert(v.Type().Key())
			}
		}
		v.SetMapIndex(nk, c)
	}
}

// inJSON replaces inside the strings of a JSON text, so that the text stays
// JSON whatever the values hold. A text without secrets keeps its bytes.
func (w *walker) inJSON(raw []byte) []byte {
	if text := string(raw); w.replace(text) == text && !bytes.ContainsRune(raw, '\\') {
		return raw
	}
	var v any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		return []byte(w.replace(string(raw)))
	}
	before, err := encodePlain(v)
	if err != nil {
		return []byte(w.replace(string(raw)))
	}
	w.walk(reflect.ValueOf(&v).Elem())
	after, err := encodePlain(v)
	if err != nil || bytes.Equal(before, after) {
		return raw
	}
	return after
}

func encodePlain(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}
