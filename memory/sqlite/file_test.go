package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"modernc.org/sqlite"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
)

var (
	ctx      = context.Background()
	anna     = longterm.Scope{UserID: "anna"}
	verbatim = longterm.AddOptions{Scope: anna, NoInfer: true}
)

func TestFileIsPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b c?#%", "memory.db") // signs that mean something in an address
	m, err := Open(ctx, path, longterm.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Add(ctx, longterm.Text("x"), verbatim); err != nil {
		t.Fatal(err)
	}
	for p, want := range map[string]os.FileMode{path: 0o600, path + "-wal": 0o600, filepath.Dir(path): 0o700} {
		fi, err := os.Stat(p)
		if err != nil || fi.Mode().Perm() != want {
			t.Errorf("%s: mode %v, %v, want %v", p, fi.Mode().Perm(), err, want)
		}
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path + "-wal"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the log is left after Close: %v", err)
	}
}

func TestOpenRefusesWhatIsNoStore(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return p
	}
	foreign := filepath.Join(dir, "foreign.db")
	newer := filepath.Join(dir, "newer.db")
	for path, q := range map[string]string{foreign: `CREATE TABLE t(x)`, newer: fmt.Sprintf(`PRAGMA application_id=%d; PRAGMA user_version=99`, applicationID)} {
		db := sql.OpenDB(connector{&sqlite.Driver{}, dsn(path, "immediate", nil)})
		if _, err := db.Exec(q); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	text := write("notes.txt", strings.Repeat("this is no database\n", 100))
	for name, path := range map[string]string{"text": text, "another database": foreign, "a newer version": newer, "a directory": dir, "empty path": ""} {
		t.Run(name, func(t *testing.T) {
			before, _ := os.ReadFile(path)
			if _, err := OpenStore(ctx, Config{Path: path}); !errors.Is(err, longterm.ErrStore) {
				t.Errorf("got %v, want ErrStore", err)
			}
			if after, _ := os.ReadFile(path); path == text && !bytes.Equal(before, after) {
				t.Error("the file was changed")
			}
		})
	}
}

func TestFullDiskLosesNothing(t *testing.T) {
	s := openTest(t, Config{Path: filepath.Join(t.TempDir(), "memory.db")})
	m, err := longterm.New(ctx, longterm.Config{Store: s})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	s.limitPages = 120
	added := 0
	for {
		_, err = m.Add(ctx, longterm.Text(fmt.Sprintf("memory %d %s", added, strings.Repeat("long ", 200))), verbatim)
		if err != nil {
			break
		}
		if added++; added > 1000 {
			t.Fatal("the file does not fill up")
		}
	}
	if !errors.Is(err, longterm.ErrStore) || !strings.Contains(err.Error(), "full") {
		t.Errorf("got %v, want ErrStore that says full", err)
	}
	if n, err := m.Count(ctx, anna); err != nil || n != added {
		t.Errorf("%d memories, %v, want the %d that were reported", n, err, added)
	}
	if _, err := m.Search(ctx, "memory", longterm.SearchOptions{Scope: anna}); err != nil {
		t.Errorf("a full store cannot be searched: %v", err)
	}
	s.limitPages = 1 << 20 // room again
	if _, err := m.Add(ctx, longterm.Text("fits now"), verbatim); err != nil {
		t.Errorf("with room again: %v", err)
	}
}

