package browser

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/quick"
	"time"
	"unicode/utf8"
)

func downloadSession(t testing.TB, cfg Config) *Session {
	t.Helper()
	b, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	s, err := b.NewSession(testContext(t), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func attachment(name, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", "attachment; filename="+name)
		fmt.Fprint(w, body)
	}
}

// finished waits for n downloads to end and returns them.
func finished(t testing.TB, s *Session, n int) []Download {
	t.Helper()
	waitUntil(t, func() bool {
		done := 0
		for _, d := range s.Downloads() {
			if d.Done {
				done++
			}
		}
		return done >= n
	})
	return s.Downloads()
}

func TestDownloadEndsInTheSessionsFolder(t *testing.T) {
	dir := t.TempDir()
	mux := http.NewServeMux()
	mux.HandleFunc("/", html(`<a id=a href=/same>same</a> <a id=esc href=/esc>esc</a>`))
	mux.HandleFunc("/same", attachment("same.txt", "content"))
	mux.HandleFunc("/esc", attachment(`"../../esc.csv"`, "out"))
	s := downloadSession(t, Config{DownloadDir: dir})
	url := serveMux(t, mux)
	if _, err := s.Navigate(testContext(t), url); err != nil {
		t.Fatal(err)
	}
	s.TakeEvents()
	// The same name twice: both stay (faults F090).
	mustEval[any](t, s, `a.click()`)
	finished(t, s, 1)
	mustEval[any](t, s, `a.click()`)
	finished(t, s, 2)
	// A name that leads out of the folder (F089).
	mustEval[any](t, s, `esc.click()`)
	got := finished(t, s, 3)
	var names []string
	for _, d := range got {
		names = append(names, d.Name)
		if d.Error != "" || filepath.Dir(d.Path) != dir || d.Tab == "" || d.Received == 0 {
			t.Errorf("download = %+v", d)
		}
	}
	if b, err := os.ReadFile(filepath.Join(dir, "same (1).txt")); err != nil || string(b) != "content" {
		t.Errorf("same (1).txt: %q, %v", b, err)
	}
	if names[0] != "same.txt" || names[1] != "same (1).txt" || strings.Contains(names[2], "/") {
		t.Errorf("names = %q", names)
	}
	if _, err := os.Stat(filepath.Join(dir, "..", "..", "esc.csv")); !errors.Is(err, os.ErrNotExist) {
		t.Error("a file was written outside the folder")
	}
	evs := waitEvent(t, s, is(func(e DownloadFinished) bool { return e.Name == "same (1).txt" }))
	if i := slices.IndexFunc(evs, is(func(e DownloadStarted) bool { return e.Name == "same.txt" })); i < 0 {
		t.Errorf("events = %v", evs)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	entries, _ := os.ReadDir(dir)
	if len(entries) != 3 {
		t.Errorf("after Close the folder holds %v, want the three files", entries)
	}
}

// A navigation that is a download is no failure (F092).
func TestNavigationThatIsADownload(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/", html(`<title>page</title>`))
	mux.HandleFunc("/dl", attachment("report.csv", "a,b"))
	s, url := open(t, mux)
	nav, err := s.Navigate(testContext(t), url+"/dl")
	if err != nil || !nav.Download || nav.URL != url+"/" {
		t.Fatalf("navigate = %+v, %v", nav, err)
	}
	d, err := s.WaitDownloads(testContext(t))
	if err != nil || len(d) != 1 || !d[0].Done {
		t.Fatalf("downloads = %+v, %v", d, err)
	}
	b, err := os.ReadFile(d[0].Path)
	if err != nil || string(b) != "a,b" {
		t.Fatalf("%+v: %q, %v", d[0], b, err)
	}
	temp := s.downloads.dir
	s.Close()
	if _, err := os.Stat(temp); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("the temporary folder is left: %v", err)
	}
}

// A tab that opens only to download closes again before its download is known.
func TestDownloadOfATabThatIsGone(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/", html(`<a id=a target=_blank href=/dl>x</a>`))
	mux.HandleFunc("/dl", attachment("popup.csv", "a,b"))
	s, _ := open(t, mux)
	mustEval[any](t, s, `a.click()`)
	if d := finished(t, s, 1); d[0].Name != "popup.csv" || d[0].Error != "" {
		t.Fatalf("download = %+v", d)
	}
}

func TestDownloadLimits(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/", html(`<title>page</title>`))
	mux.HandleFunc("/big", attachment("big.bin", strings.Repeat("x", 1<<20)))
	mux.HandleFunc("/broken", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000000")
		attachment("broken.bin", "only the beginning")(w, r)
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	url := serveMux(t, mux)
	for _, tt := range []struct {
		cfg  Config
		path string
		want string
	}{
		{Config{MaxDownloadSize: 1000}, "/big", "larger than 1000 bytes"},
		{Config{NoDownloads: true}, "/big", "turned off"},
		{Config{}, "/broken", "broke"},
	} {
		s := downloadSession(t, tt.cfg)
		if _, err := s.Navigate(testContext(t), url); err != nil {
			t.Fatal(err)
		}
		mustEval[any](t, s, `void (location.href = '`+tt.path+`')`)
		d := finished(t, s, 1)[0]
		if !strings.Contains(d.Error, tt.want) || d.Path != "" {
			t.Errorf("%s: download = %+v, want an error with %q", tt.path, d, tt.want)
		}
		if s.downloads.dir == "" {
			continue
		}
		files, _ := filepath.Glob(filepath.Join(s.downloads.dir, "*.bin"))
		if len(files) > 0 {
			t.Errorf("%s: left behind: %v", tt.path, files)
		}
	}
}

// How far a download is can be seen while it goes on (F093).
func TestDownloadTellsHowFarItIs(t *testing.T) {
	goOn := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("/", html(`x`))
	mux.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "200000")
		attachment("slow.bin", strings.Repeat("x", 100_000))(w, r)
		w.(http.Flusher).Flush()
		select {
		case <-goOn:
		case <-r.Context().Done():
		}
		fmt.Fprint(w, strings.Repeat("x", 100_000))
	})
	s, _ := open(t, mux)
	mustEval[any](t, s, `void (location.href = '/slow')`)
	waitUntil(t, func() bool {
		d := s.Downloads()
		return len(d) == 1 && d[0].Received > 0 && d[0].Received < 200_000 && d[0].Total == 200_000 && !d[0].Done && d[0].Path == ""
	})
	// Waiting ends with the caller's patience and says what there is.
	short, cancel := context.WithTimeout(testContext(t), 10*time.Millisecond)
	defer cancel()
	if d, err := s.WaitDownloads(short); !errors.Is(err, context.DeadlineExceeded) || len(d) != 1 {
		t.Errorf("wait: %+v, %v", d, err)
	}
	close(goOn)
	d, err := s.WaitDownloads(testContext(t))
	if err != nil || !d[0].Done || d[0].Received != 200_000 {
		t.Fatalf("downloads = %+v, %v", d, err)
	}
}

