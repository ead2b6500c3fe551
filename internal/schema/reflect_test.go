package schema

import (
	"encoding/json"
	"math/big"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/invopop/jsonschema"

	a "github.com/seed-4bdb41d0/webhand/internal/schema/testdata/a"
	b "github.com/seed-4bdb41d0/webhand/internal/schema/testdata/b"
	"github.com/seed-4bdb41d0/webhand/llm"
)

// render is the canonical schema of a struct type.
func render(t *testing.T, v any) string {
	t.Helper()
	n, err := Of(reflect.TypeOf(v))
	if err != nil {
		t.Fatalf("Of(%T): %v", v, err)
	}
	out, err := n.Render(llm.Canonical)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestFields(t *testing.T) {
	closed := func(props, required string) string {
		out := `{"type":"object","properties":{` + props + `}`
		if required != "" {
			out += `,"required":[` + required + `]`
		}
		return out + `,"additionalProperties":false}`
	}
	type base struct {
		ID int `json:"id"`
	}
	for _, tt := range []struct {
		name string
		v    any
		want string
	}{
		{"no field", struct{}{}, closed("", "")},
		{"names", struct {
			URL    string
			NewTab bool `json:"new_tab"`
			Skip   int  `json:"-"`
			hidden func()
		}{}, closed(`"URL":{"type":"string"},"new_tab":{"type":"boolean"}`, `"URL","new_tab"`)},
		{"optional", struct {
			A int            `json:"a,omitempty"`
			B int            `json:"b,omitzero"`
			C *int           `json:"c"`
			D int            `json:"d" jsonschema:"default=3"`
			E []string       `json:"e"`
			F int            `json:"f,omitempty" jsonschema:"required"`
			G *int           `json:"g" jsonschema:"required"`
			H map[string]int `json:"h,omitempty"`
		}{}, closed(`"a":{"type":"integer"},"b":{"type":"integer"},"c":{"type":["integer","null"]},"d":{"type":"integer","default":3},`+
			`"e":{"type":"array","items":{"type":"string"}},"f":{"type":"integer"},"g":{"type":["integer","null"]},`+
			`"h":{"type":"object","additionalProperties":{"type":"integer"}}`, `"e","f","g"`)},
		{"embedded", struct {
			base
			*a.Click
			Named base `json:"named"`
		}{}, closed(`"id":{"type":"integer"},"index":{"type":"integer"},"named":`+closed(`"id":{"type":"integer"}`, `"id"`), `"id","index","named"`)},
		{"one name in two packages", struct {
			A a.Click `json:"a"`
			B b.Click `json:"b"`
		}{}, closed(`"a":`+closed(`"index":{"type":"integer"}`, `"index"`)+`,"b":`+closed(`"x":{"type":"number"},"y":{"type":"number"}`, `"x","y"`), `"a","b"`)},
		{"commas", struct {
			A string   `json:"a" jsonschema:"description=element index, zero based, or not,minLength=1"`
			B string   `json:"b" jsonschema:"pattern=^[a-z]{1,3}$,maxLength=3"`
			C string   `json:"c" jsonschema_description:"one, two"`
			D string   `json:"d" jsonschema:"enum=a\\,b,enum=c"`
			E []string `json:"e" jsonschema:"pattern=^x{1,2}$,minItems=1"`
		}{}, closed(`"a":{"type":"string","description":"element index, zero based, or not","minLength":1},`+
			`"b":{"type":"string","maxLength":3,"pattern":"^[a-z]{1,3}$"},"c":{"type":"string","description":"one, two"},`+
			`"d":{"type":"string","enum":["a,b","c"]},"e":{"type":"array","minItems":1,"items":{"type":"string","pattern":"^x{1,2}$"}}`, `"a","b","c","d","e"`)},
		{"a field called description, one called default", struct {
			Description struct {
				Default int `json:"default"`
			} `json:"description"`
		}{}, closed(`"description":`+closed(`"default":{"type":"integer"}`, `"default"`), `"description"`)},
		{"integers", struct {
			A uint8  `json:"a"`
			B int16  `json:"b" jsonschema:"minimum=0"`
			C uint   `json:"c"`
			D uint64 `json:"d" jsonschema:"exclusiveMinimum=5"`
		}{}, closed(`"a":{"type":"integer","minimum":0,"maximum":255},"b":{"type":"integer","minimum":0,"maximum":32767},`+
			`"c":{"type":"integer","minimum":0},"d":{"type":"integer","exclusiveMinimum":5}`, `"a","b","c","d"`)},
		{"types that know their form", struct {
			When time.Time   `json:"when" jsonschema_description:"A day"`
			IP   netip.Addr  `json:"ip"`
			Num  json.Number `json:"num"`
			Int  declaredInt `json:"int" jsonschema_description:"Mine"`
			Own  ownInvopop  `json:"own"`
			Ptr  *ptrInvopop `json:"ptr"`
		}{}, closed(`"when":{"type":"string","description":"A day","format":"date-time"},"ip":{"type":"string"},"num":{"type":"number"},`+
			`"int":{"type":"string","description":"Mine","pattern":"^[0-9]+$"},"own":{"type":"string","description":"Own words","enum":["x"]},`+
			`"ptr":{"type":["integer","null"]}`, `"when","ip","num","int","own"`)},
		{"generic", struct {
			P page[a.Click] `json:"p"`
		}{}, closed(`"p":`+closed(`"items":{"type":"array","items":`+closed(`"index":{"type":"integer"}`, `"index"`)+`}`, `"items"`), `"p"`)},
		{"arrays and lists of lists", struct {
			A [3]int  `json:"a"`
			B [][]int `json:"b"`
			C []*int  `json:"c"`
		}{}, closed(`"a":{"type":"array","minItems":3,"maxItems":3,"items":{"type":"integer"}},`+
			`"b":{"type":"array","items":{"type":"array","items":{"type":"integer"}}},"c":{"type":"array","items":{"type":"integer"}}`, `"a","b","c"`)},
		{"the same type twice is no cycle", struct {
			From a.Click `json:"from"`
			To   a.Click `json:"to"`
		}{}, closed(`"from":`+closed(`"index":{"type":"integer"}`, `"index"`)+`,"to":`+closed(`"index":{"type":"integer"}`, `"index"`), `"from","to"`)},
	} {
		if got := render(t, tt.v); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

type page[T any] struct {
	Items []T `json:"items"`
}

// declaredInt is an integer that travels as a string.
type declaredInt struct{ big.Int }

func (declaredInt) ParamSchema() json.RawMessage {
	return json.RawMessage(`{"type":"string","pattern":"^[0-9]+$"}`)
}

type ownInvopop string

func (ownInvopop) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Enum: []any{"x"}, Description: "Own words"}
}

type ptrInvopop struct{}

func (*ptrInvopop) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{Type: "integer"} }

