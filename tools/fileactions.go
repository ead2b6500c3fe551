package tools

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// WriteFileParams are the parameters of write_file.
type WriteFileParams struct {
	FileName        string `json:"file_name" jsonschema:"minLength=1" jsonschema_description:"ends in .md, .txt, .json, .jsonl, .csv, .pdf, .docx, .html or .xml"`
	Content         string `json:"content"`
	Append          bool   `json:"append" jsonschema:"default=false"`
	TrailingNewline bool   `json:"trailing_newline" jsonschema:"default=true"`
	LeadingNewline  bool   `json:"leading_newline" jsonschema:"default=false"`
}

// ReplaceFileParams are the parameters of replace_file.
type ReplaceFileParams struct {
	FileName string `json:"file_name" jsonschema:"minLength=1"`
	OldStr   string `json:"old_str" jsonschema:"minLength=1" jsonschema_description:"exactly as it is in the file; every place is replaced"`
	NewStr   string `json:"new_str"`
}

// ReadFileParams are the parameters of read_file.
type ReadFileParams struct {
	FileName      string `json:"file_name" jsonschema:"minLength=1" jsonschema_description:"a written file, or a listed or downloaded one by its path"`
	StartFromChar int    `json:"start_from_char,omitempty" jsonschema:"minimum=0"`
}

func fileActions() []builtin {
	return []builtin{
		{registry.Spec{Name: "write_file", Description: "Write a file, or add to one. PDF and DOCX are made of Markdown. Keep your own plan in todo.md."}, writeFile},
		{registry.Spec{Name: "replace_file", Description: "Replace a text in a written file."}, replaceFile},
		{registry.Spec{Name: "read_file", ReadOnly: true, Description: "Read a file: text, PDF, DOCX or picture."}, readFile},
	}
}

func writeFile(_ context.Context, p WriteFileParams, f *Files) (*registry.Result, error) {
	text := p.Content
	if p.TrailingNewline {
		text += "\n"
	}
	if p.LeadingNewline {
		text = "\n" + text
	}
	stored, err := f.Write(p.FileName, text, p.Append)
	if err != nil {
		return nil, failedTo("write_file", err)
	}
	word := "Wrote"
	if p.Append {
		word = "Added to"
	}
	return &registry.Result{Text: word + " " + storedAs(stored, p.FileName)}, nil
}

// storedAs says the name of a file when it is not the one asked for.
func storedAs(stored, asked string) string {
	if stored == asked {
		return stored
	}
	return fmt.Sprintf("%s (%q was made a plain file name)", stored, asked)
}

func replaceFile(_ context.Context, p ReplaceFileParams, f *Files) (*registry.Result, error) {
	stored, n, err := f.Replace(p.FileName, p.OldStr, p.NewStr)
	if err != nil {
		return nil, failedTo("replace_file", err)
	}
	places := "one place"
	if n > 1 {
		places = fmt.Sprintf("%d places", n)
	}
	return &registry.Result{Text: fmt.Sprintf("Replaced %s in %s", places, storedAs(stored, p.FileName))}, nil
}

const (
	readLimit    = 60_000   // characters shown of a file at once
	memoryLimit  = 1_000    // characters of a file that stay in the history
	maxReadBytes = 50 << 20 // of a file of the machine
)

func readFile(_ context.Context, p ReadFileParams, s *browser.Session, f *Files, known FilePaths) (*registry.Result, error) {
	name, data, err := readAllowed(p.FileName, s, f, known)
	if err != nil {
		return nil, failedTo("read_file", err)
	}
	if kind := pictureType(name); kind != "" {
		if pictureIn(data) != kind {
			return nil, fmt.Errorf("read_file: %s is no %s picture", name, kind)
		}
		return &registry.Result{
			Text: "Read the picture " + name, Memory: "Read the picture " + name,
			Images: []registry.Image{{Name: name, MIME: kind, Data: data}}, Once: true,
		}, nil
	}
	var text string
	if data == nil {
		_, text, err = f.Read(name)
	} else {
		text, err = decodeKnown(name, data)
	}
	if err != nil {
		return nil, failedTo("read_file", err)
	}
	return shownFile(name, text, p.StartFromChar)
}

