package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// chrome is a browser with a debugging port, for one subject.
type chrome struct {
	cmd  *exec.Cmd
	dir  string
	port string
	path string // of the browser's own websocket
}

func (c *chrome) url() string { return "http://127.0.0.1:" + c.port }

func (c *chrome) socket() string { return "ws://127.0.0.1:" + c.port + c.path }

func startChrome(ctx context.Context) (*chrome, error) {
	path := ""
	for _, name := range []string{"google-chrome-stable", "google-chrome", "chromium", "chromium-browser", "chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		return nil, errors.New("no Chrome or Chromium in PATH")
	}
	dir, err := os.MkdirTemp("", "webhand-bench-")
	if err != nil {
		return nil, err
	}
	c := &chrome{dir: dir}
	args := []string{"--headless=new", "--remote-debugging-port=0", "--user-data-dir=" + dir, "--no-first-run", "--window-size=1280,800", "about:blank"}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox")
	}
	c.cmd = exec.Command(path, args...)
	ownGroup(c.cmd)
	if err := c.cmd.Start(); err != nil {
		c.close()
		return nil, err
	}
	for range 600 {
		b, err := os.ReadFile(filepath.Join(dir, "DevToolsActivePort"))
		if err == nil && strings.Contains(string(b), "\n") {
			c.port, c.path, _ = strings.Cut(strings.TrimSpace(string(b)), "\n")
			return c, nil
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			c.close()
			return nil, ctx.Err()
		}
	}
	c.close()
	return nil, fmt.Errorf("%s did not open a debugging port", path)
}

func (c *chrome) close() {
	if c.cmd != nil && c.cmd.Process != nil {
		killGroup(c.cmd)
		_ = c.cmd.Wait()
	}
	_ = os.RemoveAll(c.dir)
}
