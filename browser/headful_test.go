package browser

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// display starts an X server without a screen and returns its name.
func display(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("Xvfb")
	if err != nil {
		t.Skip("no Xvfb to show a window in")
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := exec.Command(path, "-displayfd", "3", "-screen", "0", "1600x1200x24", "-nolisten", "tcp")
	cmd.ExtraFiles = []*os.File{w}
	err = cmd.Start()
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	number, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatalf("Xvfb did not start: %v", err)
	}
	return ":" + strings.TrimSpace(number)
}

// A window under Xvfb is looked at and acted on as a page without one is.
func TestHeadful(t *testing.T) {
	url := serveMux(t, html(`<title>window</title><button onclick="document.title='pressed'">go</button><input aria-label=f>`))
	ctx := testContext(t)
	s, err := New(ctx, Config{
		Headful: true, Env: []string{"DISPLAY=" + display(t)}, WindowPosition: &Point{X: 10, Y: 10}, Flags: map[string]string{"window-size": "900,700"},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Navigate(ctx, url); err != nil {
		t.Fatal(err)
	}
	st := again(t, s, StateOptions{Screenshot: true, Marks: true})
	if len(st.Screenshot) == 0 || len(st.Page.Missing) > 0 {
		t.Errorf("a picture of %d bytes, missing %v", len(st.Screenshot), st.Page.Missing)
	}
	for _, e := range st.Page.Elements {
		switch e.Name {
		case "go":
			_, err = s.Click(ctx, e.Index, ClickOptions{})
		case "f":
			_, err = s.Input(ctx, e.Index, "typed", InputOptions{})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := mustEval[string](t, s, `document.title + document.querySelector('input').value`); got != "pressedtyped" {
		t.Errorf("the page holds %q", got)
	}
	if got := mustEval[[]int](t, s, `[outerWidth, outerHeight]`); got[0] != 900 || got[1] != 700 {
		t.Errorf("the window is %v", got)
	}
	if agent := mustEval[string](t, s, `navigator.userAgent`); strings.Contains(agent, "Headless") {
		t.Errorf("the page is told %s", agent)
	}
}

// Without a display the error says so, and what to do.
func TestHeadfulWithoutADisplay(t *testing.T) {
	if runtime.GOOS != "linux" || os.Getenv("WAYLAND_DISPLAY") != "" {
		t.Skip("there is a display that Chrome finds by itself")
	}
	_, err := New(testContext(t), Config{Headful: true, Env: []string{"DISPLAY="}})
	var le *LaunchError
	if !errors.As(err, &le) || !strings.Contains(err.Error(), "Xvfb") {
		t.Errorf("err = %v", err)
	}
}
