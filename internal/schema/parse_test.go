package schema

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/seed-4bdb41d0/webhand/llm"
)

func TestParseForeign(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     string // canonical, "" where in stays as it is
	}{
		{"no schema", ``, `{"type":"object","properties":{},"additionalProperties":false}`},
		{"noise", `{"$schema":"x","$id":"y","title":"T","type":"object","properties":{"title":{"type":"string","title":"t","examples":["x"],"x-order":1}}}`,
			`{"type":"object","properties":{"title":{"type":"string"}},"additionalProperties":false}`},
		{"property names that are keywords", `{"type":"object","properties":{"$ref":{"type":"string"},"type":{"type":"string"},"required":{"type":"boolean"}},"required":["type"]}`,
			`{"type":"object","properties":{"$ref":{"type":"string"},"type":{"type":"string"},"required":{"type":"boolean"}},"required":["type"],"additionalProperties":false}`},
		{"references", `{"type":"object","properties":{"a":{"$ref":"#/$defs/p~1q"},"b":{"$ref":"#/properties/a","description":"B"}},"$defs":{"p/q":{"type":"integer","description":"A"}}}`,
			`{"type":"object","properties":{"a":{"type":"integer","description":"A"},"b":{"type":"integer","description":"B"}},"additionalProperties":false}`},
		{"recursion", `{"type":"object","properties":{"t":{"$ref":"#/$defs/t"}},"$defs":{"t":{"type":"object","properties":{"l":{"type":"array","items":{"$ref":"#/$defs/t"}}}}}}`,
			`{"type":"object","properties":{"t":{"type":"object","properties":{"l":{"type":"array","items":{"$ref":"#/$defs/$defs.t"}}},"additionalProperties":false}},"additionalProperties":false,` +
				`"$defs":{"$defs.t":{"type":"object","properties":{"l":{"type":"array","items":{"$ref":"#/$defs/$defs.t"}}},"additionalProperties":false}}}`},
		{"the root within itself", `{"type":"object","properties":{"kid":{"$ref":"#"}}}`,
			`{"type":"object","properties":{"kid":{"$ref":"#/$defs/root"}},"additionalProperties":false,` +
				`"$defs":{"root":{"type":"object","properties":{"kid":{"$ref":"#/$defs/root"}},"additionalProperties":false}}}`},
		{"null", `{"type":"object","properties":{"a":{"type":["string","null"]},"b":{"anyOf":[{"type":"integer"},{"type":"null"}],"description":"B"},"c":{"type":"string","nullable":true}}}`,
			`{"type":"object","properties":{"a":{"type":["string","null"]},"b":{"type":["integer","null"],"description":"B"},"c":{"type":["string","null"]}},"additionalProperties":false}`},
		{"several types", `{"type":"object","properties":{"a":{"type":["string","integer"],"minLength":1,"minimum":3}}}`,
			`{"type":"object","properties":{"a":{"anyOf":[{"type":"string","minLength":1},{"type":"integer","minimum":3}]}},"additionalProperties":false}`},
		{"maps", `{"type":"object","properties":{"a":{"type":"object"},"b":{"type":"object","additionalProperties":true},"c":{"type":"object","additionalProperties":{"type":"integer"}},"d":{"type":"object","additionalProperties":false}}}`,
			`{"type":"object","properties":{"a":{"type":"object","additionalProperties":{}},"b":{"type":"object","additionalProperties":{}},` +
				`"c":{"type":"object","additionalProperties":{"type":"integer"}},"d":{"type":"object","properties":{},"additionalProperties":false}},"additionalProperties":false}`},
		{"required and not declared", `{"type":"object","properties":{},"required":["x"]}`,
			`{"type":"object","properties":{"x":{}},"required":["x"],"additionalProperties":false}`},
		{"booleans", `{"type":"object","properties":{"a":true,"b":false}}`,
			`{"type":"object","properties":{"a":{},"b":{"not":{}}},"additionalProperties":false}`},
		{"kept", `{"type":"object","properties":{"a":{"type":"array","prefixItems":[{"type":"string"}],"contains":{"type":"string"}}},"patternProperties":{"^x":{"type":"string"}}}`,
			`{"type":"object","properties":{"a":{"type":"array","prefixItems":[{"type":"string"}],"contains":{"type":"string"}}},"patternProperties":{"^x":{"type":"string"}}}`},
		{"implied types", `{"type":"object","properties":{"a":{"properties":{"x":{"type":"string"}}},"b":{"items":{"type":"string"}}}}`,
			`{"type":"object","properties":{"a":{"type":"object","properties":{"x":{"type":"string"}},"additionalProperties":false},"b":{"type":"array","items":{"type":"string"}}},"additionalProperties":false}`},
	} {
		n, err := Parse([]byte(tt.in))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		got, err := n.Render(llm.Canonical)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
		if _, err := RawValidator(got); err != nil {
			t.Errorf("%s: the rendering is no valid schema: %v", tt.name, err)
		}
		for _, d := range []llm.Dialect{llm.OpenAIStrict, llm.Anthropic, llm.Gemini, llm.LlamaCpp} {
			out, err := n.Render(d)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := RawValidator(out); err != nil {
				t.Errorf("%s, %s: not a valid schema: %v\n%s", tt.name, d, err, out)
			}
		}
	}
}

