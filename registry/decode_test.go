package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func decodeModel(t testing.TB) *Model {
	t.Helper()
	r := New()
	r.MustAdd(Spec{Name: "click", Description: "Click."}, handle[struct {
		Index int     `json:"index" jsonschema:"minimum=1,maximum=100"`
		How   string  `json:"how" jsonschema:"enum=left,enum=right,default=left"`
		Ratio float64 `json:"ratio,omitempty"`
		Force bool    `json:"force,omitempty"`
		Note  *string `json:"note"`
		Small uint8   `json:"small,omitempty"`
		Big   int64   `json:"big,omitempty"`
		Deep  []struct {
			X int    `json:"x"`
			Y string `json:"y" jsonschema:"maxLength=3,default=y"`
		} `json:"deep,omitempty"`
	}]())
	r.MustAdd(Spec{Name: "go_back", Description: "Back."}, func(context.Context) error { return nil })
	r.MustAdd(Spec{Name: "wait", Description: "Wait."}, func(context.Context, int) error { return nil }, Args("seconds"), Default("seconds", 3))
	r.MustAdd(Spec{Name: "pay", Description: "Pay.", Domains: []string{"*.shop.test"}}, func(context.Context) error { return nil })
	return r.Compile(Page{URL: "https://blog.test/"})
}

