package longterm

import (
	"context"
	"fmt"
)

// Pending is an add under way.
type Pending struct {
	done chan struct{}
	res  AddResult
	err  error
}

// Wait returns what the add did, or the error of ctx when that ends first.
// The add goes on then.
func (p *Pending) Wait(ctx context.Context) (AddResult, error) {
	select {
	case <-p.done:
		return p.res, p.err
	case <-ctx.Done():
		return AddResult{}, fmt.Errorf("waiting for an add: %w", ctx.Err())
	}
}

// Done is closed when the add has ended.
func (p *Pending) Done() <-chan struct{} { return p.done }

// AsyncAdd is [Memory.Add] in the background. It checks its input before it
// returns, outlives ctx, whose values it keeps, ends after
// Config.AsyncTimeout at the latest, and is waited for by Close. At most eight
// run at a time; further ones wait their turn.
func (m *Memory) AsyncAdd(ctx context.Context, messages []Message, o AddOptions) (*Pending, error) {
	if _, err := m.checkAdd(messages, o); err != nil {
		return nil, fmt.Errorf("add: %w", err)
	}
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return nil, ErrClosed
	}
	m.working.Add(1)
	m.mu.Unlock()
	p := &Pending{done: make(chan struct{})}
	messages = append([]Message(nil), messages...)
	go func() {
		defer m.working.Done()
		defer close(p.done)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), m.cfg.AsyncTimeout)
		defer cancel()
		select {
		case m.slots <- struct{}{}:
			defer func() { <-m.slots }()
		case <-ctx.Done():
			p.err = fmt.Errorf("add: %w", ctx.Err())
			return
		}
		p.res, p.err = m.add(ctx, messages, o)
		if p.err != nil {
			m.log.Warn("memory add in the background failed", "err", p.err)
		}
	}()
	return p, nil
}
