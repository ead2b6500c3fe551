package tools

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// server answers what a page alone cannot: downloads, documents, failures.
func server(t *testing.T) string {
	mux := http.NewServeMux()
	mux.HandleFunc("/dl", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename="../../esc.csv"`)
		_, _ = w.Write([]byte("a,b\n1,2\n"))
	})
	mux.HandleFunc("/doc.pdf", func(w http.ResponseWriter, _ *http.Request) {
		data, err := writePDF("# Terms of sale\n\nAll of them.")
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "application/pdf")
		_, _ = w.Write(data)
	})
	mux.HandleFunc("/none", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("/404", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte("<title>lost</title>not here"))
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<!doctype html><title>home</title><a href=/dl>file</a><a href=/none>nothing</a>`))
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return srv.URL
}

func TestNavigating(t *testing.T) {
	h := newHand(t)
	url := server(t)
	h.do(`[{"navigate":{"url":"` + url + `/"}}]`)
	h.is("document.title", "home")
	if r := h.do(`[{"navigate":{"url":"` + url + `/404"}}]`)[0]; !strings.Contains(effects(r), "HTTP 404") {
		t.Errorf("a missing page: %q", effects(r))
	}
	h.is("document.title", "lost")
	h.do(`[{"go_back":{}}]`)
	h.is("document.title", "home")
	h.do(`[{"go_forward":{}}]`)
	h.is("document.title", "lost")
	h.fails(`{"go_forward":{}}`, "no page to go forward to")
	h.do(`[{"reload":{}}]`)
	h.is("document.title", "lost")
	if r := h.do(`[{"navigate":{"url":"` + url + `/","new_tab":true}}]`)[0]; len(h.s.Tabs()) != 2 {
		t.Errorf("a new tab: %+v, tabs %v", r, h.s.Tabs())
	}
	first := h.s.Tabs()[0].ID
	h.do(`[{"switch":{"tab_id":"` + first + `"}}]`)
	h.is("document.title", "lost")
	h.do(`[{"close":{"tab_id":"` + first + `"}}]`)
	h.is("document.title", "home")
	h.fails(`{"switch":{"tab_id":"zzzz"}}`, "no such tab", "open tabs")
	h.fails(`{"close":{"tab_id":"zzzz"}}`, "no such tab")
	h.fails(`{"navigate":{"url":"http://127.0.0.1:1/"}}`, "open http://127.0.0.1:1/")
	h.fails(`{"navigate":{"url":"http://nowhere.invalid/"}}`, "no such host")
	h.fails(`{"navigate":{"url":"not an address"}}`, "not an address")
	h.do(`[{"navigate":{"url":"about:blank"}}]`)
	h.show(`<title>first</title>`)
	fresh := newHand(t)
	fresh.fails(`{"go_back":{}}`, "no page to go back to")
}

// F089 to F093: what a page sends as a file.
func TestDownloading(t *testing.T) {
	h := newHand(t)
	url := server(t)
	h.do(`[{"navigate":{"url":"` + url + `/"}}]`)
	for range 2 {
		r := h.do(`[{"click":{"index":«file»}}]`)[0]
		if !strings.Contains(effects(r), "downloaded") {
			t.Errorf("the effects do not tell of the download: %q", effects(r))
		}
	}
	all := h.s.Downloads()
	if len(all) != 2 || all[0].Path == all[1].Path || filepath.Dir(all[0].Path) != filepath.Dir(all[1].Path) {
		t.Fatalf("downloads %+v", all)
	}
	for _, d := range all {
		if b, err := os.ReadFile(d.Path); err != nil || string(b) != "a,b\n1,2\n" {
			t.Errorf("%s holds %q, %v", d.Path, b, err)
		}
	}
	if r := h.do(`[{"navigate":{"url":"` + url + `/dl"}}]`)[0]; !strings.Contains(effects(r), "download") {
		t.Errorf("a navigation that is a download: %+v", r)
	}
	h.is("document.title", "home")
	// What was downloaded can be read, by its path.
	r := h.do(`[{"read_file":{"file_name":` + quote(all[0].Path) + `}}]`)[0]
	if !strings.Contains(r.Text, "1,2") {
		t.Errorf("reading the download: %q", r.Text)
	}
	// A PDF has no text in the page; it is kept, and read as a file.
	h.do(`[{"navigate":{"url":"` + url + `/doc.pdf"}}]`)
	if _, err := h.s.WaitDownloads(testContext(t)); err != nil {
		t.Fatal(err)
	}
	all = h.s.Downloads()
	r = h.do(`[{"read_file":{"file_name":` + quote(all[len(all)-1].Path) + `}}]`)[0]
	if !strings.Contains(r.Text, "Terms of sale") {
		t.Errorf("reading the PDF: %q", r.Text)
	}
	h.do(`[{"navigate":{"url":"` + url + `/"}}]`)
	// An address without content is no page either.
	h.do(`[{"click":{"index":«nothing»}}]`)
	h.is("document.title", "home")
}

