package llmtest

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/llm"
)

// failures are what a call must report, each by exactly one request.
func (p provider) failures(t *testing.T) {
	long := strings.Repeat("I cannot decide what to do. ", 40)
	for _, tt := range []struct {
		name   string
		answer Answer
		kind   error
		check  func(*testing.T, *llm.Error)
	}{
		{"rate limit with Retry-After", RateLimited(7 * time.Second), llm.ErrRateLimit, func(t *testing.T, e *llm.Error) {
			if e.RetryAfter != 7*time.Second || !e.Temporary() {
				t.Errorf("retry after %v, temporary %v", e.RetryAfter, e.Temporary())
			}
		}},
		{"quota under 429", Status(429, "insufficient_quota", ""), llm.ErrQuota, notTemporary},
		{"payment required", Status(402, "payment_required", "Payment required."), llm.ErrQuota, notTemporary},
		{"unauthorised", Status(401, "invalid_api_key", "Bad key "+conformKey), llm.ErrAuth, notTemporary},
		{"forbidden", Status(403, "permission_denied", "No access."), llm.ErrAuth, notTemporary},
		{"server error", Status(500, "server_error", "The server had an error."), llm.ErrServer, temporaryError},
		{"overloaded", Status(503, "unavailable", "Overloaded, try again later."), llm.ErrServer, temporaryError},
		{"context length", Status(400, "context_length_exceeded", "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens."), llm.ErrContextLength, func(t *testing.T, e *llm.Error) {
			if e.TokenLimit != 8192 || e.TokensSent != 9001 {
				t.Errorf("limit %d, sent %d", e.TokenLimit, e.TokensSent)
			}
		}},
		{"bad request", Status(400, "invalid_request_error", "Invalid 'messages[3].name'."), llm.ErrBadRequest, notTemporary},
		{"no such model", Status(404, "model_not_found", "The model does not exist."), llm.ErrBadRequest, notTemporary},
		{"web page under 502", HTML(502), llm.ErrServer, temporaryError},
		{"web page under 200", HTML(200), llm.ErrServer, nil},
		{"empty body", Answer{Fault: &Fault{Empty: true}}, llm.ErrServer, temporaryError},
		{"plain text under 200", Answer{Fault: &Fault{Status: 200, Body: "upstream connect error", ContentType: "text/plain"}}, llm.ErrServer, nil},
		{"error object under 200", Answer{Body: []byte(`{"error":{"message":"Rate limit exceeded","code":429}}`)}, llm.ErrRateLimit, nil},
		{"error text under 200", Answer{Body: []byte(`{"error":"out of memory"}`)}, llm.ErrServer, nil},
		{"cut connection", Answer{Text: conformAnswer, Fault: &Fault{Cut: true}}, llm.ErrServer, temporaryError},
		{"cut at the token cap", Answer{Text: `{"memory":"m","action":[{"done":{"text":"abc`, Finish: llm.FinishLength}, llm.ErrTruncated, billed},
		{"whole but at the token cap", Answer{Text: conformAnswer, Finish: llm.FinishLength}, llm.ErrTruncated, billed},
		{"ends in a string", Text(`{"memory":"m","action":[{"done":{"text":"abc`), llm.ErrMalformed, billed},
		{"ends in a number", Text(`{"memory":"m","action":[{"click":{"index":1`), llm.ErrMalformed, billed},
		{"prose", Text(long), llm.ErrMalformed, func(t *testing.T, e *llm.Error) {
			billed(t, e)
			if !strings.Contains(e.Message, "I cannot decide") || len(e.Message) > 400 || e.Answer != long {
				t.Errorf("message %q, answer of %d bytes", e.Message, len(e.Answer))
			}
			if f := llm.Feedback(e); strings.Contains(f, "\n") || !strings.Contains(f, `"action":[{"click":{...}}]`) {
				t.Errorf("feedback %q", f)
			}
		}},
		{"empty answer", Text(""), llm.ErrEmpty, temporaryError},
		{"thought only", Answer{Thinking: "Hm."}, llm.ErrEmpty, nil},
		{"refusal", Answer{Refusal: "I will not do that."}, llm.ErrRefusal, notTemporary},
		{"content filter", Answer{Finish: llm.FinishFilter}, llm.ErrRefusal, notTemporary},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, resp, err := p.ask(t, tt.answer)
			var e *llm.Error
			if !errors.Is(err, tt.kind) || !errors.As(err, &e) {
				t.Fatalf("got %+v, %v; want %v", resp, err, tt.kind)
			}
			if e.Provider == "" || e.Model == "" || e.Message == "" {
				t.Errorf("the error leaves out who or why: %#v", e)
			}
			if strings.Contains(err.Error(), conformKey) {
				t.Errorf("the error shows the key: %v", err)
			}
			if n := len(s.Requests()); n != 1 {
				t.Errorf("%d requests for one failure", n)
			}
			if tt.check != nil {
				tt.check(t, e)
			}
		})
	}
}

