package tools

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/seed-4bdb41d0/webhand/browser"
)

// FilesConfig says where an agent's files are and how much it may write.
type FilesConfig struct {
	// Dir is the folder. It is created when needed, and what is in it is kept.
	// Empty is a temporary folder that Close removes.
	Dir string
	// MaxFile is the most bytes of one file; zero is 10 MiB.
	MaxFile int64
	// MaxTotal is the most bytes of all files together; zero is 200 MiB.
	MaxTotal int64
	// MaxFiles is the most files; zero is 1000.
	MaxFiles int
}

// Files is the folder an agent works in. Nothing in it or done to it reaches
// outside: names are plain file names, links are not followed out, and names
// that differ only in case are one file. It is safe for concurrent use.
type Files struct {
	cfg  FilesConfig
	dir  string
	own  bool
	root *os.Root
	// A folder that is opened when it is first needed, for as long as owner
	// lives.
	owner *browser.Session
	once  sync.Once
	err   error

	mu sync.Mutex
	// asked is the name that a file was written under, by its own, folded.
	asked map[string]string
	// source is the text that a PDF or DOCX of this run was written from.
	source map[string]string
}

// The errors of [Files] that callers may branch on.
var (
	ErrFileName  = errors.New("file name")
	ErrNoFile    = errors.New("no such file")
	ErrFileQuota = errors.New("file quota")
)

// OpenFiles opens the folder.
func OpenFiles(cfg FilesConfig) (*Files, error) {
	f := newFiles(cfg)
	if err := f.ready(); err != nil {
		return nil, err
	}
	return f, nil
}

func newFiles(cfg FilesConfig) *Files {
	if cfg.MaxFile <= 0 {
		cfg.MaxFile = 10 << 20
	}
	if cfg.MaxTotal <= 0 {
		cfg.MaxTotal = 200 << 20
	}
	if cfg.MaxFiles <= 0 {
		cfg.MaxFiles = 1000
	}
	return &Files{cfg: cfg, asked: make(map[string]string), source: make(map[string]string)}
}

// ready opens the folder once.
func (f *Files) ready() error {
	f.once.Do(func() {
		if f.err = f.open(); f.err != nil {
			f.err = fmt.Errorf("tools: files: %w", f.err)
			return
		}
		if f.owner != nil {
			go func() {
				<-f.owner.Done()
				_ = f.Close()
			}()
		}
	})
	return f.err
}

func (f *Files) open() (err error) {
	dir := f.cfg.Dir
	if dir == "" {
		if dir, err = os.MkdirTemp("", "webhand-files-"); err != nil {
			return err
		}
		f.own = true
	} else if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if f.dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	f.root, err = os.OpenRoot(f.dir)
	return err
}

// Close gives the folder up; a temporary one is removed.
func (f *Files) Close() error {
	if f == nil || f.root == nil {
		return nil
	}
	err := f.root.Close()
	if f.own {
		err = errors.Join(err, os.RemoveAll(f.dir))
	}
	return err
}

// Dir is the absolute path of the folder; empty when it cannot be opened.
func (f *Files) Dir() string {
	if f.ready() != nil {
		return ""
	}
	return f.dir
}

// Path is the absolute path of a file of the folder; false when it is not
// there.
func (f *Files) Path(name string) (string, bool) {
	stored, _, err := f.findBy(name, cleanAny)
	if err != nil {
		return "", false
	}
	return filepath.Join(f.dir, stored), true
}

// List names the files of the folder, sorted.
func (f *Files) List() ([]string, error) {
	entries, err := f.entries()
	if err != nil {
		return nil, err
	}
	out := make([]string, 0, len(entries))
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out, nil
}

// entries are the regular files of the folder.
func (f *Files) entries() ([]fs.FileInfo, error) {
	if err := f.ready(); err != nil {
		return nil, err
	}
	d, err := f.root.Open(".")
	if err != nil {
		return nil, fmt.Errorf("tools: files: %w", err)
	}
	defer d.Close()
	all, err := d.Readdir(-1)
	if err != nil {
		return nil, fmt.Errorf("tools: files: %w", err)
	}
	out := slices.DeleteFunc(all, func(e fs.FileInfo) bool {
		return !e.Mode().IsRegular() || strings.HasPrefix(e.Name(), tempPrefix)
	})
	slices.SortFunc(out, func(a, b fs.FileInfo) int { return strings.Compare(a.Name(), b.Name()) })
	return out, nil
}

// find returns the stored name of a file, whatever the case it is asked for
// in; changed says that it is not the name that was asked for.
func (f *Files) find(name string) (stored string, changed bool, err error) {
	return f.findBy(name, cleanName)
}

