package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestAFolderOfPages(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	dir := t.TempDir()
	if err := run(ctx, []string{"-pages", dir}, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "no .html file") {
		t.Errorf("an empty folder: %v", err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "a b"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, page := range map[string]string{
		"one.html":     `<title>one</title><button>go</button><link rel=stylesheet href=a%20b/x.css>`,
		"a b/two.html": `<p>two</p><a href=x>a</a><a href=y>b</a>`,
		"a b/x.css":    `button { color: red }`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if err := run(ctx, []string{"-pages", dir, "-n", "2"}, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`(?m)^page +ms +tokens +targets +missing$`, `(?m)^a b/two\.html +[\d.]+ +\d+ +2 *$`, `(?m)^one\.html +[\d.]+ +\d+ +1 *$`} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("no line %s in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "x.css") {
		t.Errorf("a style sheet is looked at:\n%s", out.String())
	}
}

func TestAPage(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	file := filepath.Join(t.TempDir(), "page.png")
	var out bytes.Buffer
	if err := run(ctx, []string{"-url", "data:text/html,<button>Send</button>", "-screenshot", file}, &out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "Send") {
		t.Errorf("the text is\n%s", out.String())
	}
	if pic, err := os.ReadFile(file); err != nil || !bytes.HasPrefix(pic, []byte("\x89PNG")) {
		t.Errorf("the picture: %v, %d bytes", err, len(pic))
	}
}
