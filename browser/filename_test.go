package browser

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// F089: names by which a server tries to get out of the folder, to hide, to
// pass for something else or to be a device.
func TestFileNamesThatServersPropose(t *testing.T) {
	dir := t.TempDir()
	for in, want := range map[string]string{
		"../../../esc.csv": "esc.csv", "a/../../esc.csv": "esc.csv", "/etc/cron.d/job": "job", `C:\Windows\system.ini`: "system.ini",
		`\\host\share\x.txt`: "x.txt", "..\\../mixed.txt": "mixed.txt", "x/": "download", `x\`: "download", "dir/..": "download",
		"...": "download", ". . .": "download", " ": "download", "\t\n": "download", "\x00": "download", "\u200b": "download", "\u200d.\u200c": "download",
		"a\x00.txt": "a.txt", "a\r\nSet-Cookie: x.txt": "aSet-Cookie_ x.txt", "bell\a\x7f.txt": "bell.txt", "\u202etxt.exe": "txt.exe", "in\u200bvisible.txt": "invisible.txt", "line\u2028s.txt": "line\u2028s.txt",
		"..hidden": "hidden", ".htaccess": "htaccess", "stream.txt:ads": "stream.txt_ads", "wild*?.txt": "wild__.txt", "trailing. .": "trailing",
		"CON": "_CON", "nul.txt": "_nul.txt", "con.tar.gz": "_con.tar.gz", "Aux .log": "_Aux .log", "com1": "_com1", "LPT9.x": "_LPT9.x", "COM\u00b9": "_COM\u00b9", "conin$": "_conin$",
		"console.txt": "console.txt", "com10.txt": "com10.txt", "common.txt": "common.txt", "nullable": "nullable",
		"می\u200cخواهم.pdf": "می\u200cخواهم.pdf", "報告.pdf": "報告.pdf", "\xff\xfe.txt": "txt",
	} {
		got := safeFileName(in)
		if got != want {
			t.Errorf("safeFileName(%q) = %q, want %q", in, got, want)
		}
		path, err := claimFile(dir, got)
		if err != nil || filepath.Dir(path) != dir {
			t.Errorf("%q: file %q, %v", in, path, err)
		}
	}
	for _, in := range []string{strings.Repeat("a", 5000), strings.Repeat("报", 900) + ".pdf", strings.Repeat("a. ", 200), "x." + strings.Repeat("e", 300)} {
		got := safeFileName(in)
		if len(got) > maxFileName || !utf8.ValidString(got) || got != strings.TrimRight(got, ". ") {
			t.Errorf("a long name becomes %q", got)
		}
	}
}

// F090: one name again and again, and names that only some file systems tell
// apart; every file has a name of its own.
func TestFileNamesAreClaimedOnce(t *testing.T) {
	dir := t.TempDir()
	for _, want := range []string{"same.txt", "same (1).txt", "same (2).txt"} {
		if path, err := claimFile(dir, "same.txt"); err != nil || filepath.Base(path) != want {
			t.Errorf("got %q, %v, want %q", path, err, want)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder.txt"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(t.TempDir(), "nowhere"), filepath.Join(dir, "link.txt")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"folder.txt": "folder (1).txt", "link.txt": "link (1).txt", "noext": "noext"} {
		if path, err := claimFile(dir, name); err != nil || filepath.Base(path) != want {
			t.Errorf("%s: got %q, %v, want %q", name, path, err, want)
		}
	}
	if _, err := claimFile(filepath.Join(dir, "gone"), "x.txt"); err == nil {
		t.Error("a file in a folder that is not there")
	}
}
