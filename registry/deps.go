package registry

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Deps holds what handlers are injected with, by type. The zero value is empty
// and usable. A Deps is never changed: [Provide] returns a new one, so it may be
// copied and shared between goroutines.
type Deps struct {
	values map[reflect.Type]reflect.Value
}

// Provide returns d with v as the value of type T, in place of an earlier one.
// A handler gets it for a parameter of exactly type T, or, when no value is
// provided under the interface type itself, for an interface that T implements
// and no other provided type does. A nil pointer, interface, map or func counts
// as not provided. The caller's own state is provided the same way:
//
//	deps = registry.Provide(deps, &Cart{})        // for func(ctx, p Params, c *Cart) error
//	deps = registry.Provide[io.Writer](deps, buf) // for func(ctx, p Params, w io.Writer) error
//
// Three types mean something to the registry itself: [Page] and [PageFunc] say
// on which page the action runs, [SecretResolver] and [OriginFunc] turn
// placeholders into secrets.
func Provide[T any](d Deps, v T) Deps {
	t := reflect.TypeFor[T]()
	out := Deps{values: maps.Clone(d.values)}
	if out.values == nil {
		out.values = make(map[reflect.Type]reflect.Value, 1)
	}
	rv := reflect.ValueOf(&v).Elem()
	if isNil(rv) {
		delete(out.values, t)
	} else {
		out.values[t] = rv
	}
	return out
}

// PageFunc returns the page that the session shows now. It is asked before an
// action with Domains or a When condition runs, and for handlers that take a
// [Page].
type PageFunc func(context.Context) (Page, error)

func isNil(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Map, reflect.Func, reflect.Chan:
		return v.IsNil()
	default:
		return false
	}
}

// get returns the provided value of exactly type T.
func get[T any](d Deps) (T, bool) {
	var zero T
	v, ok := d.values[reflect.TypeFor[T]()]
	if !ok {
		return zero, false
	}
	out, ok := v.Interface().(T)
	return out, ok
}

// lookup returns the value for a parameter of type t.
func (d Deps) lookup(t reflect.Type) (reflect.Value, error) {
	if v, ok := d.values[t]; ok {
		return v, nil
	}
	if t.Kind() != reflect.Interface {
		return reflect.Value{}, fmt.Errorf("%s: %w", t, ErrMissingDep)
	}
	var found []reflect.Type
	for have := range d.values {
		if have.Implements(t) {
			found = append(found, have)
		}
	}
	switch len(found) {
	case 0:
		return reflect.Value{}, fmt.Errorf("%s: %w, and nothing provided implements it", t, ErrMissingDep)
	case 1:
		return d.values[found[0]], nil
	default:
		names := make([]string, 0, len(found))
		for _, f := range found {
			names = append(names, f.String())
		}
		slices.Sort(names)
		return reflect.Value{}, fmt.Errorf("%s: %w: %s all implement it; say which with Provide[%s]",
			t, ErrMissingDep, strings.Join(names, ", "), t)
	}
}

// page returns the page on which an action is about to run.
func (d Deps) page(ctx context.Context) (p Page, known bool, err error) {
	if f, ok := get[PageFunc](d); ok {
		p, err = f(ctx)
		return p, err == nil, err
	}
	p, ok := get[Page](d)
	return p, ok, nil
}
