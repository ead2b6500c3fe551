package llm

import "fmt"

// Description is what is known of a client's model without calling it.
type Description struct {
	Provider string // "openai", "anthropic", ...
	Model    string // as requested
	Endpoint string // host of the endpoint, if there is one
	// ContextWindow is the most tokens that a request and its answer may have
	// together; 0 when unknown.
	ContextWindow int
	// Vision says whether the model takes images; Unknown when nobody said.
	Vision Tri
}

// Tri is yes, no, or not known.
type Tri int8

// The values of [Tri].
const (
	Unknown Tri = iota
	Yes
	No
)

// Describer is implemented by clients that can describe their model.
// Middleware passes the description of the client it wraps on.
type Describer interface {
	Describe() Description
}

// Describe returns what c says of itself, and the zero value when it says
// nothing.
func Describe(c Client) Description {
	if d, ok := c.(Describer); ok {
		return d.Describe()
	}
	return Description{}
}

// MarshalJSON writes true, false or null.
func (t Tri) MarshalJSON() ([]byte, error) {
	switch t {
	case Yes:
		return []byte("true"), nil
	case No:
		return []byte("false"), nil
	}
	return []byte("null"), nil
}

// UnmarshalJSON reads true, false or null.
func (t *Tri) UnmarshalJSON(b []byte) error {
	switch string(b) {
	case "true":
		*t = Yes
	case "false":
		*t = No
	case "null":
		*t = Unknown
	default:
		return fmt.Errorf("llm: %s is neither true, false nor null", b)
	}
	return nil
}
