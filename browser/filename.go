package browser

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxFileName keeps names below the limit of every file system in use.
const maxFileName = 150

// safeFileName makes a name that a server proposed into one that stays in its
// directory and can be written on every system. Letters of any script stay.
func safeFileName(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && !strings.ContainsRune(joiners, r):
			return -1
		case strings.ContainsRune(`<>:"|?*`, r):
			return '_'
		}
		return r
	}, name)
	name = strings.TrimRight(strings.TrimSpace(name), ". "+joiners)
	// A leading dot hides the file.
	name = strings.TrimLeft(name, ". "+joiners)
	if name == "" {
		name = "download"
	}
	if isDevice(name) {
		name = "_" + name
	}
	base, ext := splitExt(name)
	for len(base)+len(ext) > maxFileName {
		_, n := utf8.DecodeLastRuneInString(base)
		base = strings.TrimRight(base[:len(base)-n], ". "+joiners)
	}
	return base + ext
}

// joiners are what some scripts join letters with, and cannot be seen.
const joiners = "\u200c\u200d"

// isDevice reports whether Windows takes a name for a device: it looks at what
// stands before the first dot, spaces aside.
func isDevice(name string) bool {
	stem, _, _ := strings.Cut(name, ".")
	stem = strings.ToUpper(strings.TrimRight(stem, " "))
	switch stem {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	port, ok := strings.CutPrefix(stem, "COM")
	if !ok {
		port, ok = strings.CutPrefix(stem, "LPT")
	}
	return ok && utf8.RuneCountInString(port) == 1 && strings.Contains("0123456789\u00b9\u00b2\u00b3", port)
}

// splitExt splits at the last dot, when what follows looks like an extension.
func splitExt(name string) (base, ext string) {
	ext = filepath.Ext(name)
	if len(ext) > 20 || ext == name {
		return name, ""
	}
	return strings.TrimSuffix(name, ext), ext
}

// claimFile creates an empty file of a name that is free in dir: "name.ext",
// "name (1).ext" and so on. Two downloads never get the same one.
func claimFile(dir, name string) (string, error) {
	base, ext := splitExt(name)
	for i := range 10_000 {
		if i > 0 {
			name = fmt.Sprintf("%s (%d)%s", base, i, ext)
		}
		path := filepath.Join(dir, name)
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		return path, f.Close()
	}
	return "", fmt.Errorf("too many files named %s in %s", name, dir)
}
