package tools

import (
	"fmt"
	"slices"

	"github.com/seed-4bdb41d0/webhand/registry"
)

// builtin is one action of this package.
type builtin struct {
	spec registry.Spec
	fn   any
}

// builtins lists the actions in the order in which the model reads them.
func builtins() []builtin {
	return slices.Concat(
		doneActions(), searchActions(), navigateActions(), waitActions(), clickActions(), inputActions(),
		uploadActions(), tabActions(), extractActions(), queryActions(), scrollActions(), keyActions(), findActions(),
		captureActions(), dropdownActions(), fileActions(), evaluateActions(), furtherActions(), dragActions(),
	)
}

// New returns a registry of all built-in actions.
func New() *registry.Registry {
	r := registry.New()
	for _, b := range builtins() {
		r.MustAdd(b.spec, b.fn)
	}
	return r
}

// Only returns a registry of the named built-in actions. It panics on a name
// that is none, like [registry.Registry.MustAdd].
func Only(names ...string) *registry.Registry {
	r := registry.New()
	if err := Add(r, names...); err != nil {
		panic(err)
	}
	return r
}

// Add registers the named built-in actions in r, in the order of [New]; all of
// them when no name is given. A name that is none, or is taken, is an error.
func Add(r *registry.Registry, names ...string) error {
	all := builtins()
	for _, n := range names {
		if !slices.ContainsFunc(all, func(b builtin) bool { return b.spec.Name == n }) {
			return fmt.Errorf("tools: %w: %q", registry.ErrUnknownAction, n)
		}
	}
	for _, b := range all {
		if len(names) > 0 && !slices.Contains(names, b.spec.Name) {
			continue
		}
		if err := r.Add(b.spec, b.fn); err != nil {
			return err
		}
	}
	return nil
}

// ReadOnly lists the built-in actions that change nothing.
func ReadOnly() []string {
	var out []string
	for _, b := range builtins() {
		if b.spec.ReadOnly || b.spec.Name == "done" {
			out = append(out, b.spec.Name)
		}
	}
	return out
}
