package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-4bdb41d0/webhand/agent"
	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/llm/llmtest"
	"github.com/seed-4bdb41d0/webhand/registry"
)

func TestAFormIsFilled(t *testing.T) {
	url := site(t)
	c := connect(t, start(t, Config{}))
	if got := ok(t, c, "browser_navigate", args{"url": url + "/form"}); len(got) > 300 || !strings.Contains(got, "/form") {
		t.Errorf("navigate said %q", got)
	}
	state := ok(t, c, "browser_state", nil)
	name, greet := index(t, state, "<input"), index(t, state, "Greet")
	ok(t, c, "browser_input", args{"index": name, "text": "Ann"})
	got := ok(t, c, "browser_click", args{"index": greet, "state": true})
	if !strings.Contains(got, "Hello Ann") {
		t.Errorf("the state after the click lacks what it did: %s", got)
	}
	if strings.Contains(got, "A line that does not change") && strings.Count(got, "A line that does not change") > 5 {
		t.Errorf("the state after the click is no difference: %s", got)
	}
}

func TestPicturesAreImages(t *testing.T) {
	url := site(t)
	c := connect(t, start(t, Config{}))
	ok(t, c, "browser_navigate", args{"url": url + "/form"})
	for _, a := range []args{{}, {"full_page": true}, {"marks": true}} {
		res := call(t, c, "browser_screenshot", a)
		if res.IsError || len(res.Content) != 1 {
			t.Fatalf("%v: %v", a, text(res))
		}
		img, ok := res.Content[0].(*sdk.ImageContent)
		if !ok || img.MIMEType != "image/png" {
			t.Fatalf("%v: %T", a, res.Content[0])
		}
		if _, err := png.DecodeConfig(bytes.NewReader(img.Data)); err != nil {
			t.Errorf("%v: %v", a, err)
		}
	}
	refused(t, c, "browser_screenshot", args{"marks": true, "full_page": true}, "full_page")
}

func TestSessionsAreApart(t *testing.T) {
	url := site(t)
	s := start(t, Config{})
	a, b := connect(t, s), connect(t, s)
	ok(t, a, "browser_navigate", args{"url": url + "/form"})
	ok(t, b, "browser_navigate", args{"url": url + "/"})
	if got := ok(t, a, "browser_list_tabs", nil); strings.Count(got, `"id"`) != 1 || !strings.Contains(got, "/form") {
		t.Errorf("the tabs of the first are %s", got)
	}
	var list []sessionInfo
	unmarshal(t, ok(t, a, "browser_list_sessions", nil), &list)
	if len(list) != 1 || !list[0].Yours || list[0].Client != "test" || !strings.HasSuffix(list[0].URL, "/form") {
		t.Errorf("the first sees %+v", list)
	}
	var other []sessionInfo
	unmarshal(t, ok(t, b, "browser_list_sessions", nil), &other)
	refused(t, a, "browser_close_session", args{"session_id": other[0].ID}, "may close")
	ok(t, a, "browser_close_session", nil)
	refused(t, a, "browser_close_session", nil, "no open session")
	if got := ok(t, b, "browser_list_tabs", nil); !strings.Contains(got, url) {
		t.Errorf("the other was closed too: %s", got)
	}
	if got := ok(t, a, "browser_state", nil); !strings.Contains(got, "about:blank") {
		t.Errorf("a new session shows %s", got)
	}
}

func TestSessionsOfAll(t *testing.T) {
	s := start(t, Config{ManageAll: true})
	a, b := connect(t, s), connect(t, s)
	ok(t, a, "browser_state", nil)
	ok(t, b, "browser_state", nil)
	var list []sessionInfo
	unmarshal(t, ok(t, a, "browser_list_sessions", nil), &list)
	if len(list) != 2 {
		t.Fatalf("sees %+v", list)
	}
	if got := ok(t, a, "browser_close_all", nil); got != "Closed 2 sessions" {
		t.Error(got)
	}
}

