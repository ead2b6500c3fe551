package registry

import (
	"context"
	"encoding/json"
	"testing"
)

// The caller's bytes are the caller's: a list that is read must be there
// afterwards, for logs and histories.
func TestDecodeListLeavesItsInputAlone(t *testing.T) {
	r := New()
	r.MustAdd(Spec{Name: "wait", Description: "Wait."}, func(context.Context, struct {
		Seconds int `json:"seconds"`
	}) error {
		return nil
	})
	const text = ` [{"wait":{"seconds":1}},{"wait":{"seconds":2}}]`
	data := json.RawMessage(text)
	if _, err := r.Compile(Page{}).DecodeList(data); err != nil {
		t.Fatal(err)
	}
	if string(data) != text {
		t.Errorf("the input is now %s", data)
	}
}
