package rest

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/llmtest"
	"github.com/seed-4bdb41d0/webhand/memory/longterm"
	"github.com/seed-4bdb41d0/webhand/memory/serve"
	"github.com/seed-4bdb41d0/webhand/memory/sqlite"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// start serves a new memory.
func start(t *testing.T, cfg Config, mem longterm.Config) *httptest.Server {
	t.Helper()
	var mu sync.Mutex
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	mem.Now = func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		at = at.Add(time.Second)
		return at
	}
	m, err := sqlite.Open(context.Background(), ":memory:", mem)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Memory = m
	h, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(h)
	t.Cleanup(func() {
		srv.Close()
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return srv
}

var uuid = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// talk sends requests and writes down what went over the wire, with ids by
// the order in which they first came.
type talk struct {
	*testing.T
	srv   *httptest.Server
	key   string
	out   strings.Builder
	names map[string]string
	ids   []string
}

func (k *talk) do(method, path, body string) (int, string) {
	k.Helper()
	req, err := http.NewRequest(method, k.srv.URL+k.expand(path), strings.NewReader(body))
	if err != nil {
		k.Fatal(err)
	}
	if k.key != "" {
		req.Header.Set("X-API-Key", k.key)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		k.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		k.Fatal(err)
	}
	return res.StatusCode, string(b)
}

// expand puts the n-th id in the place of {n}.
func (k *talk) expand(s string) string {
	for i, id := range k.ids {
		s = strings.ReplaceAll(s, fmt.Sprintf("{%d}", i+1), id)
	}
	return s
}

// say runs a request and writes it down.
func (k *talk) say(comment, method, path, body string) {
	k.Helper()
	status, answer := k.do(method, path, k.expand(body))
	answer = uuid.ReplaceAllStringFunc(answer, func(id string) string {
		if k.names[id] == "" {
			k.names[id] = fmt.Sprintf("<id %d>", len(k.names)+1)
			k.ids = append(k.ids, id)
		}
		return k.names[id]
	})
	answer = regexp.MustCompile(`"(id|request_id)":"[0-9a-f]{8}"`).ReplaceAllString(answer, `"$1":"<request>"`)
	answer = regexp.MustCompile(`"(score|[a-z0-9_]+_score|bm25_rank|latency_ms)":[0-9.e-]+`).ReplaceAllString(answer, `"$1":<number>`)
	fmt.Fprintf(&k.out, "# %s\n%s %s\n", comment, method, path)
	if body != "" {
		fmt.Fprintln(&k.out, body)
	}
	fmt.Fprintf(&k.out, "-> %d\n%s\n\n", status, strings.TrimSpace(answer))
}

func (k *talk) golden(name string) {
	k.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			k.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(k.out.String()), 0o644); err != nil {
			k.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		k.Fatal(err)
	}
	got, wants := strings.Split(k.out.String(), "\n\n"), strings.Split(string(want), "\n\n")
	for i := range max(len(got), len(wants)) {
		g, w := "", ""
		if i < len(got) {
			g = got[i]
		}
		if i < len(wants) {
			w = wants[i]
		}
		if g != w {
			k.Errorf("got\n%s\nwant\n%s", g, w)
		}
	}
}

func newTalk(t *testing.T, srv *httptest.Server) *talk {
	return &talk{T: t, srv: srv, names: make(map[string]string)}
}

