//go:build !windows

package browser

import (
	"os/exec"
	"syscall"
)

// ownProcessGroup lets killGroup reach Chrome's children, and keeps a
// terminal's Ctrl-C from reaching Chrome before its owner decides.
func ownProcessGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
}

// processAlive reports whether a process with the id runs, whoever owns it.
func processAlive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || err == syscall.EPERM
}

// lockedOnWindows has nothing to do here: the lock is a link that was read.
func lockedOnWindows(string) error { return nil }
