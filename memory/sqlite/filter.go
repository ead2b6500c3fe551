package sqlite

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
)

// columns are the filter keys that are columns; all others are metadata.
var columns = map[string]string{
	"id": "m.id", "memory": "m.data", "data": "m.data", "hash": "m.hash", "user_id": "m.user_id", "agent_id": "m.agent_id",
	"run_id": "m.run_id", "actor_id": "m.actor_id", "role": "m.role", "memory_type": "m.type", "attributed_to": "m.attributed_to",
	"expiration_date": "m.expires_on", "created_at": "m.created_at", "updated_at": "m.updated_at",
}

// compile turns a checked filter into SQL that agrees with Filter.Match. No
// value and no key becomes part of the text.
func compile(f longterm.Filter) (string, []any, error) {
	switch f.Op {
	case longterm.OpAnd:
		return join(f.Args, " AND ", "1")
	case longterm.OpOr:
		return join(f.Args, " OR ", "0")
	case longterm.OpNot:
		s, args, err := join(f.Args, " OR ", "0")
		return "NOT " + s, args, err
	case longterm.OpNe, longterm.OpNin:
		pos := f
		pos.Op = longterm.OpEq
		if f.Op == longterm.OpNin {
			pos.Op = longterm.OpIn
		}
		s, args, err := compile(pos)
		return "NOT " + s, args, err
	}
	var s string
	var args []any
	var err error
	if col, ok := columns[f.Key]; ok {
		s, args, err = operand{col: col}.compare(f)
	} else {
		s, args, err = operand{path: `$."` + f.Key + `"`}.compare(f)
	}
	// IS TRUE makes unknown false, so that NOT around it is true.
	return "((" + s + ") IS TRUE)", args, err
}

func join(fs []longterm.Filter, sep, empty string) (string, []any, error) {
	if len(fs) == 0 {
		return "(" + empty + ")", nil, nil
	}
	var parts []string
	var args []any
	for _, f := range fs {
		if f.IsZero() {
			parts = append(parts, "1")
			continue
		}
		s, a, err := compile(f)
		if err != nil {
			return "", nil, err
		}
		parts = append(parts, s)
		args = append(args, a...)
	}
	return "(" + strings.Join(parts, sep) + ")", args, nil
}

// operand is the left side of a comparison: a text column, or a metadata
// value of any JSON type.
type operand struct {
	col  string
	path string
}

// value and kind are SQL for the operand's value and its JSON type, with the
// arguments each needs.
func (o operand) value() (string, []any) {
	if o.col != "" {
		return o.col, nil
	}
	return "json_extract(m.payload, ?)", []any{o.path}
}

// typed is SQL that is true when the operand has one of the JSON types and
// the condition on its value holds.
func (o operand) typed(types, cond string, args ...any) (string, []any) {
	v, va := o.value()
	if o.col != "" {
		if !strings.Contains(types, "'text'") {
			return "0", nil
		}
		return v + cond, append(va, args...)
	}
	return "json_type(m.payload, ?) IN (" + types + ") AND " + v + cond, append(append([]any{o.path}, va...), args...)
}

const (
	textType   = "'text'"
	numberType = "'integer','real'"
)

func (o operand) compare(f longterm.Filter) (string, []any, error) {
	switch f.Op {
	case longterm.OpExists:
		if o.col != "" {
			return o.col + " IS NOT NULL", nil, nil
		}
		return "json_type(m.payload, ?) <> 'null'", []any{o.path}, nil
	case longterm.OpEq:
		s, args := o.equal(f.Value)
		return s, args, nil
	case longterm.OpIn:
		return o.in(f.Value.([]any))
	case longterm.OpGt, longterm.OpGte, longterm.OpLt, longterm.OpLte:
		sign := map[longterm.Op]string{longterm.OpGt: " > ?", longterm.OpGte: " >= ?", longterm.OpLt: " < ?", longterm.OpLte: " <= ?"}[f.Op]
		types := textType
		if _, ok := f.Value.(float64); ok {
			types = numberType
		}
		s, args := o.typed(types, sign, f.Value)
		return s, args, nil
	case longterm.OpContains, longterm.OpIContains:
		s, args := o.contains(f.Value, f.Op == longterm.OpIContains)
		return s, args, nil
	}
	return "", nil, fmt.Errorf("%w: operator %q is not known to this store", longterm.ErrInvalidFilter, f.Op)
}

func (o operand) equal(v any) (string, []any) {
	switch x := v.(type) {
	case nil:
		if o.col != "" {
			return o.col + " IS NULL", nil
		}
		return "coalesce(json_type(m.payload, ?), 'null') = 'null'", []any{o.path}
	case bool:
		if o.col != "" {
			return "0", nil
		}
		return "json_type(m.payload, ?) = ?", []any{o.path, fmt.Sprint(x)}
	case float64:
		return o.typed(numberType, " = ?", x)
	}
	return o.typed(textType, " = ?", v)
}

// in compares with a list. Texts go over in one argument: a rule set of an
// app can name more memories than a statement may have arguments.
func (o operand) in(list []any) (string, []any, error) {
	texts := []string{}
	parts := []string{"0"}
	var args []any
	for _, v := range list {
		if s, ok := v.(string); ok {
			texts = append(texts, s)
			continue
		}
		s, a := o.equal(v)
		parts = append(parts, "("+s+")")
		args = append(args, a...)
	}
	if len(texts) > 0 {
		j, err := json.Marshal(texts)
		if err != nil {
			return "", nil, err
		}
		s, a := o.typed(textType, " IN (SELECT value FROM json_each(?))", string(j))
		parts = append(parts, "("+s+")")
		args = append(args, a...)
	}
	return strings.Join(parts, " OR "), args, nil
}

func (o operand) contains(v any, fold bool) (string, []any) {
	var parts []string
	var args []any
	if text, ok := v.(string); ok {
		val, va := o.value()
		find, want := "instr("+val+", ?) > 0", any(text)
		if fold {
			find, want = "instr(webhand_lower("+val+"), ?) > 0", strings.ToLower(text)
		}
		if o.col == "" {
			find = "json_type(m.payload, ?) = 'text' AND " + find
			args = append(args, o.path)
		}
		parts = append(parts, "("+find+")")
		args = append(append(args, va...), want)
	}
	if o.col == "" {
		elem, ea := "e.type = 'text' AND e.value = ?", []any{v}
		switch x := v.(type) {
		case string:
			if fold {
				elem, ea = "e.type = 'text' AND webhand_lower(e.value) = ?", []any{strings.ToLower(x)}
			}
		case bool:
			elem, ea = "e.type = ?", []any{fmt.Sprint(x)}
		case float64:
			elem, ea = "e.type IN ("+numberType+") AND e.value = ?", []any{x}
		}
		parts = append(parts, "(json_type(m.payload, ?) = 'array' AND EXISTS (SELECT 1 FROM json_each(m.payload, ?) e WHERE "+elem+"))")
		args = append(append(args, o.path, o.path), ea...)
	}
	if len(parts) == 0 {
		return "0", nil
	}
	return strings.Join(parts, " OR "), args
}
