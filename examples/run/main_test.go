package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-4bdb41d0/webhand/agent"
	"github.com/seed-4bdb41d0/webhand/internal/demosite"
	"github.com/seed-4bdb41d0/webhand/llm/llmtest"
)

// offers is a model that follows the link to the offers and reports them. It
// looks the link up in the page that it is shown, as a model does.
func offers(r *llmtest.Request) llmtest.Answer {
	page := r.LastUser()
	if strings.Contains(page, "/offers") && strings.Contains(page, "Page: ") && regexp.MustCompile(`Page: \S+/offers`).MatchString(page) {
		return llmtest.Text(`{"thinking":"t","evaluation_previous_goal":"e","memory":"m","next_goal":"tell","action":[{"done":{"text":"There are offers.","success":true}}]}`)
	}
	m := regexp.MustCompile(`\[(\d+)\]<a[^\n]*>Offers`).FindStringSubmatch(page)
	if m == nil {
		return llmtest.Text(`{"thinking":"t","evaluation_previous_goal":"e","memory":"m","next_goal":"give up","action":[{"done":{"text":"no link","success":false}}]}`)
	}
	return llmtest.Text(fmt.Sprintf(`{"thinking":"t","evaluation_previous_goal":"e","memory":"m","next_goal":"follow the link","action":[{"click":{"index":%s}}]}`, m[1]))
}

func TestRunAsAProgramWould(t *testing.T) {
	site, err := demosite.Start(t.Context(), demosite.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer site.Close()
	model, err := llmtest.Serve(llmtest.ServerConfig{Answer: offers, Key: "k"})
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	t.Setenv("OPENAI_API_KEY", "k")
	dir := t.TempDir()
	history := filepath.Join(dir, "history.json")
	var out, diag bytes.Buffer
	err = run(t.Context(), []string{
		"-task", "Are there offers?", "-url", site.URL + "/shop", "-provider", "openai", "-model", "gpt-4.1-mini", "-base-url", model.OpenAI(),
		"-json", "-history", history, "-save-conversation", filepath.Join(dir, "conversation"), "-dir", filepath.Join(dir, "agent"), "-approve",
		"-report", filepath.Join(dir, "run.html"), "-gif", filepath.Join(dir, "run.gif"), "-watch", "127.0.0.1:0",
	}, strings.NewReader("yes\n"), &out, &diag)
	if err != nil {
		t.Fatalf("%v\n%s", err, diag.String())
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d lines on stdout, want one for each of three steps:\n%s", len(lines), out.String())
	}
	for i, l := range lines {
		var s agent.Step
		if err := json.Unmarshal([]byte(l), &s); err != nil || s.Number != i {
			t.Errorf("line %d is not step %d: %v", i+1, i, err)
		}
	}
	if !strings.Contains(diag.String(), "There are offers.") || !strings.Contains(diag.String(), `link "Offers"`) {
		t.Errorf("stderr has no result or no question:\n%s", diag.String())
	}
	for _, name := range []string{"run.html", "run.gif"} {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || len(b) < 10_000 {
			t.Errorf("%s: %d bytes, %v", name, len(b), err)
		}
	}
	if !strings.Contains(diag.String(), "Watch at http://127.0.0.1:") {
		t.Error("it is not said where to watch")
	}
	f, err := os.Open(history)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h, err := agent.LoadHistory(f)
	if err != nil || h.Final() != "There are offers." || len(h.Steps) != 3 {
		t.Errorf("history: %v, %+v", err, h)
	}
	if _, err := os.Stat(filepath.Join(dir, "agent", h.Screenshots()[0])); err != nil {
		t.Errorf("the screenshot is not where the history says: %v", err)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "conversation", "*")); len(files) != 3 {
		t.Errorf("conversation files: %v", files)
	}
}

func TestBadFlags(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "k")
	for _, tt := range []struct {
		args []string
		want string
	}{
		{nil, "no task"},
		{[]string{"-task", "a", "b"}, "twice"},
		{[]string{"-task", "a", "-no-such-flag"}, "no-such-flag"},
		{[]string{"-task", "a", "-provider", "nobody"}, "nobody"},
		{[]string{"-task", "a", "-secrets", "/no/such/file"}, "no such file"},
		{[]string{"-task", "a", "-vision", "sometimes"}, "sometimes"},
	} {
		var out, diag bytes.Buffer
		err := run(t.Context(), tt.args, strings.NewReader(""), &out, &diag)
		if err == nil || errors.Is(err, errNotAchieved) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v", tt.args, err)
		}
		if out.Len() > 0 {
			t.Errorf("%q: stdout has %q", tt.args, out.String())
		}
	}
}

func TestTheRunIsShownToThisMachineOnly(t *testing.T) {
	for _, address := range []string{"0.0.0.0:8080", ":8080", "192.168.1.4:80", "example.com:80"} {
		o := &options{watch: address}
		if _, _, err := o.show(&bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "loopback") {
			t.Errorf("-watch %s: %v", address, err)
		}
	}
}
