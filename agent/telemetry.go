package agent

import (
	"context"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/seed-4bdb41d0/webhand/llm"
)

const scope = "github.com/seed-4bdb41d0/webhand/agent"

// telemetry holds the spans and metrics of an agent. It goes through
// OpenTelemetry's API only: without a provider that the program sets, every
// call is a no-op.
type telemetry struct {
	tracer trace.Tracer
	steps  metric.Int64Counter
	calls  metric.Int64Counter
	acts   metric.Int64Counter
	tokens metric.Int64Counter
	took   metric.Float64Histogram
}

func newTelemetry(cfg Config) *telemetry {
	tp, mp := cfg.TracerProvider, cfg.MeterProvider
	if tp == nil {
		tp = otel.GetTracerProvider()
	}
	if mp == nil {
		mp = otel.GetMeterProvider()
	}
	m := mp.Meter(scope)
	t := &telemetry{tracer: tp.Tracer(scope)}
	// The API returns usable instruments along with any error.
	t.steps, _ = m.Int64Counter("webhand.steps", metric.WithDescription("Steps, by status."))
	t.calls, _ = m.Int64Counter("webhand.model.calls", metric.WithDescription("Model calls, by purpose, model and failure."))
	t.acts, _ = m.Int64Counter("webhand.actions", metric.WithDescription("Actions, by name and failure."))
	t.tokens, _ = m.Int64Counter("webhand.model.tokens", metric.WithDescription("Tokens, by model and kind."), metric.WithUnit("{token}"))
	t.took, _ = m.Float64Histogram("webhand.duration", metric.WithDescription("Duration of step, capture, model and action."), metric.WithUnit("s"))
	return t
}

func (t *telemetry) start(ctx context.Context, name string, attrs ...attribute.KeyValue) (context.Context, trace.Span) {
	return t.tracer.Start(ctx, "webhand."+name, trace.WithAttributes(attrs...))
}

// finish ends a span, with the error's text if there is one. The text has to
// be redacted.
func finish(span trace.Span, errText string) {
	if errText != "" {
		span.SetStatus(codes.Error, errText)
	}
	span.End()
}

func (t *telemetry) usage(ctx context.Context, c llm.Charge) {
	model := attribute.String("model", c.Model)
	t.tokens.Add(ctx, int64(c.Usage.Input), metric.WithAttributes(model, attribute.String("kind", "input")))
	t.tokens.Add(ctx, int64(c.Usage.Cached), metric.WithAttributes(model, attribute.String("kind", "cached")))
	t.tokens.Add(ctx, int64(c.Usage.Output), metric.WithAttributes(model, attribute.String("kind", "output")))
}
