package agent

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/registry"
)

func typed(element, args string) *Step {
	return &Step{Actions: []Action{{Name: "input", Args: json.RawMessage(args), Element: json.RawMessage(element), Result: &registry.Result{Text: "typed"}}}}
}

func formHistory() *History {
	return &History{
		Tasks: []TaskRun{{Task: "Order for ada@example.com to Oslo"}},
		Steps: []*Step{
			typed(`{"tag":"input","name":"Email","unique":{"name":"email"},"path":"html/body/input[1]"}`, `{"index":3,"text":"ada@example.com"}`),
			typed(`{"tag":"input","name":"Hotel room","unique":{"id":"hotel-room"},"path":"p"}`, `{"index":4,"text":"12"}`),
			typed(`{"tag":"input","name":"City","unique":{"name":"city"},"path":"p"}`, `{"index":5,"text":"Oslo"}`),
			typed(`{"tag":"input","name":"Delivery date","path":"p"}`, `{"index":6,"text":"2026-12-02"}`),
			typed(`{"tag":"input","name":"Password","path":"p"}`, `{"index":7,"text":"<secret>pw</secret>"}`),
			typed(`{"tag":"input","name":"Second name","unique":{"name":"lastName"},"path":"p"}`, `{"index":8,"text":"Lovelace"}`),
			{Actions: []Action{{
				Name: "click", Args: json.RawMessage(`{"index":12}`), Result: &registry.Result{Text: "ok"},
				Element: json.RawMessage(`{"tag":"a","name":"Hotels in Oslo","unique":{"href":"/city/Oslo?from=2026-12-02"},"path":"html/Oslo/a","within":["listitem Oslo"]}`),
			}}},
		},
	}
}

func TestVariablesAreFoundByTheFieldAndThenByTheValue(t *testing.T) {
	var got []string
	for _, v := range FindVariables(formHistory()) {
		got = append(got, v.Name+":"+string(v.Type)+":"+v.Sample)
	}
	want := []string{"email:email:ada@example.com", "number:integer:12", "city:text:Oslo", "date:date:2026-12-02", "last_name:text:Lovelace"}
	if !slices.Equal(got, want) {
		t.Errorf("found %q\nwant  %q", got, want)
	}
}

func TestParameterizeReplacesValuesAndWords(t *testing.T) {
	h := formHistory()
	before, _ := json.Marshal(h)
	p, err := h.Parameterize(Variable{Name: "city", Sample: "Oslo"}, Variable{Name: "rooms", Type: TypeInteger, Sample: "12"})
	if err != nil {
		t.Fatal(err)
	}
	if after, _ := json.Marshal(h); string(after) != string(before) {
		t.Error("the original was changed")
	}
	if got := string(p.Steps[2].Actions[0].Args); !strings.Contains(got, `"{{city}}"`) {
		t.Errorf("args %s", got)
	}
	x := p.Steps[6].Actions[0]
	if string(x.Args) != `{"index":12}` {
		t.Errorf("an index was taken for a value: %s", x.Args)
	}
	e := string(x.Element)
	for _, want := range []string{`"Hotels in {{city}}"`, `/city/{{city}}?from=`, `listitem {{city}}`, `"html/Oslo/a"`} {
		if !strings.Contains(e, want) {
			t.Errorf("the element lacks %s: %s", want, e)
		}
	}
	if p.Task() != "Order for ada@example.com to {{city}}" {
		t.Errorf("task %q", p.Task())
	}
	// Doing it twice is doing it once.
	again, err := p.Parameterize(p.Variables...)
	if err != nil || len(again.Variables) != 2 {
		t.Errorf("again: %v, %v", again, err)
	}
	if _, err := h.Parameterize(Variable{Name: "town", Sample: "Bergen"}); !errors.Is(err, ErrVariable) {
		t.Errorf("a sample that is nowhere: %v", err)
	}
}

func TestWordsInsideOthersAreNotReplaced(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"Oslo", "{{c}}"},
		{"to Oslo, now", "to {{c}}, now"},
		{"Oslofjord", "Oslofjord"},
		{"nyOslo Oslo", "nyOslo {{c}}"},
		{"Oslo Oslo", "{{c}} {{c}}"},
	} {
		if got := swapSample(tt.in, "Oslo", "{{c}}"); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.in, got, tt.want)
		}
	}
	if got := swapSample("from 2 to 2", "2", "{{n}}"); got != "from 2 to 2" {
		t.Errorf("a short sample was replaced inside a text: %q", got)
	}
}

func TestValuesAreCheckedByType(t *testing.T) {
	for _, tt := range []struct {
		typ VariableType
		ok  string
		bad string
	}{
		{TypeEmail, "ada@example.com", "Ada <ada@example.com>"},
		{TypeDate, "2026-12-02", "2.12.2026"},
		{TypeInteger, "-3", "3.5"},
		{TypeNumber, "3.5", "three"},
		{TypeBool, "true", "maybe"},
		{TypeURL, "https://a.test/x", "somewhere"},
	} {
		v := Variable{Name: "v", Type: tt.typ}
		if err := v.check(tt.ok); err != nil {
			t.Errorf("%s: %v", tt.typ, err)
		}
		if err := v.check(tt.bad); !errors.Is(err, ErrVariable) {
			t.Errorf("%s takes %q: %v", tt.typ, tt.bad, err)
		}
	}
}

func TestPlaceholdersBecomeValuesOfTheirOwnType(t *testing.T) {
	values := map[string]any{"n": 3.0, "list": []any{"a", "b"}, "o": map[string]any{"x": "y"}, "s": `say "hi"`}
	got, err := fillJSON(values, json.RawMessage(`{"a":"{{n}}","b":"{{list}}","c":"{{o.x}} and {{list.1}}","d":"{{s}}","e":"{{unknown}} {braces}"}`))
	if err != nil || string(got) != `{"a":3,"b":["a","b"],"c":"y and b","d":"say \"hi\"","e":"{{unknown}} {braces}"}` {
		t.Errorf("%s, %v", got, err)
	}
}

func TestARunKeepsItsVariablesForAReplay(t *testing.T) {
	m := model(func(int, *llm.Request) string { return finished("ok", true) })
	h, err := Run(t.Context(), "Look for {{what}} please", Config{
		LLM: m, Browser: session(t), Tools: simpleTools(), Variables: []Variable{{Name: "what", Sample: "a mug"}}, Vision: Vision{See: SeeNever},
	})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(allText(m.Last()), "Look for a mug please") || len(h.Variables) != 1 || h.Variables[0].Sample != "a mug" {
		t.Errorf("variables %+v", h.Variables)
	}
	if _, err := New("x {{what}}", Config{LLM: m, Variables: []Variable{{Name: "what"}}}); !errors.Is(err, ErrVariable) {
		t.Errorf("a variable without a value: %v", err)
	}
}
