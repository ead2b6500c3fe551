package browser

import (
	"context"
	"time"
)

// How long the first look after an action waits for what the action set off:
// for changes of the page alone, and when the page is asking a server.
const (
	restTime   = time.Second
	answerTime = 3 * time.Second
)

// stir begins to watch what an action sets off, for the next look at the page.
// Further actions before that look are part of the same watch.
func (t *tab) stir(ctx context.Context) {
	if waitsItself(ctx) {
		return
	}
	t.mu.Lock()
	watched := t.astir != nil
	t.mu.Unlock()
	if watched {
		return
	}
	a := t.watchActivity(ctx)
	t.mu.Lock()
	if t.astir == nil {
		t.astir, a = a, nil
	}
	t.mu.Unlock()
	if a != nil {
		a.stop()
	}
}

// rest waits until what the actions since the last look set off has come to
// rest: a list that is asked for, a panel that slides or fades. A page that
// never rests is looked at as it is.
func (t *tab) rest(ctx context.Context) {
	t.mu.Lock()
	a := t.astir
	t.astir = nil
	t.mu.Unlock()
	if a == nil {
		return
	}
	defer a.stop()
	if waitsItself(ctx) {
		return
	}
	begun := time.Now()
	settled, err := a.waitUntil(ctx, begun.Add(restTime))
	if err == nil && settled.Loading && t.waiting() {
		_, _ = a.waitUntil(ctx, begun.Add(min(answerTime, t.owner.cfg.ReadyTimeout)))
	}
}

// waiting reports whether the page is on its way to another document or waits
// for an answer.
func (t *tab) waiting() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	return t.nav.loading(now) || t.net.busyFor(now, 0) > 0
}
