package schema

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// field is a struct field as encoding/json sees it.
type field struct {
	name     string
	optional bool // omitempty or omitzero
	reflect.StructField
}

// propName is what every provider accepts as the name of a property.
var propName = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)

// fieldsOf lists the JSON fields of a struct type, those of embedded structs in
// their place. Where encoding/json would quietly drop or shadow a field it
// returns an error.
func fieldsOf(t reflect.Type) ([]field, error) {
	var out []field
	for f := range fieldsSeq(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Tag.Get("json") == "-" {
			continue
		}
		opts := strings.Split(options, ",")
		if err := checkOptions(opts); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		inner := f.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if f.Anonymous && name == "" && inner.Kind() == reflect.Struct && !isDeclared(inner) && inner != timeType {
			if f.Type.Kind() == reflect.Pointer && !f.IsExported() {
				return nil, fmt.Errorf("%s: encoding/json cannot fill an embedded pointer to an unexported struct; embed it by value", f.Name)
			}
			sub, err := fieldsOf(inner)
			if err != nil {
				return nil, fmt.Errorf("%s.%w", f.Name, err)
			}
			out = append(out, sub...)
			continue
		}
		if !f.IsExported() {
			continue
		}
		if name == "" {
			name = f.Name
		}
		if !propName.MatchString(name) || name == "-" {
			return nil, fmt.Errorf("%s: json name %s: use 1 to 64 letters, digits, '_', '-' or '.'", f.Name, Quote(name))
		}
		out = append(out, field{
			name:        name,
			optional:    slices.Contains(opts, "omitempty") || slices.Contains(opts, "omitzero"),
			StructField: f,
		})
	}
	for i, f := range out {
		for _, g := range out[:i] {
			if f.name == g.name {
				return nil, fmt.Errorf("%s: the json name %q is used by %s too; give each its own", f.Name, f.name, g.Name)
			}
		}
	}
	return out, nil
}

func fieldsSeq(t reflect.Type) func(func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for i := range t.NumField() {
			if !yield(t.Field(i)) {
				return
			}
		}
	}
}

func checkOptions(opts []string) error {
	for _, o := range opts {
		switch o {
		case "string":
			return errors.New("the json option \"string\" is not supported; numbers in strings are accepted anyway")
		case "inline":
			return errors.New("encoding/json knows no option \"inline\"; embed the struct instead")
		}
	}
	return nil
}
