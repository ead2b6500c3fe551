package tools

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// fileTypes are the kinds of files a model may write, in the order in which
// it is told of them.
var fileTypes = []string{"md", "txt", "json", "jsonl", "csv", "pdf", "docx", "html", "xml"}

// binaryTypes are kinds that a model tries to write and cannot.
var binaryTypes = []string{
	"png", "jpg", "jpeg", "gif", "bmp", "svg", "webp", "ico", "mp3", "mp4", "wav", "avi", "mov",
	"zip", "tar", "gz", "rar", "exe", "bin", "dll", "so",
}

// maxName is the most bytes of a file name.
const maxName = 150

// cleanName makes a plain file name of what a model gave: no folders, no
// characters that mean something to a file system or a terminal, the extension
// in lower case, one form of composed letters. Letters and digits of every
// script stay. changed says that the name is another one now.
func cleanName(name string) (clean string, changed bool, err error) {
	clean, changed, err = cleanAny(name)
	if err != nil {
		return "", false, err
	}
	_, ext := splitExt(clean)
	ext = strings.TrimPrefix(ext, ".")
	supported := strings.Join(fileTypes, ", ")
	switch {
	case slices.Contains(fileTypes, ext):
		return clean, changed, nil
	case ext == "":
		return "", false, fmt.Errorf("%w: %q has no extension; add one of %s", ErrFileName, name, supported)
	case slices.Contains(binaryTypes, ext):
		return "", false, fmt.Errorf("%w: .%s files cannot be written or read as text; supported are %s (use screenshot and save_as_pdf for pictures of a page)", ErrFileName, ext, supported)
	default:
		return "", false, fmt.Errorf("%w: .%s files are not supported; use one of %s", ErrFileName, ext, supported)
	}
}

// cleanAny is cleanName for any extension.
func cleanAny(name string) (clean string, changed bool, err error) {
	s := strings.ReplaceAll(name, `\`, "/")
	s = s[strings.LastIndexByte(s, '/')+1:]
	s = norm.NFC.String(s)
	var b strings.Builder
	for _, r := range s {
		switch {
		case unicode.IsLetter(r), unicode.IsMark(r), unicode.IsNumber(r), strings.ContainsRune("_-.() ", r):
			b.WriteRune(r)
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		}
	}
	base, ext := splitExt(b.String())
	base = strings.Join(strings.Fields(strings.TrimLeft(base, ".")), " ")
	base = strings.TrimRight(base, ". ")
	if ext = strings.ToLower(strings.TrimSpace(ext)); ext == "." {
		ext = ""
	}
	if base == "" {
		if ext == "" || strings.TrimSpace(s) == "" {
			return "", false, fmt.Errorf("%w: %q is no file name", ErrFileName, name)
		}
		base = "file"
	}
	if reserved(base) {
		base += "_"
	}
	for len(base)+len(ext) > maxName {
		r := []rune(base)
		base = string(r[:len(r)-1])
	}
	clean = base + ext
	return clean, clean != name, nil
}

func splitExt(name string) (base, ext string) {
	ext = filepath.Ext(name)
	return strings.TrimSuffix(name, ext), ext
}

// reserved are names that some systems do not take for files.
func reserved(base string) bool {
	base, _, _ = strings.Cut(strings.ToUpper(base), ".")
	switch base {
	case "CON", "PRN", "AUX", "NUL":
		return true
	}
	return len(base) == 4 && (strings.HasPrefix(base, "COM") || strings.HasPrefix(base, "LPT")) && base[3] >= '0' && base[3] <= '9'
}

// fold makes names equal that some systems take for one.
func fold(name string) string { return cases.Fold().String(norm.NFC.String(name)) }
