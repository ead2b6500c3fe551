package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// detail is what an error body says, whatever its shape.
type detail struct {
	message string
	code    string
	typ     string
	param   string
	status  int
	delay   string // Google's RetryInfo, such as "34s"
}

// parseError reads the error shapes that OpenAI-like endpoints, Anthropic,
// Google and web frameworks answer with. It reports false for a body that
// carries no error.
func parseError(body []byte) (detail, bool) {
	body = bytes.TrimSpace(body)
	if len(body) > 0 && body[0] == '[' { // Google's compatibility endpoint wraps it in a list
		var list []json.RawMessage
		if json.Unmarshal(body, &list) != nil || len(list) == 0 {
			return detail{}, false
		}
		return parseError(list[0])
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(body, &m) != nil {
		return detail{}, false
	}
	if raw, ok := m["error"]; ok && !isNull(raw) {
		d := errorObject(raw)
		if d.message == "" {
			d.message = firstText(m, "message", "detail")
		}
		if d.message == "" {
			d.message = shorten(string(raw))
		}
		return d, true
	}
	// FastAPI's {"detail":...}, vLLM's {"object":"error","message":...}, and
	// gateways' {"message":...} or {"errors":[...]}.
	_, choices := m["choices"]
	_, candidates := m["candidates"]
	_, content := m["content"]
	if choices || candidates || content {
		return detail{}, false
	}
	if s := firstText(m, "message", "detail", "errors", "msg", "error_msg", "Message"); s != "" {
		d := errorFields(m)
		d.message = s
		return d, true
	}
	return detail{}, false
}

func errorObject(raw json.RawMessage) detail {
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		return detail{message: text(raw)}
	}
	d := errorFields(m)
	d.message = firstText(m, "message", "detail", "msg")
	// OpenRouter hides the upstream's words below its own.
	var meta struct {
		Raw json.RawMessage `json:"raw"`
	}
	if json.Unmarshal(m["metadata"], &meta) == nil && len(meta.Raw) > 0 {
		if s := text(meta.Raw); s != "" {
			if up, ok := parseError([]byte(s)); ok {
				s = up.message
			}
			d.message = strings.TrimSpace(d.message + ": " + s)
		}
	}
	var details []struct {
		RetryDelay string `json:"retryDelay"`
		Reason     string `json:"reason"`
	}
	if json.Unmarshal(m["details"], &details) == nil {
		for _, x := range details {
			if x.RetryDelay != "" {
				d.delay = x.RetryDelay
			}
			if x.Reason != "" {
				d.code = x.Reason
			}
		}
	}
	return d
}

func errorFields(m map[string]json.RawMessage) detail {
	d := detail{code: text(m["code"]), typ: text(m["type"]), param: text(m["param"])}
	if s := text(m["status"]); s != "" && d.typ == "" {
		d.typ = s // Google's "RESOURCE_EXHAUSTED"
	}
	if n, err := strconv.Atoi(d.code); err == nil { // a number there is an HTTP status
		d.status, d.code = n, ""
	}
	if d.code == "" {
		d.code = d.typ
	}
	return d
}

func firstText(m map[string]json.RawMessage, keys ...string) string {
	for _, k := range keys {
		if s := text(m[k]); s != "" {
			return s
		}
	}
	return ""
}

// text reads a JSON value as words: a string as it is, a list joined, an
// object by its message.
func text(raw json.RawMessage) string {
	if isNull(raw) {
		return ""
	}
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return ""
	}
	return words(v)
}

func words(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case []any:
		var out []string
		for _, x := range v {
			if s := words(x); s != "" {
				out = append(out, s)
			}
		}
		return strings.Join(out, "; ")
	case map[string]any:
		msg := ""
		for _, k := range []string{"message", "msg", "detail"} {
			if s, ok := v[k].(string); ok {
				msg = s
				break
			}
		}
		if loc, ok := v["loc"].([]any); ok && msg != "" { // FastAPI names the field apart
			return fmt.Sprintf("%s: %s", words(loc), msg)
		}
		return msg
	}
	return ""
}

func isNull(raw json.RawMessage) bool {
	return len(raw) == 0 || string(raw) == "null"
}
