package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/memory/embed"
)

var ctx = context.Background()

// serve answers embeddings requests; the vector of a text starts with its
// length. first, when set, answers the first request instead.
func serve(t *testing.T, first http.HandlerFunc) (*httptest.Server, *atomic.Int32, *[]map[string]any) {
	t.Helper()
	var calls atomic.Int32
	var bodies []map[string]any
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1) == 1 && first != nil {
			first(w, r)
			return
		}
		if r.URL.Path != "/v1/embeddings" || r.Header.Get("Authorization") != "Bearer key" {
			http.Error(w, "no", http.StatusNotFound)
			return
		}
		var body map[string]any
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		bodies = append(bodies, body)
		var data []string
		for i, in := range body["input"].([]any) {
			data = append(data, fmt.Sprintf(`{"index":%d,"embedding":[%d,1,0]}`, i, len(in.(string))))
		}
		slices.Reverse(data) // order is by index, not by place
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"data":[%s]}`, strings.Join(data, ","))
	}))
	t.Cleanup(srv.Close)
	return srv, &calls, &bodies
}

func newTest(t *testing.T, cfg Config) *Embedder {
	t.Helper()
	cfg.APIKey = "key"
	e, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	e.pause = time.Millisecond
	return e
}

func TestEmbedBatchesAndSortsByIndex(t *testing.T) {
	srv, calls, bodies := serve(t, nil)
	e := newTest(t, Config{BaseURL: srv.URL + "/v1", Model: "m", Batch: 2, Prefix: map[embed.Purpose]string{embed.Question: "q: "}})
	vs, err := e.Embed(ctx, []string{"a", "bb", "ccc"}, embed.Document)
	if err != nil || len(vs) != 3 || vs[0][0] != 1 || vs[1][0] != 2 || vs[2][0] != 3 {
		t.Fatalf("got %v, %v", vs, err)
	}
	if calls.Load() != 2 {
		t.Errorf("%d requests, want 2", calls.Load())
	}
	if b := (*bodies)[0]; b["model"] != "m" || b["encoding_format"] != "float" || b["dimensions"] != nil {
		t.Errorf("request %v", b)
	}
	if _, err := e.Embed(ctx, []string{"a"}, embed.Question); err != nil {
		t.Fatal(err)
	}
	if in := (*bodies)[2]["input"].([]any)[0]; in != "q: a" {
		t.Errorf("a question was sent as %q", in)
	}
}

func TestEmbedFailures(t *testing.T) {
	say := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		}
	}
	tests := []struct {
		name  string
		first http.HandlerFunc
		calls int32
		ok    bool
		want  error
	}{
		{"rate limit, then an answer", say(429, `{"error":{"message":"slow down"}}`), 2, true, nil},
		{"server failure, then an answer", say(503, `<html>busy</html>`), 2, true, nil},
		{"not authorised", say(401, `{"error":{"message":"bad key"}}`), 1, false, nil},
		{"no quota", say(429, `{"error":{"message":"pay","code":"insufficient_quota"}}`), 1, false, nil},
		{"error with status 200", say(200, `{"error":{"message":"no such model"}}`), 1, false, embed.ErrVectors},
		{"too few", say(200, `{"data":[{"index":0,"embedding":[1]}]}`), 1, false, embed.ErrVectors},
		{"one index twice", say(200, `{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}`), 1, false, embed.ErrVectors},
		{"empty body", say(200, ``), 1, false, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			srv, calls, _ := serve(t, tt.first)
			e := newTest(t, Config{BaseURL: srv.URL + "/v1"})
			_, err := e.Embed(ctx, []string{"a", "b"}, embed.Document)
			if (err == nil) != tt.ok || tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("error %v", err)
			}
			if calls.Load() != tt.calls {
				t.Errorf("%d requests, want %d", calls.Load(), tt.calls)
			}
			if err != nil && strings.Contains(err.Error(), "Bearer") {
				t.Errorf("the error names the key: %v", err)
			}
		})
	}
}

func TestEmbedChecksDims(t *testing.T) {
	srv, _, bodies := serve(t, nil)
	e := newTest(t, Config{BaseURL: srv.URL + "/v1", Dims: 768})
	if _, err := e.Embed(ctx, []string{"a"}, embed.Document); !errors.Is(err, embed.ErrVectors) {
		t.Errorf("vectors of length 3 for Dims 768: %v", err)
	}
	if (*bodies)[0]["dimensions"] != 768.0 {
		t.Errorf("request %v", (*bodies)[0])
	}
}

func TestEmbedEndsWithItsContext(t *testing.T) {
	srv, _, _ := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then the server notices that the client has gone
		<-r.Context().Done()
	})
	e := newTest(t, Config{BaseURL: srv.URL + "/v1"})
	done, cancel := context.WithCancel(ctx)
	time.AfterFunc(10*time.Millisecond, cancel)
	if _, err := e.Embed(done, []string{"a"}, embed.Document); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestNewRefusesNonsense(t *testing.T) {
	for _, cfg := range []Config{{BaseURL: "localhost:1234"}, {BaseURL: "ftp://x"}, {Batch: 5000}, {Batch: -1}} {
		if _, err := New(cfg); err == nil {
			t.Errorf("%+v: no error", cfg)
		}
	}
}
