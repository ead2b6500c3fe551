package tools

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func openFiles(t *testing.T, cfg FilesConfig) *Files {
	t.Helper()
	if cfg.Dir == "" {
		cfg.Dir = t.TempDir()
	}
	f, err := OpenFiles(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestCleanName(t *testing.T) {
	for in, want := range map[string]string{
		"a.md":                           "a.md",
		"../x.md":                        "x.md",
		"/etc/x.md":                      "x.md",
		`..\..\x.md`:                     "x.md",
		`C:\Users\x.md`:                  "x.md",
		"a b.md":                         "a b.md",
		"report (1).csv":                 "report (1).csv",
		"a@b.md":                         "ab.md",
		"A B@.JSON":                      "A B.json",
		"é.md":                           "é.md",
		"e\u0301.md":                     "é.md",
		"отчёт.md":                       "отчёт.md",
		"報告.csv":                         "報告.csv",
		"تقرير.txt":                      "تقرير.txt",
		"हिन्दी.txt":                     "हिन्दी.txt",
		"@.md":                           "file.md",
		" .md":                           "file.md",
		"...hidden.md":                   "hidden.md",
		"a\x00b\nc.md":                   "ab c.md",
		"con.txt":                        "con_.txt",
		"LPT1.csv":                       "LPT1_.csv",
		"trailing. .md":                  "trailing.md",
		"\u202egnp.md":                   "gnp.md",
		"x.PDF":                          "x.pdf",
		strings.Repeat("ж", 300) + ".md": strings.Repeat("ж", 73) + ".md",
	} {
		got, changed, err := cleanName(in)
		if err != nil || got != want {
			t.Errorf("cleanName(%q) = %q, %v; want %q", in, got, err, want)
		}
		if changed != (got != in) {
			t.Errorf("cleanName(%q): changed is %v", in, changed)
		}
	}
	for in, words := range map[string]string{
		"noext": "extension", "x.htm": ".htm", "foo.png": "screenshot", "a.tar.gz": ".gz", "": "no file name", "dir/": "no file name", "..": "no file name",
	} {
		if _, _, err := cleanName(in); !errors.Is(err, ErrFileName) || !strings.Contains(err.Error(), words) {
			t.Errorf("cleanName(%q): error %v, want one that says %q", in, err, words)
		}
	}
}

func FuzzCleanName(f *testing.F) {
	for _, s := range []string{"../../a.md", "a\x00.md", "CON.txt", "\u202e.md", strings.Repeat("ж", 200) + ".md", "a/./b.md"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, _, err := cleanName(s)
		if err != nil {
			return
		}
		if strings.ContainsAny(got, "/\\\x00\n\r") || got != filepath.Base(got) || strings.HasPrefix(got, ".") || len(got) > maxName+len(filepath.Ext(got)) {
			t.Errorf("cleanName(%q) = %q is no plain file name", s, got)
		}
		again, changed, err := cleanName(got)
		if err != nil || changed || again != got {
			t.Errorf("cleanName is not stable: %q, then %q (%v)", got, again, err)
		}
	})
}

func TestFilesStayInTheirFolder(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(dir, "outside.md")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := openFiles(t, FilesConfig{Dir: filepath.Join(dir, "in")})
	for _, name := range []string{"../outside.md", outside, `..\outside.md`, "./../outside.md"} {
		if _, text, err := f.Read(name); err == nil {
			t.Errorf("Read(%q) = %q", name, text)
		}
	}
	for _, name := range []string{"../outside.md", outside, `..\outside.md`, "./../outside.md"} {
		if _, err := f.Write(name, "mine", false); err != nil {
			t.Errorf("Write(%q): %v", name, err)
		}
	}
	if b, _ := os.ReadFile(outside); string(b) != "secret" {
		t.Errorf("the file outside is now %q", b)
	}
	if runtime.GOOS == "windows" {
		return
	}
	for link, target := range map[string]string{"link.md": outside, "rel.md": "../outside.md", "dir.md": dir} {
		if err := os.Symlink(target, filepath.Join(f.Dir(), link)); err != nil {
			t.Fatal(err)
		}
		if _, text, err := f.Read(link); err == nil {
			t.Errorf("Read through the link %s = %q", link, text)
		}
		if _, err := f.Write(link, "mine", false); err == nil {
			t.Errorf("Write through the link %s: no error", link)
		}
		if p, ok := f.Path(link); ok {
			t.Errorf("Path(%s) = %s", link, p)
		}
	}
	if b, _ := os.ReadFile(outside); string(b) != "secret" {
		t.Errorf("the file outside is now %q", b)
	}
}

func TestFileNamesThatBecomeOneStayApart(t *testing.T) {
	f := openFiles(t, FilesConfig{})
	for name, text := range map[string]string{"a@b.md": "one", "a#b.md": "two", "ab.md": "three", "@.md": "four", "#.md": "five"} {
		if _, err := f.Write(name, text, false); err != nil {
			t.Fatal(err)
		}
	}
	names, err := f.List()
	if err != nil {
		t.Fatal(err)
	}
	if len(names) != 5 {
		t.Errorf("5 names made the files %q", names)
	}
	for name, text := range map[string]string{"a@b.md": "one", "a#b.md": "two", "@.md": "four", "#.md": "five"} {
		if _, got, err := f.Read(name); err != nil || got != text {
			t.Errorf("Read(%q) = %q, %v; want %q", name, got, err, text)
		}
	}
	// The same name again is the same file, in whatever case.
	if _, err := f.Write("Report.md", "one", false); err != nil {
		t.Fatal(err)
	}
	stored, err := f.Write("REPORT.md", "two", false)
	if err != nil || stored != "Report.md" {
		t.Errorf("the same name in capitals is %q, %v", stored, err)
	}
	if _, text, _ := f.Read("report.md"); text != "two" {
		t.Errorf("Report.md holds %q", text)
	}
}

func TestFileKinds(t *testing.T) {
	f := openFiles(t, FilesConfig{})
	for _, tc := range []struct{ name, text, more, want, fails string }{
		{"a.md", "# T\n", "more\n", "# T\nmore\n", ""},
		{"a.txt", "one", "two", "onetwo", ""},
		{"a.json", `{"a":1}`, "", `{"a":1}`, ""},
		{"b.json", `{"a":`, "", "", "not valid JSON"},
		{"a.jsonl", `{"a":1}`, `{"b":2}`, "{\"a\":1}\n{\"b\":2}", ""},
		{"b.jsonl", "{}\n{", "", "", "line 2"},
		{"a.csv", "a,b\n1,2", "3,4\n", "a,b\n1,2\n3,4\n", ""},
		{"b.csv", `a,b\n1,"x y"`, "", "a,b\n1,\"x y\"", ""},
		{"c.csv", "a,\"b\nc", "", "", "not valid CSV"},
		{"a.html", "<p>x</p>", "", "<p>x</p>", ""},
		{"a.xml", "<a/>", "", "<a/>", ""},
		{"a.pdf", "# Title\n\nSome <text> & more: café\n", "## Two\nend\n", "# Title\n\nSome <text> & more: café\n## Two\nend\n", ""},
		{"b.pdf", "中文", "", "", "western letters"},
		{"a.docx", "# Tïtle 中\n\nSome <text> & more\n", "", "# Tïtle 中\n\nSome <text> & more\n", ""},
	} {
		stored, err := f.Write(tc.name, tc.text, false)
		if err == nil && tc.more != "" {
			stored, err = f.Write(tc.name, tc.more, true)
		}
		if tc.fails != "" {
			if err == nil || !strings.Contains(err.Error(), tc.fails) {
				t.Errorf("%s: error %v, want one that says %q", tc.name, err, tc.fails)
			}
			if _, ok := f.Path(tc.name); ok {
				t.Errorf("%s was written all the same", tc.name)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		if _, got, err := f.Read(stored); err != nil || got != tc.want {
			t.Errorf("%s holds %q, %v; want %q", tc.name, got, err, tc.want)
		}
	}
	// Documents of an earlier run are read from the document itself.
	again, err := OpenFiles(FilesConfig{Dir: f.Dir()})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	for name, words := range map[string][]string{"a.pdf": {"Title", "Some <text> & more: café", "Two"}, "a.docx": {"# Tïtle 中", "Some <text> & more"}} {
		_, text, err := again.Read(name)
		for _, w := range words {
			if err != nil || !strings.Contains(text, w) {
				t.Errorf("%s read anew is %q, %v; want %q in it", name, text, err, w)
			}
		}
	}
}

func TestFileErrors(t *testing.T) {
	f := openFiles(t, FilesConfig{MaxFile: 1000, MaxTotal: 2500, MaxFiles: 4})
	if _, err := f.Write("a.md", strings.Repeat("x", 1001), false); !errors.Is(err, ErrFileQuota) {
		t.Errorf("too big: %v", err)
	}
	for _, n := range []string{"a.md", "b.md"} {
		if _, err := f.Write(n, strings.Repeat("x", 1000), false); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.Write("c.md", strings.Repeat("x", 600), false); !errors.Is(err, ErrFileQuota) {
		t.Errorf("too much together: %v", err)
	}
	if _, err := f.Write("a.md", "x", true); !errors.Is(err, ErrFileQuota) {
		t.Errorf("too big by adding: %v", err)
	}
	for _, n := range []string{"c.md", "d.md"} {
		if _, err := f.Write(n, "x", false); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.Write("e.md", "x", false); !errors.Is(err, ErrFileQuota) {
		t.Errorf("too many: %v", err)
	}
	if _, err := f.Write("none.md", "x", true); !errors.Is(err, ErrNoFile) || !strings.Contains(err.Error(), "a.md") {
		t.Errorf("adding to a file that is not there: %v", err)
	}
	if _, _, err := f.Replace("c.md", "y", "z"); err == nil || !strings.Contains(err.Error(), "does not hold") {
		t.Errorf("replacing what is not there: %v", err)
	}
	if _, _, err := f.Replace("c.md", "", "z"); err == nil {
		t.Error("replacing nothing: no error")
	}
	if _, n, err := f.Replace("c.md", "x", "yy"); err != nil || n != 1 {
		t.Errorf("Replace: %d, %v", n, err)
	}
	if err := os.WriteFile(filepath.Join(f.Dir(), "bad.pdf"), []byte("%PDF-1.4 nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(f.Dir(), "bad.docx"), []byte("PK nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(f.Dir(), "bad.txt"), []byte{0xff, 0xfe, 0}, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, n := range []string{"bad.pdf", "bad.docx", "bad.txt"} {
		if _, _, err := f.Read(n); err == nil {
			t.Errorf("Read(%s): no error", n)
		}
	}
	left, _ := filepath.Glob(filepath.Join(f.Dir(), tempPrefix+"*"))
	if len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

func TestTemporaryFilesGoAway(t *testing.T) {
	f, err := OpenFiles(FilesConfig{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write("todo.md", "- [ ] one", false); err != nil {
		t.Fatal(err)
	}
	if f.Todo() != "- [ ] one" {
		t.Errorf("Todo is %q", f.Todo())
	}
	dir := f.Dir()
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%s is still there (%v)", dir, err)
	}
}

func TestDescribeFiles(t *testing.T) {
	f := openFiles(t, FilesConfig{})
	for name, text := range map[string]string{
		"todo.md": "plan", "short.md": "all of it", "empty.txt": "",
		"long.csv": "head,er\n" + strings.Repeat("some,row\n", 200) + "last,row\n",
	} {
		if _, err := f.Write(name, text, false); err != nil {
			t.Fatal(err)
		}
	}
	got := f.Describe()
	for _, w := range []string{"short.md (9 characters):\nall of it", "empty.txt (empty)", "head,er", "last,row", "more lines"} {
		if !strings.Contains(got, w) {
			t.Errorf("Describe does not say %q:\n%s", w, got)
		}
	}
	if strings.Contains(got, "todo.md") || len(got) > 1000 {
		t.Errorf("Describe says too much:\n%s", got)
	}
}