// A session that is closed in the middle of a download leaves nothing.
func TestCloseInTheMiddleOfADownload(t *testing.T) {
	never := hang(t)
	mux := http.NewServeMux()
	mux.HandleFunc("/", html(`x`))
	mux.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "200000")
		attachment("slow.bin", strings.Repeat("x", 100_000))(w, r)
		w.(http.Flusher).Flush()
		never(w, r)
	})
	dir := t.TempDir()
	s := downloadSession(t, Config{DownloadDir: dir})
	url := serveMux(t, mux)
	if _, err := s.Navigate(testContext(t), url); err != nil {
		t.Fatal(err)
	}
	mustEval[any](t, s, `void (location.href = '/slow')`)
	waitEvent(t, s, is(func(e DownloadStarted) bool { return true }))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) > 0 {
		t.Errorf("left: %v", entries)
	}
	if _, err := s.WaitDownloads(testContext(t)); !errors.Is(err, ErrClosed) {
		t.Errorf("wait: %v", err)
	}
}

// Downloads of sessions in one Chrome never mix.
func TestDownloadsOfTwoSessionsStayApart(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/", html(`x`))
	mux.HandleFunc("/dl", func(w http.ResponseWriter, r *http.Request) { attachment("same.txt", r.URL.RawQuery)(w, r) })
	url := serveMux(t, mux)
	var ss [2]*Session
	for i := range ss {
		ss[i] = downloadSession(t, Config{})
		if _, err := ss[i].Navigate(testContext(t), url); err != nil {
			t.Fatal(err)
		}
	}
	for i, s := range ss {
		mustEval[any](t, s, fmt.Sprintf(`void (location.href = '/dl?%d')`, i))
	}
	for i, s := range ss {
		d := finished(t, s, 1)
		b, err := os.ReadFile(d[0].Path)
		if err != nil || string(b) != fmt.Sprint(i) || len(d) != 1 {
			t.Errorf("session %d: %+v holds %q, %v", i, d, b, err)
		}
	}
}

// A PDF's text is not in the page; the file is kept (F096).
func TestPDFIsKept(t *testing.T) {
	pdf := "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF"
	mux := http.NewServeMux()
	mux.HandleFunc("/", html(`x`))
	mux.HandleFunc("/paper", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/pdf")
		fmt.Fprint(w, pdf)
	})
	s, url := open(t, mux)
	if _, err := s.Navigate(testContext(t), url+"/paper"); err != nil {
		t.Fatal(err)
	}
	d := finished(t, s, 1)[0]
	b, err := os.ReadFile(d.Path)
	if err != nil || string(b) != pdf || d.Name != "paper.pdf" {
		t.Fatalf("%+v: %d bytes, %v", d, len(b), err)
	}
	// Shown and no more, when asked for that.
	shown := downloadSession(t, Config{NoSavePDF: true})
	nav, err := shown.Navigate(testContext(t), url+"/paper")
	if err != nil || nav.Download || nav.URL != url+"/paper" || len(shown.Downloads()) > 0 {
		t.Fatalf("navigate = %+v, %v; downloads %+v", nav, err, shown.Downloads())
	}
}

func TestSafeFileName(t *testing.T) {
	for in, want := range map[string]string{
		"report.csv": "report.csv", "../../etc/passwd": "passwd", `..\..\boot.ini`: "boot.ini",
		"": "download", "..": "download", ".": "download", "/": "download", "a/..": "download",
		".bashrc": "bashrc", "x\x00y.txt": "xy.txt", "a:b?.txt": "a_b_.txt", "con.txt": "_con.txt", "NUL": "_NUL",
		"Übersicht 报告.pdf": "Übersicht 报告.pdf", "dots...": "dots", "gpj\u202e.exe": "gpj.exe",
	} {
		if got := safeFileName(in); got != want {
			t.Errorf("safeFileName(%q) = %q, want %q", in, got, want)
		}
	}
	if err := quick.Check(func(s string) bool {
		n := safeFileName(s)
		return n != "" && n == filepath.Base(n) && n != "." && n != ".." && len(n) <= maxFileName+1 && utf8.ValidString(n)
	}, nil); err != nil {
		t.Error(err)
	}
	long := safeFileName(strings.Repeat("é", 400) + ".pdf")
	if len(long) > maxFileName || !strings.HasSuffix(long, "é.pdf") {
		t.Errorf("a long name becomes %q", long)
	}
}
