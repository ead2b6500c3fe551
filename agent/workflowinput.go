package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// inputValues checks what a run is given.
func (w *Workflow) inputValues(given map[string]any) (map[string]any, error) {
	var errs []error
	out := make(map[string]any, len(w.Inputs))
	for _, v := range w.Inputs {
		x, ok := given[v.Name]
		if !ok || x == nil {
			if v.Default == "" && !v.Optional {
				errs = append(errs, fmt.Errorf("%w %q has no value; give it to RunWorkflow", ErrVariable, v.Name))
				continue
			}
			x = v.Default
		}
		x, err := v.value(x)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out[v.Name] = x
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.ContainsFunc(w.Inputs, func(v Variable) bool { return v.Name == name }) {
			errs = append(errs, fmt.Errorf("%w %q is no input of the workflow %q", ErrVariable, name, w.Name))
		}
	}
	return out, errors.Join(errs...)
}

// value brings a value to the form that JSON gives it, and checks its type.
func (v Variable) value(x any) (any, error) {
	b, err := json.Marshal(x)
	if err != nil {
		return nil, fmt.Errorf("%w %q: %w", ErrVariable, v.Name, err)
	}
	var out any
	if err := json.Unmarshal(b, &out); err != nil {
		return nil, fmt.Errorf("%w %q: %w", ErrVariable, v.Name, err)
	}
	if s, isText := out.(string); v.Type == TypeList && isText {
		var list []any
		if json.Unmarshal([]byte(s), &list) != nil && s != "" {
			return nil, fmt.Errorf("%w %q must be a list, got %q", ErrVariable, v.Name, oneLine(s, 60))
		}
		return list, nil
	}
	switch out.(type) {
	case []any:
		if v.Type != TypeList {
			return nil, fmt.Errorf("%w %q must be one value, got a list", ErrVariable, v.Name)
		}
		return out, nil
	case map[string]any:
		return nil, fmt.Errorf("%w %q must be a value or a list, got an object", ErrVariable, v.Name)
	}
	if v.Type == TypeList {
		return nil, fmt.Errorf("%w %q must be a list", ErrVariable, v.Name)
	}
	text := valueText(out)
	if text == "" && v.Optional {
		return "", nil
	}
	return text, v.check(text)
}