func (f *Files) findBy(name string, cleaner func(string) (string, bool, error)) (stored string, changed bool, err error) {
	clean, changed, err := cleaner(name)
	if err != nil {
		return "", false, err
	}
	entries, err := f.entries()
	if err != nil {
		return "", false, err
	}
	want := fold(clean)
	f.mu.Lock()
	for got, asked := range f.asked {
		if asked == name {
			want = got
		}
	}
	f.mu.Unlock()
	for _, e := range entries {
		if fold(e.Name()) == want {
			return e.Name(), changed || e.Name() != name, nil
		}
	}
	return clean, changed, fmt.Errorf("%w: %q; there are %s", ErrNoFile, clean, listNames(entries))
}

func listNames(entries []fs.FileInfo) string {
	if len(entries) == 0 {
		return "no files yet"
	}
	var names []string
	for _, e := range entries[:min(len(entries), 20)] {
		names = append(names, e.Name())
	}
	s := strings.Join(names, ", ")
	if n := len(entries) - len(names); n > 0 {
		s += fmt.Sprintf(" and %d more", n)
	}
	return s
}

// place returns the name under which a file is stored when it is written: the
// one it has already, or a new one that no other file was given.
func (f *Files) place(name string) (stored string, changed bool, err error) {
	stored, changed, err = f.find(name)
	if err != nil && !errors.Is(err, ErrNoFile) {
		return "", false, err
	}
	exists := err == nil
	f.mu.Lock()
	defer f.mu.Unlock()
	// Two names that become one by cleaning are two files.
	base, ext := splitExt(stored)
	for n := 1; ; n++ {
		asked, taken := f.asked[fold(stored)]
		mine := asked == name || taken && fold(asked) == fold(name) || !taken && (!exists || fold(stored) == fold(filepath.Base(name)))
		if mine {
			f.asked[fold(stored)] = name
			return stored, stored != name, nil
		}
		stored = fmt.Sprintf("%s (%d)%s", base, n, ext)
		_, serr := f.root.Lstat(stored)
		exists = serr == nil
	}
}

const tempPrefix = ".writing-"

// put writes a file under a stored name: whole or not at all.
func (f *Files) put(stored string, data []byte) error {
	if int64(len(data)) > f.cfg.MaxFile {
		return fmt.Errorf("%w: %s would have %d bytes, a file has at most %d", ErrFileQuota, stored, len(data), f.cfg.MaxFile)
	}
	entries, err := f.entries()
	if err != nil {
		return err
	}
	total, count, known := int64(len(data)), 1, false
	for _, e := range entries {
		if e.Name() == stored {
			known = true
			continue
		}
		total += e.Size()
		count++
	}
	switch {
	case total > f.cfg.MaxTotal:
		return fmt.Errorf("%w: all files together would have %d bytes, at most %d are allowed", ErrFileQuota, total, f.cfg.MaxTotal)
	case !known && count > f.cfg.MaxFiles:
		return fmt.Errorf("%w: there are %d files already, no more are allowed", ErrFileQuota, count-1)
	}
	if st, err := f.root.Lstat(stored); err == nil && !st.Mode().IsRegular() {
		return fmt.Errorf("%w: %q is not a plain file", ErrFileName, stored)
	}
	tmp := tempPrefix + randomHex()
	if err := f.root.WriteFile(tmp, data, 0o600); err != nil {
		_ = f.root.Remove(tmp)
		return fmt.Errorf("write %s: %w", stored, plainError(err))
	}
	if err := f.root.Rename(tmp, stored); err != nil {
		_ = f.root.Remove(tmp)
		return fmt.Errorf("write %s: %w", stored, plainError(err))
	}
	return nil
}

func randomHex() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// plainError keeps paths of the machine out of what a model reads.
func plainError(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	var le *os.LinkError
	if errors.As(err, &le) {
		return le.Err
	}
	return err
}

// Save writes data as it is, under a name that no file has yet when fresh is
// set: "page.pdf", then "page (1).pdf". It returns the stored name.
func (f *Files) Save(name string, data []byte, fresh bool) (string, error) {
	clean, _, err := cleanAny(name)
	if err != nil {
		return "", err
	}
	if err := f.ready(); err != nil {
		return "", err
	}
	base, ext := splitExt(clean)
	stored := clean
	for n := 1; fresh; n++ {
		if _, err := f.root.Lstat(stored); errors.Is(err, fs.ErrNotExist) {
			break
		}
		stored = fmt.Sprintf("%s (%d)%s", base, n, ext)
	}
	return stored, f.put(stored, data)
}

// Bytes returns a file as it is.
func (f *Files) Bytes(name string) ([]byte, error) {
	stored, _, err := f.findBy(name, cleanAny)
	if err != nil {
		return nil, err
	}
	data, err := f.root.ReadFile(stored)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", stored, plainError(err))
	}
	return data, nil
}
