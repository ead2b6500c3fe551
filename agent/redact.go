package agent

import (
	"bytes"
	"encoding/json"
	"reflect"
	"time"
)

// redact replaces secrets in every string that v holds, in place: fields,
// slices, maps and JSON texts, whatever is exported. v must be a pointer. It is
// the one place that everything passes before it is sent, kept or written.
//
// Bytes of pictures are left alone: a picture that shows a secret cannot be
// mended here.
func redact(replace func(string) string, v any) {
	rv := reflect.ValueOf(v)
	if rv.Kind() == reflect.Pointer && !rv.IsNil() {
		walkStrings(replace, rv.Elem())
	}
}

var (
	rawType  = reflect.TypeFor[json.RawMessage]()
	timeType = reflect.TypeFor[time.Time]()
	errType  = reflect.TypeFor[error]()
)

func walkStrings(replace func(string) string, v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if v.CanSet() {
			v.SetString(replace(v.String()))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			walkStrings(replace, v.Elem())
		}
	case reflect.Struct:
		if v.Type() == timeType {
			return
		}
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Type != errType {
				walkStrings(replace, v.Field(i))
			}
		}
	case reflect.Slice:
		if v.Type() == rawType {
			if v.CanSet() && v.Len() > 0 {
				v.SetBytes(redactJSON(replace, v.Bytes()))
			}
			return
		}
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range v.Len() {
			walkStrings(replace, v.Index(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			walkStrings(replace, v.Index(i))
		}
	case reflect.Map:
		redactMap(replace, v)
	case reflect.Interface:
		if v.IsNil() || !v.CanSet() {
			return
		}
		c := reflect.New(v.Elem().Type()).Elem()
		c.Set(v.Elem())
		walkStrings(replace, c)
		v.Set(c)
	}
}

func redactMap(replace func(string) string, v reflect.Value) {
	for _, k := range v.MapKeys() {
		c := reflect.New(v.Type().Elem()).Elem()
		c.Set(v.MapIndex(k))
		walkStrings(replace, c)
		nk := k
		if k.Kind() == reflect.String {
			if s := replace(k.String()); s != k.String() {
				v.SetMapIndex(k, reflect.Value{})
				nk = reflect.ValueOf(s).Convert(v.Type().Key())
			}
		}
		v.SetMapIndex(nk, c)
	}
}

// redactJSON replaces inside the strings of a JSON text, so that the text stays
// JSON whatever the values hold. A text without secrets keeps its bytes.
func redactJSON(replace func(string) string, raw []byte) []byte {
	if text := string(raw); replace(text) == text && !bytes.ContainsRune(raw, '\\') {
		return raw
	}
	var v any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		return []byte(replace(string(raw)))
	}
	before, err := encodePlain(v)
	if err != nil {
		return []byte(replace(string(raw)))
	}
	walkStrings(replace, reflect.ValueOf(&v).Elem())
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
