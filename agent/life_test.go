package agent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/llmtest"
)

// process is one entry of /proc.
type process struct{ pid, parent int }

// processes lists the processes of this machine that are not zombies.
func processes(t *testing.T) []process {
	t.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil || len(dirs) == 0 {
		t.Skip("no /proc to count processes in")
	}
	var out []process
	for _, d := range dirs {
		data, err := os.ReadFile(filepath.Join(d, "stat"))
		if err != nil {
			continue // it ended meanwhile
		}
		f := strings.Fields(string(data)[strings.LastIndexByte(string(data), ')')+1:])
		if len(f) < 2 || f[0] == "Z" {
			continue
		}
		var p process
		p.pid, _ = strconv.Atoi(filepath.Base(d))
		p.parent, _ = strconv.Atoi(f[1])
		out = append(out, p)
	}
	return out
}

// children are the processes that this one started, by number. What a browser
// starts in turn comes and goes, and ends with it.
func children(t *testing.T) map[int]bool {
	t.Helper()
	out := map[int]bool{}
	for _, p := range processes(t) {
		if p.parent == os.Getpid() {
			out[p.pid] = true
		}
	}
	return out
}

// left counts the processes of runs that are still there: children that were
// not there before, and whatever was started on a profile below tmp.
func left(t *testing.T, before map[int]bool, tmp string) int {
	t.Helper()
	n := 0
	for _, p := range processes(t) {
		line, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.pid), "cmdline"))
		if p.parent == os.Getpid() && !before[p.pid] || strings.Contains(string(line), tmp) {
			n++
		}
	}
	return n
}

// tempDirs counts what is in the folder for temporary files.
func tempDirs(t *testing.T, dir string) int {
	t.Helper()
	n := 0
	_ = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && path != dir {
			n++
		}
		return nil
	})
	return n
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			t.Errorf("still not: %s", what)
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// runsLeaveNothing counts goroutines, processes and temporary files before and
// after runs that each launch a browser of their own and end in different ways.
func runsLeaveNothing(t *testing.T, runs int) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	goroutines, before := runtime.NumGoroutine(), children(t)
	for i := range runs {
		ctx, cancel := context.WithCancel(t.Context())
		m := model(func(n int, _ *llm.Request) string {
			switch {
			case n == 0:
				return say(`{"navigate":{"url":"data:text/html,<h1>hello</h1>"}}`)
			case i%3 == 1:
				cancel()
			case i%3 == 2:
				return "garbage"
			}
			return finished("ok", true)
		})
		cfg := Config{LLM: m, BrowserConfig: browser.Config{NoSandbox: true, CallTimeout: 2 * time.Minute}, Limits: Limits{Failures: 1, NoFinalAnswer: true}}
		_, err := Run(ctx, "task", cfg)
		cancel()
		var fe *FailureError
		if i%3 == 0 && err != nil || i%3 == 1 && !errors.Is(err, context.Canceled) || i%3 == 2 && !errors.As(err, &fe) {
			t.Errorf("run %d: %v", i, err)
		}
	}
	eventually(t, "goroutines are back where they were", func() bool { return runtime.NumGoroutine() <= goroutines+2 })
	eventually(t, "no process is left", func() bool { return left(t, before, tmp) == 0 })
	if n := tempDirs(t, tmp); n != 0 {
		list, _ := filepath.Glob(filepath.Join(tmp, "*"))
		t.Errorf("%d temporary files are left: %v", n, list)
	}
}

func TestRunsLeaveNothingBehind(t *testing.T) { runsLeaveNothing(t, 3) }

