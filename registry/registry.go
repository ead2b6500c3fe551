package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-4bdb41d0/webhand/internal/schema"
)

// Registry is an ordered set of actions. It is safe for concurrent use; a change
// during a run counts from the next [Registry.Compile] on, the models that are
// out keep what they have. The zero value is empty and usable; nil is an empty
// registry to which nothing can be added.
//
// The exported fields are settings. Set them before the first Compile.
type Registry struct {
	// Timeout bounds one run of an action whose Spec names none. Zero is one
	// minute.
	Timeout time.Duration
	// Grace is how long a handler may go on after its context ended before it is
	// abandoned. Zero is two seconds.
	Grace time.Duration
	// MaxActions is the most actions that one answer may hold: maxItems of the
	// schema, and enforced by DecodeList. Zero is no limit.
	MaxActions int
	// Logger receives what the model is not told: the stacks of panics, handlers
	// that were abandoned, schemas that a dialect cannot enforce. Nil discards.
	Logger *slog.Logger

	mu    sync.Mutex // serialises changes
	state atomic.Pointer[state]
	said  sync.Map // what was logged once, by dialect and reason
}

// state is a registry between two changes.
type state struct {
	actions []*Action // in registration order
	names   map[string]*Action
	exclude map[string]bool
	only    map[string]bool // nil: no allow list

	base    []*Action // those of actions that every page has
	limited []*Action // those that some pages have

	mu     sync.RWMutex
	models map[string]*Model
}

const (
	defaultTimeout = time.Minute
	defaultGrace   = 2 * time.Second
)

// New returns an empty registry.
func New() *Registry { return &Registry{} }

// load returns the state, which is never nil.
func (r *Registry) load() *state {
	if r != nil {
		if s := r.state.Load(); s != nil {
			return s
		}
	}
	return &state{}
}

// change replaces the state by a changed copy.
func (r *Registry) change(f func(*state) error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	old := r.load()
	s := &state{
		actions: slices.Clone(old.actions),
		names:   maps.Clone(old.names),
		exclude: maps.Clone(old.exclude),
		only:    maps.Clone(old.only),
		models:  make(map[string]*Model),
	}
	if s.names == nil {
		s.names = make(map[string]*Action)
	}
	if err := f(s); err != nil {
		return err
	}
	for _, a := range s.actions {
		switch {
		case !s.allowed(a.spec.Name):
		case a.Restricted():
			s.limited = append(s.limited, a)
		default:
			s.base = append(s.base, a)
		}
	}
	r.state.Store(s)
	return nil
}

// Add registers an action. fn is
//
//	func(ctx context.Context[, params][, dependencies...]) ([string | *Result,] error)
//
// or a [Handler] of such a func. params is a struct with json tags or without
// fields, or an anonymous one, by value or by pointer. Dependencies are pointers,
// interfaces, funcs and named types in any order; they are injected by type from
// [Deps]. Methods and closures do as well.
//
// A handler of plain parameters, func(ctx, seconds int, reason string, ...),
// needs their names: see [Args].
//
// A string result is what the model reads next; "" and nil say nothing. A
// handler's error is read by the model too, see [Call.Run].
//
// Params follow encoding/json: json names, jsonschema keywords
// ("minimum=1,enum=a,enum=b,default=a"), jsonschema_description for prose. A field
// is required unless it has a default, omitempty, omitzero or is a pointer. An
// absent or null optional field gets its default or zero value.
//
// Everything that is wrong is an error here: the signature, the params type, the
// tags, a default that breaks its own limits, the name, the description, a URL
// pattern. A taken name is [ErrDuplicateAction].
func (r *Registry) Add(s Spec, fn any, args ...Arg) error {
	return r.put(s, false, func() (*Action, error) { return newAction(s, fn, args) })
}

// MustAdd is [Registry.Add] for the start of a program: it panics on an error.
func (r *Registry) MustAdd(s Spec, fn any, args ...Arg) {
	if err := r.Add(s, fn, args...); err != nil {
		panic(err)
	}
}

