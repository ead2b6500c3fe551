package schema

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/invopop/jsonschema"
)

// Declarer is a type that declares its own schema, because its JSON is not
// what its Go type suggests. The method is called on the zero value.
type Declarer interface{ ParamSchema() json.RawMessage }

// invopopDeclarer is what invopop/jsonschema calls the same thing.
type invopopDeclarer interface{ JSONSchema() *jsonschema.Schema }

var (
	timeType     = reflect.TypeFor[time.Time]()
	durationType = reflect.TypeFor[time.Duration]()
	urlType      = reflect.TypeFor[url.URL]()
	rawType      = reflect.TypeFor[json.RawMessage]()
	numberType   = reflect.TypeFor[json.Number]()
	declarerType = reflect.TypeFor[Declarer]()
	invopopType  = reflect.TypeFor[invopopDeclarer]()
	jsonDecoder  = reflect.TypeFor[json.Unmarshaler]()
	textDecoder  = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// Of returns the schema of a struct type (or pointer to one) as encoding/json
// decodes it. Types that no schema can describe, recursive types, and tags
// whose meaning would be lost are errors that name the field.
func Of(t reflect.Type) (n *Node, err error) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%s is not a struct", t)
	}
	if err := (checker{}).check(t, nil); err != nil {
		return nil, err
	}
	defer func() { // the reflector panics on what it does not know
		if p := recover(); p != nil {
			n, err = nil, fmt.Errorf("%s: no schema: %v", t, p)
		}
	}()
	r := jsonschema.Reflector{Anonymous: true, DoNotReference: true, ExpandedStruct: true, Mapper: mapType}
	text, err := json.Marshal(r.ReflectFromType(t))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t, err)
	}
	if n, err = Parse(text); err != nil {
		return nil, fmt.Errorf("%s: %w", t, err)
	}
	if err := mend(n, t); err != nil {
		return nil, err
	}
	return n, nil
}

// mapType takes over the types that the reflector does not understand.
func mapType(t reflect.Type) *jsonschema.Schema {
	switch {
	case t == numberType:
		return &jsonschema.Schema{Type: "number"}
	case isDeclared(t):
		return &jsonschema.Schema{Type: "object"} // replaced by mend
	case t != timeType && implements(t, textDecoder):
		return &jsonschema.Schema{Type: "string"}
	default:
		return nil
	}
}

func implements(t, iface reflect.Type) bool {
	return t.Implements(iface) || (t.Kind() != reflect.Interface && reflect.PointerTo(t).Implements(iface))
}

func isDeclared(t reflect.Type) bool {
	return implements(t, declarerType) || implements(t, invopopType)
}

// declared returns the schema that a type declares.
func declared(t reflect.Type) (*Node, error) {
	var text json.RawMessage
	switch v := reflect.New(t).Interface().(type) {
	case Declarer:
		text = v.ParamSchema()
	case invopopDeclarer:
		b, err := json.Marshal(v.JSONSchema())
		if err != nil {
			return nil, err
		}
		text = b
	}
	n, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("the schema that %s declares: %w", t, err)
	}
	if len(n.Defs) > 0 {
		return nil, fmt.Errorf("the schema that %s declares is recursive (%s)", t, n.Defs[0].Name)
	}
	return n, nil
}

// checker finds what has no schema before the reflector sees it. It keeps a
// stack, not a set: the same type twice is fine, a type within itself is not.
type checker struct{ stack []reflect.Type }

func (c checker) check(t reflect.Type, path []string) error {
	fail := func(format string, args ...any) error {
		where := strings.Join(path, ".")
		if where != "" {
			where += ": "
		}
		return fmt.Errorf("%s%s", where, fmt.Sprintf(format, args...))
	}
	for i, s := range c.stack {
		if s == t {
			names := make([]string, 0, len(c.stack)+1)
			for _, s := range append(c.stack[i:], t) {
				names = append(names, s.String())
			}
			return fail("recursive type %s: a model needs a schema with an end; use a flat list with ids, or AddRaw", strings.Join(names, " -> "))
		}
	}
	if isDeclared(t) {
		return nil
	}
	switch {
	case t == timeType, t == numberType:
		return nil
	case t == rawType:
		return fail("json.RawMessage has no schema; name a type, or use AddRaw")
	case t == durationType:
		return fail("time.Duration is nanoseconds in JSON, which no model gets right; use a number of seconds")
	case t == urlType:
		return fail("url.URL has no JSON form; use a string")
	case t.Kind() != reflect.Pointer && implements(t, jsonDecoder):
		return fail("%s decodes itself from JSON, so its schema is unknown; give it a method ParamSchema() json.RawMessage", t)
	case t.Kind() != reflect.Pointer && implements(t, textDecoder):
		return nil
	}
	switch t.Kind() {
	case reflect.Bool, reflect.String, reflect.Float32, reflect.Float64,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return nil
	case reflect.Pointer:
		if t.Elem().Kind() == reflect.Pointer {
			return fail("%s: a pointer to a pointer says nothing more than a pointer", t)
		}
		return checker{append(c.stack[:len(c.stack):len(c.stack)], t)}.check(t.Elem(), path)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return fail("%s is base64 in JSON, which no model gets right; use a string", t)
		}
		return checker{append(c.stack[:len(c.stack):len(c.stack)], t)}.check(t.Elem(), path)
	case reflect.Array:
		return checker{append(c.stack[:len(c.stack):len(c.stack)], t)}.check(t.Elem(), path)
	case reflect.Map:
		if t.Key().Kind() != reflect.String || implements(t.Key(), textDecoder) {
			return fail("%s: map keys must be plain strings", t)
		}
		return checker{append(c.stack[:len(c.stack):len(c.stack)], t)}.check(t.Elem(), path)
	case reflect.Struct:
		fields, err := fieldsOf(t)
		if err != nil {
			return fail("%s", err)
		}
		in := checker{append(c.stack[:len(c.stack):len(c.stack)], t)}
		for _, f := range fields {
			if err := in.check(f.Type, append(path[:len(path):len(path)], f.name)); err != nil {
				return err
			}
		}
		return nil
	case reflect.Interface:
		return fail("%s has no schema: name a concrete type, or use AddRaw", t)
	default:
		return fail("%s cannot come from JSON", t)
	}
}

