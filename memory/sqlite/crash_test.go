package sqlite

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
)

// childEnv makes the test binary a writer of its own: it names the file, and
// childMode what is written.
const (
	childEnv  = "WEBHAND_TEST_MEMORY_FILE"
	childMode = "WEBHAND_TEST_MEMORY_MODE"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(childEnv); path != "" {
		if err := child(path, os.Getenv(childMode)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child adds memories, and says each id once it is reported to be stored. Some
// are updated and some deleted, and said again with a sign.
func child(path, name string) error {
	ctx := context.Background()
	m, err := Open(ctx, path, longterm.Config{})
	if err != nil {
		return err
	}
	o := longterm.AddOptions{Scope: longterm.Scope{UserID: "anna"}, NoInfer: true}
	for i := 0; ; i++ {
		res, err := m.Add(ctx, []longterm.Message{
			{Role: "user", Content: fmt.Sprintf("%s first %d", name, i)}, {Role: "assistant", Content: fmt.Sprintf("%s second %d", name, i)},
		}, o)
		if err != nil {
			return err
		}
		for _, c := range res.Results {
			fmt.Println("+" + c.ID)
		}
		if i%3 == 0 {
			text := "changed"
			if _, err := m.Update(ctx, res.Results[0].ID, longterm.Patch{Text: &text}); err != nil {
				return err
			}
			fmt.Println("~" + res.Results[0].ID)
		}
		if i%4 == 0 {
			if err := m.Delete(ctx, res.Results[1].ID); err != nil {
				return err
			}
			fmt.Println("-" + res.Results[1].ID)
		}
		if name == "once" && i == 20 {
			return m.Close()
		}
	}
}

func startChild(t *testing.T, path, name string) (*exec.Cmd, io.ReadCloser) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+path, childMode+"="+name)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, out
}

// TestKillInTheMiddleOfWrites kills a writer with SIGKILL fifty times (fewer
// under the race detector), each time after another number of reported writes,
// on one and the same file.
func TestKillInTheMiddleOfWrites(t *testing.T) {
	rounds := killRounds
	if testing.Short() {
		rounds = 5
	}
	path := filepath.Join(t.TempDir(), "memory.db")
	all := make(map[string]byte) // what was reported last about an id
	rnd := rand.New(rand.NewPCG(7, 7))
	for round := range rounds {
		cmd, out := startChild(t, path, fmt.Sprintf("round %d", round))
		lines := bufio.NewScanner(out)
		said := make(map[string]byte)
		for n := 1 + rnd.IntN(40); n > 0 && lines.Scan(); n-- {
			said[lines.Text()[1:]] = lines.Text()[0]
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() { // reported before the kill arrived
			if id := lines.Text(); len(id) == 37 {
				said[id[1:]] = id[0]
			}
		}
		_ = cmd.Wait() // killed
		checkFile(t, path, said)
		if t.Failed() {
			t.Fatalf("after %d kills", round+1)
		}
		maps.Copy(all, said)
	}
	checkFile(t, path, all) // a later kill took nothing of an earlier round
}

// checkFile opens a file after a crash. Whatever was reported must be there,
// and nothing may be there in part.
func checkFile(t *testing.T, path string, said map[string]byte) {
	t.Helper()
	ctx := context.Background()
	s := openTest(t, Config{Path: path})
	defer s.Close()
	var integrity string
	if err := s.read.QueryRow(`PRAGMA quick_check`).Scan(&integrity); err != nil || integrity != "ok" {
		t.Errorf("the file is damaged: %s, %v", integrity, err)
	}
	for id, what := range said {
		r, err := s.Get(ctx, id)
		switch {
		case what == '-' && !errors.Is(err, longterm.ErrNotFound):
			t.Errorf("%s was reported deleted and is there: %v", id, err)
		case what != '-' && err != nil:
			// It may have been deleted after the last report that was read.
			hs, herr := s.History(ctx, id)
			if herr != nil || len(hs) == 0 || !hs[len(hs)-1].IsDeleted {
				t.Errorf("%s was reported and is lost: %v, history %v, %v", id, err, hs, herr)
			}
		case what == '~' && r.Text != "changed":
			t.Errorf("%s was reported changed and says %q", id, r.Text)
		}
	}
	// Every memory has its vector, its words and as many history rows as things
	// that happened to it; nothing has no memory.
	for name, q := range map[string]string{
		"memories without a vector":       `SELECT count(*) FROM memories m LEFT JOIN vectors v ON v.rid = m.rid WHERE v.rid IS NULL`,
		"vectors without a memory":        `SELECT count(*) FROM vectors v LEFT JOIN memories m ON m.rid = v.rid WHERE m.rid IS NULL`,
		"memories without words":          `SELECT (SELECT count(*) FROM memories) - (SELECT count(*) FROM memories_fts)`,
		"memories without an ADD row":     `SELECT count(*) FROM memories m WHERE NOT EXISTS (SELECT 1 FROM history h WHERE h.memory_id = m.id AND h.event = 'ADD')`,
		"lives without an end":            `SELECT count(*) FROM history h WHERE event = 'ADD' AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.id = h.memory_id) AND NOT EXISTS (SELECT 1 FROM history d WHERE d.memory_id = h.memory_id AND d.event = 'DELETE')`,
		"texts that history has not":      `SELECT count(*) FROM memories m WHERE data <> (SELECT new_memory FROM history h WHERE h.memory_id = m.id ORDER BY seq DESC LIMIT 1)`,
		"first messages without a second": `SELECT abs((SELECT count(*) FROM history WHERE event = 'ADD' AND new_memory LIKE '% first %') - (SELECT count(*) FROM history WHERE event = 'ADD' AND new_memory LIKE '% second %'))`,
	} {
		var n int
		if err := s.read.QueryRow(q).Scan(&n); err != nil || n != 0 {
			t.Errorf("%s: %d, %v", name, n, err)
		}
	}
}

// TestTwoProcesses has another process write while this one reads and writes
// the same file, cached searches included.
func TestTwoProcesses(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "memory.db")
	m, err := Open(ctx, path, longterm.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	anna := longterm.Scope{UserID: "anna"}
	count := func() int {
		t.Helper()
		all := 0.0
		res, err := m.Search(ctx, "first second changed mine", longterm.SearchOptions{Scope: anna, Limit: 1000, Threshold: &all})
		if err != nil {
			t.Fatal(err)
		}
		return len(res.Results)
	}
	cmd, out := startChild(t, path, "once")
	lines := bufio.NewScanner(out)
	said := make(map[string]byte)
	mine := 0
	for lines.Scan() {
		said[lines.Text()[1:]] = lines.Text()[0]
		if _, err := m.Add(ctx, longterm.Text("mine"), longterm.AddOptions{Scope: anna, NoInfer: true}); err != nil {
			t.Fatal(err)
		}
		mine++
		count()
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	theirs := 0
	for _, what := range said {
		if what != '-' {
			theirs++
		}
	}
	if got := count(); got != mine+theirs {
		t.Errorf("a search finds %d memories, want %d of this process and %d of the other", got, mine, theirs)
	}
	if theirs == 0 || mine == 0 {
		t.Errorf("%d and %d memories", mine, theirs)
	}
	if strings.Contains(fmt.Sprint(said), "%") {
		t.Error("unreadable report")
	}
}