func TestSessionsEndWithTheirConnection(t *testing.T) {
	s := start(t, Config{})
	c := connect(t, s)
	ok(t, c, "browser_state", nil)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	until(t, "the end of the session", func() bool {
		s.clients.mu.Lock()
		defer s.clients.mu.Unlock()
		return s.clients.n == 0 && len(s.clients.all) == 0
	})
}

func TestIdleSessionsAreClosed(t *testing.T) {
	s := start(t, Config{Idle: 300 * time.Millisecond})
	c := connect(t, s)
	ok(t, c, "browser_state", nil)
	until(t, "the end of the session", func() bool {
		s.clients.mu.Lock()
		defer s.clients.mu.Unlock()
		return s.clients.n == 0
	})
	if got := ok(t, c, "browser_state", nil); !strings.Contains(got, "was not used for") {
		t.Errorf("the new session is not told of: %s", got)
	}
}

func TestSessionLimit(t *testing.T) {
	s := start(t, Config{MaxSessions: 1})
	a, b := connect(t, s), connect(t, s)
	ok(t, a, "browser_state", nil)
	refused(t, b, "browser_state", nil, "browser_close_session")
	ok(t, a, "browser_close_session", nil)
	ok(t, b, "browser_state", nil)
}

// F153: waiting is not paid for with a whole page.
func TestAnswersAreShort(t *testing.T) {
	url := site(t)
	c := connect(t, start(t, Config{}))
	ok(t, c, "browser_navigate", args{"url": url + "/long"})
	for _, x := range []struct {
		tool string
		args args
	}{{"browser_wait", args{"seconds": 1}}, {"browser_scroll", nil}, {"browser_find_text", args{"text": "item 7"}}, {"browser_go_back", nil}} {
		if got := ok(t, c, x.tool, x.args); len(got) > 200 {
			t.Errorf("%s answers %d bytes: %s", x.tool, len(got), got)
		}
	}
}

func TestStateHasABudget(t *testing.T) {
	url := site(t)
	c := connect(t, start(t, Config{}))
	ok(t, c, "browser_navigate", args{"url": url + "/long"})
	small, large := ok(t, c, "browser_state", args{"budget": 300}), ok(t, c, "browser_state", args{"budget": 100_000, "full_page": true})
	if len(small) > 300*6 || len(large) < 5*len(small) {
		t.Errorf("budget 300 gives %d characters, 100,000 gives %d", len(small), len(large))
	}
	if got := ok(t, c, "browser_state", args{"mode": "diff", "budget": 100_000, "full_page": true}); !strings.Contains(got, "as you saw it last") || len(got) > 200 {
		t.Errorf("nothing changed, and it says %.300s", got)
	}
	refused(t, c, "browser_state", args{"mode": "other"}, "mode")
	refused(t, c, "browser_state", args{"budgt": 1}, "budget")
	if res := call(t, c, "browser_state", args{"screenshot": true}); len(res.Content) != 2 {
		t.Errorf("with a picture there are %d contents", len(res.Content))
	}
	ok(t, c, "browser_navigate", args{"url": url + "/form"})
	if got := ok(t, c, "browser_html", args{"selector": "#out"}); got != `<p id="out">nobody yet</p>` {
		t.Errorf("html: %s", got)
	}
	if got := ok(t, c, "browser_html", args{"max_chars": 20}); !strings.Contains(got, "cut at 20 of") {
		t.Errorf("html: %s", got)
	}
	refused(t, c, "browser_html", args{"selector": "#nowhere"}, "no element")
	refused(t, c, "browser_html", args{"selector": "###"}, "no CSS selector")
}

