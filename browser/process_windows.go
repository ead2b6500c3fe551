package browser

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
)

func ownProcessGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// killGroup ends Chrome and its children; Windows has no process-group kill.
func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run()
	}
}

// processAlive is not asked on Windows, where the lock is an open file.
func processAlive(int) bool { return true }

// lockedOnWindows tries the file that a running Chrome holds open.
func lockedOnWindows(dir string) error {
	err := os.Remove(filepath.Join(dir, "lockfile"))
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return &ProfileInUseError{Dir: dir}
}
