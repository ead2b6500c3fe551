package longterm_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
)

func TestParseFilter(t *testing.T) {
	eq := func(k string, v any) longterm.Filter { return longterm.Where(k, longterm.OpEq, v) }
	for in, want := range map[string]longterm.Filter{
		`{}`:                     {},
		`{"a":"x"}`:              eq("a", "x"),
		`{"a":"*"}`:              {Op: longterm.OpExists, Key: "a"},
		`{"a":["x",1]}`:          longterm.Where("a", longterm.OpIn, []any{"x", 1.0}),
		`{"a":{"gte":1,"lt":5}}`: longterm.And(longterm.Where("a", longterm.OpGte, 1), longterm.Where("a", longterm.OpLt, 5)),
		`{"b":1,"a":true}`:       longterm.And(eq("a", true), eq("b", 1)),
		`{"OR":[{"a":1},{"AND":[{"b":2},{"c":3}]}]}`: {Op: longterm.OpOr, Args: []longterm.Filter{eq("a", 1), {Op: longterm.OpAnd, Args: []longterm.Filter{eq("b", 2), eq("c", 3)}}}},
		`{"NOT":[{"a":1}]}`:                          {Op: longterm.OpNot, Args: []longterm.Filter{eq("a", 1)}},
		`{"$not":{"a":null}}`:                        {Op: longterm.OpNot, Args: []longterm.Filter{eq("a", nil)}},
		// Two equalities on one key both count, so nothing passes.
		`{"AND":[{"a":1},{"a":2}]}`: {Op: longterm.OpAnd, Args: []longterm.Filter{eq("a", 1), eq("a", 2)}},
	} {
		var m map[string]any
		if err := json.Unmarshal([]byte(in), &m); err != nil {
			t.Fatal(err)
		}
		if got, err := longterm.ParseFilter(m); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s gives %+v, %v\nwant %+v", in, got, err, want)
		}
	}
	deep := strings.Repeat(`{"NOT":[`, 40) + `{"a":1}` + strings.Repeat(`]}`, 40)
	wide := `{"OR":[` + strings.TrimSuffix(strings.Repeat(`{"a":1},`, 300), ",") + `]}`
	for _, in := range []string{
		`{"a":{"like":"x"}}`, `{"a":{}}`, `{"a":{"in":"x"}}`, `{"a":{"in":[{"b":1}]}}`, `{"a":{"gt":true}}`, `{"a":{"icontains":1}}`, `{"a":{"AND":[]}}`,
		`{"AND":{"a":1}}`, `{"OR":[1]}`, `{"OR":[{}]}`, `{"a\"b":1}`, `{"":1}`, `{"a":{"eq":{"b":1}}}`, `{"a":[[1]]}`, deep, wide,
	} {
		var m map[string]any
		if err := json.Unmarshal([]byte(in), &m); err != nil {
			t.Fatal(err)
		}
		if _, err := longterm.ParseFilter(m); !errors.Is(err, longterm.ErrInvalidFilter) {
			t.Errorf("%.60s: %v, want ErrInvalidFilter", in, err)
		}
	}
}

func TestSplitScopeTakesTheTopLevelOnly(t *testing.T) {
	s, rest := longterm.SplitScope(map[string]any{"user_id": "u", "run_id": map[string]any{"in": []any{"r"}}, "agent_id": "*",
		"AND": []any{map[string]any{"agent_id": "a"}}, "k": "v"})
	if s != (longterm.Scope{UserID: "u"}) || len(rest) != 4 {
		t.Errorf("scope %+v, rest %v", s, rest)
	}
}

func TestAppFilter(t *testing.T) {
	on := longterm.App{Active: true}
	for name, tt := range map[string]struct {
		app   longterm.App
		rules []longterm.Rule
		want  string // of the memories a, b, c
	}{
		"no rules":                 {on, nil, "abc"},
		"paused":                   {longterm.App{}, nil, ""},
		"paused but allowed":       {longterm.App{}, []longterm.Rule{{Allow: true}}, ""},
		"one allowed":              {on, []longterm.Rule{{Allow: true, MemoryID: "a"}}, "a"},
		"one denied":               {on, []longterm.Rule{{MemoryID: "a"}}, "bc"},
		"all denied":               {on, []longterm.Rule{{Allow: true, MemoryID: "a"}, {}}, ""},
		"all allowed, one denied":  {on, []longterm.Rule{{Allow: true}, {MemoryID: "b"}}, "ac"},
		"allowed and denied":       {on, []longterm.Rule{{Allow: true, MemoryID: "a"}, {MemoryID: "a"}}, ""},
		"allowed one that is gone": {on, []longterm.Rule{{Allow: true, MemoryID: "z"}}, ""},
	} {
		f := longterm.AppFilter(tt.app, tt.rules)
		got := ""
		for _, id := range []string{"a", "b", "c"} {
			if f.Match(&longterm.Record{ID: id}) {
				got += id
			}
		}
		if got != tt.want {
			t.Errorf("%s: sees %q, want %q", name, got, tt.want)
		}
	}
}
