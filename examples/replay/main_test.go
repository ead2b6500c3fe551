package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestTheDemoIsRecordedAndReplayed(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	dir := t.TempDir()
	var out bytes.Buffer
	err := run(ctx, []string{
		"-var", "email=ada@example.com=grace@example.org", "-workflow", filepath.Join(dir, "w.json"), "-export", "go=" + filepath.Join(dir, "go"), "-export", "playwright=" + dir,
	}, &out)
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, want := range []string{"RECORDING", "complete in", "0 model calls", "exact", "not read again"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output lacks %q:\n%s", want, out.String())
		}
	}
	for _, f := range []string{"w.json", "go/main.go", "go/go.mod", "recorded-run.spec.ts"} {
		if b, err := os.ReadFile(filepath.Join(dir, f)); err != nil || bytes.Contains(b, []byte("ada@example.com")) {
			t.Errorf("%s: %v, or it holds the recorded value", f, err)
		}
	}
}

func TestAVariableThatIsNoneIsAnError(t *testing.T) {
	f := filepath.Join(t.TempDir(), "h.json")
	h := `{"format":"webhand-history","version":1,"task":"x","tasks":[{"task":"x"}],"steps":[{"step":1,"actions":[{"name":"input","args":{"index":1,"text":"Oslo"},"result":{}}]}]}`
	if err := os.WriteFile(f, []byte(h), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-history", f, "-find"}, &out); err != nil || !strings.Contains(out.String(), `"Oslo"`) {
		t.Errorf("find: %v\n%s", err, out.String())
	}
	if err := run(t.Context(), []string{"-history", f, "-var", "city=Rome"}, &out); err == nil || !strings.Contains(err.Error(), "not declared") {
		t.Errorf("err = %v", err)
	}
}
