package tools

import (
	"encoding/json"
)

// alias is a name that the reference used for an action in earlier versions,
// and how its parameters become today's.
type alias struct {
	name   string            // today's
	rename map[string]string // parameters, earlier: today's
	fix    func(map[string]json.RawMessage)
}

// aliases are by the earlier name.
func aliases() map[string]alias {
	tab := map[string]string{"page_id": "tab_id"}
	goal := map[string]string{"goal": "query"}
	index := map[string]string{"element_index": "index"}
	return map[string]alias{
		"go_to_url":               {name: "navigate"},
		"open_tab":                {name: "navigate", fix: set("new_tab", "true")},
		"search_google":           {name: "search", fix: set("engine", `"google"`)},
		"click_element":           {name: "click", rename: index},
		"click_element_by_index":  {name: "click", rename: index},
		"input_text":              {name: "input", rename: index},
		"switch_tab":              {name: "switch", rename: tab},
		"close_tab":               {name: "close", rename: tab},
		"extract_content":         {name: "extract", rename: goal},
		"extract_page_content":    {name: "extract", rename: goal},
		"extract_structured_data": {name: "extract"},
		"scroll_down":             {name: "scroll", fix: amount("down")},
		"scroll_up":               {name: "scroll", fix: amount("up")},
		"scroll_to_text":          {name: "find_text"},
		"get_dropdown_options":    {name: "dropdown_options"},
		"select_dropdown_option":  {name: "select_dropdown"},
		"replace_file_str":        {name: "replace_file"},
		"append_file":             {name: "write_file", fix: set("append", "true")},
		"execute_javascript":      {name: "evaluate", rename: map[string]string{"script": "code"}},
		"drag_drop": {name: "drag", rename: map[string]string{
			"element_source": "from_index", "element_target": "to_index",
			"coord_source_x": "from_x", "coord_source_y": "from_y", "coord_target_x": "to_x", "coord_target_y": "to_y",
		}},
	}
}

func set(key, value string) func(map[string]json.RawMessage) {
	return func(m map[string]json.RawMessage) {
		if _, ok := m[key]; !ok {
			m[key] = json.RawMessage(value)
		}
	}
}

// amount turns pixels, which earlier scrolls were given in, into today's form.
func amount(way string) func(map[string]json.RawMessage) {
	return func(m map[string]json.RawMessage) {
		m["direction"] = json.RawMessage(`"` + way + `"`)
		if a, ok := m["amount"]; ok {
			delete(m, "amount")
			if string(a) != "null" {
				m["pixels"] = a
			}
		}
	}
}

// dropped are parameters of earlier versions that mean nothing any more.
var dropped = []string{"xpath", "should_strip_link_urls", "has_sensitive_data", "while_holding_ctrl", "description"}

// Canonical translates an action of an older history, its name and parameters,
// into today's. An action that is none of this package's, and one that is of
// today, come back as they are. Parameters may be null.
func Canonical(name string, args json.RawMessage) (string, json.RawMessage) {
	a, old := aliases()[name]
	var m map[string]json.RawMessage
	if json.Unmarshal(args, &m) != nil || m == nil {
		m = map[string]json.RawMessage{}
	}
	if !old && !outdated(name, m) {
		return name, args
	}
	if old {
		name = a.name
	}
	for from, to := range a.rename {
		if v, ok := m[from]; ok {
			delete(m, from)
			m[to] = v
		}
	}
	for _, k := range dropped {
		delete(m, k)
	}
	if a.fix != nil {
		a.fix(m)
	}
	modern(name, m)
	out, err := json.Marshal(m)
	if err != nil {
		return name, args
	}
	return name, out
}

// outdated reports parameters that today's action of the same name spells in
// another way.
func outdated(name string, m map[string]json.RawMessage) bool {
	for _, k := range dropped {
		if _, ok := m[k]; ok && name != "done" {
			return isBuiltin(name)
		}
	}
	switch name {
	case "extract":
		return len(m["output_schema"]) > 0 && m["output_schema"][0] == '{'
	case "scroll":
		_, frame := m["frame_element_index"]
		_, num := m["num_pages"]
		return frame || num || string(m["pages"]) != "" && m["pages"][0] == '-'
	case "switch", "close":
		return len(m["tab_id"]) > 0 && m["tab_id"][0] != '"'
	}
	return false
}

// modern spells parameters as today's actions do.
func modern(name string, m map[string]json.RawMessage) {
	switch name {
	case "extract":
		if v := m["output_schema"]; len(v) > 0 && v[0] == '{' {
			m["output_schema"], _ = json.Marshal(string(v))
		}
	case "scroll":
		if v, ok := m["frame_element_index"]; ok {
			delete(m, "frame_element_index")
			m["index"] = v
		}
		if v, ok := m["num_pages"]; ok {
			delete(m, "num_pages")
			m["pages"] = v
		}
		if v := m["pages"]; len(v) > 1 && v[0] == '-' {
			m["pages"], m["down"] = v[1:], json.RawMessage("false")
		}
	case "switch", "close":
		if v := m["tab_id"]; len(v) > 0 && v[0] != '"' {
			m["tab_id"], _ = json.Marshal(string(v))
		}
	}
}

func isBuiltin(name string) bool {
	for _, b := range builtins() {
		if b.spec.Name == name {
			return true
		}
	}
	return false
}