// readAllowed finds a file: one of the folder, whose text is read by name, or
// one of the machine that may be read.
func readAllowed(asked string, s *browser.Session, f *Files, known FilePaths) (name string, data []byte, err error) {
	if filepath.Base(asked) == asked {
		if stored, _, err := f.find(asked); err == nil {
			return stored, nil, nil
		}
	}
	path, err := allowedFile(asked, s, f, known)
	if err != nil {
		return "", nil, err
	}
	st, err := os.Stat(path)
	switch {
	case err != nil:
		return "", nil, fmt.Errorf("%s: %w", filepath.Base(path), plainError(err))
	case !st.Mode().IsRegular():
		return "", nil, fmt.Errorf("%s is not a file", filepath.Base(path))
	case st.Size() > maxReadBytes:
		return "", nil, fmt.Errorf("%s has %d bytes, at most %d can be read", filepath.Base(path), st.Size(), maxReadBytes)
	}
	data, err = os.ReadFile(path)
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", filepath.Base(path), plainError(err))
	}
	if data == nil {
		data = []byte{}
	}
	return filepath.Base(path), data, nil
}

// decodeKnown reads a file of the machine, whose extension may be any that
// text has.
func decodeKnown(name string, data []byte) (string, error) {
	text, err := decodeFile(name, data)
	if err != nil && !utf8.Valid(data) && !strings.HasSuffix(strings.ToLower(name), ".pdf") && !strings.HasSuffix(strings.ToLower(name), ".docx") {
		return "", fmt.Errorf("%s is neither text in UTF-8 nor PDF, DOCX, PNG or JPEG", name)
	}
	return text, err
}

func pictureType(name string) string {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".png":
		return "image/png"
	case ".jpg", ".jpeg":
		return "image/jpeg"
	}
	return ""
}

func pictureIn(data []byte) string {
	switch {
	case strings.HasPrefix(string(data), "\x89PNG\r\n\x1a\n"):
		return "image/png"
	case strings.HasPrefix(string(data), "\xff\xd8\xff"):
		return "image/jpeg"
	}
	return ""
}

// shownFile is what a model reads of a text, from a character on.
func shownFile(name, text string, from int) (*registry.Result, error) {
	r := []rune(text)
	if from > 0 && from >= len(r) {
		return nil, fmt.Errorf("read_file: %s has %d characters, there is nothing from %d on", name, len(r), from)
	}
	end := min(from+readLimit, len(r))
	part := string(r[from:end])
	var b strings.Builder
	fmt.Fprintf(&b, "Read from file %s", name)
	if from > 0 || end < len(r) {
		fmt.Fprintf(&b, " (characters %d to %d of %d", from, end, len(r))
		if end < len(r) {
			fmt.Fprintf(&b, "; go on with start_from_char=%d", end)
		}
		b.WriteByte(')')
	}
	fmt.Fprintf(&b, ".\n<content>\n%s\n</content>", part)
	res := &registry.Result{Text: b.String(), Once: true, Memory: b.String()}
	if len([]rune(part)) > memoryLimit {
		head, lines := headLines(part, memoryLimit)
		res.Memory = fmt.Sprintf("Read from file %s.\n<content>\n%s\n</content>\n%d more lines", name, head, lines)
	}
	return res, nil
}

// headLines cuts whole lines from the beginning of a text and counts the rest.
func headLines(text string, limit int) (head string, rest int) {
	lines := strings.Split(text, "\n")
	n := 0
	for i, l := range lines {
		if n+len(l) > limit {
			if i == 0 {
				return cutRunes(l, limit), len(lines) - 1
			}
			return strings.Join(lines[:i], "\n"), len(lines) - i
		}
		n += len(l) + 1
	}
	return text, 0
}

// attachments turns names into paths of files that are there.
func attachments(f *Files, names []string) (paths []string, err error) {
	var missing []string
	for _, n := range names {
		path, ok := f.Path(n)
		if !ok || filepath.Base(n) != n {
			missing = append(missing, fmt.Sprintf("%q", n))
			continue
		}
		paths = append(paths, path)
	}
	if len(missing) > 0 {
		have, lerr := f.List()
		if lerr != nil {
			return nil, lerr
		}
		err = errors.New("there is no file " + strings.Join(missing, ", ") + "; written files: " + orNone(strings.Join(have, ", ")))
	}
	return paths, err
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
