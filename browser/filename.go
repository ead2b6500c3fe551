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
		case r == utf8.RuneError || unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r):
			return -1
		case strings.ContainsRune(`<>:"|?*`, r):
			return '_'
		}
		return r
	}, name)
	name = strings.TrimRight(strings.TrimSpace(name), ". ")
	// A leading dot hides the file.
	name = strings.TrimLeft(name, ". ")
	if name == "" {
		name = "download"
	}
	base, ext := splitExt(name)
	switch strings.ToUpper(base) {
	case "CON", "PRN", "AUX", "NUL", "COM1", "COM2", "COM3", "COM4", "COM5", "COM6", "COM7", "COM8", "COM9",
		"LPT1", "LPT2", "LPT3", "LPT4", "LPT5", "LPT6", "LPT7", "LPT8", "LPT9":
		base = "_" + base
	}
	for len(base)+len(ext) > maxFileName {
		_, n := utf8.DecodeLastRuneInString(base)
		base = base[:len(base)-n]
	}
	return base + ext
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
