package schema

import (
	"fmt"
	"strings"
	"testing"
)

// The words are for a model: what it must be, and what it was.
func TestProblemTexts(t *testing.T) {
	long := strings.Repeat("long", 50)
	for _, tt := range []struct{ schema, value, want string }{
		{`{"type":"integer"}`, `"x"`, "must be integer, got string"},
		{`{"type":["string","null"]}`, `3`, "must be null or string, got number"},
		{`{"minimum":1}`, `0`, "must be at least 1, got 0"},
		{`{"maximum":1.5}`, `2`, "must be at most 1.5, got 2"},
		{`{"exclusiveMinimum":1}`, `1`, "must be more than 1, got 1"},
		{`{"exclusiveMaximum":1}`, `1`, "must be less than 1, got 1"},
		{`{"multipleOf":0.5}`, `0.7`, "must be a multiple of 0.5, got 0.7"},
		{`{"minLength":2}`, `"é"`, "must have at least 2 characters, got 1"},
		{`{"maxLength":2}`, `"éée"`, "must have at most 2 characters, got 3"},
		{`{"minItems":2}`, `[1]`, "must have at least 2 items, got 1"},
		{`{"maxItems":0}`, `[1]`, "must have at most 0 items, got 1"},
		{`{"uniqueItems":true}`, `[1,2,1]`, "items 0 and 2 are equal"},
		{`{"pattern":"^a"}`, `"b"`, `must match ^a, got "b"`},
		{`{"format":"uuid"}`, `"b"`, `must be a valid uuid, got "b"`},
		{`{"enum":["a",1,null]}`, `"` + long + `"`, `must be one of "a", 1, null, got "` + long[:40] + `…"`},
		{`{"const":{"a":1}}`, `3`, `must be {"a":1}`},
		{`{"not":{}}`, `3`, "is not allowed"},
		{`{"type":"object","properties":{"a":{"type":"string"}},"required":["a","b"],"additionalProperties":false}`, `{"z":1,"y":2}`,
			"a: is required; b: is required; y: unknown field; z: unknown field"},
		{`{"type":"array","items":{"type":"object","properties":{"a":{"type":"string"}}}}`, `[{},{"a":1}]`, "[1].a: must be string, got number"},
		{`{"anyOf":[{"type":"string"},{"type":"integer"}]}`, `true`, "must be integer or string"},
		{`{"anyOf":[{"type":"string"},{"type":"object","properties":{"a":{"type":"string"}}}]}`, `{"a":1}`, "a: must be string, got number"},
		{`{"anyOf":[{"minimum":5},{"multipleOf":2}]}`, `3`, "must be at least 5, got 3"},
		{`{"oneOf":[{"type":"integer"},{"type":"number"}]}`, `3`, "fits more than one alternative"},
		{`{"contains":{"type":"string"}}`, `[1]`, "has no item of the kind that it must contain"},
	} {
		v, err := RawValidator([]byte(tt.schema))
		if err != nil {
			t.Errorf("%s: %v", tt.schema, err)
			continue
		}
		if strings.Contains(tt.schema, "format") { // asserted for our own types
			if v, err = compile([]byte(tt.schema), true); err != nil {
				t.Fatal(err)
			}
		}
		value, err := ParseValue([]byte(tt.value))
		if err != nil {
			t.Fatal(err)
		}
		if got := joinProblems(v.Check(value)); got != tt.want {
			t.Errorf("%s of %s: %q, want %q", tt.schema, tt.value, got, tt.want)
		}
	}
}

func TestSuggest(t *testing.T) {
	known := []string{"click", "input", "go_back", "select_dropdown", "do"}
	for in, want := range map[string]string{
		"clikc": "click", "Click": "click", "goback": "go_back", "go-back": "go_back", "select_dropdwn": "select_dropdown",
		"wait": "", "": "", "xx": "", "DO": "do", strings.Repeat("x", 1000): "", "ınput": "input",
	} {
		if got := Suggest(in, known); got != want {
			t.Errorf("%.20s: %q, want %q", in, got, want)
		}
	}
}

// A dialect that cannot say something puts it into words, and never drops it.
func TestDroppedLimitsBecomeWords(t *testing.T) {
	n, err := Parse([]byte(`{"type":"object","properties":{"a":{"type":"string","minLength":1,"maxLength":9,"pattern":"^x","format":"uri","default":"x"},
		"n":{"type":"number","minimum":1,"exclusiveMaximum":5},"m":{"type":"object","additionalProperties":{"type":"string"},"minProperties":1},
		"l":{"type":"array","items":{"type":"string"},"minItems":3,"uniqueItems":true},"e":{"enum":[true,false]},"o":{"enum":[{"a":1},2]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for d := range dialects {
		b, err := n.Render(d)
		if err != nil {
			t.Fatal(err)
		}
		text := string(b)
		for keyword, inWords := range map[string]string{
			`"minLength":1`: "not empty", `"maxLength":9`: "at most 9 characters", `"pattern":"^x"`: "pattern ^x", `"format":"uri"`: "format uri",
			`"default":"x"`: `default \"x\"`, `"minimum":1`: "minimum 1", `"exclusiveMaximum":5`: "less than 5", `"minProperties":1`: "at least 1 keys",
			`"minItems":3`: "at least 3 items", `"uniqueItems":true`: "no item twice", `"enum":[true,false]`: "one of true, false", `"enum":[{"a":1},2]`: `one of {\"a\":1}, 2`,
		} {
			if strings.Contains(text, keyword) == strings.Contains(text, inWords) {
				t.Errorf("%s: %s is said twice or not at all: %s", d, keyword, text)
			}
		}
	}
}

func TestProblemString(t *testing.T) {
	if got := fmt.Sprint(Problem{"a", "b"}, Problem{"", "b"}); got != "a: b b" {
		t.Errorf("%q", got)
	}
}
