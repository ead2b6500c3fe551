package browser

import (
	"context"
	"time"
)

// onlyLoaded marks contexts of WhenLoaded.
type onlyLoaded struct{}

// WhenLoaded returns a context for callers that wait by themselves for what
// they need next, as a replay does: with it, opening a page ends with the
// page's load event instead of its quiet, still under Config.ReadyTimeout.
func WhenLoaded(ctx context.Context) context.Context {
	return context.WithValue(ctx, onlyLoaded{}, true)
}

// WhenQuiet takes WhenLoaded back.
func WhenQuiet(ctx context.Context) context.Context {
	return context.WithValue(ctx, onlyLoaded{}, nil)
}

// waitsItself reports whether ctx comes from WhenLoaded.
func waitsItself(ctx context.Context) bool { return ctx.Value(onlyLoaded{}) != nil }

// loaded waits for the load event, for at most d, when the context asks for no
// more; ok says that it does.
func (t *tab) loaded(ctx context.Context, d time.Duration) (nav *Navigation, ok bool) {
	if !waitsItself(ctx) {
		return nil, false
	}
	lctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	err := t.waitFor(lctx, func() bool { return t.life.load })
	u, _ := t.info()
	t.mu.Lock()
	defer t.mu.Unlock()
	nav = &Navigation{URL: u, Status: t.net.status[t.life.loader], Loading: err != nil}
	if nav.Loading {
		nav.Reason = "its load event has not come"
	}
	return nav, true
}