func notTemporary(t *testing.T, e *llm.Error) {
	t.Helper()
	if e.Temporary() {
		t.Error("counts as temporary")
	}
}

func temporaryError(t *testing.T, e *llm.Error) {
	t.Helper()
	if !e.Temporary() {
		t.Error("does not count as temporary")
	}
}

func billed(t *testing.T, e *llm.Error) {
	t.Helper()
	if len(e.Charges) != 1 || e.Charges[0].Usage.Total() == 0 {
		t.Errorf("charges %+v, want those of the answer", e.Charges)
	}
}

// deadlines end a call that does not end by itself.
func (p provider) deadlines(t *testing.T) {
	ask := func(t *testing.T, ctx context.Context, f Fault, s Settings) error {
		t.Helper()
		s.Server = NewServer(t, ServerConfig{Answer: func(*Request) Answer { return Answer{Text: conformAnswer, Fault: &f} }})
		s.Stream = p.stream
		_, err := p.newClient(s).Complete(ctx, conformRequest())
		return err
	}
	t.Run("server never answers", func(t *testing.T) {
		err := ask(t, t.Context(), Fault{Hang: true}, Settings{Timeout: 50 * time.Millisecond})
		if !errors.Is(err, llm.ErrTimeout) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("answer stalls", func(t *testing.T) {
		err := ask(t, t.Context(), Fault{Stall: true}, Settings{Timeout: time.Minute, Stall: 50 * time.Millisecond})
		if !errors.Is(err, llm.ErrTimeout) {
			t.Errorf("got %v", err)
		}
	})
	for _, f := range []Fault{{Hang: true}, {Stall: true}} {
		t.Run("caller gives up", func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(50*time.Millisecond, cancel)
			if err := ask(t, ctx, f, Settings{}); !errors.Is(err, context.Canceled) || errors.Is(err, llm.ErrTimeout) {
				t.Errorf("got %v, want the context's own error", err)
			}
		})
	}
}

// request checks that what the caller asks for reaches the model.
func (p provider) request(t *testing.T) {
	s := NewServer(t, ServerConfig{Answer: func(*Request) Answer { return Text(conformAnswer) }, Key: conformKey})
	c := p.newClient(Settings{Server: s})
	img := pixel(t)
	zero, top, limit := 0.0, 1.0, 321
	req := conformRequest()
	req.Temperature, req.TopP, req.MaxTokens, req.Stop = &zero, &top, &limit, []string{"STOP"}
	req.Messages[0].CacheEnd = true
	req.Messages = append(req.Messages, llm.Assistant("Looking.\n"), llm.Message{Role: llm.RoleUser, Parts: []llm.Part{
		{Text: "before \"quoted\" \u2028 \xff"}, {Image: &llm.Image{MIME: "image/png", Data: img, Detail: llm.DetailHigh}}, {Text: "after"},
	}})
	if _, err := c.Complete(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	reqs := s.Requests()
	if len(reqs) != 1 {
		t.Fatalf("%d requests", len(reqs))
	}
	got := reqs[0]
	last := got.Messages[len(got.Messages)-1]
	if len(last.Parts) != 3 || last.Parts[0].Text != "before \"quoted\" \u2028 \ufffd" || last.Parts[1].Image == nil || last.Parts[2].Text != "after" {
		t.Fatalf("parts %+v", last.Parts)
	}
	if !bytes.Equal(last.Parts[1].Image.Data, img) || last.Parts[1].Image.MIME != "image/png" {
		t.Error("the image is not the one sent")
	}
	for _, want := range []string{`"temperature":0`, `321`, `STOP`} {
		if !bytes.Contains(got.Body, []byte(want)) {
			t.Errorf("the request lacks %s: %s", want, got.Body)
		}
	}
	if a, b := bytes.Index(got.Schema, []byte(`"memory"`)), bytes.Index(got.Schema, []byte(`"action"`)); len(got.Schema) > 0 && (a < 0 || a > b) {
		t.Errorf("the order of the schema's properties is lost: %s", got.Schema)
	}
	for k := range got.Header {
		if strings.HasPrefix(k, "X-Stainless") {
			t.Errorf("the request tells about the machine: %s", k)
		}
	}
}

// pixel is a small picture.
func pixel(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewRGBA(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	if http.DetectContentType(b.Bytes()) != "image/png" {
		t.Fatal("not a PNG")
	}
	return b.Bytes()
}