// Replace registers an action in place of the one of the same name, whose
// position in the order it takes. Without one it is [Registry.Add].
func (r *Registry) Replace(s Spec, fn any, args ...Arg) error {
	return r.put(s, true, func() (*Action, error) { return newAction(s, fn, args) })
}

// AddRaw registers an action whose params have a JSON Schema of their own, such
// as a tool of an MCP server. References within the schema are followed, maps
// and unions kept; nothing outside of it is read. The root must be an object;
// no schema at all means no params. A dialect that cannot hold the schema makes
// the whole request non-strict there, which is logged once.
func (r *Registry) AddRaw(s Spec, params json.RawMessage, fn func(context.Context, json.RawMessage) (*Result, error)) error {
	return r.put(s, false, func() (*Action, error) { return newRawAction(s, params, fn) })
}

// ReplaceRaw is [Registry.AddRaw] in place of the action of the same name, as
// [Registry.Replace] is Add. It is for schemas that change while they are used.
func (r *Registry) ReplaceRaw(s Spec, params json.RawMessage, fn func(context.Context, json.RawMessage) (*Result, error)) error {
	return r.put(s, true, func() (*Action, error) { return newRawAction(s, params, fn) })
}

func (r *Registry) put(s Spec, replace bool, build func() (*Action, error)) error {
	fail := func(err error) error { return fmt.Errorf("registry: action %q: %w", shorten(s.Name, 80), err) }
	if r == nil {
		return fail(errors.New("the registry is nil; make one with registry.New"))
	}
	if !actionName.MatchString(s.Name) {
		return fail(errors.New("a name is 1 to 64 lower-case letters, digits and underscores, and starts with a letter"))
	}
	if _, taken := r.load().names[s.Name]; taken && !replace {
		return fail(fmt.Errorf("%w; use Replace if you mean it", ErrDuplicateAction))
	}
	a, err := build()
	if err != nil {
		return fail(err)
	}
	return r.change(func(st *state) error {
		if old, taken := st.names[s.Name]; taken {
			if !replace {
				return fail(fmt.Errorf("%w; use Replace if you mean it", ErrDuplicateAction))
			}
			st.actions[slices.Index(st.actions, old)] = a
		} else {
			st.actions = append(st.actions, a)
		}
		st.names[s.Name] = a
		return nil
	})
}

// Exclude hides actions by name, registered or still to come. [Registry.Lint]
// reports names that match nothing.
func (r *Registry) Exclude(names ...string) {
	if r == nil {
		return
	}
	_ = r.change(func(s *state) error {
		if s.exclude == nil {
			s.exclude = make(map[string]bool)
		}
		for _, n := range names {
			s.exclude[n] = true
		}
		return nil
	})
}

// Only hides all actions but these. A further call narrows the list; without
// names nothing is left. Work on a [Registry.Clone] to widen it again.
// [Registry.Check] reports names that match nothing.
func (r *Registry) Only(names ...string) {
	if r == nil {
		return
	}
	_ = r.change(func(s *state) error {
		only := make(map[string]bool, len(names))
		for _, n := range names {
			if s.only == nil || s.only[n] {
				only[n] = true
			}
		}
		s.only = only
		return nil
	})
}

// Clone returns a registry with the same actions and settings that can be
// changed on its own.
func (r *Registry) Clone() *Registry {
	out := New()
	if r == nil {
		return out
	}
	out.Timeout, out.Grace, out.MaxActions, out.Logger = r.Timeout, r.Grace, r.MaxActions, r.Logger
	r.mu.Lock()
	defer r.mu.Unlock()
	old := r.load()
	out.state.Store(&state{
		actions: old.actions, names: old.names, exclude: old.exclude, only: old.only,
		base: old.base, limited: old.limited, models: make(map[string]*Model),
	})
	return out
}

