package longterm

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"sort"
	"strings"
)

// Op is an operator of a [Filter].
type Op string

// The operators. A comparison with a key that a memory does not have is
// false, but for OpNe and OpNin, which are true then. OpGt and its kin compare
// numbers with numbers and texts with texts, so dates as YYYY-MM-DD work; they
// are false for anything else. OpContains looks for a part of a text or an
// element of a list; OpIContains ignores case.
const (
	OpEq        Op = "eq"
	OpNe        Op = "ne"
	OpGt        Op = "gt"
	OpGte       Op = "gte"
	OpLt        Op = "lt"
	OpLte       Op = "lte"
	OpIn        Op = "in"
	OpNin       Op = "nin"
	OpContains  Op = "contains"
	OpIContains Op = "icontains"
	OpExists    Op = "*"
	OpAnd       Op = "AND"
	OpOr        Op = "OR"
	OpNot       Op = "NOT"
)

// maxFilterDepth and maxFilterNodes bound what a stranger's filter can cost.
const (
	maxFilterDepth = 16
	maxFilterNodes = 256
)

// Filter is a condition on memories. The zero value lets everything pass. Its
// keys are the fields of an [Item] by their JSON names and the caller's own
// metadata keys.
type Filter struct {
	Op    Op
	Key   string   // of a comparison
	Value any      // of a comparison: string, float64, bool, nil, or []any of those
	Args  []Filter // of OpAnd, OpOr and OpNot; OpNot means none of them
}

// IsZero reports whether the filter lets everything pass.
func (f Filter) IsZero() bool { return f.Op == "" }

// Where returns a comparison. Its value may be any string, bool, number, nil
// or slice of those; Check reports others.
func Where(key string, op Op, value any) Filter {
	return Filter{Op: op, Key: key, Value: plain(value)}
}

// And returns the condition that all of fs hold. Filters that let everything
// pass drop out.
func And(fs ...Filter) Filter {
	fs = slices.DeleteFunc(slices.Clone(fs), Filter.IsZero)
	switch len(fs) {
	case 0:
		return Filter{}
	case 1:
		return fs[0]
	}
	return Filter{Op: OpAnd, Args: fs}
}

// keyPattern allows what can be quoted in a JSON path and leaves out what
// could end the quotes.
var keyPattern = regexp.MustCompile(`^[\p{L}\p{N}_][\p{L}\p{N}_ .:/@-]{0,127}$`)

// Check reports the first fault of a filter, as an error that matches
// [ErrInvalidFilter].
func (f Filter) Check() error {
	if f.IsZero() {
		return nil
	}
	nodes := 0
	return f.check(0, &nodes)
}

func (f Filter) check(depth int, nodes *int) error {
	if *nodes++; depth > maxFilterDepth || *nodes > maxFilterNodes {
		return fmt.Errorf("%w: more than %d conditions or %d levels", ErrInvalidFilter, maxFilterNodes, maxFilterDepth)
	}
	switch f.Op {
	case OpAnd, OpOr, OpNot:
		for _, a := range f.Args {
			if err := a.check(depth+1, nodes); err != nil {
				return err
			}
		}
		return nil
	}
	if !keyPattern.MatchString(f.Key) {
		return fmt.Errorf("%w: key %q", ErrInvalidFilter, f.Key)
	}
	switch f.Op {
	case OpExists:
		return nil
	case OpIn, OpNin:
		list, ok := f.Value.([]any)
		if !ok {
			return fmt.Errorf("%w: %q with %q wants a list", ErrInvalidFilter, f.Key, f.Op)
		}
		for _, v := range list {
			if !isScalar(v) {
				return fmt.Errorf("%w: %q with %q: a list of texts, numbers and booleans", ErrInvalidFilter, f.Key, f.Op)
			}
		}
	case OpEq, OpNe:
		if !isScalar(f.Value) {
			return fmt.Errorf("%w: %q with %q wants a text, a number, a boolean or null", ErrInvalidFilter, f.Key, f.Op)
		}
	case OpGt, OpGte, OpLt, OpLte:
		switch f.Value.(type) {
		case string, float64:
		default:
			return fmt.Errorf("%w: %q with %q wants a number or a text", ErrInvalidFilter, f.Key, f.Op)
		}
	case OpContains:
		if !isScalar(f.Value) || f.Value == nil {
			return fmt.Errorf("%w: %q with %q wants a text, a number or a boolean", ErrInvalidFilter, f.Key, f.Op)
		}
	case OpIContains:
		if _, ok := f.Value.(string); !ok {
			return fmt.Errorf("%w: %q with %q wants a text", ErrInvalidFilter, f.Key, f.Op)
		}
	default:
		return fmt.Errorf("%w: unknown operator %q on %q; known are eq ne gt gte lt lte in nin contains icontains",
			ErrInvalidFilter, f.Op, f.Key)
	}
	return nil
}

