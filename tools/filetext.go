package tools

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Write writes a text file in the form its extension asks for: Markdown
// becomes a PDF or DOCX document, JSON, JSONL and CSV are checked. With add,
// the text goes to the end of an existing file. It returns the stored name,
// which may not be the one that was asked for.
func (f *Files) Write(name, text string, add bool) (string, error) {
	var stored string
	var err error
	if add {
		stored, _, err = f.find(name)
	} else {
		stored, _, err = f.place(name)
	}
	if err != nil {
		return "", err
	}
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	_, ext := splitExt(stored)
	if ext == ".csv" {
		text = csvText(text)
	}
	if add {
		old, err := f.text(stored)
		if err != nil {
			return "", err
		}
		if ext == ".csv" || ext == ".jsonl" {
			old = endLine(old)
		}
		text = old + text
	}
	return stored, f.store(stored, text)
}

// store writes text under a stored name in the form of its extension.
func (f *Files) store(stored, text string) error {
	data, err := encodeFile(stored, text)
	if err != nil {
		return fmt.Errorf("%s: %w", stored, err)
	}
	if err := f.put(stored, data); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch _, ext := splitExt(stored); ext {
	case ".pdf", ".docx":
		f.source[fold(stored)] = text
	}
	return nil
}

func encodeFile(name, text string) ([]byte, error) {
	_, ext := splitExt(name)
	switch ext {
	case ".json":
		if strings.TrimSpace(text) != "" && !json.Valid([]byte(text)) {
			return nil, fmt.Errorf("the text is not valid JSON: %w", jsonError([]byte(text)))
		}
	case ".jsonl":
		for i, line := range strings.Split(text, "\n") {
			if strings.TrimSpace(line) != "" && !json.Valid([]byte(line)) {
				return nil, fmt.Errorf("line %d is not valid JSON: %w", i+1, jsonError([]byte(line)))
			}
		}
	case ".csv":
		r := csv.NewReader(strings.NewReader(text))
		r.FieldsPerRecord = -1
		if _, err := r.ReadAll(); err != nil {
			return nil, fmt.Errorf("the text is not valid CSV: %w", err)
		}
	case ".pdf":
		return writePDF(text)
	case ".docx":
		return writeDOCX(text)
	}
	return []byte(text), nil
}

func jsonError(text []byte) error {
	var v any
	err := json.Unmarshal(text, &v)
	var se *json.SyntaxError
	if errors.As(err, &se) {
		line := bytes.Count(text[:min(int(se.Offset), len(text))], []byte("\n")) + 1
		return fmt.Errorf("%w (line %d)", err, line)
	}
	return err
}

// csvText undoes what models do to CSV: line breaks written as \n.
func csvText(text string) string {
	if !strings.Contains(text, "\n") && strings.Contains(text, `\n`) {
		text = strings.NewReplacer(`\n`, "\n", `\"`, `"`).Replace(text)
	}
	return text
}

func endLine(s string) string {
	if s != "" && !strings.HasSuffix(s, "\n") {
		s += "\n"
	}
	return s
}

// Replace replaces every occurrence of a text in a file and says how many there
// were. A text that is not there is an error and changes nothing.
func (f *Files) Replace(name, old, text string) (stored string, n int, err error) {
	if old == "" {
		return "", 0, errors.New("the text to replace is empty")
	}
	stored, _, err = f.find(name)
	if err != nil {
		return "", 0, err
	}
	have, err := f.text(stored)
	if err != nil {
		return "", 0, err
	}
	if n = strings.Count(have, old); n == 0 {
		return stored, 0, fmt.Errorf("%s does not hold the text %q; read the file and give the text exactly", stored, cutRunes(old, 60))
	}
	return stored, n, f.store(stored, strings.ReplaceAll(have, old, text))
}

// Read returns the text of a file. Documents give the text in them.
func (f *Files) Read(name string) (stored, text string, err error) {
	stored, _, err = f.find(name)
	if err != nil {
		return "", "", err
	}
	text, err = f.text(stored)
	return stored, text, err
}

// text returns the text of a stored file: for a document of this run what it
// was written from.
func (f *Files) text(stored string) (string, error) {
	f.mu.Lock()
	src, ok := f.source[fold(stored)]
	f.mu.Unlock()
	if ok {
		return src, nil
	}
	data, err := f.root.ReadFile(stored)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", stored, plainError(err))
	}
	return decodeFile(stored, data)
}

// decodeFile returns the text in a file of a known kind.
func decodeFile(name string, data []byte) (string, error) {
	_, ext := splitExt(strings.ToLower(name))
	switch ext {
	case ".pdf":
		return readPDF(data)
	case ".docx":
		return readDOCX(data)
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(data) {
		return "", fmt.Errorf("%s is not a text file in UTF-8", name)
	}
	return string(data), nil
}

// Todo is the text of todo.md, the list a model keeps for itself; empty when
// there is none.
func (f *Files) Todo() string {
	if f == nil {
		return ""
	}
	_, text, err := f.Read("todo.md")
	if err != nil {
		return ""
	}
	return text
}

// Describe tells a model which files there are: small ones whole, of others
// the beginning and the end. todo.md is left out.
func (f *Files) Describe() string {
	if f == nil {
		return ""
	}
	entries, err := f.entries()
	if err != nil {
		return ""
	}
	var b strings.Builder
	for _, e := range entries {
		name := e.Name()
		if fold(name) == "todo.md" {
			continue
		}
		_, ext := splitExt(name)
		text := ""
		if isTextType(ext) || ext == ".pdf" || ext == ".docx" {
			text, err = f.text(name)
		}
		switch n := utf8.RuneCountInString(text); {
		case err != nil || text == "" && e.Size() > 0:
			fmt.Fprintf(&b, "%s (%d bytes)\n", name, e.Size())
		case text == "":
			fmt.Fprintf(&b, "%s (empty)\n", name)
		case n < previewWhole:
			fmt.Fprintf(&b, "%s (%d characters):\n%s\n", name, n, strings.TrimRight(text, "\n"))
		default:
			head, tail, between := preview(text)
			fmt.Fprintf(&b, "%s (%d characters):\n%s\n... %d more lines ...\n%s\n", name, n, head, between, tail)
		}
	}
	return b.String()
}

const (
	previewWhole = 600 // characters shown whole
	previewPart  = 200 // characters of each end of a longer file
)

// preview cuts whole lines from both ends of a text.
func preview(text string) (head, tail string, between int) {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	i, n := 0, 0
	for i < len(lines) && (i == 0 || n+len(lines[i]) <= previewPart) {
		n += len(lines[i]) + 1
		i++
	}
	j, m := len(lines), 0
	for j > i && m+len(lines[j-1]) <= previewPart {
		j--
		m += len(lines[j]) + 1
	}
	return cutRunes(strings.Join(lines[:i], "\n"), previewPart), strings.Join(lines[j:], "\n"), j - i
}

func isTextType(ext string) bool {
	switch ext {
	case ".md", ".txt", ".json", ".jsonl", ".csv", ".html", ".xml":
		return true
	}
	return false
}

func cutRunes(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}
