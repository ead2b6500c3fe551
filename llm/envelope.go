package llm

import (
	"encoding/json"
	"strings"
)

// envelope gives v the outer form of the shape where the model left it out,
// doubled it, or spelt it as a call. A value it cannot help comes back as it is.
func (r *reader) envelope(v json.RawMessage, depth int) json.RawMessage {
	s := r.want()
	if s == nil || depth > 3 {
		return v
	}
	if v[0] == '[' {
		return r.fromList(s, v, depth)
	}
	order, m := members(v)
	known := 0
	for _, k := range order {
		if s.has(k) {
			known++
		}
	}
	if known > 0 {
		return s.inner(v, order, m)
	}
	if name, args, ok := s.spelt(m); ok {
		inner := args
		if str, quoted := unquote(args); quoted {
			if got, err := r.read(str, depth+1); err == nil {
				inner = got
			}
		}
		if s.items[name] {
			return s.wrap(object(name, inner))
		}
		if isContainer(inner) {
			return r.envelope(inner, depth+1)
		}
	}
	if len(order) == 1 && isContainer(m[order[0]]) && !s.items[order[0]] {
		if inner := m[order[0]]; s.score(inner) > 0 {
			return r.envelope(inner, depth+1)
		}
	}
	for _, k := range order {
		if !s.items[k] {
			return v
		}
	}
	if len(order) == 0 { // nothing is not an action
		return v
	}
	return s.wrap(v)
}

// fromList handles an answer that is a list: of one answer, or of elements.
func (r *reader) fromList(s *shape, v json.RawMessage, depth int) json.RawMessage {
	var list []json.RawMessage
	if json.Unmarshal(v, &list) != nil {
		return v
	}
	if len(list) == 1 && len(list[0]) > 0 && list[0][0] == '{' {
		_, m := members(list[0])
		for k := range m {
			if s.has(k) {
				return r.envelope(list[0], depth+1)
			}
		}
		if name, _, ok := s.spelt(m); ok && !s.items[name] {
			return r.envelope(list[0], depth+1)
		}
	}
	if s.list == "" {
		return v
	}
	for i, x := range list {
		_, m := members(x)
		if name, args, ok := s.spelt(m); ok && s.items[name] {
			if str, quoted := unquote(args); quoted {
				args = json.RawMessage(str)
			}
			if json.Valid(args) {
				list[i] = object(name, args)
			}
		}
	}
	out, err := json.Marshal(list)
	if err != nil {
		return v
	}
	return object(s.list, out)
}

// inner mends the fields of an object whose outer form is right: the list
// given as one element, and JSON given as a string.
func (s *shape) inner(v json.RawMessage, order []string, m map[string]json.RawMessage) json.RawMessage {
	changed := false
	for _, k := range order {
		x := m[k]
		kind := s.fields[k]
		if kind != "array" && kind != "object" {
			continue
		}
		if str, ok := unquote(x); ok {
			str = strings.TrimSpace(str)
			got := json.RawMessage(str)
			if !json.Valid(got) {
				fixed, err := mendWhole(str)
				if err != nil {
					continue
				}
				got = fixed
			}
			if isContainer(got) {
				x, changed = got, true
			}
		}
		if k == s.list && len(x) > 0 && x[0] == '{' {
			x, changed = json.RawMessage("["+string(x)+"]"), true
		}
		m[k] = x
	}
	if !changed {
		return v
	}
	var b strings.Builder
	b.WriteByte('{')
	for i, k := range order {
		if i > 0 {
			b.WriteByte(',')
		}
		key, _ := json.Marshal(k) //nolint:errchkjson // a string always marshals
		b.Write(key)
		b.WriteByte(':')
		b.Write(m[k])
	}
	b.WriteByte('}')
	return json.RawMessage(b.String())
}

// mendWhole mends s when it is one value that was not cut.
func mendWhole(s string) (json.RawMessage, error) {
	if !opensJSON(s) {
		return nil, errNotMendable
	}
	if _, balanced := spanOf(s); !balanced && endsCut(s) != "" {
		return nil, errNotMendable
	}
	return mend(s)
}

// spelt recognises {"name": "click", "arguments": {...}} and its variants.
func (s *shape) spelt(m map[string]json.RawMessage) (name string, args json.RawMessage, ok bool) {
	if inner, nested := m["function"]; nested && len(inner) > 0 && inner[0] == '{' {
		_, m = members(inner)
	}
	for _, k := range []string{"arguments", "args", "parameters", "params", "kwargs", "input"} {
		if v, has := m[k]; has {
			args = v
			break
		}
	}
	if args == nil {
		return "", nil, false
	}
	for _, k := range []string{"name", "function", "tool", "tool_name", "action_name", "type"} {
		if str, has := unquote(m[k]); has {
			return str, args, true
		}
	}
	return "", nil, false
}

// wrap makes one element the whole answer.
func (s *shape) wrap(element json.RawMessage) json.RawMessage {
	if s.list == "" {
		return element
	}
	return object(s.list, json.RawMessage("["+string(element)+"]"))
}

func object(key string, value json.RawMessage) json.RawMessage {
	k, _ := json.Marshal(key) //nolint:errchkjson // a string always marshals
	return json.RawMessage("{" + string(k) + ":" + string(value) + "}")
}
