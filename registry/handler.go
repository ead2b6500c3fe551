package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/seed-4bdb41d0/webhand/internal/schema"
)

// Return is what a handler may return besides its error.
type Return interface{ string | *Result }

// Handler is a func that the compiler has checked; [Func] and [Func1] make one.
type Handler struct{ fn any }

// Func checks a handler without dependencies at compile time. P is a struct, or
// a pointer to one.
func Func[P any, R Return](f func(context.Context, P) (R, error)) Handler { return Handler{f} }

// Func1 checks a handler with one dependency at compile time.
func Func1[P, D any, R Return](f func(context.Context, P, D) (R, error)) Handler { return Handler{f} }

// Schemer is a type that declares its own JSON Schema, for params whose JSON is
// not what their Go type suggests. The method is called on the zero value.
type Schemer interface{ ParamSchema() json.RawMessage }

// RawFunc is the handler of an action with a foreign schema. It gets the
// arguments as one JSON object.
type RawFunc = func(context.Context, json.RawMessage) (*Result, error)

// handler is an analysed func.
type handler struct {
	fn      reflect.Value
	raw     RawFunc        // instead of fn
	params  reflect.Type   // struct type; nil when there are none
	pointer bool           // the func takes a pointer to it
	plain   int            // number of plain parameters that stand for params
	deps    []reflect.Type // injected, in order
	result  resultKind

	defaults bool // params has fields with defaults
}

type resultKind int

const (
	onlyError resultKind = iota
	textAndError
	resultAndError
)

var (
	contextType  = reflect.TypeFor[context.Context]()
	errorType    = reflect.TypeFor[error]()
	resultType   = reflect.TypeFor[*Result]()
	depsType     = reflect.TypeFor[Deps]()
	pageType     = reflect.TypeFor[Page]()
	filledType   = reflect.TypeFor[Placeholders]()
	stringType   = reflect.TypeFor[string]()
	anyType      = reflect.TypeFor[any]()
	plainResult  = reflect.TypeFor[Result]()
	grammar      = "func(ctx context.Context[, params][, dependencies...]) ([string | *registry.Result,] error)"
	plainKindsOf = map[reflect.Kind]bool{
		reflect.Bool: true, reflect.String: true, reflect.Float32: true, reflect.Float64: true,
		reflect.Int: true, reflect.Int8: true, reflect.Int16: true, reflect.Int32: true, reflect.Int64: true,
		reflect.Uint: true, reflect.Uint8: true, reflect.Uint16: true, reflect.Uint32: true, reflect.Uint64: true,
		reflect.Slice: true, reflect.Array: true, reflect.Map: true, reflect.Struct: true,
	}
)

// analyse reads a func's signature. Every error names the parameter and what
// to write instead.
func analyse(fn any, args *plainArgs) (*handler, error) {
	if h, ok := fn.(Handler); ok {
		fn = h.fn
	}
	v := reflect.ValueOf(fn)
	if !v.IsValid() || v.Kind() != reflect.Func {
		return nil, fmt.Errorf("the handler is %s, not a func; want %s", describe(fn), grammar)
	}
	if v.IsNil() {
		return nil, fmt.Errorf("the handler is a nil %T", fn)
	}
	t := v.Type()
	h := &handler{fn: v}
	if t.IsVariadic() {
		return nil, fmt.Errorf("parameter %d (...%s): variadic parameters cannot be filled by a model; put a slice into the params struct",
			t.NumIn(), t.In(t.NumIn()-1).Elem())
	}
	if t.NumIn() == 0 || t.In(0) != contextType {
		return nil, fmt.Errorf("the first parameter must be a context.Context; want %s", grammar)
	}
	if err := h.results(t); err != nil {
		return nil, err
	}
	rest := 1
	if args != nil {
		types, err := plainTypes(t, args.names)
		if err != nil {
			return nil, err
		}
		h.params, h.plain = args.structOf(types), len(types)
		rest += len(types)
	} else if t.NumIn() > 1 {
		if err := h.structParams(t.In(1)); err != nil {
			return nil, fmt.Errorf("parameter 2 (%s): %w", t.In(1), err)
		}
		if h.params != nil {
			rest++
		}
	}
	for i := rest; i < t.NumIn(); i++ {
		if err := h.dependency(t.In(i)); err != nil {
			return nil, fmt.Errorf("parameter %d (%s): %w", i+1, t.In(i), err)
		}
	}
	return h, nil
}

func describe(v any) string {
	if v == nil {
		return "nil"
	}
	return fmt.Sprintf("a %T", v)
}

func (h *handler) results(t reflect.Type) error {
	bad := func(what string) error {
		return fmt.Errorf("%s; a handler returns error, (string, error) or (*registry.Result, error)", what)
	}
	switch {
	case t.NumOut() == 0:
		return bad("the handler returns nothing")
	case t.Out(t.NumOut()-1) != errorType:
		return bad(fmt.Sprintf("the last result is %s, not error", t.Out(t.NumOut()-1)))
	case t.NumOut() == 1:
		h.result = onlyError
	case t.NumOut() > 2:
		return bad(fmt.Sprintf("the handler returns %d values", t.NumOut()))
	case t.Out(0) == stringType:
		h.result = textAndError
	case t.Out(0) == resultType:
		h.result = resultAndError
	case t.Out(0) == plainResult:
		return bad("result 1 is registry.Result by value")
	default:
		return bad(fmt.Sprintf("result 1 is %s", t.Out(0)))
	}
	return nil
}

