package registry

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestResultAsJSON(t *testing.T) {
	for want, r := range map[string]Result{
		`{}`:                              {},
		`{"extracted_content":"<a> & b"}`: {Text: "<a> & b"},
		`{"extracted_content":"x","is_done":true,"success":false}`: {Text: "x", Done: true},
		`{"is_done":true,"success":true}`:                          {Done: true, Success: true},
		`{"error":"no"}`:                                           {Error: "no"},
		`{"long_term_memory":"m","include_extracted_content_only_once":true,"attachments":["a"],"metadata":{"k":1},"effects":["e"]}`: {
			Memory: "m", Once: true, Attachments: []string{"a"}, Metadata: map[string]any{"k": 1}, Effects: []string{"e"},
		},
	} {
		var b strings.Builder
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(&r); err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(b.String()); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		var back Result
		if err := json.Unmarshal([]byte(want), &back); err != nil || back.Done != r.Done || back.Success != r.Success || back.Text != r.Text {
			t.Errorf("read back %+v, %v", back, err)
		}
	}
}