// F094, F095: files that pages ask for.
func TestUploading(t *testing.T) {
	h := newHand(t)
	dir := t.TempDir()
	ok, secret := filepath.Join(dir, "ok.txt"), filepath.Join(dir, "secret.txt")
	for _, p := range []string{ok, secret} {
		if err := os.WriteFile(p, []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	h.deps = registry.Provide(h.deps, FilePaths{ok, filepath.Join(dir, "gone.txt")})
	h.show(`<form><input type=file id=f style="display:none"><button type=button onclick="f.click()">Add file</button></form>`)
	h.do(`[{"upload_file":{"index":«Add file»,"path":` + quote(ok) + `}}]`)
	h.is("f.files[0].name", "ok.txt")
	h.do(`[{"write_file":{"file_name":"mine.csv","content":"a,b"}}]`)
	h.do(`[{"upload_file":{"index":«Add file»,"path":"mine.csv"}}]`)
	h.is("f.files[0].name", "mine.csv")
	h.do(`[{"upload_file":{"index":«Add file»,"path":"ok.txt"}}]`)
	h.is("f.files[0].name", "ok.txt")
	for path, words := range map[string]string{
		secret:                         "no file that may be used",
		"/etc/passwd":                  "no file that may be used",
		"../secret.txt":                "no file that may be used",
		"nope.pdf":                     "no file that may be used",
		dir + "/x/../secret.txt":       "no file that may be used",
		h.files.Dir() + "/../a.md":     "no file that may be used",
		filepath.Join(dir, "gone.txt"): "no file",
	} {
		h.fails(`{"upload_file":{"index":«Add file»,"path":`+quote(path)+`}}`, words)
		h.fails(`{"read_file":{"file_name":`+quote(path)+`}}`, "no")
	}
	h.is("f.files[0].name", "ok.txt")
	h.fails(`{"upload_file":{"index":«Add file»}}`, "name the file")
	h.fails(`{"upload_file":{"index":«Add file»,"paths":["ok.txt","mine.csv"]}}`, "one file only")
}

func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

func TestFileActions(t *testing.T) {
	h := newHand(t)
	png := filepath.Join(t.TempDir(), "pic.png")
	fake := filepath.Join(t.TempDir(), "fake.png")
	if err := os.WriteFile(png, []byte("\x89PNG\r\n\x1a\nrest"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(fake, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.deps = registry.Provide(h.deps, FilePaths{png, fake})
	h.do(`[{"write_file":{"file_name":"todo.md","content":"- [ ] one"}},{"write_file":{"file_name":"todo.md","content":"- [ ] two","append":true}},{"replace_file":{"file_name":"todo.md","old_str":"[ ] one","new_str":"[x] one"}}]`)
	if got := h.files.Todo(); got != "- [x] one\n- [ ] two\n" {
		t.Errorf("todo.md holds %q", got)
	}
	r := h.do(`[{"read_file":{"file_name":"todo.md"}}]`)[0]
	if !strings.Contains(r.Text, "- [x] one") || !r.Once {
		t.Errorf("read_file: %+v", r)
	}
	if r := h.do(`[{"write_file":{"file_name":"../out@side.md","content":"x"}}]`)[0]; !strings.Contains(r.Text, "outside.md") {
		t.Errorf("a changed name is not told: %q", r.Text)
	}
	h.do(`[{"write_file":{"file_name":"big.txt","content":"` + strings.Repeat(`line\n`, 20000) + `"}}]`)
	r = h.do(`[{"read_file":{"file_name":"big.txt"}}]`)[0]
	if !strings.Contains(r.Text, "start_from_char=60000") || len(r.Memory) > 2000 || !strings.Contains(r.Memory, "more lines") {
		t.Errorf("a long file: text of %d, memory %q", len(r.Text), r.Memory)
	}
	h.do(`[{"read_file":{"file_name":"big.txt","start_from_char":60000}}]`)
	h.fails(`{"read_file":{"file_name":"big.txt","start_from_char":999999}}`, "nothing from")
	h.fails(`{"read_file":{"file_name":"none.md"}}`, "none.md")
	h.fails(`{"write_file":{"file_name":"x.exe","content":"x"}}`, ".exe")
	h.fails(`{"write_file":{"file_name":"x.json","content":"{"}}`, "not valid JSON")
	h.fails(`{"write_file":{"file_name":"new.md","content":"x","append":true}}`, "no such file")
	h.fails(`{"replace_file":{"file_name":"todo.md","old_str":"nope","new_str":"x"}}`, "does not hold")
	h.fails(`{"read_file":{"file_name":`+quote(fake)+`}}`, "no image/png picture")
	if r := h.do(`[{"read_file":{"file_name":` + quote(png) + `}}]`)[0]; len(r.Images) != 1 || r.Images[0].MIME != "image/png" {
		t.Errorf("a picture: %+v", r)
	}
	r = h.do(`[{"done":{"text":"here","files_to_display":["todo.md"]}}]`)[0]
	if !r.Done || !r.Success || len(r.Attachments) != 1 || !strings.Contains(r.Text, "- [x] one") {
		t.Errorf("done: %+v", r)
	}
	if r := h.do(`[{"done":{"text":"could not","success":false}}]`)[0]; r.Success || !r.Done {
		t.Errorf("done without success: %+v", r)
	}
	if r := h.fails(`{"done":{"text":"x","files_to_display":["../secret.txt"]}}`, "there is no file"); r.Done {
		t.Error("done with a file that is not there ended the run")
	}
}

func TestCaptures(t *testing.T) {
	h := newHand(t)
	h.show(`<title>A page: "of" things</title><h1>Hello</h1><p>printed text</p>`)
	if r := h.do(`[{"screenshot":{}}]`)[0]; r.Metadata["include_screenshot"] != true {
		t.Errorf("screenshot: %+v", r)
	}
	for _, want := range []string{"shot.png", "shot (1).png"} {
		r := h.do(`[{"screenshot":{"file_name":"shot"}}]`)[0]
		if len(r.Attachments) != 1 || filepath.Base(r.Attachments[0]) != want {
			t.Errorf("attachments %v, want %s", r.Attachments, want)
		}
		if b, _ := os.ReadFile(r.Attachments[0]); pictureIn(b) != "image/png" {
			t.Errorf("%s is no picture", want)
		}
	}
	r := h.do(`[{"save_as_pdf":{"paper_format":"A4","landscape":true}}]`)[0]
	if len(r.Attachments) != 1 || filepath.Base(r.Attachments[0]) != "A page of things.pdf" {
		t.Errorf("save_as_pdf: %+v", r)
	}
	r = h.do(`[{"read_file":{"file_name":"A page of things.pdf"}}]`)[0]
	if !strings.Contains(strings.Join(strings.Fields(r.Text), ""), "printedtext") {
		t.Errorf("the PDF reads %q", r.Text)
	}
}

func TestQueries(t *testing.T) {
	h := newHand(t)
	h.show(`<style>.x{color:red}</style><script>var hidden='treasure in a script'</script><p class=intro>A <b>treasure</b> in bold</p><p style="display:none">treasure nobody sees</p>
		<x-a id=h></x-a><script>h.attachShadow({mode:'open'}).innerHTML='<p>Treasure in the shadow</p>'</script><iframe srcdoc="<p>treasure in a frame</p>"></iframe>
		<a href="/rel?q=1" class=l>one</a><a href="https://b.test/" class=l>two</a><input type=password value=hunter2 class=l>`)
	r := h.do(`[{"search_page":{"pattern":"treasure"}}]`)[0]
	if !strings.Contains(r.Text, "3 of 3 places") || strings.Contains(r.Text, "script") || strings.Contains(r.Text, "nobody") {
		t.Errorf("search_page: %s", r.Text)
	}
	if r := h.do(`[{"search_page":{"pattern":"Treasure","case_sensitive":true}}]`)[0]; !strings.Contains(r.Text, "1 of 1") {
		t.Errorf("search_page with case: %s", r.Text)
	}
	if r := h.do(`[{"search_page":{"pattern":"in (a|the) \\w+","regex":true,"max_results":1}}]`)[0]; !strings.Contains(r.Text, "1 of 2") {
		t.Errorf("search_page with a regular expression: %s", r.Text)
	}
	if r := h.do(`[{"search_page":{"pattern":"treasure","css_scope":".intro"}}]`)[0]; !strings.Contains(r.Text, "1 of 1") || !strings.Contains(r.Text, "p.intro") {
		t.Errorf("search_page in a part: %s", r.Text)
	}
	if r := h.do(`[{"search_page":{"pattern":"gold"}}]`)[0]; !strings.Contains(r.Text, "does not show") {
		t.Errorf("search_page for nothing: %s", r.Text)
	}
	h.fails(`{"search_page":{"pattern":"(","regex":true}}`, "RE2")
	h.fails(`{"search_page":{"pattern":"x","css_scope":"#nope"}}`, "no element answers")
	h.fails(`{"search_page":{"pattern":"x","css_scope":"p["}}`, "not valid")
	r = h.do(`[{"find_elements":{"selector":"a.l, input.l","attributes":["href","value"]}}]`)[0]
	if !strings.Contains(r.Text, h.url+"/rel?q=1") || !strings.Contains(r.Text, "3 of 3") || strings.Contains(r.Text, "hunter2") {
		t.Errorf("find_elements: %s", r.Text)
	}
	if r := h.do(`[{"find_elements":{"selector":"table"}}]`)[0]; !strings.Contains(r.Text, "No element") {
		t.Errorf("find_elements for nothing: %s", r.Text)
	}
	h.fails(`{"find_elements":{"selector":"a["}}`, "not valid")
}

func TestEvaluate(t *testing.T) {
	h := newHand(t)
	h.show(`<title>t</title>`)
	for code, want := range map[string]string{
		`1+1`:                       "2",
		`"C:\\temp\\new"`:           `C:\temp\new`,
		`"a\"b"`:                    `a"b`,
		`undefined`:                 "undefined",
		`null`:                      "null",
		`({a:[1,true]})`:            `{"a":[1,true]}`,
		`Promise.resolve("later")`:  "later",
		`/\d+/.test("12")`:          "true",
		`(() => { return "fn" })()`: "fn",
	} {
		if r := h.do(`[{"evaluate":{"code":` + quote(code) + `}}]`)[0]; r.Text != want {
			t.Errorf("evaluate %s = %q, want %q", code, r.Text, want)
		}
	}
	h.fails(`{"evaluate":{"code":"nope()"}}`, "ReferenceError", "nope")
	h.fails(`{"evaluate":{"code":"throw new Error('mine')"}}`, "mine")
	r := h.do(`[{"evaluate":{"code":"'x'.repeat(30000)"}}]`)[0]
	if !strings.Contains(r.Text, "10000 more characters") || !r.Once || strings.Contains(r.Memory, "xxx") {
		t.Errorf("a long result: %d characters, memory %q", len(r.Text), r.Memory)
	}
}

func TestWaiting(t *testing.T) {
	h := newHand(t)
	h.show(`<p id=p>old</p><script>setTimeout(()=>{p.textContent='Now  there';p.className='ok'},150)</script>`)
	h.do(`[{"wait":{"seconds":20,"text":"now there"}}]`)
	h.do(`[{"wait":{"seconds":20,"selector":"p.ok"}}]`)
	h.do(`[{"wait":{"seconds":20,"gone":"old"}}]`)
	h.do(`[{"wait":{"seconds":20,"quiet":true}}]`)
	h.do(`[{"wait":{"seconds":0.05}}]`)
	h.fails(`{"wait":{"seconds":0.1,"text":"never"}}`, "does not show", "never")
	h.fails(`{"wait":{"seconds":0.1,"selector":"#never"}}`, "#never")
	h.fails(`{"wait":{"seconds":0.1,"gone":"now there"}}`, "still shows")
	h.fails(`{"wait":{"seconds":0.1,"selector":"p["}}`, "not valid")
	for _, args := range []string{`{"seconds":31}`, `{"seconds":-1}`} {
		if _, err := h.tools.Compile(registry.Page{}).Decode([]byte(`{"wait":` + args + `}`)); err == nil {
			t.Errorf("wait %s: no error", args)
		}
	}
}

// F129 to F131: secrets are typed and never told, and only where they belong.
func TestSecretsAreTypedAndNotTold(t *testing.T) {
	const value = "K7!blue"
	h := newHand(t)
	secrets, err := registry.NewSecrets(registry.NewSecret("pass", value, "http://127.0.0.1"), registry.NewSecret("other", "Z9!red!!", "https://bank.test"))
	if err != nil {
		t.Fatal(err)
	}
	h.deps = registry.Provide[registry.SecretResolver](h.deps, secrets)
	h.serve("/inner", `<input aria-label=inner oninput="parent.postMessage(value,'*')">`)
	h.show(`<input id=i aria-label=f><input id=p type=password aria-label=p><iframe src="` + strings.Replace(h.url, "127.0.0.1", "localhost", 1) + `/inner"></iframe><script>onmessage=e=>document.title=e.data</script>`)
	for _, text := range []string{"<secret>pass</secret>", "pass"} {
		r := h.do(`[{"input":{"index":«f»,"text":"` + text + `"}}]`)[0]
		notTold(t, r, value)
		h.is("i.value", value)
	}
	notTold(t, h.do(`[{"click":{"index":«p»}},{"send_keys":{"keys":"<secret>pass</secret>"}}]`)[1], value)
	h.is("p.value", value)
	// Neither on another site, nor in a frame of one.
	notTold(t, h.fails(`{"input":{"index":«f»,"text":"<secret>other</secret>"}}`, "may not be used"), "Z9!red!!")
	notTold(t, h.fails(`{"input":{"index":«inner»,"text":"<secret>pass</secret>"}}`, "may not be used"), value)
	notTold(t, h.fails(`{"search_page":{"pattern":"<secret>pass</secret>"}}`, "secret"), value)
	h.do(`[{"click":{"index":«inner»}}]`)
	notTold(t, h.fails(`{"send_keys":{"keys":"<secret>pass</secret>"}}`, "may not be used"), value)
	h.is("document.title", "")
	// A field that refuses it does not tell it either.
	h.show(`<input id=i aria-label=f maxlength=3><input id=j aria-label=g oninput="value='no '+value">`)
	notTold(t, h.fails(`{"input":{"index":«f»,"text":"<secret>pass</secret>"}}`, "at most 3"), value[:3])
	notTold(t, h.fails(`{"input":{"index":«g»,"text":"<secret>pass</secret>"}}`, "did not keep"), value)
}

func notTold(t *testing.T, r *registry.Result, value string) {
	t.Helper()
	told := []string{r.Text, r.Memory, r.Error, effects(r)}
	if r.Err != nil {
		told = append(told, r.Err.Error())
	}
	if e, ok := r.Metadata["effect"].(*browser.Effect); ok && e.Value != nil {
		told = append(told, *e.Value)
	}
	for _, s := range told {
		if strings.Contains(s, value) {
			t.Errorf("the secret is told: %q", s)
		}
	}
}
