package mask

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

type inner struct {
	S    string
	Raw  json.RawMessage
	Data []byte
}

type outer struct {
	P    *inner
	Any  any
	Map  map[string]any
	List [2]fmt.Stringer
	Err  error
	self string
}

type word string

func (w word) String() string { return string(w) }

func TestStringsAreReplacedHoweverDeep(t *testing.T) {
	v := &outer{
		P:    &inner{"x SECRET", json.RawMessage(`{"SECRET":"a\"SECRET","n":1.50}`), []byte("SECRET")},
		Any:  &inner{S: "SECRET"},
		Map:  map[string]any{"SECRET": []any{"SECRET", map[string]string{"k": "SECRET"}, inner{S: "SECRET"}}},
		List: [2]fmt.Stringer{word("SECRET"), nil},
		Err:  errors.New("SECRET"), self: "SECRET",
	}
	Strings(func(s string) string { return strings.ReplaceAll(s, "SECRET", "*") }, v)
	got := fmt.Sprintf("%+v %s %+v %v %v", v.P.S, v.P.Raw, v.Any, v.Map, v.List)
	if strings.Contains(got, "SECRET") {
		t.Errorf("left: %s", got)
	}
	if string(v.P.Raw) != `{"*":"a\"*","n":1.50}` || string(v.P.Data) != "SECRET" || v.Err.Error() != "SECRET" || v.self != "SECRET" {
		t.Errorf("raw %s, data %s, error %v, unexported %s", v.P.Raw, v.P.Data, v.Err, v.self)
	}
	for _, nothing := range []any{nil, (*outer)(nil), "not a pointer"} {
		Strings(strings.ToUpper, nothing)
	}
	// A value that holds itself ends.
	type ring struct {
		Name string
		Next *ring
		All  map[string]any
	}
	r := &ring{Name: "a SECRET"}
	r.Next, r.All = r, map[string]any{}
	r.All["me"], r.All["all"] = r, r.All
	Strings(func(s string) string { return strings.ReplaceAll(s, "SECRET", "*") }, r)
	if r.Name != "a *" {
		t.Errorf("a ring: %q", r.Name)
	}
}
