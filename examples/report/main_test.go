package main

import (
	"bytes"
	"context"
	"image/gif"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/agent"
)

func TestTheDemoLeavesThingsToLookAt(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	dir := t.TempDir()
	var out bytes.Buffer
	if err := run(ctx, []string{"-out", dir}, &out); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	f, err := os.Open(filepath.Join(dir, "history.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h, err := agent.LoadHistory(f)
	if err != nil || !h.Succeeded() || !strings.Contains(h.Final(), "WH-1001") {
		t.Fatalf("history: %v, %q", err, h.Final())
	}
	page, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if err != nil || !bytes.Contains(page, []byte("data:image/jpeg;base64,")) || !bytes.Contains(page, []byte("WH-1001")) {
		t.Errorf("report: %v, %d bytes", err, len(page))
	}
	g, err := os.Open(filepath.Join(dir, "run.gif"))
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if pic, err := gif.DecodeAll(g); err != nil || len(pic.Image) < 3 {
		t.Errorf("animation: %v", err)
	}
	// The same from the file.
	again := t.TempDir()
	if err := run(ctx, []string{"-out", again, "-from", filepath.Join(dir, "history.json")}, &out); err != nil {
		t.Fatal(err)
	}
	if second, err := os.ReadFile(filepath.Join(again, "report.html")); err != nil || len(second) < len(page)*9/10 {
		t.Errorf("report from a file: %v, %d bytes after %d", err, len(second), len(page))
	}
}
