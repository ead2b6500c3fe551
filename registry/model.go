package registry

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"sync"

	"github.com/seed-4bdb41d0/webhand/internal/schema"
	"github.com/seed-4bdb41d0/webhand/internal/urlmatch"
	"github.com/seed-4bdb41d0/webhand/llm"
)

// Model is what the language model may choose from on a page: the actions that
// are available there, those for every page first, in registration order. It
// never changes and is safe for concurrent use.
type Model struct {
	reg     *Registry
	st      *state
	actions []*Action
	base    int // how many of them are available on every page
	index   map[string]*Action
	max     int

	schemas   sync.Map // schemaKey -> []byte
	envelopes sync.Map // reflect.Type -> *envelope
}

// Compile returns the model for a page. Pages with the same available actions
// share one Model, and with it the bytes of its schemas, which is what
// providers' prompt and grammar caches live on.
func (r *Registry) Compile(p Page) *Model {
	s := r.load()
	limit := 0
	if r != nil {
		limit = r.MaxActions
	}
	var buf [64]byte
	key := strconv.AppendInt(buf[:0], int64(limit), 10)
	key = append(key, ':')
	bits := len(key)
	if len(s.limited) > 0 {
		u, isURL := urlmatch.ParseURL(p.URL)
		for i, a := range s.limited {
			if i%8 == 0 {
				key = append(key, 0)
			}
			if r.visible(a, p, u, isURL) {
				key[len(key)-1] |= 1 << (i % 8)
			}
		}
	}
	s.mu.RLock()
	m := s.models[string(key)]
	s.mu.RUnlock()
	if m != nil {
		return m
	}
	m = r.newModel(s, key[bits:], limit)
	if s.models == nil { // the registry is nil or was never added to
		return m
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if earlier := s.models[string(key)]; earlier != nil {
		return earlier
	}
	if len(s.models) >= mostModels {
		clear(s.models) // each is cheap to make again
	}
	s.models[string(key)] = m
	return m
}

// mostModels bounds the cache of a process that sees pages without end.
const mostModels = 256

// visible is availableOn with a condition of the user's that may panic.
func (r *Registry) visible(a *Action, p Page, u urlmatch.URL, isURL bool) (ok bool) {
	if a.spec.When == nil {
		return a.availableOn(p, u, isURL)
	}
	defer func() {
		if v := recover(); v != nil {
			r.logger().Error("registry: When panicked; the action is hidden", "action", a.spec.Name, "panic", v)
			ok = false
		}
	}()
	return a.availableOn(p, u, isURL)
}

func (r *Registry) newModel(s *state, bits []byte, limit int) *Model {
	m := &Model{reg: r, st: s, max: limit, base: len(s.base), actions: slices.Clone(s.base)}
	for i, a := range s.limited {
		if bits[i/8]&(1<<(i%8)) != 0 {
			m.actions = append(m.actions, a)
		}
	}
	m.index = make(map[string]*Action, len(m.actions))
	for _, a := range m.actions {
		m.index[a.spec.Name] = a
	}
	return m
}

// Names lists the actions in the order of the schema.
func (m *Model) Names() []string {
	out := make([]string, len(m.actions))
	for i, a := range m.actions {
		out[i] = a.spec.Name
	}
	return out
}

// Action returns an available action by name.
func (m *Model) Action(name string) (*Action, bool) {
	a, ok := m.index[name]
	return a, ok
}

// branch is one action's alternative in the union of a dialect.
type branch struct {
	text      []byte
	defs      []byte // members of $defs
	obstacles []string
}

// branch renders the alternative once and keeps it.
func (a *Action) branch(d llm.Dialect) (*branch, error) {
	if b, ok := a.union.Load(d); ok {
		return b.(*branch), nil
	}
	w, err := schema.NewWriter(d)
	if err != nil {
		return nil, err
	}
	w.DefPrefix = a.spec.Name + "."
	b := &branch{obstacles: a.node.Obstacles(d)}
	b.text, b.defs = w.Branch(a.spec.Name, a.spec.Description, a.node)
	kept, _ := a.union.LoadOrStore(d, b)
	return kept.(*branch), nil
}

type schemaKey struct {
	dialect  llm.Dialect
	envelope reflect.Type
}

// Schema renders the shape of an answer: an object with the fields of the
// envelope, a struct or nil, and after them "action", a list of one-key objects.
// The bytes are kept and shared: they must not be changed. Without any action
// the error is [ErrNoActions].
func (m *Model) Schema(d llm.Dialect, envelope any) (json.RawMessage, error) {
	key := schemaKey{d, reflect.TypeOf(envelope)}
	if b, ok := m.schemas.Load(key); ok {
		return b.([]byte), nil
	}
	if len(m.actions) == 0 {
		return nil, fmt.Errorf("registry: %w", ErrNoActions)
	}
	env, err := m.envelope(key.envelope)
	if err != nil {
		return nil, err
	}
	w, err := schema.NewWriter(d)
	if err != nil {
		return nil, fmt.Errorf("registry: %w", err)
	}
	var branches, defs [][]byte
	for _, a := range m.actions {
		b, err := a.branch(d)
		if err != nil {
			return nil, fmt.Errorf("registry: %w", err)
		}
		branches = append(branches, b.text)
		if len(b.defs) > 0 {
			defs = append(defs, b.defs)
		}
	}
	b, _ := m.schemas.LoadOrStore(key, w.Answer(env.node, branches, defs, m.max))
	m.sayStrict(d)
	return b.([]byte), nil
}

// envelope is the struct around the list of actions.
type envelope struct {
	node *schema.Node
	text string // the whole answer in words
}

// noEnvelope is the key of the envelope without fields.
type noEnvelope struct{}

// envelope reflects a struct type, once; nil has no fields.
func (m *Model) envelope(t reflect.Type) (*envelope, error) {
	if t == nil {
		t = reflect.TypeFor[noEnvelope]()
	}
	if e, ok := m.envelopes.Load(t); ok {
		return e.(*envelope), nil
	}
	n, err := schema.Of(t)
	if err != nil {
		return nil, fmt.Errorf("registry: envelope: %w", err)
	}
	if _, taken := n.Prop("action"); taken {
		return nil, fmt.Errorf("registry: envelope %s: the field \"action\" is the list of actions; name yours otherwise", t)
	}
	e, _ := m.envelopes.LoadOrStore(t, &envelope{node: n, text: m.answerText(n)})
	return e.(*envelope), nil
}

// Strict reports whether a provider of the dialect can enforce the schema
// strictly: no foreign schema or map that it cannot hold, no ceiling passed.
func (m *Model) Strict(d llm.Dialect) bool {
	holds, over := m.notStrict(d, nil)
	return len(holds) == 0 && over == ""
}

// notStrict says why the dialect cannot enforce the schema, action by action,
// and which of its ceilings the whole passes.
func (m *Model) notStrict(d llm.Dialect, env *schema.Node) (holds []string, over string) {
	var t schema.Tally
	if env != nil {
		t.Add(env, 0)
		for _, o := range env.Obstacles(d) {
			holds = append(holds, "the envelope holds "+o)
		}
	}
	for _, a := range m.actions {
		b, err := a.branch(d)
		if err != nil {
			return []string{err.Error()}, ""
		}
		for _, o := range b.obstacles {
			holds = append(holds, "action "+a.spec.Name+" holds "+o)
		}
		t.Add(a.node, 3) // the root, the list, the one-key object
	}
	t.Union(m.Names()...)
	return holds, t.Over(d)
}

// sayStrict logs, once for each dialect and reason, why a request is not strict.
func (m *Model) sayStrict(d llm.Dialect) {
	if m.reg == nil || d == llm.Canonical || d == "" {
		return
	}
	say := func(key, why string) {
		if _, said := m.reg.said.LoadOrStore(string(d)+"\x00"+key, true); !said {
			m.reg.logger().Info("registry: the schema cannot be enforced strictly", "dialect", string(d), "reason", why)
		}
	}
	holds, over := m.notStrict(d, nil)
	for _, why := range holds {
		say(why, why)
	}
	if over != "" { // the counts differ from page to page
		say("ceiling", over)
	}
}

// Format asks for an answer of this model's shape: name is a short identifier
// such as "agent_output", envelope as for [Model.Schema].
func (m *Model) Format(name string, envelope any) *llm.Format {
	f := &llm.Format{
		Name:   name,
		Schema: func(d llm.Dialect) (json.RawMessage, error) { return m.Schema(d, envelope) },
		Strict: func(llm.Dialect) bool { return false },
	}
	env, err := m.envelope(reflect.TypeOf(envelope))
	if err != nil {
		return f // Schema says what is wrong with it
	}
	f.Text = env.text
	f.Strict = func(d llm.Dialect) bool {
		holds, over := m.notStrict(d, env.node)
		return len(holds) == 0 && over == ""
	}
	return f
}
