package tools

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// sends answers with a file of the given Content-Disposition.
func sends(disposition, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Disposition"] = []string{disposition}
		w.Header().Set("Content-Type", "application/octet-stream")
		_, _ = fmt.Fprint(w, body)
	}
}

// serveFiles starts a server whose front page is html.
func serveFiles(t *testing.T, html string, files map[string]http.HandlerFunc) string {
	mux := http.NewServeMux()
	for path, f := range files {
		mux.HandleFunc(path, f)
	}
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, "<!doctype html><title>files</title>"+html)
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return srv.URL
}

// F089: whatever name a server gives, the file ends in the session's folder.
func TestFaultsOfDownloadNames(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "a", "b")
	h := newHandWith(t, browser.Config{DownloadDir: dir})
	names := []string{
		`attachment; filename="../../esc.csv"`, `attachment; filename="/etc/esc.csv"`, `attachment; filename="..\\..\\esc.csv"`,
		`attachment; filename*=UTF-8''..%2F..%2Fesc.csv`, `attachment; filename*=UTF-8''%2e%2e%5cesc.csv`, `attachment; filename=".."`, `attachment; filename="...."`,
		`attachment; filename=""`, `attachment`, `attachment; filename*=UTF-8''a%00b%0d%0ac.csv`, `attachment; filename="con.csv"`, `attachment; filename=".bashrc"`,
		`attachment; filename="` + strings.Repeat("long", 200) + `.csv"`,
	}
	files, links := map[string]http.HandlerFunc{}, ""
	for i, n := range names {
		files["/f"+itoa(i)] = sends(n, "body "+itoa(i))
		links += fmt.Sprintf(`<a href=/f%d>link%d</a> `, i, i)
	}
	url := serveFiles(t, links, files)
	h.do(`[{"navigate":{"url":"` + url + `/"}}]`)
	for i, n := range names {
		h.do(`[{"click":{"index":«link` + itoa(i) + `»}}]`)
		all, err := h.s.WaitDownloads(testContext(t))
		if err != nil || len(all) != i+1 {
			t.Fatalf("%s: %d downloads, %v", n, len(all), err)
		}
		d := all[i]
		if b, err := os.ReadFile(d.Path); err != nil || string(b) != "body "+itoa(i) || d.Error != "" {
			t.Errorf("%s: %+v holds %q, %v", n, d, b, err)
		}
		if base := filepath.Base(d.Path); filepath.Dir(d.Path) != dir || strings.HasPrefix(base, ".") || strings.ContainsAny(base, "\\\x00\r\n") || len(base) > 200 {
			t.Errorf("%s: ended at %q", n, d.Path)
		}
	}
	err := filepath.WalkDir(parent, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Dir(path) != dir && !strings.Contains(path, ".incoming-") {
			t.Errorf("outside the folder: %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// F090: no file is written over another.
func TestFaultsOfDownloadsOfOneName(t *testing.T) {
	h := newHand(t)
	n := 0
	counted := func(name string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			n++
			sends(`attachment; filename="`+name+`"`, name+itoa(n))(w, r)
		}
	}
	url := serveFiles(t, `<a href=/same>same</a> <a href=/upper>upper</a> <a href=/same target=_blank>tab</a>
		<button onclick="for(const u of ['/same','/same?2'])window.open(u)">both</button>
		<button onclick="for(const u of ['/same','/same?2']){const f=document.createElement('iframe');f.src=u;document.body.append(f)}">frames</button>`,
		map[string]http.HandlerFunc{"/same": counted("same.txt"), "/upper": counted("SAME.txt")})
	h.do(`[{"navigate":{"url":"` + url + `/"}}]`)
	for _, link := range []string{"same", "same", "same", "upper", "tab"} {
		h.do(`[{"click":{"index":«` + link + `»}}]`)
	}
	h.run(`[{"click":{"index":«frames»}}]`) // two at once
	waitFor(t, func() bool { return len(h.s.Downloads()) == 7 })
	all, err := h.s.WaitDownloads(testContext(t))
	if err != nil {
		t.Fatal(err)
	}
	var paths, bodies []string
	for _, d := range all {
		b, err := os.ReadFile(d.Path)
		if err != nil || d.Error != "" {
			t.Errorf("%+v: %v", d, err)
		}
		paths, bodies = append(paths, d.Path), append(bodies, string(b))
	}
	for name, list := range map[string][]string{"path": paths, "content": bodies} {
		if slices.Sort(list); len(slices.Compact(slices.Clone(list))) != 7 {
			t.Errorf("two downloads have one %s: %q", name, list)
		}
	}
}

// F093: downloads that are slow, that stand still, that break.
func TestFaultsOfSlowDownloads(t *testing.T) {
	h := newHand(t)
	goOn := make(chan struct{})
	part := strings.Repeat("x", 100_000)
	begin := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "200000")
		sends(`attachment; filename="big.bin"`, part)(w, r)
		w.(http.Flusher).Flush()
	}
	url := serveFiles(t, `<a href=/slow>slow</a> <a href=/cut>cut</a> <a href=/gone>gone</a> <button onclick="document.title='free'">free</button>`, map[string]http.HandlerFunc{
		"/slow": func(w http.ResponseWriter, r *http.Request) {
			begin(w, r)
			select {
			case <-goOn:
				_, _ = fmt.Fprint(w, part)
			case <-r.Context().Done():
			}
		},
		"/cut":  func(w http.ResponseWriter, r *http.Request) { begin(w, r); panic(http.ErrAbortHandler) },
		"/gone": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "it is gone", http.StatusGone) },
	})
	h.do(`[{"navigate":{"url":"` + url + `/"}}]`)
	// One that stands still is told of as begun, and leaves the page usable.
	if r := h.do(`[{"click":{"index":«slow»}}]`)[0]; !strings.Contains(effects(r), "big.bin") || !strings.Contains(effects(r), "began") {
		t.Errorf("a download that stands still: %q", effects(r))
	}
	h.do(`[{"click":{"index":«free»}}]`)
	h.is("document.title", "free")
	d := h.s.Downloads()[0]
	h.fails(`{"read_file":{"file_name":"big.bin"}}`, "big.bin")
	if d.Done || d.Path != "" || d.Received == 0 || d.Total != 200_000 {
		t.Errorf("half way: %+v", d)
	}
	close(goOn)
	all, err := h.s.WaitDownloads(testContext(t))
	if err != nil || all[0].Error != "" || all[0].Received != 200_000 {
		t.Fatalf("in the end: %+v, %v", all, err)
	}
	// One that is cut off is a failure that names the file, and leaves none.
	r, _ := h.run(`[{"click":{"index":«cut»}}]`)
	if said := effects(r[0]) + r[0].Error; !strings.Contains(said, "failed") || !strings.Contains(said, "broke") {
		t.Errorf("a download that is cut off: %+v", r[0])
	}
	all = h.s.Downloads()
	if d := all[len(all)-1]; !d.Done || d.Error == "" || d.Path != "" {
		t.Errorf("cut off: %+v", d)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(all[0].Path), "*.bin")); len(left) != 1 {
		t.Errorf("files: %q", left)
	}
	// An answer that is no file is a page.
	if r := h.do(`[{"click":{"index":«gone»}}]`)[0]; !strings.Contains(effects(r), "/gone") || len(h.s.Downloads()) != len(all) {
		t.Errorf("a file that is gone: %q", effects(r))
	}
}