// allowed reports whether Exclude and Only leave the name alone.
func (s *state) allowed(name string) bool {
	return !s.exclude[name] && (s.only == nil || s.only[name])
}

// All yields the actions that are not excluded, in registration order,
// whatever page they are for.
func (r *Registry) All() iter.Seq[*Action] {
	return func(yield func(*Action) bool) {
		s := r.load()
		for _, a := range s.actions {
			if s.allowed(a.spec.Name) && !yield(a) {
				return
			}
		}
	}
}

// Lookup returns the action of a name, excluded or not.
func (r *Registry) Lookup(name string) (*Action, bool) {
	a, ok := r.load().names[name]
	return a, ok
}

// Check reports, before the first token is spent, every dependency that some
// action needs and deps lacks, as errors that match [ErrMissingDep], and names in
// the Only list that no action has.
func (r *Registry) Check(deps Deps) error {
	s := r.load()
	var errs []error
	for a := range r.All() {
		errs = append(errs, a.needs(deps)...)
	}
	for _, name := range slices.Sorted(maps.Keys(s.only)) {
		if _, ok := s.names[name]; !ok {
			errs = append(errs, fmt.Errorf("registry: Only(%q): %w", name, ErrUnknownAction))
		}
	}
	return errors.Join(errs...)
}

// Call runs an action by name, as a model's choice of it would run, and is meant
// for unit tests of handlers. args is anything that encodes to the JSON of the
// params: the params struct, a map, raw JSON, or nil. The page comes from deps
// ([Page] or [PageFunc]); an action with Domains is refused without one.
func (r *Registry) Call(ctx context.Context, name string, args any, deps Deps) (*Result, error) {
	s := r.load()
	a, ok := s.names[name]
	if !ok {
		return nil, unknownAction(name, slices.Sorted(maps.Keys(s.names)))
	}
	if !s.allowed(name) {
		return nil, fmt.Errorf("%q: %w (it is excluded)", name, ErrNotAvailable)
	}
	raw, err := encodeArgs(args)
	if err != nil {
		return nil, fmt.Errorf("registry: action %q: arguments: %w", name, err)
	}
	c, err := a.decode(r, raw)
	if err != nil {
		return nil, err
	}
	if err := c.check(ctx, deps); err != nil {
		return nil, err
	}
	return c.Run(ctx, deps)
}

func encodeArgs(args any) (json.RawMessage, error) {
	switch v := args.(type) {
	case nil:
		return json.RawMessage("{}"), nil
	case json.RawMessage:
		return v, nil
	case []byte:
		return v, nil
	default:
		return json.Marshal(v)
	}
}

// settings of a registry that may be nil.
func (r *Registry) logger() *slog.Logger {
	if r == nil || r.Logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return r.Logger
}

func (r *Registry) timeout(s *Spec) time.Duration {
	switch {
	case s.Timeout > 0:
		return s.Timeout
	case r != nil && r.Timeout > 0:
		return r.Timeout
	default:
		return defaultTimeout
	}
}

func (r *Registry) grace() time.Duration {
	if r != nil && r.Grace > 0 {
		return r.Grace
	}
	return defaultGrace
}

func unknownAction(name string, known []string) error {
	text := fmt.Sprintf("%q", shorten(name, 64))
	if s := schema.Suggest(name, known); s != "" {
		text += fmt.Sprintf(" (did you mean %q?)", s)
	}
	return fmt.Errorf("%w: %s%s", ErrUnknownAction, text, listed("available", known, maxMessage-len(text)-40))
}

// listed writes as many names as fit into n characters.
func listed(what string, names []string, n int) string {
	if len(names) == 0 {
		return "; no action is available"
	}
	out := "; " + what + ": " + strings.Join(names, ", ")
	for i := len(names) - 1; len(out) > n && i > 0; i-- {
		out = fmt.Sprintf("; %s: %s and %d more", what, strings.Join(names[:i], ", "), len(names)-i)
	}
	return out
}
