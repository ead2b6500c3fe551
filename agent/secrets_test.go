package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/memory"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// safeBuffer collects log lines from any goroutine.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// recordingStore is long-term memory that keeps what it is given.
type recordingStore struct {
	mu      sync.Mutex
	items   []memory.Item
	queries []memory.Query
	records []memory.Record
	err     error
}

func (r *recordingStore) Recall(_ context.Context, q memory.Query) ([]memory.Item, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queries = append(r.queries, q)
	return r.items, r.err
}

func (r *recordingStore) Remember(_ context.Context, rec memory.Record) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.records = append(r.records, rec)
	return r.err
}

// TestASecretNeverLeaves shows a password to the agent in every way there is,
// and looks for it in everything that is sent, kept, logged or written.
func TestASecretNeverLeaves(t *testing.T) {
	const value = `K7!blue"\quote`
	dir := t.TempDir()
	store := &recordingStore{}
	logs := &safeBuffer{}
	s := session(t)
	page := `data:text/html,<title>Your password is K7!blue"\quote</title><p>Welcome, K7!blue"\quote</p><input aria-label=Password>`
	var typed string
	m := model(func(n int, req *llm.Request) string {
		switch n {
		case 0:
			return say(fmt.Sprintf(`{"type":{"index":%d,"text":"<secret>pw</secret>"}}`, index(req, "Password")), `{"leak":{}}`)
		case 1:
			return say(`{"crash":{}}`)
		}
		return `{"memory":"the password is K7!blue\"\\quote","thinking":"K7!blue\"\\quote","action":[{"done":{"text":"it is K7!blue\"\\quote","success":true}}]}`
	})
	tools := simpleTools()
	tools.MustAdd(registry.Spec{Name: "type", Description: "Type.", SecretFields: []string{"text"}}, func(_ context.Context, p struct {
		Index int    `json:"index"`
		Text  string `json:"text"`
	}) (string, error) {
		typed = p.Text
		return "Typed " + p.Text, nil
	})
	tools.MustAdd(registry.Spec{Name: "leak", Description: "Leak."}, func(context.Context) (*registry.Result, error) {
		return &registry.Result{
			Text: "saw " + value, Memory: "m " + value, Effects: []string{"dialog: " + value}, Once: true,
			Metadata: map[string]any{"k": value, "nested": []any{map[string]any{value: value}}},
		}, nil
	})
	_ = tools.Replace(registry.Spec{Name: "crash", Description: "Crash."}, func(context.Context) error { return fmt.Errorf("cannot send %s", value) })
	cfg := Config{
		LLM: m, Browser: s, Tools: tools, Dir: filepath.Join(dir, "agent"),
		Secrets:         []registry.Secret{registry.NewSecret("pw", value)},
		HistoryFile:     filepath.Join(dir, "history.jsonl"),
		ConversationDir: filepath.Join(dir, "conversation"),
		KeepPrompts:     true,
		Memory:          LongTerm{Store: store},
		Logger:          slog.New(slog.NewJSONHandler(logs, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Start:           Start{NoURLFromTask: true},
	}
	if _, err := s.Navigate(t.Context(), page); err != nil {
		t.Fatal(err)
	}
	a, err := New("Log in with "+value+" please", cfg)
	if err != nil {
		t.Fatal(err)
	}
	h, err := a.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if typed != value {
		t.Errorf("the action got %q", typed)
	}
	var out bytes.Buffer
	if err := h.Save(&out); err != nil {
		t.Fatal(err)
	}
	state, err := json.Marshal(a.State())
	if err != nil {
		t.Fatal(err)
	}
	records, _ := json.Marshal(store.records)
	found := map[string]string{"history": out.String(), "state": string(state), "logs": logs.String(), "memory": string(records), "final": h.Final()}
	for i, r := range m.Requests() {
		found[fmt.Sprintf("prompt %d", i)] = allText(r)
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.HasSuffix(path, ".png") {
			data, _ := os.ReadFile(path)
			found[path] = string(data)
		}
		return nil
	})
	if len(found) < 9 {
		t.Errorf("only %d places were looked at", len(found))
	}
	quoted, _ := json.Marshal(value)
	for where, text := range found {
		for _, form := range []string{value, strings.Trim(string(quoted), `"`), "K7!blue"} {
			if i := strings.Index(text, form); i >= 0 {
				t.Errorf("%s holds the secret: ...%s", where, text[max(0, i-80):min(len(text), i+60)])
			}
		}
	}
	if p := allText(m.Requests()[0]); !strings.Contains(p, "Secrets you may use on this page: <secret>pw</secret>") {
		t.Error("the model does not know which secrets there are")
	}
	if !strings.Contains(logs.String(), "holds a secret in plain text") {
		t.Error("nobody is warned that the task holds a secret")
	}
	if !strings.Contains(h.Final(), "<secret>pw</secret>") {
		t.Errorf("final %q", h.Final())
	}
}

func TestSecretsAreNamedWhereTheyMayBeUsed(t *testing.T) {
	s := session(t)
	var names []string
	m := model(func(n int, req *llm.Request) string {
		names = append(names, lastText(req))
		if n == 0 {
			return say(goTo(site.SecondOrigin + "/help"))
		}
		return finished("ok", true)
	})
	_, err := Run(t.Context(), "task", Config{
		LLM: m, Browser: s, Tools: simpleTools(), Vision: Vision{See: SeeNever},
		Start:   Start{URL: site.URL + "/help"},
		Secrets: []registry.Secret{registry.NewSecret("here", "abcdef", "http://127.0.0.1"), registry.NewSecret("there", "ghijkl", "http://localhost")},
	})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(names[0], "<secret>here</secret>") || strings.Contains(names[0], "there") {
		t.Errorf("on the first page the model is told of:\n%s", names[0])
	}
	if !strings.Contains(names[1], "<secret>there</secret>") || strings.Contains(names[1], "here</secret>\n") && strings.Contains(names[1], "<secret>here") {
		t.Errorf("on the second page the model is told of:\n%s", names[1])
	}
}

func TestRedactWalksEverything(t *testing.T) {
	type inner struct {
		S    string
		Raw  json.RawMessage
		Data []byte
	}
	type outer struct {
		P     *inner
		L     []string
		M     map[string]any
		A     [1]string
		Any   any
		Err   error
		inner string
	}
	v := &outer{
		P: &inner{"x SECRET", json.RawMessage(`{"SECRET":"a\"SECRET","n":1.50}`), []byte("SECRET")}, L: []string{"SECRET"},
		M: map[string]any{"SECRET": []any{"SECRET", 1}}, A: [1]string{"SECRET"}, Any: inner{S: "SECRET"}, Err: fmt.Errorf("SECRET"), inner: "SECRET",
	}
	redact(func(s string) string { return strings.ReplaceAll(s, "SECRET", "*") }, v)
	got := fmt.Sprintf("%+v %s %v %v %v %v", *v.P, v.P.Raw, v.L, v.M, v.A, v.Any)
	if strings.Contains(got, "SECRET") {
		t.Errorf("left: %s", got)
	}
	if string(v.P.Raw) != `{"*":"a\"*","n":1.50}` || string(v.P.Data) != "SECRET" {
		t.Errorf("raw %s, data %s", v.P.Raw, v.P.Data)
	}
	redact(func(s string) string { return s }, nil)
	redact(func(s string) string { return s }, (*outer)(nil))
}
