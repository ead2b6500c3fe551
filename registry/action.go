package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/seed-4bdb41d0/webhand/internal/schema"
	"github.com/seed-4bdb41d0/webhand/internal/urlmatch"
	"github.com/seed-4bdb41d0/webhand/llm"
)

// Action is a registered action. It never changes.
type Action struct {
	spec     Spec
	h        *handler
	node     *schema.Node
	patterns []urlmatch.Pattern
	foreign  json.RawMessage // the schema given to AddRaw

	validator func() (*schema.Validator, error)
	union     sync.Map // llm.Dialect -> *branch
}

var actionName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

// newAction checks a spec and its handler against each other.
func newAction(s Spec, fn any, args []Arg) (*Action, error) {
	plain, err := collectArgs(args)
	if err != nil {
		return nil, err
	}
	h, err := analyse(fn, plain)
	if err != nil {
		return nil, err
	}
	n, err := h.schemaOf(s, plain)
	if err != nil {
		return nil, err
	}
	h.defaults = n.HasDefaults()
	a := &Action{spec: s, h: h, node: n}
	a.validator = sync.OnceValues(n.Validator)
	if n.NeedsCheck() { // a mistake in a pattern or a default shows only now
		v, err := a.validator()
		if err != nil {
			return nil, fmt.Errorf("params: %w", err)
		}
		if err := n.CheckDefaults(v); err != nil {
			return nil, fmt.Errorf("params: %w", err)
		}
	}
	return a, a.finish()
}

// newRawAction checks a foreign schema.
func newRawAction(s Spec, params json.RawMessage, fn RawFunc) (*Action, error) {
	if fn == nil {
		return nil, errors.New("the handler is a nil func")
	}
	if s.Defaults != nil {
		return nil, errors.New("Spec.Defaults has no meaning for a foreign schema")
	}
	if t := strings.TrimSpace(string(params)); t == "" || t == "null" {
		params = json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)
	}
	n, err := schema.Parse(params)
	if err != nil {
		return nil, fmt.Errorf("params schema: %w", err)
	}
	if n.Type != "object" || n.Nullable || len(n.AnyOf) > 0 {
		return nil, errors.New("params schema: the root must be an object (\"type\":\"object\"), without anyOf or oneOf")
	}
	v, err := schema.RawValidator(params)
	if err != nil {
		return nil, fmt.Errorf("params schema: %w", err)
	}
	a := &Action{spec: s, h: &handler{raw: fn}, node: n, foreign: slices.Clone(params)}
	a.validator = func() (*schema.Validator, error) { return v, nil }
	return a, a.finish()
}

// finish checks what both kinds of action have.
func (a *Action) finish() error {
	s := &a.spec
	switch {
	case strings.TrimSpace(s.Description) == "":
		return errors.New("Spec.Description is empty: it is all that the model knows about the action")
	case s.Timeout < 0:
		return fmt.Errorf("Spec.Timeout is negative (%s)", s.Timeout)
	case s.Domains != nil && len(s.Domains) == 0:
		return errors.New("Spec.Domains is empty, not nil: the action would be available nowhere")
	}
	s.Domains, s.SecretFields = slices.Clone(s.Domains), slices.Clone(s.SecretFields)
	for _, d := range s.Domains {
		p, err := urlmatch.Parse(d)
		if err != nil {
			return fmt.Errorf("Spec.Domains: %w", err)
		}
		a.patterns = append(a.patterns, p)
	}
	for _, f := range s.SecretFields {
		n, ok := fieldAt(a.node, f)
		if !ok {
			return fmt.Errorf("Spec.SecretFields: the params have no field %q", f)
		}
		if !n.HoldsString() {
			return fmt.Errorf("Spec.SecretFields: %q holds no text, and a secret is text", f)
		}
	}
	return nil
}

// fieldAt finds a field by its path; lists are stepped through.
func fieldAt(n *schema.Node, path string) (*schema.Node, bool) {
	for part := range strings.SplitSeq(path, ".") {
		for n.Type == "array" && n.Items != nil {
			n = n.Items
		}
		p, ok := n.Prop(part)
		switch {
		case ok:
			n = p.Node
		case n.Open != nil:
			n = n.Open
		default:
			return nil, false
		}
	}
	return n, true
}

// Name is the name that the model writes.
func (a *Action) Name() string { return a.spec.Name }

// Spec returns a copy of what the action was registered with.
func (a *Action) Spec() Spec {
	s := a.spec
	s.Domains, s.SecretFields = slices.Clone(s.Domains), slices.Clone(s.SecretFields)
	return s
}

// ParamsSchema returns the JSON Schema of the params in the canonical dialect,
// or, for [Registry.AddRaw], the schema as it was given.
func (a *Action) ParamsSchema() json.RawMessage {
	if a.foreign != nil {
		return slices.Clone(a.foreign)
	}
	b, err := a.node.Render(llm.Canonical)
	if err != nil {
		return json.RawMessage("{}")
	}
	return b
}

// Requires names the types that the handler is injected with.
func (a *Action) Requires() []string {
	out := make([]string, 0, len(a.h.deps))
	for _, d := range a.h.deps {
		out = append(out, d.String())
	}
	return out
}

// Restricted reports whether the action is limited to some pages.
func (a *Action) Restricted() bool { return len(a.patterns) > 0 || a.spec.When != nil }

// availableOn reports whether the page may see and run the action.
func (a *Action) availableOn(p Page, u urlmatch.URL, isURL bool) bool {
	if len(a.patterns) > 0 {
		if !isURL || !slices.ContainsFunc(a.patterns, func(pt urlmatch.Pattern) bool { return pt.MatchURL(u) }) {
			return false
		}
	}
	return a.spec.When == nil || a.spec.When(p)
}

// needs reports what the handler needs and deps lacks.
func (a *Action) needs(deps Deps) []error {
	var out []error
	missing := func(err error) {
		out = append(out, fmt.Errorf("registry: action %q requires %w", a.spec.Name, err))
	}
	for _, t := range a.h.deps {
		if err := a.available(deps, t); err != nil {
			missing(err)
		}
	}
	if _, hasFunc := get[PageFunc](deps); a.Restricted() && !hasFunc {
		if _, has := get[Page](deps); !has {
			missing(fmt.Errorf("registry.PageFunc or registry.Page, since it is limited to some pages: %w", ErrMissingDep))
		}
	}
	return out
}

func (a *Action) available(deps Deps, t reflect.Type) error {
	switch t {
	case depsType, filledType:
		return nil
	case pageType:
		if _, ok := get[PageFunc](deps); ok {
			return nil
		}
	}
	_, err := deps.lookup(t)
	return err
}

// inputs resolves the arguments of the handler after the context and params.
func (a *Action) inputs(ctx context.Context, deps Deps, filled Placeholders, out []reflect.Value) ([]reflect.Value, error) {
	for _, t := range a.h.deps {
		switch t {
		case depsType:
			out = append(out, reflect.ValueOf(deps))
			continue
		case filledType:
			out = append(out, reflect.ValueOf(filled))
			continue
		case pageType:
			p, known, err := deps.page(ctx)
			if err != nil {
				return nil, err
			}
			if known {
				out = append(out, reflect.ValueOf(p))
				continue
			}
		}
		v, err := deps.lookup(t)
		if err != nil {
			return nil, fmt.Errorf("registry: action %q requires %w", a.spec.Name, err)
		}
		out = append(out, v)
	}
	return out, nil
}
