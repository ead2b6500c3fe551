package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
)

// stateFlag is the parameter that asks for the page state after an action.
const stateFlag = "state"

var stateSchema = []byte(`"state":{"type":"boolean","description":"also return the page state"}`)

// withState adds the parameter to a schema, in place among its bytes, so that
// the order of the others stays. It does not when there is one of that name.
func withState(schema json.RawMessage) (json.RawMessage, bool) {
	var root struct {
		Properties json.RawMessage `json:"properties"`
	}
	var props map[string]json.RawMessage
	if json.Unmarshal(schema, &root) != nil || len(root.Properties) == 0 || json.Unmarshal(root.Properties, &props) != nil {
		return schema, false
	}
	if _, taken := props[stateFlag]; taken {
		return schema, false
	}
	at := topLevel(schema, "properties")
	if at < 0 {
		return schema, false
	}
	end := at + len(root.Properties) - 1 // the closing brace
	out := append([]byte{}, schema[:end]...)
	if len(props) > 0 {
		out = append(out, ',')
	}
	out = append(out, stateSchema...)
	return append(out, schema[end:]...), true
}

// topLevel returns where the value of a key of an object begins.
func topLevel(object []byte, key string) int {
	dec := json.NewDecoder(bytes.NewReader(object))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return -1
	}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return -1
		}
		var v json.RawMessage
		if dec.Decode(&v) != nil {
			return -1
		}
		if t == key {
			return int(dec.InputOffset()) - len(v)
		}
	}
	return -1
}

// takeState takes the parameter out of the arguments.
func takeState(args json.RawMessage) (rest json.RawMessage, look bool, err error) {
	if !bytes.Contains(args, []byte(`"`+stateFlag+`"`)) {
		return args, false, nil
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(args, &m) != nil {
		return args, false, nil // the action says what is wrong
	}
	v, ok := m[stateFlag]
	if !ok {
		return args, false, nil
	}
	delete(m, stateFlag)
	switch string(v) {
	case "true", `"true"`:
		look = true
	case "false", `"false"`, "null":
	default:
		return nil, false, errors.New("state is true or false")
	}
	rest, err = json.Marshal(m)
	return rest, look, err
}
