package browser

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// process is a Chrome that this program started, with its profile directory.
type process struct {
	cmd     *exec.Cmd
	dir     string // profile directory
	tempDir bool   // dir is ours to remove
	out     *tail

	exited  chan struct{} // closed when the process is reaped
	exitErr error         // valid after exited
}

// startProcess starts cmd; pipes for the protocol are set up by the caller.
func startProcess(cmd *exec.Cmd, dir string, tempDir bool) (*process, error) {
	p := &process{cmd: cmd, dir: dir, tempDir: tempDir, out: &tail{max: 8 << 10}, exited: make(chan struct{})}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.Stdout, cmd.Stderr = w, w
	ownProcessGroup(cmd)
	err = cmd.Start()
	w.Close()
	if err != nil {
		r.Close()
		return nil, err
	}
	drained := make(chan struct{})
	go func() {
		// Always drained: a chatty Chrome must never block on a full pipe.
		_, _ = io.Copy(p.out, r)
		close(drained)
	}()
	go func() {
		p.exitErr = cmd.Wait()
		killGroup(cmd)
		select {
		case <-drained:
		case <-time.After(time.Second): // a leftover child can hold the pipe open
		}
		r.Close()
		<-drained
		close(p.exited)
	}()
	return p, nil
}

// stop waits up to grace for the process to exit by itself, kills it and its
// children otherwise, and removes a temporary profile.
func (p *process) stop(grace time.Duration) error {
	select {
	case <-p.exited:
	case <-time.After(grace):
		killGroup(p.cmd)
		_ = p.cmd.Process.Kill()
		<-p.exited
	}
	removeSocketDir(p.dir)
	return p.removeDir()
}

func (p *process) removeDir() error {
	if !p.tempDir {
		return nil
	}
	// Children of Chrome can outlive it for a moment and write once more.
	var err error
	for range 50 {
		if err = os.RemoveAll(p.dir); err == nil {
			if _, serr := os.Stat(p.dir); errors.Is(serr, os.ErrNotExist) {
				return nil
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
	return fmt.Errorf("browser: remove profile directory %s: %w", p.dir, err)
}

// tail keeps the last max bytes written to it.
type tail struct {
	mu  sync.Mutex
	max int
	buf []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	if over := len(t.buf) - t.max; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}
