package llm

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/seed-4bdb41d0/webhand/llm/internal/scrub"
)

// LogConfig says what is logged of a call.
type LogConfig struct {
	// Logger receives one record a call: Info when it succeeds, Warn when not.
	Logger *slog.Logger
	// Content adds the last message and the answer, at level Debug.
	Content bool
	// Redact is applied to every text that is logged, after keys are taken
	// out. Nil changes nothing.
	Redact func(string) string
}

// Log returns a client whose calls are logged: model, method, tokens, time,
// and the failure with the beginning of an answer that could not be used.
func Log(c Client, cfg LogConfig) Client { return &logged{wrapped{c}, cfg} }

type logged struct {
	wrapped
	cfg LogConfig
}

func (l *logged) Complete(ctx context.Context, req *Request) (*Response, error) {
	start := time.Now()
	resp, err := l.Client.Complete(ctx, req)
	log := l.cfg.Logger
	if log == nil {
		return resp, err
	}
	d := l.Describe()
	attrs := []slog.Attr{
		slog.String("provider", d.Provider), slog.String("model", d.Model),
		slog.Int("messages", len(req.Messages)), slog.Duration("took", time.Since(start)),
	}
	if err != nil {
		log.LogAttrs(ctx, slog.LevelWarn, "model call failed", append(attrs, l.failure(err)...)...)
	} else {
		log.LogAttrs(ctx, slog.LevelInfo, "model call", append(attrs,
			slog.String("answered", resp.Model), slog.String("method", resp.Rung), slog.String("finish", string(resp.Finish)),
			slog.Int("input", resp.Usage.Input), slog.Int("cached", resp.Usage.Cached), slog.Int("output", resp.Usage.Output),
			slog.Any("notes", resp.Notes))...)
	}
	if l.cfg.Content && log.Enabled(ctx, slog.LevelDebug) {
		attrs := []slog.Attr{slog.String("asked", l.clean(lastText(req)))}
		if resp != nil {
			attrs = append(attrs, slog.String("answer", l.clean(resp.Text)))
		}
		log.LogAttrs(ctx, slog.LevelDebug, "model call content", attrs...)
	}
	return resp, err
}

func (l *logged) failure(err error) []slog.Attr {
	attrs := []slog.Attr{slog.String("error", l.clean(err.Error()))}
	var e *Error
	if errors.As(err, &e) {
		attrs = append(attrs, slog.Int("status", e.Status), slog.Duration("retry_after", e.RetryAfter))
		if e.Answer != "" {
			attrs = append(attrs, slog.String("answer", l.clean(quoteStart(e.Answer))))
		}
	}
	return attrs
}

func (l *logged) clean(s string) string {
	s = scrub.Text(s, nil)
	if l.cfg.Redact != nil {
		s = l.cfg.Redact(s)
	}
	return s
}

func lastText(req *Request) string {
	if len(req.Messages) == 0 {
		return ""
	}
	return req.Messages[len(req.Messages)-1].Text()
}
