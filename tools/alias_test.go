package tools

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/seed-4bdb41d0/webhand/registry"
)

func TestCanonical(t *testing.T) {
	for _, tc := range []struct{ name, args, want, wantArgs string }{
		{"go_to_url", `{"url":"https://a.test"}`, "navigate", `{"url":"https://a.test"}`},
		{"open_tab", `{"url":"https://a.test"}`, "navigate", `{"url":"https://a.test","new_tab":true}`},
		{"search_google", `{"query":"x"}`, "search", `{"query":"x","engine":"google"}`},
		{"click_element_by_index", `{"index":3,"xpath":null}`, "click", `{"index":3}`},
		{"input_text", `{"index":3,"text":"a","xpath":"//x"}`, "input", `{"index":3,"text":"a"}`},
		{"switch_tab", `{"page_id":"ab12"}`, "switch", `{"tab_id":"ab12"}`},
		{"switch_tab", `{"page_id":2}`, "switch", `{"tab_id":"2"}`},
		{"close_tab", `{"page_id":"ab12"}`, "close", `{"tab_id":"ab12"}`},
		{"extract_content", `{"goal":"prices","should_strip_link_urls":true}`, "extract", `{"query":"prices"}`},
		{"extract_structured_data", `{"query":"prices","extract_links":true}`, "extract", `{"query":"prices","extract_links":true}`},
		{"scroll_down", `{"amount":500}`, "scroll", `{"direction":"down","pixels":500}`},
		{"scroll_up", `{"amount":null}`, "scroll", `{"direction":"up"}`},
		{"scroll", `{"down":true,"num_pages":2.0,"frame_element_index":7}`, "scroll", `{"down":true,"pages":2.0,"index":7}`},
		{"scroll_to_text", `{"text":"x"}`, "find_text", `{"text":"x"}`},
		{"get_dropdown_options", `{"index":1}`, "dropdown_options", `{"index":1}`},
		{"select_dropdown_option", `{"index":1,"text":"b"}`, "select_dropdown", `{"index":1,"text":"b"}`},
		{"append_file", `{"file_name":"a.md","content":"x"}`, "write_file", `{"file_name":"a.md","content":"x","append":true}`},
		{"execute_javascript", `{"script":"1+1"}`, "evaluate", `{"code":"1+1"}`},
		{"drag_drop", `{"element_source":1,"element_target":2}`, "drag", `{"from_index":1,"to_index":2}`},
		{"extract", `{"query":"q","output_schema":{"type":"object"}}`, "extract", `{"query":"q","output_schema":"{\"type\":\"object\"}"}`},
		{"click", `{"index":4}`, "click", `{"index":4}`},
		{"go_back", `{"description":null}`, "go_back", `{}`},
		{"my_own", `{"xpath":"//a"}`, "my_own", `{"xpath":"//a"}`},
		{"go_back", `null`, "go_back", `null`},
	} {
		name, args := Canonical(tc.name, json.RawMessage(tc.args))
		var got, want any
		_ = json.Unmarshal(args, &got)
		_ = json.Unmarshal([]byte(tc.wantArgs), &want)
		if name != tc.want || !reflect.DeepEqual(got, want) {
			t.Errorf("Canonical(%s, %s) = %s %s, want %s %s", tc.name, tc.args, name, args, tc.want, tc.wantArgs)
		}
		// What comes out can be run.
		if isBuiltin(name) && tc.wantArgs != "null" {
			call, _ := json.Marshal(map[string]json.RawMessage{name: args})
			if _, err := New().Compile(registry.Page{}).Decode(call); err != nil {
				t.Errorf("%s: %v", call, err)
			}
		}
	}
}

func FuzzCanonical(f *testing.F) {
	f.Add("scroll", `{"pages":-1}`)
	f.Add("switch_tab", `{"page_id":2}`)
	f.Add("extract", `{"output_schema":{}}`)
	f.Fuzz(func(t *testing.T, name, args string) {
		Canonical(name, json.RawMessage(args))
	})
}
