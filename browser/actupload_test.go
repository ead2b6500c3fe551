package browser

import (
	"os"
	"path/filepath"
	"testing"
)

func TestUpload(t *testing.T) {
	p := newPages(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "a.txt")
	second := filepath.Join(dir, "b.txt")
	empty := filepath.Join(dir, "empty.txt")
	for name, text := range map[string]string{file: "hello", second: "two", empty: ""} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		name, html, target string
		paths              []string
		check, want        string
	}{
		{"the field", `<input id=f type=file onchange="document.title='c'">`, "#f", []string{file}, "f.files[0].name+document.title", "a.txtc"},
		{"several", `<input id=f type=file multiple>`, "#f", []string{file, second}, "Array.from(f.files,x=>x.name).join()", "a.txt,b.txt"},
		{"hidden behind a button", `<form><input type=file id=f style="display:none"><button type=button id=b onclick="f.click()">Add</button></form>`, "#b", []string{file}, "f.files[0].name", "a.txt"},
		{"its label", `<label id=l>Add <input type=file id=f hidden></label>`, "#l", []string{file}, "f.files[0].name", "a.txt"},
		{"made on click", `<button id=b>Add</button><script>b.onclick=()=>{const i=document.createElement('input');i.type='file';i.onchange=()=>document.title=i.files[0].name;i.click()}</script>`, "#b", []string{file}, "document.title", "a.txt"},
		{"page empties it", `<input id=f type=file onchange="document.title=this.files[0]?this.files[0].name:document.title;this.value=''">`, "#f", []string{file}, "document.title", "a.txt"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := p.show(t, tc.html)
			paths, err := checkFiles(tc.paths)
			if err != nil {
				t.Fatal(err)
			}
			eff, err := find(t, s, tc.target).upload(testContext(t), paths)
			if err != nil {
				t.Fatal(err)
			}
			if got := eval[string](t, s, tc.check); got != tc.want {
				t.Errorf("got %q, want %q (%v)", got, tc.want, eff)
			}
		})
	}
	s := p.show(t, `<input id=f type=file><input id=d type=file disabled>`)
	_, err := find(t, s, "#f").upload(testContext(t), []string{file, second})
	wantReason(t, err, ReasonWrongKind, "one file")
	_, err = find(t, s, "#d").upload(testContext(t), []string{file})
	wantReason(t, err, ReasonDisabled)
	s = p.show(t, `<p id=n>x</p>`)
	_, err = find(t, s, "#n").upload(testContext(t), []string{file})
	wantReason(t, err, ReasonWrongKind, "no file field")
	for _, bad := range []string{filepath.Join(dir, "nope.pdf"), empty, dir} {
		_, err := checkFiles([]string{bad})
		wantReason(t, err, ReasonNotFound, filepath.Base(bad))
	}
}
