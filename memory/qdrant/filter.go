package qdrant

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	qd "github.com/qdrant/go-client/qdrant"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
)

// condition is what the server is asked of a filter. It lets through all that
// the filter does, and nothing more when it is exact.
type condition struct {
	never bool       // nothing passes
	ask   *qd.Filter // nil lets everything pass
	exact bool
}

var (
	always = condition{exact: true}
	never  = condition{exact: true, never: true}
	// unknown leaves the decision to Filter.Match.
	unknown = condition{}
)

func one(c *qd.Condition, exact bool) condition {
	return condition{ask: &qd.Filter{Must: []*qd.Condition{c}}, exact: exact}
}

// has asks for one of the terms.
func has(terms ...string) condition {
	switch len(terms) {
	case 0:
		return never
	case 1:
		return one(qd.NewMatchKeyword("terms", terms[0]), true)
	}
	return one(qd.NewMatchKeywords("terms", terms...), true)
}

func (c condition) loose() condition {
	c.exact = c.never
	return c
}

func allOf(cs ...condition) condition {
	out := always
	var must []*qd.Condition
	for _, c := range cs {
		if c.never {
			return never
		}
		out.exact = out.exact && c.exact
		if c.ask != nil {
			must = append(must, asCondition(c.ask))
		}
	}
	if must != nil {
		out.ask = &qd.Filter{Must: must}
	}
	return out
}

func anyOf(cs ...condition) condition {
	out := condition{exact: true}
	var should []*qd.Condition
	open := false
	for _, c := range cs {
		switch {
		case c.never:
		case c.ask == nil && c.exact:
			return always
		case c.ask == nil:
			open = true
		default:
			out.exact = out.exact && c.exact
			should = append(should, asCondition(c.ask))
		}
	}
	switch {
	case open:
		return unknown
	case should == nil:
		return never
	}
	out.ask = &qd.Filter{Should: should}
	return out
}

// noneOf can ask the server for the exact ones only: what it lets through too
// much it would take away too much here.
func noneOf(cs ...condition) condition {
	out := always
	var not []*qd.Condition
	for _, c := range cs {
		switch {
		case c.never:
		case !c.exact:
			out.exact = false
		case c.ask == nil:
			return never
		default:
			not = append(not, asCondition(c.ask))
		}
	}
	if not != nil {
		out.ask = &qd.Filter{MustNot: not}
	}
	return out
}

// asCondition takes the only condition out of a filter that has one.
func asCondition(f *qd.Filter) *qd.Condition {
	if len(f.Must) == 1 && f.Should == nil && f.MustNot == nil {
		return f.Must[0]
	}
	return qd.NewFilterAsCondition(f)
}

// compile turns a checked filter into what the server can be asked of it.
func compile(f longterm.Filter) (condition, error) {
	switch f.Op {
	case "":
		return always, nil
	case longterm.OpAnd, longterm.OpOr, longterm.OpNot:
		cs := make([]condition, len(f.Args))
		for i, a := range f.Args {
			var err error
			if cs[i], err = compile(a); err != nil {
				return never, err
			}
		}
		switch f.Op {
		case longterm.OpAnd:
			return allOf(cs...), nil
		case longterm.OpOr:
			return anyOf(cs...), nil
		}
		return noneOf(cs...), nil
	case longterm.OpNe, longterm.OpNin:
		pos := f
		pos.Op = longterm.OpEq
		if f.Op == longterm.OpNin {
			pos.Op = longterm.OpIn
		}
		c, err := compile(pos)
		return noneOf(c), err
	}
	if unlisted[f.Key] {
		return byTime(f), nil
	}
	term := func(s string) string { return f.Key + "=" + s }
	switch f.Op {
	case longterm.OpExists:
		return has(term("*")), nil
	case longterm.OpEq:
		if f.Value == nil {
			return noneOf(has(term("*"))), nil
		}
		return has(term(scalar(f.Value))), nil
	case longterm.OpIn:
		var ts []string
		null := never
		for _, v := range f.Value.([]any) {
			if v == nil {
				null = noneOf(has(term("*")))
				continue
			}
			ts = append(ts, term(scalar(v)))
		}
		return anyOf(has(ts...), null), nil
	case longterm.OpContains:
		element := has(term("[" + scalar(f.Value)))
		if _, ok := f.Value.(string); ok {
			return anyOf(element, has(term("s")).loose()), nil
		}
		return element, nil
	case longterm.OpIContains:
		return has(term("s"), term("[")).loose(), nil
	case longterm.OpGt, longterm.OpGte, longterm.OpLt, longterm.OpLte:
		if _, ok := f.Value.(string); ok {
			return has(term("s")).loose(), nil
		}
		return has(term("n")).loose(), nil
	}
	return never, fmt.Errorf("%w: operator %q is not known to this store", longterm.ErrInvalidFilter, f.Op)
}

// byTime narrows a comparison of a time by order to its day.
func byTime(f longterm.Filter) condition {
	field := map[string]string{"created_at": "created", "updated_at": "updated"}[f.Key]
	v, ok := f.Value.(string)
	if field == "" || !ok || len(v) < len(time.DateOnly) {
		return unknown
	}
	day, err := time.Parse(time.DateOnly, v[:len(time.DateOnly)])
	if err != nil {
		return unknown
	}
	switch f.Op {
	case longterm.OpGt, longterm.OpGte:
		return one(qd.NewRange(field, &qd.Range{Gte: qd.PtrOf(float64(day.UnixMicro()))}), false)
	case longterm.OpLt, longterm.OpLte:
		return one(qd.NewRange(field, &qd.Range{Lt: qd.PtrOf(float64(day.AddDate(0, 0, 1).UnixMicro()))}), false)
	}
	return unknown
}

// where is what a call asks of memories.
type where struct {
	condition
	filter longterm.Filter
}

// passes decides what the server could not.
func (w where) passes(r *longterm.Record) bool { return w.exact || w.filter.Match(r) }

// with returns the filter for the server, with more conditions.
func (w where) with(more ...*qd.Condition) *qd.Filter {
	out := &qd.Filter{Must: append([]*qd.Condition{qd.NewMatchKeyword("kind", kindMemory)}, more...)}
	if w.ask != nil {
		out.Must = append(out.Must, asCondition(w.ask))
	}
	return out
}

func memories(sc longterm.Scope, f longterm.Filter, today string) (where, error) {
	if err := f.Check(); err != nil {
		return where{}, err
	}
	c, err := compile(f)
	if err != nil {
		return where{}, err
	}
	seen := always
	if today != "" {
		if err := longterm.CheckDate(today); err != nil {
			return where{}, err
		}
		seen = one(qd.NewFilterAsCondition(&qd.Filter{Should: []*qd.Condition{
			qd.NewIsEmpty("expires"), qd.NewRange("expires", &qd.Range{Gte: qd.PtrOf(float64(dayNumber(today)))}),
		}}), true)
	}
	return where{condition: allOf(inScope(sc), seen, c), filter: f}, nil
}

// inScope asks for the ids that a scope names.
func inScope(sc longterm.Scope) condition {
	out := always
	for _, p := range [][2]string{{"user_id", sc.UserID}, {"agent_id", sc.AgentID}, {"run_id", sc.RunID}} {
		if p[1] != "" {
			out = allOf(out, one(qd.NewMatchKeyword(p[0], p[1]), true))
		}
	}
	return out
}

// dayNumber writes 2026-03-02 as 20260302, and anything else as 0.
func dayNumber(date string) int64 {
	n, _ := strconv.ParseInt(strings.ReplaceAll(date, "-", ""), 10, 64)
	return n
}