func TestErrorsAreErrors(t *testing.T) {
	url := site(t)
	c := connect(t, start(t, Config{}))
	refused(t, c, "browser_navigate", args{"url": "http://127.0.0.1:1/"}, "127.0.0.1:1")
	ok(t, c, "browser_navigate", args{"url": url + "/form"})
	refused(t, c, "browser_click", args{"index": 4711}, "4711")
	refused(t, c, "browser_click", args{"idx": 1}, "index")
	refused(t, c, "browser_click", args{"index": 1, "state": "perhaps"}, "state is true or false")
	refused(t, c, "browser_switch_tab", args{"tab_id": "zzzz"}, "zzzz")
	refused(t, c, "browser_input", args{"text": "x"}, "index")
	if _, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "browser_fly"}); err == nil {
		t.Error("a tool that is none did not fail")
	}
}

func TestReadOnlyServerCannotAct(t *testing.T) {
	c := connect(t, start(t, Config{ReadOnly: true}))
	var names []string
	for tool, err := range c.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, tool.Name)
	}
	for _, bad := range []string{"browser_click", "browser_input", "browser_evaluate", "browser_upload_file", "browser_write_file"} {
		if slices.Contains(names, bad) {
			t.Errorf("%s is offered", bad)
		}
		if res, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: bad, Arguments: args{"index": 1}}); err == nil && !res.IsError {
			t.Errorf("%s works", bad)
		}
	}
	if !slices.Contains(names, "browser_navigate") || !slices.Contains(names, "browser_state") {
		t.Errorf("offered are %q", names)
	}
}

func TestApproval(t *testing.T) {
	url := site(t)
	var asked []string
	c := connect(t, start(t, Config{Approve: func(_ context.Context, action string, _ json.RawMessage) error {
		asked = append(asked, action)
		if action == "click" {
			return errors.New("not today")
		}
		return nil
	}}))
	ok(t, c, "browser_navigate", args{"url": url + "/form"})
	greet := index(t, ok(t, c, "browser_state", nil), "Greet")
	refused(t, c, "browser_click", args{"index": greet}, "not today")
	if !slices.Equal(asked, []string{"navigate", "click"}) {
		t.Errorf("asked about %q", asked)
	}
	r := registry.New()
	r.MustAdd(registry.Spec{Name: "pay", Description: "Pay.", NeedsApproval: true}, func(context.Context) error { t.Error("paid"); return nil })
	refused(t, connect(t, start(t, Config{Tools: r})), "browser_pay", nil, "approval")
}

func TestSecretsStayHere(t *testing.T) {
	url := site(t)
	c := connect(t, start(t, Config{Secrets: []registry.Secret{registry.NewSecret("pin", "hunter2-hunter2")}}))
	ok(t, c, "browser_navigate", args{"url": url + "/form"})
	state := ok(t, c, "browser_state", nil)
	ok(t, c, "browser_input", args{"index": index(t, state, "<input"), "text": "<secret>pin</secret>"})
	got := ok(t, c, "browser_click", args{"index": index(t, state, "Greet"), "state": true})
	if strings.Contains(got, "hunter2") || !strings.Contains(got, "Hello") {
		t.Errorf("the page that shows the secret is told as %s", got)
	}
	if res, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "browser_evaluate", Arguments: args{"code": "1"}}); err == nil && !res.IsError {
		t.Error("JavaScript could read it")
	}
}

