package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/png"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.opentelemetry.io/otel/metric"
	mnoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/trace"
	tnoop "go.opentelemetry.io/otel/trace/noop"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/llmtest"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// spanNames is a tracer provider, and meterNames a meter provider, that keep
// the names of what is made.
type spanNames struct {
	tnoop.TracerProvider
	mu    sync.Mutex
	names []string
}

type nameTracer struct {
	tnoop.Tracer
	p *spanNames
}

func (p *spanNames) Tracer(string, ...trace.TracerOption) trace.Tracer { return &nameTracer{p: p} }

func (t *nameTracer) Start(ctx context.Context, name string, opts ...trace.SpanStartOption) (context.Context, trace.Span) {
	t.p.mu.Lock()
	t.p.names = append(t.p.names, name)
	t.p.mu.Unlock()
	return t.Tracer.Start(ctx, name, opts...)
}

type meterNames struct {
	mnoop.MeterProvider
	mu     sync.Mutex
	counts map[string]int64
}

type countMeter struct {
	mnoop.Meter
	p *meterNames
}

type counter struct {
	mnoop.Int64Counter
	p    *meterNames
	name string
}

func (p *meterNames) Meter(string, ...metric.MeterOption) metric.Meter { return &countMeter{p: p} }

func (m *countMeter) Int64Counter(name string, _ ...metric.Int64CounterOption) (metric.Int64Counter, error) {
	return &counter{p: m.p, name: name}, nil
}

func (c *counter) Add(_ context.Context, n int64, _ ...metric.AddOption) {
	c.p.mu.Lock()
	defer c.p.mu.Unlock()
	c.p.counts[c.name] += n
}

func TestSpansMetricsAndLogs(t *testing.T) {
	spans, meters, logs := &spanNames{}, &meterNames{counts: map[string]int64{}}, &safeBuffer{}
	m := model(answersThenDone(say(`{"work":{}}`, `{"fail":{}}`)))
	cfg := quick(t, m)
	cfg.ID = "agent-7"
	cfg.TracerProvider, cfg.MeterProvider = spans, meters
	cfg.Logger = slog.New(slog.NewJSONHandler(logs, nil))
	if _, err := Run(t.Context(), "task", cfg); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"webhand.run", "webhand.step", "webhand.capture", "webhand.model", "webhand.action"} {
		if !slices.Contains(spans.names, want) {
			t.Errorf("no span %s in %v", want, spans.names)
		}
	}
	for name, want := range map[string]int64{"webhand.steps": 2, "webhand.actions": 3, "webhand.model.calls": 2} {
		if got := meters.counts[name]; got != want {
			t.Errorf("%s counts %d, want %d", name, got, want)
		}
	}
	if meters.counts["webhand.model.tokens"] == 0 {
		t.Error("no tokens are counted")
	}
	var step map[string]any
	for _, l := range strings.Split(strings.TrimSpace(logs.String()), "\n") {
		var r map[string]any
		if err := json.Unmarshal([]byte(l), &r); err != nil {
			t.Fatal(err)
		}
		if r["agent"] != "agent-7" {
			t.Errorf("a line without its agent: %s", l)
		}
		if r["msg"] == "step" && step == nil {
			step = r
		}
	}
	for _, key := range []string{"step", "status", "url", "goal", "actions", "ms", "model_ms", "tokens"} {
		if _, ok := step[key]; !ok {
			t.Errorf("the step's log line has no %q: %v", key, step)
		}
	}
}

func TestConversationKeepsFailedCallsToo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "talk")
	m := &llmtest.Script{Answers: []llmtest.Answer{
		llmtest.Text("no JSON here"),
		llmtest.Fail(&llm.Error{Kind: llm.ErrServer, Message: "the server is on fire"}),
		llmtest.Text(finished("ok", true)),
	}}
	cfg := quick(t, m)
	cfg.ID, cfg.ConversationDir = "me", dir
	if _, err := Run(t.Context(), "the task", cfg); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "conversation_me.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var calls []callLine
	dec := json.NewDecoder(bytes.NewReader(data))
	for dec.More() {
		var c callLine
		if err := dec.Decode(&c); err != nil {
			t.Fatal(err)
		}
		calls = append(calls, c)
	}
	if len(calls) != 3 {
		t.Fatalf("%d calls are kept, want 3", len(calls))
	}
	if calls[0].Answer != "no JSON here" || calls[0].Error == "" || !strings.Contains(calls[1].Error, "on fire") || calls[2].Error != "" || calls[2].Usage == nil {
		t.Errorf("calls %+v", calls)
	}
	if len(calls[0].Schema) == 0 || len(calls[1].Schema) != 0 {
		t.Error("the schema is to be written once while it stays the same")
	}
	if calls[2].Step != 3 || calls[2].Purpose != "step" || !strings.Contains(calls[2].Messages[1].Text, "the task") {
		t.Errorf("last call %+v", calls[2])
	}
	text, err := os.ReadFile(filepath.Join(dir, "conversation_me_2.txt"))
	if err != nil || !strings.Contains(string(text), "the server is on fire") || !strings.Contains(string(text), "---- system") {
		t.Errorf("text of step 2: %v\n%.300s", err, text)
	}
}

func TestVision(t *testing.T) {
	pictures := func(r *llm.Request) (n int, last *llm.Image) {
		for _, m := range r.Messages {
			for _, p := range m.Parts {
				if p.Image != nil {
					n, last = n+1, p.Image
				}
			}
		}
		return n, last
	}
	s := session(t)
	if _, err := s.Navigate(t.Context(), site.URL+"/help"); err != nil {
		t.Fatal(err)
	}
	run := func(t *testing.T, v Vision, answers ...string) []*llm.Request {
		t.Helper()
		m := model(answersThenDone(answers...))
		tools := simpleTools()
		tools.MustAdd(registry.Spec{Name: "screenshot", Description: "Take a picture.", ReadOnly: true}, func(context.Context) (*registry.Result, error) {
			return &registry.Result{Text: "It comes with the next step.", Metadata: map[string]any{"include_screenshot": true}}, nil
		})
		if _, err := Run(t.Context(), "task", Config{LLM: m, Browser: s, Tools: tools, Vision: v}); err != nil {
			t.Fatal(err)
		}
		return m.Requests()
	}
	has := func(r *llm.Request, action string) bool {
		raw, _ := r.Format.Schema(llm.Canonical)
		return strings.Contains(string(raw), `"`+action+`"`)
	}
	r := run(t, Vision{Detail: llm.DetailLow, Size: image.Pt(400, 400)})
	n, img := pictures(r[0])
	if n != 1 || img.Detail != llm.DetailLow || has(r[0], "screenshot") {
		t.Errorf("always: %d pictures, %+v", n, img)
	}
	if c, err := png.DecodeConfig(bytes.NewReader(img.Data)); err != nil || c.Width > 400 || c.Height > 400 || c.Width < 300 {
		t.Errorf("the picture is %dx%d, want it to fit into 400x400: %v", c.Width, c.Height, err)
	}
	if n, _ := pictures(run(t, Vision{See: SeeNever})[0]); n != 0 {
		t.Error("never: a picture was sent")
	}
	r = run(t, Vision{See: SeeOnDemand}, `{"action":[{"screenshot":{}}]}`, say(`{"look":{}}`))
	for i, want := range []int{0, 1, 0} {
		if n, _ := pictures(r[i]); n != want {
			t.Errorf("on demand, call %d: %d pictures, want %d", i, n, want)
		}
	}
	if !has(r[0], "screenshot") {
		t.Error("on demand, and no way to ask")
	}
}