// A Chrome that dies is started again, once, and the model is told what that
// means; it goes on from the page it was on (faults F154, F155).
func TestChromeKilledIsStartedAgain(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	before := children(t)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `<title>shop</title><h1>page %s</h1><input aria-label=Name>`, r.URL.Path)
	}))
	defer srv.Close()
	var told, page string
	run := func(kills int) (*History, *llmtest.Script, error) {
		m := model(func(n int, req *llm.Request) string {
			switch {
			case n == 0:
				return say(`{"navigate":{"url":"` + srv.URL + `/basket"}}`)
			case n <= kills:
				killChildren(t, before)
				return say(`{"find_text":{"text":"page"}}`)
			case n == kills+1:
				told = lastText(req)
				return say(input(index(req, "Name"), "Ada"))
			}
			page = lastText(req)
			return finished("ok", true)
		})
		h, err := Run(t.Context(), "task", Config{LLM: m, BrowserConfig: browser.Config{NoSandbox: true, CallTimeout: 2 * time.Minute}})
		return h, m, err
	}
	h, _, err := run(1)
	if err != nil || !h.Succeeded() {
		t.Fatalf("error %v, outcome %+v", err, h.Outcome())
	}
	if len(h.Steps) != 4 || h.Steps[1].Status != StepFailed || h.Steps[2].Status != StepOK {
		t.Errorf("steps %+v", h.Steps)
	}
	if !strings.Contains(told, "Chrome died and was started again") || !strings.Contains(told, "page /basket") {
		t.Errorf("the model was told:\n%s", told)
	}
	if strings.Contains(page, "started again") || !strings.Contains(page, "Ada") {
		t.Errorf("a step later the model was told:\n%s", page)
	}
	h, m, err := run(2)
	if !errors.Is(err, browser.ErrDisconnected) || h.Outcome().End != EndError || m.Calls() != 3 {
		t.Errorf("error %v, outcome %+v after %d calls", err, h.Outcome(), m.Calls())
	}
	eventually(t, "no process is left", func() bool { return left(t, before, tmp) == 0 })
	if n := tempDirs(t, tmp); n != 0 {
		list, _ := filepath.Glob(filepath.Join(tmp, "*"))
		t.Errorf("%d temporary files are left: %v", n, list)
	}
}

func TestChromeKilledInTheMiddle(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	before := children(t)
	var killed time.Time
	m := model(func(n int, _ *llm.Request) string {
		if n == 1 {
			killChildren(t, before)
			killed = time.Now()
		}
		return say(`{"navigate":{"url":"data:text/html,<h1>hello</h1>"}}`)
	})
	h, err := Run(t.Context(), "task", Config{
		LLM: m, BrowserConfig: browser.Config{NoSandbox: true, CallTimeout: 2 * time.Minute}, Limits: Limits{Relaunches: -1},
	})
	if !errors.Is(err, browser.ErrDisconnected) {
		t.Errorf("error %v, want browser.ErrDisconnected", err)
	}
	if killed.IsZero() || len(h.Steps) != 2 || h.Steps[1].Status == StepOK || h.Outcome().End != EndError {
		t.Errorf("%d steps, outcome %+v", len(h.Steps), h.Outcome())
	}
	if m.Calls() != 2 {
		t.Errorf("the model was asked %d times; a dead browser is no reason to ask again", m.Calls())
	}
	eventually(t, "no process is left", func() bool { return left(t, before, tmp) == 0 })
}

// killChildren kills the children that were not there before.
func killChildren(t *testing.T, before map[int]bool) {
	t.Helper()
	killed := 0
	for pid := range children(t) {
		if before[pid] {
			continue
		}
		p, err := os.FindProcess(pid)
		if err == nil {
			err = p.Kill()
		}
		if err != nil {
			t.Error(err)
		}
		killed++
	}
	if killed == 0 {
		t.Error("there is no browser to kill")
	}
}

func TestNoChrome(t *testing.T) {
	m := model(answersThenDone())
	h, err := Run(t.Context(), "task", Config{LLM: m, BrowserConfig: browser.Config{ExecPath: "/no/such/chrome"}})
	if err == nil || m.Calls() != 0 || h.Outcome().End != EndError || !strings.Contains(err.Error(), "/no/such/chrome") {
		t.Errorf("error %v, outcome %+v", err, h.Outcome())
	}
	h, err = Run(t.Context(), "task", Config{LLM: m, BrowserConfig: browser.Config{RemoteURL: "http://127.0.0.1:1"}})
	var ce *browser.ConnectError
	if !errors.As(err, &ce) || h.Outcome().End != EndError {
		t.Errorf("error %v", err)
	}
}

func TestKeepBrowserKeepsThePageForTheFollowUp(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	m := model(func(n int, req *llm.Request) string {
		switch n {
		case 0:
			return say(`{"navigate":{"url":"data:text/html,<h1>hello there</h1>"}}`)
		case 2:
			if !strings.Contains(lastText(req), "hello there") {
				t.Error("the follow-up starts on another page")
			}
		}
		return finished("ok", true)
	})
	a, err := New("first", Config{LLM: m, KeepBrowser: true, BrowserConfig: browser.Config{NoSandbox: true, CallTimeout: 2 * time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if a.Session() == nil || !a.Session().Alive() {
		t.Fatal("the browser was not kept")
	}
	if err := a.AddTask("second"); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if n := tempDirs(t, tmp); n != 0 {
		list, _ := filepath.Glob(filepath.Join(tmp, "*"))
		t.Errorf("%d temporary files are left: %v", n, list)
	}
}