// mend brings the reflected schema in line with how encoding/json decodes t
// and with the rules of this package.
func mend(n *Node, t reflect.Type) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if isDeclared(t) {
		d, err := declared(t)
		if err != nil {
			return err
		}
		*n = *d
		return nil
	}
	if t == timeType || t == numberType || implements(t, textDecoder) {
		return nil
	}
	switch t.Kind() {
	case reflect.Struct:
		return mendStruct(n, t)
	case reflect.Slice, reflect.Array:
		if n.Items == nil {
			return fmt.Errorf("%s: the reflected schema has no items", t)
		}
		return mend(n.Items, t.Elem())
	case reflect.Map:
		if n.Open == nil {
			return fmt.Errorf("%s: the reflected schema has no values", t)
		}
		return mend(n.Open, t.Elem())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		mendInteger(n, t.Kind())
	}
	return nil
}

// mendInteger adds the limits that the Go type has and the model should know.
func mendInteger(n *Node, k reflect.Kind) {
	n.kind = k
	low, high := bounds(k)
	if k >= reflect.Uint && n.Limit("minimum") == nil && n.Limit("exclusiveMinimum") == nil {
		n.setLimit("minimum", json.RawMessage("0"))
	}
	switch k {
	case reflect.Int8, reflect.Int16:
		if n.Limit("minimum") == nil && n.Limit("exclusiveMinimum") == nil {
			n.setLimit("minimum", json.RawMessage(strconv.FormatInt(low, 10)))
		}
		fallthrough
	case reflect.Uint8, reflect.Uint16:
		if n.Limit("maximum") == nil && n.Limit("exclusiveMaximum") == nil {
			n.setLimit("maximum", json.RawMessage(strconv.FormatUint(high, 10)))
		}
	}
}

// bounds returns the least and the greatest value of an integer kind.
func bounds(k reflect.Kind) (low int64, high uint64) {
	switch k {
	case reflect.Int8:
		return -1 << 7, 1<<7 - 1
	case reflect.Int16:
		return -1 << 15, 1<<15 - 1
	case reflect.Int32:
		return -1 << 31, 1<<31 - 1
	case reflect.Int, reflect.Int64:
		return -1 << 63, 1<<63 - 1
	case reflect.Uint8:
		return 0, 1<<8 - 1
	case reflect.Uint16:
		return 0, 1<<16 - 1
	case reflect.Uint32:
		return 0, 1<<32 - 1
	default:
		return 0, 1<<64 - 1
	}
}

func mendStruct(n *Node, t reflect.Type) error {
	fields, err := fieldsOf(t)
	if err != nil {
		return err
	}
	n.Description = ""
	props := make([]Prop, 0, len(fields))
	for _, f := range fields {
		p, ok := n.Prop(f.name)
		if !ok {
			if _, err := readTag(f.StructField); err != nil {
				return fmt.Errorf("%s: %w", f.name, err)
			}
			return fmt.Errorf("%s.%s: the reflected schema lacks it", t, f.Name)
		}
		if err := mendField(&p, f); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		props = append(props, p)
	}
	n.Props, n.Open, n.Rest, n.AnyOf = props, nil, nil, nil
	return nil
}

func mendField(p *Prop, f field) error {
	tg, err := readTag(f.StructField)
	if err != nil {
		return err
	}
	if err := mend(p.Node, f.Type); err != nil {
		return err
	}
	inner := f.Type
	if inner.Kind() == reflect.Pointer {
		inner = inner.Elem()
	}
	if isDeclared(inner) && len(tg.keywords) > 0 {
		return fmt.Errorf("jsonschema tag: %s declares its own schema; put %s there", inner, tg.keywords[0].Name)
	}
	if err := tg.check(p.Node); err != nil {
		return err
	}
	if tg.description != "" || !isDeclared(inner) {
		p.Node.Description = tg.description
	}
	if tg.pattern != "" {
		target := p.Node
		if target.Type == "array" {
			target = target.Items
		}
		target.setLimit("pattern", raw(tg.pattern))
	}
	p.Optional = (f.optional || tg.hasDefault) && !tg.required
	if tg.hasDefault && tg.required {
		return errors.New("a field with a default is not required; drop one of the two")
	}
	if f.Type.Kind() == reflect.Pointer {
		if tg.hasDefault {
			return errors.New("a pointer with a default is ambiguous (null would mean both nil and the default); use a plain type")
		}
		p.Node.Nullable, p.Pointer = true, true
		p.Optional = !tg.required
	}
	return nil
}