func TestParseRefuses(t *testing.T) {
	deep := strings.Repeat(`{"type":"array","items":`, 200) + `{}` + strings.Repeat(`}`, 200)
	bomb := `{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{`
	for i := range 20 {
		ref := `{"type":"object","properties":{"x":{"$ref":"#/$defs/d` + itoa(i+1) + `"},"y":{"$ref":"#/$defs/d` + itoa(i+1) + `"}}}`
		bomb += `"d` + itoa(i) + `":` + ref + `,`
	}
	bomb += `"d20":{"type":"string"}}}`
	for name, tt := range map[string]struct{ in, want string }{
		"no JSON":           {`{"type":`, "not valid JSON"},
		"a list":            {`[]`, "not an array"},
		"remote reference":  {`{"properties":{"a":{"$ref":"https://evil.test/s.json"}}}`, "leads out of the schema"},
		"file reference":    {`{"properties":{"a":{"$ref":"file:///etc/passwd"}}}`, "leads out of the schema"},
		"dead reference":    {`{"properties":{"a":{"$ref":"#/$defs/x"}}}`, "leads nowhere"},
		"anchor":            {`{"properties":{"a":{"$ref":"#x"}}}`, "anchors"},
		"doubled key":       {`{"type":"object","type":"string"}`, `"type" appears twice`},
		"properties a list": {`{"properties":[]}`, "must be an object"},
		"enum no list":      {`{"enum":"x"}`, "must be a list"},
		"anyOf empty":       {`{"anyOf":[]}`, "list of schemas"},
		"type a number":     {`{"type":3}`, "must be strings"},
		"too deep":          {deep, "too deep"},
		"reference bomb":    {bomb, "nodes"},
	} {
		_, err := Parse([]byte(tt.in))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
	for name, in := range map[string]string{
		"remote":  `{"type":"object","allOf":[{"$ref":"https://evil.test/s.json"}]}`,
		"file":    `{"type":"object","allOf":[{"$ref":"file:///etc/passwd"}]}`,
		"invalid": `{"type":"objekt"}`,
	} {
		if _, err := RawValidator([]byte(in)); err == nil {
			t.Errorf("RawValidator, %s: no error", name)
		} else if strings.Contains(err.Error(), "root:") || len(err.Error()) > 200 {
			t.Errorf("RawValidator, %s: %v", name, err)
		}
	}
}

func itoa(i int) string { return string(raw(i)) }

func TestParseValue(t *testing.T) {
	for in, want := range map[string]string{
		` {"a" : [1, 2.0, -0, 1e2, "x\u0041é", true, null]} `: `{"a":[1,2,0,100,"xAé",true,null]}`,
		`7.5`:                          `7.5`,
		`1e400`:                        "error: out of range",
		`1e-400`:                       `0`,
		`12345678901234567890`:         `12345678901234567890`,
		`1` + strings.Repeat("0", 500): "error: out of range",
		`{"a":1,"a":2}`:                `error: "a" appears twice`,
		`{"a":1,"\u0061":2}`:           `error: "a" appears twice`,
		`{"a":{"b":1,"b":1}}`:          `error: "b" appears twice`,
		`{"a":1} junk`:                 "error: after the JSON value",
		`{"a":1}{"a":1}`:               "error: after the JSON value",
		``:                             "error: no JSON value",
		`  `:                           "error: no JSON value",
		`{"a":`:                        "error: not valid JSON",
		`{'a':1}`:                      "error: not valid JSON",
		`NaN`:                          "error: not valid JSON",
		strings.Repeat("[", 150) + strings.Repeat("]", 150): "error: too deep",
	} {
		v, err := ParseValue([]byte(in))
		if e, isErr := strings.CutPrefix(want, "error: "); isErr {
			if err == nil || !strings.Contains(err.Error(), e) {
				t.Errorf("%.40s: %v, %v, want an error with %q", in, v, err, e)
			}
			continue
		}
		if err != nil {
			t.Errorf("%.40s: %v", in, err)
			continue
		}
		if got := string((*Node)(nil).Append(nil, v)); got != want {
			t.Errorf("%.40s: %s, want %s", in, got, want)
		}
	}
}

func TestCoerceAlternatives(t *testing.T) {
	n, err := Parse([]byte(`{"type":"object","properties":{
		"p":{"anyOf":[{"type":"string"},{"type":"object","properties":{"a":{"type":"integer"},"z":{"type":"string"}},"required":["a"]},{"type":"object","properties":{"b":{"type":"boolean"}}}]},
		"t":{"$ref":"#/$defs/t"},
		"m":{"type":"object","additionalProperties":{"type":"integer"}}},
		"$defs":{"t":{"type":"object","properties":{"v":{"type":"integer"},"k":{"type":"array","items":{"$ref":"#/$defs/t"}},"n":{"$ref":"#/$defs/t"}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{
		`{"p":{"a":"7","z":null}}`: `{"p":{"a":7}}`,
		`{"p":{"b":"true"}}`:       `{"p":{"b":true}}`,
		`{"p":"7"}`:                `{"p":"7"}`,
		`{"t":{"k":[{"v":"1","k":["{\"v\":\"2\"}"]}]}}`: `{"t":{"k":[{"k":[{"v":2}],"v":1}]}}`,
		`{"m":"{\"x\":\"1\"}"}`:                         `{"m":{"x":1}}`,
		`{"m":"no object"}`:                             `{"m":"no object"}`,
		`{"t":{"n":{"n":null,"v":2}}}`:                  `{"t":{"n":{"v":2}}}`,
		`{"m":null,"t":null}`:                           `{}`,
	} {
		v, err := ParseValue([]byte(in))
		if err != nil {
			t.Fatal(err)
		}
		v, problems := n.Coerce(v)
		if got := string(n.Append(nil, v)); got != want || problems != nil {
			t.Errorf("%s: %s %v, want %s", in, got, problems, want)
		}
	}
}

// A schema that the parser keeps renders in every dialect to a schema that
// compiles, and parses again.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":["string","null"],"enum":["a",null]}}}`,
		`{"type":"object","properties":{"k":{"$ref":"#"}},"required":["k"]}`,
		`{"type":"object","additionalProperties":{"oneOf":[{"type":"null"},{"type":"array"}]}}`,
		`{"type":"array","items":[{"type":"string"}],"minItems":2}`,
		`{"const":{"a":1},"default":3,"nullable":true}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := Parse(data)
		if err != nil {
			return
		}
		if _, err := RawValidator(data); err != nil {
			return // such as "minLength": "x"; refused at registration
		}
		for d := range dialects {
			out, err := n.Render(d)
			if err != nil || !json.Valid(out) {
				t.Fatalf("%s: %v: %s", d, err, out)
			}
			n.Obstacles(d)
		}
		n.Text("")
	})
}

// What ParseValue reads, Append writes back to the same value, in one form.
func FuzzParseValue(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.50,"\ud83d\ude00",{}]}`, `"\ud800"`, `-0.0`, `1e22`, `123456789012345678901234567890`, "\"\xff\""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := ParseValue(data)
		if err != nil {
			return
		}
		if !json.Valid(data) {
			t.Fatalf("accepted %q", data)
		}
		once := (*Node)(nil).Append(nil, v)
		v, err = ParseValue(once)
		if err != nil {
			t.Fatalf("%s does not read back: %v", once, err)
		}
		if twice := (*Node)(nil).Append(nil, v); string(twice) != string(once) {
			t.Fatalf("%s becomes %s", once, twice)
		}
	})
}
