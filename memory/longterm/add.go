package longterm

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/seed-4bdb41d0/webhand/memory/embed"
)

// AddOptions says whose memory an add is and how it is done.
type AddOptions struct {
	Scope
	// Metadata is kept with every memory the call adds, and laid over that of
	// every memory it updates. Plain JSON values, at most 64 KB. Keys that name
	// fields of a memory, such as user_id, are left out with a warning.
	Metadata map[string]any
	// NoInfer stores the messages as they are and asks no model.
	NoInfer bool
	// Type is empty, or Procedural for a record of how something was done,
	// which needs AgentID.
	Type Type
	// Prompt takes the place of Config.Instructions for this call; with
	// Procedural it takes the place of the system prompt.
	Prompt string
	// ExpiresOn is the last day on which the memories are seen, as
	// YYYY-MM-DD in UTC. Empty means they do not expire.
	ExpiresOn string
	// Among limits the memories that the conversation is compared with and
	// that it may change or delete; the zero Filter is all of the scope. With
	// one, recent messages of others are not looked at either.
	Among Filter
}

const (
	maxMetadata   = 64 << 10
	maxTranscript = 1 << 20 // bytes of conversation that one add takes
	keepTurns     = 10
)

// reserved are the names of a memory's own fields. Metadata may not use them.
var reserved = []string{"id", "memory", "data", "hash", "score", "metadata", "created_at", "updated_at", "user_id",
	"agent_id", "run_id", "actor_id", "role", "attributed_to", "expiration_date", "memory_type"}

// Add remembers a conversation and returns what it changed: memories added,
// updated or deleted. Nothing worth keeping is an empty result and no error.
//
// The error matches ErrNoScope, ErrInvalidID, ErrInvalidMessages,
// ErrInvalidMemoryType, ErrInvalidDate, ErrInvalidMetadata for bad input,
// ErrNoLLM, ErrLLM, ErrVision, ErrEmbedder or ErrEmbedderMismatch for a model
// that is missing, failed or does not fit, and ErrStore. After an error
// nothing of this call is stored.
func (m *Memory) Add(ctx context.Context, messages []Message, o AddOptions) (AddResult, error) {
	if err := m.open(); err != nil {
		return AddResult{}, err
	}
	return m.add(ctx, messages, o)
}

// add is Add without the look whether the memory is closed: Close waits for
// adds in the background, which must still run then.
func (m *Memory) add(ctx context.Context, messages []Message, o AddOptions) (AddResult, error) {
	a, err := m.checkAdd(messages, o)
	if err != nil {
		return AddResult{}, fmt.Errorf("add: %w", err)
	}
	var res AddResult
	switch {
	case o.Type == Procedural:
		res, err = m.addProcedural(ctx, a)
	default:
		res, err = m.addFacts(ctx, a)
	}
	if err != nil {
		return AddResult{}, fmt.Errorf("add: %w", err)
	}
	res.Warnings = append(a.warnings, res.Warnings...)
	for _, w := range res.Warnings {
		m.log.Warn("memory add", "warning", w)
	}
	if res.Results == nil {
		res.Results = []Change{}
	}
	return res, nil
}

// adding is a checked call of Add.
type adding struct {
	AddOptions
	messages []Message
	warnings []string
}

func (m *Memory) checkAdd(messages []Message, o AddOptions) (*adding, error) {
	var err error
	if o.Scope, err = o.Scope.Check(); err != nil {
		return nil, err
	}
	switch {
	case o.Type != "" && o.Type != Procedural:
		return nil, fmt.Errorf("%w %q: leave it out, or use %q", ErrInvalidMemoryType, o.Type, Procedural)
	case o.Type == Procedural && o.AgentID == "":
		return nil, fmt.Errorf("%w: %q needs an agent_id", ErrInvalidMemoryType, Procedural)
	}
	if o.ExpiresOn != "" {
		if err := CheckDate(o.ExpiresOn); err != nil {
			return nil, err
		}
	}
	if err := o.Among.Check(); err != nil {
		return nil, err
	}
	if len(messages) == 0 {
		return nil, fmt.Errorf("%w: none given", ErrInvalidMessages)
	}
	a := &adding{AddOptions: o}
	if a.Metadata, a.warnings, err = m.checkMetadata(o.Metadata); err != nil {
		return nil, err
	}
	size := 0
	for i, msg := range messages {
		if msg.Content != "" && msg.Parts != nil {
			return nil, fmt.Errorf("%w: number %d has both Content and Parts", ErrInvalidMessages, i)
		}
		msg.Content = m.redact(msg.Content)
		msg.Name = m.redact(msg.Name)
		msg.Parts = slices.Clone(msg.Parts)
		for j := range msg.Parts {
			msg.Parts[j].Text = m.redact(msg.Parts[j].Text)
		}
		size += len(msg.text())
		a.messages = append(a.messages, msg)
	}
	if size > maxTranscript {
		return nil, fmt.Errorf("%w: %d bytes of text, at most %d; add it in pieces", ErrInvalidMessages, size, maxTranscript)
	}
	return a, nil
}