func isScalar(v any) bool {
	switch v.(type) {
	case nil, string, float64, bool:
		return true
	}
	return false
}

// plain brings Go's numbers and slices to the few types a filter holds.
func plain(v any) any {
	switch x := v.(type) {
	case nil, string, float64, bool:
		return v
	case json.Number:
		if n, err := x.Float64(); err == nil {
			return n
		}
		return v
	}
	rv := reflect.ValueOf(v)
	switch {
	case rv.CanInt():
		return float64(rv.Int())
	case rv.CanUint():
		return float64(rv.Uint())
	case rv.CanFloat():
		return rv.Float()
	case rv.Kind() == reflect.String:
		return rv.String()
	case rv.Kind() == reflect.Slice:
		out := make([]any, rv.Len())
		for i := range out {
			out[i] = plain(rv.Index(i).Interface())
		}
		return out
	}
	return v
}

// ParseFilter reads a filter as JSON writes it: {"key": value} for equality,
// {"key": {"op": value}} for the other operators, "*" as value for any value,
// and "AND", "OR", "NOT" with lists of filters, nested as deep as needed. All
// conditions of an object must hold.
func ParseFilter(m map[string]any) (Filter, error) {
	f, err := parseFilter(m, 0)
	if err != nil {
		return Filter{}, err
	}
	return f, f.Check()
}

func parseFilter(m map[string]any, depth int) (Filter, error) {
	if depth > maxFilterDepth {
		return Filter{}, fmt.Errorf("%w: more than %d levels", ErrInvalidFilter, maxFilterDepth)
	}
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	all := make([]Filter, 0, len(keys))
	for _, k := range keys {
		switch op := Op(strings.TrimPrefix(strings.ToUpper(k), "$")); op {
		case OpAnd, OpOr, OpNot:
			f, err := parseGroup(op, m[k], depth)
			if err != nil {
				return Filter{}, err
			}
			all = append(all, f)
		default:
			fs, err := parseCondition(k, m[k])
			if err != nil {
				return Filter{}, err
			}
			all = append(all, fs...)
		}
	}
	if len(all) == 1 {
		return all[0], nil
	}
	if len(all) == 0 {
		return Filter{}, nil
	}
	return Filter{Op: OpAnd, Args: all}, nil
}

func parseGroup(op Op, v any, depth int) (Filter, error) {
	list, ok := v.([]any)
	if obj, isObj := v.(map[string]any); isObj && op == OpNot {
		list, ok = []any{obj}, true
	}
	if !ok {
		return Filter{}, fmt.Errorf("%w: %s wants a list of filters", ErrInvalidFilter, op)
	}
	out := Filter{Op: op, Args: make([]Filter, 0, len(list))}
	for _, e := range list {
		obj, ok := e.(map[string]any)
		if !ok || len(obj) == 0 {
			return Filter{}, fmt.Errorf("%w: %s holds something that is not a filter", ErrInvalidFilter, op)
		}
		f, err := parseFilter(obj, depth+1)
		if err != nil {
			return Filter{}, err
		}
		out.Args = append(out.Args, f)
	}
	return out, nil
}

func parseCondition(key string, v any) ([]Filter, error) {
	switch x := v.(type) {
	case string:
		if x == "*" {
			return []Filter{{Op: OpExists, Key: key}}, nil
		}
	case []any:
		return []Filter{Where(key, OpIn, x)}, nil
	case map[string]any:
		if len(x) == 0 {
			return nil, fmt.Errorf("%w: %q has no operator", ErrInvalidFilter, key)
		}
		ops := make([]string, 0, len(x))
		for op := range x {
			ops = append(ops, op)
		}
		sort.Strings(ops)
		var fs []Filter
		for _, op := range ops {
			if op == string(OpAnd) || op == string(OpOr) || op == string(OpNot) {
				return nil, fmt.Errorf("%w: %s below the key %q; put it around the condition", ErrInvalidFilter, op, key)
			}
			fs = append(fs, Where(key, Op(op), x[op]))
		}
		return fs, nil
	}
	return []Filter{Where(key, OpEq, v)}, nil
}

// SplitScope takes the ids user_id, agent_id and run_id that stand as plain
// texts at the top level of m out of it. Ids inside AND, OR and NOT stay
// conditions.
func SplitScope(m map[string]any) (Scope, map[string]any) {
	var s Scope
	rest := make(map[string]any, len(m))
	for k, v := range m {
		text, ok := v.(string)
		switch {
		case ok && k == "user_id" && text != "*":
			s.UserID = text
		case ok && k == "agent_id" && text != "*":
			s.AgentID = text
		case ok && k == "run_id" && text != "*":
			s.RunID = text
		default:
			rest[k] = v
		}
	}
	return s, rest
}
