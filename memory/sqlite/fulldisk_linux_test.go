package sqlite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
)

// TestFullFileSystemLosesNothing fills a real file system, which takes the
// right to mount one. The log, the file and its index all meet the end of it.
func TestFullFileSystemLosesNothing(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1536k"); err != nil {
		t.Skipf("no file system can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 256<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "memory.db")
	m, err := Open(ctx, path, longterm.Config{})
	if err != nil {
		t.Fatal(err)
	}
	texts := make(map[string]string) // of what was reported
	add := func(i int) error {
		text := fmt.Sprintf("memory %d %s", i, strings.Repeat("long ", 200))
		res, err := m.Add(ctx, longterm.Text(text), verbatim)
		if err == nil {
			texts[res.Results[0].ID] = text
		}
		return err
	}
	fill := func() error {
		for i := range 10000 {
			if err := add(i); err != nil {
				return err
			}
		}
		return nil
	}
	check := func(when string) {
		t.Helper()
		if n, err := m.Count(ctx, anna); err != nil || n != len(texts) {
			t.Errorf("%s: %d memories, %v, want the %d that were reported", when, n, err, len(texts))
		}
		for id, text := range texts {
			if it, err := m.Get(ctx, id); err != nil || it.Memory != text {
				t.Fatalf("%s: %s: %v", when, id, err)
			}
		}
	}
	err = fill()
	if !errors.Is(err, longterm.ErrStore) || !strings.Contains(err.Error(), "full") {
		t.Errorf("got %v, want ErrStore that says full", err)
	}
	if len(texts) == 0 {
		t.Fatal("nothing fitted")
	}
	for range 3 { // and again: a failed write leaves nothing behind that fails the next
		if err := add(0); err == nil {
			break // a checkpoint made room for one more
		}
	}
	check("full")
	if _, err := m.Search(ctx, "memory", longterm.SearchOptions{Scope: anna}); err != nil {
		t.Errorf("a store on a full disk cannot be searched: %v", err)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if err := add(0); err != nil {
		t.Errorf("with room again: %v", err)
	}
	check("with room again")
	if err := fill(); !errors.Is(err, longterm.ErrStore) {
		t.Errorf("full again: %v", err)
	}
	_ = m.Close() // which may not find the room to fold the log in
	if m, err = Open(ctx, path, longterm.Config{}); err != nil {
		t.Fatalf("the file of a full disk does not open: %v", err)
	}
	check("opened again")
	if err := m.Close(); err != nil {
		t.Logf("Close: %v", err)
	}
}
