package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
)

// SetDefaults gives properties of n, which must be fresh from [Of], a default
// and makes them optional. A property that has one already is an error.
func (n *Node) SetDefaults(defaults map[string]json.RawMessage) error {
	for name, value := range defaults {
		found := false
		for i := range n.Props {
			p := &n.Props[i]
			if p.Name != name {
				continue
			}
			found = true
			switch {
			case p.Node.Default != nil:
				return fmt.Errorf("%s: has two defaults, one of them in its tag", name)
			case p.Node.Nullable:
				return fmt.Errorf("%s: a pointer with a default is ambiguous (null would mean both nil and the default); use a plain type", name)
			}
			p.Node.Default, p.Optional = value, true
		}
		if !found {
			return fmt.Errorf("%s: no such field", name)
		}
	}
	return nil
}

// NonZeroFields returns the JSON of those fields of a struct value that are not
// zero, by JSON name.
func NonZeroFields(v reflect.Value) (map[string]json.RawMessage, error) {
	fields, err := fieldsOf(v.Type())
	if err != nil {
		return nil, err
	}
	out := make(map[string]json.RawMessage)
	for _, f := range fields {
		sf, ok := v.Type().FieldByName(f.Name)
		if !ok {
			continue
		}
		fv, err := v.FieldByIndexErr(sf.Index)
		if err != nil || fv.IsZero() { // an error: within an embedded nil pointer
			continue
		}
		b, err := marshal(fv.Interface())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		out[f.name] = b
	}
	return out, nil
}

// NeedsCheck reports whether the tree holds what only compiling it can prove
// right: patterns and defaults.
func (n *Node) NeedsCheck() bool {
	return n.holds(func(m *Node) bool { return m.Default != nil || m.Limit("pattern") != nil })
}
