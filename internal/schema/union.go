package schema

import "strconv"

// Branch writes one alternative of a union of actions: a closed object whose
// only key is the name. Recursive definitions come back apart, as members of
// the root's $defs.
func (w *Writer) Branch(name, description string, params *Node) (text, defs []byte) {
	b := []byte(`{"type":"object","description":`)
	b = appendString(b, description)
	b = append(b, `,"properties":{`...)
	b = appendString(b, name)
	b = append(b, ':')
	b = w.Node(b, params, "")
	b = append(b, `},"required":[`...)
	b = appendString(b, name)
	b = append(b, ']')
	if w.d.closed {
		b = append(b, `,"additionalProperties":false`...)
	}
	b = append(b, '}')
	if all := w.Definitions(nil); len(all) > 0 {
		defs = all[len(`,"$defs":{`) : len(all)-1]
	}
	return b, defs
}

// Answer writes the root object of an answer: the envelope's properties, and
// after them "action", a list of the alternatives with at least one element
// and, unless most is zero, at most so many.
func (w *Writer) Answer(envelope *Node, branches, defs [][]byte, most int) []byte {
	size := 1024
	for _, b := range branches {
		size += len(b) + 1
	}
	b := make([]byte, 0, size)
	b = append(b, `{"type":"object","properties":{`...)
	for _, p := range envelope.Props {
		b = appendString(b, p.Name)
		b = append(b, ':')
		b = w.prop(b, p)
		b = append(b, ',')
	}
	b = append(b, `"action":{"type":"array","description":"What to do next, in this order.","minItems":1`...)
	if most > 0 && w.d.keeps("array", Keyword{Name: "maxItems"}) {
		b = append(b, `,"maxItems":`...)
		b = strconv.AppendInt(b, int64(most), 10)
	}
	b = append(b, `,"items":`...)
	if len(branches) == 1 {
		b = append(b, branches[0]...)
	} else {
		b = append(b, `{"anyOf":[`...)
		for i, br := range branches {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, br...)
		}
		b = append(b, `]}`...)
	}
	b = append(b, `}},"required":[`...)
	for _, p := range envelope.Props {
		if p.Optional && !w.d.allRequired {
			continue
		}
		b = appendString(b, p.Name)
		b = append(b, ',')
	}
	b = append(b, `"action"]`...)
	if w.d.closed {
		b = append(b, `,"additionalProperties":false`...)
	}
	for i, d := range defs {
		if i == 0 {
			b = append(b, `,"$defs":{`...)
		} else {
			b = append(b, ',')
		}
		b = append(b, d...)
		if i == len(defs)-1 {
			b = append(b, '}')
		}
	}
	return append(b, '}')
}