// F096: the text of a PDF is not in the page; it is kept, and read as a file.
func TestFaultsOfPDFs(t *testing.T) {
	data, err := writePDF("# Terms of sale\n\nAll of them.")
	if err != nil {
		t.Fatal(err)
	}
	pdf := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/pdf")
		_, _ = w.Write(data)
	}
	inline := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Disposition", `inline; filename="terms.pdf"`)
		pdf(w, r)
	}
	once := 0
	url := serveFiles(t, `<a href=/inline>inline</a> <a href=/paper.pdf target=_blank>tab</a> <a href="/get?id=7&kind=terms">query</a> <a href=/r>redirect</a>
		<a href=/cookie>cookie</a> <button onclick="window.open('/paper.pdf')">open</button> <a href="/up/..%2f..%2fesc">escape</a>`, map[string]http.HandlerFunc{
		"/inline": inline, "/paper.pdf": pdf, "/get": pdf, "/up/": pdf,
		"/r": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/get?id=8", http.StatusFound) },
		"/cookie": func(w http.ResponseWriter, r *http.Request) {
			if once++; once == 1 {
				http.SetCookie(w, &http.Cookie{Name: "in", Value: "yes"})
				http.Redirect(w, r, "/cookie", http.StatusFound)
			} else if _, err := r.Cookie("in"); err != nil {
				http.Error(w, "who are you?", http.StatusForbidden)
			} else {
				pdf(w, r)
			}
		},
	})
	for _, tc := range []struct{ link, name string }{
		{"inline", ".pdf"}, {"tab", "paper.pdf"}, {"query", "get.pdf"}, {"redirect", "get.pdf"}, {"cookie", "cookie.pdf"}, {"open", "paper.pdf"}, {"escape", ".pdf"},
	} {
		t.Run("F096 "+tc.link, func(t *testing.T) {
			h := newHand(t)
			h.do(`[{"navigate":{"url":"` + url + `/"}}]`)
			r := h.do(`[{"click":{"index":«` + tc.link + `»}}]`)[0]
			waitFor(t, func() bool { return len(h.s.Downloads()) == 1 })
			all, err := h.s.WaitDownloads(testContext(t))
			if err != nil || all[0].Error != "" || !strings.HasSuffix(all[0].Name, tc.name) || strings.Contains(all[0].Name, "/") {
				t.Fatalf("downloads %+v, %v", all, err)
			}
			if !strings.Contains(effects(r), all[0].Name) {
				t.Errorf("the effects do not tell of %s: %q", all[0].Name, effects(r))
			}
			if r := h.do(`[{"read_file":{"file_name":` + quote(all[0].Name) + `}}]`)[0]; !strings.Contains(r.Text, "Terms of sale") {
				t.Errorf("the file reads %q", r.Text)
			}
		})
	}
}