func TestRoutes(t *testing.T) {
	script := llmtest.NewScript(
		`{"facts":["Name is Zhang San","Loves Sichuan food","Lives in Hefei"]}`,
		`{"facts":["Loves Sichuan food, not spicy","Moved away from Hefei"]}`,
		`{"memory":[{"id":"0","text":"Loves Sichuan food, not spicy","event":"UPDATE","old_memory":"Loves Sichuan food"},{"id":"1","text":"Lives in Hefei","event":"DELETE"},{"id":"2","text":"Name is Zhang San","event":"NONE"},{"text":"Moved away from Hefei","event":"ADD"}]}`,
		"Task: book a flight", `{"custom_instructions":"Keep trips.","test_message":"I fly to Rome."}`, "prose", "more prose")
	k := newTalk(t, start(t, Config{HostedPaths: true}, longterm.Config{LLM: script}))

	k.say("first generation: messages, ids and metadata", "POST", "/memories", `{"messages":[{"role":"user","content":"I am Zhang San, I love Sichuan food and live in Hefei"}],"user_id":"zhang","metadata":{"topic":"me"}}`)
	k.say("the two-phase pipeline reports updates and deletes", "POST", "/memories", `{"messages":"Not spicy please, and I left Hefei","user_id":"zhang"}`)
	k.say("second generation: infer, expiry, one message as an object", "POST", "/memories", `{"messages":{"role":"user","name":"bob","content":"raw text"},"user_id":"zhang","agent_id":"a1","run_id":7,"infer":false,"expiration_date":"2026-12-31"}`)
	k.say("a procedural memory", "POST", "/memories", `{"messages":[{"role":"user","content":"book a flight"},{"role":"assistant","content":"booked"}],"agent_id":"a1","memory_type":"procedural_memory"}`)
	k.say("without an identifier", "POST", "/memories", `{"messages":"hello"}`)
	k.say("without messages", "POST", "/memories", `{"user_id":"zhang"}`)
	k.say("messages of no kind", "POST", "/memories", `{"messages":7,"user_id":"zhang"}`)
	k.say("metadata of no kind", "POST", "/memories", `{"messages":"x","user_id":"zhang","metadata":"x"}`)
	k.say("broken JSON", "POST", "/memories", `{"messages":`)
	k.say("an unknown memory type", "POST", "/memories", `{"messages":"x","agent_id":"a","memory_type":"semantic_memory"}`)

	k.say("the newest two", "GET", "/memories?user_id=zhang&top_k=2", "")
	k.say("first generation calls it limit", "GET", "/memories?user_id=zhang&limit=1", "")
	k.say("everybody's", "GET", "/memories?top_k=1", "")
	k.say("a limit that is none", "GET", "/memories?user_id=zhang&top_k=many", "")
	k.say("a limit that is too large", "GET", "/memories?user_id=zhang&top_k=5000", "")

	k.say("first generation: ids beside the query", "POST", "/search", `{"query":"Sichuan food","user_id":"zhang"}`)
	k.say("second generation: ids inside the filters", "POST", "/search", `{"query":"Sichuan food","filters":{"user_id":"zhang","topic":"me"},"top_k":1,"explain":true}`)
	k.say("operators", "POST", "/search", `{"query":"Sichuan raw text","filters":{"user_id":"zhang","OR":[{"topic":{"icontains":"ME"}},{"role":"user"}],"NOT":[{"agent_id":"a1"}]}}`)
	k.say("ids only inside AND do not make a scope", "POST", "/search", `{"query":"x","filters":{"AND":[{"user_id":"zhang"}]}}`)
	k.say("an unknown operator", "POST", "/search", `{"query":"x","filters":{"user_id":"zhang","topic":{"like":"m"}}}`)
	k.say("operators of the full-text index are plain text", "POST", "/search", `{"query":"\"raw* AND (","user_id":"zhang"}`)
	k.say("a blank query", "POST", "/search", `{"query":" ","user_id":"zhang"}`)
	k.say("a query of no kind", "POST", "/search", `{"query":7,"user_id":"zhang"}`)
	k.say("top_k 0 asks for nothing", "POST", "/search", `{"query":"x","filters":{"user_id":"zhang"},"top_k":0}`)
	k.say("two different users", "POST", "/search", `{"query":"x","user_id":"li","filters":{"user_id":"zhang"}}`)

	k.say("one memory", "GET", "/memories/{1}", "")
	k.say("an unknown one is null", "GET", "/memories/nobody", "")
	k.say("second generation update", "PUT", "/memories/{1}", `{"text":"Name is Zhang San Feng","metadata":{"topic":"name"},"expiration_date":"2027-01-01"}`)
	k.say("first generation update", "PUT", "/memories/{1}", `{"data":"Name is Zhang San"}`)
	k.say("null takes the expiry away", "PUT", "/memories/{1}", `{"expiration_date":null}`)
	k.say("an empty update", "PUT", "/memories/{1}", `{}`)
	k.say("an update of nobody's", "PUT", "/memories/nobody", `{"text":"x"}`)
	k.say("its history", "GET", "/memories/{1}/history", "")
	k.say("delete", "DELETE", "/memories/{1}", "")
	k.say("delete again", "DELETE", "/memories/{1}", "")

	k.say("configuration", "GET", "/configure", "")
	k.say("change it", "POST", "/configure", `{"version":"v1.1","custom_instructions":"Keep names."}`)
	k.say("what cannot be changed here", "POST", "/configure", `{"llm":{"provider":"openai"}}`)
	k.say("providers", "GET", "/configure/providers", "")
	k.say("instructions for a use case", "POST", "/generate-instructions", `{"use_case":"travel"}`)
	k.say("a model that answers prose twice", "POST", "/memories", `{"messages":"x","user_id":"zhang"}`)
	k.say("entities", "GET", "/entities", "")
	k.say("delete a run", "DELETE", "/entities/run/7", "")
	k.say("no such kind of entity", "DELETE", "/entities/dog/rex", "")

	k.say("hosted: ping", "GET", "/v1/ping/", "")
	k.say("hosted: add", "POST", "/v1/memories/", `{"messages":[{"role":"user","content":"hosted text"}],"user_id":"h","infer":false}`)
	k.say("hosted: add, third version", "POST", "/v3/memories/add/", `{"messages":[{"role":"user","content":"hosted more"}],"user_id":"h","infer":false}`)
	k.say("hosted: list", "GET", "/v1/memories/?user_id=h", "")
	k.say("hosted: search, first version", "POST", "/v1/memories/search/", `{"query":"hosted text","user_id":"h","top_k":1}`)
	k.say("hosted: search, second version", "POST", "/v2/memories/search/", `{"query":"hosted text","filters":{"user_id":"h"},"top_k":1}`)
	k.say("hosted: delete all", "DELETE", "/v1/memories/?user_id=h", "")

	k.say("delete all without an identifier", "DELETE", "/memories", "")
	k.say("delete all", "DELETE", "/memories?user_id=zhang", "")
	k.say("reset", "POST", "/reset", "")
	k.say("nothing is left", "GET", "/memories", "")
	k.say("the door", "GET", "/", "")
	k.say("no such route", "GET", "/nothing", "")
	k.golden("routes.golden")
}

