package browser

import (
	"context"
	"fmt"
	"time"

	"github.com/seed-4bdb41d0/webhand/dom"
)

// Markdown extracts the content of the current tab as Markdown, cross-site
// frames and shadow roots included, from a walk of its own: it never reads an
// older look at the page. [dom.Chunks] and [dom.ChunkAt] cut it.
func (s *Session) Markdown(ctx context.Context, o dom.MarkdownOptions) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, 20*time.Second, errStateTimeout)
	defer cancel()
	t, err := s.active(ctx)
	if err != nil {
		return "", err
	}
	top, frames, _, err := t.capture(ctx, dom.WalkOptions{Markdown: true, Limit: 10 * time.Second})
	if err != nil {
		return "", fmt.Errorf("browser: read the page: %w", err)
	}
	return dom.Markdown(top, frames, o), nil
}
