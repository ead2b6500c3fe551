package longterm

import "strings"

// Match reports whether a record passes the filter. It defines what the
// operators mean; a store that compiles filters to a query language must
// agree with it.
func (f Filter) Match(r *Record) bool {
	switch f.Op {
	case "":
		return true
	case OpAnd:
		for _, a := range f.Args {
			if !a.Match(r) {
				return false
			}
		}
		return true
	case OpOr:
		for _, a := range f.Args {
			if a.Match(r) {
				return true
			}
		}
		return false
	case OpNot:
		for _, a := range f.Args {
			if a.Match(r) {
				return false
			}
		}
		return true
	}
	v, ok := r.Field(f.Key)
	if !ok {
		v = nil
	}
	ok = v != nil
	switch f.Op {
	case OpExists:
		return ok
	case OpEq:
		return equal(v, f.Value)
	case OpNe:
		return !equal(v, f.Value)
	case OpIn, OpNin:
		list, _ := f.Value.([]any)
		in := false
		for _, e := range list {
			in = in || equal(v, e)
		}
		return in == (f.Op == OpIn)
	case OpContains, OpIContains:
		return ok && contains(v, f.Value, f.Op == OpIContains)
	}
	return ok && ordered(v, f.Value, f.Op)
}

func equal(a, b any) bool {
	switch a.(type) {
	case nil, string, float64, bool:
		return a == b
	}
	return false
}

func ordered(a, b any, op Op) bool {
	var c int
	switch x := a.(type) {
	case string:
		y, ok := b.(string)
		if !ok {
			return false
		}
		c = strings.Compare(x, y)
	case float64:
		y, ok := b.(float64)
		if !ok {
			return false
		}
		switch {
		case x < y:
			c = -1
		case x > y:
			c = 1
		}
	default:
		return false
	}
	switch op {
	case OpGt:
		return c > 0
	case OpGte:
		return c >= 0
	case OpLt:
		return c < 0
	case OpLte:
		return c <= 0
	}
	return false
}

func contains(have, want any, fold bool) bool {
	switch x := have.(type) {
	case string:
		w, ok := want.(string)
		if !ok {
			return false
		}
		if fold {
			x, w = strings.ToLower(x), strings.ToLower(w)
		}
		return strings.Contains(x, w)
	case []any:
		for _, e := range x {
			s, isText := e.(string)
			w, wantText := want.(string)
			if fold && isText && wantText {
				// Lower case and not EqualFold: stores compare so.
				s, w = strings.ToLower(s), strings.ToLower(w)
				if s == w {
					return true
				}
			}
			if equal(e, want) {
				return true
			}
		}
	}
	return false
}

// Field returns the value a filter key stands for: a field of the record by
// its JSON name, or a metadata value. Empty fields count as missing.
func (r *Record) Field(key string) (any, bool) {
	text := func(s string) (any, bool) { return s, s != "" }
	switch key {
	case "id":
		return text(r.ID)
	case "memory", "data":
		return text(r.Text)
	case "hash":
		return text(r.Hash)
	case "user_id":
		return text(r.UserID)
	case "agent_id":
		return text(r.AgentID)
	case "run_id":
		return text(r.RunID)
	case "actor_id":
		return text(r.ActorID)
	case "role":
		return text(r.Role)
	case "memory_type":
		return text(string(r.Type))
	case "attributed_to":
		return text(r.AttributedTo)
	case "expiration_date":
		return text(r.ExpiresOn)
	case "created_at":
		return Timestamp{r.CreatedAt}.String(), true
	case "updated_at":
		return Timestamp{r.UpdatedAt}.String(), true
	}
	v, ok := r.Metadata[key]
	return v, ok
}
