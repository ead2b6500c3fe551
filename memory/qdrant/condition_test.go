package qdrant

import (
	"slices"

	qd "github.com/qdrant/go-client/qdrant"
)

// filter decides as Qdrant's documentation says: all of must, any of should
// if there is one, none of must_not.
func (c *collection) filter(f *qd.Filter, p *qd.PointStruct) (bool, error) {
	for _, cond := range f.GetMust() {
		if ok, err := c.condition(cond, p); !ok || err != nil {
			return false, err
		}
	}
	for _, cond := range f.GetMustNot() {
		if ok, err := c.condition(cond, p); ok || err != nil {
			return false, err
		}
	}
	if len(f.GetShould()) == 0 {
		return true, nil
	}
	for _, cond := range f.GetShould() {
		if ok, err := c.condition(cond, p); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

func (c *collection) condition(cond *qd.Condition, p *qd.PointStruct) (bool, error) {
	switch k := cond.GetConditionOneOf().(type) {
	case *qd.Condition_Filter:
		return c.filter(k.Filter, p)
	case *qd.Condition_IsEmpty:
		v, ok := p.Payload[k.IsEmpty.Key]
		_, null := v.GetKind().(*qd.Value_NullValue)
		list, isList := v.GetKind().(*qd.Value_ListValue)
		return !ok || null || isList && len(list.ListValue.GetValues()) == 0, c.indexed(k.IsEmpty.Key)
	case *qd.Condition_Field:
		if err := c.indexed(k.Field.Key); err != nil {
			return false, err
		}
		v, ok := p.Payload[k.Field.Key]
		if !ok {
			return false, nil
		}
		if list := v.GetListValue(); list != nil { // any element
			return slices.ContainsFunc(list.Values, func(e *qd.Value) bool { return matches(k.Field, e) }), nil
		}
		return matches(k.Field, v), nil
	}
	return false, invalid("condition %v", cond)
}

func (c *collection) indexed(key string) error {
	if _, ok := c.indexes[key]; !ok {
		return invalid("Index required but not found for %q", key)
	}
	return nil
}

func matches(f *qd.FieldCondition, v *qd.Value) bool {
	if r := f.GetRange(); r != nil {
		var x float64
		switch n := v.GetKind().(type) {
		case *qd.Value_IntegerValue:
			x = float64(n.IntegerValue)
		case *qd.Value_DoubleValue:
			x = n.DoubleValue
		default:
			return false
		}
		return (r.Gt == nil || x > *r.Gt) && (r.Gte == nil || x >= *r.Gte) && (r.Lt == nil || x < *r.Lt) && (r.Lte == nil || x <= *r.Lte)
	}
	text, ok := v.GetKind().(*qd.Value_StringValue)
	if !ok {
		return false
	}
	switch m := f.GetMatch().GetMatchValue().(type) {
	case *qd.Match_Keyword:
		return text.StringValue == m.Keyword
	case *qd.Match_Keywords:
		return slices.Contains(m.Keywords.Strings, text.StringValue)
	}
	return false
}
