package browser

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// ErrProfileInUse is matched by every *ProfileInUseError.
var ErrProfileInUse = errors.New("browser: profile is in use")

// ProfileInUseError says that another Chrome works on a profile directory. It
// would take over the launch, and two at once would damage the profile.
type ProfileInUseError struct {
	Dir string
	PID int // of the other Chrome; 0 when it is not known
}

// Error names the directory and what to do.
func (e *ProfileInUseError) Error() string {
	who := "another Chrome"
	if e.PID > 0 {
		who = fmt.Sprintf("Chrome with process id %d", e.PID)
	}
	return fmt.Sprintf("browser: profile %s is in use by %s; close it, attach to it with Config.RemoteURL, or set Config.CopyProfile", e.Dir, who)
}

// Is reports whether target is ErrProfileInUse.
func (e *ProfileInUseError) Is(target error) bool { return target == ErrProfileInUse }

// profileDir returns the directory to launch with and whether it is ours to
// remove.
func profileDir(cfg Config) (dir string, temp bool, err error) {
	switch {
	case cfg.UserDataDir == "":
		dir, err = os.MkdirTemp("", "webhand-profile-")
		return dir, true, err
	case cfg.CopyProfile:
		if dir, err = os.MkdirTemp("", "webhand-profile-"); err != nil {
			return "", false, err
		}
		if err = copyProfile(cfg.UserDataDir, dir, cfg.ProfileDirectory); err != nil {
			_ = os.RemoveAll(dir)
			return "", false, err
		}
		return dir, true, nil
	}
	if dir, err = filepath.Abs(cfg.UserDataDir); err != nil {
		return "", false, err
	}
	return dir, false, unlockProfile(dir)
}

// unlockProfile refuses a profile that a living Chrome holds, and removes the
// lock that a dead one left: Chrome asks a person about it and waits.
func unlockProfile(dir string) error {
	lock := filepath.Join(dir, "SingletonLock")
	holder, err := os.Readlink(lock)
	if err != nil {
		return lockedOnWindows(dir)
	}
	host, pidText, ok := cutLast(holder, "-")
	pid, perr := strconv.Atoi(pidText)
	self, _ := os.Hostname()
	if !ok || perr != nil || host != self || processAlive(pid) {
		return &ProfileInUseError{Dir: dir, PID: pid}
	}
	removeSocketDir(dir)
	for _, name := range []string{"SingletonLock", "SingletonSocket", "SingletonCookie"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("browser: remove the lock of a dead Chrome: %w", err)
		}
	}
	return nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// copyProfile copies one profile of a user data directory, without locks and
// caches, so that the original can stay in use.
func copyProfile(from, to, profile string) error {
	if profile == "" {
		profile = "Default"
	}
	if st, err := os.Stat(filepath.Join(from, profile)); err != nil || !st.IsDir() {
		return fmt.Errorf("browser: copy profile: %s has no profile %q; set Config.ProfileDirectory", from, profile)
	}
	if err := copyFile(filepath.Join(from, "Local State"), filepath.Join(to, "Local State")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return copyError(from, err)
	}
	err := filepath.WalkDir(filepath.Join(from, profile), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // Chrome removed it meanwhile
			}
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		switch {
		case d.IsDir() && skipProfileDir(d.Name()):
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o700)
		case !d.Type().IsRegular() || skipProfileFile(d.Name()):
			return nil
		}
		if err := copyFile(path, filepath.Join(to, rel)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
	return copyError(from, err)
}

func copyError(from string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("browser: copy profile %s: %w; close Chrome and try again, or attach to it with Config.RemoteURL", from, err)
}

func skipProfileDir(name string) bool {
	switch name {
	case "Cache", "Code Cache", "GPUCache", "DawnCache", "DawnGraphiteCache", "DawnWebGPUCache", "CacheStorage", "ScriptCache", "Crashpad":
		return true
	}
	return false
}

func skipProfileFile(name string) bool {
	return strings.HasPrefix(name, "Singleton") || strings.HasSuffix(name, ".lock") || strings.HasSuffix(name, "-journal") ||
		name == "LOCK" || strings.EqualFold(name, "lockfile")
}

func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := out.Close(); err == nil {
			err = cerr
		}
	}()
	_, err = io.Copy(out, in)
	return err
}

// removeSocketDir removes the directory that a Chrome which was killed left
// among the temporary files: the socket by which others find it, to which its
// profile has a link. One that ends by itself does so too.
func removeSocketDir(profile string) {
	const socket = "SingletonSocket"
	target, err := os.Readlink(filepath.Join(profile, socket))
	dir := filepath.Dir(target)
	if err != nil || filepath.Base(target) != socket || !strings.Contains(strings.ToLower(filepath.Base(dir)), "chrom") {
		return
	}
	for _, name := range []string{socket, "SingletonCookie"} {
		_ = os.Remove(filepath.Join(dir, name))
	}
	_ = os.Remove(dir) // it stays if there is anything else in it
}