func TestPurgeLeavesNoBytes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	m, err := Open(ctx, path, longterm.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 30 {
		if _, err := m.Add(ctx, longterm.Text(fmt.Sprintf("xylophone secret %d", i)), verbatim); err != nil {
			t.Fatal(err)
		}
		if _, err := m.Add(ctx, longterm.Text(fmt.Sprintf("bob keeps this %d", i)), longterm.AddOptions{Scope: longterm.Scope{UserID: "bob"}, NoInfer: true}); err != nil {
			t.Fatal(err)
		}
	}
	holds := func() bool {
		t.Helper()
		for _, p := range []string{path, path + "-wal"} {
			if b, err := os.ReadFile(p); err == nil && bytes.Contains(b, []byte("xylophon")) {
				return true
			}
		}
		return false
	}
	if !holds() {
		t.Fatal("the text is not in the file before the purge either; this test proves nothing")
	}
	// What was changed and deleted before the purge must go too.
	l, err := m.List(ctx, longterm.ListOptions{Scope: anna, Limit: 20})
	if err != nil {
		t.Fatal(err)
	}
	for i, it := range l.Results {
		text := "a viola"
		if i%2 == 0 {
			_, err = m.Update(ctx, it.ID, longterm.Patch{Text: &text})
		} else {
			err = m.Delete(ctx, it.ID)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if n, err := m.Purge(ctx, anna); err != nil || n != 20 {
		t.Fatalf("purged %d, %v", n, err)
	}
	if holds() {
		t.Error("the text is still in the file after a purge")
	}
	if res, err := m.Search(ctx, "bob keeps", longterm.SearchOptions{Scope: longterm.Scope{UserID: "bob"}, Limit: 100}); err != nil || len(res.Results) != 30 {
		t.Errorf("bob has %d memories, %v", len(res.Results), err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if holds() {
		t.Error("the text is in the file after Close")
	}
}

func TestCacheStaysWithinItsLimit(t *testing.T) {
	const room = 200 << 10
	s := openTest(t, Config{Path: filepath.Join(t.TempDir(), "memory.db"), CacheBytes: room})
	m, err := longterm.New(ctx, longterm.Config{Store: s})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for u := range 6 {
		o := longterm.AddOptions{Scope: longterm.Scope{UserID: fmt.Sprint("u", u)}, NoInfer: true}
		var all []longterm.Message
		for i := range 20 {
			all = append(all, longterm.Message{Role: "user", Content: fmt.Sprintf("memory %d", i)})
		}
		if _, err := m.Add(ctx, all, o); err != nil {
			t.Fatal(err)
		}
	}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 12 {
				res, err := m.Search(ctx, "memory 7", longterm.SearchOptions{Scope: longterm.Scope{UserID: fmt.Sprint("u", (i+g)%6)}, Limit: 100})
				if err != nil || len(res.Results) != 20 {
					t.Errorf("%d results, %v", len(res.Results), err)
				}
			}
		})
	}
	wg.Wait()
	total := 0
	for _, b := range s.cache.blocks {
		total += b.bytes()
	}
	if total > room || len(s.cache.blocks) == 0 || len(s.cache.blocks) == 6 || len(s.cache.entries) != len(s.cache.blocks) || s.cache.order.Len() != len(s.cache.blocks) {
		t.Errorf("%d bytes in %d blocks, the limit is %d", total, len(s.cache.blocks), room)
	}
}

// TestEightWritersOfTheWholeMemory runs under the race detector with searches
// in between.
func TestEightWritersOfTheWholeMemory(t *testing.T) {
	m, err := Open(ctx, filepath.Join(t.TempDir(), "memory.db"), longterm.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	const each = 9
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range each {
				res, err := m.Add(ctx, longterm.Text(fmt.Sprintf("writer %d says %d", w, i)), verbatim)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := m.Search(ctx, "writer says", longterm.SearchOptions{Scope: anna}); err != nil {
					t.Error(err)
				}
				text := fmt.Sprintf("writer %d changed %d", w, i)
				if _, err := m.Update(ctx, res.Results[0].ID, longterm.Patch{Text: &text}); err != nil {
					t.Error(err)
				}
				if i%3 == 0 {
					if err := m.Delete(ctx, res.Results[0].ID); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	want := 8 * each * 2 / 3
	res, err := m.Search(ctx, "changed", longterm.SearchOptions{Scope: anna, Limit: 1000})
	if err != nil || len(res.Results) != want {
		t.Errorf("a search finds %d, %v, want %d", len(res.Results), err, want)
	}
}

func TestAccess(t *testing.T) {
	s := openTest(t, Config{Path: ":memory:"})
	defer s.Close()
	if _, err := s.App(ctx, "anna", "claude", false); !errors.Is(err, longterm.ErrNotFound) {
		t.Errorf("an unknown app: %v", err)
	}
	for range 2 {
		if a, err := s.App(ctx, "anna", "claude", true); err != nil || !a.Active || a.Name != "claude" {
			t.Errorf("app %+v, %v", a, err)
		}
	}
	rules := []longterm.Rule{{Allow: true, MemoryID: "a"}, {MemoryID: "b"}, {}}
	if err := s.SetRules(ctx, "anna", "claude", rules); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Rules(ctx, "anna", "claude"); err != nil || fmt.Sprint(got) != fmt.Sprint(rules) {
		t.Errorf("rules %v, %v", got, err)
	}
	if got, err := s.Rules(ctx, "bob", "claude"); err != nil || len(got) != 0 {
		t.Errorf("another user's rules %v, %v", got, err)
	}
	if err := errors.Join(s.SetActive(ctx, "anna", "claude", false), s.LogAccess(ctx, []longterm.Access{{User: "anna", App: "claude", Kind: "search", MemoryID: "a"}})); err != nil {
		t.Fatal(err)
	}
	if apps, err := s.Apps(ctx, "anna"); err != nil || len(apps) != 1 || apps[0].Active {
		t.Errorf("apps %+v, %v", apps, err)
	}
	if err := s.SetActive(ctx, "anna", "nobody", true); !errors.Is(err, longterm.ErrNotFound) {
		t.Errorf("an unknown app was changed: %v", err)
	}
	if log, err := s.AccessLog(ctx, "anna", 5); err != nil || len(log) != 1 || log[0].MemoryID != "a" {
		t.Errorf("log %+v, %v", log, err)
	}
}