func TestOpenAPIDocument(t *testing.T) {
	k := newTalk(t, start(t, Config{HostedPaths: true}, longterm.Config{}))
	_, body := k.do("GET", "/openapi.json", "")
	var doc struct {
		OpenAPI string                               `json:"openapi"`
		Paths   map[string]map[string]map[string]any `json:"paths"`
	}
	if err := json.Unmarshal([]byte(body), &doc); err != nil || doc.OpenAPI != "3.1.0" {
		t.Fatalf("%v: %.200s", err, body)
	}
	for _, want := range []string{"post /memories", "get /memories/{id}/history", "post /search", "delete /entities/{type}/{id}", "get /v1/ping/"} {
		method, path, _ := strings.Cut(want, " ")
		if doc.Paths[path][method] == nil {
			t.Errorf("the document lacks %s", want)
		}
	}
	status, page := k.do("GET", "/docs", "")
	if status != 200 || !strings.Contains(page, "/memories/{id}/history") || !strings.Contains(page, "lexical") {
		t.Errorf("status %d: %.300s", status, page)
	}
}

func TestKeys(t *testing.T) {
	srv := start(t, Config{Verbatim: true, Rules: serve.Rules{Keys: []serve.Key{
		{Name: "ann", Secret: "secret-of-ann", UserID: "ann"}, {Name: "any", Secret: "secret-of-any"}, {Name: "root", Secret: "secret-of-root", Admin: true},
	}}}, longterm.Config{})
	k := newTalk(t, srv)
	k.key = "secret-of-any"
	k.say("", "POST", "/memories", `{"messages":"bob's","user_id":"bob"}`)
	k.key = "secret-of-ann"
	k.say("", "POST", "/memories", `{"messages":"ann's"}`) // the key says whose
	for _, tt := range []struct {
		key, method, path, body string
		want                    int
		contains                string
	}{
		{"", "GET", "/memories?user_id=ann", "", 401, "key"},
		{"wrong-secret", "GET", "/memories?user_id=ann", "", 401, "key"},
		{"secret-of-ann", "GET", "/memories", "", 200, "ann's"},
		{"secret-of-ann", "GET", "/memories?user_id=bob", "", 403, "another user"},
		{"secret-of-ann", "POST", "/search", `{"query":"x","filters":{"user_id":"bob"}}`, 403, "another user"},
		{"secret-of-ann", "POST", "/search", `{"query":"bob's","filters":{"OR":[{"user_id":"bob"},{"user_id":"ann"}]},"threshold":0}`, 200, "ann's"},
		{"secret-of-ann", "POST", "/memories", `{"messages":"x","user_id":"bob"}`, 403, "another user"},
		{"secret-of-ann", "GET", "/memories/{1}", "", 200, "null"},
		{"secret-of-ann", "PUT", "/memories/{1}", `{"text":"x"}`, 404, "not found"},
		{"secret-of-ann", "DELETE", "/memories/{1}", "", 404, "not found"},
		{"secret-of-ann", "GET", "/memories/{1}/history", "", 404, "not found"},
		{"secret-of-ann", "GET", "/entities", "", 200, `"id":"ann"`},
		{"secret-of-any", "GET", "/memories", "", 403, "everybody"},
		{"secret-of-any", "POST", "/reset", "", 403, "admin"},
		{"secret-of-any", "DELETE", "/memories?user_id=bob", "", 403, "admin"},
		{"secret-of-any", "GET", "/requests", "", 403, "admin"},
		{"secret-of-any", "POST", "/configure", "{}", 403, "admin"},
		{"secret-of-root", "GET", "/memories", "", 200, "bob's"},
		{"secret-of-root", "GET", "/requests?limit=2", "", 200, `"api_key":"root"`},
		{"secret-of-root", "GET", "/requests?limit=-1", "", 422, "limit"},
	} {
		k.key = tt.key
		status, body := k.do(tt.method, tt.path, tt.body)
		if status != tt.want || !strings.Contains(body, tt.contains) {
			t.Errorf("%s %s %s with %q: %d %s, want %d and %q", tt.method, tt.path, tt.body, tt.key, status, body, tt.want, tt.contains)
		}
		if tt.key == "secret-of-ann" && strings.Contains(body, "bob's") {
			t.Errorf("%s %s shows bob's memory to ann: %s", tt.method, tt.path, body)
		}
		if strings.Contains(body, "secret-of-") {
			t.Errorf("%s %s shows a key: %s", tt.method, tt.path, body)
		}
	}
}

