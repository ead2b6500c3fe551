package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A Chrome that cannot start says why, at once (faults F158).
func TestChromeThatDoesNotStart(t *testing.T) {
	dir := t.TempDir()
	fake := filepath.Join(dir, "chrome")
	if err := os.WriteFile(fake, []byte("#!/bin/sh\necho 'libnss3.so: cannot open shared object file' >&2\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := New(testContext(t), Config{ExecPath: fake})
	var lerr *LaunchError
	if !errors.As(err, &lerr) || !strings.Contains(err.Error(), "libnss3.so") {
		t.Errorf("err = %v", err)
	}
	if _, err := New(testContext(t), Config{ExecPath: filepath.Join(dir, "none")}); err == nil || !errors.As(err, &lerr) {
		t.Errorf("err = %v", err)
	}
	done, cancel := context.WithCancelCause(context.Background())
	cancel(fmt.Errorf("user stopped"))
	if _, err := New(done, Config{}); err == nil || !strings.Contains(err.Error(), "user stopped") {
		t.Errorf("err = %v", err)
	}
	if _, err := New(testContext(t), Config{RemoteURL: "http://127.0.0.1:1"}); err == nil {
		t.Error("attached to nothing")
	}
}

// Two Chromes on one profile damage it (faults F157).
func TestProfileInUse(t *testing.T) {
	dir := t.TempDir()
	ctx := testContext(t)
	first, err := New(ctx, Config{UserDataDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	var perr *ProfileInUseError
	if _, err := New(ctx, Config{UserDataDir: dir}); !errors.Is(err, ErrProfileInUse) || !errors.As(err, &perr) || perr.PID != first.b.proc.cmd.Process.Pid && perr.PID == 0 {
		t.Fatalf("err = %v", err)
	}
	second, err := New(ctx, Config{UserDataDir: dir, TempProfileIfInUse: true})
	if err != nil {
		t.Fatal(err)
	}
	second.Close()
	// A Chrome that was killed leaves its lock behind.
	first.b.proc.cmd.Process.Kill()
	<-first.Done()
	first.Close()
	if _, err := os.Lstat(filepath.Join(dir, "SingletonLock")); err != nil {
		t.Skipf("this Chrome leaves no lock: %v", err)
	}
	third, err := New(ctx, Config{UserDataDir: dir})
	if err != nil {
		t.Fatalf("a stale lock: %v", err)
	}
	third.Close()
	if _, err := os.Stat(dir); err != nil {
		t.Error("a profile that is not ours was removed")
	}
}