// F095: what is not there, or not allowed, is not put into a field.
func TestFaultsOfUploadPaths(t *testing.T) {
	h := newHand(t)
	dir := t.TempDir()
	ok, empty, secret := filepath.Join(dir, "ok.txt"), filepath.Join(dir, "empty.txt"), filepath.Join(t.TempDir(), "ok2.txt")
	link, sub := filepath.Join(h.files.Dir(), "link.txt"), filepath.Join(dir, "folder")
	for p, s := range map[string]string{ok: "text", empty: "", secret: "no"} {
		if err := os.WriteFile(p, []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(secret, link); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(sub, 0o700); err != nil {
		t.Fatal(err)
	}
	gone := filepath.Join(dir, "gone.txt")
	h.deps = registry.Provide(h.deps, FilePaths{ok, empty, sub, gone})
	h.show(`<input type=file id=f aria-label=up multiple>`)
	for path, word := range map[string]string{
		gone: "no file", empty: "empty", sub: "not a file", secret: "no file that may be used", "link.txt": "no file that may be used", link: "no file that may be used",
		"OK.TXT": "no file that may be used", ok + "/": "", "file://" + ok: "no file that may be used", "~/ok.txt": "no file that may be used", ok + "\x00.png": "no file that may be used",
	} {
		if word == "" {
			continue // it is the same path
		}
		arg := strings.ReplaceAll(quote(path), "\x00", `\u0000`)
		h.fails(`{"upload_file":{"index":«up»,"path":`+arg+`}}`, word)
		h.fails(`{"upload_file":{"index":«up»,"paths":["ok.txt",`+arg+`]}}`, word)
		h.is("f.files.length", "0")
	}
	h.do(`[{"upload_file":{"index":«up»,"path":"ok.txt"}}]`)
	h.is("f.files.length", "1")
}