// plainTypes returns the types of the parameters that Args names.
func plainTypes(t reflect.Type, names []string) ([]reflect.Type, error) {
	if t.NumIn()-1 < len(names) {
		return nil, fmt.Errorf("registry.Args names %d parameters (%s), the func has %d after its context",
			len(names), strings.Join(names, ", "), t.NumIn()-1)
	}
	out := make([]reflect.Type, len(names))
	for i, name := range names {
		in := t.In(i + 1)
		base := in
		if base.Kind() == reflect.Pointer {
			base = base.Elem()
		}
		if !plainKindsOf[base.Kind()] {
			return nil, fmt.Errorf("parameter %d (%s), which registry.Args names %q: a model cannot fill it; plain parameters come right after the context, dependencies follow",
				i+2, in, name)
		}
		out[i] = in
	}
	return out, nil
}

// structParams decides whether the second parameter is the params struct: a
// struct with a json tag or without any field is, by value or by pointer, and so
// is an anonymous one. A pointer to another struct is a dependency.
func (h *handler) structParams(t reflect.Type) error {
	base := t
	if t.Kind() == reflect.Pointer {
		base = t.Elem()
	}
	if base.Kind() != reflect.Struct || t == pageType || t == depsType {
		return nil
	}
	if t.Kind() == reflect.Pointer && !looksLikeParams(base) {
		return nil
	}
	if t.Kind() == reflect.Struct && base.Name() != "" && !looksLikeParams(base) {
		return errors.New("if it is the params struct, give its fields json tags; if it is a dependency, take a pointer to it")
	}
	h.params, h.pointer = base, t.Kind() == reflect.Pointer
	return nil
}

// looksLikeParams reports whether a struct is empty or has a json tag,
// embedded structs included.
func looksLikeParams(t reflect.Type) bool {
	if t.NumField() == 0 {
		return true
	}
	for i := range t.NumField() {
		f := t.Field(i)
		if _, tagged := f.Tag.Lookup("json"); tagged {
			return true
		}
		if f.Anonymous && f.Type.Kind() == reflect.Struct && f.Type.NumField() > 0 && looksLikeParams(f.Type) {
			return true
		}
	}
	return false
}

func (h *handler) dependency(t reflect.Type) error {
	switch {
	case t == contextType:
		return errors.New("one context is enough")
	case t == errorType, t == anyType, t.Kind() == reflect.Interface && t.NumMethod() == 0:
		return errors.New("too wide to be injected by type; name the type you need")
	case t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Pointer:
		return errors.New("a pointer to a pointer cannot be injected")
	case t.Kind() == reflect.Pointer, t.Kind() == reflect.Interface, t.Kind() == reflect.Func, t.Kind() == reflect.Chan:
	case t.Name() == "" || t.PkgPath() == "":
		return errors.New("cannot be injected by type; put it into the params struct, or name it with registry.Args")
	}
	if t.Kind() == reflect.Struct && looksLikeParams(t) && t.NumField() > 0 && h.params == nil {
		return errors.New("looks like params; they come right after the context")
	}
	for _, d := range h.deps {
		if d == t {
			return errors.New("the same type twice; make it two named types")
		}
	}
	h.deps = append(h.deps, t)
	return nil
}

// schemaOf reflects the params into their schema, defaults included.
func (h *handler) schemaOf(s Spec, args *plainArgs) (*schema.Node, error) {
	if h.params == nil {
		if s.Defaults != nil {
			return nil, errors.New("Spec.Defaults: the handler has no params")
		}
		return &schema.Node{Type: "object"}, nil
	}
	n, err := schema.Of(h.params)
	if err != nil {
		return nil, fmt.Errorf("params %w", err)
	}
	if args != nil {
		if s.Defaults != nil {
			return nil, errors.New("Spec.Defaults: use registry.Default with registry.Args")
		}
		types := make([]reflect.Type, h.plain)
		for i := range types {
			types[i] = h.params.Field(i).Type
		}
		defaults, err := args.defaultsJSON(types)
		if err != nil {
			return nil, err
		}
		return n, n.SetDefaults(defaults)
	}
	if s.Defaults == nil {
		return n, nil
	}
	v := reflect.ValueOf(s.Defaults)
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	if v.Type() != h.params {
		return nil, fmt.Errorf("Spec.Defaults is %T, the handler's params are %s", s.Defaults, h.params)
	}
	defaults, err := schema.NonZeroFields(v)
	if err != nil {
		return nil, fmt.Errorf("Spec.Defaults: %w", err)
	}
	return n, n.SetDefaults(defaults)
}