type node struct {
	Name string  `json:"name"`
	Kids []*node `json:"kids"`
}

type ping struct {
	Pong *pong `json:"pong"`
}
type pong struct {
	Ping map[string]ping `json:"ping"`
}

type list []list

type brokenSchema string

func (brokenSchema) ParamSchema() json.RawMessage { return json.RawMessage(`{"type":`) }

type recursiveSchema string

func (recursiveSchema) ParamSchema() json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{"x":{"$ref":"#"}}}`)
}

type panics string

func (panics) ParamSchema() json.RawMessage { panic("no schema today") }

// Each of these would lose something, or the process, without a word.
func TestRefusedTypes(t *testing.T) {
	type Outer struct {
		X int `json:"x"`
	}
	type hidden struct {
		Y int `json:"y"`
	}
	for _, tt := range []struct {
		name string
		v    any
		want []string
	}{
		{"recursive", node{}, []string{"recursive", "schema.node -> []*schema.node -> *schema.node -> schema.node"}},
		{"recursive through a field", struct{ N node }{}, []string{"N.kids", "recursive"}},
		{"recursive in two steps", ping{}, []string{"pong.ping", "schema.ping -> *schema.pong -> schema.pong -> map[string]schema.ping -> schema.ping"}},
		{"recursive list", struct{ L list }{}, []string{"L", "schema.list -> schema.list"}},
		{"any", struct{ V any }{}, []string{"V", "no schema"}},
		{"any in a list", struct{ V []map[string]any }{}, []string{"V", "no schema"}},
		{"interface", struct{ V error }{}, []string{"V", "no schema"}},
		{"raw", struct{ V json.RawMessage }{}, []string{"V", "AddRaw"}},
		{"func", struct{ F func() }{}, []string{"F", "cannot come from JSON"}},
		{"chan", struct{ F chan int }{}, []string{"F", "cannot come from JSON"}},
		{"complex", struct{ F complex128 }{}, []string{"F", "cannot come from JSON"}},
		{"uintptr", struct{ F uintptr }{}, []string{"F", "cannot come from JSON"}},
		{"bytes", struct{ F []byte }{}, []string{"F", "use a string"}},
		{"duration", struct{ F time.Duration }{}, []string{"F", "seconds"}},
		{"url", struct{ F *url.URL }{}, []string{"F", "use a string"}},
		{"own decoder", struct{ F *big.Int }{}, []string{"F", "ParamSchema"}},
		{"int keys", struct{ F map[int]string }{}, []string{"F", "plain strings"}},
		{"pointer to pointer", struct{ F **int }{}, []string{"F", "pointer to a pointer"}},
		{"not a struct", 3, []string{"not a struct"}},
		{"two fields of one name", reflect.StructOf([]reflect.StructField{ // vet would complain about the literal
			{Name: "A", Type: reflect.TypeFor[int](), Tag: `json:"x"`}, {Name: "B", Type: reflect.TypeFor[int](), Tag: `json:"x"`},
		}), []string{"B", `"x" is used by A`}},
		{"shadowed field", reflect.StructOf([]reflect.StructField{
			{Name: "Outer", Type: reflect.TypeFor[Outer](), Anonymous: true}, {Name: "Y", Type: reflect.TypeFor[int](), Tag: `json:"x"`},
		}), []string{"Y", "used by X"}},
		{"embedded pointer to unexported", struct{ *hidden }{}, []string{"by value"}},
		{"json name", struct {
			A int `json:"a b"`
		}{}, []string{"A", `"a b"`}},
		{"json string option", struct {
			A int `json:"a,string"`
		}{}, []string{"A", "string"}},
		{"json inline option", struct {
			A Outer `json:"a,inline"`
		}{}, []string{"A", "inline"}},
		{"hidden from the schema only", struct {
			A int `json:"a" jsonschema:"-"`
		}{}, []string{"a", `json:"-"`}},
		{"misspelt keyword", struct {
			A int `json:"a" jsonschema:"minimun=3"`
		}{}, []string{"a", `"minimun=3"`}},
		{"cut value", struct {
			A string `json:"a" jsonschema:"enum=a,b"`
		}{}, []string{"a", `"b"`, "repeat enum="}},
		{"keyword of another type", struct {
			A int `json:"a" jsonschema:"minLength=3"`
		}{}, []string{"a", "minLength means nothing for an integer"}},
		{"default that is no number", struct {
			A int `json:"a" jsonschema:"default=abc"`
		}{}, []string{"a", "default=abc"}},
		{"enum that is no number", struct {
			A int `json:"a" jsonschema:"enum=1,enum=x"`
		}{}, []string{"a", "enum=x"}},
		{"limit that is no number", struct {
			A string `json:"a" jsonschema:"maxLength=-1"`
		}{}, []string{"a", "maxLength=-1"}},
		{"default of a bool", struct {
			A bool `json:"a" jsonschema:"default=yes"`
		}{}, []string{"a", "default=yes"}},
		{"default of a list", struct {
			A []int `json:"a" jsonschema:"default=1,default=2"`
		}{}, []string{"a", "Spec.Defaults"}},
		{"default of a pointer", struct {
			A *int `json:"a" jsonschema:"default=1"`
		}{}, []string{"a", "ambiguous"}},
		{"default and required", struct {
			A int `json:"a" jsonschema:"required,default=1"`
		}{}, []string{"a", "not required"}},
		{"nullable", struct {
			A int `json:"a" jsonschema:"nullable"`
		}{}, []string{"a", "pointer"}},
		{"union in a tag", struct {
			A string `json:"a" jsonschema:"oneof_type=string;integer"`
		}{}, []string{"a", "ParamSchema"}},
		{"extras", struct {
			A string `json:"a" jsonschema_extras:"x=y"`
		}{}, []string{"a", "jsonschema_extras"}},
		{"keyword on a declared type", struct {
			A declaredInt `json:"a" jsonschema:"minLength=1"`
		}{}, []string{"a", "declares its own schema"}},
		{"declared, broken", struct {
			A brokenSchema `json:"a"`
		}{}, []string{"brokenSchema", "not valid JSON"}},
		{"declared, recursive", struct {
			A recursiveSchema `json:"a"`
		}{}, []string{"recursiveSchema", "recursive"}},
		{"declared, panics", struct {
			A panics `json:"a"`
		}{}, []string{"no schema today"}},
	} {
		typ, ok := tt.v.(reflect.Type)
		if !ok {
			typ = reflect.TypeOf(tt.v)
		}
		_, err := Of(typ)
		if err == nil {
			t.Errorf("%s: no error", tt.name)
			continue
		}
		for _, w := range tt.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %q lacks %q", tt.name, err, w)
			}
		}
	}
}

func TestDefaultsAreChecked(t *testing.T) {
	for _, tt := range []struct {
		name string
		v    any
		want string
	}{
		{"above its maximum", struct {
			A int `json:"a" jsonschema:"default=99,maximum=10"`
		}{}, "a: must be at most 10, got 99"},
		{"outside its enum", struct {
			A string `json:"a" jsonschema:"enum=x,default=y"`
		}{}, "a: must be one of"},
		{"too big for its Go type", struct {
			A uint32 `json:"a" jsonschema:"default=4294967296"`
		}{}, "a: 4294967296 is out of range"},
		{"deep", struct {
			L []struct {
				A string `json:"a" jsonschema:"minLength=3,default=y"`
			} `json:"l"`
		}{}, "l[0].a: must have at least 3"},
		{"fine", struct {
			A string `json:"a" jsonschema:"pattern=^[a-z]+$,default=y"`
			B int    `json:"b"`
		}{}, ""},
	} {
		n, err := Of(reflect.TypeOf(tt.v))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		v, err := n.Validator()
		if err != nil {
			t.Fatal(err)
		}
		err = n.CheckDefaults(v)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	n, err := Of(reflect.TypeOf(struct {
		A string `json:"a" jsonschema:"pattern=^(?=x)"`
	}{}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := n.Validator(); err == nil || !strings.Contains(err.Error(), "^(?=x)") {
		t.Errorf("a pattern of another engine: %v", err)
	}
}