func TestOtherNamesAreUnderstood(t *testing.T) {
	url := site(t)
	c := connect(t, start(t, Config{ListAliases: true, LLM: llmtest.NewScript("the answer")}))
	var names []string
	for tool, err := range c.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, tool.Name)
	}
	for theirs := range aliases {
		if !slices.Contains(names, theirs) {
			t.Errorf("%s is not listed", theirs)
		}
	}
	ok(t, c, "browser_navigate", args{"url": url + "/form", "new_tab": false})
	state := call(t, c, "browser_get_state", args{"include_screenshot": true})
	if len(state.Content) != 2 {
		t.Errorf("browser_get_state has %d contents", len(state.Content))
	}
	ok(t, c, "browser_type", args{"index": index(t, text(state), "<input"), "text": "Bob"})
	ok(t, c, "browser_click", args{"index": index(t, text(state), "Greet"), "new_tab": false})
	if got := ok(t, c, "browser_get_html", args{"selector": "#out"}); !strings.Contains(got, "Hello Bob") {
		t.Errorf("the form says %s", got)
	}
	if got := ok(t, c, "browser_extract_content", args{"query": "who?"}); !strings.Contains(got, "the answer") {
		t.Errorf("extract says %s", got)
	}
	ok(t, c, "browser_scroll", args{"direction": "down"})
	ok(t, c, "browser_navigate", args{"url": url + "/"})
	ok(t, c, "browser_go_back", nil)
	ok(t, c, "browser_navigate", args{"url": url + "/item", "new_tab": true})
	var tabs []browser.Tab
	unmarshal(t, ok(t, c, "browser_list_tabs", nil), &tabs)
	if len(tabs) != 2 {
		t.Fatalf("tabs %+v", tabs)
	}
	ok(t, c, "browser_switch_tab", args{"tab_id": tabs[0].ID})
	ok(t, c, "browser_close_tab", args{"tab_id": tabs[1].ID})
	ok(t, c, "go_to_url", args{"url": url + "/"}) // of earlier versions
	link := index(t, ok(t, c, "state", nil), "The form")
	ok(t, c, "browser_click", args{"index": link, "new_tab": true})
	until(t, "the new tab", func() bool {
		unmarshal(t, ok(t, c, "browser_list_tabs", nil), &tabs)
		return len(tabs) == 2
	})
	ok(t, c, "browser_close", args{"tab_id": tabs[1].ID})
	ok(t, c, "browser_close", nil) // the session
	if got := ok(t, c, "browser_list_sessions", nil); got != "[]" {
		t.Errorf("sessions %s", got)
	}
}

func TestToolList(t *testing.T) {
	c := connect(t, start(t, Config{LLM: llmtest.NewScript()}))
	var b strings.Builder
	total := 0
	for tool, err := range c.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		schema, err := json.Marshal(tool.InputSchema)
		if err != nil {
			t.Fatal(err)
		}
		hints, err := json.Marshal(tool.Annotations)
		if err != nil {
			t.Fatal(err)
		}
		// What actions say of themselves is held by package tools.
		if fmt.Fprintf(&b, "%s %s\n", tool.Name, hints); tool.Name == "run_task" || aboutPage[tool.Name] || strings.Contains(tool.Name, "session") {
			fmt.Fprintf(&b, "  %s\n  %s\n", tool.Description, schema)
		}
		total += len(tool.Name) + len(tool.Description) + len(schema)
	}
	if total > 16_000 {
		t.Errorf("the list of tools has %d characters, which every client pays for in every request", total)
	}
	t.Logf("%d characters", total)
	golden(t, "tools.txt", b.String())
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func unmarshal(t *testing.T, text string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

func until(t *testing.T, what string, cond func() bool) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for !cond() {
		if time.Now().After(deadline) {
			t.Fatalf("%s did not come", what)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestMistakesAreFoundAtTheStart(t *testing.T) {
	noDone := registry.New()
	noDone.MustAdd(registry.Spec{Name: "state", Description: "Ours."}, func(context.Context) error { return nil })
	needy := registry.New()
	needy.MustAdd(registry.Spec{Name: "buy", Description: "Buy."}, func(context.Context, *http.Client) error { return nil })
	for want, cfg := range map[string]Config{
		"two tools are named":     {Tools: noDone},
		`no action "done"`:        {Tools: noDone, LLM: llmtest.NewScript()},
		"dependency not provided": {Tools: needy},
		"fewer than 8":            {Token: "1234567"},
		"Config.Profile":          {Browser: chr, Profile: true},
		"belong to one run":       {Agent: agent.Config{State: &agent.State{}}},
	} {
		if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q in it", err, want)
		}
	}
}