func TestDecode(t *testing.T) {
	m := decodeModel(t)
	for in, want := range map[string]string{
		`{"click":{"index":7}}`:                              `click {"index":7}`,
		`{"click":{"how":"right","index":7}}`:                `click {"index":7,"how":"right"}`,
		`{"click":{"index":"7"}}`:                            `click {"index":7}`,
		`{"click":{"index":" 7 "}}`:                          `click {"index":7}`,
		`{"click":{"index":7.0}}`:                            `click {"index":7}`,
		`{"click":{"index":"7.0"}}`:                          `click {"index":7}`,
		`{"click":{"index":7e0}}`:                            `click {"index":7}`,
		`{"click":{"index":7,"how":null,"ratio":null}}`:      `click {"index":7}`,
		`{"click":{"index":7,"note":null}}`:                  `click {"index":7,"note":null}`,
		`{"click":{"index":7,"ratio":"0.5","force":"true"}}`: `click {"index":7,"ratio":0.5,"force":true}`,
		`{"click":{"index":7,"force":"False"}}`:              `click {"index":7,"force":false}`,
		`{"click":{"index":7,"big":9223372036854775807}}`:    `click {"index":7,"big":9223372036854775807}`,
		`{"click":{"index":7,"deep":[{"x":"1","y":null}]}}`:  `click {"index":7,"deep":[{"x":1}]}`,
		`{"click":{"index":7,"note":"<b>&\u2028é"}}`:         "click {\"index\":7,\"note\":\"<b>&\\u2028é\"}",
		` { "go_back" : { } } `:                              `go_back {}`,
		`{"go_back":null}`:                                   `go_back {}`,
		`"go_back"`:                                          `go_back {}`,
		`{"go_back":{"_unused":"x"}}`:                        `go_back {}`,
		`"wait"`:                                             `wait {}`,
		`{"wait":{"seconds":0}}`:                             `wait {"seconds":0}`,
	} {
		c, err := m.Decode(json.RawMessage(in))
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if got := c.Name + " " + string(c.Args); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
		text, err := c.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		again, err := m.Decode(text)
		if err != nil || again.Name != c.Name || string(again.Args) != string(c.Args) {
			t.Errorf("%s: %s does not read back: %v", in, text, err)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	m := decodeModel(t)
	var pe *ParamError
	for _, tt := range []struct {
		in   string
		want string
		is   error // nil: a *ParamError
	}{
		{``, "no JSON value", ErrMalformed},
		{`{"click":`, "not valid JSON", ErrMalformed},
		{`{"click":{"index":1}} trailing`, "unexpected text after", ErrMalformed},
		{`{"click":{"index":1}}{"go_back":{}}`, "unexpected text after", ErrMalformed},
		{`{}`, "empty object", ErrMalformed},
		{`{"click":{"index":1},"go_back":{}}`, "2 keys (click, go_back)", ErrMalformed},
		{`{"click":{"index":1},"click":{"index":2}}`, `"click" appears twice`, ErrMalformed},
		{`{"click":{"index":1,"index":2}}`, `"index" appears twice`, ErrMalformed},
		{`null`, "got null", ErrMalformed},
		{`3`, "got a number", ErrMalformed},
		{`[{"go_back":{}}]`, "got an array", ErrMalformed},
		{`"click"`, `"click" needs parameters`, ErrMalformed},
		{`"clikc"`, `did you mean "click"?`, ErrUnknownAction},
		{`{"clikc":{}}`, `"clikc" (did you mean "click"?); available: click, go_back, wait`, ErrUnknownAction},
		{`{"Click":{"index":1}}`, `did you mean "click"?`, ErrUnknownAction},
		{`{"":{}}`, `""`, ErrUnknownAction},
		{`{"` + strings.Repeat("x", 5000) + `":{}}`, "xxx", ErrUnknownAction},
		{`{"pay":{}}`, `"pay"; available: click, go_back, wait`, ErrNotAvailable},
		{`{"click":{}}`, "index is required", nil},
		{`{"click":null}`, "index is required", nil},
		{`{"click":{"index":null}}`, "index must be integer, got null", nil},
		{`{"click":{"index":0}}`, "index must be at least 1, got 0", nil},
		{`{"click":{"index":1e300}}`, "index must be at most 100", nil},
		{`{"click":{"index":1e999}}`, "out of range", ErrMalformed},
		{`{"click":{"index":7.5}}`, "index must be integer", nil},
		{`{"click":{"index":"7.5"}}`, "index must be integer", nil},
		{`{"click":{"index":"seven"}}`, "index must be integer, got string", nil},
		{`{"click":{"index":"0x7"}}`, "index must be integer, got string", nil},
		{`{"click":{"index":true}}`, "index must be integer, got boolean", nil},
		{`{"click":{"index":1,"small":256}}`, "small must be at most 255", nil},
		{`{"click":{"index":1,"small":-1}}`, "small must be at least 0", nil},
		{`{"click":{"index":1,"big":9223372036854775808}}`, "big 9223372036854775808 is out of range", nil},
		{`{"click":{"index":1,"how":"up"}}`, `how must be one of "left", "right", got "up"`, nil},
		{`{"click":{"index":1,"how":3}}`, `how must be string, got number`, nil},
		{`{"click":{"index":1,"force":"yes"}}`, `force must be boolean, got string`, nil},
		{`{"click":{"Index":1}}`, "Index unknown field (did you mean index?)", nil},
		{`{"click":{"index":1,"ındex":1}}`, "ındex unknown field", nil},
		{`{"click":{"index":1,"how\u017f":1}}`, "unknown field", nil},
		{`{"click":{"index":1,"x":1,"y":2}}`, "x unknown field; y unknown field", nil},
		{`{"click":{"index":1,"deep":[{"y":"long!"}]}}`, "deep[0].x is required; deep[0].y must have at most 3 characters, got 5", nil},
		{`{"click":{"index":1,"deep":{}}}`, "deep must be array, got object", nil},
		{`{"click":[1]}`, "must be object, got array", nil},
		{`{"click":7}`, "must be object, got number", nil},
		{`{"click":"{\"index\":7}"}`, "must be object, got string", nil},
		{`{"go_back":{"x":1}}`, "x unknown field", nil},
		{`{"click":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`, "too deep", ErrMalformed},
	} {
		_, err := m.Decode(json.RawMessage(tt.in))
		switch {
		case err == nil:
			t.Errorf("%.60s: accepted", tt.in)
			continue
		case tt.is != nil && !errors.Is(err, tt.is):
			t.Errorf("%.60s: %v is not %v", tt.in, err, tt.is)
		case tt.is == nil && !errors.As(err, &pe):
			t.Errorf("%.60s: %v is no *ParamError", tt.in, err)
		case !strings.Contains(err.Error(), tt.want):
			t.Errorf("%.60s: %q lacks %q", tt.in, err, tt.want)
		}
		if n := utf8.RuneCountInString(err.Error()); n > maxMessage {
			t.Errorf("%.60s: %d characters: %v", tt.in, n, err)
		}
	}
}

// A model that gets one field wrong at a time spends a step on each.
func TestParamErrorNamesEveryField(t *testing.T) {
	m := decodeModel(t)
	_, err := m.Decode(json.RawMessage(`{"click":{"index":0,"how":"up","ratio":"x","force":3,"small":999,"zzz":1}}`))
	var pe *ParamError
	if !errors.As(err, &pe) {
		t.Fatal(err)
	}
	var fields []string
	for _, f := range pe.Fields {
		fields = append(fields, f.Field)
	}
	if got := fmt.Sprint(fields); got != "[force how index ratio small zzz]" {
		t.Errorf("fields %s", got)
	}
	long := `{"click":{"index":1`
	for i := range 100 {
		long += fmt.Sprintf(`,"field_with_a_long_name_%d":%q`, i, strings.Repeat("x", 100))
	}
	_, err = m.Decode(json.RawMessage(long + "}}"))
	if !errors.As(err, &pe) || len(pe.Fields) != 100 {
		t.Fatalf("%v", err)
	}
	if n := utf8.RuneCountInString(err.Error()); n > maxMessage || !strings.HasSuffix(err.Error(), "more") {
		t.Errorf("%d characters: %v", n, err)
	}
}

// A schema cannot say everything that a type's own decoder asks for.
func TestDecodeNamesTheFieldThatATypeRefuses(t *testing.T) {
	r := New()
	r.MustAdd(Spec{Name: "act", Description: "Acts."}, handle[struct {
		A netip.Addr `json:"a"`
		B netip.Addr `json:"b"`
		C float32    `json:"c,omitempty"`
		D int        `json:"d" jsonschema:"default=1"`
		T time.Time  `json:"t,omitzero"`
	}]())
	for in, want := range map[string]string{
		`{"a":"10.0.0.1","b":"x","c":1e300}`:         `invalid parameters for act: b cannot be used: ParseAddr("x"): unable to parse IP; c cannot be used: `,
		`{"a":"10.0.0.1","b":"::1","t":"yesterday"}`: `t must be a valid date-time, got "yesterday"`,
	} {
		if _, err := r.Call(t.Context(), "act", []byte(in), Deps{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", in, err, want)
		}
	}
	if _, err := r.Call(t.Context(), "act", []byte(`{"a":`), Deps{}); err == nil || !strings.Contains(err.Error(), "not valid JSON") {
		t.Errorf("broken JSON: %v", err)
	}
	if _, err := r.Call(t.Context(), "act", func() {}, Deps{}); err == nil || !strings.Contains(err.Error(), "arguments") {
		t.Errorf("arguments of no JSON: %v", err)
	}
}

func TestDecodeList(t *testing.T) {
	m := decodeModel(t)
	r := m.reg
	r.MaxActions = 3
	m = r.Compile(Page{URL: "https://blog.test/"})
	for _, tt := range []struct {
		in    string
		calls string
		want  string
		is    error
	}{
		{`[{"click":{"index":1}},"go_back"]`, "click go_back", "", nil},
		{`{"go_back":{}}`, "go_back", "", nil},
		{`[]`, "", "empty", ErrMalformed},
		{`[{"go_back":{}},{"clikc":{}},{"wait":{}}]`, "go_back", `action 2 of 3: unknown action: "clikc"`, ErrUnknownAction},
		{`[{"go_back":{}},{"click":{"index":1,"index":2}}]`, "go_back", `"index" appears twice`, ErrMalformed},
		{` [{"go_back":{}}] x`, "", "unexpected text after", ErrMalformed},
		{`[{"click":{"index":0}}]`, "", `invalid parameters for click: index`, nil},
		{`["go_back","go_back","go_back","go_back","wait"]`, "go_back go_back go_back", "5 given, at most 3", ErrTooManyActions},
		{`[{"pay":{}}]`, "", "not available", ErrNotAvailable},
		{`nonsense`, "", "not valid JSON", ErrMalformed},
		{`[null]`, "", "got null", ErrMalformed},
	} {
		calls, err := m.DecodeList(json.RawMessage(tt.in))
		var names []string
		for _, c := range calls {
			names = append(names, c.Name)
		}
		if got := strings.Join(names, " "); got != tt.calls {
			t.Errorf("%s: calls %q, want %q", tt.in, got, tt.calls)
		}
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) || tt.is != nil && !errors.Is(err, tt.is) {
			t.Errorf("%s: %v, want %q", tt.in, err, tt.want)
		}
	}
}

// Decoding what was decoded gives the same, and no error grows beyond what a
// prompt can bear.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		`{"click":{"index":"7","how":null,"deep":[{"x":1.0,"y":"é"}]}}`, `"go_back"`, `{"wait":{"seconds":"1e1"}}`,
		`{"click":{"index":1,"note":"\ud800<\"\\"}}`, `{"CLICK":{"Index":1}}`, `{"click":{"index":1e400}}`,
		`{"raw":{"m":"{\"a\":1}","t":{"t":{}},"u":"x"}}`, `{"raw":{"u":{"b":"7"}}}`,
	} {
		f.Add([]byte(s))
	}
	r := decodeModel(f).reg
	if err := r.AddRaw(Spec{Name: "raw", Description: "Raw."}, json.RawMessage(`{"type":"object","properties":{
		"m":{"type":"object","additionalProperties":{"type":"integer"}},"t":{"$ref":"#"},
		"u":{"anyOf":[{"type":"string","pattern":"(?=x)"},{"type":"object","properties":{"b":{"type":"integer"}}}]}}}`),
		func(context.Context, json.RawMessage) (*Result, error) { return nil, nil }); err != nil {
		f.Fatal(err)
	}
	m := r.Compile(Page{})
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := m.Decode(data)
		if err != nil {
			if n := utf8.RuneCountInString(err.Error()); n > maxMessage {
				t.Fatalf("%d characters: %v", n, err)
			}
			return
		}
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		again, err := m.Decode(text)
		if err != nil {
			t.Fatalf("%s does not read back: %v", text, err)
		}
		if again.Name != c.Name || string(again.Args) != string(c.Args) {
			t.Fatalf("%s became %s", c.Args, again.Args)
		}
		if res, err := c.Run(t.Context(), Deps{}); err != nil {
			t.Fatalf("run: %+v %v", res, err)
		}
	})
}
