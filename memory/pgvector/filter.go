package pgvector

import (
	"fmt"
	"strings"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
)

// columnOf are the filter keys that are columns; all others are metadata.
var columnOf = map[string]string{
	"id": "m.id", "memory": "m.data", "data": "m.data", "hash": "m.hash", "user_id": "m.user_id", "agent_id": "m.agent_id",
	"run_id": "m.run_id", "actor_id": "m.actor_id", "role": "m.role", "memory_type": "m.type", "attributed_to": "m.attributed_to",
	"expiration_date": "m.expires_on", "created_at": "m.created_at", "updated_at": "m.updated_at",
}

// where collects conditions with their arguments.
type where struct {
	conds []string
	args  []any
}

// arg adds an argument and returns its place, with a type.
func (w *where) arg(v any, kind string) string {
	w.args = append(w.args, v)
	return fmt.Sprintf("$%d::%s", len(w.args), kind)
}

func (w *where) String() string {
	if len(w.conds) == 0 {
		return "true"
	}
	return strings.Join(w.conds, " AND ")
}

func scopeWhere(sc longterm.Scope, f longterm.Filter, today string) (*where, error) {
	w := &where{}
	for _, p := range []struct{ col, id string }{{"m.user_id", sc.UserID}, {"m.agent_id", sc.AgentID}, {"m.run_id", sc.RunID}} {
		if p.id != "" {
			w.conds = append(w.conds, p.col+" = "+w.arg(p.id, "text"))
		}
	}
	if today != "" {
		w.conds = append(w.conds, "(m.expires_on IS NULL OR m.expires_on >= "+w.arg(today, "text")+")")
	}
	if !f.IsZero() {
		if err := f.Check(); err != nil {
			return nil, err
		}
		c, err := w.compile(f)
		if err != nil {
			return nil, err
		}
		w.conds = append(w.conds, c)
	}
	return w, nil
}

// compile turns a checked filter into SQL that agrees with Filter.Match.
func (w *where) compile(f longterm.Filter) (string, error) {
	switch f.Op {
	case "":
		return "true", nil
	case longterm.OpAnd:
		return w.join(f.Args, " AND ", "true")
	case longterm.OpOr:
		return w.join(f.Args, " OR ", "false")
	case longterm.OpNot:
		s, err := w.join(f.Args, " OR ", "false")
		return "NOT " + s, err
	case longterm.OpNe, longterm.OpNin:
		pos := f
		pos.Op = longterm.OpEq
		if f.Op == longterm.OpNin {
			pos.Op = longterm.OpIn
		}
		s, err := w.compile(pos)
		return "NOT " + s, err
	}
	var s string
	var err error
	if col, ok := columnOf[f.Key]; ok {
		s, err = w.column(col, f)
	} else {
		s, err = w.metadata("(m.payload -> "+w.arg(f.Key, "text")+")", f)
	}
	return "((" + s + ") IS TRUE)", err
}

func (w *where) join(fs []longterm.Filter, sep, empty string) (string, error) {
	if len(fs) == 0 {
		return "(" + empty + ")", nil
	}
	parts := make([]string, len(fs))
	for i, f := range fs {
		s, err := w.compile(f)
		if err != nil {
			return "", err
		}
		parts[i] = s
	}
	return "(" + strings.Join(parts, sep) + ")", nil
}

// signs are the operators that compare by order.
var signs = map[longterm.Op]string{longterm.OpGt: " > ", longterm.OpGte: " >= ", longterm.OpLt: " < ", longterm.OpLte: " <= "}

// fold lower-cases in every script.
func fold(s string) string { return `lower(` + s + ` COLLATE "und-x-icu")` }

// column compares a text column.
func (w *where) column(col string, f longterm.Filter) (string, error) {
	switch f.Op {
	case longterm.OpExists:
		return col + " IS NOT NULL", nil
	case longterm.OpEq:
		switch v := f.Value.(type) {
		case nil:
			return col + " IS NULL", nil
		case string:
			return col + " = " + w.arg(v, "text"), nil
		}
		return "false", nil
	case longterm.OpIn:
		texts, null := []string{}, "false"
		for _, v := range f.Value.([]any) {
			switch v := v.(type) {
			case nil:
				null = col + " IS NULL"
			case string:
				texts = append(texts, v)
			}
		}
		return null + " OR " + col + " = ANY(" + w.arg(texts, "text[]") + ")", nil
	case longterm.OpContains, longterm.OpIContains:
		v, ok := f.Value.(string)
		if !ok {
			return "false", nil
		}
		if f.Op == longterm.OpIContains {
			return "strpos(" + fold(col) + ", " + fold(w.arg(v, "text")) + ") > 0", nil
		}
		return "strpos(" + col + ", " + w.arg(v, "text") + ") > 0", nil
	}
	if sign, ok := signs[f.Op]; ok {
		v, ok := f.Value.(string)
		if !ok {
			return "false", nil
		}
		return col + ` COLLATE "C"` + sign + w.arg(v, "text"), nil
	}
	return "", fmt.Errorf("%w: operator %q is not known to this store", longterm.ErrInvalidFilter, f.Op)
}

// json is a value as jsonb.
func (w *where) json(v any) string {
	switch v := v.(type) {
	case nil:
		return "'null'::jsonb"
	case string:
		return "to_jsonb(" + w.arg(v, "text") + ")"
	case bool:
		return "to_jsonb(" + w.arg(v, "boolean") + ")"
	}
	return "to_jsonb(" + w.arg(v, "float8") + ")"
}

// metadata compares a JSON value of any type.
func (w *where) metadata(val string, f longterm.Filter) (string, error) {
	isNull := "coalesce(" + val + ", 'null'::jsonb) = 'null'::jsonb"
	asText := "(" + val + " #>> '{}')"
	when := func(kind, cond string) string {
		return "CASE WHEN jsonb_typeof(" + val + ") = '" + kind + "' THEN " + cond + " ELSE false END"
	}
	switch f.Op {
	case longterm.OpExists:
		return "NOT (" + isNull + ")", nil
	case longterm.OpEq:
		if f.Value == nil {
			return isNull, nil
		}
		return val + " = " + w.json(f.Value), nil
	case longterm.OpIn:
		parts := []string{val + " IS NULL AND false"} // an argument that no text names has no type
		for _, v := range f.Value.([]any) {
			if v == nil {
				parts = append(parts, isNull)
				continue
			}
			parts = append(parts, val+" = "+w.json(v))
		}
		return "(" + strings.Join(parts, ") OR (") + ")", nil
	case longterm.OpContains:
		s := when("array", val+" @> "+w.json(f.Value))
		if v, ok := f.Value.(string); ok {
			s = "(" + s + ") OR (" + when("string", "strpos("+asText+", "+w.arg(v, "text")+") > 0") + ")"
		}
		return s, nil
	case longterm.OpIContains:
		want := fold(w.arg(f.Value, "text"))
		return "(" + when("string", "strpos("+fold(asText)+", "+want+") > 0") + ") OR (" +
			when("array", "EXISTS (SELECT 1 FROM jsonb_array_elements("+val+") e WHERE jsonb_typeof(e) = 'string' AND "+fold("(e #>> '{}')")+" = "+want+")") + ")", nil
	}
	if sign, ok := signs[f.Op]; ok {
		if v, ok := f.Value.(string); ok {
			return when("string", asText+` COLLATE "C"`+sign+w.arg(v, "text")), nil
		}
		return when("number", asText+"::float8"+sign+w.arg(f.Value, "float8")), nil
	}
	return "", fmt.Errorf("%w: operator %q is not known to this store", longterm.ErrInvalidFilter, f.Op)
}
