package longterm

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-4bdb41d0/webhand/memory/embed"
)

// ListOptions says which memories to list.
type ListOptions struct {
	Scope
	// All lists everybody's memories; otherwise Scope is required.
	All         bool
	Filter      Filter
	Limit       int    // 0 means 20, at most 1000
	Cursor      string // ListResult.Next of the page before
	ShowExpired bool
}

// Patch says what an update changes. Nil fields stay as they are.
type Patch struct {
	Text *string
	// Metadata is laid over the memory's; a nil value removes a key.
	Metadata  map[string]any
	ExpiresOn *string // YYYY-MM-DD; "" makes the memory stay for ever
}

// Get returns one memory. The error matches [ErrNotFound] when there is none
// with that id.
func (m *Memory) Get(ctx context.Context, id string) (*Item, error) {
	if err := m.open(); err != nil {
		return nil, err
	}
	r, err := m.store.Get(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("get memory: %w", storeErr(err))
	}
	it := r.Item()
	return &it, nil
}

// List returns the memories of a scope, newest first.
func (m *Memory) List(ctx context.Context, o ListOptions) (ListResult, error) {
	res := ListResult{Results: []Item{}}
	if err := m.open(); err != nil {
		return res, err
	}
	var err error
	if !o.All || !o.Scope.IsZero() {
		if o.Scope, err = o.Scope.Check(); err != nil {
			return res, fmt.Errorf("list memories: %w", err)
		}
	}
	if err := o.Filter.Check(); err != nil {
		return res, fmt.Errorf("list memories: %w", err)
	}
	if o.Limit, err = checkLimit(o.Limit); err != nil {
		return res, fmt.Errorf("list memories: %w", err)
	}
	l := StoreList{Scope: o.Scope, Filter: o.Filter, Limit: o.Limit, Cursor: o.Cursor}
	if !o.ShowExpired {
		l.Today = m.today()
	}
	rs, next, err := m.store.List(ctx, l)
	if err != nil {
		return res, fmt.Errorf("list memories: %w", storeErr(err))
	}
	for i := range rs {
		res.Results = append(res.Results, rs[i].Item())
	}
	res.Next = next
	return res, nil
}

// Update changes a memory and returns it as it is then.
func (m *Memory) Update(ctx context.Context, id string, p Patch) (*Item, error) {
	if err := m.open(); err != nil {
		return nil, err
	}
	u := Update{ID: id, ExpiresOn: p.ExpiresOn}
	if p.Text == nil && p.ExpiresOn == nil && p.Metadata == nil {
		return nil, fmt.Errorf("update memory: %w: give a text, metadata or an expiry", ErrNothingToUpdate)
	}
	if p.ExpiresOn != nil && *p.ExpiresOn != "" {
		if err := CheckDate(*p.ExpiresOn); err != nil {
			return nil, fmt.Errorf("update memory: %w", err)
		}
	}
	md, warnings, err := m.checkMetadata(p.Metadata)
	if err != nil {
		return nil, fmt.Errorf("update memory: %w", err)
	}
	for _, w := range warnings {
		m.log.Warn("memory update", "warning", w)
	}
	if p.Text == nil && p.ExpiresOn == nil && md == nil {
		return nil, fmt.Errorf("update memory: %w: all keys of the metadata name fields of the memory", ErrNothingToUpdate)
	}
	u.Merge = md
	b := Batch{At: m.now()}
	if p.Text != nil {
		text := strings.TrimSpace(m.redact(*p.Text))
		if text == "" {
			return nil, fmt.Errorf("update memory: %w: the text is blank; delete the memory instead", ErrInvalidMessages)
		}
		if _, err := m.store.Get(ctx, id); err != nil {
			return nil, fmt.Errorf("update memory: %w", storeErr(err))
		}
		vs, fp, err := m.embed(ctx, []string{text}, embed.Document)
		if err != nil {
			return nil, fmt.Errorf("update memory: %w", err)
		}
		u.Text, u.Hash, u.Vector, u.Tokens = &text, hashOf(text), vs[0], tokens(text)
		b.Fingerprint = fp
	}
	b.Writes = []Write{{Update: &u, HistoryID: newID()}}
	out, err := m.apply(ctx, b)
	if err != nil {
		return nil, fmt.Errorf("update memory: %w", storeErr(err))
	}
	if !out[0].Applied {
		return nil, fmt.Errorf("update memory: %w: %q", ErrNotFound, id)
	}
	it := out[0].Record.Item()
	return &it, nil
}

