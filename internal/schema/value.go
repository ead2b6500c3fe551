package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxDepth bounds the nesting of values and schemas.
const maxDepth = 100

// errTooDeep is returned for JSON nested more than maxDepth levels.
var errTooDeep = errors.New("nested too deeply")

// object is a JSON object with the order of its members.
type object []member

type member struct {
	key   string
	value any
}

func (o object) get(key string) any {
	for _, m := range o {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

// ParseValue reads exactly one JSON value. Unlike encoding/json it refuses
// duplicate keys. Objects become map[string]any, numbers [json.Number] in a
// normal form in which 7.0 reads 7.
func ParseValue(data []byte) (any, error) { return parse(data, false) }

// parseOrdered is ParseValue with objects that keep their order.
func parseOrdered(data []byte) (any, error) { return parse(data, true) }

func parse(data []byte, ordered bool) (any, error) {
	if !json.Valid(data) {
		return nil, syntaxError(data)
	}
	p := parser{data: data, ordered: ordered}
	return p.value()
}

// syntaxError says what is wrong with invalid JSON in the fewest words.
func syntaxError(data []byte) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return errors.New("no JSON value")
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	var v any
	if err := dec.Decode(&v); err == nil {
		return fmt.Errorf("unexpected text after the JSON value at byte %d", dec.InputOffset())
	}
	err := json.Unmarshal(data, &v)
	if se, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("not valid JSON at byte %d: %s", se.Offset, se.Error())
	}
	return fmt.Errorf("not valid JSON: %w", err)
}

// parser reads text that json.Valid has accepted.
type parser struct {
	data    []byte
	at      int
	depth   int
	ordered bool
}

func (p *parser) space() {
	for p.at < len(p.data) {
		switch p.data[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

func (p *parser) value() (any, error) {
	p.space()
	switch p.data[p.at] {
	case '{', '[':
		p.depth++
		if p.depth > maxDepth {
			return nil, errTooDeep
		}
		defer func() { p.depth-- }()
		if p.data[p.at] == '[' {
			return p.array()
		}
		return p.object()
	case '"':
		return p.string()
	case 't':
		p.at += len("true")
		return true, nil
	case 'f':
		p.at += len("false")
		return false, nil
	case 'n':
		p.at += len("null")
		return nil, nil
	default:
		start := p.at
		for p.at < len(p.data) && strings.IndexByte("+-.0123456789eE", p.data[p.at]) >= 0 {
			p.at++
		}
		return number(string(p.data[start:p.at]))
	}
}

func (p *parser) array() (any, error) {
	out := []any{}
	p.at++
	for {
		p.space()
		if p.data[p.at] == ']' {
			p.at++
			return out, nil
		}
		if p.data[p.at] == ',' {
			p.at++
			continue
		}
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
}

func (p *parser) object() (any, error) {
	var seen map[string]any
	var list object
	seen = make(map[string]any)
	p.at++
	for {
		p.space()
		switch p.data[p.at] {
		case '}':
			p.at++
			if p.ordered {
				return list, nil
			}
			return seen, nil
		case ',':
			p.at++
			continue
		}
		key, err := p.string()
		if err != nil {
			return nil, err
		}
		p.space()
		p.at++ // the colon
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		if _, dup := seen[key]; dup {
			return nil, fmt.Errorf("key %s appears twice", Quote(key))
		}
		seen[key] = v
		if p.ordered {
			list = append(list, member{key, v})
		}
	}
}

func (p *parser) string() (string, error) {
	start := p.at
	p.at++
	plain := true
	for p.data[p.at] != '"' {
		if p.data[p.at] == '\\' {
			plain = false
			p.at++
		}
		p.at++
	}
	p.at++
	body := p.data[start+1 : p.at-1]
	if plain && utf8.Valid(body) {
		return string(body), nil
	}
	var s string
	if err := json.Unmarshal(p.data[start:p.at], &s); err != nil {
		return "", err
	}
	return s, nil
}

// number brings a JSON number into the normal form that the rest relies on. A
// number whose exponent would make exact arithmetic explode is refused.
func number(s string) (json.Number, error) {
	digits := strings.TrimPrefix(s, "-")
	if strings.Trim(digits, "0123456789") == "" {
		if digits == "0" {
			return "0", nil
		}
		if len(digits) <= 40 {
			return json.Number(s), nil
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return "", fmt.Errorf("number %s is out of range", Quote(s))
	}
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return json.Number(strconv.FormatInt(int64(f), 10)), nil
	}
	return json.Number(strconv.FormatFloat(f, 'g', -1, 64)), nil
}

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, m.key)
		b = append(b, ':')
		v, err := marshal(m.value)
		if err != nil {
			return nil, err
		}
		b = append(b, v...)
	}
	return append(b, '}'), nil
}

// marshal is json.Marshal without the escaping meant for HTML pages, which
// costs tokens and makes descriptions harder to read.
func marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// appendString appends s as a JSON string.
func appendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return append(b, raw(s)...)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

// Quote quotes s for a message, shortened to a length a reader can bear.
func Quote(s string) string {
	const most = 40
	if utf8.RuneCountInString(s) > most {
		s = string([]rune(s)[:most]) + "…"
	}
	return strconv.Quote(s)
}