func TestStrangersAndLargeBodies(t *testing.T) {
	srv := start(t, Config{Verbatim: true}, longterm.Config{})
	for _, path := range []string{"/memories?user_id=a", "/docs", "/openapi.json", "/"} {
		for header, value := range map[string]string{"Host": "evil.test", "Origin": "https://evil.test"} {
			req, _ := http.NewRequest("GET", srv.URL+path, nil)
			req.Header.Set(header, value)
			if header == "Host" {
				req.Host = value
			}
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			if res.StatusCode != 403 {
				t.Errorf("%s with %s %s: %d, want 403", path, header, value, res.StatusCode)
			}
		}
	}
	// 100 MB of a length that is told, and of one that is not.
	big := func() io.Reader {
		return io.MultiReader(strings.NewReader(`{"user_id":"a","messages":"`), io.LimitReader(zeros{}, 100<<20), strings.NewReader(`"}`))
	}
	for name, length := range map[string]int64{"told": 100 << 20, "not told": -1} {
		req, _ := http.NewRequest("POST", srv.URL+"/memories", big())
		req.ContentLength = length
		res, err := http.DefaultClient.Do(req)
		if err != nil { // the server hung up while the client was still sending
			continue
		}
		res.Body.Close()
		if res.StatusCode != 413 {
			t.Errorf("length %s: %d, want 413", name, res.StatusCode)
		}
	}
	k := newTalk(t, srv)
	if _, body := k.do("GET", "/memories?user_id=a", ""); !strings.Contains(body, `"results":[]`) {
		t.Errorf("something of it was stored: %.200s", body)
	}
}

// zeros is an endless text.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	return len(p), nil
}

func TestUpstreamFailuresTellTheirKindOnly(t *testing.T) {
	for _, tt := range []struct {
		err  error
		code string
	}{
		{&llm.Error{Kind: llm.ErrAuth, Message: "key sk-private is wrong"}, "provider_auth_failed"},
		{&llm.Error{Kind: llm.ErrRateLimit, Message: "sk-private"}, "provider_rate_limited"},
		{&llm.Error{Kind: llm.ErrServer, Message: "sk-private"}, "provider_unavailable"},
	} {
		srv := start(t, Config{}, longterm.Config{LLM: &llmtest.Script{Answers: []llmtest.Answer{llmtest.Fail(tt.err)}}})
		k := newTalk(t, srv)
		status, body := k.do("POST", "/memories", `{"messages":"x","user_id":"a"}`)
		if status != 502 || !strings.Contains(body, `"code":"`+tt.code+`"`) || strings.Contains(body, "sk-private") {
			t.Errorf("%v: %d %s", tt.err, status, body)
		}
	}
}