// Delete deletes one memory. Its history stays; see [Memory.Purge].
func (m *Memory) Delete(ctx context.Context, id string) error {
	if err := m.open(); err != nil {
		return err
	}
	out, err := m.apply(ctx, Batch{At: m.now(), Writes: []Write{{Delete: id, HistoryID: newID()}}})
	if err != nil {
		return fmt.Errorf("delete memory: %w", storeErr(err))
	}
	if !out[0].Applied {
		return fmt.Errorf("delete memory: %w: %q", ErrNotFound, id)
	}
	return nil
}

// DeleteAll deletes the memories of a scope and returns how many. The history
// keeps their texts and the recent messages stay; [Memory.Purge] leaves
// nothing.
func (m *Memory) DeleteAll(ctx context.Context, s Scope) (int, error) {
	return m.DeleteWhere(ctx, s, Filter{})
}

// DeleteWhere deletes the memories of a scope that pass the filter.
func (m *Memory) DeleteWhere(ctx context.Context, s Scope, f Filter) (int, error) {
	if err := m.open(); err != nil {
		return 0, err
	}
	s, err := s.Check()
	if err != nil {
		return 0, fmt.Errorf("delete all memories: %w (Reset deletes everything)", err)
	}
	if err := f.Check(); err != nil {
		return 0, fmt.Errorf("delete all memories: %w", err)
	}
	n, err := m.store.DeleteWhere(ctx, s, f, m.now(), newID)
	if err != nil {
		return 0, fmt.Errorf("delete all memories: %w", storeErr(err))
	}
	return n, nil
}

// Purge removes every trace of a scope: memories, history and recent
// messages. It returns the number of memories that went.
func (m *Memory) Purge(ctx context.Context, s Scope) (int, error) {
	if err := m.open(); err != nil {
		return 0, err
	}
	s, err := s.Check()
	if err != nil {
		return 0, fmt.Errorf("purge: %w (Reset removes everything)", err)
	}
	n, err := m.store.Purge(ctx, s)
	if err != nil {
		return 0, fmt.Errorf("purge: %w", storeErr(err))
	}
	return n, nil
}

// History returns what happened to a memory, oldest first, also after it was
// deleted. An id that never existed has an empty history.
func (m *Memory) History(ctx context.Context, id string) ([]HistoryRow, error) {
	if err := m.open(); err != nil {
		return nil, err
	}
	hs, err := m.store.History(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("history: %w", storeErr(err))
	}
	if hs == nil {
		hs = []HistoryRow{}
	}
	return hs, nil
}

// Entities returns the users, agents and runs that have memories, at most
// limit of them.
func (m *Memory) Entities(ctx context.Context, limit int) ([]Entity, error) {
	if err := m.open(); err != nil {
		return nil, err
	}
	es, err := m.store.Entities(ctx, limit)
	if err != nil {
		return nil, fmt.Errorf("entities: %w", storeErr(err))
	}
	if es == nil {
		es = []Entity{}
	}
	return es, nil
}

// Count returns how many memories a scope has, expired ones included.
func (m *Memory) Count(ctx context.Context, s Scope) (int, error) {
	if err := m.open(); err != nil {
		return 0, err
	}
	s, err := s.Check()
	if err != nil {
		return 0, fmt.Errorf("count memories: %w", err)
	}
	n, err := m.store.Count(ctx, s, Filter{})
	if err != nil {
		return 0, fmt.Errorf("count memories: %w", storeErr(err))
	}
	return n, nil
}

// Reset removes all memories of everybody, their history and all messages.
func (m *Memory) Reset(ctx context.Context) error {
	if err := m.open(); err != nil {
		return err
	}
	if err := m.store.Reset(ctx); err != nil {
		return fmt.Errorf("reset: %w", storeErr(err))
	}
	return nil
}
