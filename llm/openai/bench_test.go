package openai_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/openai"
)

// heavy is a request with a prompt of 200 KB and one screenshot of 300 KB.
func heavy() *llm.Request {
	req := ask()
	page := strings.Repeat("[12]<button aria-expanded=false>Menu \"open\"\n", 4600)
	img := append(bytes.Clone(png), bytes.Repeat([]byte{0x5a, 0xc3, 0x11}, 100_000)...)
	req.Messages = append(req.Messages, llm.Message{Role: llm.RoleUser, Parts: []llm.Part{
		{Text: page}, {Image: &llm.Image{MIME: "image/png", Data: img}},
	}})
	return req
}

// canned answers without a network, so that what is left is our own work.
var canned = []byte(completion(`{"content":"{\"memory\":\"m\",\"action\":[{\"click\":{\"index\":7}}]}"}`, `"stop"`))

// BenchmarkChain is the whole chain over a transport that answers at once.
func BenchmarkChain(b *testing.B) {
	c := chain(openai.New(openai.Config{Model: "gpt-4.1-mini", APIKey: "k", HTTPClient: &http.Client{
		Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				return nil, err
			}
			return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(canned))}, nil
		}),
	}}))
	run(b, c)
}

func chain(c llm.Client) llm.Client {
	c = llm.Deadline(c, time.Minute)
	c = llm.RateLimit(c, llm.RateConfig{Requests: 1e6, Tokens: 1e12, Concurrent: 4})
	c = llm.Retry(c, llm.RetryConfig{})
	c = llm.Fallback(llm.FallbackConfig{}, c)
	c = llm.NewBudget(llm.Limits{Tokens: 1e12, Cost: 1e9}).Wrap(c)
	c = new(llm.Meter).Wrap(c)
	return llm.Log(c, llm.LogConfig{Logger: slog.New(slog.DiscardHandler)})
}

func run(b *testing.B, c llm.Client) {
	b.Helper()
	req := heavy()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Complete(b.Context(), req); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOverHTTP is the whole chain over a real server, and BenchmarkBare
// the same bytes posted by net/http alone. The difference is the overhead.
func BenchmarkOverHTTP(b *testing.B) {
	s := httptest.NewServer(http.HandlerFunc(sink))
	defer s.Close()
	run(b, chain(openai.New(openai.Config{Model: "gpt-4.1-mini", APIKey: "k", BaseURL: s.URL + "/v1"})))
}

func BenchmarkBare(b *testing.B) {
	s := httptest.NewServer(http.HandlerFunc(sink))
	defer s.Close()
	var body []byte
	c := openai.New(openai.Config{Model: "gpt-4.1-mini", APIKey: "k", HTTPClient: &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		var err error
		if body, err = io.ReadAll(r.Body); err == nil {
			err = io.EOF
		}
		return nil, err
	})}})
	_, _ = c.Complete(b.Context(), heavy()) // for its body
	b.ReportAllocs()
	for b.Loop() {
		resp, err := http.Post(s.URL, "application/json", bytes.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.ReadAll(resp.Body); err != nil {
			b.Fatal(err)
		}
		_ = resp.Body.Close()
	}
}

func sink(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(canned)
}
