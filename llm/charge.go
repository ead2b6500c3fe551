package llm

import "errors"

// Charge is what one call of a model is billed for.
type Charge struct {
	Provider string `json:"provider,omitempty"`
	Model    string `json:"model"`
	Usage    Usage  `json:"usage"`
}

// Charges returns everything that a call is billed for: the answer, and the
// attempts before it that failed after the model had done its work.
func Charges(resp *Response, err error) []Charge {
	var out []Charge
	if resp != nil {
		out = append(out, resp.Failed...)
		out = append(out, Charge{Provider: resp.Provider, Model: resp.Model, Usage: resp.Usage})
	}
	var e *Error
	if errors.As(err, &e) {
		out = append(out, e.Charges...)
	}
	return out
}