// checkMetadata brings metadata to plain JSON values.
func (m *Memory) checkMetadata(md map[string]any) (map[string]any, []string, error) {
	if len(md) == 0 {
		return nil, nil, nil
	}
	var warnings []string
	keep := make(map[string]any, len(md))
	for k, v := range md {
		if slices.Contains(reserved, k) {
			warnings = append(warnings, fmt.Sprintf("metadata key %q names a field of the memory and was left out", k))
			continue
		}
		keep[k] = v
	}
	sort.Strings(warnings)
	b, err := json.Marshal(keep)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %v", ErrInvalidMetadata, err)
	}
	if len(b) > maxMetadata {
		return nil, nil, fmt.Errorf("%w: %d bytes, at most %d", ErrInvalidMetadata, len(b), maxMetadata)
	}
	out := make(map[string]any)
	if err := json.Unmarshal(b, &out); err != nil {
		return nil, nil, fmt.Errorf("%w: %v", ErrInvalidMetadata, err)
	}
	if m.cfg.Redact != nil {
		for k, v := range out {
			out[k] = m.redactValue(v)
		}
	}
	if len(out) == 0 {
		return nil, warnings, nil
	}
	return out, warnings, nil
}

func (m *Memory) redactValue(v any) any {
	switch x := v.(type) {
	case string:
		return m.redact(x)
	case []any:
		for i := range x {
			x[i] = m.redactValue(x[i])
		}
	case map[string]any:
		for k := range x {
			x[k] = m.redactValue(x[k])
		}
	}
	return v
}

func (m *Memory) addFacts(ctx context.Context, a *adding) (AddResult, error) {
	if err := m.seeImages(ctx, a); err != nil {
		return AddResult{}, err
	}
	if a.NoInfer {
		return m.addVerbatim(ctx, a)
	}
	if m.cfg.LLM == nil {
		return AddResult{}, fmt.Errorf("%w: set Config.LLM, or add with NoInfer to store the messages as they are", ErrNoLLM)
	}
	if m.cfg.Pipeline == Additive {
		return m.addAdditive(ctx, a)
	}
	return m.addTwoPhase(ctx, a)
}

// addVerbatim stores every message but the system's as one memory.
func (m *Memory) addVerbatim(ctx context.Context, a *adding) (AddResult, error) {
	var texts []string
	var from []Message
	for _, msg := range a.messages {
		switch {
		case msg.Role == "system":
		case msg.Role == "" || strings.TrimSpace(msg.Content) == "":
			a.warnings = append(a.warnings, "a message without role or text was left out")
		default:
			texts = append(texts, msg.Content)
			from = append(from, msg)
		}
	}
	vectors, fp, err := m.embed(ctx, texts, embed.Document)
	if err != nil {
		return AddResult{}, err
	}
	b := Batch{Scope: a.Scope, At: m.now(), Fingerprint: fp}
	for i, text := range texts {
		r := m.record(a, text, vectors[i], b)
		r.Role, r.ActorID = from[i].Role, from[i].Name
		b.Writes = append(b.Writes, Write{Add: r, HistoryID: newID()})
	}
	if len(b.Writes) == 0 {
		return AddResult{}, nil
	}
	out, err := m.apply(ctx, b)
	if err != nil {
		return AddResult{}, storeErr(err)
	}
	var res AddResult
	for i, o := range out {
		if o.Applied {
			res.Results = append(res.Results, Change{ID: o.Record.ID, Memory: o.Record.Text, Event: EventAdd,
				Role: from[i].Role, ActorID: from[i].Name, verbatim: true})
		}
	}
	return res, nil
}

// record returns a new record of a's scope.
func (m *Memory) record(a *adding, text string, vector []float32, b Batch) *Record {
	return &Record{
		ID: newID(), Scope: a.Scope, Text: text, Hash: hashOf(text), Metadata: a.Metadata, ExpiresOn: a.ExpiresOn,
		CreatedAt: b.At, UpdatedAt: b.At, Vector: vector, Tokens: tokens(text),
	}
}

// comparable is the condition on memories that an add may look at.
func (a *adding) comparable() Filter {
	return And(Where("memory_type", OpNe, string(Procedural)), a.Among)
}

// unique says whether an exact duplicate is looked for in the whole scope:
// to skip an add because of a memory that may not be looked at would tell that
// it exists.
func (a *adding) unique() bool { return a.Among.IsZero() }

// turns are the messages of an add that are kept as recent ones.
func (m *Memory) turns(a *adding, b *Batch) {
	if m.cfg.NoRecent || !a.Among.IsZero() {
		return
	}
	b.KeepTurns = keepTurns
	for _, msg := range a.messages {
		if spoken(msg.Role) && msg.Content != "" {
			b.Turns = append(b.Turns, Turn{Role: msg.Role, Name: msg.Name, Content: msg.Content, At: b.At})
		}
	}
}

// spoken reports whether facts may come from messages of this role.
func spoken(role string) bool { return role == "user" || role == "assistant" }
